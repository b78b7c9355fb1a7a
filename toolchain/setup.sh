#!/bin/sh
# setup.sh [JOB...]: installs what a job needs, from Debian's packages, and nothing that is there already.
#
#   core    compile tsmobile for this machine and run its unit tests
#   cross   compile for ARM Linux, Cortex-M and RISC-V, and run the programs under QEMU
#   consume build for phones, boards and the web, as tests/consume does
#   windows compile for Windows, and run the programs under wine
#   lint    check the form of sources: clang-format, clang-tidy, cppcheck
#   fuzz    build the harnesses of tests/fuzz with clang, and for 32 bits
#   torch   PyTorch 1.13.1, the reference that answers are compared with
#
# Without a JOB: core. Safe to repeat. Needs root (or sudo) only when something is missing.
set -eu

core="gcc g++ make cmake ninja-build pkg-config ccache python3 libflatbuffers-dev flatbuffers-compiler
      zlib1g-dev libstb-dev libjsmn-dev libcmocka-dev"
cross="gcc-aarch64-linux-gnu libc6-dev-arm64-cross gcc-arm-linux-gnueabihf libc6-dev-armhf-cross
       gcc-arm-none-eabi picolibc-arm-none-eabi qemu-user qemu-system-arm
       gcc-riscv64-unknown-elf picolibc-riscv64-unknown-elf qemu-system-misc"
consume="clang llvm lld wasi-libc libclang-rt-dev-wasm32 nodejs lintian gcc-arm-linux-gnueabi
         libc6-dev-armel-cross libclang-rt-14-dev gcc-12-multilib libc6-dev-i386 man-db zipalign"
windows="gcc-mingw-w64-x86-64-posix g++-mingw-w64-x86-64-posix libz-mingw-w64-dev wine wine64"
lint="clang-format clang-tidy cppcheck"
fuzz="clang gcc-12-multilib libc6-dev-i386"
torch="python3-torch python3-torchvision python3-torchaudio python3-sklearn"

say() { printf 'setup: %s\n' "$*"; }
fail() {
    printf 'setup: %s\n' "$*" >&2
    exit 1
}

wanted=
for job in "${@:-core}"; do
    case $job in
        core) wanted="$wanted $core" ;;
        cross) wanted="$wanted $cross" ;;
        consume) wanted="$wanted $consume" ;;
        windows) wanted="$wanted $windows" ;;
        lint) wanted="$wanted $lint" ;;
        fuzz) wanted="$wanted $fuzz" ;;
        torch) wanted="$wanted $torch" ;;
        *) fail "there is no job '$job'; the jobs are core, cross, consume, windows, lint, fuzz and torch." ;;
    esac
done

command -v dpkg-query >/dev/null ||
    fail "this script installs Debian packages and found no dpkg; install the equivalents of: $wanted"

missing=
for package in $wanted; do
    case $(dpkg-query -W -f '${Status}' "$package" 2>/dev/null || true) in
        *' installed') ;;
        *) missing="$missing $package" ;;
    esac
done
if [ -z "$missing" ]; then
    say "everything for '${*:-core}' is installed."
    exit 0
fi

as_root=
if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || fail "run this as root (or install sudo): these packages are missing:$missing"
    as_root=sudo
fi

export DEBIAN_FRONTEND=noninteractive
say "bringing the list of packages up to date ..."
$as_root apt-get update -qq ||
    fail "apt-get update failed; check the network and /etc/apt/sources.list, then run this again."

say "installing$missing (a minute or two the first time) ..."
# shellcheck disable=SC2086 # the list is split into words on purpose
$as_root apt-get install -y -qq --no-install-recommends -o DPkg::Lock::Timeout=300 -o Dpkg::Progress-Fancy=0 $missing |
    sed -n 's/^Setting up \([^ :]*\).*/setup:   \1/p'
for package in $missing; do
    case $(dpkg-query -W -f '${Status}' "$package" 2>/dev/null || true) in
        *' installed') ;;
        *) fail "$package could not be installed (see above); install it by hand, then run this again." ;;
    esac
done
say "done."
