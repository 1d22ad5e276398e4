#!/usr/bin/env python3
"""Values a second of a beacon of four processes on loopback, as JSON.

    bench_beacon.py THRESHER [SECONDS]
"""
import json
import pathlib
import subprocess
import sys
import tempfile
import time

NODES = 4


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
            begun, count = time.monotonic(), 0
            while time.monotonic() - begun < seconds:
                nodes[0].stdout.readline()
                count += 1
            print(json.dumps({"nodes": NODES, "values_per_s": count / (time.monotonic() - begun)}))
        finally:
            for node in nodes:
                node.kill()
                node.wait()


if __name__ == "__main__":
    main()
