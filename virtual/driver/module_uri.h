// virtual/driver/module_uri.h -- "file:///<lib>.so?<entry>&_modver=1.0&_dom=<domain>&_session=<n>".
#pragma once

#include <stdint.h>

#include <optional>
#include <string>
#include <string_view>

namespace hexane::virt {

struct module_uri {
    std::string text;
    std::string library;
    std::string entry;
    std::string domain;
    uint32_t session = 0;
};

// Nothing, and `problem` says why, when a part is missing or malformed.
std::optional<module_uri> parse_module_uri(std::string_view text, std::string *problem);

}  // namespace hexane::virt
