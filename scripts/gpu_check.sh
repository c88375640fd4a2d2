#!/usr/bin/env bash
# Runs the checks that need a GPU, on a machine that has one. That machine only needs the torch wheel (or LibTorch) of
# the version that the build is linked with: no MPI, no HDF5, no compiler.
#
#   scripts/gpu_check.sh pack [BIN] [FILE]   where Crescendo is built: puts the programs of BIN (build/default/bin),
#                                            their libraries and this script in FILE (gpu_check.tar.gz)
#   gpu_check/gpu_check.sh run               on the GPU machine, after tar xzf FILE: runs everything in under 8
#                                            minutes, and prints tables for benchmarks/README.md
#
# Set CRESCENDO_TORCH_DIR to the folder of torch if python3 does not find it. With CRESCENDO_DEVICE=cpu, `run` does what
# makes sense on a CPU. The exit status is 1 if a check failed.
set -euo pipefail

PROGRAMS=(crescendo-trainer recording-trainer test_trainer test_gpu precision libcrescendo_cuda.so libfake_nccl.so)

pack() {
    local root bin file=${2:-gpu_check.tar.gz} program library
    root=$(cd "$(dirname "$0")/.." && pwd)
    bin=${1:-$root/build/default/bin}
    work=$(mktemp -d)  # not local: the trap runs outside this function
    trap 'rm -rf "$work"' EXIT
    mkdir -p "$work/gpu_check/bin" "$work/gpu_check/lib"
    cp "$0" "$work/gpu_check/gpu_check.sh"
    mkdir "$work/gpu_check/python"
    cp -r "$root/python/crescendo" "$root/python/tests/"{grow,test_growing}.py "$work/gpu_check/python/"
    for program in "${PROGRAMS[@]}"; do
        if [ ! -e "$bin/$program" ]; then
            echo "gpu_check.sh: $bin/$program is missing; build it: ninja -C build/default ${PROGRAMS[*]%.so}" >&2
            exit 2
        fi
        cp "$bin/$program" "$work/gpu_check/bin/"
        strip "$work/gpu_check/bin/$program"
        # Leaves out what the machine has: the wheel, and glibc, which belongs to the kernel and the loader.
        ldd "$bin/$program" | sed -n 's/^.* => \(\/.*\) (0x[0-9a-f]*)$/\1/p' > "$work/libraries"
        while read -r library; do
            if [[ ! $library =~ /(torch|nvidia)/|/(libc|libm|libdl|librt|libpthread|libresolv|libutil)\.so\.[0-9] ]]; then
                cp -L "$library" "$work/gpu_check/lib/"
            fi
        done < "$work/libraries"
    done
    tar -C "$work" -czf "$file" gpu_check
    echo "$file: $(du -h "$file" | cut -f1)"
}

torch_folder() {
    echo "${CRESCENDO_TORCH_DIR:-$(python3 -c 'import importlib.util as u; print(u.find_spec("torch").submodule_search_locations[0])')}"
}

failed=0
DEADLINE=450  # seconds for all checks, so that a hanging check does not block the machine

# check NAME SECONDS COMMAND...: prints a row of the table. The command's output goes to its own file in logs/.
check() {
    local name=$1 limit=$2 file="logs/$1.log" began=$SECONDS result=passed
    shift 2
    [ "$limit" -le $((DEADLINE - SECONDS)) ] || limit=$((DEADLINE - SECONDS))
    if [ "$limit" -le 0 ]; then
        echo "| $name | NOT RUN: time is up | 0 |"
        failed=1
        return
    fi
    if ! timeout -k 5 "$limit" "$@" > "$file" 2>&1; then
        result=FAILED
        failed=1
    elif grep -q 'skipped: ' "$file"; then
        result="passed; some tests were skipped"
    fi
    printf '| %s | %s | %d |\n' "$name" "$result" $((SECONDS - began))
}

run() {
    cd "$(dirname "$0")"
    local torch
    torch=$(torch_folder)
    if [ ! -e "$torch/lib/libtorch_cpu.so" ]; then
        echo "gpu_check.sh: $torch/lib has no libtorch_cpu.so; set CRESCENDO_TORCH_DIR to the folder of torch" >&2
        exit 2
    fi
    LD_LIBRARY_PATH=$PWD/lib:$torch/lib:$(printf '%s:' "$torch"/../nvidia/*/lib)${LD_LIBRARY_PATH:-}
    export LD_LIBRARY_PATH CRESCENDO_DEVICE=${CRESCENDO_DEVICE:-cuda}
    mkdir -p logs
    rm -f logs/*
    echo "crescendo-trainer $(bin/crescendo-trainer --version) on $CRESCENDO_DEVICE:" \
        "$(nvidia-smi --query-gpu=name,driver_version --format=csv,noheader 2>/dev/null || grep -m1 'model name' /proc/cpuinfo)"
    if timeout -k 5 60 bin/test_gpu --test-case='one worker learns*' 2>&1 | grep 'skipped: '; then
        exit 1  # there is no GPU
    fi
    printf '\n| check | result | seconds |\n|---|---|---|\n'
    check "what only a GPU shows" 180 bin/test_gpu
    check "precisions" 60 bin/test_trainer --source-file='*/step/precision.cpp' --test-case-exclude='*plug-in*'
    check "regroups" 90 bin/test_trainer --source-file='*/regroup.cpp'
    check "peers that are killed or stopped" 60 bin/test_trainer --source-file='*/lost_peer.cpp'
    # With one GPU, groups of several workers use Gloo. For NCCL, each worker poses as a separate machine.
    local posing=(env CRESCENDO_TEST_WORKERS_AS_MACHINES=1 NCCL_SOCKET_IFNAME=lo)
    check "regroups over NCCL" 90 "${posing[@]}" bin/test_trainer --source-file='*/regroup.cpp'
    check "lost peers over NCCL" 90 "${posing[@]}" bin/test_trainer --source-file='*/lost_peer.cpp'
    local growing=(env -C python -u LD_LIBRARY_PATH python3 -m unittest -v test_growing)
    if env -u LD_LIBRARY_PATH python3 -c 'import torch' 2> /dev/null; then
        check "users' PyTorch programs" 90 "${growing[@]}"
        check "users' PyTorch programs over NCCL" 150 "${posing[@]}" "${growing[@]}"
    else
        echo "| users' PyTorch programs | not run: python3 has no torch | 0 |"
    fi
    check "checkpoints" 90 bin/test_trainer --source-file='*/resume.cpp' --test-case-exclude='*0.1.0*,*Python*'
    printf '\n'
    timeout -k 5 $((DEADLINE + 30 - SECONDS)) bin/precision || failed=1
    printf '\n'
    grep -h 'MESSAGE' logs/* || true
    exit $failed
}

case ${1:-} in
    pack) pack "${@:2}" ;;
    run) run ;;
    *) sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//;p}' "$0"; exit 2 ;;
esac
