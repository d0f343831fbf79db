# versions.sh -- compares what a root holds with the versions that this tree was verified with.

# One line that names both, where what ROOT holds is not what this tree was verified with.
say_other_versions() {
    local root=$1 differ
    differ=$(other_versions "$root")
    [ -z "$differ" ] || say "Debian has moved on from the verified versions: $differ"
}

# "package 2.0 (verified: 1.0), ...". Rebuilds without a change of source (+bN) do not count.
other_versions() {
    # shellcheck disable=SC2016 # dpkg-query expands it
    dpkg-query --admindir="$1/var/lib/dpkg" -W -f='${Package} ${Version}\n${Package}:${Architecture} ${Version}\n' 2>/dev/null |
        awk 'function source(version) { sub(/\+b[0-9]+$/, "", version); return version }
             NR == FNR { verified[$1] = $2; next }
             ($1 in verified) && source(verified[$1]) != source($2) {
                 printf "%s%s %s (verified: %s)", separator, $1, $2, verified[$1]; separator = ", "
             }' <(package_lines) - || true
}
