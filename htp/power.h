// htp/power.h -- power and clock votes of a session.
#pragma once

#include "abi/arch.h"

namespace hexane::htp {

// Votes for full clocks and powered vector (and matrix) units, for as long as the client lives. Votes that an image does not know
// are logged and left out: slower, not wrong. `client` is any unique address.
void vote_for_power(void *client, arch a, bool with_hmx);
void withdraw_power_votes(void *client);

}  // namespace hexane::htp
