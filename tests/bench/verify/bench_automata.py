#!/usr/bin/env python3
"""Times `thresher verify` on the benchmark files, beside the published times of their manifest.

    bench_automata.py BINARY FOLDER [--timeout 60] [--checker zcs] [--only reset]      a Markdown table on stdout
"""
import argparse
import csv
import json
import pathlib
import subprocess
import time


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("binary")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--timeout", default="60")
    parser.add_argument("--checker", default="auto")
    parser.add_argument("--only", default="", help="files whose name has this in it")
    args = parser.parse_args()
    files = {}
    for row in csv.DictReader((args.folder / "manifest.tsv").open(), delimiter="\t"):
        files.setdefault(row["file"], []).append(row)
    print("| file | properties: safe, violated, unknown | slowest property, s | whole call, s | ByMC POPL'17 | TACO SMT Z3 | ACS | ZCS |")
    print("|---|---|---|---|---|---|---|---|")
    for name, rows in files.items():
        if args.only not in name:
            continue
        start = time.perf_counter()
        out = subprocess.run([args.binary, "verify", args.folder / name, "--timeout", args.timeout + "s", "--json",
                              "--checker", args.checker],
                             capture_output=True, text=True)
        wall = time.perf_counter() - start
        try:
            properties = json.loads(out.stdout)["properties"]
        except ValueError:
            print(f"| {name} | not read: {out.stderr.strip()[:60]} | | | | | | |")
            continue
        count = [sum(p["verdict"] == v for p in properties) for v in ("safe", "violated", "unknown")]
        slowest = max((p["seconds"] for p in properties), default=0)
        first = rows[0]
        print(f"| {name} | {count[0]}, {count[1]}, {count[2]} | {slowest:.2f} | {wall:.2f} | {first['BYMC_POPL17_s']} | "
              f"{first['TACO_SMT_Z3_s']} | {first['TACO_ACS_Z3_s']} | {first['TACO_ZCS_Z3_s']} |")


if __name__ == "__main__":
    main()
