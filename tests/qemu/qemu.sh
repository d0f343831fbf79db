# shellcheck shell=bash
# qemu.sh -- sourced by the scripts here: the peer tests' expectations, on a session of real Hexagon code.
# shellcheck source=tests/peer/peer.sh
source "$(dirname "$0")/../peer/peer.sh"

# Two threads: qemu's own threads share the PC with ggml's.
hexagon=qemu,threads=2

qemu_sessions_of() { pgrep -x qemu-hexagon -P "$1"; }
has_qemu_session() { [ -n "$(qemu_sessions_of "$1")" ]; }

# As `run`, and a child of the command was seen to be qemu-hexagon. Usage: run_on_qemu SECONDS COMMAND...
run_on_qemu() {
    local limit=$1
    shift
    out=$box/out err=$box/err code=0
    GGML_HEXAGON_VIRTUAL=$hexagon timeout --kill-after=10 "$limit" "$@" >"$out" 2>"$err" </dev/null &
    local waiting=$! tool=
    wait_until 60 eval "tool=\$(pgrep -P $waiting) && has_qemu_session \$tool || ! kill -0 $waiting 2>/dev/null"
    [ -n "$tool" ] && has_qemu_session "$tool" || { fail "no qemu-hexagon process was seen"; show; }
    wait "$waiting" || code=$?
}
