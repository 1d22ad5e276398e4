#!/usr/bin/env python3
"""Measures the broadcasts on sockets: ./dev bench broadcast [--runs 3] [--nodes 4,7] [--bytes 1024,65536] [--only NAME,...]

Real processes, TLS, records on disk. Each row is the median of the runs, with as many payloads as go.
CPU is that of all processes. JSON on stdout, a table on stderr. Nothing
else should run on the machine.
"""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys

NAMES = ["bracha", "imbs-raynal", "avid", "das-xiang-ren", "signed-broadcast", "certified-broadcast", "chained-echo"]
FIELDS = ["deliveries_per_s", "latency_ms.p50", "latency_ms.p99", "cpu_us_per_delivery", "cpu_ms_per_mib",
          "bytes_per_payload_byte", "fsyncs"]


def once(args, name, nodes, size):
    command = [args.binary, "cluster", "--json", "--broadcast", name, "--nodes", str(nodes), "--tx-bytes", str(size),
               "--duration", args.duration, "--window", str(args.window), "--storage", args.storage]
    out = subprocess.run(command, capture_output=True, text=True)
    if out.returncode != 0:
        raise SystemExit(f"{' '.join(command)}: exit {out.returncode}: {out.stderr.strip()[-300:]}")
    return json.loads(out.stdout)


def field(row, name):
    for piece in name.split("."):
        row = row[piece]
    return row


def row_of(args, name, nodes, size):
    runs = [once(args, name, nodes, size) for _ in range(args.runs)]
    assert all(r["agreement"] and r["missed"] == 0 for r in runs)
    middle = {f.replace(".", "_"): statistics.median(field(r, f) for r in runs) for f in FIELDS}
    return {"broadcast": name, "n": nodes, "payload_bytes": size, **middle}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--nodes", default="4,7")
    parser.add_argument("--bytes", default="1024,65536")
    parser.add_argument("--only", default=",".join(NAMES))
    parser.add_argument("--duration", default="3s")
    parser.add_argument("--window", type=int, default=14, help="payloads in flight in total")
    parser.add_argument("--storage", default="disk", help="disk or memory")
    parser.add_argument("--out")
    args = parser.parse_args()
    for name in args.only.split(","):
        if name not in NAMES:
            parser.error(f"no broadcast is called {name!r}; choose from {', '.join(NAMES)}")
    rows = []
    for size in [int(s) for s in args.bytes.split(",")]:
        for nodes in [int(n) for n in args.nodes.split(",")]:
            for name in args.only.split(","):
                row = row_of(args, name, nodes, size)
                rows.append(row)
                print(f"| `{name}` | {nodes} | {size} | {row['deliveries_per_s']:.0f} | {row['latency_ms_p50']:.1f} | "
                      f"{row['cpu_us_per_delivery']:.0f} | {row['cpu_ms_per_mib']:.1f} | "
                      f"{row['bytes_per_payload_byte']:.2f} |", file=sys.stderr, flush=True)
    text = json.dumps({"runs": args.runs, "cores": os.cpu_count(), "storage": args.storage,
                       "window": args.window, "rows": rows})
    print(text)
    if args.out:
        pathlib.Path(args.out).write_text(text + "\n")


if __name__ == "__main__":
    main()
