// host/op_record.cpp -- the bytes of a record: one function per part, the same order in writer and reader.
#include "host/op_record.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>

namespace hexane::host {

namespace {

// Operands and results of GGML_HEXAGON_RECORD_MIB at its most, and room.
constexpr uint64_t most_file_bytes = 1u << 30;

static_assert(std::endian::native == std::endian::little, "records are little-endian");

constexpr char magic[8] = {'H', 'E', 'X', 'A', 'N', 'E', 'O', 'P'};
constexpr uint32_t version = 1;
constexpr size_t header_bytes = 8 + 4 + 4 + 8;
constexpr uint32_t most_text = 4096;
constexpr uint32_t most_regions = max_op_sources + 1;
constexpr uint32_t flag_tiled = 1, flag_weight = 2;
constexpr uint64_t most_region_bytes = 1ull << 33;  // beyond any address window
constexpr uint64_t most_elements = 1ull << 40;

// -- writing

class writer {
  public:
    template <class T> void number(T value) { raw(&value, sizeof value); }
    void text(const std::string &s) {
        const auto n = static_cast<uint32_t>(std::min<size_t>(s.size(), most_text));
        number(n);
        raw(s.data(), n);
    }
    void raw(const void *data, size_t size) {
        const auto *p = static_cast<const uint8_t *>(data);
        out.insert(out.end(), p, p + size);
    }
    std::vector<uint8_t> out;
};

void put_operand(writer &w, const op_record::operand &o) {
    w.number<uint32_t>(o.present);
    if (!o.present) return;
    w.text(o.name);
    w.number(o.shape.type);
    w.number((o.shape.tiled ? flag_tiled : 0) | (o.weight ? flag_weight : 0));
    w.raw(o.shape.ne, sizeof o.shape.ne);
    w.raw(o.shape.nb, sizeof o.shape.nb);
    w.number(o.region);
    w.number(o.offset);
}

void put_hardware(writer &w, const hardware &hw) {
    w.number(static_cast<uint32_t>(hw.arch));
    w.number(hw.n_threads);
    w.number(hw.n_hmx);
    w.number(hw.vtcm_bytes);
    w.number(hw.scratch_bytes);
    w.number(hw.window_bytes);
}

std::vector<uint8_t> bytes_of(const op_record &r) {
    writer w;
    w.raw(magic, sizeof magic);
    w.number(version);
    w.number(uint32_t{0});
    w.number(uint64_t{0});  // size of the file, filled in below
    w.number(r.number);
    for (const std::string *s : {&r.ggml_version, &r.device, &r.driver}) w.text(*s);
    put_hardware(w, r.hw);
    for (const std::string *s : {&r.op, &r.node_name}) w.text(*s);
    w.raw(r.params, sizeof r.params);
    w.text(r.plan);
    w.number(static_cast<uint32_t>(r.planned.op));
    w.raw(r.planned.kernel_params, sizeof r.planned.kernel_params);
    w.text(r.failure);
    w.number(static_cast<uint32_t>(r.sources.size()));
    for (const op_record::operand &o : r.sources) put_operand(w, o);
    put_operand(w, r.result);
    w.number(static_cast<uint32_t>(r.regions.size()));
    w.number<uint32_t>(r.has_bytes());
    for (const op_record::region &g : r.regions) {
        w.number(g.bytes);
        w.number(g.phase);
    }
    for (const op_record::region &g : r.regions) w.raw(g.data.data(), g.data.size());
    w.number<uint64_t>(r.result_bytes.size());
    w.raw(r.result_bytes.data(), r.result_bytes.size());
    const uint64_t total = w.out.size();
    std::memcpy(&w.out[header_bytes - sizeof total], &total, sizeof total);
    return std::move(w.out);
}

bool write_all(int fd, const std::vector<uint8_t> &bytes) {
    for (size_t done = 0; done < bytes.size();) {
        const ssize_t n = ::write(fd, &bytes[done], bytes.size() - done);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        done += static_cast<size_t>(n);
    }
    return true;
}

// -- reading

// Every take fails for good once something was wrong; `why` is the first problem.
class reader {
  public:
    explicit reader(const std::vector<uint8_t> &file) : file_(file) {}

