#!/usr/bin/env python3
"""`thresher dkg`: the nodes of a network make its coin among themselves; what it writes, says and keeps to itself."""
import base64
import json
import pathlib
import re
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


class Dkg(unittest.TestCase):
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


if __name__ == "__main__":
    unittest.main()
