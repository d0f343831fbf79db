# demo_table_test.sh -- the table after the demo: which nodes are counted, and what it says when nothing ran on the NPU.
# shellcheck source=tests/front_door/harness.sh
source "$(dirname "${BASH_SOURCE[0]}")/harness.sh"

cat >"$box/text.log" <<'L'
0.00.079.989 I common_perf_print: prompt eval time =       1.90 ms /     6 tokens (    0.32 ms per token,  3164.56 tokens per second)
0.00.080.003 I common_perf_print:        eval time =      23.73 ms /    79 runs   (    0.30 ms per token,  3328.84 tokens per second)
L
# The reservations before the first token do not run.
cat >"$box/nodes.log" <<'L'
load_tensors: offloaded 7/7 layers to GPU
D node #  1 (   MUL_MAT):                 node (   1K) [ HTP0         ] use=1,c=1:
D node #  2 (  GET_ROWS):                 node (   1K) [  CPU         ] use=1,c=1:
I generate: n_ctx = 256, n_batch = 2048, n_predict = 80, n_keep = 1
D node #  1 (   MUL_MAT):           ffn_gate-5 (   3K) [ HTP0         ] use=1,c=1:D  blk.5.ffn_gate.weigh ( 108K) [  CPU         ]
D node #  2 (   MUL_MAT):             ffn_up-5 (   3K) [ HTP0         ] use=1,c=1:
D node #  3 (FLASH_ATTN):      __fattn__-5 (vi (   1K) [  CPU         ] use=1,c=1:
D node #  4 (   RESHAPE):                 node (   1K) [  CPU         ] use=1,c=1:
D n_past = 6
D node #  1 (   MUL_MAT):           ffn_gate-5 (   3K) [ HTP0         ] use=1,c=1:
L
table() {
    run "$repo/tools/demo_table" --speeds "$box/text.log" --nodes "$box/nodes.log" --stats "$box/stats.json" --plugin /p/plugin.so --graphs 2
}

table
expect_code 0
expect_in "$out" "7/7 on the NPU"
expect_in "$out" "3164.6 tokens/s"
expect_in "$out" "3328.8 tokens/s"
expect_in "$out" "MUL_MAT                4       0"
expect_in "$out" "FLASH_ATTN             0       2"
expect_in "$out" "GGML_BACKEND_PATH=/p/plugin.so"
[[ $out != *GET_ROWS* && $out != *RESHAPE* ]] || fail "counted a node that does not run"

# The plug-in's own counts win, with whole names; the CPU's cut names join them.
echo '{"device": "HTP0 v79", "sessions": 2, "ops": [{"name": "MUL_MAT", "count": 5}, {"name": "FLASH_ATTN_EXT", "count": 3}]}' \
    >"$box/stats.json"
table
expect_code 0
expect_in "$out" "HTP0 v79"
expect_in "$out" "sessions     2"
expect_in "$out" "MUL_MAT                5       0"
expect_in "$out" "FLASH_ATTN_EXT         3       2"

# Half a file: as if there were none.
echo '{"device": "HTP0' >"$box/stats.json"
table
expect_in "$out" "MUL_MAT                4       0"

sed -i 's/ HTP0 /  CPU /' "$box/nodes.log"
table
expect_code 1
expect_one_line
expect_in "$err" "nothing ran on the NPU"

finish
