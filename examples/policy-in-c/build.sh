#!/bin/sh
# Builds the policy: build.sh FILE, where the component is written. KUBECTL_RSS names the tool, if it is not in PATH.
set -eu
here=$(dirname "$0")
module=$(mktemp)
trap 'rm -f "$module"' EXIT
clang --target=wasm32-unknown-unknown -std=c11 -Os -Wall -Wextra -Werror -ffreestanding -nostdlib \
    -Wl,--no-entry -Wl,--stack-first -Wl,--strip-all -o "$module" "$here/policy.c" "$here/memory.c"
"${KUBECTL_RSS:-kubectl-rss}" policy component "$module" "$1"
