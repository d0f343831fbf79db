# setup_test.sh -- making the root: done once, repaired after an interruption, one line for each thing that can be missing.
# shellcheck source=tests/front_door/harness.sh
source "$(dirname "${BASH_SOURCE[0]}")/harness.sh"

# No system has this package, so a private root is needed.
echo "no-such-package 1.0-1" >"$repo/tools/packages.txt"
small_root "$box/template"
cat >"$box/template/var/lib/dpkg/status" <<'S'
Package: no-such-package
Status: install ok installed
Maintainer: nobody
Architecture: all
Version: 2.0-1
Description: none
S
export TEMPLATE=$box/template CALLS=$box/calls
run "$repo/hexane" help

# Copies the template into the directory that follows the suite; as non-root, writes a tar of it.
working_mmdebstrap() {
    stand_in mmdebstrap <<'S'
echo call >>"$CALLS"
echo 'I: downloading packages with apt...' >&2
sleep "${SLOW:-0}"
while [ "$1" != forky ]; do shift; done
if [ "$2" = - ]; then tar -C "$TEMPLATE" -cf - .; else cp -r "$TEMPLATE/." "$2"; fi
S
}

forget() {
    rm -rf "$XDG_CACHE_HOME/hexane" "$CALLS"
}

roots() {
    find "$XDG_CACHE_HOME/hexane" -mindepth 1 -maxdepth 1 -name 'root-*' -type d -printf '%f\n'
}

# Made once; a second setup finds it; the versions that moved on are named with the verified ones.
working_mmdebstrap
run "$repo/hexane" setup
expect_code 0
expect_in "$err" "downloading"
expect_in "$err" "no-such-package 2.0-1 (verified: 1.0-1)"
run "$repo/hexane" setup
expect_code 0
expect_equal "$(cat "$CALLS")" call
first=$(roots)

# Another list makes another root and says that the older one is there.
echo "no-such-package 2.0-1" >"$repo/tools/packages.txt"
run "$repo/hexane" setup
expect_code 0
expect_in "$err" "older root"
expect_in "$err" "$first"
expect_equal "$(roots | wc -l)" 2

# What an earlier setup left half done is removed.
forget
mkdir -p "$XDG_CACHE_HOME/hexane/root-0123456789ab.partial/usr"
run "$repo/hexane" setup
expect_code 0
expect_in "$err" "removing what an interrupted setup left"
expect_equal "$(roots | grep -c partial || true)" 0

# Two at a time make it once.
forget
SLOW=1 "$repo/hexane" setup 2>"$box/err1" &
one=$!
SLOW=1 "$repo/hexane" setup 2>"$box/err2" &
two=$!
code=0
wait "$one" || code=$?
expect_code 0
wait "$two" || code=$?
expect_code 0
expect_equal "$(cat "$CALLS")" call
expect_true grep -q "another setup is running" "$box/err1" "$box/err2"

# Ended from outside: everything that it started ends, and nothing is left.
forget
SLOW=31.4 "$repo/hexane" setup 2>"$box/err" &
pid=$!
expect_true wait_until 10 test -s "$CALLS"
kill -TERM "$pid"
code=0
wait "$pid" || code=$?
expect_code 143
expect_equal "$(roots)" ""
expect_true grep -q "setup interrupted" "$box/err"
nothing_sleeps() { ! grep -lsz '^31\.4$' /proc/[0-9]*/cmdline; }
expect_true wait_until 5 nothing_sleeps

refuses() {
    forget
    run "$repo/hexane" setup
    expect_code 1
    expect_one_line
    expect_in "$err" "$1"
    expect_equal "$(roots 2>/dev/null)" ""
}

stand_in mmdebstrap <<'S'
echo "E: Failed to fetch InRelease  Temporary failure resolving 'x'" >&2
exit 1
S
refuses "no network"

stand_in mmdebstrap <<'S'
echo "E: Unable to locate package no-such-package" >&2
exit 1
S
refuses "Unable to locate package no-such-package"

working_mmdebstrap
stand_in df <<'S'
echo "Filesystem 1024-blocks Used Available Capacity Mounted on"
echo "/dev/x 9999999 9999999 3000000 99% /"
S
refuses "too little disk: 2929 MiB free"
rm "$box/bin/df"

stand_in unshare <<'S'
exit 1
S
stand_in id <<'S'
echo 0
S
refuses "no way to make a root: this container may not make mount namespaces"
stand_in id <<'S'
echo 1000
S
refuses "no way to make a root: not run as root"
rm "$box/bin/unshare" "$box/bin/id"

# Neither root nor mmdebstrap: says what to install.
mkdir "$box/programs"
cp -sn /usr/sbin/* /usr/bin/* "$box/programs" 2>/dev/null || true
rm -f "$box/programs/mmdebstrap" "$box/bin/mmdebstrap"
stand_in id <<'S'
echo 1000
S
stand_in unshare <<'S'
exit 0
S
PATH=$box/bin:$box/programs refuses "apt-get install mmdebstrap"
rm "$box/bin/id" "$box/bin/unshare"

# A cache that cannot be made.
echo file >"$box/file"
XDG_CACHE_HOME=$box/file run "$repo/hexane" setup
expect_code 1
expect_one_line
expect_in "$err" "cannot make the cache folder"

finish
