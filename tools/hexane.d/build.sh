# build.sh -- configures and builds a preset into build/PRESET, and does nothing at all when nothing changed.

# What a build reads. A deleted file shows as a newer folder.
build_inputs=(CMakeLists.txt CMakePresets.json abi base bench cmake formats fusion hmx host htp hvx include kernels ops plan platform tests tools/op_table.cpp tools/op_template virtual)

# The presets that make libraries for a device, as Hexagon code.
device_presets=(device-v73 device-v75 device-v79 device-v81)

check_arguments_build() {
    [ $# -le 1 ] || die_usage "build: one preset at most, got '$2' as well"
    case ${1:-release} in
    release | dev | asan | tsan | fuzz | arm64 | --device) ;;
    *) [[ " ${device_presets[*]} " == *" $1 "* ]] ||
        die_usage "build: unknown preset '$1'; there are: release, dev, asan, tsan, fuzz, arm64, ${device_presets[*]}, and --device for all of the last" ;;
    esac
}

do_build() {
    local preset
    if [ "${1:-}" = --device ]; then
        for preset in "${device_presets[@]}"; do
            build_preset "$preset"
        done
        say "device libraries: build/device-v*/lib/libggml-htp-v*.so"
    else
        build_preset "${1:-release}"
    fi
}

# True if build/PRESET was built in this root and no input changed since.
is_built() {
    local stamp=$1 newer inputs=() input
    [ -f "$stamp" ] && [ "$(<"$stamp")" = "$HEXANE_INSIDE $hexane_repo" ] || return 1
    for input in "${build_inputs[@]}"; do
        [ -e "$hexane_repo/$input" ] && inputs+=("$hexane_repo/$input")
    done
    newer=$(find "${inputs[@]}" -newer "$stamp" -print -quit)
    [ -z "$newer" ]
}

# Usage: build_preset PRESET [TARGET]. Builds what is needed, all or a target; output goes to standard error. TARGET runtime is what
# a program needs that loads the plug-in: half of the time of all, which the tests take.
build_preset() {
    local preset=$1 target=${2:-all}
    local dir=$hexane_repo/build/$preset
    local stamp=$dir/.built
    is_built "$stamp" && return
    if [ "$target" != all ]; then
        stamp=$dir/.built-$target
        is_built "$stamp" && return
    fi
    mkdir -p "$dir"
    # Two builds of one folder at a time would tear it.
    exec {build_lock}>"$dir/.lock"
    if ! flock --nonblock "$build_lock"; then
        say "waiting for another build of build/$preset"
        flock "$build_lock"
    fi
    is_built "$stamp" || build_now "$preset" "$dir" "$stamp" "$target" >&2
    exec {build_lock}>&-
}

# What a program needs that loads the plug-in, on the virtual device that the environment asks for: sessions of Hexagon code are a
# program of their own.
build_runtime() {
    build_preset release runtime
    if [[ ",${GGML_HEXAGON_VIRTUAL:-}," == *,qemu,* ]]; then build_preset release hexane-dsp-v73; fi
}

build_now() {
    local preset=$1 dir=$2 stamp=$3 target=$4
    local jobs=${HEXANE_JOBS:-$(nproc)}
    [[ $jobs =~ ^[1-9][0-9]*$ ]] || die "HEXANE_JOBS='$jobs' is not a number of 1 or more"
    forget_other_root "$dir"
    # What changes while the build runs must count as newer.
    touch "$dir/.begun"
    if [ ! -f "$dir/build.ninja" ] || [ "$hexane_repo/CMakePresets.json" -nt "$dir/build.ninja" ]; then
        step "configuring build/$preset"
        (cd "$hexane_repo" && cmake --preset "$preset") {build_lock}>&- || die "configuring build/$preset failed"
    fi
    step "building build/$preset with $jobs jobs"
    ninja -C "$dir" -j "$jobs" "$target" {build_lock}>&- || die "building build/$preset failed"
    echo "$HEXANE_INSIDE $hexane_repo" >"$dir/.begun.new"
    touch -r "$dir/.begun" "$dir/.begun.new"
    mv "$dir/.begun.new" "$stamp"
    rm -f "$dir/.begun"
    step "built build/$preset"
}

# A build folder that another root made holds that one's compiler paths and headers, and a copied one the sources it was copied from.
forget_other_root() {
    local dir=$1
    local made_by="$HEXANE_INSIDE $hexane_repo"
    if [ -f "$dir/.root" ] && [ "$(<"$dir/.root")" != "$made_by" ]; then
        step "build folder of another root or checkout: starting afresh"
        find "$dir" -mindepth 1 -maxdepth 1 ! -name .lock -exec rm -rf {} +
    fi
    echo "$made_by" >"$dir/.root"
}
