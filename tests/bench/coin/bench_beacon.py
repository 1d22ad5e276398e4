#!/usr/bin/env python3
"""Values a second of a beacon of four processes on loopback, and the CPU that a value takes at a node, as JSON.

    bench_beacon.py THRESHER [SECONDS]
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

NODES = 4
TICKS_PER_S = os.sysconf("SC_CLK_TCK")


def cpu_s(nodes):
    """User and system time of all of them so far."""
    after_name = [pathlib.Path(f"/proc/{n.pid}/stat").read_text().rpartition(")")[2].split() for n in nodes]
    return sum(int(fields[11]) + int(fields[12]) for fields in after_name) / TICKS_PER_S


def main():
    binary, seconds = sys.argv[1], float(sys.argv[2]) if len(sys.argv) > 2 else 5.0
    with tempfile.TemporaryDirectory() as folder:
        net = pathlib.Path(folder, "net")
        subprocess.run([binary, "testnet", "init", "-n", str(NODES), "-o", net, "--base-port", "0", "--protocol",
                        "mahi-mahi", "--dealer"], check=True, stdout=subprocess.DEVNULL)
        nodes = [subprocess.Popen([binary, "beacon", "run", "--home", net / f"node{i}", "--pause", "0"],
                                  stdout=subprocess.PIPE if i == 0 else subprocess.DEVNULL, text=True)
                 for i in range(NODES)]
        try:
            nodes[0].stdout.readline()  # the links are up
            begun, cpu_before, count = time.monotonic(), cpu_s(nodes), 0
            while time.monotonic() - begun < seconds:
                nodes[0].stdout.readline()
                count += 1
            print(json.dumps({"nodes": NODES, "values_per_s": count / (time.monotonic() - begun),
                              "cpu_ms_per_value_and_node": 1000 * (cpu_s(nodes) - cpu_before) / count / NODES,
                              "cores": os.cpu_count(), "load": os.getloadavg()[0]}))
        finally:
            for node in nodes:
                node.kill()
                node.wait()


if __name__ == "__main__":
    main()
