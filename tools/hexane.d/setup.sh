# setup.sh -- makes the tools ready and says which root is used.

check_arguments_setup() {
    no_arguments setup "$@"
}

do_setup() {
    if [ -n "${HEXANE_INSIDE:-}" ]; then
        say "ready: already inside $HEXANE_INSIDE"
        return
    fi
    local made=no
    find_root >/dev/null || made=yes
    need_root
    if [ "$hexane_root" = / ]; then
        say "ready: this system has every package"
    else
        say "ready: $hexane_root"
    fi
    if [ "$made" = no ]; then
        # shellcheck source=tools/hexane.d/versions.sh
        source "$hexane_d/versions.sh"
        say_other_versions "$hexane_root"
    fi
    say_old_roots
}

# Roots of earlier package lists take disk and are not removed by themselves: another checkout may use them.
say_old_roots() {
    local root
    for root in "$hexane_cache"/root-????????????; do
        if [ -d "$root" ] && [ -f "$root/etc/hexane-root" ] && [ "$root" != "$(private_root)" ]; then
            say "older root, remove it if no other checkout uses it: $root"
        fi
    done
}
