#!/usr/bin/env bash
# Builds what `make light` needs and this machine lacks, from source and without root: small libraries, CMake and Ninja.
# Does nothing on a machine that has all of them, such as one with Debian's packages.
#
#   scripts/libraries.sh             build what is missing: one or two CPU minutes
#   scripts/libraries.sh folder      only print where it goes
#   scripts/libraries.sh sources     only download all sources, for a machine without network
#
# The versions are those of Debian 12, with which the tests run. The compiler and MPI come from the site: load their
# modules first.
set -euo pipefail

FOLDER=${CRESCENDO_LIBRARIES:-${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/crescendo/libraries}
DEBIAN=https://deb.debian.org/debian/pool/main
read -ra COMPILER <<< "${CXX:-c++}"  # CMake, too, reads CXX="ccache g++" as two words
CMAKE_OLDEST=$(sed -n 's/^cmake_minimum_required(VERSION \(.*\))/\1/p' "$(dirname "$0")/../CMakeLists.txt")

# Header, source, its SHA-256, configuration options. hwloc's functions get their own prefix: MPI brings another hwloc,
# which would otherwise call some of ours.
LIBRARIES=(
    "CLI/CLI.hpp $DEBIAN/c/cli11/cli11_2.1.2+ds.orig.tar.xz
     8143d20b688e98ccce8e24562d3b68e5f47c12e896c42c7ca8553dbde5bed55d
     -DCLI11_BUILD_TESTS=OFF -DCLI11_BUILD_EXAMPLES=OFF -DCLI11_BUILD_DOCS=OFF"
    "fmt/format.h $DEBIAN/f/fmtlib/fmtlib_9.1.0+ds1.orig.tar.gz
     84ce1c2d0be3a9863935137969dcec6970125caac032f82474640bfc81463583
     -DFMT_TEST=OFF -DFMT_DOC=OFF"
    "nlohmann/json.hpp $DEBIAN/n/nlohmann-json3/nlohmann-json3_3.11.2.orig.tar.gz
     d69f9deb6a75e2580465c6c4c5111b89c4dc2fa94e3a85fcd2ffcd9a143d9273
     -DJSON_BuildTests=OFF"
    "yaml-cpp/yaml.h $DEBIAN/y/yaml-cpp/yaml-cpp_0.7.0+dfsg.orig.tar.xz
     dc63708605404e0b963e0ca3a9619d1c8270eda2839603e6fa0384e5e51e5312
     -DYAML_CPP_BUILD_TESTS=OFF -DYAML_CPP_BUILD_TOOLS=OFF -DYAML_CPP_BUILD_CONTRIB=OFF"
    "re2/re2.h https://github.com/google/re2/archive/2022-06-01.tar.gz
     f89c61410a072e5cbcf8c27e3a778da7d6fd2f2b5b1445cd4f4508bee946ab0f
     -DRE2_BUILD_TESTING=OFF"
    "microhttpd.h $DEBIAN/libm/libmicrohttpd/libmicrohttpd_0.9.75.orig.tar.xz
     796e7e217a4802679fcac667a4e98501c53185dcf50ca0583870e84192620131
     --disable-https --disable-doc --disable-examples --disable-curl"
    "hwloc.h $DEBIAN/h/hwloc/hwloc_2.9.0.orig.tar.bz2
     b3fb1a43a14d8fbcd8e976de5ede2ea7ce1d768ed173adb33c7ceaaf098dc970
     --with-hwloc-symbol-prefix=crescendo_ --disable-cairo --disable-libxml2 --disable-pci --disable-opencl
     --disable-cuda --disable-nvml --disable-rsmi --disable-levelzero --disable-gl --disable-libudev --disable-plugins"
)

fail() {
    echo "libraries.sh: $*" >&2
    exit 1
}

# Builds and the nodes of a cluster share the folder: one of them writes, the others wait.
lock_folder() {
    mkdir -p "$FOLDER"
    exec 9> "$FOLDER/lock"
    flock -n 9 || { echo "waiting for another build that writes to $FOLDER"; flock 9; } ||
        echo "files cannot be locked here; do not start a second build before this one is done" >&2
}

# Whether the compiler or CMake finds the header without us.
has_header() {
    local folder
    IFS=: read -ra folders <<< "${CMAKE_PREFIX_PATH:-}"
    for folder in "${folders[@]}"; do
        if [ "$folder" != "$FOLDER" ] && [ -e "$folder/include/$1" ]; then return 0; fi
    done
    printf '#if !__has_include(<%s>)\n#error\n#endif\n' "$1" | "${COMPILER[@]}" -std=c++17 -E -x c++ - >/dev/null 2>&1
}

# source_of NAME URL SHA256: prints the file's path, and downloads it if it is missing
source_of() {
    local file=$FOLDER/sources/$1-${2##*/}
    if ! echo "$3  $file" | sha256sum --check --status 2>/dev/null; then
        mkdir -p "$FOLDER/sources"
        if command -v curl >/dev/null; then curl -fsSL --retry 3 -o "$file" "$2"
        elif command -v wget >/dev/null; then wget -q -O "$file" "$2"
        else python3 -c 'import sys, urllib.request; urllib.request.urlretrieve(*sys.argv[1:])' "$2" "$file"
        fi || fail "cannot download $2. On a machine with network, run \`scripts/libraries.sh sources\` and copy" \
                   "its ~/.cache/crescendo/libraries/sources to $FOLDER/sources here"
        echo "$3  $file" | sha256sum --check --status || fail "$file is damaged: its SHA-256 is not $3"
    fi
    echo "$file"
}

# build SOURCE OPTION...
build() {
    local source=${1##*/} work log
    work=$(mktemp -d "$FOLDER/build.XXXXXX")
    log=$FOLDER/build.log
    tar -xf "$1" -C "$work" --strip-components=1 || fail "cannot unpack $1 in $work"
    shift
    if (
        cd "$work" || exit
        if [ -e CMakeLists.txt ] && [ ! -e configure ]; then
            # yaml-cpp's file is for CMake before 3.5, which CMake 4 rejects. GCC 15 misses <cstdint> in its sources.
            cmake -S . -B build -G Ninja -DCMAKE_BUILD_TYPE=Release -DBUILD_SHARED_LIBS=OFF \
                -DCMAKE_POSITION_INDEPENDENT_CODE=ON -DCMAKE_POLICY_VERSION_MINIMUM=3.5 \
                -DCMAKE_CXX_FLAGS="-include cstdint" -DCMAKE_INSTALL_PREFIX="$FOLDER" -DCMAKE_INSTALL_LIBDIR=lib "$@" &&
                cmake --build build --target install
        else
            ./configure --prefix="$FOLDER" --libdir="$FOLDER/lib" --disable-shared --enable-static --with-pic "$@" &&
                make -j "$(nproc)" install
        fi
    ) > "$log" 2>&1; then
        rm -rf "$work"
    else
        tail -n 20 "$log" >&2
        fail "cannot build $source: the output is in $log, the sources in $work"
    fi
}

cmake_version() { cmake --version 2>/dev/null | sed -n 's/^cmake version //p'; }

has_cmake() {
    local version
    version=$(cmake_version) || true
    command -v ninja >/dev/null && [ -n "$version" ] && printf '%s\n' "$CMAKE_OLDEST" "$version" | sort -CV
}

# Installs the wheels of CMake and Ninja if the site's own are missing or too old.
get_cmake() {
    local version
    if has_cmake; then return; fi
    lock_folder
    if has_cmake; then return; fi
    version=$(cmake_version) || true
    echo "installing CMake and Ninja into $FOLDER: CMake found: ${version:-none}; needed: $CMAKE_OLDEST, and Ninja"
    # Python 3.6's own pip is too old for CMake's wheels.
    # Isolated: otherwise pip would count the packages in a module's PYTHONPATH as installed.
    local pip=(env PIP_USER=0 "$FOLDER/python/bin/python3" -I -m pip install --quiet)
    python3 -m venv "$FOLDER/python" && "${pip[@]}" --upgrade pip &&
        "${pip[@]}" "cmake>=$CMAKE_OLDEST,<5" ninja && [ -x "$FOLDER/python/bin/ninja" ] ||
        fail "pip cannot install them; load modules of CMake $CMAKE_OLDEST or newer and of Ninja"
    mkdir -p "$FOLDER/bin"
    ln -sf ../python/bin/cmake ../python/bin/ctest ../python/bin/ninja "$FOLDER/bin"
}

# each FUNCTION: calls it with each library's header, source, SHA-256 and options
each() {
    local library words
    for library in "${LIBRARIES[@]}"; do
        read -ra words <<< "$(tr '\n' ' ' <<< "$library")"
        "$1" "${words[@]}"
    done
}

name_of() { echo "${1%%[./]*}"; }

get_source() { source_of "$(name_of "$1")" "$2" "$3"; }

get_library() {
    local name mark source
    name=$(name_of "$1")
    mark=$FOLDER/built/$name-${3:0:8}
    if [ -e "$mark" ] || has_header "$1"; then return; fi
    lock_folder
    if [ -e "$mark" ]; then return; fi
    echo "building $name into $FOLDER: this machine has no <$1>"
    source=$(source_of "$name" "$2" "$3")
    build "$source" "${@:4}"
    mkdir -p "$FOLDER/built"
    touch "$mark"
}

case ${1:-} in
folder) echo "$FOLDER"; exit ;;
sources) each get_source; exit ;;
"") ;;
*) fail "unknown argument: $1; the first lines of the script list all" ;;
esac

command -v "${COMPILER[0]}" >/dev/null ||
    fail "there is no C++ compiler ${COMPILER[0]}; install GCC 11 or newer, or load its module"
export PATH=$FOLDER/bin:$PATH CMAKE_PREFIX_PATH=$FOLDER${CMAKE_PREFIX_PATH:+:$CMAKE_PREFIX_PATH}
get_cmake
each get_library
