// host/node_text.cpp
#include "host/node_text.h"

#include <cstring>

#include "ggml.h"
#include "host/node.h"

namespace hexane::host {

namespace {

// "a x b -> c" over the sources and the destination.
template <class Field> std::string joined(const ggml_tensor &t, Field &&field) {
    std::string text;
    for (uint32_t i = 0; i < count_sources(t); ++i) {
        if (i) text += " x ";
        text += t.src[i] ? field(*t.src[i]) : "NONE";
    }
    return text + (text.empty() ? "-> " : " -> ") + field(t);
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

std::string short_node_text(const ggml_tensor &t) {
    return std::string(ggml_op_desc(&t)) + "|" + joined(t, name) + "|" + joined(t, extents) + "|" + joined(t, type);
}

std::string node_text(const ggml_tensor &t) { return short_node_text(t) + "|" + joined(t, strides); }

}  // namespace hexane::host
