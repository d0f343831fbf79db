// tests/replay/replay.cpp -- `./hexane replay [--same-bits] FILE...`: runs recorded ops alone on the first device, and judges them by the
// oracles of the op tests.
//
// Exit code 0: all right; 1: a result is wrong, here or as recorded, or there is none; 2: a file is none of ours, or the call is wrong.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "include/ggml-hexagon.h"
#include "tests/replay/report.h"

namespace hexane::testing {
namespace {

enum exit_code { all_right = 0, some_wrong = 1, some_unreadable = 2 };

class replayer {
  public:
    explicit replayer(bool same_bits, size_t files) : same_bits_(same_bits), alone_(files == 1) {}
    ~replayer() {
        if (backend_) ggml_backend_free(backend_);
    }

    exit_code replay(const std::string &path) {
        try {
            return replay_one(path);
        } catch (const std::exception &e) {
            return unreadable(path, std::string("cannot be replayed: ") + e.what());
        }
    }

    void sum_up() const {
        if (!alone_) std::printf("%zu right, %zu not right, %zu not readable\n", right_, wrong_, unreadable_);
    }

  private:
    exit_code replay_one(const std::string &path) {
        std::string why;
        const auto record = host::read_op_record(path, &why);
        if (!record) return unreadable(path, why);
        const auto op = rebuilt_op::create(*record, &why);
        if (!op) return unreadable(path, why);
        if (!record->has_bytes()) return tell(path, describe_only(*record, *op));
        if (!backend_) backend_ = ggml_backend_hexagon_init(0);
        if (!backend_) return unreadable(path, "cannot be run: there is no device");
        return tell(path, judge(*record, *op, op->run(backend_), same_bits_));
    }

    exit_code unreadable(const std::string &path, const std::string &why) {
        std::fprintf(stderr, "%s %s\n", path.c_str(), why.c_str());
        ++unreadable_;
        return some_unreadable;
    }

    // Details where somebody will look at them.
    exit_code tell(const std::string &path, const report &r) {
        std::printf("%s: %s\n", path.c_str(), r.verdict.c_str());
        if (alone_ || !r.right) std::fputs(r.details.c_str(), stdout);
        ++(r.right ? right_ : wrong_);
        return r.right ? all_right : some_wrong;
    }

    bool same_bits_, alone_;
    ggml_backend_t backend_ = nullptr;
    size_t right_ = 0, wrong_ = 0, unreadable_ = 0;
};

int run(int argc, char **argv) {
    bool same_bits = false;
    std::vector<std::string> files;
    for (int i = 1; i < argc; ++i) {
        if (std::strcmp(argv[i], "--same-bits") == 0)
            same_bits = true;
        else
            files.emplace_back(argv[i]);
    }
    if (files.empty()) {
        std::fprintf(stderr, "usage: replay [--same-bits] FILE...\n");
        return some_unreadable;
    }
    keep_errors();
    unsetenv("GGML_HEXAGON_RECORD");  // what is replayed is not recorded once more
    replayer all(same_bits, files.size());
    int code = all_right;
    for (const std::string &file : files) {
        code = std::max<int>(code, all.replay(file));
        std::fflush(stdout);
    }
    all.sum_up();
    return code;
}

}  // namespace
}  // namespace hexane::testing

int main(int argc, char **argv) { return hexane::testing::run(argc, argv); }
