// virtual/session/text_file.cpp
#include "virtual/session/text_file.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "virtual/channel/owned_fd.h"

namespace hexane::virt {

std::string read_text_file(const char *path) {
    std::string text;
    const owned_fd file(open(path, O_RDONLY | O_CLOEXEC));
    char piece[4096];
    while (file.valid()) {
        const ssize_t n = read(file.get(), piece, sizeof piece);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) break;
        text.append(piece, static_cast<size_t>(n));
    }
    return text;
}

}  // namespace hexane::virt
