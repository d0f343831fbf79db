// tests/virtual/fuzz/module_uri.cpp -- any text as the name of a module: refused with a reason, or parts that fit the driver's message.
#include "virtual/driver/module_uri.h"
#include "tests/fuzz/expect.h"
#include "virtual/channel/control_message.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n) {
    using namespace hexane;
    using fuzz::expect;
    const std::string_view text(reinterpret_cast<const char *>(bytes), n);
    std::string problem;
    const auto uri = virt::parse_module_uri(text, &problem);
    expect(uri.has_value() == problem.empty(), "neither a module nor a reason, or both");
    if (!uri) return 0;
    expect(uri->text == text, "the text is not the text");
    expect(uri->text.size() < sizeof(virt::open_request::uri), "a text that does not fit");
    expect(!uri->library.empty() && uri->library.size() < sizeof(virt::open_request::library),
           "a library that does not fit");
    expect(!uri->entry.empty() && uri->entry.size() < sizeof(virt::open_request::entry), "an entry that does not fit");
    expect(uri->library.find('/') == std::string::npos, "a library in another folder");
    expect(!uri->domain.empty() && uri->domain.find('&') == std::string::npos, "a domain that is none");
    return 0;
}
