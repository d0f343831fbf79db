# lint.sh -- the checks that need no build. Each prints what is wrong and how to mend it; all run, also after one failed.

check_arguments_lint() {
    no_arguments lint "$@"
}

do_lint() {
    local failed=() check
    for check in layers names function_length docs; do
        "$hexane_repo/tools/check_$check" || failed+=("$check")
    done
    check_format || failed+=(format)
    check_macros || failed+=(macros)
    check_shell || failed+=(shell)
    [ ${#failed[@]} -eq 0 ] || die "lint failed: ${failed[*]}"
    say "lint: all checks passed"
}

# C++ sources, as a list ending in NULs.
cpp_sources() {
    find "$hexane_repo" \( -path "$hexane_repo/build" -o -path "$hexane_repo/.git" \) -prune -o \
        -type f \( -name '*.h' -o -name '*.cpp' \) -print0
}

check_format() {
    local said bad
    # Its exit code decides, 123 by way of xargs; what it says is one line per misplaced piece, or what went wrong.
    said=$(cpp_sources | xargs -0 -r -P "$(nproc)" -n 40 clang-format-22 --dry-run -Werror 2>&1) && return 0
    bad=$(sed -nE 's/^(.+):[0-9]+:[0-9]+: error: code should be clang-formatted.*/\1/p' <<<"$said" | sort -u)
    if [ -n "$bad" ]; then
        say "${bad//"$hexane_repo/"/}"
        say "not formatted; run ./hexane fmt"
    else
        say "clang-format-22 failed: $said"
    fi
    return 1
}

# The backslashes of a macro stand in one column.
check_macros() {
    "$hexane_repo/scripts/snapdragon/ggml-hexagon-align-macros.py" --check --quiet \
        "$hexane_repo"/{abi,base,bench,formats,host,htp,hvx,include,kernels,ops,plan,platform,tests,tools,virtual}
}

# The sources of a shell file are followed by name in its comments; SC2154 would want each file to stand alone.
check_shell() {
    (cd "$hexane_repo" && shellcheck --shell=bash --external-sources --severity=warning --exclude=SC2154 \
        hexane .ci/run tools/hexane.d/* tests/front_door/*.sh tests/object/*.sh tests/cross/*.sh tests/fuzz/*.sh tests/sanitized/*.sh)
}
