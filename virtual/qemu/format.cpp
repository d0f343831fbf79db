// virtual/qemu/format.cpp -- snprintf of whole numbers, strings and pointers.
#include <stdint.h>
#include <stdio.h>
#include <string.h>

namespace {

// One conversion: %[flags][width][.precision][length]letter
struct conversion {
    bool left = false, zeros = false;
    int width = 0, precision = -1;
    int longs = 0;  // 1: long and size_t, 2: long long; -1 short, -2 char
    char letter = 0;
};

// Counts everything, keeps what fits.
class writer {
  public:
    writer(char *text, size_t size) : text_(text), size_(size) {}
    void put(char c) {
        if (used_ + 1 < size_) text_[used_] = c;
        ++used_;
    }
    void put(const char *from, size_t n) {
        while (n--) put(*from++);
    }
    void fill(char c, int n) {
        while (n-- > 0) put(c);
    }
    int finish() {
        if (size_) text_[used_ < size_ ? used_ : size_ - 1] = 0;
        return static_cast<int>(used_);
    }

  private:
    char *text_;
    size_t size_;
    size_t used_ = 0;
};

void put_padded(writer &out, const conversion &c, const char *prefix, const char *digits, size_t n) {
    const size_t prefix_bytes = strlen(prefix);
    const int missing = c.precision > static_cast<int>(n) ? c.precision - static_cast<int>(n) : 0;
    const int padding = c.width - static_cast<int>(n + prefix_bytes) - missing;
    const bool zeros = c.zeros && !c.left && c.precision < 0;
    if (!c.left && !zeros) out.fill(' ', padding);
    out.put(prefix, prefix_bytes);
    if (zeros) out.fill('0', padding);
    out.fill('0', missing);
    out.put(digits, n);
    if (c.left) out.fill(' ', padding);
}

void put_number(writer &out, const conversion &c, uint64_t value, unsigned base, const char *prefix) {
    const char *letters = c.letter == 'X' ? "0123456789ABCDEF" : "0123456789abcdef";
    char digits[24];
    char *at = digits + sizeof digits;
    do *--at = letters[value % base];
    while (value /= base);
    put_padded(out, c, prefix, at, static_cast<size_t>(digits + sizeof digits - at));
}

int64_t signed_argument(const conversion &c, va_list &arguments) {
    if (c.longs == 2) return va_arg(arguments, long long);
    const int value = va_arg(arguments, int);  // long is as wide
    return c.longs == -2 ? static_cast<signed char>(value) : c.longs == -1 ? static_cast<short>(value) : value;
}

uint64_t unsigned_argument(const conversion &c, va_list &arguments) {
    if (c.longs == 2) return va_arg(arguments, unsigned long long);
    const unsigned value = va_arg(arguments, unsigned);
    return c.longs == -2   ? static_cast<unsigned char>(value)
           : c.longs == -1 ? static_cast<unsigned short>(value)
                           : value;
}

void put_text(writer &out, conversion c, const char *text) {
    if (!text) text = "(null)";
    size_t n = 0;
    while ((c.precision < 0 || n < static_cast<size_t>(c.precision)) && text[n]) ++n;
    c.zeros = false;
    c.precision = -1;
    put_padded(out, c, "", text, n);
}

void convert(writer &out, const conversion &c, va_list &arguments) {
    switch (c.letter) {
        case 'd':
        case 'i': {
            const int64_t value = signed_argument(c, arguments);
            const auto bits = static_cast<uint64_t>(value);
            return put_number(out, c, value < 0 ? 0 - bits : bits, 10, value < 0 ? "-" : "");
        }
        case 'u': return put_number(out, c, unsigned_argument(c, arguments), 10, "");
        case 'x':
        case 'X': return put_number(out, c, unsigned_argument(c, arguments), 16, "");
        case 'p': return put_number(out, c, reinterpret_cast<uintptr_t>(va_arg(arguments, void *)), 16, "0x");
        case 's': return put_text(out, c, va_arg(arguments, const char *));
        case 'c': {
            const char letter = static_cast<char>(va_arg(arguments, int));
            return put_padded(out, c, "", &letter, 1);
        }
        default: return out.put(c.letter);  // %% and what is not known
    }
}

int parse_count(const char *&format, va_list &arguments) {
    if (*format == '*') return ++format, va_arg(arguments, int);
    int n = 0;
    while (*format >= '0' && *format <= '9') n = n * 10 + (*format++ - '0');
    return n;
}

conversion parse(const char *&format, va_list &arguments) {
    conversion c;
    for (;; ++format) {
        if (*format == '-')
            c.left = true;
        else if (*format == '0')
            c.zeros = true;
        else
            break;
    }
    c.width = parse_count(format, arguments);
    if (*format == '.') c.precision = parse_count(++format, arguments);
    for (;; ++format) {
        if (*format == 'l')
            ++c.longs;
        else if (*format == 'h')
            --c.longs;
        else if (*format == 'j')
            c.longs = 2;
        else if (*format != 'z' && *format != 't')
            break;
    }
    c.letter = *format;
    if (*format) ++format;
    return c;
}

}  // namespace

extern "C" {

int vsnprintf(char *text, size_t size, const char *format, va_list arguments) {
    writer out(text, size);
    va_list rest;
    va_copy(rest, arguments);
    while (*format) {
        if (*format != '%') {
            out.put(*format++);
            continue;
        }
        const conversion c = parse(++format, rest);
        if (c.letter) convert(out, c, rest);
    }
    va_end(rest);
    return out.finish();
}

int snprintf(char *text, size_t size, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const int n = vsnprintf(text, size, format, arguments);
    va_end(arguments);
    return n;
}

}  // extern "C"
