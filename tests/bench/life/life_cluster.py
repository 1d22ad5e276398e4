"""Nodes of bench_life_node and loads on them, as processes that end with the bench.

    with Cluster(args, folder, slots=64, settings={"retention.snapshots": 2}) as cluster:
        cluster.start_all()
        with cluster.load(rate=20000) as load:
            load.wait_for(10)
"""
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import threading
import time

NODES = 4
PATIENCE = 900  # seconds until something that is waited for has come


def fail(why):
    sys.exit(f"bench life: {why}")


def tool(args, name):
    return str(pathlib.Path(args.binary).parent / name) if not args.tools else str(pathlib.Path(args.tools) / name)


def run(binary, *arguments, text=None):
    return subprocess.run([binary, *map(str, arguments)], input=text, capture_output=True, text=True)


def spread(values):
    """Median, least and most of some runs."""
    return {"median": statistics.median(values), "least": min(values), "most": max(values)}


def cpu_seconds(pid):
    """User and system time so far: fields 14 and 15 of its stat, counted behind the command's closing bracket."""
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class Load:
    """Submits until it is told to stop; `seconds` has a line for each second."""

    def __init__(self, program, genesis, nodes, rate, until, tx_bytes):
        options = ["--nodes", ",".join(map(str, nodes)), "--rate", str(rate), "--tx-bytes", str(tx_bytes)]
        options += ["--until", str(until)] if until else []
        self.process = subprocess.Popen([program, str(genesis), *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                        text=True)
        self.seconds = []
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()

    def _read(self):
        for line in self.process.stdout:
            self.seconds.append({**json.loads(line), "at": time.monotonic()})

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        self.reader.join()

    def check(self):
        if self.process.poll() not in (None, 0):
            fail(f"the load ended: {self.process.stderr.read().strip()}")

    def wait_for(self, seconds):
        """Until so many more seconds of it are there."""
        wanted = len(self.seconds) + seconds
        until(lambda: self.check() or len(self.seconds) >= wanted, "the load stands still", 60 + 4 * seconds)

    def wait_for_committed(self, wanted):
        until(lambda: self.check() or (self.seconds and self.seconds[-1]["committed"] >= wanted), "the load stands still", 300)

    def done(self):
        until(lambda: self.check() or self.process.poll() == 0, "the load did not end")

    def of(self, since, to=None, key="p50_ms"):
        """What the seconds between two moments say, those in which nothing was committed left out."""
        return [s[key] for s in self.seconds if since < s["at"] and (to is None or s["at"] <= to) and s["in_second"] > 0]


def until(what, problem, patience=PATIENCE, rest=0.1):
    """Calls `what` until it is true, and gives the seconds that took."""
    began = time.monotonic()
    while not what():
        if time.monotonic() > began + patience:
            fail(f"{problem} after {patience} s")
        time.sleep(rest)
    return time.monotonic() - began


class Cluster:
    def __init__(self, args, folder, slots, settings=None, state_mib=1):
        self.args, self.home, self.state_mib = args, pathlib.Path(folder), state_mib
        made = run(args.binary, "testnet", "init", "-n", NODES, "-o", self.home, "--base-port", 0, "--set",
                   f"checkpoint={slots}")
        if made.returncode != 0:
            fail(made.stderr)
        for name, value in (settings or {}).items():
            self._set(name, value)
        self.nodes = {}

    def _set(self, name, value):
        section, key = name.split(".")
        for node in range(NODES):
            file = self.path(node) / "node.toml"
            before, head, rest = file.read_text().partition(f"[{section}]")
            file.write_text(before + head + re.sub(rf"(?m)^{key} = \S+", f"{key} = {value}", rest, count=1))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for node in list(self.nodes):
            self.kill(node)

    def path(self, node):
        return self.home / f"node{node}"

    def genesis(self):
        return self.home / "genesis.json"

    def start(self, node, *options):
        with open(self.path(node) / "log", "ab") as log:
            self.nodes[node] = subprocess.Popen([tool(self.args, "bench_life_node"), str(self.path(node)), "--state-mib",
                                                 str(self.state_mib), *map(str, options)], stdout=log, stderr=log)

    def start_all(self, nodes=range(NODES)):
        for node in nodes:
            self.start(node)
        return self.all_ready(nodes)

    def all_ready(self, nodes):
        """Seconds until each of them says that it is ready."""
        waiting = list(nodes)

        def none_waits():
            while waiting and (self.status(waiting[0]) or {}).get("ready"):
                waiting.pop(0)
            return not waiting
        return until(none_waits, f"node {waiting[0]} is not ready; see {self.path(waiting[0])}/log", rest=0.05)

    def kill(self, node):
        """kill -9, and its end."""
        process = self.nodes.pop(node)
        process.kill()
        process.wait()

    def check(self):
        for node, process in self.nodes.items():
            if process.poll() is not None:
                fail(f"node {node} ended by itself; its log says: {self.log(node)[-1]}")

    def said(self, node):
        """Its status, however long that takes."""
        found = []
        until(lambda: found.append(self.status(node)) or found[-1], f"node {node} does not answer")
        return found[-1]

    def status(self, node):
        """None: it does not answer."""
        self.check()
        asked = run(self.args.binary, "node", "status", "--home", self.path(node), "--json")
        return json.loads(asked.stdout) if asked.returncode == 0 else None

    def log(self, node):
        return (self.path(node) / "log").read_text().splitlines()

    def logged(self, node, words):
        return sum(words in line for line in self.log(node))

    def load(self, rate=0, nodes=range(NODES), wanted=0, tx_bytes=128):
        return Load(tool(self.args, "bench_life_load"), self.genesis(), nodes, rate, wanted, tx_bytes)

    def cpu(self, nodes=None):
        """Processor seconds of these nodes, or of all that run, since each was started."""
        return sum(cpu_seconds(self.nodes[node].pid) for node in (self.nodes if nodes is None else nodes))

    def memory(self, node):
        """Bytes that are resident."""
        found = re.search(r"VmRSS:\s+(\d+) kB", pathlib.Path(f"/proc/{self.nodes[node].pid}/status").read_text())
        return int(found[1]) * 1024

    def disk(self, node):
        """Bytes of its data that the disk holds, with the files that are removed and still open: those count for df."""
        total = 0
        for folder, _, names in os.walk(self.path(node) / "data"):
            for name in names:
                try:
                    total += os.lstat(os.path.join(folder, name)).st_blocks * 512
                except FileNotFoundError:
                    pass  # given back just now
        for open_file in pathlib.Path(f"/proc/{self.nodes[node].pid}/fd").iterdir():
            try:
                if os.readlink(open_file).endswith(" (deleted)"):
                    total += open_file.stat().st_blocks * 512
            except FileNotFoundError:
                pass
        return total