    bool fine() const { return why_.empty(); }
    const std::string &why() const { return why_; }
    bool fail(const std::string &why) {
        if (fine()) why_ = why;
        return false;
    }
    bool expect(bool condition, const char *why) { return condition || fail(why); }

    bool raw(void *to, uint64_t size) {
        if (!fine() || !expect(size <= left(), "ends too early")) return false;
        std::memcpy(to, &file_[at_], size);
        at_ += size;
        return true;
    }
    template <class T> bool number(T *to) { return raw(to, sizeof *to); }
    bool text(std::string *to) {
        uint32_t n = 0;
        if (!number(&n) || !expect(n <= most_text && n <= left(), "has a text that is too long")) return false;
        to->assign(reinterpret_cast<const char *>(file_.data()) + at_, n);
        at_ += n;
        // What a terminal would act upon stays out of reports.
        std::replace_if(to->begin(), to->end(), [](char c) { return (c >= 0 && c < ' ') || c == 127; }, '?');
        return true;
    }
    bool bytes(std::vector<uint8_t> *to, uint64_t size) {
        if (!fine() || !expect(size <= left(), "ends too early")) return false;
        const auto from = file_.begin() + static_cast<ptrdiff_t>(at_);
        to->assign(from, from + static_cast<ptrdiff_t>(size));
        at_ += size;
        return true;
    }
    uint64_t left() const { return file_.size() - at_; }

