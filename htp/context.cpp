// htp/context.cpp -- shares of an op's work.
#include "htp/context.h"

namespace hexane::htp {

status context::run_shares(const shares &s) {
    return work.run(s.n_threads, [&](worker &w) {
        const base::range mine = w.share_of(s.units, s.granule);
        return mine.empty() ? status::ok() : s.call(s.body, w, &vtcm[w.index * s.worker_bytes], mine);
    });
}

}  // namespace hexane::htp
