# sdk_build_test.sh -- the option that takes compiler and headers from a Hexagon SDK, on a stand-in for one: an SDK cannot be had
# here. Its compiler is clang that notes its options, its headers are ours with a mark.
set -euo pipefail
tree=$(dirname "$(dirname "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")")")
box=$(mktemp -d)
trap 'rm -rf --one-file-system "$box"' EXIT
fail() {
    echo "FAILED: $1"
    exit 1
}

sdk=$box/sdk
mkdir -p "$sdk/incs"
for version in 8.8.06 19.0.07; do
    bin=$sdk/tools/HEXAGON_Tools/$version/Tools/bin
    mkdir -p "$bin"
    for language in clang clang++; do
        cat >"$bin/hexagon-$language" <<E2
#!/usr/bin/env bash
echo "$version \$*" >>"$box/compilations"
exec $language-22 --target=hexagon-unknown-elf "\${@/-mhmx/-DFAKE_HMX}"
E2
        chmod +x "$bin/hexagon-$language"
    done
done
for header in AEEStdErr HAP_compute_res HAP_farf HAP_mem HAP_perf HAP_power dspqueue qurt remote; do
    sed 's/HEXANE_WITH_SDK/FAKE_NEVER/' "$tree/platform/$header.h" >"$sdk/incs/$header.h"
done

if cmake -S "$tree" --preset device-v79 -B "$box/none" -DHEXANE_HEXAGON_SDK="$box/nowhere" >"$box/log" 2>&1; then
    fail "a folder that does not exist was taken for an SDK"
fi
tr -s '[:space:]' ' ' <"$box/log" | grep -q "no tools/HEXAGON_Tools/" || fail "the wrong SDK folder is not named: $(<"$box/log")"

cmake -S "$tree" --preset device-v79 -B "$box/build" -DHEXANE_HEXAGON_SDK="$sdk" -DCMAKE_CXX_COMPILER_LAUNCHER= >"$box/log" 2>&1 ||
    fail "$(cat "$box/log")"
ninja -C "$box/build" >"$box/log" 2>&1 || fail "$(tail -20 "$box/log")"
grep -q '^19.0.07 .*-mv79 .*-mhmx.*session.cpp' "$box/compilations" || fail "not compiled by the SDK's newest compiler for its matrix unit"
dependencies=$(ninja -C "$box/build" -t deps htp/CMakeFiles/ggml-htp-device.dir/vtcm.cpp.obj)
[[ $dependencies == *"$sdk/incs/HAP_compute_res.h"* ]] || fail "the SDK's headers were not used"
"$tree/tools/check_device_library" "$box/build/lib/libggml-htp-v79.so"
echo passed
