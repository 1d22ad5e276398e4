#!/usr/bin/env python3
"""kill -9 as a test of every state: catch-up, adoption, snapshots, garbage collection, slow disks.

  kills.py BINARY --cycles 30 --seed 1                 # that many kills of each protocol
  kills.py BINARY --minutes 60 --seed 7 --protocol raft

Four real nodes keep little (gc_rounds, sync_rounds), clients go on all the time, and one node after
the other is killed: at a durable record (strace lets a call that writes, syncs or renames end the
process), or after a random time, with a slow disk or not, after a stop of a random length, while it
stops, while it mends what its disk has changed, after it was paused, or all at once. Every few slots have a checkpoint and a
snapshot of the running node, so kills meet those too. In half of the networks each life's protocol does again what it did,
from its journal. After each kill the log on the dead node's disk must begin as the others' logs
do, byte for byte, and hold what was acknowledged; now and then all must become level. Nothing may
sign twice, and nothing may end by itself.

Exit: 0 nothing found; 1 a finding, with the seed and the command to repeat it; 2 wrong use; 77 no
strace here. What a run does follows from the seed, but not what the machine's scheduler adds."""
import argparse
import json
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import held_ports  # noqa: E402

PROTOCOLS = ("thresher", "mysticeti", "mahi-mahi", "bullshark", "anchored-bullshark", "sparse-bullshark",
             "bullshark-async", "pbft", "raft", "simplex", "hotstuff2", "honeybadger")
READ_WHOLE = ("pbft", "raft", "simplex", "hotstuff2", "honeybadger")  # their records, at a start: a damaged one stops it
OPTIONS = {"honeybadger": ((), ("--set", "encrypt=on"))}  # of a network, one by draw
NODES = 4
SYNC_ROUNDS = 16  # a node further behind fetches the log, in most networks
CHECKPOINT_SLOTS = 16  # every one of them with a snapshot of the running node
PER_NETWORK = 40  # kills before a network is made anew, so that reading its log stays quick
PATIENCE = 60  # seconds for what must happen
SEEDS_OF_A_JOB = 10_000
CALLS = ("pwritev2", "fdatasync", "fsync", "rename,renameat,renameat2", "pwrite64,write", "ftruncate,fallocate")


class Finding(Exception):
    pass


def strace(*inject):
    out = ["strace", "-f", "-qq", "-o", "/dev/null"]
    for calls, what in inject:
        out += ["-e", f"inject={calls}:{what}"]
    return out


