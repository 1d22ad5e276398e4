#!/usr/bin/env python3
"""Measures what keeps a cluster alive for years: ./dev bench life [--long] [--rate N] [--seconds N]

Checkpoints on against off, alternately and at one rate; then a log with snapshots in it: how long all nodes take after kill -9
from a snapshot and without one, and what a proof costs. JSON on stdout, a table on stderr. By default
within 10 minutes; --long makes a log of ten million entries. Nothing else should run on the machine."""
import argparse
import json
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

NODES = 4
PATIENCE = 600  # seconds until all are ready


def run(binary, *arguments, text=None):
    return subprocess.run([binary, *map(str, arguments)], input=text, capture_output=True, text=True)


def cluster(args, seconds, slots, rate, home=None):
    extra = ["--home", home] if home else []
    done = run(args.binary, "cluster", "--duration", f"{seconds}s", "--rate", rate, "--json", "--set", f"checkpoint={slots}",
               "--nodes", NODES, *extra)
    if done.returncode != 0:
        sys.exit(f"bench life: the cluster failed: {done.stderr}")
    return json.loads(done.stdout)


def compare(args):
    """What checkpoints cost: medians of alternate runs at one rate."""
    found = {0: [], args.slots: []}
    for _ in range(args.runs):
        for slots, results in found.items():
            results.append(cluster(args, args.seconds, slots, args.rate))
    out = {}
    for slots, results in found.items():
        name = "on" if slots else "off"
        out[f"cpu_us_per_tx_{name}"] = statistics.median(r["cpu_us_per_tx"] for r in results)
        out[f"p50_ms_{name}"] = statistics.median(r["latency_ms"]["p50"] for r in results)
        out[f"p99_ms_{name}"] = statistics.median(r["latency_ms"]["p99"] for r in results)
    return out


def homes(home):
    return [pathlib.Path(home) / f"node{i}" for i in range(NODES)]


def until_ready(args, home):
    """Seconds from the start of all nodes until each says that it is ready; then kill -9."""
    began = time.monotonic()
    nodes = [subprocess.Popen([args.binary, "node", "run", "--home", str(h)], stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL) for h in homes(home)]
    try:
        waiting = list(homes(home))
        while waiting and time.monotonic() < began + PATIENCE:
            asked = run(args.binary, "node", "status", "--home", waiting[0], "--json")
            if asked.returncode == 0 and json.loads(asked.stdout)["ready"]:
                waiting.pop(0)
            else:
                time.sleep(0.05)
        if waiting:
            sys.exit(f"bench life: '{waiting[0]}' was not ready after {PATIENCE} s")
        return time.monotonic() - began
    finally:
        for node in nodes:
            node.kill()
            node.wait()


def restart(args, folder):
    """A log with snapshots, the same without them, and a proof from it at rest."""
    home = pathlib.Path(folder) / "life"
    built = cluster(args, args.log_seconds, args.snapshot_slots, "max", home)
    out = {"entries": built["committed_tx"]}
    taken = [len(list((h / "data" / "snapshots").glob("[0-9]*"))) for h in homes(home)]
    if min(taken) == 0:
        sys.exit("bench life: a node took no snapshot: make the run longer")
    out["restart_from_snapshot_s"] = until_ready(args, home)
    began = time.monotonic()
    proof = run(args.binary, "log", "prove", "--home", homes(home)[0], "--position", built["committed_tx"] // 3)
    out["prove_at_rest_s"] = time.monotonic() - began
    checked = run(args.binary, "verify-proof", "-", "--genesis", home / "genesis.json", text=proof.stdout)
    if checked.returncode != 0:
        sys.exit(f"bench life: {proof.stderr}{checked.stderr}")
    out["proof_bytes"] = len(proof.stdout.strip())
    for h in homes(home):
        shutil.rmtree(h / "data" / "snapshots")
    out["restart_from_log_s"] = until_ready(args, home)
    shutil.rmtree(home)
    return out


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary")
    parser.add_argument("--runs", type=int, default=3, help="of each kind")
    parser.add_argument("--seconds", type=int, default=8, help="of a run that is compared")
    parser.add_argument("--rate", default="20000", help="transactions a second, or max")
    parser.add_argument("--slots", type=int, default=1024, help="between two checkpoints")
    parser.add_argument("--snapshot-slots", type=int, default=4, help="between two checkpoints of the long log")
    parser.add_argument("--log-seconds", type=int, help="of the log that is restarted from")
    parser.add_argument("--long", action="store_true", help="a log of about ten million entries")
    parser.add_argument("--only", choices=["compare", "restart"])
    parser.add_argument("--scratch", help="a folder for the nodes")
    args = parser.parse_args()
    args.log_seconds = args.log_seconds or (60 if args.long else 15)
    out = {}
    with tempfile.TemporaryDirectory(dir=args.scratch) as folder:
        if args.only != "restart":
            out.update(compare(args))
        if args.only != "compare":
            out.update(restart(args, folder))
    for name, value in out.items():
        print(f"{name:28} {value:,.2f}", file=sys.stderr)
    print(json.dumps(out))


if __name__ == "__main__":
    main()
