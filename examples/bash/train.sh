#!/usr/bin/env bash
# One trial: gradient descent with momentum on f(x, y) = (x² + 25 y²) / 2, three steps an epoch, from (1, 1).
# A rate that is too large makes y swing and grow without bound; one that is too small leaves x where it was.
#
# crescendo starts it as  train.sh --rate=13 --momentum=90  with these variables, among others:
#   CRESCENDO_FD            descriptor of a socket: reports go out, decisions come in, one JSON object a line
#   CRESCENDO_MAX_RESOURCE  the epochs after which the trial is complete
#
# It has no checkpoint: when it is retried or resumed it begins again and reports every epoch again, so that no report
# is lost. A program with a checkpoint sends its last report again before it trains on, as ../python/train.py does.
set -euo pipefail

for argument in "$@"; do
    case $argument in
        --rate=*) rate=${argument#*=} ;;
        --momentum=*) momentum=${argument#*=} ;;
        *) echo "unknown argument: $argument" >&2; exit 2 ;;
    esac
done

# Bash computes with whole numbers: everything is in millionths.
x=1000000 y=1000000 vx=0 vy=0

step() {
    vx=$((momentum * vx / 100 - rate * x / 1000))
    vy=$((momentum * vy / 100 - rate * 25 * y / 1000))
    x=$((x + vx)) y=$((y + vy))
}

# The loss as JSON; null says that it is not finite, which ranks last.
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
