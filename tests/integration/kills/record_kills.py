#!/usr/bin/env python3
"""kill -9 at every durable record of a node that takes snapshots, prunes its log, and starts again.

  record_kills.py BINARY --cycles 200 --seed 1         # that many kills
  record_kills.py BINARY --minutes 60 --seed 7 [--protocol thresher]

A network of one real node needs no other to commit, so a kill and what is checked after it take a second, and thousands of
records can be tried one after another: kill_at.cpp ends the process at its first, its second, ... record since its start, whole
or half written, or as a power cut does, after which the disk has forgotten some of what was not synced. Clients submit all the
time. The node takes a snapshot every few slots, keeps as little of its log as it can, and most kills come before it has mended
what the last one left; an eighth are of nodes that start for the first time. Seeds 5k to 5k + 4 together try each of the first
records. An eighth are kills at the records of pruning: clients rest when a node is about to prune for the first time after a
start, so that there are few others then.

After each kill what the disk has of the end of the log is in one piece, is what it was before, byte for byte, and has what was
acknowledged at its position. After each one to three kills the node starts undisturbed and must commit again, which
shows that nothing acknowledged was lost with a commit that was not written yet; then all of its log is read. After a kill in pruning
the first position of the log is proved: there an index shows that it has lost something. In the end a proof is made and checked.

Exit: 0 nothing found; 1 a finding, with the command to repeat it; 2 wrong use. What a run does follows from the seed, but not what the
machine's scheduler adds."""
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

from kills import PATIENCE, Finding, held_ports, parsed, side_by_side

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "clients" / "python"))
import thresher_client  # noqa: E402

PROTOCOLS = ("thresher", "mysticeti", "mahi-mahi", "anchored-bullshark", "bullshark", "sparse-bullshark", "bullshark-async",
             "honeybadger", "pbft", "simplex", "hotstuff2", "raft")
PARTS = 5  # of the records that are tried; a network has one of them
PER_NETWORK = 160  # records of a part, and kills
REST = 2.4  # seconds after a start when clients rest
PRUNES = 2900  # milliseconds after a start: nodes prune after 3 s and then each second (net/src/node/pruning.cpp)
RECORDS = [str(1 + n) for n in range(PARTS * PER_NETWORK)]  # from a start on: a second or two of this load
PRUNING = 40  # records that a node makes when it prunes and nobody submits
EACH = 8  # of so many kills one is in pruning
FIRST = 100  # records of a node's first start among which one is drawn
RUNS = 5  # seconds in which a record that does not come is waited for
CLIENTS = 3
READ_AGAIN = 200  # positions of those that were read before
# What no kill may bring about. A node whose disk lost the end of a record says so; that is no damage.
FALSE = re.compile(r"is damaged|contradicts its|cannot be read back|is not what its manifest|not the one that a quorum|which the log does not have so")


