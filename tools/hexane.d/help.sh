# help.sh -- the list of subcommands.

check_arguments_help() {
    :
}

do_help() {
    cat <<'EOF'
usage: ./hexane COMMAND [ARGUMENTS]

  setup              make the tools ready (once; the other commands do it by themselves)
  demo               build, then let llama-completion write a text on the NPU sessions, and show what ran where
  test [LABEL...]    what CI runs: lint, build and the tests of every label, each within its time budget
  bench [ARGS...]    measure against the CPU backend (arguments go to bench/run)
  build [PRESET]     build into build/PRESET; default: release. --device: the libraries for devices, as Hexagon code
  run -- COMMAND...  run a command with the plug-in loaded and llama.cpp's tools on the path
  replay FILE...     run ops that GGML_HEXAGON_RECORD wrote, alone, and judge them; --same-bits: hold them to the bits recorded
  soak --minutes N   random ops, schedules and faults, with other seeds each time, for so long (builds what it needs before)
  lint               layers, names, function length, links, formatting
  fmt                format the sources
  new-op NAME        start a new op in ops/NAME (small letters, as in softplus): a formula for every element; --bytes: a mover of bytes
  shell              a shell where the tools are
  help               this text

HEXANE_ROOT=DIR uses DIR as the root; HEXANE_ROOT=/ uses the system as it is.
EOF
}
