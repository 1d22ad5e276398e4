#!/usr/bin/env python3
"""kill -9 of nodes that take snapshots, prune their logs, and take their state from peers.

  life_kills.py BINARY --cycles 200 --seed 1           # that many kills
  life_kills.py BINARY --minutes 60 --seed 7 [--protocol thresher]

Four real nodes, under clients all the time. Node 0 keeps the whole log and is not killed; the others keep as little as they can.
One after the other is killed at a durable record (strace ends it at a call that writes, syncs, renames, makes or
removes) or after a random time: while it takes snapshots and prunes; and while it takes its state from the others,
because it was away for too long, because it is new, or because its data are gone (then it observes). Sometimes one that
gives it parts is killed too. In some networks the state has several MiB, so that there are more parts.

After each kill the log on the dead node's disk must be the others' from where it begins, byte for byte, and what was
acknowledged must stand at its position; nothing in its log may say that a disk or a peer gave something false. After
each one to three kills the node is started once more, and all must become level: one log, one state. Nothing may end by
itself.

Exit: 0 nothing found; 1 a finding, with the command to repeat it; 2 wrong use; 77 no strace here. What a run does
follows from the seed, but not what the machine's scheduler adds."""
import hashlib
import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time

from kills import NODES, PATIENCE, Clients, Finding, Network, parsed, side_by_side, strace

PROTOCOLS = ("thresher", "mysticeti", "mahi-mahi", "anchored-bullshark", "bullshark-async")
KEEPER = 0  # keeps more of its log, which is read all the time, before it goes
KEPT = 400  # transactions of it
VICTIMS = (1, 2, 3)
NEWCOMER = 3  # of a network that begins without it, or in which it observes
PER_NETWORK = 10  # kills
LEVEL = 3 * PATIENCE  # seconds for a node to take its state and become level
LONGEST, MANY_SLOTS = 5 * LEVEL, 1000  # the same on a busy machine, or so many slots in which it did not
CALLS = {
    "prunes": ("rename,renameat,renameat2", "fsync", "unlink,unlinkat,rmdir", "mkdir,mkdirat", "pwritev2", "fdatasync",
               "ftruncate,fallocate", "write,pwrite64"),
    "joins": ("rename,renameat,renameat2", "fsync", "unlink,unlinkat,rmdir", "mkdir,mkdirat", "pwritev2", "fdatasync",
              "ftruncate,fallocate", "pwrite64", "openat"),
}
# What no kill may bring about.
FALSE = re.compile(r"is damaged|is not of what was certified|is not what its manifest|a log that differs|contradicts its|"
                   r"does not give the state|which the log does not have so|cannot be read back|not the one that a quorum")


