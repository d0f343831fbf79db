// virtual/driver/module_uri.cpp
#include "virtual/driver/module_uri.h"

#include <charconv>

#include "virtual/channel/control_message.h"

namespace hexane::virt {

namespace {

constexpr std::string_view scheme = "file:///";

// Value of "&<key>=" up to the next '&'.
std::optional<std::string_view> parameter(std::string_view query, std::string_view key) {
    for (size_t at = query.find('&'); at != query.npos; at = query.find('&', at + 1)) {
        const std::string_view item = query.substr(at + 1, query.find('&', at + 1) - at - 1);
        if (item.size() > key.size() && item.substr(0, key.size()) == key && item[key.size()] == '=') {
            return item.substr(key.size() + 1);
        }
    }
    return {};
}

}  // namespace

std::optional<module_uri> parse_module_uri(std::string_view text, std::string *problem) {
    const auto fail = [&](const char *why) {
        *problem = why;
        return std::nullopt;
    };
    const size_t question = text.find('?');
    if (text.substr(0, scheme.size()) != scheme || question == text.npos)
        return fail("it is not file:///<library>?<entry>");
    const std::string_view query = text.substr(question + 1);
    module_uri uri;
    uri.text = text;
    uri.library = text.substr(scheme.size(), question - scheme.size());
    uri.entry = query.substr(0, query.find('&'));
    if (uri.library.empty() || uri.library.find('/') != uri.library.npos)
        return fail("the library must be a file name");
    if (uri.entry.empty()) return fail("the entry is missing");
    if (parameter(query, "_modver") != "1.0") return fail("_modver=1.0 is missing");
    const auto domain = parameter(query, "_dom"), session = parameter(query, "_session");
    if (!domain || domain->empty()) return fail("_dom is missing");
    if (!session) return fail("_session is missing");
    const auto [end, error] = std::from_chars(session->data(), session->data() + session->size(), uri.session);
    if (error != std::errc{} || end != session->data() + session->size()) return fail("_session is not a number");
    if (uri.library.size() >= sizeof(open_request::library) || uri.entry.size() >= sizeof(open_request::entry) ||
        text.size() >= sizeof(open_request::uri)) {
        return fail("it is too long");
    }
    uri.domain = *domain;
    return uri;
}

}  // namespace hexane::virt
