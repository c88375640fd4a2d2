#!/usr/bin/env bash
# Fault rounds of programs that grow: 50 that are started anew, 50 that grow in memory. Half an hour on two cores.
#
#   tests/chaos/weekly.sh BIN [OPTION…]      BIN: folder of crescendo and recording-trainer; options of campaign.py
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
bin=$1
shift
status=0
for sweep in restarts growing; do
    python3 "$here/campaign.py" --bin "$bin" --python "$("$here/../../scripts/install.sh" python)" --sweep "$sweep" \
        --rounds 50 --seconds 7200 "$@" || status=1
done
exit $status
