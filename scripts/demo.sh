#!/usr/bin/env bash
# The demo: tunes a small CNN on Fashion-MNIST with RASDA. `make demo` calls it once everything is built.
set -euo pipefail
cd "$(dirname "$0")/.."

crescendo=build/default/bin/crescendo
idx=/usr/share/datasets/fashion-mnist
demo=build/demo
data=$demo/fashion.h5

mkdir -p "$demo"
if [ ! -e "$data" ]; then
    if [ ! -d $idx ]; then
        echo "demo.sh: $idx is missing; install Debian's package dataset-fashion-mnist" >&2
        exit 2
    fi
    echo "preparing $data from Debian's copy of Fashion-MNIST"
    # It gets its name once it is complete, so that an interrupted call leaves no partial file.
    new=$data.new
    rm -f "$new"
    "$crescendo" data convert $idx/train-images-idx3-ubyte.gz $idx/train-labels-idx1-ubyte.gz "$new:/train" --samples 0:25000
    "$crescendo" data convert $idx/train-images-idx3-ubyte.gz $idx/train-labels-idx1-ubyte.gz "$new:/validation" --samples 50000:55000
    "$crescendo" data convert $idx/t10k-images-idx3-ubyte.gz $idx/t10k-labels-idx1-ubyte.gz "$new:/test"
    mv "$new" "$data"
fi

# Each call makes its own sweep: demo, demo-2, … Not fashion-mnist, the name of the README's first sweep.
sweep=$demo/demo
n=1
while [ -e "$sweep" ]; do n=$((n + 1)); sweep=$demo/demo-$n; done
echo "tuning 27 configurations of a CNN: 2 to 7 minutes on two cores, with the first result after some 10 seconds"
exec "$crescendo" run examples/fashion-mnist/sweep.yaml --dir "$sweep"
