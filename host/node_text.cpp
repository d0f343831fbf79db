// host/node_text.cpp
#include "host/node_text.h"

#include <cstring>

#include "ggml.h"
#include "host/step.h"

namespace hexane::host {

namespace {

std::string ops(const step &s) {
    std::string text;
    for (const ggml_tensor *t : s.nodes) text += (text.empty() ? "" : "+") + std::string(ggml_op_desc(t));
    return text;
}

// "a x b -> c" over the sources and the results.
template <class Field> std::string joined(const step &s, Field &&field) {
    std::string text;
    for (size_t i = 0; i < s.sources.size(); ++i) {
        if (i) text += " x ";
        text += s.sources[i] ? field(*s.sources[i]) : "NONE";
    }
    for (const ggml_tensor *t : s.nodes) text += (text.empty() ? "-> " : " -> ") + field(*t);
    return text;
}

std::string name(const ggml_tensor &t) { return t.name[0] ? std::string(t.name, strnlen(t.name, sizeof t.name)) : "?"; }

// Four numbers, or two when the outer two extents are 1.
template <class T> std::string numbers(const ggml_tensor &t, const T (&v)[4]) {
    std::string text = std::to_string(v[0]) + ":" + std::to_string(v[1]);
    if (t.ne[2] != 1 || t.ne[3] != 1) text += ":" + std::to_string(v[2]) + ":" + std::to_string(v[3]);
    return text;
}

std::string extents(const ggml_tensor &t) { return numbers(t, t.ne); }
std::string type(const ggml_tensor &t) { return ggml_type_name(t.type); }
std::string strides(const ggml_tensor &t) { return numbers(t, t.nb) + (ggml_is_contiguous(&t) ? "" : "!"); }

}  // namespace

std::string short_step_text(const step &s) {
    return ops(s) + "|" + joined(s, name) + "|" + joined(s, extents) + "|" + joined(s, type);
}

std::string step_text(const step &s) { return short_step_text(s) + "|" + joined(s, strides); }

std::string short_node_text(const ggml_tensor &t) {
    const ggml_tensor *node = &t;
    return short_step_text(step_of(node));
}

std::string node_text(const ggml_tensor &t) {
    const ggml_tensor *node = &t;
    return step_text(step_of(node));
}

}  // namespace hexane::host
