#!/bin/bash
# A real Slurm on one machine, for tests and for trying things out: with its own munged, slurmctld and N slurmd,
# as root, without systemd. Every node has CPUS_PER_NODE cores and two GPUs that exist in name only.
#
#   tests/slurm/local_slurm.sh start|stop|status DIR [NNODES] [CPUS_PER_NODE]
#   tests/slurm/local_slurm.sh fail|mend DIR NODE    the node dies with everything that runs on it; it comes back
#   export SLURM_CONF=DIR/slurm.conf      # sinfo, sbatch and srun now talk to it
#
# To run two at a time, give the second another BASEPORT.
set -euo pipefail
CMD=${1:?start|stop|status|fail|mend}; D=${2:?a folder of its own}; N=${3:-4}; C=${4:-2}; NODE=${3:-}
H=$(hostname -s); BASEPORT=${BASEPORT:-26817}
export SLURM_CONF=$D/slurm.conf
pids() { cat "$D"/pid/*.pid 2>/dev/null || true; }
case $CMD in
start)
  mkdir -p "$D"/{etc,state,spool,log,pid,munge}; chmod 0755 "$D" "$D/munge" "$D/log" "$D/etc" "$D/pid" 
  [ -f "$D/etc/munge.key" ] || { dd if=/dev/urandom of="$D/etc/munge.key" bs=1024 count=1 status=none; chmod 0400 "$D/etc/munge.key"; }
  cat > "$D/slurm.conf" <<C
ClusterName=crescendo
SlurmctldHost=$H(127.0.0.1)
SlurmctldPort=$BASEPORT
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$D/munge/munge.socket,cred_expire=5
CredType=cred/munge
StateSaveLocation=$D/state
SlurmdSpoolDir=$D/spool/%n
TmpFS=$D/tmp/%n
SlurmctldPidFile=$D/pid/slurmctld.pid
SlurmdPidFile=$D/pid/slurmd-%n.pid
SlurmctldLogFile=$D/log/slurmctld.log
SlurmdLogFile=$D/log/slurmd-%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
JobCompType=jobcomp/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerType=sched/backfill
SchedulerParameters=sched_interval=1,bf_interval=1,sched_min_interval=0
MpiDefault=none
ReturnToService=2
SlurmdParameters=config_overrides
MailProg=/bin/true
SwitchType=switch/none
PropagateResourceLimits=NONE
KillWait=5
MinJobAge=300
InactiveLimit=0
CompleteWait=0
JobRequeue=1
OverTimeLimit=0
MessageTimeout=10
SlurmctldTimeout=30
SlurmdTimeout=30
GresTypes=gpu
NodeName=n[1-$N] NodeHostname=$H NodeAddr=127.0.0.1 Port=[$((BASEPORT+1))-$((BASEPORT+N))] CPUs=$C RealMemory=4000 Gres=gpu:2 State=UNKNOWN
PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP
C
  # fake GPUs: File= any char device; slurmd does not open it with task/none
  echo "NodeName=n[1-$N] Name=gpu Count=2 File=/dev/null,/dev/zero" > "$D/gres.conf"
  # slurmd 23.11 or newer requires control groups; slurmd 22 neither requires them nor can switch them off.
  if [[ $(slurmd -V) != *' 22.'* ]]; then echo CgroupPlugin=disabled > "$D/cgroup.conf"; fi
  munged --key-file="$D/etc/munge.key" --socket="$D/munge/munge.socket" --pid-file="$D/pid/munged.pid" \
         --log-file="$D/log/munged.log" --seed-file="$D/munge/munged.seed" --num-threads=2
  slurmctld -f "$D/slurm.conf" -c
  for i in $(seq 1 $N); do mkdir -p "$D/spool/n$i" "$D/tmp/n$i"; slurmd -f "$D/slurm.conf" -N n$i; done
  for t in $(seq 1 600); do [ "$(sinfo -h -o %t -N | grep -c idle)" = "$N" ] && break; sleep 0.1; done
  sinfo ;;
stop)
  for p in "$D"/pid/slurmctld.pid "$D"/pid/slurmd-*.pid "$D"/pid/munged.pid; do
    [ -f "$p" ] && kill "$(cat "$p")" 2>/dev/null || true; done
  for t in $(seq 1 600); do a=0; for p in $(pids); do kill -0 $p 2>/dev/null && a=1; done; [ $a = 0 ] && break; sleep 0.1; done ;;
fail)
  kill -9 "$(cat "$D/pid/slurmd-$NODE.pid")" || true
  running() { grep -lzx "$1" "${@:2}" 2>/dev/null || true; }
  on_node=$(running "SLURMD_NODENAME=$NODE" /proc/[0-9]*/environ)
  victims=()
  for environ in $(running "SLURM_CONF=$SLURM_CONF" $on_node /dev/null); do
    process=${environ%/environ}
    parent=$(awk '/^PPid/ {print $2}' "$process/status" 2>/dev/null || true)
    grep -q slurmstepd "/proc/$parent/comm" 2>/dev/null && victims+=("$parent")
    victims+=("${process#/proc/}")
  done
  # All at once, children first: a part of srun that outlives another part ends the step on the other nodes as well,
  # and the kernel wakes stopped processes whose parent died.
  mapfile -t victims < <(printf '%s\n' "${victims[@]}" | sort -rnu)
  kill -STOP "${victims[@]}" 2>/dev/null || true
  kill -KILL "${victims[@]}" 2>/dev/null || true
  scontrol update nodename="$NODE" state=down reason=failed ;;
mend)
  slurmd -f "$D/slurm.conf" -N "$NODE"
  for t in $(seq 1 600); do
    case $(sinfo -h -n "$NODE" -o %t) in idle | mix | alloc) break ;; esac
    scontrol update nodename="$NODE" state=resume 2>/dev/null || true  # fails if it is already back
    sleep 0.1
  done ;;
status) sinfo; squeue ;;
esac
