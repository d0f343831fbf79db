// virtual/session/device.cpp
#include "virtual/session/device.h"

namespace hexane::virt {

session_device &this_device() {
    static session_device device;
    return device;
}

}  // namespace hexane::virt
