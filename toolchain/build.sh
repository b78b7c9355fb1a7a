#!/bin/sh
# build.sh PRESET [--target "NAME..."] [-DVARIABLE=VALUE...]: configures and builds a preset, from any folder. Shows the
# build's progress; when it fails, says what to do.
set -eu
cd "$(dirname "$0")/.."

preset=$1
shift
target=
if [ "${1:-}" = --target ]; then
    target=$2
    shift 2
fi
fail() {
    printf 'build: %s\n' "$*" >&2
    exit 1
}

# Ninja where there is one; a folder that was configured before keeps what it has.
if command -v ninja >/dev/null; then
    CMAKE_GENERATOR=${CMAKE_GENERATOR:-Ninja}
    export CMAKE_GENERATOR
fi
mkdir -p "build/$preset"
cmake --preset "$preset" "$@" >"build/$preset/configure.log" 2>&1 || {
    tail -n 20 "build/$preset/configure.log" >&2
    fail "configuring '$preset' failed (above). After a change of compilers, remove build/$preset and run this again."
}
# shellcheck disable=SC2086 # the list of targets is split into words on purpose
cmake --build --preset "$preset" ${target:+--target $target} ${TSM_JOBS:+--parallel "$TSM_JOBS"} ||
    fail "building '$preset' failed (above). If sources did not change, remove build/$preset and run this again."
