# demo.sh -- llama.cpp's own llama-completion writes a text on the NPU sessions; then a table of what ran where.

demo_prompt="In the beginning"
demo_tokens=80

check_arguments_demo() {
    no_arguments demo "$@"
}

do_demo() {
    # shellcheck source=tools/hexane.d/build.sh
    source "$hexane_d/build.sh"
    # shellcheck source=tools/hexane.d/environment.sh
    source "$hexane_d/environment.sh"
    demo_model=$hexane_repo/models/kjv-5m-q4_0.gguf
    [ -f "$demo_model" ] || die "demo: the model $demo_model is missing"
    build_runtime
    set_environment
    demo_dir=$hexane_repo/build/demo
    mkdir -p "$demo_dir"
    write_text
    count_nodes
    "$hexane_repo/tools/demo_table" --speeds "$demo_dir/text.log" --nodes "$demo_dir/nodes.log" --stats "$demo_dir/stats.json" \
        --plugin "$GGML_BACKEND_PATH" --graphs "$demo_tokens"
    echo "logs: $demo_dir"
}

# The seed is fixed: the text is the same every time, and the same in both runs.
complete() {
    llama-completion -m "$demo_model" -p "$demo_prompt" -n "$demo_tokens" -c 256 -no-cnv -ngl 99 --temp 0.8 --seed 7 --ignore-eos \
        --perf "$@" </dev/null
}

# Streams the text to the terminal, everything else into a log.
write_text() {
    step "llama-completion on $(basename "$demo_model"):"
    echo
    complete 2>"$demo_dir/text.log" || failed_run "$demo_dir/text.log"
    echo
}

# The same run again with ggml's scheduler telling where it puts each node. It tells only when it makes a graph, so graphs are not
# reused here; that and the log cost time, which is why the speeds come from the first run.
count_nodes() {
    rm -f "$demo_dir/stats.json"
    GGML_SCHED_DEBUG=2 LLAMA_GRAPH_REUSE_DISABLE=1 GGML_HEXAGON_STATS=$demo_dir/stats.json \
        complete --no-warmup --log-verbosity 5 >/dev/null 2>"$demo_dir/nodes.log" || failed_run "$demo_dir/nodes.log"
}

failed_run() {
    local code=$?
    tail -n 5 "$1" >&2
    die "demo: llama-completion ended with exit code $code (log: $1)"
}
