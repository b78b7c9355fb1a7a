#!/bin/sh
# setup.sh [JOB...]: installs what a job needs, from Debian's packages, and nothing that is there already.
#
#   core    compile tsmobile for this machine and run its unit tests
#   cross   compile for ARM Linux, Cortex-M and RISC-V, and run the programs under QEMU
#   consume build for phones, boards and the web, as tests/consume does
#   compilers build with every compiler of which it is said that it makes no warning
#   debian  make Debian packages for ARM with tsmc, and install packages in a fresh system
#   windows compile for Windows, and run the programs under wine
#   lint    check the form of sources: clang-format, clang-tidy, cppcheck
#   fuzz    build the harnesses of tests/fuzz with clang, and for 32 bits
#   python  build the Python package and run its tests
#   java    build the package for Java and Kotlin and run its tests
#   javascript compile the npm package and its page: the library and tsmc as WebAssembly
#   docs    make the site of docs/ and the reference of the headers
#   browser Chromium, in which the tests of pages look at them
#   torch   PyTorch 1.13.1, the reference that answers are compared with
#
# Without a JOB: core. Safe to repeat. Needs root (or sudo) only when something is missing.
set -eu

core="gcc g++ make cmake ninja-build pkg-config ccache python3 libflatbuffers-dev flatbuffers-compiler libminizip-dev
      zlib1g-dev libstb-dev libjsmn-dev libcmocka-dev libnng-dev"
cross="gcc-aarch64-linux-gnu libc6-dev-arm64-cross gcc-arm-linux-gnueabihf libc6-dev-armhf-cross
       gcc-arm-none-eabi picolibc-arm-none-eabi qemu-user qemu-system-arm
       gcc-riscv64-unknown-elf picolibc-riscv64-unknown-elf qemu-system-misc"
consume="clang llvm lld wasi-libc libclang-rt-dev-wasm32 nodejs lintian gcc-arm-linux-gnueabi
         libc6-dev-armel-cross libclang-rt-14-dev gcc-12-multilib libc6-dev-i386 man-db zipalign default-jdk-headless kotlin"
compilers="gcc-12 g++-12 clang-14 clang-19 libclang-rt-14-dev libclang-rt-19-dev libnng-dev default-jdk-headless"
debian="g++-aarch64-linux-gnu g++-arm-linux-gnueabihf lintian man-db qemu-user debootstrap"
windows="gcc-mingw-w64-x86-64-posix g++-mingw-w64-x86-64-posix libz-mingw-w64-dev wine wine64"
lint="clang-format clang-tidy cppcheck"
fuzz="clang gcc-12-multilib libc6-dev-i386"
python="python3-cffi python3-numpy python3-setuptools python3-wheel python3-pip python3-venv python3-dev mypy"
java="default-jdk-headless kotlin zipalign aapt android-framework-res"
browser="chromium"
docs="mkdocs mkdocs-material doxygen"
javascript="clang llvm lld wasi-libc libclang-rt-dev-wasm32 libc++-14-dev-wasm32 libc++abi-14-dev-wasm32 nodejs
            node-typescript esbuild"
command -v npm >/dev/null || javascript="$javascript npm" # some packages of nodejs bring it
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
        compilers) wanted="$wanted $compilers" ;;
        debian) wanted="$wanted $debian" ;;
        windows) wanted="$wanted $windows" ;;
        lint) wanted="$wanted $lint" ;;
        fuzz) wanted="$wanted $fuzz" ;;
        python) wanted="$wanted $python" ;;
        java) wanted="$wanted $java" ;;
        browser) wanted="$wanted $browser" ;;
        docs) wanted="$wanted $docs" ;;
        javascript) wanted="$wanted $javascript" ;;
        torch) wanted="$wanted $torch" ;;
        *) fail "there is no job '$job'; the jobs are core, cross, consume, compilers, debian, windows, lint, fuzz, python, java, docs, browser, javascript and torch." ;;
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
# Of minizip Debian has no package for Windows: its source is compiled, beside the zlib that there is one of. For
# WebAssembly it has neither. For ARM Linux it has both, which stay in a folder of their own: this system's packages
# are for one kind of machine, and remain so.
from_source=
foreign=
wasm=/usr/local/wasm32-wasi
wine_minizip=/usr/x86_64-w64-mingw32/lib/libminizip.a
for pair in arm64:aarch64-linux-gnu armhf:arm-linux-gnueabihf; do
    case " $wanted " in
        *" g++-${pair#*:} "*) [ -e "/usr/local/${pair#*:}/lib/libminizip.so" ] || foreign="$foreign $pair" ;;
    esac
done
case " $wanted " in
    *' wine64 '*) [ -e $wine_minizip ] || from_source="minizip for Windows" ;;
esac
case " $wanted " in
    *' libc++-14-dev-wasm32 '*) [ -e $wasm/lib/libminizip.a ] || from_source="$from_source, zlib and minizip for WebAssembly" ;;
esac
if [ -z "$missing$from_source$foreign" ]; then
    say "everything for '${*:-core}' is installed."
    exit 0
fi

as_root=
if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null ||
        fail "run this as root (or install sudo): these packages are missing:$missing $from_source$foreign"
    as_root=sudo
fi

export DEBIAN_FRONTEND=noninteractive
say "bringing the list of packages up to date ..."
$as_root apt-get update -qq ||
    fail "apt-get update failed; check the network and /etc/apt/sources.list, then run this again."

