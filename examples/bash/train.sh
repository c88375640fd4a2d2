#!/usr/bin/env bash
# One trial: gradient descent with momentum on f(x, y) = (x² + 25 y²) / 2, three steps per epoch, from (1, 1).
# A rate that is too large makes y oscillate and grow without bound; one that is too small barely moves x.
#
# crescendo starts it as  train.sh --rate=13 --momentum=90  and sets these variables, among others:
#   CRESCENDO_FD            descriptor of a socket: reports go out, decisions come in, one JSON object per line
#   CRESCENDO_MAX_RESOURCE  number of epochs after which the trial is complete
#
# It has no checkpoint: when it is retried or resumed, it starts over and reports each epoch again, so no report is
# lost. A program with a checkpoint repeats its last report before it continues, as ../python/train.py does.
set -euo pipefail

for argument in "$@"; do
    case $argument in
        --rate=*) rate=${argument#*=} ;;
        --momentum=*) momentum=${argument#*=} ;;
        *) echo "unknown argument: $argument" >&2; exit 2 ;;
    esac
done

# Bash has only integers, so everything is in millionths.
x=1000000 y=1000000 vx=0 vy=0

step() {
    vx=$((momentum * vx / 100 - rate * x / 1000))
    vy=$((momentum * vy / 100 - rate * 25 * y / 1000))
    x=$((x + vx)) y=$((y + vy))
}

# The loss as JSON; null means not finite, which ranks last.
loss() {
    if ((y > 100000000 || y < -100000000)); then
        echo null
    else
        local millionths=$(((x * x + 25 * y * y) / 2000000))
        printf '%d.%06d\n' $((millionths / 1000000)) $((millionths % 1000000))
    fi
}

for ((epoch = 1; epoch <= CRESCENDO_MAX_RESOURCE; epoch++)); do
    for _ in {1..3}; do step; done
    loss=$(loss)
    printf '{"resource": %d, "metrics": {"loss": %s}}\n' "$epoch" "$loss" >&"$CRESCENDO_FD"
    read -r decision <&"$CRESCENDO_FD" || exit 0 # the sweep is over
    if [[ $decision == *stop* || $loss == null ]]; then
        exit 0
    fi
done
