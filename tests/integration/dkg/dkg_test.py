#!/usr/bin/env python3
"""`thresher dkg`: the nodes of a network make its coin among themselves; what it writes, says and keeps to itself."""
import base64
import json
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
        home = [] if "--home" in more else ["--home", str(self.home(node))]
        process = subprocess.Popen([BINARY, "dkg", *home, *map(str, more)],
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

    def make(self):
        """The coin of the network; its group key."""
        processes = [self.begin(node, "--json") for node in range(NODES)]
        said = [p.communicate(timeout=100) for p in processes]
        self.assertEqual([p.returncode for p in processes], [0] * NODES, said)
        return json.loads(said[0][0])["group_key"]

    def successor(self, before):
        """Another network, whose node i is node before[i] of this one, or a new one (None)."""
        other = self.net.parent / "next"
        out = run("testnet", "init", "-n", len(before), "-o", other, "--base-port", "0", "--protocol", "mahi-mahi")
        self.assertEqual(out.returncode, 0, out.stderr)
        old = json.loads((self.net / "genesis.json").read_text())
        new = json.loads((other / "genesis.json").read_text())
        for node, was in enumerate(before):
            if was is not None:
                new["nodes"][node]["key"] = old["nodes"][was]["key"]
                shutil.copy(self.home(was) / "node.key", other / f"node{node}" / "node.key")
        (other / "genesis.json").write_text(json.dumps(new))
        return other

    def begin_in(self, network, node, was):
        old = [] if was is None else ["--old-share", self.home(was) / "coin.key"]
        return self.begin(0, "--home", network / f"node{node}", "--keep", self.net / "genesis.json", *old, "--json")

    def keeps(self, network, before, kills=0):
        """The new network's group key; `kills`: how often node 0 is killed on the way."""
        processes = [self.begin_in(network, node, was) for node, was in enumerate(before)]
        for kill in range(kills):
            time.sleep(0.05 + 0.07 * kill)
            processes[0].kill()
            processes[0].communicate()
            processes[0] = self.begin_in(network, 0, before[0])
        said = [p.communicate(timeout=100) for p in processes]
        self.assertEqual([p.returncode for p in processes], [0] * len(before), said)
        told = [json.loads(out) for out, _ in said]
        genesis = json.loads((network / "genesis.json").read_text())
        old = json.loads((self.net / "genesis.json").read_text())
        self.assertFalse(set(genesis["coin"]["keys"]) & set(old["coin"]["keys"]), "shares are new")
        for node in range(len(before)):
            share = network / f"node{node}" / "coin.key"
            self.assertEqual(stat.S_IMODE(share.stat().st_mode), 0o600)
            self.assertFalse((network / f"node{node}" / "dkg").exists())
            self.assertEqual(run("config", "check", "--home", network / f"node{node}").returncode, 0)
        return {one["group_key"] for one in told if not one["was_there"]}

    def test_keeps_the_key_of_a_committee_that_changed(self):
        group = self.make()
        before = [1, 2, 3, 0, None]
        self.assertEqual(self.keeps(self.successor(before), before, kills=6), {group})

    def test_gives_a_node_that_lost_its_share_another_one(self):
        group = self.make()
        network = self.successor([0, 1, 2, 3])
        (self.home(3) / "coin.key").unlink()
        processes = [self.begin_in(network, node, node) for node in range(3)]
        processes.append(self.begin(0, "--home", network / "node3", "--keep", self.net / "genesis.json", "--json"))
        said = [p.communicate(timeout=100) for p in processes]
        self.assertEqual([p.returncode for p in processes], [0] * NODES, said)
        self.assertEqual({json.loads(out).get("group_key", group) for out, _ in said}, {group})
        self.assertEqual(run("config", "check", "--home", network / "node3").returncode, 0)

    def test_says_what_is_wrong_with_a_key_that_is_to_stay(self):
        self.make()
        network = self.successor([0, 1, 2, None])

        def refused(*more):
            out = run("dkg", "--home", network / "node0", "--patience", 1, *more)
            self.assertNotEqual(out.returncode, 0)
            return out.stderr

        old = self.net / "genesis.json"
        self.assertIn("give both", refused("--old-share", self.home(0) / "coin.key"))
        self.assertIn("names no coin keys", refused("--keep", network / "genesis.json"))
        self.assertIn("is not the share of node 0", refused("--keep", old, "--old-share", self.home(1) / "coin.key"))
        self.assertIn("3 nodes of the new committee hold shares", refused("--keep", old))
        none = run("dkg", "--home", network / "node3", "--keep", old, "--old-share", self.home(3) / "coin.key")
        self.assertIn("is no member of", none.stderr)

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