class Network:
    def __init__(self, binary, protocol, folder, draw, checkpoint=CHECKPOINT_SLOTS):
        self.binary, self.protocol, self.folder = binary, protocol, folder
        gc_rounds, sync_rounds = draw.choice(((32, SYNC_ROUNDS), (32, SYNC_ROUNDS), (20, 128), (50, 128)))
        own = draw.choice(OPTIONS.get(protocol, ((),)))
        self.journals = draw.random() < 0.5  # what each life did is done again from its journal
        done = self.run("testnet", "init", "-n", str(NODES), "-o", folder, "--base-port", held_ports.take(NODES),
                        "--protocol", protocol, "--dealer", "--set", f"checkpoint={checkpoint}", *own)
        if done.returncode != 0:
            raise Finding("testnet init: " + done.stderr)
        for node in range(NODES):
            path = self.home(node) / "node.toml"
            text = re.sub(r"gc_rounds = \d+", f"gc_rounds = {gc_rounds}", path.read_text())
            text = re.sub(r"(\[snapshots\]\s*checkpoints = )\d+", r"\g<1>1", text)
            text = re.sub(r"(?m)^threads = \d+", f"threads = {draw.choice((1, 1, 2, 4))}", text)
            path.write_text(re.sub(r"sync_rounds = \d+", f"sync_rounds = {sync_rounds}", text))
        self.process = [None] * NODES
        self.wrapped = [False] * NODES
        self.sent = [set() for _ in range(NODES)]  # signals that this life of a node may end by

    def run(self, *arguments, text=None, timeout=PATIENCE * 2):
        return subprocess.run([self.binary, *map(str, arguments)], input=text, capture_output=True, text=True,
                              timeout=timeout)

    def home(self, node):
        return self.folder / f"node{node}"

    def said(self, node):
        return (self.folder / f"log{node}").read_text(errors="replace")

    def command(self, node):
        return [self.binary, "node", "run", "--home", str(self.home(node)), *["--journal"] * self.journals]

    def start(self, node, under=()):
        with open(self.folder / f"log{node}", "ab") as log:
            self.process[node] = subprocess.Popen([*under, *self.command(node)], stdout=log, stderr=log)
        self.wrapped[node] = bool(under)
        self.sent[node] = {signal.SIGKILL}  # what traces it may send that one

    def running(self, node):
        return self.process[node] is not None and self.process[node].poll() is None

    def orders(self, node):
        """Whether clients may give it something."""
        return self.running(node)

    def pid(self, node):
        """Of the node itself, not of what traces it; None when it is gone."""
        process = self.process[node]
        if not self.wrapped[node]:
            return process.pid
        try:
            children = pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
        except OSError:
            return None
        return int(children[0]) if children else None

    def kill(self, node, how=signal.SIGKILL):
        pid = self.pid(node) if self.running(node) else None
        if pid is not None:
            try:
                os.kill(pid, how)
                self.sent[node].add(how)
            except ProcessLookupError:
                pass

    def gone(self, node):
        """Waits for the end. A node ends in order when it was asked to, or by a signal: also by the one that asks,
        when that comes before the process can listen to it."""
        status = self.process[node].wait(timeout=PATIENCE)
        by_signal = {-how for how in self.sent[node]} | {128 + how for how in self.sent[node]}
        if status != 0 and status not in by_signal:
            raise Finding(f"node {node} ended by itself with {status}: {self.said(node)[-600:]}")
        if self.journals:
            self.replay(node)

    def replay(self, node):
        """The protocol does again what it did in the life that just ended."""
        if not any((self.home(node) / "journal").glob("journal-*")):
            return  # killed before it had started
        done = self.run("node", "replay", "--home", self.home(node))
        too_early = "says not what was recorded" in done.stderr or "is no journal" in done.stderr
        if done.returncode != 0 and not too_early:
            raise Finding(f"node {node} does something else from its journal: {done.stdout}{done.stderr}")

    def status(self, node):
        done = self.run("node", "status", "--home", self.home(node), "--json")
        return json.loads(done.stdout) if done.returncode == 0 else None

    def log(self, node):
        if not (self.home(node) / "data/wal").exists():
            return b""  # killed before it wrote anything; what it acknowledged would be missed
        done = subprocess.run([self.binary, "log", "--home", str(self.home(node))], capture_output=True,
                              timeout=PATIENCE * 2)
        if done.returncode != 0:
            raise Finding(f"the log of node {node} cannot be read: " + done.stderr.decode(errors="replace"))
        return done.stdout

    def prove(self, length):
        """What is certified is proved by every node, whatever it was started from."""
        position = length // 2
        for node in range(NODES):
            proof = self.run("log", "prove", "--home", self.home(node), "--position", position)
            if proof.returncode != 0 and re.search("certif|computed", proof.stderr):
                continue  # not so far yet, or not computed here
            checked = self.run("verify-proof", "-", "--genesis", self.folder / "genesis.json", text=proof.stdout)
            if proof.returncode != 0 or checked.returncode != 0:
                raise Finding(f"node {node} proves position {position} with: {proof.stderr}{checked.stderr}")

    def level(self):
        """Waits until all nodes hold one log, and compares it byte by byte."""
        end = time.monotonic() + PATIENCE
        while True:
            found = [self.status(node) for node in range(NODES)]
            if all(found) and len({s["log_hash"] for s in found}) == 1:
                if len({s["state_hash"] for s in found}) != 1:
                    raise Finding("one log, but the applications differ: " + json.dumps(found))
                self.prove(found[0]["length"])
                logs = [self.log(node) for node in range(NODES)]
                longest = max(logs, key=len)
                if not all(longest.startswith(log) for log in logs):
                    raise Finding("level, but the logs differ")
                if len(set(logs)) == 1:
                    return longest
                continue  # something was ordered while they were read, one after another
            for node in range(NODES):
                if not self.running(node):
                    raise Finding(f"node {node} ended by itself: {self.said(node)[-600:]}")
            if time.monotonic() > end:
                raise Finding(f"not level after {PATIENCE} s: " + json.dumps(found))
            time.sleep(0.1)

    def close(self):
        for node in range(NODES):
            self.kill(node)
        for process in filter(None, self.process):
            try:
                process.wait(timeout=10)
            except subprocess.TimeoutExpired:
                process.kill()