class LifeNetwork(Network):
    """`tool`: a program that runs a node whose state has so many MiB as its name and options say; none: the binary."""

    def __init__(self, binary, protocol, folder, draw, tool):
        super().__init__(binary, protocol, folder, draw, checkpoint=draw.choice((4, 4, 8)))
        self.tool, self.observers = tool, set()
        every = draw.choice((1, 2))
        hold = draw.choice((1 << 20, 4 << 20))  # so that what one newcomer holds is soon gone for the next
        for node in range(NODES):
            kept = draw.choice((1, 2, 2, 3))
            positions = KEPT if node == KEEPER else 0
            path = self.home(node) / "node.toml"
            text = path.read_text()
            for key, value in (("gc_rounds", 16), ("sync_rounds", 8), ("checkpoints", every), ("snapshots", kept), ("positions", positions),
                               ("segment_bytes", 1 << 20), ("hold_bytes", hold)):
                text = re.sub(rf"(?m)^{key} = \d+", f"{key} = {value}", text)
            path.write_text(text)

    def command(self, node):
        if self.tool:
            return [self.tool, str(self.home(node)), "--state-mib", "6"]
        return super().command(node) + (["--observe"] if node in self.observers else [])

    def orders(self, node):
        return self.running(node) and node not in self.observers

    def length_on_disk(self, node):
        lines = self.dead_log(node)
        return int(lines[-1].split(b" ", 1)[0]) + 1 if lines else 0

    def dead_log(self, node):
        """Lines of the log of a node that does not run; none where it had not begun its store. An observer, whose data were taken
        away, has a key that signed, and may be killed before it has written anything."""
        data = self.home(node) / "data"
        if not (data / "wal").exists():
            return []
        done = subprocess.run([self.binary, "log", "--home", str(self.home(node))], capture_output=True, timeout=LEVEL)
        if node in self.observers and b"data/wal' is empty, but" in done.stderr:
            return []
        if done.returncode != 0:
            raise Finding(f"the log of node {node} cannot be read: " + done.stderr.decode(errors="replace"))
        return done.stdout.split(b"\n")[:-1]

    def became_level(self, clients):
        """Waits under load until the node has what the others had, and then without until all are the same."""
        ahead = max(s["length"] for s in map(self.status, range(NODES)) if s)
        self.wait("the node has what the others had", lambda: all(
            (self.status(node) or {"length": -1})["length"] >= ahead for node in range(NODES)))
        with clients.free:
            found = []

            def same():
                found[:] = map(self.status, range(NODES))
                return all(found) and len({s["log_hash"] for s in found}) == 1
            self.wait("all hold one log", same)
            if len({s["state_hash"] for s in found}) != 1:
                raise Finding("one log, but the applications differ: " + json.dumps(found))

    def wait(self, what, condition):
        """A machine that others use may need long for a few slots: what counts is that many came, or none for long."""
        began, first = time.monotonic(), (self.status(KEEPER) or {"slot": 0})["slot"]
        while not condition():
            for node in range(NODES):
                if self.process[node] is not None and not self.running(node):
                    self.gone(node)  # raises unless it was killed
            took = time.monotonic() - began
            if took > LEVEL and (took > LONGEST or (self.status(KEEPER) or {"slot": 0})["slot"] > first + MANY_SLOTS):
                told = {node: (self.status(node), self.said(node)[-300:]) for node in range(NODES) if self.running(node)}
                raise Finding(f"{took:.0f} s without: {what}: {json.dumps(told)}")
            time.sleep(0.05)


class Archive:
    """The whole log, as hashes of its lines and of what was submitted in them."""

    def __init__(self, net):
        self.net, self.lines, self.texts = net, [], []
        self.one, self.ended = threading.Lock(), False
        self.problem = None
        self.reader = threading.Thread(target=self.read_on)
        self.reader.start()

    def read_on(self):
        while not self.ended:
            try:
                if self.net.running(KEEPER) and self.net.status(KEEPER):
                    self.read()
            except (Finding, subprocess.TimeoutExpired) as found:
                self.problem = self.problem or found
            time.sleep(0.3)

    def close(self):
        self.ended = True
        self.reader.join()

    def read(self):
        with self.one:
            self.read_now()

    def read_now(self):
        if not (self.net.home(KEEPER) / "data/wal").exists():
            return  # a kill of another node came before it had begun its store
        done = subprocess.run([self.net.binary, "log", "--home", str(self.net.home(KEEPER)), "--from",
                               str(len(self.lines))], capture_output=True, timeout=LEVEL)
        if done.returncode != 0:
            raise Finding("the log of the keeper cannot be read: " + done.stderr.decode(errors="replace"))
        for line in done.stdout.split(b"\n")[:-1]:
            position, _, text = line.split(b" ", 2)
            if int(position) != len(self.lines):
                raise Finding(f"the keeper's log has position {int(position)} behind {len(self.lines) - 1}")
            self.lines.append(hashlib.sha256(line).digest())
            self.texts.append(hashlib.sha256(text).digest())

    def reaches(self, length):
        end = time.monotonic() + PATIENCE
        while len(self.lines) < length and time.monotonic() < end:
            self.read()
        return len(self.lines) >= length

    def check_disk(self, node):
        """The dead node's log is a part of this one. It may end before what the node acknowledged: a commit follows
        from blocks, which are durable first, and is made again from them at the next start."""
        lines = self.net.dead_log(node)
        end = 0
        for line in lines:
            position = int(line.split(b" ", 1)[0])
            if end not in (0, position):
                raise Finding(f"the log of node {node} has position {position} behind {end - 1}")
            end = position + 1
        if not self.reaches(end):
            raise Finding(f"node {node} has position {end - 1}, the keeper {len(self.lines)} after {PATIENCE} s")
        for line in lines:
            position = int(line.split(b" ", 1)[0])
            if hashlib.sha256(line).digest() != self.lines[position]:
                raise Finding(f"FORK: node {node} has {line[:80]!r}, which is not the keeper's")
        return len(lines)

    def check_acknowledged(self, clients):
        if clients.wrong or self.problem:
            raise Finding(clients.wrong or self.problem)
        for position, text in list(clients.acknowledged.items()):
            if position >= len(self.texts):
                continue
            if hashlib.sha256(text.encode()).digest() != self.texts[position]:
                raise Finding(f"acknowledged at {position}: {text[:40]!r}; the log has something else there")