class Alone:
    """A network of one node, and its log as it was seen so far."""

    def __init__(self, given, protocol, folder, draw):
        self.binary, self.library, self.folder, self.home = given.binary, given.library, folder, folder / "node0"
        made = self.run("testnet", "init", "-n", 1, "-o", folder, "--base-port", held_ports.take(1), "--protocol", protocol,
                        "--dealer", "--set", f"checkpoint={draw.choice((4, 8))}")
        if made.returncode != 0:
            raise Finding("testnet init: " + made.stderr)
        self.gateway = f"127.0.0.1:{held_ports.take(1)}"
        path = self.home / "node.toml"
        text = re.sub(r'(\[gateway\]\s*address = )""', rf'\g<1>"{self.gateway}"', path.read_text())
        for key, value in (("gc_rounds", 16), ("sync_rounds", 8), ("checkpoints", draw.choice((1, 2))), ("segment_bytes", 1 << 20),
                           ("snapshots", draw.choice((1, 2, 3)))):
            text = re.sub(rf"(?m)^{key} = \d+", f"{key} = {value}", text)
        path.write_text(text)
        self.process, self.lines, self.read, self.end = None, {}, 0, 0
        self.begins = 0  # where the log began when it was pruned last

    def run(self, *arguments, text=None):
        return subprocess.run([self.binary, *map(str, arguments)], input=text, capture_output=True, text=True, timeout=2 * PATIENCE)

    def start(self, kill_at=None):
        """`kill_at`: as kill_at.cpp reads it."""
        more = {"LD_PRELOAD": str(self.library), "THRESHER_KILL_AT": kill_at} if kill_at else {}
        with open(self.folder / "log", "ab") as log:
            self.process = subprocess.Popen([self.binary, "node", "run", "--home", str(self.home)], stdout=log, stderr=log,
                                            env={**os.environ, **more})

    def said(self):
        return (self.folder / "log").read_text(errors="replace")

    def killed(self, when_run=None):
        """Waits for a kill at a record; kills it after so many seconds otherwise. Whether it was at the record."""
        at_record = True
        try:
            self.process.wait(timeout=when_run)
        except subprocess.TimeoutExpired:
            at_record = False
            self.kill()
        if self.process.returncode != -9:
            raise Finding(f"the node ended by itself with {self.process.returncode}: {self.said()[-600:]}")
        return at_record

    def kill(self):
        self.process.kill()
        self.process.wait()

    def read_log(self, begin):
        done = subprocess.run([self.binary, "log", "--home", str(self.home), "--from", str(begin)], capture_output=True,
                              timeout=2 * PATIENCE)
        if done.returncode != 0 and begin > 0:
            return self.read_log(0)  # it may begin later now
        if done.returncode != 0:
            raise Finding("the log cannot be read: " + done.stderr.decode(errors="replace"))
        return done

    def check_disk(self, acknowledged, whole=False):
        """What the dead node has of its log, or of the end of it."""
        if not (self.home / "data/wal").exists():
            if self.lines:
                raise Finding("the log is gone")
            return 0
        done = self.read_log(0 if whole else max(0, self.end - READ_AGAIN))
        end, compared = None, 0
        for line in done.stdout.split(b"\n")[:-1]:
            head, _, text = line.split(b" ", 2)
            position = int(head)
            if end is not None and position != end:
                raise Finding(f"the log has position {position} behind {end - 1}")
            end = position + 1
            if self.lines.setdefault(position, line) != line:
                raise Finding(f"position {position} was {self.lines[position][:60]!r} and is {line[:60]!r}")
            told = acknowledged.get(position)
            if told is not None and text.decode() != told:
                raise Finding(f"acknowledged at {position}: {told[:40]!r}; the log has {text[:40]!r}")
            compared += told is not None
        self.end = max(self.end, end or 0)
        self.check_said()
        return compared

    def check_said(self):
        text = self.said()
        if found := FALSE.search(text, self.read):
            raise Finding(f"the node said: {text[max(0, found.start() - 300):found.end() + 200]}")
        self.read = len(text)

    def status(self):
        done = self.run("node", "status", "--home", self.home, "--json")
        return json.loads(done.stdout) if done.returncode == 0 else None

    def check_front(self):
        """What the dead node's index has where its log began. A start reads none of that behind a snapshot, and who reads the file
        alone does not see what the index has lost."""
        def prove(position):
            return self.run("log", "prove", "--home", self.home, "--position", position)

        proof = prove(self.begins)
        # It was pruned further; and what is proved begins with a whole leaf of the tree.
        for words in (r"was pruned: the log of this node begins at position (\d+)", r"can be proved from position (\d+) on"):
            if later := re.search(words, proof.stderr):
                proof = prove(later[1])
        if proof.returncode != 0 and not re.search("certif|computed", proof.stderr):
            raise Finding(f"where the log began, position {self.begins}, is proved with: {proof.stderr}")

    def wait_until_pruned(self):
        before, end = (self.status() or {"begins": 0})["begins"], time.monotonic() + PATIENCE
        while (now := (self.status() or {"begins": 0})["begins"]) <= before:
            if time.monotonic() > end:
                raise Finding(f"nothing was pruned after {PATIENCE} s: {self.said()[-600:]}")
            time.sleep(0.05)
        self.begins = now

    def prove(self):
        """A position that is certified. A network so young that it has none proves nothing."""
        status = self.status() or {"begins": 0, "length": 0}
        position = (status["begins"] + status["length"]) // 2
        proof = self.run("log", "prove", "--home", self.home, "--position", position)
        if proof.returncode != 0 and re.search("certif|computed|not kept|begins", proof.stderr):
            return
        checked = self.run("verify-proof", "-", "--genesis", self.folder / "genesis.json", text=proof.stdout)
        if proof.returncode != 0 or checked.returncode != 0:
            raise Finding(f"position {position} is proved with: {proof.stderr}{checked.stderr}")


