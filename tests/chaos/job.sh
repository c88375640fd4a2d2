#!/bin/bash
# The job script of a round under Slurm: job.sh CRESCENDO SWEEP
# Resumes whatever was killed in the same allocation, and requeues the job once crescendo has drained.
crescendo=$1 sweep=$2
step=0
trap '[ $step = 0 ] || kill -USR2 $step' USR2
for session in {1..12}; do
    words=(resume "$sweep")
    [ -e "$sweep/journal.jsonl" ] || words=(run sweep.yaml --dir "$sweep")
    srun --mpi=pmix --no-kill --kill-on-bad-exit=0 "$crescendo" "${words[@]}" &
    step=$!
    while kill -0 $step 2>/dev/null; do
        wait $step  # a signal ends it
        code=$?
    done
    step=0
    echo "-- ${words[*]}: exit code $code"
    case $code in
    0) exit 0 ;;
    75) scontrol requeue "$SLURM_JOB_ID" && sleep 60 ;;
    esac
done
exit 1
