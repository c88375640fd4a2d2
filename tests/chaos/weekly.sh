#!/usr/bin/env bash
# The whole campaign, and fault rounds of programs that grow: 50 that are restarted and 50 that grow in memory. Takes
# forty minutes on two cores.
#
#   tests/chaos/weekly.sh BIN [OPTION…]      BIN: folder of crescendo and recording-trainer; options of campaign.py
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
bin=$1
shift
status=0
for rounds in "" "--sweep restarts --rounds 50" "--sweep growing --rounds 50"; do
    # shellcheck disable=SC2086
    python3 "$here/campaign.py" --bin "$bin" --python "$("$here/../../scripts/install.sh" python)" $rounds \
        --seconds 7200 "$@" || status=1
done
exit $status