  private:
    const std::vector<uint8_t> &file_;
    size_t at_ = 0;
    std::string why_;
};

bool take_header(reader &r, uint64_t file_bytes) {
    char found[sizeof magic] = {};
    uint32_t v = 0, reserved = 0;
    uint64_t total = 0;
    if (r.left() < sizeof found || !r.raw(found, sizeof found) || std::memcmp(found, magic, sizeof magic) != 0)
        return r.fail("is not a record");
    if (!r.number(&v) || !r.number(&reserved) || !r.number(&total)) return false;
    if (v != version)
        return r.fail("has version " + std::to_string(v) + ", this program reads version " + std::to_string(version));
    if (file_bytes < total)
        return r.fail("is cut off: " + std::to_string(file_bytes) + " of " + std::to_string(total) + " bytes");
    return r.expect(file_bytes == total, "goes on behind its end");
}

// No planner sees a shape that is not wirable (host/op_table.cpp), and nothing below can overflow.
bool is_sound(const tensor_shape &s) {
    if (block_bytes(s.dtype()) == 0) return false;
    uint64_t elements = 1;
    for (int i = 0; i < 4; ++i) {
        if (s.ne[i] < 1 || s.ne[i] > UINT32_MAX || s.nb[i] > UINT32_MAX) return false;
        if (static_cast<uint64_t>(s.ne[i]) > most_elements / elements) return false;
        elements *= static_cast<uint64_t>(s.ne[i]);
    }
    return s.ne[0] % block_elements(s.dtype()) == 0;
}

bool extent_fits(const tensor_shape &s, uint64_t room) {
    uint64_t last = block_bytes(s.dtype());
    for (int i = 0; i < 4; ++i) {
        const uint64_t steps = static_cast<uint64_t>(i ? s.ne[i] : s.ne[i] / block_elements(s.dtype())) - 1;
        const uint64_t more = steps * s.nb[i];  // each below 2^32
        if (more > room || last > room - more) return false;
        last += more;
    }
    return last <= room;
}

bool take_operand(reader &r, op_record::operand *o) {
    uint32_t present = 0, flags = 0;
    if (!r.number(&present) || !r.expect(present <= 1, "has a flag that is neither 0 nor 1")) return false;
    o->present = present;
    if (!present) return true;
    r.text(&o->name);
    r.number(&o->shape.type);
    r.number(&flags);
    r.raw(o->shape.ne, sizeof o->shape.ne);
    r.raw(o->shape.nb, sizeof o->shape.nb);
    r.number(&o->region);
    r.number(&o->offset);
    o->shape.tiled = (flags & flag_tiled) != 0;
    o->weight = (flags & flag_weight) != 0;
    return r.fine() && r.expect(is_sound(o->shape), "has a tensor of an impossible shape");
}

bool take_hardware(reader &r, hardware *hw) {
    uint32_t arch_number = 0;
    r.number(&arch_number);
    r.number(&hw->n_threads);
    r.number(&hw->n_hmx);
    r.number(&hw->vtcm_bytes);
    r.number(&hw->scratch_bytes);
    r.number(&hw->window_bytes);
    hw->arch = static_cast<arch>(arch_number);
    return r.fine();
}

bool take_descriptor(reader &r, op_record *out) {
    uint32_t id = 0, n_src = 0;
    r.number(&out->number);
    for (std::string *s : {&out->ggml_version, &out->device, &out->driver}) r.text(s);
    take_hardware(r, &out->hw);
    for (std::string *s : {&out->op, &out->node_name}) r.text(s);
    r.raw(out->params, sizeof out->params);
    r.text(&out->plan);
    r.number(&id);
    out->planned.op = static_cast<op_id>(id);
    r.raw(out->planned.kernel_params, sizeof out->planned.kernel_params);
    r.text(&out->failure);
    if (!r.number(&n_src) || !r.expect(n_src <= max_op_sources, "has too many sources")) return false;
    out->sources.resize(n_src);
    for (op_record::operand &o : out->sources) {
        if (!take_operand(r, &o)) return false;
    }
    return take_operand(r, &out->result) && r.expect(out->result.present, "has no result");
}

bool take_regions(reader &r, op_record *out) {
    uint32_t count = 0, present = 0;
    if (!r.number(&count) || !r.number(&present)) return false;
    if (!r.expect(count >= 1 && count <= most_regions, "has an impossible number of memory regions")) return false;
    out->regions.resize(count);
    for (op_record::region &g : out->regions) {
        if (!r.number(&g.bytes) || !r.number(&g.phase)) return false;
        if (!r.expect(g.bytes > 0 && g.bytes < most_region_bytes && g.phase < 128, "has an impossible memory region"))
            return false;
    }
    if (!present) return true;
    for (op_record::region &g : out->regions) {
        if (!r.bytes(&g.data, g.bytes)) return false;
    }
    return true;
}

bool lies_within(const op_record &record, const op_record::operand &o) {
    if (!o.present) return true;
    if (o.region >= record.regions.size()) return false;
    const uint64_t room = record.regions[o.region].bytes;
    if (o.offset > room) return false;
    if (!o.shape.tiled) return extent_fits(o.shape, room - o.offset);
    // In block layout without gaps, and alone in its region.
    return o.offset == 0 && o.shape.contiguous() && extent_fits(o.shape, room) && dense_bytes(o.shape) == room;
}

// A tiled operand shares its region with no other, and no op writes one.
bool tiles_are_alone(const op_record &record) {
    std::vector<const op_record::operand *> all{&record.result};
    for (const op_record::operand &o : record.sources) {
        if (o.present) all.push_back(&o);
    }
    for (const op_record::operand *o : all) {
        if (!o->shape.tiled) continue;
        const auto same = [&](const op_record::operand *other) { return other->region == o->region; };
        if (o == &record.result || std::count_if(all.begin(), all.end(), same) != 1) return false;
    }
    return true;
}

bool take_result(reader &r, op_record *out) {
    bool within = lies_within(*out, out->result);
    for (const op_record::operand &o : out->sources) within = within && lies_within(*out, o);
    if (!r.expect(within, "has a tensor outside of its memory region")) return false;
    if (!r.expect(tiles_are_alone(*out), "has tiles that share their memory")) return false;
    if (out->has_bytes() && !r.expect(out->elements() <= most_recorded_elements, "has too many elements")) return false;
    uint64_t size = 0;
    if (!r.number(&size) || !r.bytes(&out->result_bytes, size)) return false;
    if (size != 0 && size != dense_bytes(out->result.shape)) return r.fail("has a result of another size");
    const bool expected = out->has_bytes() && out->failure.empty();
    return r.expect(expected == (size != 0), "lacks its result, or has one that it cannot have") &&
           r.expect(r.left() == 0, "goes on behind its end");
}

}  // namespace

uint64_t op_record::elements() const {
    uint64_t sum = static_cast<uint64_t>(result.shape.elements());
    for (const operand &o : sources) sum += o.present ? static_cast<uint64_t>(o.shape.elements()) : 0;
    return sum;
}

uint64_t dense_bytes(const tensor_shape &s) { return s.row_bytes() * static_cast<uint64_t>(s.rows()); }

std::vector<uint8_t> gather(const tensor_shape &s, const uint8_t *first) {
    std::vector<uint8_t> out(dense_bytes(s));
    const uint64_t unit = block_bytes(s.dtype());
    const uint64_t blocks = static_cast<uint64_t>(s.ne[0]) / block_elements(s.dtype());
    uint8_t *to = out.data();
    for (int64_t row = 0; row < s.rows(); ++row) {
        const auto i1 = static_cast<uint64_t>(row % s.ne[1]), i2 = static_cast<uint64_t>(row / s.ne[1] % s.ne[2]),
                   i3 = static_cast<uint64_t>(row / s.ne[1] / s.ne[2]);
        const uint8_t *from = first + i1 * s.nb[1] + i2 * s.nb[2] + i3 * s.nb[3];
        for (uint64_t i = 0; i < blocks; ++i, to += unit) std::memcpy(to, from + i * s.nb[0], unit);
    }
    return out;
}

std::string write_op_record(const op_record &r, const std::string &path, bool *exists) {
    *exists = false;
    const std::vector<uint8_t> bytes = bytes_of(r);
    const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    if (fd < 0) {
        *exists = errno == EEXIST;
        return std::strerror(errno);
    }
    const bool written = write_all(fd, bytes);
    const int error = errno;
    if (::close(fd) == 0 && written) return {};
    ::unlink(path.c_str());
    return std::strerror(written ? errno : error);
}

std::optional<op_record> parse_op_record(const std::vector<uint8_t> &file, std::string *why) {
    reader r(file);
    op_record out;
    if (take_header(r, file.size()) && take_descriptor(r, &out) && take_regions(r, &out) && take_result(r, &out))
        return out;
    *why = r.why();
    return std::nullopt;
}

std::optional<op_record> read_op_record(const std::string &path, std::string *why) {
    // A pipe must not be waited for: it is no file either.
    const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat info{};
    if (fd < 0 || ::fstat(fd, &info) != 0 || !S_ISREG(info.st_mode)) {
        *why = fd < 0 ? std::string("cannot be opened: ") + std::strerror(errno) : "is not a file";
        if (fd >= 0) ::close(fd);
        return std::nullopt;
    }
    if (static_cast<uint64_t>(info.st_size) > most_file_bytes) {
        *why = "is larger than a record can be (" + std::to_string(most_file_bytes >> 20) + " MiB)";
        ::close(fd);
        return std::nullopt;
    }
    // A wrong file may be of any size: its beginning says whether to read the rest.
    std::vector<uint8_t> file(std::min<size_t>(static_cast<size_t>(info.st_size), header_bytes));
    size_t have = 0;
    const auto fill = [&] {
        while (have < file.size()) {
            const ssize_t n = ::read(fd, &file[have], file.size() - have);
            if (n < 0 && errno == EINTR) continue;
            if (n <= 0) break;
            have += static_cast<size_t>(n);
        }
        file.resize(have);
    };
    fill();
    reader header(file);
    if (!take_header(header, static_cast<uint64_t>(info.st_size))) {
        *why = header.why();
        ::close(fd);
        return std::nullopt;
    }
    file.resize(static_cast<size_t>(info.st_size));
    fill();
    ::close(fd);
    return parse_op_record(file, why);
}

}  // namespace hexane::host
