#!/usr/bin/env bash
# Installs what Crescendo needs, and prints only what it does: Debian's packages if it has the permission, else what
# scripts/libraries.sh builds.
#
#   scripts/install.sh              packages with apt, and the pinned torch wheel in a virtual environment
#   scripts/install.sh light        only the packages of `make light`, no torch
#   scripts/install.sh torch-dir    only print the folder of that wheel (for CRESCENDO_TORCH_DIR)
#   scripts/install.sh python       only print the environment's interpreter, which the benchmarks use
#   scripts/install.sh tools        Optuna with its plots and dashboard, TensorBoard, MLflow, W&B, pandas and polars,
#                                   for the tests of exports, the libraries of examples/, and zsh, for the test of
#                                   completion; without them these tests are skipped
#   scripts/install.sh browser      Chromium and Playwright, for a test that opens pages; without them it is skipped
#
# The environment is outside the checkout and named by version, so clones share it.
set -euo pipefail

TORCH_VERSION=2.11.0
PLAYWRIGHT_VERSION=1.65.2
TOOLS=(optuna==5.0.0 cmaes==0.13.1 optuna-dashboard==0.21.0 plotly==7.1.0 matplotlib==3.11.2 tensorboard==2.21.0
       mlflow-skinny==3.17.2 wandb==0.31.0 pandas==3.1.1 polars==2.1.0
       accelerate==1.15.0 hydra-core==1.3.8 jax==0.10.2 keras==3.15.1 lightning==2.6.6 transformers==5.24.0
       xgboost-cpu==3.2.0)
VENV=${CRESCENDO_VENV:-${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/crescendo/torch-$TORCH_VERSION}
WHEELS=("torch==$TORCH_VERSION" h5py hdf5plugin numpy
        # For the scripts in examples/vendored: 60 MB.
        torchvision==0.26.0 schedulefree==1.4.1 pytorch-warmup==0.2.0 scikit-learn)
PACKAGES=(build-essential cmake ninja-build ccache git python3 libhwloc-dev libopenmpi-dev openmpi-bin
          libcli11-dev libyaml-cpp-dev nlohmann-json3-dev libfmt-dev libre2-dev libmicrohttpd-dev libsqlite3-dev)
MORE_PACKAGES=(python3-venv libhdf5-dev hdf5-tools zlib1g-dev libdeflate-dev libzstd-dev liblz4-dev libblosc-dev
               libzip-dev libpng-dev libjpeg-dev bitshuffle libmpich-dev mpich libgloo-dev slurm-wlm munge doctest-dev
               dataset-fashion-mnist)

case ${1:-} in
"" | light | tools | browser) ;;
torch-dir)
    if [ -n "${CRESCENDO_TORCH_DIR:-}" ]; then echo "$CRESCENDO_TORCH_DIR"; exit; fi
    for dir in "$VENV"/lib/python3*/site-packages/torch; do echo "$dir"; done
    exit ;;
python) echo "$VENV/bin/python3"; exit ;;
*) echo "install.sh: unknown argument: $1; the first lines of the script list all" >&2; exit 2 ;;
esac

if [ "${1:-}" != light ]; then PACKAGES+=("${MORE_PACKAGES[@]}"); fi
if [ "${1:-}" = browser ]; then PACKAGES+=(chromium fonts-dejavu-core); fi
if [ "${1:-}" = tools ]; then PACKAGES+=(zsh); fi

# A site without apt, root or network uses what it has; the build's configuration step names what is missing.
CONTINUES="the build continues with what this machine has, and stops if something that it needs is missing"
missing=()
if command -v dpkg-query >/dev/null; then
    for package in "${PACKAGES[@]}"; do
        dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$package")
    done
