# root.sh -- where the tools are: finds the root that holds the packages of tools/packages.txt, and enters it.
#
# A root is a Debian system tree. In order: $HEXANE_ROOT, the private root that an earlier setup made, the system itself where it has
# every package, a private root made now (make_root.sh). A private root lies in the cache folder under a name that is the hash of
# the package list with its verified versions, so that a changed list makes a new root and never a half-changed one.

hexane_cache=${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/hexane
hexane_packages=$hexane_repo/tools/packages.txt

# Raise when make_root.sh makes a different root from the same list.
root_recipe=1

# Lines "package version" without the comments.
package_lines() {
    sed -e 's/[[:space:]]*#.*//' -e '/^[[:space:]]*$/d' "$hexane_packages"
}

private_root() {
    local hash
    hash=$({ echo "recipe $root_recipe"; package_lines; } | sha256sum)
    echo "$hexane_cache/root-${hash:0:12}"
}

# True if every package of the list is installed in this system.
system_has_packages() {
    local names wanted found
    command -v dpkg-query >/dev/null || return 1
    mapfile -t names < <(package_lines | awk '{print $1}')
    wanted=${#names[@]}
    # shellcheck disable=SC2016 # dpkg-query expands it
    found=$(dpkg-query -W -f='${db:Status-Status}\n' "${names[@]}" 2>/dev/null | grep -cx installed) || true
    [ "$found" -ge "$wanted" ]
}

# Prints the root that is there, "/" for the system; fails if none is.
find_root() {
    local root
    if [ -n "${HEXANE_ROOT:-}" ]; then
        [ -x "$HEXANE_ROOT/usr/bin/env" ] || die "HEXANE_ROOT='$HEXANE_ROOT' is not a system tree (no usr/bin/env in it)"
        echo "$HEXANE_ROOT"
        return
    fi
    root=$(private_root)
    if [ -d "$root" ]; then
        echo "$root"
    elif system_has_packages; then
        echo /
    else
        return 1
    fi
}

# Finds the root into $hexane_root, or makes it.
need_root() {
    # find_root ends with its own line (code 1 and output) only for a bad HEXANE_ROOT, which make_root could not cure.
    if [ -n "${HEXANE_ROOT:-}" ]; then
        hexane_root=$(find_root)
    elif ! hexane_root=$(find_root); then
        # shellcheck source=tools/hexane.d/make_root.sh
        source "$hexane_d/make_root.sh"
        # shellcheck source=tools/hexane.d/versions.sh
        source "$hexane_d/versions.sh"
        make_root
        say_other_versions "$(private_root)"
        hexane_root=$(find_root)
    fi
}

# Replaces this process by COMMAND inside ROOT: same process id, terminal, signals and, in the end, exit code.
# Usage: enter_root ROOT COMMAND [ARGUMENTS]
enter_root() {
    local unshare=(unshare --mount --propagation slave)
    [ "$(id -u)" -eq 0 ] || unshare=(unshare --user --map-root-user --mount --propagation slave)
    export HEXANE_UID HEXANE_GID
    HEXANE_UID=$(id -u)
    HEXANE_GID=$(id -g)
    exec "${unshare[@]}" -- bash "$hexane_d/enter" "$@"
}

# Returns inside the root; outside of it, enters it and starts the front door again there with the same arguments.
go_inside() {
    [ -z "${HEXANE_INSIDE:-}" ] || return 0
    need_root
    if [ "$hexane_root" = / ]; then
        export HEXANE_INSIDE=/
        return
    fi
    local command=$1
    shift
    enter_root "$hexane_root" "$hexane_repo/hexane" "${command//_/-}" "$@"
}