def damage(net, node, draw):
    """Writes over payloads of the node's log on its disk; returns where, and what stood there. Each stands there
    once: what a crash left of a block that was not ordered is nobody's to mend."""
    path = net.home(node) / "data/wal"
    content = path.read_bytes()
    texts = [line.split(b" ", 2)[-1] for line in net.log(node).split(b"\n")[:-1]]
    found = {}
    with open(path, "r+b") as wal:
        for text in draw.sample(texts, min(len(texts), 12)):
            if content.count(text) == 1:
                found[content.index(text)] = text
                wal.seek(content.index(text))
                wal.write(b"?" * len(text))
    return found


def wait_until_mended(net, node, damaged):
    """All that was damaged stands in the node's log again as it was."""
    end = time.monotonic() + PATIENCE
    content = b""
    while any(not content.startswith(text, at) for at, text in damaged.items()):
        if time.monotonic() > end:
            left = sorted(at for at, text in damaged.items() if not content.startswith(text, at))
            raise Finding(f"node {node} has not mended bytes {left} of its log after {PATIENCE} s: "
                          f"{net.said(node)[-600:]}")
        time.sleep(0.1)
        content = (net.home(node) / "data/wal").read_bytes()


class Clients:
    """Submit all the time, at nodes that run, and note what was acknowledged at which position."""

    def __init__(self, net, step=100):
        self.net, self.acknowledged = net, {}
        self.step = step  # bytes by which transactions differ in size
        self.by_node = [-1] * NODES  # the last position that a node acknowledged
        self.wrong, self.ended = None, False
        self.free = threading.Lock()  # held while they pause
        self.threads = [threading.Thread(target=self.work, args=(node,)) for node in range(NODES)]
        for thread in self.threads:
            thread.start()

    def work(self, node):
        turn = 0
        while not self.ended:
            with self.free:
                pass
            if not self.net.orders(node):
                time.sleep(0.05)
                continue
            turn += 1
            texts = [f"{node}.{turn}.{i} " + "x" * (turn % 7 * self.step) for i in range(1 + turn % 5)]
            command = [self.net.binary, "submit", "--home", str(self.net.home(node)), "--file", "-"]
            client = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                      stderr=subprocess.DEVNULL, text=True)
            try:
                out, _ = client.communicate("".join(t + "\n" for t in texts), timeout=1)
            except subprocess.TimeoutExpired:  # its node was killed, or is behind: what it was told counts
                client.kill()
                out, _ = client.communicate()
            for line, text in zip(out.split("\n")[:-1], texts):
                if line.isdigit():
                    self.by_node[node] = max(self.by_node[node], int(line))
                if line.isdigit() and self.acknowledged.setdefault(int(line), text) != text:
                    self.wrong = f"position {line} was acknowledged for two transactions"

    def close(self):
        self.ended = True
        for thread in self.threads:
            thread.join()


def check_acknowledged(clients, log):
    if clients.wrong:
        raise Finding(clients.wrong)
    lines = log.decode().split("\n")[:-1]
    for position, text in list(clients.acknowledged.items()):
        if position < len(lines) and not lines[position].endswith(" " + text):
            raise Finding(f"acknowledged at {position}: {text[:40]!r}; the log has {lines[position][:60]!r}")
    return len(lines)


