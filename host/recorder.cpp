// host/recorder.cpp -- operands into regions, records into files.
#include "host/recorder.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "ggml.h"
#include "host/buffer.h"
#include "host/device.h"
#include "host/log.h"
#include "host/node.h"
#include "host/tensor_place.h"

namespace hexane::host {

namespace {

constexpr const char *suffix = ".hxr";
constexpr size_t most_name = 60;
constexpr int most_collisions = 1000;

// -- regions

// Bytes of a buffer that an operand in block layout takes.
struct range {
    const buffer *where;
    uint64_t begin, end;
    bool meets(const range &o) const { return where == o.where && begin < o.end && o.begin < end; }
};

range range_of(const ggml_tensor &t, const tensor_shape &s) {
    const buffer *b = buffer_of(t);
    const uint64_t at = b->offset_of(t);
    return {b, at, at + s.extent_bytes()};
}

// Joins ranges that overlap, until none do.
std::vector<range> joined(std::vector<range> list) {
    for (size_t i = 0; i < list.size();) {
        const auto other = std::find_if(list.begin() + static_cast<ptrdiff_t>(i) + 1, list.end(),
                                        [&](const range &r) { return r.meets(list[i]); });
        if (other == list.end()) {
            ++i;
            continue;
        }
        list[i] = {list[i].where, std::min(list[i].begin, other->begin), std::max(list[i].end, other->end)};
        list.erase(other);
        i = 0;  // the longer range may meet those before
    }
    return list;
}

// An operand that leaves its buffer makes the op fail; its file has zeros there.
std::vector<uint8_t> plain_copy(const range &r) {
    const uint8_t *base = r.where->base;
    std::vector<uint8_t> bytes(base + r.begin, base + std::min<uint64_t>(r.end, r.where->bytes));
    bytes.resize(r.end - r.begin);
    return bytes;
}

// A tiled operand in block layout; it may be a view of whole tiles.
std::vector<uint8_t> untiled_copy(const ggml_tensor &t) {
    const buffer *b = buffer_of(t);
    const uint64_t at = b->offset_of(t);
    std::vector<uint8_t> bytes(ggml_nbytes(&t));
    if (const auto region = b->region_at(at)) {
        formats::tiled_tensor(region->shape, b->base + region->offset)
            .get(bytes.data(), at - region->offset, bytes.size());
    }
    return bytes;
}

struct described {
    const ggml_tensor *tensor;
    op_record::operand *operand;
};

std::vector<described> operands_of(const step &s, op_record *r) {
    std::vector<described> list;
    for (uint32_t i = 0; i < r->sources.size(); ++i) {
        if (s.sources[i]) list.push_back({s.sources[i], &r->sources[i]});
    }
    list.push_back({&s.result(), &r->result});
    return list;
}

void describe_operands(const step &s, const struct node &n, op_record *r) {
    r->sources.resize(n.n_src);
    for (const described &d : operands_of(s, r)) {
        d.operand->present = true;
        d.operand->name = d.tensor->name;
        d.operand->weight = in_weight_buffer(*d.tensor);
    }
    for (uint32_t i = 0; i < n.n_src; ++i) r->sources[i].shape = n.src[i];
    r->result.shape = n.dst;
}

void add_plain_regions(const step &s, op_record *r, std::vector<range> *ranges) {
    for (const described &d : operands_of(s, r)) {
        if (!d.operand->shape.tiled) ranges->push_back(range_of(*d.tensor, d.operand->shape));
    }
    *ranges = joined(std::move(*ranges));
    for (const range &g : *ranges) r->regions.push_back({g.end - g.begin, static_cast<uint32_t>(g.begin % 128), {}});
    for (const described &d : operands_of(s, r)) {
        if (d.operand->shape.tiled) continue;
        const range own = range_of(*d.tensor, d.operand->shape);
        const auto in = std::find_if(ranges->begin(), ranges->end(), [&](const range &g) { return g.meets(own); });
        d.operand->region = static_cast<uint32_t>(in - ranges->begin());
        d.operand->offset = own.begin - in->begin;
    }
}

void add_tiled_regions(const step &s, op_record *r) {
    for (const described &d : operands_of(s, r)) {
        if (!d.operand->shape.tiled) continue;
        d.operand->region = static_cast<uint32_t>(r->regions.size());
        r->regions.push_back({ggml_nbytes(d.tensor), 0, {}});
    }
}

void copy_bytes(const step &s, op_record *r, const std::vector<range> &ranges) {
    for (size_t i = 0; i < ranges.size(); ++i) r->regions[i].data = plain_copy(ranges[i]);
    for (const described &d : operands_of(s, r)) {
        if (d.operand->shape.tiled) r->regions[d.operand->region].data = untiled_copy(*d.tensor);
    }
}

// -- names

std::string file_name(const op_record &r) {
    const auto &weight = !r.sources.empty() && r.sources[0].weight ? r.sources[0].name : std::string();
    std::string name = weight.empty() ? r.node_name : weight;
    if (name.ends_with(".weight")) name.resize(name.size() - 7);
    name = name.substr(0, most_name);
    for (char &c : name) {
        const bool kept = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '.' ||
                          c == '_' || c == '-';
        if (!kept) c = '_';
    }
    char number[24];
    std::snprintf(number, sizeof number, "%06llu", static_cast<unsigned long long>(r.number));
    return std::string(number) + "-" + r.op + (name.empty() ? "" : "-") + name + suffix;
}

// The largest number that a file of ours in the folder begins with.
uint64_t last_number(const std::filesystem::path &folder) {
    uint64_t last = 0;
    for (const auto &entry : std::filesystem::directory_iterator(folder)) {
        const std::string name = entry.path().filename();
        if (name.ends_with(suffix)) last = std::max<uint64_t>(last, std::strtoull(name.c_str(), nullptr, 10));
    }
    return last;
}

}  // namespace

std::unique_ptr<recorder> recorder::create(const options &o) {
    if (o.record_folder.empty()) return nullptr;
    try {
        std::filesystem::create_directories(o.record_folder);
        std::unique_ptr<recorder> r(new recorder(o, last_number(o.record_folder)));
        log_line(log_level::info, "recording ops into %s; they run one by one", o.record_folder.c_str());
        return r;
    } catch (const std::exception &e) {
        log_line(log_level::warn, "nothing is recorded: %s (GGML_HEXAGON_RECORD)", e.what());
        return nullptr;
    }
}

recorder::pending recorder::before(const work &w) noexcept {
    pending p;
    try {
        {
            const std::lock_guard lock(mutex_);
            if (broken_) return p;
            p.record.number = ++number_;
        }
        op_record &r = p.record;
        r.ggml_version = ggml_version();
        r.device = w.where.name();
        r.driver = w.where.rpc().path;
        r.hw = w.hw;
        const node n = node_from_key(w.key);
        r.op = w.where.ops().find(w.plan.desc.op)->name;
        r.node_name = w.step.result().name;
        std::memcpy(r.params, n.params, sizeof r.params);
        r.planned.op = w.plan.desc.op;
        std::memcpy(r.planned.kernel_params, w.plan.desc.kernel_params, sizeof r.planned.kernel_params);
        r.plan = describe_erased(w.where.ops(), r.planned);
        p.kind = std::string(w.key);
        p.kind.append(reinterpret_cast<const char *>(r.planned.kernel_params), sizeof r.planned.kernel_params);

        describe_operands(w.step, n, &r);
        std::vector<range> ranges;
        add_plain_regions(w.step, &r, &ranges);
        add_tiled_regions(w.step, &r);
        uint64_t bytes = 0;
        for (const op_record::region &g : r.regions) bytes += g.bytes;
        if (bytes <= options_.record_bytes && r.elements() <= most_recorded_elements) copy_bytes(w.step, &r, ranges);
        p.wanted = true;
    } catch (const std::exception &e) {
        give_up(e.what());
    }
    return p;
}

void recorder::after(pending &p, const ggml_tensor &result, const std::string &failure) noexcept {
    if (!p.wanted) return;
    try {
        const std::lock_guard lock(mutex_);
        if (broken_ || (failure.empty() && !counts(p.kind))) return;
        p.record.failure = failure;
        const buffer *b = buffer_of(result);
        if (failure.empty() && p.record.has_bytes())
            p.record.result_bytes = gather(p.record.result.shape, b->base + b->offset_of(result));
        write(p.record);
    } catch (const std::exception &e) {
        give_up(e.what());
    }
}

// Whether one more of this kind is to be written.
bool recorder::counts(const std::string &kind) {
    return options_.record_copies == 0 || copies_[kind]++ < options_.record_copies;
}

// Another process may write into the same folder: then the number moves on.
void recorder::write(op_record &r) {
    std::string problem;
    for (int i = 0; i < most_collisions; ++i) {
        bool exists = false;
        problem = write_op_record(r, options_.record_folder + "/" + file_name(r), &exists);
        if (problem.empty()) return;
        if (!exists) break;
        r.number = ++number_;
    }
    give_up(options_.record_folder + ": " + problem);
}

void recorder::give_up(const std::string &why) {
    broken_ = true;
    log_line(log_level::warn, "nothing more is recorded: %s (GGML_HEXAGON_RECORD)", why.c_str());
}

}  // namespace hexane::host
