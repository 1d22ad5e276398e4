#!/usr/bin/env bash
# A sweep in N shards under GNU parallel, on this machine or on those of a login file.
#
#   deploy/sim/parallel.sh exp.json results 8                        # 8 shards, all local cores
#   LOGINS=hosts.txt deploy/sim/parallel.sh exp.json results 8       # over ssh, a shared folder
#
# Run it again after a failure: only the shards that failed are repeated, and of those only the
# runs that are missing. THRESHER names the binary.
set -euo pipefail
experiment=$1 out=$2 shards=$3
thresher=${THRESHER:-thresher}
mkdir -p "$out"
over=()
[[ -n ${LOGINS:-} ]] && over=(--sshloginfile "$LOGINS" --workdir "$PWD")
jobs=$( ((shards < $(nproc))) && echo "$shards" || nproc)
parallel "${over[@]}" --jobs "$jobs" --joblog "$out/joblog" --resume-failed \
  "$thresher" sim sweep "$experiment" --out "$out" --jobs 1 --shard "{}/$shards" --json \
  ::: $(seq 0 $((shards - 1)))
"$thresher" sim report "$out"