def check_prefix(net, victim, reference):
    """The log on the dead node's disk is a beginning of the others'; returns what they have."""
    mine = net.log(victim)
    others = [node for node in range(NODES) if node != victim and net.running(node)]
    end = time.monotonic() + PATIENCE
    while others and len(reference) < len(mine) and time.monotonic() < end:
        reference = max((net.log(node) for node in others), key=len)
    if not reference.startswith(mine[:len(reference)]) or (others and len(reference) < len(mine)):
        ours, theirs = mine.split(b"\n"), reference.split(b"\n")
        at = next((i for i, (a, b) in enumerate(zip(ours, theirs)) if a != b), min(len(ours), len(theirs)))
        raise Finding(f"FORK: node {victim} has {ours[at:at + 1]} at line {at}, the others {theirs[at:at + 1]}")
    return reference


def highest_slot(net, victim):
    told = [net.status(node) for node in range(NODES) if node != victim and net.running(node)]
    return max((one["slot"] for one in told if one), default=0)


def stay_away(net, victim, slots):
    """Until the others have gone on so far; slots and not seconds, for a busy machine makes few of them."""
    target, end = highest_slot(net, victim) + slots, time.monotonic() + PATIENCE / 2
    while highest_slot(net, victim) < target and time.monotonic() < end:
        time.sleep(0.2)


def catch_up(net, victim):
    """Until the node is where the others were when it began; without a quorum they stay where they are."""
    target, end = highest_slot(net, victim), time.monotonic() + PATIENCE
    while (net.status(victim) or {"slot": -1})["slot"] < target:
        if time.monotonic() > end:
            raise Finding(f"node {victim} is not level after {PATIENCE} s: {net.said(victim)[-600:]}")
        time.sleep(0.1)


def start_others(net, victim):
    """Where the node is to catch up: what it lacks it gets from two of them at least."""
    for node in range(NODES):
        if node != victim and not net.running(node):
            net.start(node)


def kill_while_it_mends(net, victim, draw):
    """What the disk has changed under a whole log is written again; kills do not stop that for good."""
    start_others(net, victim)
    if not net.running(victim):
        net.start(victim)
    catch_up(net, victim)
    net.kill(victim, signal.SIGTERM)  # the index covers all: else damage ends the log, or the start
    net.gone(victim)
    damaged = damage(net, victim, draw)
    for _ in range(3):
        net.start(victim)
        time.sleep(0.05 + draw.random() * 0.4)
        net.kill(victim)
        net.gone(victim)
    net.start(victim)
    catch_up(net, victim)
    wait_until_mended(net, victim, damaged)
    net.kill(victim)
    net.gone(victim)
    return f"while it mends {len(damaged)} payloads"


