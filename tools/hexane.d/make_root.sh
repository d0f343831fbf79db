# make_root.sh -- makes the private Debian forky root, once. It is built beside its final place and renamed when it is complete, so a
# root that exists is whole. A lock keeps two setups apart; what an interrupted one left behind is removed by the next.

root_suite=forky
root_needs_kib=$((4 * 1024 * 1024))

make_root() {
    local root
    root=$(private_root)
    mkdir -p "$hexane_cache" 2>/dev/null || die "cannot make the cache folder $hexane_cache"
    [ -w "$hexane_cache" ] || die "cannot write to the cache folder $hexane_cache"
    exec {root_lock}>"$hexane_cache/root.lock"
    if ! flock --nonblock "$root_lock"; then
        step "another setup is running; waiting for it"
        flock "$root_lock"
    fi
    # The other one may have made it.
    [ -d "$root" ] || make_root_locked "$root"
    exec {root_lock}>&-
}

make_root_locked() {
    local root=$1
    local partial=$root.partial
    step "setting up a private Debian $root_suite root (once, a minute or two, about 2 GiB): $root"
    remove_leftovers
    check_disk "$hexane_cache"
    # Without root, mmdebstrap lays it out in the folder for temporary files first.
    [ "$(id -u)" -eq 0 ] || check_disk "${TMPDIR:-/tmp}"
    check_way
    need_mmdebstrap
    : >"$root.log"
    trap 'stop_making "$partial" INT' INT
    trap 'stop_making "$partial" TERM' TERM
    trap 'stop_making "$partial" HUP' HUP
    fill_root "$partial" "$root.log"
    finish_root "$partial"
    mv "$partial" "$root"
    trap - INT TERM HUP
    step "the root is ready"
}

remove_leftovers() {
    local left
    for left in "$hexane_cache"/root-*.partial; do
        [ -d "$left" ] || continue
        step "removing what an interrupted setup left: $left"
        remove_tree "$left"
    done
}

# Never across a mount: an interrupted setup could have left /dev or /proc mounted inside.
remove_tree() {
    rm -rf --one-file-system "$1" || die "cannot remove $1; remove it by hand and try again"
}

check_disk() {
    local free
    free=$(df -Pk "$1" | awk 'NR == 2 {print $4}')
    if [ "$free" -lt "$root_needs_kib" ]; then
        die "too little disk: $((free / 1024)) MiB free in $1, the root needs $((root_needs_kib / 1024)) MiB;" \
            "free some, or set XDG_CACHE_HOME to another disk"
    fi
}

# A root can be made and entered as root, or in a user namespace.
check_way() {
    if [ "$(id -u)" -eq 0 ]; then
        unshare --mount true 2>/dev/null ||
            die "no way to make a root: this container may not make mount namespaces; run it privileged, or use Debian $root_suite"
    else
        unshare --user --map-root-user --mount true 2>/dev/null ||
            die "no way to make a root: not run as root, and this system allows no user namespaces"
    fi
}

need_mmdebstrap() {
    command -v mmdebstrap >/dev/null && return
    [ "$(id -u)" -eq 0 ] || die "mmdebstrap is missing: install it with 'apt-get install mmdebstrap uidmap' as root"
    command -v apt-get >/dev/null || die "no way to make a root: neither mmdebstrap nor apt-get is here"
    step "installing mmdebstrap"
    local log=$hexane_cache/apt-get.log
    if ! { apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends mmdebstrap; } >"$log" 2>&1; then
        die_from_log "$log" "apt-get could not install mmdebstrap"
    fi
}

# A network that is down is the usual reason; anything else is named by the log's last error.
die_from_log() {
    local log=$1 what=$2 line
    if grep -qiE 'could not resolve|temporary failure|could not connect|unable to connect|network is unreachable|connection (timed|refused)' "$log"; then
        die "no network: $what, and the package server could not be reached (log: $log)"
    fi
    line=$(grep -E '^(E|error|Err)' "$log" | head -n 1) || true
    die "$what: ${line:-no reason given} (log: $log)"
}

