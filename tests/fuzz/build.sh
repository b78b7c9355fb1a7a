#!/bin/sh
# build.sh: builds the fuzzing harnesses, in the way of OSS-Fuzz, with what these variables say:
#
#   CC, CXX, CFLAGS        the compiler, clang unless told otherwise, and its options
#   LIB_FUZZING_ENGINE     what the harnesses are linked with for a main; "standalone": their own (standalone.c)
#   OUT                    where the harnesses and their corpora (NAME_seed_corpus.zip) go
#   WORK                   where the build lies
#   TSMC                   a tsmc that is there already, where none can be linked with these options (its libraries may
#                          be missing); one of the harnesses runs a program that it makes
set -eu
cd "$(dirname "$0")/../.."

CC=${CC:-clang}
CXX=${CXX:-clang++}
# An offset of 0 to a null pointer, which clang reports and gcc does not, is no fault: C2Y permits it.
CFLAGS=${CFLAGS--O1 -g -fno-omit-frame-pointer -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize=pointer-overflow
    -fno-sanitize-recover=undefined}
LIB_FUZZING_ENGINE=${LIB_FUZZING_ENGINE:--fsanitize=fuzzer}
OUT=${OUT:-$PWD/build/fuzz/out}
WORK=${WORK:-$PWD/build/fuzz/work}
CFLAGS=$(printf '%s' "$CFLAGS" | tr '\n' ' ')

engine=$LIB_FUZZING_ENGINE
[ "$engine" = standalone ] && engine=
case $CFLAGS in
    *sanitize=*address* | *sanitize=*memory*) exact=ON ;;
    *) exact=OFF ;;
esac
mkdir -p "$OUT" "$WORK"
CC=$CC CXX=$CXX cmake -S . -B "$WORK" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_C_FLAGS="$CFLAGS" \
    -DCMAKE_CXX_FLAGS="${CXXFLAGS-$CFLAGS}" -DTSM_FUZZING_ENGINE="$engine" -DTSM_EXACT_HEAP=$exact \
    -DTSM_FUZZING_TSMC="${TSMC-}" >"$WORK/configure.log"
# tsmc, which makes a program on the way, calls the C++ library, into which MemorySanitizer does not see unless that is
# instrumented, too: it has to go on then (-fsanitize-recover=memory).
MSAN_OPTIONS=report_umrs=0:exitcode=0 cmake --build "$WORK" --target fuzz_harnesses ${TSM_JOBS:+--parallel "$TSM_JOBS"}
for harness in "$WORK"/bin/fuzz_*; do
    name=$(basename "$harness")
    cp "$harness" "$OUT/"
    pack=tests/fuzz/corpora/${name#fuzz_}.tar.xz
    if [ -e "$pack" ]; then
        python3 tests/fuzz/corpus.py zip "$pack" "$OUT/${name}_seed_corpus.zip"
    fi
done