def kill_after_a_pause(net, victim, draw):
    """The process stops for a while and goes on. Who gave it transactions before keeps the connection, and gets
    an answer for each."""
    start_others(net, victim)
    if not net.running(victim):
        net.start(victim)
    catch_up(net, victim)
    texts = "".join(f"before a pause {draw.random()} {i}\n" for i in range(40))
    client = subprocess.Popen([net.binary, "submit", "--home", str(net.home(victim)), "--file", "-"],
                              stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    client.stdin.write(texts)
    client.stdin.flush()
    time.sleep(draw.random() * 0.2)
    net.kill(victim, signal.SIGSTOP)
    stay_away(net, victim, draw.choice((3, 6, 12)) * SYNC_ROUNDS)
    net.kill(victim, signal.SIGCONT)
    try:
        client.communicate(timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        client.kill()
        raise Finding(f"what node {victim} took before it was paused has no answer after {PATIENCE} s: "
                      f"{client.communicate()[0].count(chr(10))} of 40") from None
    net.kill(victim)
    net.gone(victim)
    return "after a pause"


def one_kill(net, victim, draw):
    """Starts the node, if it is not running, and kills it in some state. Returns what was done."""
    way = draw.choice(("in the catch-up", "in the catch-up", "in the catch-up", "after the catch-up", "record", "record",
                       "record", "time", "slow", "while it stops", "all at once", "while it mends", "after a pause"))
    if way == "while it mends" and net.protocol in READ_WHOLE:
        way = "time"
    if way == "while it mends":
        return kill_while_it_mends(net, victim, draw)
    if way == "after a pause":
        return kill_after_a_pause(net, victim, draw)
    if way == "all at once":
        for node in range(NODES):
            net.kill(node)
        for node in range(NODES):
            if net.process[node] is not None:
                net.gone(node)
        for node in range(NODES):
            net.start(node)
        time.sleep(draw.random())
        net.kill(victim)
        net.gone(victim)
        return way
    if net.running(victim):
        net.kill(victim)
        net.gone(victim)
    if way.endswith("the catch-up"):
        start_others(net, victim)
        stay_away(net, victim, draw.choice((3, 6)) * SYNC_ROUNDS)
    else:
        time.sleep(draw.choice((0, 0.5, 2)))
    if way == "after the catch-up":
        net.start(victim)
        catch_up(net, victim)
        net.kill(victim, draw.choice((signal.SIGTERM, signal.SIGKILL)))
        net.gone(victim)
        net.start(victim)  # what was fetched must be there, and readable
        time.sleep(draw.random())
    elif way == "in the catch-up":
        before = net.said(victim).count("fetching the log")
        net.start(victim)
        end = time.monotonic() + 3
        while net.said(victim).count("fetching the log") == before and time.monotonic() < end:
            time.sleep(0.002)
        time.sleep(draw.random() ** 2 * 0.4)
    elif way == "record":
        calls, count = draw.choice(CALLS), int(2 ** (draw.random() * 7))
        net.start(victim, strace((calls, f"signal=SIGKILL:when={count}")))
        way += f" {count} of {calls}"
        try:
            net.process[victim].wait(timeout=4)
        except subprocess.TimeoutExpired:
            net.kill(victim)
    elif way == "slow":
        delay = draw.choice((5, 20, 80))
        net.start(victim, strace(("pwritev2,fdatasync", f"delay_enter={delay * 1000}")))
        way += f" by {delay} ms"
        time.sleep(0.3 + draw.random() * 2)
    else:
        net.start(victim)
        time.sleep(0.02 + draw.random() * 1.2)
        if way == "while it stops":
            net.kill(victim, signal.SIGTERM)
            time.sleep(draw.random() * 0.05)
    net.kill(victim)
    net.gone(victim)
    return way


def many_kills(net, draw, kills, until, note):
    clients = Clients(net)
    reference = b""
    try:
        for node in range(NODES):
            net.start(node)
        for kill in range(kills):
            if time.monotonic() > until:
                break
            victim = draw.randrange(NODES)
            note.update(kill=kill, victim=victim, way="")
            note["way"] = one_kill(net, victim, draw)
            reference = check_prefix(net, victim, reference)
            check_acknowledged(clients, reference)
            note["done"] += 1
            if draw.random() < 0.3:
                net.start(victim)  # else it stays away until its next turn
            if kill % 8 == 7:
                bring_level(net, clients)
        log = bring_level(net, clients)
        if check_acknowledged(clients, log) < max(clients.acknowledged, default=-1) + 1:
            raise Finding("what was acknowledged last is in nobody's log")
        note["acknowledged"] += len(clients.acknowledged)
    finally:
        clients.close()


def bring_level(net, clients):
    with clients.free:
        for node in range(NODES):
            if not net.running(node):
                net.start(node)
        log = net.level()
    for node in range(NODES):
        if "signed two blocks" in net.said(node):
            raise Finding(f"node {node} saw a second signature: {net.said(node)[-600:]}")
    return log


def existing(folder):
    if not os.path.isdir(folder):
        raise argparse.ArgumentTypeError(f"there is no folder '{folder}': make it first")
    return folder


def parsed(about, protocols, cycles, more=lambda arguments: None):
    """The command line of a driver of kills; `cycles` says what that option counts, `more` adds options."""
    arguments = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("binary")
    arguments.add_argument("--protocol", choices=protocols, help="one alone (default: all in turn)")
    arguments.add_argument("--cycles", type=int, help=cycles)
    arguments.add_argument("--minutes", type=float, help="instead: as many kills as fit")
    arguments.add_argument("--seed", type=int, default=1)
    arguments.add_argument("--scratch", type=existing, help="a folder for the networks; that of a finding is kept")
    arguments.add_argument("--jobs", type=int, default=1,
                           help="so many networks at once, for --minutes: job j begins with the seed --seed + %d j" % SEEDS_OF_A_JOB)
    more(arguments)
    given = arguments.parse_args()
    if (given.cycles is None) == (given.minutes is None):
        arguments.error("give either --cycles or --minutes")
    if given.jobs < 1 or (given.jobs > 1 and given.minutes is None):
        arguments.error("--jobs is at least 1, and more than 1 only with --minutes")
    return given


def side_by_side(given, alone):
    """The exit status of `alone(given)`, or of as many drivers as --jobs says. Their last lines make one, since that is the summary."""
    if given.jobs == 1:
        return alone(given)
    drivers = [subprocess.Popen([sys.executable, *sys.argv, "--jobs", "1", "--seed", str(given.seed + job * SEEDS_OF_A_JOB)],
                                stdout=subprocess.PIPE, text=True) for job in range(given.jobs)]
    said = [driver.communicate()[0].splitlines() or ["it said nothing"] for driver in drivers]
    for lines, driver in zip(said, drivers):
        print("\n".join(lines if driver.returncode else lines[:-1]), flush=True)
    print("; ".join(lines[-1] for lines, driver in zip(said, drivers) if driver.returncode == 0))
    return max(driver.returncode for driver in drivers)


def run(given):
    if shutil.which("strace") is None or subprocess.run([*strace(), "true"], capture_output=True).returncode != 0:
        print("no strace(1) here that may trace: nothing was tried", file=sys.stderr)
        return 77
    protocols = [given.protocol] if given.protocol else list(PROTOCOLS)
    start = time.monotonic()
    until = start + given.minutes * 60 if given.minutes else float("inf")
    note = {"done": 0, "acknowledged": 0}
    left = {p: given.cycles if given.cycles else float("inf") for p in protocols}
    turn = 0
    while any(left.values()) and time.monotonic() < until:
        protocol = protocols[turn % len(protocols)]
        kills = int(min(left[protocol], PER_NETWORK))
        left[protocol] -= kills
        seed = given.seed + turn // len(protocols)
        turn += 1
        if kills == 0:
            continue
        folder = pathlib.Path(tempfile.mkdtemp(prefix=f"kills-{protocol}-", dir=given.scratch))
        draw = random.Random(f"{protocol} {seed}")
        net = Network(given.binary, protocol, folder / "net", draw)
        try:
            many_kills(net, draw, kills, until, note)
        except (Finding, subprocess.TimeoutExpired) as found:
            print(f"FOUND {protocol}, seed {seed}, kill {note.get('kill')}, node {note.get('victim')} "
                  f"({note.get('way')}): {found}\n  kept: {folder}\n  again: {sys.argv[0]} {given.binary} "
                  f"--protocol {protocol} --cycles {kills} --seed {seed}", flush=True)
            return 1
        finally:
            net.close()
        shutil.rmtree(folder)
        print(f"{protocol}, seed {seed}: {kills} kills, {note['done']} in all, nothing found", flush=True)
    print(f"{note['done']} kills in {time.monotonic() - start:.0f} s, {note['acknowledged']} transactions "
          "acknowledged: no log differs, nothing acknowledged is lost, nothing signed twice")
    return 0


if __name__ == "__main__":
    sys.exit(side_by_side(parsed(__doc__, PROTOCOLS, "kills of each protocol"), run))
