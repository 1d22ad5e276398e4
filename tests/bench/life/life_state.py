"""A node with a large state: one joins with nothing, one comes back after kill -9, and what a proof of its log costs.

The three share one network, since making its state is most of the work."""
import contextlib
import random
import statistics
import subprocess
import sys
import time

from life_cluster import NODES, Cluster, fail, run, until


def keeping(args):
    """What node.toml says of a node that prunes: a node keeps at least the rounds that a newcomer asks for."""
    return {"retention.snapshots": 2, "retention.segment_bytes": 16 << 20, "limits.gc_rounds": args.gc_rounds,
            "limits.sync_rounds": min(128, args.gc_rounds // 2), "snapshots.checkpoints": args.state_every}


@contextlib.contextmanager
def built(args, folder, with_all):
    """A network whose log has the entries. In one without node 3 the log was pruned, in one with it each has a snapshot."""
    nodes = range(NODES if with_all else NODES - 1)
    with Cluster(args, folder, args.state_slots, keeping(args), args.state_mib) as cluster:
        cluster.start_all(nodes)
        began = time.monotonic()
        with cluster.load(nodes=nodes, wanted=args.entries) as load:
            load.done()
        seconds = time.monotonic() - began

        def prepared(node):
            if with_all:  # two, since a quorum has certified the first when the second is there
                return cluster.logged(node, "took a snapshot of slot") > 1
            return (cluster.status(node) or {"begins": 0})["begins"] > 0
        with cluster.load(rate=args.state_rate, nodes=nodes):
            until(lambda: all(prepared(node) for node in nodes), "no snapshot, or no log was pruned", rest=1)
        now = cluster.said(0)
        yield cluster, {"entries": now["length"], "begins": now["begins"], "build_s": seconds}


@contextlib.contextmanager
def something_that_computes():
    """A program that takes one processor: what it does to the clients' latency is this machine's, and no node's."""
    with subprocess.Popen([sys.executable, "-c", "while True: pass"]) as process:
        try:
            yield
        finally:
            process.kill()


def join(args, cluster):
    """An empty node under load: seconds until it has what the others had, and their clients' latency meanwhile. Beside it stand, since
    five processes and the load share what processors there are: the latency beside a program that only computes, and with four nodes."""
    others = range(NODES - 1)
    with cluster.load(rate=args.state_rate, nodes=others) as load:
        load.wait_for(2)
        since = time.monotonic()
        load.wait_for(args.before)
        busy = time.monotonic()
        with something_that_computes():
            load.wait_for(args.before)
        load.wait_for(2)
        started = time.monotonic()
        cluster.start(NODES - 1)

        def level():
            if not (cluster.status(NODES - 1) or {"ready": False})["ready"]:
                return False  # each question costs the machine as much as hundreds of transactions
            ahead = max((cluster.status(node) or {"length": 0})["length"] for node in others)
            return cluster.said(NODES - 1)["length"] >= ahead > 0
        seconds = until(level, "the new node is not level", rest=0.5)
        cpu = cluster.cpu([NODES - 1])
        level_at = time.monotonic()
        load.wait_for(args.before)
        before, beside = load.of(since, busy), load.of(busy + 1, busy + args.before)
        meanwhile, after = load.of(started, started + seconds + 1), load.of(level_at + 1)
        rate = [s["in_second"] for s in load.seconds if since < s["at"] <= busy]
    own = cluster.said(NODES - 1)
    if own["begins"] == 0:
        fail("the new node has the whole log: nothing was pruned before it came")
    p50 = {"p50_ms_before": statistics.median(before), "p50_ms_meanwhile": statistics.median(meanwhile),
           "p50_ms_beside_one_that_computes": statistics.median(beside), "p50_ms_of_four": statistics.median(after)}
    entered = cluster.logged(NODES - 1, "took its state from peers")
    return {"level_s": seconds, "level_cpu_s": cpu, "times_entered": entered, **p50,
            "p50_ratio": p50["p50_ms_meanwhile"] / p50["p50_ms_before"], "worst_second_p50_ms": max(meanwhile),
            "tx_per_s_before": statistics.median(rate)}


def restart(args, cluster):
    """kill -9 under load: one node while the others go on, and then all."""
    out = {}
    with cluster.load(rate=args.state_rate, nodes=range(NODES - 1)) as load:
        load.wait_for(3)
        cluster.kill(NODES - 1)
        cluster.start(NODES - 1)
        out["one_under_load_s"] = cluster.all_ready([NODES - 1])
        out["one_under_load_cpu_s"] = cluster.cpu([NODES - 1])
        load.wait_for(1)
        for node in range(NODES):
            cluster.kill(node)
    out["all_s"] = cluster.start_all()
    out["all_cpu_s_a_node"] = cluster.cpu() / NODES
    return out


def proof(_, cluster):
    """Bytes of a proof as JSON, of positions drawn from the part of the log that is kept, and seconds to make one."""
    status = cluster.said(0)
    sizes, times = [], []
    draw = random.Random(1)
    while len(sizes) < 16:
        # Not near the beginning, which may be pruned meanwhile, and not near the end, which is not certified yet.
        kept = status["length"] - status["begins"]
        position = draw.randrange(status["begins"] + kept // 2, status["length"] - kept // 4)
        began = time.monotonic()
        made = run(cluster.args.binary, "log", "prove", "--home", cluster.path(0), "--position", position)
        times.append(time.monotonic() - began)
        checked = run(cluster.args.binary, "verify-proof", "-", "--genesis", cluster.genesis(), text=made.stdout)
        if checked.returncode != 0:
            fail(f"{made.stderr}{checked.stderr}")
        sizes.append(len(made.stdout.strip()))
    return {"bytes_most": max(sizes), "bytes_median": statistics.median(sizes), "make_s": statistics.median(times),
            "entries": status["length"]}


def measure(args, folder, modes):
    """What was asked for of the three, in this order, each as soon as it is there."""
    with built(args, f"{folder}/state", with_all="join" not in modes) as (cluster, log):
        for name, mode in (("join", join), ("restart", restart), ("proof", proof)):
            if name in modes:
                yield name, {**log, "state_mib": args.state_mib, **mode(args, cluster)}
