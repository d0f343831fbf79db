// host/device_spec.cpp
#include "host/device_spec.h"

#include <algorithm>
#include <charconv>

namespace hexane::host {

namespace {

std::string_view trimmed(std::string_view s) {
    constexpr std::string_view blanks = " \t\r\n";
    const size_t first = s.find_first_not_of(blanks);
    if (first == s.npos) return {};
    return s.substr(first, s.find_last_not_of(blanks) - first + 1);
}

// Decimal digits and nothing else, below `limit`.
bool parse_index(std::string_view s, uint32_t limit, uint32_t *out) {
    const auto [end, error] = std::from_chars(s.data(), s.data() + s.size(), *out);
    return !s.empty() && error == std::errc() && end == s.data() + s.size() && *out < limit && s[0] != '-';
}

std::string quoted(std::string_view s) { return "'" + std::string(s) + "'"; }

// Splits at commas that stand outside brackets.
std::vector<std::string_view> split_items(std::string_view text) {
    std::vector<std::string_view> items;
    size_t begin = 0;
    bool inside = false;
    for (size_t i = 0; i <= text.size(); ++i) {
        if (i < text.size() && text[i] == '[') inside = true;
        if (i < text.size() && text[i] == ']') inside = false;
        if (i < text.size() && (text[i] != ',' || inside)) continue;
        items.push_back(trimmed(text.substr(begin, i - begin)));
        begin = i + 1;
    }
    return items;
}

std::string add_member(uint32_t core, device_spec *spec) {
    if (std::count(spec->members.begin(), spec->members.end(), core))
        return "core " + std::to_string(core) + " twice in a group";
    spec->members.push_back(core);
    return {};
}

// "0", "0-3", "0,2" within the brackets of a group.
std::string parse_members(std::string_view text, device_spec *spec) {
    for (std::string_view part : split_items(text)) {
        uint32_t first = 0, last = 0;
        const size_t dash = part.find('-');
        const bool range = dash != part.npos;
        if (!parse_index(trimmed(part.substr(0, dash)), max_cores, &first)) return "bad core in " + quoted(part);
        last = first;
        if (range && !parse_index(trimmed(part.substr(dash + 1)), max_cores, &last))
            return "bad core in " + quoted(part);
        if (last < first) return "descending range " + quoted(part);
        for (uint32_t core = first; core <= last; ++core) {
            if (std::string problem = add_member(core, spec); !problem.empty()) return problem;
        }
    }
    return spec->members.empty() ? "a group without members" : std::string();
}

std::string parse_group(std::string_view item, size_t bracket, device_spec *spec) {
    if (item.back() != ']' || item.find(']') != item.size() - 1) return "bracket not closed in " + quoted(item);
    spec->name = std::string(trimmed(item.substr(0, bracket)));
    if (spec->name.empty()) return "a group without a name: " + quoted(item);
    std::string_view inside = item.substr(bracket + 1, item.size() - bracket - 2);
    std::string_view session = "0";
    if (const size_t colon = spec->name.find(':'); colon != spec->name.npos)
        session = std::string_view(spec->name).substr(colon + 1);
    if (const size_t colon = inside.find(':'); colon != inside.npos) {
        session = inside.substr(colon + 1);
        inside = inside.substr(0, colon);
    }
    if (!parse_index(trimmed(session), max_virtual_sessions, &spec->virtual_session))
        return "bad session number in " + quoted(item);
    if (std::string problem = parse_members(inside, spec); !problem.empty()) return problem;
    spec->core = spec->members.front();
    return {};
}

std::string parse_single(std::string_view item, device_spec *spec) {
    if (item.substr(0, 3) != "HTP") return quoted(item) + " does not start with HTP";
    std::string_view core = item.substr(3);
    if (const size_t colon = core.find(':'); colon != core.npos) {
        const std::string_view session = core.substr(colon + 1);
        core = core.substr(0, colon);
        if (!parse_index(session, max_virtual_sessions, &spec->virtual_session))
            return "bad session number in " + quoted(item);
    }
    if (!parse_index(core, max_cores, &spec->core)) return "bad core number in " + quoted(item);
    spec->name = std::string(item);
    return {};
}

// The problem of a list as a whole; empty when there is none.
std::string check_list(const std::vector<device_spec> &devices) {
    if (devices.empty()) return "no device";
    if (devices.size() > max_devices) return "more than " + std::to_string(max_devices) + " devices";
    for (size_t i = 0; i < devices.size(); ++i) {
        for (size_t k = 0; k < i; ++k) {
            const device_spec &a = devices[i], &b = devices[k];
            const bool same_place =
                a.core == b.core && a.virtual_session == b.virtual_session && !a.is_group() && !b.is_group();
            if (a.name == b.name || same_place) return a.name + " and " + b.name + " are the same";
        }
    }
    return {};
}

device_list numbered_devices(std::string_view text) {
    uint32_t n = 0;
    if (!parse_index(text, max_devices + 1, &n) || n == 0) return {{}, "the number of devices is 1 .. 15"};
    device_list list;
    for (uint32_t i = 0; i < n; ++i) list.devices.push_back({"HTP" + std::to_string(i), 0, i, {}});
    return list;
}

}  // namespace

device_list parse_device_list(std::string_view text) {
    text = trimmed(text);
    if (!text.empty() && text.find_first_not_of("0123456789") == text.npos) return numbered_devices(text);
    device_list list;
    if (text.empty()) return {{}, "no device"};
    for (std::string_view item : split_items(text)) {
        if (item.empty()) return {{}, "an empty item"};
        device_spec spec;
        const size_t bracket = item.find('[');
        list.problem = bracket == item.npos ? parse_single(item, &spec) : parse_group(item, bracket, &spec);
        if (!list.problem.empty()) return list;
        list.devices.push_back(std::move(spec));
        if (list.devices.size() > max_devices) break;
    }
    list.problem = check_list(list.devices);
    return list;
}

}  // namespace hexane::host
