"""Checkpoints and snapshots on against off, in turns: at full load what is committed, at one rate how long it takes."""
import json
import shutil
import time

from life_cluster import Cluster, NODES, cpu_seconds, fail, run, spread

# Transactions that are left out: a node remembers the last 2^20 (net/src/ledger/remembered.hpp), and until it is full its memory grows,
# of which checkpoints take a part. What is measured is how it goes on for years.
WARM = 1_200_000


def one_run(args, folder, on):
    slots = args.slots if on else 0
    with Cluster(args, folder, slots, {"snapshots.checkpoints": args.snapshot_every}, args.growth_mib) as cluster:
        cluster.start_all()
        with cluster.load(tx_bytes=512) as load:
            load.wait_for_committed(WARM)
            first, began, cpu = load.seconds[-1], time.monotonic(), cluster.cpu() + cpu_seconds(load.process.pid)
            load.wait_for(args.seconds)
            last = load.seconds[-1]
            cpu = cluster.cpu() + cpu_seconds(load.process.pid) - cpu
            taken = time.monotonic() - began
        committed = last["committed"] - first["committed"]
        certified = min(cluster.said(node)["slot"] for node in range(NODES)) // slots if slots else 0
        return {"tx_per_s": committed / (last["seconds"] - first["seconds"]), "cpu_us_per_tx": cpu / committed * 1e6,
                "cores": cpu / taken, "checkpoints": certified, "snapshots": cluster.logged(0, "took a snapshot of slot")}


def throughput(args, folder):
    """At full load. The ratio of each pair of runs tells what noise there is."""
    rows = {"off": [], "on": []}
    for turn in range(args.runs):
        for name, runs in rows.items():
            runs.append(one_run(args, f"{folder}/full-{turn}-{name}", name == "on"))
            if not args.keep:  # gigabytes
                shutil.rmtree(f"{folder}/full-{turn}-{name}", ignore_errors=True)
    out = {f"{what}_{name}": spread([r[what] for r in runs]) for what in ("tx_per_s", "cpu_us_per_tx", "cores")
           for name, runs in rows.items()}
    for what in ("tx_per_s", "cpu_us_per_tx"):
        out[f"{what}_on_by_off"] = spread([on[what] / off[what] for on, off in zip(rows["on"], rows["off"])])
    return {**out, "checkpoints": spread([r["checkpoints"] for r in rows["on"]]),
            "snapshots": spread([r["snapshots"] for r in rows["on"]])}


def cluster_verb(args, seconds, slots, rate, home=None):
    """`thresher cluster`, whose application has next to no state."""
    extra = ["--home", home] if home else []
    done = run(args.binary, "cluster", "--duration", f"{seconds}s", "--rate", rate, "--json", "--set",
               f"checkpoint={slots}", "--nodes", NODES, *extra)
    if done.returncode != 0:
        fail(f"the cluster failed: {done.stderr}")
    return json.loads(done.stdout)


def latency(args, _):
    """At one rate."""
    found = {"off": [], "on": []}
    for _ in range(args.runs):
        for name, results in found.items():
            results.append(cluster_verb(args, args.seconds, args.slots if name == "on" else 0, args.rate))
    picked = {"p50_ms": lambda r: r["latency_ms"]["p50"], "p99_ms": lambda r: r["latency_ms"]["p99"],
              "cpu_us_per_tx": lambda r: r["cpu_us_per_tx"]}
    out = {f"{what}_{name}": spread([pick(r) for r in results]) for what, pick in picked.items()
           for name, results in found.items()}
    for what, pick in picked.items():
        out[f"{what}_on_by_off"] = spread([pick(on) / pick(off) for on, off in zip(found["on"], found["off"])])
    return out
