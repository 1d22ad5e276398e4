#!/usr/bin/env python3
"""Measures what keeps a cluster alive for years: ./dev bench life [--long] [--only NAME,...]

latency     checkpoints on against off, in turns, at one rate: p50, p99, processor time
throughput  checkpoints and snapshots on against off, in turns, at full load
replay      all nodes after kill -9, from a snapshot and from the whole log
join        an empty node joins under load, where the log was pruned and the state is large; the others' p50 meanwhile
restart     a node after kill -9 with that state, and all nodes
proof       bytes of a proof of that log
growth      disk and memory over time with `snapshots = 2`
finder      a wrong result planted among many, until the node names it

JSON on stdout, a table on stderr. By default within 10 minutes on a machine that does nothing else; --long takes the
full sizes: ten million entries, 1 GiB of state, half an hour, a million results."""
import argparse
import json
import os
import shutil
import signal
import sys
import tempfile
import time

import life_finder
import life_growth
import life_replay
import life_state
import life_throughput

STATE = ["join", "restart", "proof"]
MODES = {"latency": life_throughput.latency, "throughput": life_throughput.throughput, "replay": life_replay.replay,
         "growth": life_growth.growth, "finder": life_finder.finder}


def names(text):
    wanted = text.split(",")
    unknown = [name for name in wanted if name not in [*MODES, *STATE]]
    if unknown:
        raise argparse.ArgumentTypeError(f"'{unknown[0]}' is none of {', '.join([*MODES, *STATE])}")
    return wanted


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary")
    parser.add_argument("--only", type=names, default=[*MODES, *STATE], help="some of the above, with commas")
    parser.add_argument("--long", action="store_true", help="the full sizes")
    parser.add_argument("--runs", type=int, default=3, help="of each kind, where runs are compared")
    parser.add_argument("--seconds", type=int, default=8, help="of a run that is compared")
    parser.add_argument("--rate", default="20000", help="transactions a second of latency")
    parser.add_argument("--slots", type=int, default=256, help="between two checkpoints, where they are compared")
    parser.add_argument("--snapshot-every", type=int, default=4, help="checkpoints, likewise")
    parser.add_argument("--gc-rounds", type=int, default=200, help="that nodes which prune keep of the graph")
    parser.add_argument("--log-seconds", type=int, help="of the log of replay")
    parser.add_argument("--state-slots", type=int, default=64, help="between two checkpoints of join, restart, growth")
    parser.add_argument("--state-every", type=int, default=16,
                        help="checkpoints; the time from one snapshot to the next has to be longer than one takes to be written")
    parser.add_argument("--state-rate", type=int, default=20000, help="transactions a second of join and restart")
    parser.add_argument("--state-mib", type=int, help="state of join and restart: a power of two")
    parser.add_argument("--entries", type=int, help="of their log, at least")
    parser.add_argument("--before", type=int, default=10, help="seconds of load before a node joins")
    parser.add_argument("--growth-seconds", type=int)
    parser.add_argument("--growth-rate", type=int, default=20000)
    parser.add_argument("--growth-mib", type=int, default=16, help="state of throughput and growth")
    parser.add_argument("--curve", help="a CSV file for the samples of growth")
    parser.add_argument("--finder-entries", type=int)
    parser.add_argument("--finder-slots", type=int, help="before the first checkpoint")
    parser.add_argument("--scratch", type=existing, help="a folder for the nodes")
    parser.add_argument("--keep", action="store_true", help="leave the nodes' folders there")
    parser.add_argument("--tools", help="the folder of bench_life_node and bench_life_load; default: beside the binary")
    args = parser.parse_args()
    sizes = {"log_seconds": (15, 60), "state_mib": (64, 1024), "entries": (500_000, 10_000_000),
             "growth_seconds": (180, 1800), "finder_entries": (100_000, 1_000_000), "finder_slots": (2048, 16384)}
    for name, (short, long) in sizes.items():
        if getattr(args, name) is None:
            setattr(args, name, long if args.long else short)
    return args


def show(out, indent=""):
    for name, value in out.items():
        if name == "curve":
            continue
        if isinstance(value, dict) and "median" in value:
            value = f"{value['median']:,.3f}  ({value['least']:,.3f} to {value['most']:,.3f})"
        if isinstance(value, dict):
            print(f"{indent}{name}", file=sys.stderr)
            show(value, indent + "  ")
        elif isinstance(value, (int, float)) and not isinstance(value, bool):
            print(f"{indent}{name:28} {value:,.3f}".rstrip("0").rstrip("."), file=sys.stderr)
        else:
            print(f"{indent}{name:28} {value}", file=sys.stderr)


def existing(folder):
    if not os.path.isdir(folder):
        raise argparse.ArgumentTypeError(f"there is no folder '{folder}': make it first")
    return folder


def measure(args, folder):
    for name, mode in MODES.items():
        if name in args.only:
            yield name, mode(args, folder)
    if set(STATE) & set(args.only):
        yield from life_state.measure(args, folder, args.only)


def main():
    args = arguments()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("bench life: stopped"))  # the nodes end, too
    folder = tempfile.mkdtemp(prefix="thresher-life-", dir=args.scratch)
    out = {}
    try:
        began = time.monotonic()
        for name, found in measure(args, folder):
            out[name] = found
            show({name: found, "seconds so far": time.monotonic() - began, "load of the machine": os.getloadavg()[0]})
    finally:
        if not args.keep:
            shutil.rmtree(folder, ignore_errors=True)
    print(json.dumps(out))


if __name__ == "__main__":
    main()
