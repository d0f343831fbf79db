#!/usr/bin/env bash
# perplexity.sh TYPE PPL-PERCENT [CHUNKS] -- HTP0 against the CPU backend on the held-out text: perplexity within PPL-PERCENT, mean KL
# divergence below 0.001, the same top token in at least 98.5% of places.
# shellcheck source=tests/peer/peer.sh
source "$(dirname "$0")/peer.sh"
type=$1 limit=$2 chunks=${3:-60}
model=$models/kjv-5m-$type.gguf
[ -r "$model" ] || { fail "$model is missing"; finish; }

# Usage: perplexity LOGITS-OPTION... ; sets $ppl. llama.cpp sometimes loses the last lines of its log at exit, the result among them:
# then it is asked again.
perplexity() {
    local tries
    for tries in 1 2 3; do
        run 900 llama-perplexity -m "$model" -f "$heldout" -c 256 --chunks "$chunks" -lv 4 "$@"
        expect_code 0 "llama-perplexity $*"
        ppl=$(grep -ohE 'Final estimate: PPL = [0-9.]+' "$out" "$err" | grep -oE '[0-9.]+$') && return
        say "no result in the log of try $tries"
    done
}

perplexity -dev none --save-all-logits "$box/logits"
cpu=$ppl
[ -s "$box/logits" ] || fail "the CPU backend saved no logits"
perplexity -dev HTP0 -ngl 99
npu=$ppl
grep -qE 'offloaded 7/7 layers' "$err" "$out" || fail "not all 7 layers were offloaded"
away=$(awk -v a="$npu" -v b="$cpu" 'BEGIN { d = 100 * (a - b) / b; print d < 0 ? -d : d }')
say "$type: perplexity $npu on HTP0, $cpu on the CPU, $away% apart"
[ -n "$npu" ] && [ -n "$cpu" ] && within "$away" 0 "$limit" || fail "perplexity differs by more than $limit%"

run 900 llama-perplexity -m "$model" -f "$heldout" -c 256 --chunks "$chunks" -dev HTP0 -ngl 99 --kl-divergence --kl-divergence-base "$box/logits"
expect_code 0 "llama-perplexity --kl-divergence"
kl=$(grep -ohE 'Mean +KLD: +-?[0-9.]+' "$out" "$err" | grep -oE '\-?[0-9.]+$')
top=$(grep -ohE 'Same top p: +[0-9.]+' "$out" "$err" | grep -oE '[0-9.]+$')
say "$type: mean KL divergence ${kl:-none}, same top token ${top:-none}%"
within "${kl:-}" -1 0.001 || fail "mean KL divergence is not below 0.001"
within "${top:-}" 98.5 100 || fail "the top token is the same in less than 98.5%"
finish
