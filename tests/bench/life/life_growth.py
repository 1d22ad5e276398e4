"""Disk and memory of nodes that keep two snapshots, over time at one rate."""
import csv
import time

from life_cluster import NODES, Cluster
from life_state import keeping

BOUND = 1.2  # the most of the second half may be so much of the most of the first


def sample(cluster, began):
    out = {"seconds": round(time.monotonic() - began, 1)}
    for node in range(NODES):
        out[f"disk_mib_{node}"] = round(cluster.disk(node) / 2**20, 1)
        out[f"memory_mib_{node}"] = round(cluster.memory(node) / 2**20, 1)
    return out


def worst_ratio(samples, what):
    """Of all nodes: the most of the second half of the time by the most of the first."""
    half = samples[-1]["seconds"] / 2
    first = [s for s in samples if s["seconds"] <= half]
    second = [s for s in samples if s["seconds"] > half]
    return max(max(s[f"{what}_{n}"] for s in second) / max(s[f"{what}_{n}"] for s in first) for n in range(NODES))


def growth(args, folder):
    samples = []
    with Cluster(args, f"{folder}/growth", args.state_slots, keeping(args), args.growth_mib) as cluster:
        cluster.start_all()
        with cluster.load(rate=args.growth_rate) as load:
            load.wait_for(1)
            began = time.monotonic()
            while time.monotonic() < began + args.growth_seconds:
                samples.append(sample(cluster, began))
                cluster.check()
                load.check()
                time.sleep(max(0, min(2.0, began + args.growth_seconds - time.monotonic())))
            committed = load.seconds[-1]["committed"]
            seconds = load.seconds[-1]["seconds"]
        begins = cluster.said(0)["begins"]
    if args.curve:
        with open(args.curve, "w", newline="") as file:
            table = csv.DictWriter(file, samples[0].keys())
            table.writeheader()
            table.writerows(samples)
    out = {"seconds": seconds, "committed": committed, "tx_per_s": committed / seconds, "begins": begins}
    for what in ("disk_mib", "memory_mib"):
        ratio = worst_ratio(samples, what)
        out |= {f"{what}_most": max(s[f"{what}_{n}"] for s in samples for n in range(NODES)),
                f"{what}_ratio_of_halves": ratio, f"{what}_bounded": ratio <= BOUND}
    return {**out, "curve": samples}
