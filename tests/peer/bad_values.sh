#!/usr/bin/env bash
# bad_values.sh -- a bad value of any variable gets one clear line that names the variable and the value, and the tool works.
# shellcheck source=tests/peer/peer.sh
source "$(dirname "$0")/peer.sh"

# Usage: bad NAME VALUE
bad() {
    local name=$1 value=$2 lines
    code=0
    env "$name=$value" timeout 30 llama-bench --list-devices >"$box/out" 2>"$box/err" </dev/null || code=$?
    out=$box/out err=$box/err
    expect_code 0 "$name=$value"
    lines=$(cat "$box/out" "$box/err" | grep -c "$name")
    [ "$lines" -eq 1 ] || { fail "$name='$value' gave $lines lines"; show; }
    grep -hF -- "$name" "$box/err" "$box/out" | grep -qF -- "$value" || fail "$name: the line does not show the value '$value'"
    grep -hF -- "$name" "$box/err" "$box/out" | grep -qiE 'allowed|\.\.|must|not' || fail "$name: the line does not say what is allowed"
    [ "$name" = GGML_HEXAGON_DRIVER ] || grep -q HTP0 "$box/out" "$box/err" || fail "$name='$value': HTP0 is gone"
}

for value in HTPx,HTP0: 0 99 HTP0,,HTP1 'HTP[0,1]' -1 '' htp HTP0:99; do bad GGML_HEXAGON_DEVICES "$value"; done
for value in HTPq '[' ; do bad GGML_HEXAGON_NDEV "$value"; done
for value in v72 74 abc ''; do bad GGML_HEXAGON_ARCH "$value"; done
for value in -5 99999999 1x 0x; do bad GGML_HEXAGON_VMEM "$value"; done
for value in 0 99999 lots; do bad GGML_HEXAGON_MBUF "$value"; done
for value in 0 -1 100000000000000000000 ten; do bad GGML_HEXAGON_OPBATCH "$value"; done
for value in 0 257 x; do bad GGML_HEXAGON_OPQUEUE "$value"; done
for value in '[' '(' '*' ''; do bad GGML_HEXAGON_OPFILTER "$value"; done
for value in -2 128 x RMS_NORM+ADD RMS_NORM+MUL,x; do bad GGML_HEXAGON_OPFUSION "$value"; done
for value in -1 10 loud; do bad GGML_HEXAGON_VERBOSE "$value"; done
for value in 4 1,2,3 1,2,3,4,5,6,7,x 1,2,3,4,5,6,7,8,9; do bad GGML_HEXAGON_PROFILE "$value"; done
for value in 0 -1 99999999; do bad GGML_HEXAGON_OPTRACE "$value"; done
for value in 17 -1 all; do bad GGML_HEXAGON_NHVX "$value"; done
for name in OPPOLL ETM NHMX HOSTBUF DMA64; do
    for value in 2 yes; do bad "GGML_HEXAGON_$name" "$value"; done
done
for name in MM_SELECT FA_SELECT GDN_SELECT AR_SELECT; do
    for value in 3 x; do bad "GGML_HEXAGON_$name" "$value"; done
done
for value in some ''; do bad GGML_HEXAGON_TILES "$value"; done
for value in 0 86401 soon; do bad GGML_HEXAGON_DEADLINE "$value"; done
for value in v74 threads=0 threads=99 vtcm=1K window=9999G mode=fantasy nonsense level=v9; do bad GGML_HEXAGON_VIRTUAL "$value"; done
finish