class Clients:
    """They submit all the time, each as soon as its last one has an outcome."""

    def __init__(self, net):
        self.net, self.acknowledged, self.wrong, self.ended = net, {}, None, False
        self.rest_from = float("inf")
        self.threads = [threading.Thread(target=self.work, args=(who,)) for who in range(CLIENTS)]
        for thread in self.threads:
            thread.start()

    def work(self, who):
        client = thresher_client.Client(self.net.gateway, timeout=PATIENCE)
        turn = 0
        while not self.ended:
            if time.monotonic() > self.rest_from:
                time.sleep(0.01)
                continue
            turn += 1
            text = f"{who}.{turn} " + "x" * (turn % 13 * 300)
            try:
                receipt = client.submit(text.encode())
            except (thresher_client.Unreachable, thresher_client.Unknown, thresher_client.Refused):
                time.sleep(0.01)  # it was killed, or is not ready
                continue
            if self.acknowledged.setdefault(receipt.position, text) != text:
                self.wrong = f"position {receipt.position} was acknowledged for two transactions"

    def wait_for_more(self):
        """Until the node, which runs undisturbed, commits what comes now."""
        before, end = len(self.acknowledged), time.monotonic() + PATIENCE
        while len(self.acknowledged) < before + 3:
            if self.net.process.poll() is not None:
                raise Finding(f"the node ended by itself: {self.net.said()[-600:]}")
            if time.monotonic() > end:
                raise Finding(f"nothing is committed after {PATIENCE} s: {self.net.said()[-600:]}")
            time.sleep(0.01)

    def close(self):
        self.ended = True
        if self.net.process is not None and self.net.process.poll() is None:
            self.net.kill()  # or its last answer is waited for
        for thread in self.threads:
            thread.join()


def heal(net, clients):
    """Undisturbed: what was acknowledged is in the log again, though its commit may not have been on the disk."""
    told = max(clients.acknowledged, default=-1)
    clients.rest_from = float("inf")  # they work
    net.start()
    clients.wait_for_more()
    if (net.status() or {"length": 0})["length"] <= told:
        raise Finding(f"position {told} was acknowledged, and the log has fewer")
    if clients.wrong:
        raise Finding(clients.wrong)


def many_kills(net, draw, records, until, note):
    clients = Clients(net)
    try:
        heal(net, clients)
        net.wait_until_pruned()
        net.kill()
        left = 0
        for turn, record in enumerate(records):
            if time.monotonic() >= until:
                break
            prunes = turn % EACH == EACH - 1
            clients.rest_from = time.monotonic() + REST if prunes else float("inf")
            if prunes:
                record = f"{draw.randint(1, PRUNING)}@{PRUNES}"
            note["way"] = f"{record}{draw.choice(('', ',torn', ',cut'))}"
            net.start(note["way"])
            at_record = net.killed(RUNS)
            note["at a record"] += at_record
            note["in pruning"] += at_record and prunes
            note["done"] += 1
            note["unfinished"] += any((net.home / "data/snapshots").glob("*.partial"))
            note["compared"] += net.check_disk(clients.acknowledged)
            if prunes:
                net.check_front()
            left = left - 1 if left > 0 else draw.randrange(3)
            if left == 0:
                heal(net, clients)
                if prunes:
                    net.wait_until_pruned()  # or the log would grow and grow
                net.kill()
                net.check_disk(clients.acknowledged, whole=True)
        heal(net, clients)
        net.prove()
        note["acknowledged"] += len(clients.acknowledged)
    finally:
        clients.close()


