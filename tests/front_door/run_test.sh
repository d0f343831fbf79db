# run_test.sh -- `run --` in a root: exit code, arguments, environment, working directory, signals.
# shellcheck source=tests/front_door/harness.sh
source "$(dirname "${BASH_SOURCE[0]}")/harness.sh"

small_root "$box/root"
export HEXANE_ROOT=$box/root
# A plug-in of the caller's own, so that nothing is built.
export GGML_BACKEND_PATH=$box/plugin.so

run "$repo/hexane" run -- sh -c 'exit 7'
expect_code 7
run "$repo/hexane" run -- true
expect_code 0
expect_equal "$err" ""

# shellcheck disable=SC2016 # the inner shell expands it
kill_itself='kill -SEGV $$'
run "$repo/hexane" run -- sh -c "$kill_itself"
expect_code 139

run "$repo/hexane" run -- no-such-program-here
expect_code 127
expect_one_line
expect_in "$err" "command not found: no-such-program-here"

# Arguments, one by one, and the environment arrive as they are.
# shellcheck disable=SC2016
FOO='a  b' run "$repo/hexane" run -- sh -c 'printf "<%s>" "$FOO" "$@"' sh '' 'x y' '*' -- --help
expect_equal "$out" '<a  b><><x y><*><--><--help>'

# From any directory, also one with spaces, and by a link to the front door.
mkdir -p "$box/a dir"
ln -s "$repo/hexane" "$box/link"
cd "$box/a dir" || exit
run "$box/link" run -- bash -c 'echo "$PWD"; echo x >written'
expect_equal "$out" "$box/a dir"
expect_true test -f "$box/a dir/written"
cd "$box" || exit

# Standard input is the command's.
code=0
out=$(echo hello | "$repo/hexane" run -- cat) || code=$?
expect_equal "$out" hello

# The command has the process id of the front door, so every signal reaches it, and nobody stands between.
"$repo/hexane" run -- sleep 60 &
pid=$!
expect_true wait_until 10 grep -qx sleep "/proc/$pid/comm"
kill -TERM "$pid"
code=0
wait "$pid" || code=$?
expect_code 143
expect_true test ! -e "/proc/$pid"

# Ctrl-C goes to the whole process group; the command gets it once and decides by itself.
cat >"$box/catches.sh" <<'S'
trap 'echo INT >>"$1/caught"' INT
touch "$1/ready"
while [ ! -e "$1/done" ]; do sleep 0.1; done
exit 5
S
env --default-signal=INT setsid "$repo/hexane" run -- bash "$box/catches.sh" "$box" &
pid=$!
expect_true wait_until 10 test -e "$box/ready"
group=$(awk '{print $5}' "/proc/$pid/stat")
kill -INT -- "-$group"
expect_true wait_until 10 test -e "$box/caught"
touch "$box/done"
code=0
wait "$pid" || code=$?
expect_code 5
expect_equal "$(cat "$box/caught")" INT

# Nothing was written into the root.
expect_equal "$(ls "$box/root/mnt")" ""

finish