[ -z "$missing" ] || say "installing$missing (a minute or two the first time) ..."
# shellcheck disable=SC2086 # the list is split into words on purpose
[ -z "$missing" ] || $as_root apt-get install -y -qq --no-install-recommends -o DPkg::Lock::Timeout=300 -o Dpkg::Progress-Fancy=0 $missing |
    sed -n 's/^Setting up \([^ :]*\).*/setup:   \1/p'
for package in $missing; do
    case $(dpkg-query -W -f '${Status}' "$package" 2>/dev/null || true) in
        *' installed') ;;
        *) fail "$package could not be installed (see above); install it by hand, then run this again." ;;
    esac
done

# sources PACKAGE...: unpacks the sources of Debian's packages into $folder.
sources() {
    folder=$(mktemp -d)
    trap 'rm -rf "$folder"' EXIT
    mkdir "$folder/sources" "$folder/lists"
    # The system's own sources, asked for source packages.
    for list in /etc/apt/sources.list /etc/apt/sources.list.d/*.list /etc/apt/sources.list.d/*.sources; do
        [ -e "$list" ] && sed 's/^Types:.*/Types: deb-src/; s/^deb /deb-src /' "$list" >"$folder/sources/${list##*/}"
    done
    [ ! -e "$folder/sources/sources.list" ] || mv "$folder/sources/sources.list" "$folder/sources/main.list"
    apt="apt-get -qq -o Dir::Etc::sourcelist=/dev/null -o Dir::Etc::sourceparts=$folder/sources
         -o Dir::State::lists=$folder/lists -o APT::Sandbox::User=root"
    # shellcheck disable=SC2086 # options are words
    (cd "$folder" && $as_root $apt update && $as_root $apt source --download-only "$@" &&
        for archive in *.orig.tar.*z *.orig.tar.bz2; do [ ! -e "$archive" ] || tar xf "$archive" || exit 1; done) ||
        fail "the sources of $* could not be had (see above); check the network, then run this again."
}
minizip_for_windows() {
    say "compiling minizip for Windows ..."
    sources minizip
    (
        cd "$folder"/minizip*/ || exit 1
        x86_64-w64-mingw32-gcc-posix -O2 -D_FILE_OFFSET_BITS=64 -c unzip.c ioapi.c
        x86_64-w64-mingw32-ar rcs libminizip.a unzip.o ioapi.o
        $as_root mkdir -p ${wine_minizip%/lib/*}/include/minizip
        $as_root cp unzip.h ioapi.h ${wine_minizip%/lib/*}/include/minizip
        $as_root cp libminizip.a $wine_minizip
    ) || fail "minizip could not be compiled for Windows (see above)."
}
libraries_for_wasm() {
    say "compiling zlib and minizip for WebAssembly ..."
    sources zlib minizip
    compile="clang --target=wasm32-wasi -O2 -w"
    (
        cd "$folder"/zlib-*/ || exit 1
        $compile -c adler32.c crc32.c inflate.c inffast.c inftrees.c zutil.c
        llvm-ar rcs libz.a adler32.o crc32.o inflate.o inffast.o inftrees.o zutil.o
        cd ../minizip*/
        $compile -I ../zlib-* -c unzip.c ioapi.c
        llvm-ar rcs libminizip.a unzip.o ioapi.o
        $as_root mkdir -p $wasm/include/minizip $wasm/lib
        $as_root cp ../zlib-*/zlib.h ../zlib-*/zconf.h $wasm/include
        $as_root cp unzip.h ioapi.h $wasm/include/minizip
        $as_root cp ../zlib-*/libz.a libminizip.a $wasm/lib
    ) || fail "zlib and minizip could not be compiled for WebAssembly (see above)."
}
# libraries_for_arm ARCHITECTURE TOOLS: zlib and minizip for tsmc, from Debian's packages for that architecture, into
# /usr/local/TOOLS. apt keeps what it knows of them apart.
libraries_for_arm() {
    say "unpacking zlib and minizip for $1 ..."
    folder=$(mktemp -d)
    trap 'rm -rf "$folder"' EXIT
    mkdir -p "$folder/lists" "$folder/cache/archives/partial" "$folder/lib" "$folder/include"
    : >"$folder/status"
    apt="apt-get -qq -o APT::Architecture=$1 -o APT::Architectures=$1 -o Dir::State::lists=$folder/lists
         -o Dir::State::status=$folder/status -o Dir::Cache=$folder/cache -o APT::Sandbox::User=root"
    # A list that fails is no harm as long as another one has the packages.
    # shellcheck disable=SC2086 # options are words
    (cd "$folder" && { $as_root $apt update || true; } && $as_root $apt download zlib1g zlib1g-dev libminizip1 libminizip-dev) ||
        fail "the packages of zlib and minizip for $1 could not be had (see above); check the network, then run this again."
    for package in "$folder"/*.deb; do dpkg-deb -x "$package" "$folder/root"; done
    cp -d "$folder/root/lib/$2"/lib* "$folder/root/usr/lib/$2"/lib* "$folder/lib"
    cp -R "$folder"/root/usr/include/* "$folder/include"
    # Debian's link leads to this system's folder of that library.
    ln -sf "$(basename "$(readlink "$folder/lib/libz.so")")" "$folder/lib/libz.so"
    $as_root mkdir -p "/usr/local/$2"
    $as_root cp -dR "$folder/include" "$folder/lib" "/usr/local/$2" || fail "/usr/local/$2 could not be written."
}
for pair in $foreign; do libraries_for_arm "${pair%:*}" "${pair#*:}"; done
case $from_source in *Windows*) minizip_for_windows ;; esac
case $from_source in *WebAssembly*) libraries_for_wasm ;; esac
say "done."
