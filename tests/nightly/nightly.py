#!/usr/bin/env python3
"""Everything that looks for trouble and has no end: `./dev nightly [HOURS]`.

    nightly.py --hours 3 [--seed N] [--only fuzz,kills,suites,sanitizers] [--build build/release]

Jobs, one after the other, each with a share of the time:
  fuzz        every protocol of the simulator that promises something: drawn faults, restarts, liars
              that withhold answers or fill memory, sieges; each run must heal, and no node may hold
              more than its bound
  kills       the kill drivers: real nodes, kill -9 at durable records and at random times, logs compared
              byte by byte with peers and with what was acknowledged; a seventh of it while nodes take
              snapshots, prune their logs, and take their state from peers; most of it at one record
              after the other of a node alone, many networks at once: about 10,000 in 3 hours of 2 cores
  suites      the tests labelled slow
  sanitizers  ASan and UBSan over the core suites, TSan over the nodes

A finding is one line, with its seed and the command that shows it again; the same finding of another
seed is counted and not repeated. At the end stands what was exercised, and what there was no time or
no program for. Exit status: 0 nothing was found, 1 something was, 2 the command line is wrong.
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SHARES = {"fuzz": 0.25, "kills": 0.4, "suites": 0.1, "sanitizers": 0.25}
SEEDS_AT_A_TIME = 400
# Where nobody promises what the oracles of an order ask for.
MODELS = {"alternating_bit", "async-auth", "bitcoin", "chord", "ethereum", "kademlia", "stable_link", "stable-data-link",
          "sparse-bullshark", "sync-auth"}
SIZES = [4, 5, 6, 7, 10]
CORE_SUITES = ["unit_core", "unit_chassis", "unit_dag", "unit_certified", "unit_order", "unit_agreement", "unit_coin", "unit_digraph", "unit_sim",
               "unit_testing", "unit_wire", "unit_net", "property_broadcast", "property_order"]
NET_SUITES = ["unit_net", "integration_node"]
# A build with sanitizers is most of an hour of two cores: below so many seconds it is not begun.
LEAST_FOR_SANITIZERS = 2400
TSAN_OPTIONS = f"suppressions={ROOT / 'tests' / 'tsan.supp'}"
KILLS_GRACE = 300
CORES = os.cpu_count() or 1
# Each with its part of the time, and networks at once. In every state; while nodes take snapshots, prune, and take their state from
# peers; one node alone, at one record after the other, most of whose time is waiting.
KILL_DRIVERS = {"kills.py": (0.15, max(1, CORES // 4)), "life_kills.py": (0.15, max(1, CORES // 4)),
                "record_kills.py": (0.7, 2 * CORES)}
NO_STRACE = 77


class Report:
    """Findings as they come, and the summary at the end."""

    def __init__(self):
        self.findings = {}
        self.lines = []

    def found(self, job, what, command, where=""):
        """`what` without its seed names the finding; `where` is the seed, or whatever else differs."""
        key = (job, what)
        self.findings[key] = self.findings.get(key, 0) + 1
        if self.findings[key] == 1:
            print(f"FOUND {job}: {what}{', ' + where if where else ''} | {command}", flush=True)

    def exercised(self, job, text):
        self.lines.append(f"{job}: {text}")
        print(f"[nightly] {job}: {text}", flush=True)

    def conclude(self, seconds):
        print(f"[nightly] {seconds / 3600:.2f} hours; what was exercised:")
        for line in self.lines:
            print(f"[nightly]   {line}")
        if not self.findings:
            print("[nightly] nothing was found")
            return 0
        for (job, what), count in sorted(self.findings.items()):
            print(f"[nightly]   FOUND {count} x {job}: {what}")
        return 1


def run(command, seconds, cwd=ROOT, env=None):
    """Exit status and output of a command; -1 when its time was over and it was stopped."""
    process = subprocess.Popen(command, cwd=cwd, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                               start_new_session=True)
    try:
        output, _ = process.communicate(timeout=max(seconds, 1))
        return process.returncode, output
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, 9)
        output, _ = process.communicate()
        return -1, output


# --- fuzz ---------------------------------------------------------------------------------------


def experiment_of(protocol):
    """What schedules are drawn into: small committees, as short as schedules can still be told apart."""
    parameters = {name["name"]: name for name in protocol["parameters"]}
    chosen = {"name": protocol["name"]}
    if "bullshark" in protocol["name"] and "gc_depth" in parameters:
        chosen["gc_depth"] = 1000  # nobody hands out what lies below it, so nobody may fall behind it
    stop = {"rounds": 60} if "gc_depth" in parameters else {"time": 80}
    return {"schema": 1, "protocol": chosen, "committee": {"n": 4}, "stop": stop, "sweep": {"committee.n": SIZES}}


def last_object(output):
    for line in reversed(output.splitlines()):
        if line.startswith("{"):
            return json.loads(line)
    return None


def fuzz_once(report, thresher, protocol, folder, first, seconds, totals):
    last = first + SEEDS_AT_A_TIME - 1
    file = folder / f"{protocol}.json"
    scenario = folder / f"{protocol}-{first}.json"
    again = f"{thresher} sim fuzz {file} --seeds {first}..{last}"
    status, output = run([thresher, "sim", "fuzz", str(file), "--seeds", f"{first}..{last}", "--json", "--keep-going",
                          "--shrink-runs", "400", "--out", str(scenario)], seconds)
    if status == -1:
        totals.setdefault("cut", []).append(f"{first}..{last}")
        return False
    told = last_object(output)
    if told is None:
        report.found("fuzz", f"{protocol} broke off: {output.strip().splitlines()[-1] if output.strip() else status}",
                     again, f"seeds {first}..{last}")
        return True
    for key in ("runs", "decisions", "restarts", "liars_requests", "healed", "actions_fired"):
        totals[key] = totals.get(key, 0) + told.get(key, 0)
    for kind, count in told.get("fired", {}).items():
        totals.setdefault("fired", {})[kind] = totals.get("fired", {}).get(kind, 0) + count
    if told["verdict"] != "Pass":
        report.found("fuzz", f"{protocol} {told['verdict']}: {told['oracle']}", told.get("replay") or again,
                     f"seed {told['seed']}: {told['why']}")
    return True


def fuzz(report, args, seconds, folder):
    listed = json.loads(subprocess.run([args.thresher, "sim", "list", "--json"], check=True, capture_output=True,
                                       text=True).stdout)
    protocols = [p for p in listed["protocols"] if p["name"] not in MODELS]
    if args.protocols:
        protocols = [p for p in protocols if p["name"] in args.protocols.split(",")]
    end = time.monotonic() + seconds
    totals = {p["name"]: {} for p in protocols}
    for p in protocols:
        (folder / f"{p['name']}.json").write_text(json.dumps(experiment_of(p)))
    first = args.seed
    while True:
        for at, p in enumerate(protocols):
            left = end - time.monotonic()
            if left <= 1:
                break
            # A chunk may not eat what the others are owed.
            fuzz_once(report, args.thresher, p["name"], folder, first, min(left, seconds / (len(protocols) - at)),
                      totals[p["name"]])
        if time.monotonic() + 1 >= end:
            break
        first += SEEDS_AT_A_TIME
    for name, t in totals.items():
        fired = ", ".join(f"{kind} {count}" for kind, count in sorted(t.get("fired", {}).items()))
        cut = f"; no time for the rest of seeds {', '.join(t['cut'])}" if "cut" in t else ""
        report.exercised("fuzz", f"{name}: {t.get('runs', 0)} runs, {t.get('healed', 0)} healed, "
                         f"{t.get('decisions', 0)} decisions, {t.get('restarts', 0)} restarts, "
                         f"{t.get('liars_requests', 0)} requests handed to liars; {fired or 'no faults'}{cut}")


# --- real nodes, suites, sanitizers -------------------------------------------------------------


def kills(report, args, seconds, folder):
    for name, (part, networks) in KILL_DRIVERS.items():
        kills_of(report, args, seconds * part, folder, name, networks)


def kills_of(report, args, seconds, folder, name, networks):
    driver = ROOT / "tests" / "integration" / "kills" / name
    scratch = folder / driver.stem
    command = [sys.executable, str(driver), args.thresher, "--minutes", f"{seconds / 60:.2f}", "--seed", str(args.seed),
               "--jobs", str(networks), "--scratch", str(scratch)]
    scratch.mkdir(parents=True, exist_ok=True)
    # It ends by itself a while after its minutes: what must happen after the last kill is waited for.
    status, output = run(command, seconds + KILLS_GRACE)
    lines = [line for line in output.splitlines() if line.strip()] or ["it said nothing"]
    if status == NO_STRACE:
        report.exercised("kills", f"{name} not run: there is no strace here")
        return
    report.exercised("kills", f"{name}: " + " ".join(lines[-1].split()))
    if status == -1:
        report.found("kills", f"the driver still ran {KILLS_GRACE} s after its time", " ".join(command))
    elif status != 0:
        told = [line for line in lines if line.startswith("FOUND")] or lines[-1:]
        again = [line.split("again:", 1)[1].strip() for line in lines if "again:" in line] or [" ".join(command)]
        report.found("kills", " ".join(told[0].split()), again[0])


def labelled(build, label):
    told = subprocess.run(["ctest", "--test-dir", str(build), "-N", "-L", label], capture_output=True, text=True,
                          check=False).stdout
    return [line.split(":", 1)[1].strip() for line in told.splitlines() if line.strip().startswith("Test ") and ":" in line]


def run_tests(report, job, build, names, seconds):
    """Runs tests one by one while there is time; says which were left out."""
    end = time.monotonic() + seconds
    done, left_out = [], []
    for name in names:
        left = end - time.monotonic()
        if left <= 1:
            left_out.append(name)
            continue
        command = ["ctest", "--test-dir", str(build), "-R", f"^{name}$", "--output-on-failure", "--no-tests=error"]
        status, output = run(command, left, env={"TSAN_OPTIONS": TSAN_OPTIONS, **os.environ})
        if status == -1:
            left_out.append(name)
            continue
        done.append(name)
        if status != 0:
            why = [line for line in output.splitlines() if "FAILED" in line or "ERROR" in line or "WARNING" in line]
            report.found(job, name, " ".join(command), why[0].strip() if why else "see its output")
    text = f"{len(done)} suites ({', '.join(done)})" if done else "none"
    report.exercised(job, text + (f"; no time for {', '.join(left_out)}" if left_out else ""))


def suites(report, args, seconds, _folder):
    # First what fast tests leave out: a minute each at most, and some of the others take hours.
    names = sorted(labelled(args.build, "slow"), key=lambda name: not name.endswith(("_in_full", "_slow_part")))
    if not names:
        report.found("suites", f"ctest names no slow test in {args.build}: is it built?",
                     f"ctest --test-dir {args.build} -N -L slow")
    run_tests(report, "suites", args.build, names, seconds)


def sanitizers(report, args, seconds, _folder):
    if seconds < LEAST_FOR_SANITIZERS:
        report.exercised("sanitizers", f"not run: their share is {int(seconds)} s, and building them takes more; "
                         f"give {LEAST_FOR_SANITIZERS / SHARES['sanitizers'] / 3600:.1f} hours or --only sanitizers")
        return
    for preset, part, names in (("asan-ubsan", 0.4, CORE_SUITES), ("tsan", 0.4, NET_SUITES), ("clang", 0.2, ["unit_net"])):
        began = time.monotonic()
        share = part * seconds
        for command in (["cmake", "--preset", preset], ["cmake", "--build", "--preset", preset, "--target", *names]):
            status, output = run(command, share - (time.monotonic() - began))
            if status != 0:
                tail = output.strip().splitlines()[-1] if output.strip() else ""
                if status == -1:
                    report.exercised("sanitizers", f"{preset}: no time to build")
                else:
                    report.found("sanitizers", f"{preset} does not build", " ".join(command), tail)
                break
        else:
            run_tests(report, f"sanitizers {preset}", ROOT / "build" / preset, names,
                      share - (time.monotonic() - began))


JOBS = {"fuzz": fuzz, "kills": kills, "suites": suites, "sanitizers": sanitizers}


def parsed(argv):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hours", type=float, default=3.0, help="of all jobs together; fractions too")
    parser.add_argument("--seed", type=int, default=None, help="the first seed; absent: by the day")
    parser.add_argument("--only", default=",".join(JOBS), help="jobs, with commas between")
    parser.add_argument("--protocols", default="", help="of the fuzzer, with commas between; absent: all")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build" / "release")
    parser.add_argument("--thresher", default="", help="the binary; absent: that of --build")
    parser.add_argument("--keep", type=pathlib.Path, default=None, help="folder for scenarios; absent: a new one")
    args = parser.parse_args(argv)
    args.jobs = [job for job in args.only.split(",") if job]
    for job in args.jobs:
        if job not in JOBS:
            parser.error(f"--only: '{job}' is none of {', '.join(JOBS)}")
    if args.hours <= 0:
        parser.error("--hours must be above 0")
    if args.seed is None:
        args.seed = int(time.time() // 86400) * 10_000_000
    args.build = args.build.resolve()
    args.thresher = args.thresher or str(args.build / "bin" / "thresher")
    return args


def main(argv):
    args = parsed(argv)
    folder = args.keep or pathlib.Path(tempfile.mkdtemp(prefix="thresher-nightly-"))
    folder.mkdir(parents=True, exist_ok=True)
    report = Report()
    began = time.monotonic()
    print(f"[nightly] {args.hours} hours from seed {args.seed}; scenarios are kept in {folder}", flush=True)
    total = sum(SHARES[job] for job in args.jobs)
    for job in args.jobs:
        share, start = args.hours * 3600 * SHARES[job] / total, time.monotonic()
        JOBS[job](report, args, share, folder)
        report.exercised(job, f"took {(time.monotonic() - start) / 60:.1f} of its {share / 60:.1f} minutes")
    for job in (job for job in JOBS if job not in args.jobs):
        report.exercised(job, "not asked for (--only)")
    return report.conclude(time.monotonic() - began)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