stop_making() {
    trap '' INT TERM HUP
    [ -z "${maker:-}" ] || kill -TERM -- "-$maker" 2>/dev/null || true
    [ -z "${maker:-}" ] || wait "$maker" 2>/dev/null || true
    rm -rf --one-file-system "$1"
    say "setup interrupted; nothing is left of it"
    trap - "$2"
    kill "-$2" $$
}

# mmdebstrap knows where Debian is; where that fails, the servers of the system's own apt are tried.
fill_root() {
    local partial=$1 log=$2 mirror
    bootstrap "$partial" "$log" && return
    mirror=$(system_mirror)
    if [ -n "$mirror" ]; then
        step "once more, from the server of the system's apt sources"
        remove_tree "$partial"
        bootstrap "$partial" "$log" "$mirror" && return
    fi
    remove_tree "$partial"
    die_from_log "$log" "the root could not be made"
}

# The first Debian server in the system's apt sources; empty if there is none.
system_mirror() {
    sed -nE -e 's/^deb[[:space:]]+(\[[^]]*\][[:space:]]+)?(https?:[^[:space:]]*\/debian)\/?[[:space:]].*/\2/p' \
        -e 's/^URIs:[[:space:]]+(https?:[^[:space:]]*\/debian)\/?([[:space:]].*)?$/\1/p' \
        /etc/apt/sources.list /etc/apt/sources.list.d/*.list /etc/apt/sources.list.d/*.sources 2>/dev/null | head -n 1 || true
}

# Usage: bootstrap DIRECTORY LOG [MIRROR]. Runs in a process group of its own, so that an interrupt can end all of it.
bootstrap() {
    local partial=$1 log=$2
    shift 2
    mkdir -p "$partial"
    local failed=0
    set -m
    (
        set -o pipefail
        run_mmdebstrap "$partial" "$@" 2>&1 | tee -a "$log" | say_stages
    ) &
    maker=$!
    set +m
    wait "$maker" || failed=1
    maker=
    return "$failed"
}

# This machine's, then the others that packages of the list are for ("libggml-dev:arm64").
architectures() {
    { dpkg --print-architecture && package_lines | sed -nE 's/^[^ ]*:([a-z0-9]+) .*/\1/p'; } | awk '!seen[$0]++' | paste -sd,
}

run_mmdebstrap() {
    local partial=$1
    shift
    local options=(
        --variant=minbase
        --include="$(package_lines | awk '{print $1}' | paste -sd,)"
        --architectures="$(architectures)"
        --aptopt='Acquire::Check-Valid-Until "false"'
        --aptopt='Acquire::Retries "3"'
        --aptopt='Apt::Install-Recommends "false"'
        --dpkgopt=force-unsafe-io
        --dpkgopt=path-exclude='/usr/share/man/*'
        --dpkgopt=path-exclude='/usr/share/locale/*'
        --dpkgopt=path-exclude='/usr/share/info/*'
    )
    if [ "$(id -u)" -eq 0 ]; then
        unshare --mount --propagation private -- mmdebstrap --mode=root "${options[@]}" "$root_suite" "$partial" "$@"
    else
        # Through a tar, so that all of it belongs to the user. Devices are not his to make, and the system's are used.
        mmdebstrap --mode=unshare --format=tar "${options[@]}" "$root_suite" - "$@" |
            tar --extract --directory="$partial" --exclude='./dev/*'
    fi
}

# Turns mmdebstrap's log into a line per stage.
say_stages() {
    local line
    while IFS= read -r line; do
        case $line in
        'I: running apt-get update'*) step "reading the package lists" ;;
        'I: downloading packages'*) step "downloading" ;;
        'I: extracting'*) step "unpacking the base system" ;;
        'I: installing essential'*) step "installing the base system" ;;
        'I: installing remaining'*) step "installing the tools" ;;
        'I: cleaning'*) step "cleaning up" ;;
        esac
    done
}

finish_root() {
    mkdir -p "$1/mnt"
    package_lines >"$1/etc/hexane-root"
    (enter_root "$1" true) || { remove_tree "$1" && die "the root was made but cannot be entered"; }
}
