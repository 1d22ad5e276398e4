"""`thresher node run` after kill -9, from a snapshot and from its whole log."""
import pathlib
import shutil
import subprocess
import time

from life_cluster import NODES, fail, run, until
from life_throughput import cluster_verb


def until_ready(args, homes):
    """Seconds from the start of all nodes until each says that it is ready; then kill -9."""
    began = time.monotonic()
    nodes = [subprocess.Popen([args.binary, "node", "run", "--home", str(h)], stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL) for h in homes]
    waiting = list(homes)

    def none_waits():
        while waiting and '"ready":true' in run(args.binary, "node", "status", "--home", waiting[0], "--json").stdout:
            waiting.pop(0)
        return not waiting
    try:
        until(none_waits, "not all nodes are ready", rest=0.05)
        return time.monotonic() - began
    finally:
        for node in nodes:
            node.kill()
            node.wait()


def replay(args, folder):
    home = pathlib.Path(folder) / "replay"
    built = cluster_verb(args, args.log_seconds, 4, "max", home)
    homes = [home / f"node{i}" for i in range(NODES)]
    if min(len(list((h / "data" / "snapshots").glob("[0-9]*"))) for h in homes) == 0:
        fail("a node took no snapshot: give more --log-seconds")
    out = {"entries": built["committed_tx"], "from_snapshot_s": until_ready(args, homes)}
    for h in homes:
        shutil.rmtree(h / "data" / "snapshots")
    return {**out, "from_log_s": until_ready(args, homes)}