class Run:
    """Kills in one network, and what is checked after each."""

    def __init__(self, net, draw, note):
        self.net, self.draw, self.note = net, draw, note
        self.clients, self.archive = Clients(net, step=2000), Archive(net)
        self.read = [0] * NODES  # how much of what a node said was looked at

    def killed(self, node):
        """After a kill of the node."""
        self.net.gone(node)
        self.note["done"] += 1
        for what, found in (("unfinished snapshot", "*.partial"), ("state that comes", "*.incoming")):
            self.note[what] += any((self.net.home(node) / "data/snapshots").glob(found))
        self.archive.read()
        self.note["compared"] += self.archive.check_disk(node)
        self.archive.check_acknowledged(self.clients)
        self.check_said()

    def check_said(self):
        for node in range(NODES):
            path = self.net.folder / f"log{node}"
            text = path.read_text(errors="replace") if path.exists() else ""
            if found := FALSE.search(text, self.read[node]):
                raise Finding(f"node {node} said: {text[max(0, found.start() - 300):found.end() + 200]}")
            self.read[node] = len(text)

    def start_and_kill(self, node, doing, patience):
        """Under strace at a record, or after a time; returns how."""
        if self.draw.random() < 0.7:
            calls, count = self.draw.choice(CALLS[doing]), int(2 ** (self.draw.random() * 7))
            self.net.start(node, strace((calls, f"signal=SIGKILL:when={count}")))
            try:
                self.net.process[node].wait(timeout=patience)
            except subprocess.TimeoutExpired:
                self.net.kill(node)
            return f"{doing}, at record {count} of {calls}"
        self.net.start(node)
        time.sleep(self.draw.random() * patience)
        self.net.kill(node)
        return f"{doing}, after a time"

    def kill_now(self, node):
        if self.net.running(node):
            self.net.kill(node)
            self.killed(node)

    def while_it_prunes(self, node):
        self.kill_now(node)
        for _ in range(self.draw.randrange(1, 4)):
            self.note["way"] = self.start_and_kill(node, "prunes", 6)
            self.killed(node)

    def while_it_joins(self, node, empty):
        """Away until the others have pruned what it needs; with what it had, or with nothing."""
        if self.net.process[node] is not None:
            self.kill_now(node)
        if empty and (self.net.home(node) / "data").exists():
            shutil.rmtree(self.net.home(node) / "data")
        length = self.net.length_on_disk(node)
        others = [other for other in VICTIMS if other != node]
        self.net.wait("the others have pruned what it needs", lambda: all(
            (self.net.status(other) or {"begins": 0})["begins"] > length for other in (KEEPER, *others)))
        giver = self.draw.choice(others) if self.draw.random() < 0.25 else None
        for _ in range(self.draw.randrange(1, 4)):
            if giver is not None:
                self.kill_now(giver)
            self.note["way"] = self.start_and_kill(node, "joins", 8) + (", empty" if empty else ", away")
            self.killed(node)
            if giver is not None:
                self.net.start(giver)

    def one(self):
        """One to some kills of one node; then it is level again."""
        node = NEWCOMER if self.net.observers else self.draw.choice(VICTIMS)
        self.note["victim"] = node
        if node in self.net.observers:
            self.while_it_joins(node, empty=self.draw.random() < 0.7)
        elif self.net.process[node] is None or self.draw.random() < 0.5:
            self.while_it_joins(node, empty=False)
        else:
            self.while_it_prunes(node)
        before = self.net.said(node).count("took its state from peers")
        self.net.start(node)
        self.net.became_level(self.clients)
        self.note["levels"] += 1
        self.note["entered"] += self.net.said(node).count("took its state from peers") - before

    def all(self, kills, until, mode):
        began = self.note["done"]
        try:
            for node in range(NODES):
                if mode != "new" or node != NEWCOMER:
                    self.net.start(node)
            if mode == "observes":
                self.net.wait("all run", lambda: all(map(self.net.status, range(NODES))))
                self.net.kill(NEWCOMER)
                self.net.gone(NEWCOMER)
                self.net.observers.add(NEWCOMER)
            if mode == "new":
                self.while_it_joins(NEWCOMER, empty=True)
                self.net.start(NEWCOMER)
                self.net.became_level(self.clients)
            while self.note["done"] < began + kills and time.monotonic() < until:
                self.one()
            self.clients.close()  # what is acknowledged meanwhile the keeper may not have yet
            if not self.archive.reaches(max(self.clients.acknowledged, default=-1) + 1):
                raise Finding("what was acknowledged last is in nobody's log")
            self.archive.check_acknowledged(self.clients)
            self.check_said()
            self.note["acknowledged"] += len(self.clients.acknowledged)
        finally:
            self.clients.close()
            self.archive.close()