fi
if [ ${#missing[@]} -gt 0 ]; then
    sudo=()
    if [ "$(id -u)" = 0 ]; then sudo=(env)
    elif command -v sudo >/dev/null && { sudo -n true 2>/dev/null ||
            { [ -t 0 ] && sudo -p "password of %p, to install Debian packages: " true; }; }; then sudo=(sudo)
    fi
    if [ ${#sudo[@]} -gt 0 ]; then
        echo "installing ${#missing[@]} Debian packages, about a minute: ${missing[*]}"
        # One source that cannot be read fails the update; one package that the release lacks, the whole installation.
        "${sudo[@]}" apt-get -qq update || true
        unknown=()
        for i in "${!missing[@]}"; do
            apt-cache show "${missing[i]}" >/dev/null 2>&1 || { unknown+=("${missing[i]}"); unset "missing[i]"; }
        done
        [ ${#unknown[@]} = 0 ] || echo "apt-get does not know ${unknown[*]}; $CONTINUES" >&2
        # Waits for another apt-get, such as that of a second build, or of the updates after a machine's first start.
        "${sudo[@]}" DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=600 install -y \
            --no-install-recommends "${missing[@]}" >/dev/null ||
            echo "apt-get did not install ${missing[*]}; $CONTINUES" >&2
    else
        echo "These Debian packages are missing, and installing them needs root: ${missing[*]}" >&2
        echo "The libraries that \`make light\` needs are built from source; otherwise $CONTINUES." >&2
    fi
fi

"$(dirname "$0")/libraries.sh"
if [ "${1:-}" = light ]; then exit; fi

# A site's own torch works as well as the wheel. The mark lists what is installed and is written last: an interrupted
# installation starts over, and a missing wheel is added.
lacks_wheels() {
    [ -z "${CRESCENDO_TORCH_DIR:-}" ] && [ "$(cat "$VENV/.complete" 2>/dev/null)" != "${WHEELS[*]}" ]
}
# Clones and the nodes of a cluster share the environment: one of them installs, the others wait.
if lacks_wheels; then
    mkdir -p "$(dirname "$VENV")"
    exec 9> "$VENV.lock"
    flock -n 9 || { echo "waiting for another build that installs into $VENV"; flock 9; } ||
        echo "files cannot be locked here; do not start a second build before this one is done" >&2
fi
# Isolated: otherwise pip would count the packages in a module's PYTHONPATH as installed.
export PIP_USER=0
PIP=("$VENV/bin/python3" -I -m pip install --quiet --disable-pip-version-check)
if lacks_wheels; then
    echo "installing ${WHEELS[*]} into $VENV: 5 GB, about a minute"
    if [ ! -e "$VENV/.complete" ]; then
        # CRESCENDO_VENV may name a folder of the user's by mistake.
        if [ -n "${CRESCENDO_VENV:-}" ] && [ -n "$(ls -A "$VENV" 2>/dev/null)" ] && [ ! -e "$VENV/.begun" ]; then
            echo "install.sh: CRESCENDO_VENV=$VENV holds other files, which an installation would remove; name a new" \
                "folder, or remove this one" >&2
            exit 2
        fi
        rm -rf "$VENV"
        mkdir "$VENV"
        touch "$VENV/.begun"
        /usr/bin/python3 -m venv "$VENV"
    fi
    if "${PIP[@]}" "${WHEELS[@]}"; then
        echo "${WHEELS[*]}" > "$VENV/.complete"
    elif "$VENV/bin/python3" -c 'import torch' 2>/dev/null; then
        echo "torch is installed, but not all of ${WHEELS[*]}; $CONTINUES" >&2
    else
        exit 1
    fi
fi

if [ "${1:-}" = browser ] && ! "$VENV/bin/python3" -c 'import playwright' 2>/dev/null; then
    "${PIP[@]}" "playwright==$PLAYWRIGHT_VERSION" ||
        echo "Playwright cannot be installed, so the test of pages in a browser is skipped" >&2
fi

if [ "${1:-}" = tools ] && ! "$VENV/bin/python3" -c \
        'import sys; from importlib.util import find_spec; sys.exit(not all(map(find_spec, sys.argv[1:])))' \
        accelerate cmaes hydra jax keras lightning matplotlib mlflow optuna optuna_dashboard pandas plotly polars \
        tensorboard transformers wandb xgboost; then
    "${PIP[@]}" "${TOOLS[@]}" ||
        echo "${TOOLS[*]} cannot be installed, so the tests that need them are skipped" >&2
fi
