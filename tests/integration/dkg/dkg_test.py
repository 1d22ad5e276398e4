#!/usr/bin/env python3
"""`thresher dkg`: the nodes of a network make its coin among themselves; what it writes, says and keeps to itself."""
import base64
import json
import os
import pathlib
import re
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import time
import unittest

BINARY = sys.argv.pop(1) if len(sys.argv) > 1 and not sys.argv[1].startswith("-") else "thresher"
NODES = 4


def run(*arguments, timeout=120):
    return subprocess.run([BINARY, *map(str, arguments)], capture_output=True, text=True, timeout=timeout)


def core_pages(pid):
    """The bytes of every area of memory that a core dump would take."""
    begin = end = readable = None
    with open(f"/proc/{pid}/mem", "rb", buffering=0) as memory:
        for line in pathlib.Path(f"/proc/{pid}/smaps").read_text().splitlines():
            head = re.match(r"([0-9a-f]+)-([0-9a-f]+) (\S+) ", line)
            if head:
                begin, end, readable = int(head[1], 16), int(head[2], 16), head[3][0] == "r"
            elif line.startswith("VmFlags:") and readable and "dd" not in line.split():
                try:
                    memory.seek(begin)
                    yield memory.read(end - begin)
                except (OSError, OverflowError, ValueError):
                    continue  # the kernel's own: no core has it either


