#!/usr/bin/env python3
"""Every figure that `thresher verify` has to reach, measured, beside the published times: Markdown on stdout.

    bench_automata.py BINARY FOLDER [--timeout 60] [--backward-timeout 20] [--only reset]

FOLDER holds the benchmark files and their manifest. Beside BINARY lies bench_conformance, if it was built
(-DTHRESHER_BENCH=ON). Exit 1 when a verdict differs from the manifest's or a figure is missed: run it on an idle machine.
"""
import argparse
import csv
import json
import os
import pathlib
import resource
import subprocess
import sys
import time

TABLES = ["bracha", "bv_broadcast", "mmr14", "cobalt", "ben_or", "thresher_slot"]
VERDICTS = {"SAFE": "safe", "CEX": "violated"}
SETS = ("random19/", "isola18/ta-handcoded/")


def processor_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


class Call:
    """One run of `thresher verify`: its rows, wall clock, processor time."""

    def __init__(self, binary, *arguments):
        start, used = time.perf_counter(), processor_seconds()
        out = subprocess.run([binary, "verify", *map(str, arguments), "--json"], capture_output=True, text=True)
        self.wall = time.perf_counter() - start
        self.processor = processor_seconds() - used
        try:
            self.rows = json.loads(out.stdout)["properties"]
        except ValueError:
            sys.exit(f"thresher verify {arguments}: exit {out.returncode}: {out.stderr.strip()}")

    def counts(self):
        return ", ".join(str(sum(r["verdict"] == v for r in self.rows)) for v in ("safe", "violated", "unknown"))

    def slowest(self):
        return max((r["seconds"] for r in self.rows), default=0)


def seconds(text):
    """A published time, or infinity where there is none."""
    try:
        return float(text)
    except ValueError:
        return float("inf")


class Score:
    def __init__(self):
        self.right = self.judged = 0
        self.missed = []

    def verdict(self, file, row, got):
        wanted = VERDICTS.get(row["sketch_verdict"])
        published = row["file_verdict_TACO_table2"]
        if row["sketch_verdict"] == "-" and row["class"] == "safety" and published == "safe":
            wanted = "safe"
        if file.endswith(".eta") and published == "unsafe":
            wanted = "violated"  # such a file has one property: the verdict is its own
        if wanted is None:
            return
        self.judged += 1
        self.right += got["verdict"] == wanted
        if got["verdict"] != wanted:
            self.missed.append(f"{file} {row['property']}: {got['verdict']}, the manifest says {wanted}")

    def most(self, what, value, limit):
        if not value < limit:
            self.missed.append(f"{what}: {value:.2f} s, wanted less than {limit}")


def files_table(args, files, score):
    print("| file | properties: safe, violated, unknown | slowest property, s | whole call, s | processor, s |"
          " ByMC POPL'17 | TACO SMT Z3 | SMT cvc5 | ACS | ZCS |")
    print("|---|---|---|---|---|---|---|---|---|---|")
    for name, rows in files.items():
        call = Call(args.binary, args.folder / name, "--timeout", f"{args.timeout}s")
        first = rows[0]
        published = [first[c] for c in ("BYMC_POPL17_s", "TACO_SMT_Z3_s", "TACO_SMT_CVC5_s", "TACO_ACS_Z3_s",
                                        "TACO_ZCS_Z3_s")]
        print(f"| {name} | {call.counts()} | {call.slowest():.2f} | {call.wall:.2f} | {call.processor:.2f} | "
              + " | ".join(published) + " |", flush=True)
        got = {r["name"]: r for r in call.rows}
        for row in rows:
            if row["property"] not in got:
                continue
            score.verdict(name, row, got[row["property"]])
            if min(map(seconds, published)) < 60:
                left_open = got[row["property"]]["verdict"] == "unknown"
                score.most(f"{name} {row['property']}", float("inf") if left_open else got[row["property"]]["seconds"], 60)
        if any(s in name for s in SETS):
            score.most(name, call.wall, 20)


def tables_table(args, score):
    print("\n| table | properties: safe, violated, unknown | slowest property, s | whole call, s | processor, s |")
    print("|---|---|---|---|---|")
    limits = {("bracha",): 2, ("mmr14", "--property", "binding"): 1, ("cobalt", "--property", "binding"): 3}
    for asked in [*((t,) for t in TABLES), *list(limits)[1:]]:
        call = Call(args.binary, "--protocol", *asked)
        name = f"`{asked[0]}`" + (", binding alone" if len(asked) > 1 else "")
        print(f"| {name} | {call.counts()} | {call.slowest():.2f} | {call.wall:.2f} | {call.processor:.2f} |", flush=True)
        score.most(name, call.wall, limits.get(asked, float("inf")))


def backward_table(args, files):
    print("\n| file: safety properties | acs alone: safe, violated, unknown | s | processor, s | zcs alone | s |"
          " processor, s | TACO ACS | TACO ZCS |")
    print("|---|---|---|---|---|---|---|---|---|")
    for name, rows in files.items():
        wanted = [r["property"] for r in rows if r["class"] == "safety"]
        if not wanted or name.endswith(".tla"):
            continue
        asked = [a for p in wanted for a in ("--property", p)]
        cells = []
        for checker in ("acs", "zcs"):
            call = Call(args.binary, args.folder / name, "--checker", checker, "--timeout",
                        f"{args.backward_timeout}s", *asked)
            cells += [call.counts(), f"{call.wall:.2f}", f"{call.processor:.2f}"]
        print(f"| {name}: {len(wanted)} | " + " | ".join(cells)
              + f" | {rows[0]['TACO_ACS_Z3_s']} | {rows[0]['TACO_ZCS_Z3_s']} |", flush=True)


def traces_table(args, score):
    bench = pathlib.Path(args.binary).parent / "bench_conformance"
    if not bench.exists():
        print(f"\nTraces were not measured: {bench} is not built.")
        return
    out = subprocess.run([bench, "--benchmark_format=json", "--benchmark_min_time=0.2"], capture_output=True, text=True)
    print("\n| trace of Bracha's broadcast, nodes | million events a second of processor time |")
    print("|---|---|")
    for row in json.loads(out.stdout)["benchmarks"]:
        rate = row["items_per_second"] / 1e6
        print(f"| {row['name'].split('/')[1]} | {rate:.1f} |")
        if rate < 1:
            score.missed.append(f"{row['name']}: {rate:.2f} million events a second, wanted more than 1")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--timeout", type=float, default=60, help="seconds for each file")
    parser.add_argument("--backward-timeout", type=float, default=20, help="the same for acs and zcs alone; 0: not run")
    parser.add_argument("--only", default="", help="files whose name has this in it")
    args = parser.parse_args()
    files = {}
    for row in csv.DictReader((args.folder / "manifest.tsv").open(), delimiter="\t"):
        if args.only in row["file"]:
            files.setdefault(row["file"], []).append(row)
    score = Score()
    print(f"Load average at the start: {os.getloadavg()[0]:.1f}.\n")
    files_table(args, files, score)
    tables_table(args, score)
    if args.backward_timeout > 0:
        backward_table(args, files)
    traces_table(args, score)
    print(f"\n{score.right} of {score.judged} verdicts are the manifest's. Load average at the end: {os.getloadavg()[0]:.1f}.")
    for line in score.missed:
        print(f"* missed: {line}")
    return 1 if score.missed else 0


if __name__ == "__main__":
    sys.exit(main())
