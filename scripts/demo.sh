#!/usr/bin/env bash
# The main job: tune a small CNN on Fashion-MNIST with RASDA. Called by `make demo` once everything is built.
set -euo pipefail
cd "$(dirname "$0")/.."

crescendo=build/default/bin/crescendo
idx=/usr/share/datasets/fashion-mnist
demo=build/demo
data=$demo/fashion.h5

mkdir -p "$demo"
if [ ! -e "$data" ]; then
    if [ ! -d $idx ]; then
        echo "demo.sh: there is no $idx; it comes with Debian's package dataset-fashion-mnist" >&2
        exit 2
    fi
    echo "preparing $data from Debian's copy of Fashion-MNIST"
    # It gets its name when it is whole: who interrupts this finds no half of it at the next call.
    new=$data.new
    rm -f "$new"
    "$crescendo" data convert $idx/train-images-idx3-ubyte.gz $idx/train-labels-idx1-ubyte.gz "$new:/train" --samples 0:25000
    "$crescendo" data convert $idx/train-images-idx3-ubyte.gz $idx/train-labels-idx1-ubyte.gz "$new:/validation" --samples 50000:55000
    "$crescendo" data convert $idx/t10k-images-idx3-ubyte.gz $idx/t10k-labels-idx1-ubyte.gz "$new:/test"
    mv "$new" "$data"
fi

# Every call is a sweep of its own: demo, demo-2, … Not fashion-mnist, as README's first sweep is called there.
sweep=$demo/demo
n=1
while [ -e "$sweep" ]; do n=$((n + 1)); sweep=$demo/demo-$n; done
echo "tuning 27 configurations of a CNN: 2 to 5 minutes on two cores, the first result after some 10 seconds"
exec "$crescendo" run examples/fashion-mnist/sweep.yaml --dir "$sweep"
