// host/stats.cpp
#include "host/stats.h"

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "host/log.h"
#include "host/op_table.h"

namespace hexane::host {

namespace {

std::string member(const char *name, uint64_t value) {
    return "\"" + std::string(name) + "\": " + std::to_string(value);
}

// Names of devices are ours or from the environment: no control characters, but perhaps quotes.
std::string quoted(const std::string &text) {
    std::string out = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') out += '\\';
        out += c;
    }
    return out + "\"";
}

std::string op_json(const char *name, const op_totals &o) {
    return "{\"name\": " + quoted(name) + ", " + member("count", o.count) + ", " + member("usecs", o.usecs) + ", " +
           member("dma_read_bytes", o.dma_read_bytes) + ", " + member("dma_weight_bytes", o.dma_weight_bytes) + ", " +
           member("dma_write_bytes", o.dma_write_bytes) + ", " + member("src0_bytes", o.src0_bytes) + "}";
}

}  // namespace

void stats::add_session() {
    const std::lock_guard lock(mutex_);
    ++totals_.sessions;
}

void stats::add_graph() {
    const std::lock_guard lock(mutex_);
    ++totals_.graphs;
}

void stats::add_batch(uint64_t usecs) {
    const std::lock_guard lock(mutex_);
    ++totals_.batches;
    totals_.batch_usecs += usecs;
}

void stats::add_op(op_id op, const op_report &report, uint64_t src0_bytes) {
    const std::lock_guard lock(mutex_);
    const auto id = static_cast<uint32_t>(op);
    if (id >= totals_.ops.size()) totals_.ops.resize(id + 1);
    op_totals &o = totals_.ops[id];
    ++o.count;
    o.usecs += report.usecs;
    o.dma_read_bytes += report.dma_read_bytes;
    o.dma_weight_bytes += report.dma_weight_bytes;
    o.dma_write_bytes += report.dma_write_bytes;
    o.src0_bytes += src0_bytes;
}

stats::totals stats::read() const {
    const std::lock_guard lock(mutex_);
    return totals_;
}

void stats::totals::add(const totals &other) {
    sessions += other.sessions;
    graphs += other.graphs;
    batches += other.batches;
    batch_usecs += other.batch_usecs;
    if (ops.size() < other.ops.size()) ops.resize(other.ops.size());
    for (size_t i = 0; i < other.ops.size(); ++i) {
        ops[i].count += other.ops[i].count;
        ops[i].usecs += other.ops[i].usecs;
        ops[i].dma_read_bytes += other.ops[i].dma_read_bytes;
        ops[i].dma_weight_bytes += other.ops[i].dma_weight_bytes;
        ops[i].dma_write_bytes += other.ops[i].dma_write_bytes;
        ops[i].src0_bytes += other.ops[i].src0_bytes;
    }
}

std::string to_json(const stats::totals &t, const std::string &device, const op_table &names) {
    std::string text = "{\"device\": " + quoted(device) + ", " + member("sessions", t.sessions) + ", " +
                       member("graphs", t.graphs) + ", " + member("batches", t.batches) + ", " +
                       member("batch_usecs", t.batch_usecs) + ", \"ops\": [";
    bool first = true;
    for (uint32_t i = 0; i < t.ops.size(); ++i) {
        const op_entry *op = names.find(static_cast<op_id>(i));
        if (!op || t.ops[i].count == 0) continue;
        text += (first ? "\n  " : ",\n  ") + op_json(op->name, t.ops[i]);
        first = false;
    }
    return text + "\n]}\n";
}

bool write_stats(const std::string &path, const std::string &json) {
    std::FILE *file = std::fopen(path.c_str(), "we");
    const bool written = file && std::fwrite(json.data(), 1, json.size(), file) == json.size();
    const bool closed = file && std::fclose(file) == 0;
    if (written && closed) return true;
    // Written again at every close of a session; said once.
    static std::atomic<bool> said = false;
    if (!said.exchange(true))
        log_line(log_level::warn, "GGML_HEXAGON_STATS: %s cannot be written: %s", path.c_str(), std::strerror(errno));
    return false;
}

}  // namespace hexane::host