def first_starts(given, protocol, folder, draw, kills, note):
    """Kills of nodes that were never started before; each then starts, and commits."""
    for turn in range(kills):
        net = Alone(given, protocol, folder / f"first{turn}", draw)
        clients = Clients(net)
        try:
            note["way"] = kill_at = f"{draw.randrange(1, FIRST)}{draw.choice(('', ',torn', ',cut'))}"
            net.start(kill_at)
            note["at a record"] += net.killed(RUNS)
            note["done"] += 1
            net.check_disk(clients.acknowledged)
            heal(net, clients)
        finally:
            clients.close()
        shutil.rmtree(net.folder)


def network(given, protocol, seed, kills, until, note):
    """One network with its kills; 0, or 1 after a finding."""
    draw = random.Random(f"{protocol} {seed}")
    records, part = list(RECORDS), seed % PARTS * PER_NETWORK
    random.Random(f"{protocol} {seed // PARTS}").shuffle(records)
    folder = pathlib.Path(tempfile.mkdtemp(prefix=f"record-kills-{protocol}-", dir=given.scratch))
    fresh = kills // 8
    try:
        first_starts(given, protocol, folder, draw, fresh, note)
        many_kills(Alone(given, protocol, folder / "net", draw), draw, records[part:part + kills - fresh], until, note)
    except (Finding, subprocess.TimeoutExpired) as found:
        print(f"FOUND {protocol}, seed {seed} (record {note['way']}): {found}\n  kept: {folder}\n  again: {sys.argv[0]} {given.binary} "
              f"--protocol {protocol} --cycles {kills} --seed {seed}", flush=True)
        return 1
    shutil.rmtree(folder)
    print(f"{protocol}, seed {seed}: {note['done']} kills in all, nothing found", flush=True)
    return 0


def own_options(arguments):
    arguments.add_argument("--library", type=pathlib.Path, help="libkill_at.so (default: beside the binary)")


def run(given):
    given.library = (given.library or pathlib.Path(given.binary).parent / "libkill_at.so").resolve()
    if not given.library.exists():
        print(f"record_kills.py: {given.library} is missing: build the target kill_at", file=sys.stderr)
        return 2
    protocols = [given.protocol] if given.protocol else PROTOCOLS
    began = time.monotonic()
    until = began + given.minutes * 60 if given.minutes else float("inf")
    note = {"done": 0, "at a record": 0, "unfinished": 0, "compared": 0, "acknowledged": 0, "in pruning": 0, "way": ""}
    networks = 0
    while note["done"] < (given.cycles or sys.maxsize) and time.monotonic() < until:
        kills = min((given.cycles or sys.maxsize) - note["done"], PER_NETWORK if given.minutes else -(-given.cycles // len(protocols)))
        if network(given, protocols[networks % len(protocols)], given.seed + networks, kills, until, note):
            return 1
        networks += 1
    print(f"{note['done']} kills in {time.monotonic() - began:.0f} s, {note['at a record']} of them at the record ({note['unfinished']} with an "
          f"unfinished snapshot, {note['in pruning']} in pruning); {note['acknowledged']} transactions acknowledged, {note['compared']} times "
          f"compared with what dead nodes have on disk: nothing found")
    return 0


if __name__ == "__main__":
    sys.exit(side_by_side(parsed(__doc__, PROTOCOLS, "kills in all", own_options), run))
