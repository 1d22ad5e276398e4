#!/usr/bin/env python3
"""Measures the simulator: ./dev bench sim [--runs 3]. JSON on stdout, medians of CPU seconds."""
import argparse
import json
import statistics
import subprocess

CASES = {
    "thresher n=100, 200 rounds": ["--protocol", "thresher", "--n", "100", "--rounds", "200"],
    "thresher n=31, 200 rounds": ["--protocol", "thresher", "--n", "31", "--rounds", "200"],
    "mysticeti n=31, 200 rounds": ["--protocol", "mysticeti", "--n", "31", "--rounds", "200"],
}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("binary")
    parser.add_argument("--runs", type=int, default=3)
    args = parser.parse_args()
    result = {}
    for name, options in CASES.items():
        rows = []
        for _ in range(args.runs):
            out = subprocess.run([args.binary, "sim", "run", *options, "--seed", "1", "--json"], capture_output=True,
                                 text=True, check=True)
            rows.append(json.loads(out.stdout))
        cpu = statistics.median(r["cpu_s"] for r in rows)
        result[name] = {"cpu_s": cpu, "messages": rows[0]["messages"], "messages_per_s": rows[0]["messages"] / cpu}
    print(json.dumps(result))


if __name__ == "__main__":
    main()
