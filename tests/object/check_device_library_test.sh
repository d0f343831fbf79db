# check_device_library_test.sh -- each thing that a device's loader would trip over, planted in a small library, is found.
set -euo pipefail
tree=$(dirname "$(dirname "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")")")
box=$(mktemp -d)
trap 'rm -rf --one-file-system "$box"' EXIT
failures=0

# Usage: library ARCH SOURCE [LINK OPTION...]. Makes $box/libggml-htp-vARCH.so from C++ text.
library() {
    local arch=$1 source=$2
    shift 2
    clang++-22 --target=hexagon-unknown-elf "-mv${code_arch:-$arch}" -O2 -ffreestanding -fPIC -fvisibility=hidden -xc++ \
        -c -o "$box/a.o" - <<<"$source"
    ld.lld-22 -m hexagonelf -shared -soname "libggml-htp-v$arch.so" --hash-style=sysv --allow-shlib-undefined "$@" \
        -o "$box/libggml-htp-v$arch.so" "$box/a.o"
}

# Usage: expect CODE TEXT ARCH
expect() {
    local code=0 out
    out=$("$tree/tools/check_device_library" "$box/libggml-htp-v$3.so" 2>&1) || code=$?
    if [ "$code" -ne "$1" ] || [[ $out != *"$2"* ]]; then
        failures=$((failures + 1))
        printf 'FAILED line %s: expected code %s and "%s", got code %s\n%s\n' "${BASH_LINENO[0]}" "$1" "$2" "$code" "$out"
    fi
}

entry='extern "C" __attribute__((visibility("default"))) int htp_iface_skel_handle_invoke() { BODY; return 0; }'
library 73 "${entry/BODY/}"
expect 0 "0 problems" 73
library 73 "extern \"C\" void puts(const char *); ${entry/BODY/puts(\"\")}"
expect 1 "undefined puts" 73
library 73 "extern \"C\" void HAP_mmap2(); ${entry/BODY/HAP_mmap2()}"
expect 1 "undefined HAP_mmap2: no v73 image" 73
library 75 "extern \"C\" void HAP_mmap2(); ${entry/BODY/HAP_mmap2()}"
expect 0 "0 problems" 75
library 73 "extern \"C\" void compute_resource_release(); ${entry/BODY/compute_resource_release()}"
expect 1 "must be weak" 73
library 73 "extern \"C\" __attribute__((weak)) void compute_resource_release(); ${entry/BODY/if (compute_resource_release) compute_resource_release()}"
expect 0 "0 problems" 73
library 73 "${entry/BODY/} extern \"C\" __attribute__((visibility(\"default\"))) int more = 1;"
expect 1 "exports htp_iface_skel_handle_invoke, more" 73
library 73 "${entry/BODY/} struct s { s(); } const made; s::s() { asm volatile(\"\"); }"
expect 1 "static constructors" 73
library 73 "extern \"C\" char memset[]; char *at = memset; ${entry/BODY/asm volatile(\"\" :: \"r\"(at))}"
expect 1 "relocation R_HEX_32" 73
code_arch=73 library 79 "${entry/BODY/}"
expect 1 "compiled for v73, named v79" 79
library 73 "${entry/BODY/}" -soname other.so
expect 1 "its soname is not" 73
library 73 "${entry/BODY/}" --hash-style=gnu
expect 1 "no sysv hash table" 73
printf 'text' >"$box/libggml-htp-v81.so"
expect 2 "not an ELF file" 81
cp /bin/true "$box/libggml-htp-v81.so"
expect 2 "not Hexagon code" 81
rm "$box/libggml-htp-v81.so"
expect 2 "libggml-htp-v81.so" 81

[ "$failures" -eq 0 ] || exit 1
echo passed
