// virtual/driver/chosen_library.cpp -- which library the exported functions call.
#include <stdlib.h>

#include <mutex>
#include <string>
#include <string_view>

#include "virtual/description/device_description.h"
#include "virtual/driver/plain_library.h"
#include "virtual/faulty/faulty_library.h"

namespace hexane::virt {

namespace {

class chooser {
  public:
    std::shared_ptr<fastrpc_library> now() {
        const char *value = getenv(description_variable);
        const std::string_view text = value ? value : "";
        const std::lock_guard guard(lock_);
        if (!chosen_ || text != text_) {
            text_ = text;
            chosen_ = library_for(described_device());
        }
        return chosen_;
    }

  private:
    std::shared_ptr<fastrpc_library> library_for(const device_description &device) const {
        if (!device.faulty) return plain_;
        return std::make_shared<faulty_library>(plain_, device);
    }

    const std::shared_ptr<fastrpc_library> plain_ = std::make_shared<plain_library>();
    std::mutex lock_;
    std::string text_;  // that chosen_ stands for
    std::shared_ptr<fastrpc_library> chosen_;
};

}  // namespace

std::shared_ptr<fastrpc_library> the_library() {
    static chooser &c = *new chooser;  // never destroyed: exit() may come while sessions are open
    return c.now();
}

}  // namespace hexane::virt
