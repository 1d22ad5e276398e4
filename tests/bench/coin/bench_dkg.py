#!/usr/bin/env python3
"""Key generation among processes on loopback: seconds until each had its key, bytes and CPU, as JSON.

    bench_dkg.py THRESHER [NODES]
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile


def main():
    binary, nodes = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 16
    with tempfile.TemporaryDirectory() as folder:
        net = pathlib.Path(folder, "net")
        subprocess.run([binary, "testnet", "init", "-n", str(nodes), "-o", net, "--base-port", "0", "--protocol",
                        "mahi-mahi"], check=True, stdout=subprocess.DEVNULL)
        before = os.times()
        runs = [subprocess.Popen([binary, "dkg", "--home", net / f"node{i}", "--json"], stdout=subprocess.PIPE)
                for i in range(nodes)]
        said = [json.loads(run.communicate()[0]) for run in runs]
        after = os.times()
        assert all(run.returncode == 0 for run in runs) and len({s["group_key"] for s in said}) == 1
        seconds = sorted(s["seconds"] for s in said)
        print(json.dumps({"nodes": nodes, "seconds_median": seconds[len(seconds) // 2], "seconds_max": seconds[-1],
                          "bytes_sent": sum(s["bytes_sent"] for s in said),
                          "cpu_seconds": after.children_user + after.children_system - before.children_user
                          - before.children_system, "cores": os.cpu_count()}))


if __name__ == "__main__":
    main()