class Network(unittest.TestCase):
    """Four nodes without a coin."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.net = pathlib.Path(folder.name, "net")
        out = run("testnet", "init", "-n", NODES, "-o", self.net, "--base-port", "0", "--protocol", "mahi-mahi")
        self.assertEqual(out.returncode, 0, out.stderr)
        self.assertIn("thresher dkg --home", out.stdout)

    def home(self, node):
        return self.net / f"node{node}"

    def begin(self, node, *more):
        process = subprocess.Popen([BINARY, "dkg", "--home", str(self.home(node)), *map(str, more)],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process


class Dkg(Network):
    def test_makes_the_coin_of_a_network_that_runs_on_it(self):
        refused = run("node", "run", "--home", self.home(0))
        self.assertEqual(refused.returncode, 2)
        self.assertIn("thresher dkg", refused.stderr)

        processes = [self.begin(node, "--json") for node in range(NODES)]
        said = [p.communicate(timeout=100) for p in processes]
        for process, (out, err) in zip(processes, said):
            self.assertEqual(process.returncode, 0, err)
            self.assertEqual(err, "")  # no warning in a run without faults
        groups = {json.loads(out)["group_key"] for out, _ in said}
        self.assertEqual(len(groups), 1)
        genesis = json.loads((self.net / "genesis.json").read_text())
        self.assertEqual(len(genesis["coin"]["keys"]), NODES)
        self.assertEqual(genesis["coin"]["threshold"], 3)
        for node in range(NODES):
            share = self.home(node) / "coin.key"
            self.assertEqual(stat.S_IMODE(share.stat().st_mode), 0o600)
            self.assertFalse((self.home(node) / "dkg").exists())
            secret = share.read_text().split()[-1]
            for out, err in said:
                self.assertNotIn(secret, out + err)
            self.assertEqual(run("config", "check", "--home", self.home(node)).returncode, 0)
        again = run("dkg", "--home", self.home(1))
        self.assertEqual(again.returncode, 0, again.stderr)
        self.assertIn("already", again.stdout)

    def test_who_was_killed_before_its_share_was_safe_gets_it_from_those_who_have_theirs(self):
        # Three make the coin without the fourth; their folders stay for it.
        early = [self.begin(node, "--json", "--linger", 1) for node in range(3)]
        for process in early:
            out, err = process.communicate(timeout=100)
            self.assertEqual(process.returncode, 0, err)
            self.assertFalse(json.loads(out)["all_done"])
        for node in range(3):
            self.assertTrue((self.home(node) / "dkg" / "seed.key").exists())
        again = [self.begin(node, "--json") for node in range(NODES)]
        for node, process in enumerate(again):
            out, err = process.communicate(timeout=100)
            self.assertEqual((process.returncode, err), (0, ""))
            said = json.loads(out)
            self.assertEqual((said["was_there"], said["all_done"]), (node < 3, True))
            self.assertFalse((self.home(node) / "dkg").exists())
            self.assertEqual(run("config", "check", "--home", self.home(node)).returncode, 0)

    def test_two_at_one_home_do_not_make_two_seeds(self):
        first, second = self.begin(0, "--patience", 3), self.begin(0, "--patience", 3)
        said = sorted(p.communicate(timeout=100)[1] for p in (first, second))
        self.assertEqual({first.returncode, second.returncode}, {1})
        self.assertTrue(any("another process" in text for text in said), said)
        self.assertTrue(any("links to 0 of 3" in text for text in said), said)

    def test_keeps_what_shares_follow_from_out_of_cores(self):
        # One of four: it has dealt and waits for others.
        process = self.begin(0)
        seed_file = self.home(0) / "dkg" / "seed.key"
        end = time.monotonic() + 30
        while not (seed_file.exists() and seed_file.read_text().strip().endswith("-----")):
            self.assertLess(time.monotonic(), end)
            time.sleep(0.02)
        time.sleep(1)
        self.assertEqual(stat.S_IMODE(seed_file.stat().st_mode), 0o600)
        pem = seed_file.read_text().splitlines()
        seed = base64.b64decode("".join(pem[1:-1]))[16:48]
        process.send_signal(signal.SIGSTOP)
        self.addCleanup(process.send_signal, signal.SIGCONT)
        try:
            pages = list(core_pages(process.pid))
        except PermissionError:
            self.skipTest("may not read the memory of a child here")
        self.assertTrue(any(b"seed.key" in page or b"node0" in page for page in pages))
        self.assertFalse(any(seed in page for page in pages))

    def test_says_what_is_wrong(self):
        gone = run("dkg", "--home", self.home(0), "--patience", 1)
        self.assertEqual(gone.returncode, 1)
        self.assertIn("links to 0 of 3", gone.stderr)
        other = self.net.parent / "other"
        self.assertEqual(run("testnet", "init", "-n", 4, "-o", other, "--base-port", "0").returncode, 0)
        tossless = run("dkg", "--home", other / "node0")
        self.assertEqual(tossless.returncode, 1)
        self.assertIn("tosses no coins", tossless.stderr)


class Keep(Network):
    """A committee of four that made its coin becomes one of five: nodes 1, 2, 3 and 0 of before, and a new one."""

    STAYS = {0: 1, 1: 2, 2: 3, 3: 0}

    def setUp(self):
        super().setUp()
        self.old = self.net
        made = [self.begin(node, "--json") for node in range(NODES)]
        self.group = {json.loads(p.communicate(timeout=100)[0])["group_key"] for p in made}.pop()
        self.net = self.old.parent / "next"
        out = run("testnet", "init", "-n", 5, "-o", self.net, "--base-port", "0", "--protocol", "mahi-mahi")
        self.assertEqual(out.returncode, 0, out.stderr)
        before = json.loads((self.old / "genesis.json").read_text())
        path = self.net / "genesis.json"
        genesis = json.loads(path.read_text())
        for now, then in self.STAYS.items():
            genesis["nodes"][now]["key"] = before["nodes"][then]["key"]
            shutil.copy(self.old / f"node{then}" / "node.key", self.home(now) / "node.key")
        path.write_text(json.dumps(genesis))

    def share(self, then):
        return self.old / f"node{then}" / "coin.key"

    def options(self, node, lost=()):
        then = self.STAYS.get(node)
        share = [] if then is None or node in lost else ["--old-share", self.share(then)]
        return ["--json", "--keep", self.old / "genesis.json", *share]

    def all_keep(self, processes):
        for node, process in enumerate(processes):
            out, err = process.communicate(timeout=100)
            self.assertEqual((process.returncode, err), (0, ""))
            self.assertEqual(json.loads(out).get("group_key", self.group), self.group)
        genesis = json.loads((self.net / "genesis.json").read_text())
        self.assertEqual(len(genesis["coin"]["keys"]), 5)
        self.assertEqual(genesis["coin"]["threshold"], 4)
        shares = set()
        for node in range(5):
            share = self.home(node) / "coin.key"
            self.assertEqual(stat.S_IMODE(share.stat().st_mode), 0o600)
            shares.add(share.read_text())
            self.assertEqual(run("config", "check", "--home", self.home(node)).returncode, 0)
        self.assertEqual(len(shares | {self.share(then).read_text() for then in range(4)}), 9)

    def test_the_public_key_stays_and_the_shares_do_not(self):
        self.all_keep([self.begin(node, *self.options(node)) for node in range(5)])
        again = run("dkg", "--home", self.home(4), "--keep", self.old / "genesis.json")
        self.assertEqual((again.returncode, again.stderr), (0, ""))
        self.assertIn("already", again.stdout)
        own = run("dkg", "--home", self.home(4), "--keep", self.net / "genesis.json")
        self.assertEqual(own.returncode, 2)
        self.assertIn("is of the network that this node belongs to", own.stderr)

    def test_who_lost_its_share_gets_a_new_one(self):
        self.all_keep([self.begin(node, *self.options(node, lost=[2])) for node in range(5)])

    def test_kills_at_any_time_do_not_stop_it(self):
        for trial in range(6):
            processes = [self.begin(node, *self.options(node)) for node in range(5)]
            time.sleep(0.1 + 0.15 * trial)
            for process in processes:
                process.kill()
                process.communicate()
        self.all_keep([self.begin(node, *self.options(node)) for node in range(5)])

    def test_a_run_goes_on_as_what_it_began_as(self):
        self.assertEqual(run("dkg", "--home", self.home(0), *self.options(0), "--patience", 1).returncode, 1)
        other = run("dkg", "--home", self.home(0), "--patience", 1)
        self.assertEqual(other.returncode, 1)
        self.assertIn(f"keeps the key {self.group}", other.stderr)
        self.assertIn("makes a new key", other.stderr)

    def test_says_what_is_wrong(self):
        old = self.old / "genesis.json"
        for said, *more in [
            ("give --keep as well", "--old-share", self.share(1)),
            ("none.json", "--keep", self.old / "none.json"),
            ("names no coin", "--keep", self.net / "genesis.json"),
            ("is that of node 2", "--keep", old, "--old-share", self.share(2)),
            ("none.key", "--keep", old, "--old-share", self.old / "none.key"),
            ("node.key", "--keep", old, "--old-share", self.old / "node1" / "node.key"),
        ]:
            out = run("dkg", "--home", self.home(0), *more)
            self.assertEqual(out.returncode, 2, (more, out.stdout, out.stderr))
            self.assertIn(said, out.stderr)
        out = run("dkg", "--home", self.home(4), "--keep", old, "--old-share", self.share(1))
        self.assertEqual(out.returncode, 2)
        self.assertIn("leave --old-share out", out.stderr)
        os.chmod(self.share(1), 0o644)
        out = run("dkg", "--home", self.home(0), "--keep", old, "--old-share", self.share(1))
        self.assertEqual(out.returncode, 2)
        self.assertIn("coin.key", out.stderr)
        fewer = json.loads(old.read_text())
        del fewer["coin"]
        old.write_text(json.dumps(fewer))
        out = run("dkg", "--home", self.home(0), "--keep", old)
        self.assertEqual(out.returncode, 2)
        self.assertIn("names no coin", out.stderr)

    def test_too_few_stay(self):
        genesis = json.loads((self.net / "genesis.json").read_text())
        made = run("keys", "new", self.net.parent / "stranger.key")
        self.assertEqual(made.returncode, 0, made.stderr)
        genesis["nodes"][1]["key"] = re.search("[0-9a-f]{64}", made.stdout)[0]
        (self.net / "genesis.json").write_text(json.dumps(genesis))
        out = run("dkg", "--home", self.home(0), *self.options(0))
        self.assertEqual(out.returncode, 1)
        self.assertIn("old", out.stderr)


if __name__ == "__main__":
    unittest.main()