def network(given, turn, seed, kills, until, note):
    """One network with its kills; 0, or 1 after a finding."""
    protocol = given.protocol or PROTOCOLS[turn % len(PROTOCOLS)]
    draw = random.Random(f"{protocol} {seed}")
    tool = pathlib.Path(given.binary).parent / "bench_life_node"
    mode = draw.choice(("new", "signs", "observes"))
    large = tool.exists() and mode != "observes" and draw.random() < 0.5
    folder = pathlib.Path(tempfile.mkdtemp(prefix=f"life-kills-{protocol}-", dir=given.scratch))
    net = LifeNetwork(given.binary, protocol, folder / "net", draw, str(tool) if large else None)
    try:
        Run(net, draw, note).all(kills, until, mode)
    except (Finding, subprocess.TimeoutExpired) as found:
        print(f"FOUND {protocol}, seed {seed}, {mode}, node {note['victim']} ({note['way']}): {found}\n"
              f"  kept: {folder}\n  again: {sys.argv[0]} {given.binary} --protocol {protocol} --cycles {kills} "
              f"--seed {seed}", flush=True)
        return 1
    finally:
        net.close()
    shutil.rmtree(folder)
    print(f"{protocol}, seed {seed}, {mode}{', large' if large else ''}: {note['done']} kills in all, nothing found",
          flush=True)
    return 0


def run(given):
    if shutil.which("strace") is None or subprocess.run([*strace(), "true"], capture_output=True).returncode != 0:
        print("no strace(1) here that may trace: nothing was tried", file=sys.stderr)
        return 77
    start = time.monotonic()
    until = start + given.minutes * 60 if given.minutes else float("inf")
    left = given.cycles or sys.maxsize
    note = {"done": 0, "levels": 0, "entered": 0, "compared": 0, "acknowledged": 0, "unfinished snapshot": 0,
            "state that comes": 0, "victim": None, "way": ""}
    for turn in range(sys.maxsize):
        if note["done"] >= left or time.monotonic() >= until:
            break
        kills = min(left - note["done"], PER_NETWORK)
        if network(given, turn, given.seed + turn, kills, until, note):
            return 1
    print(f"{note['done']} kills in {time.monotonic() - start:.0f} s ({note['unfinished snapshot']} with an unfinished "
          f"snapshot, {note['state that comes']} while a state came), {note['levels']} times level again, "
          f"{note['entered']} of them by a state from peers; {note['acknowledged']} transactions acknowledged, "
          f"{note['compared']} lines of dead nodes' logs compared: nothing found")
    return 0


if __name__ == "__main__":
    sys.exit(side_by_side(parsed(__doc__, PROTOCOLS, "kills in all"), run))
