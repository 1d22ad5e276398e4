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
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import held_ports  # noqa: E402
NODES = 4
LONG = "THRESHER_LONG" in os.environ  # the slow test, which kills at twice as many moments


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
        out = run("testnet", "init", "-n", NODES, "-o", self.net, "--base-port", held_ports.take(NODES), "--protocol", "mahi-mahi")
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
        self.assertIn(groups.pop(), again.stdout)
        self.share_that_is_gone()

    def share_that_is_gone(self):
        """The coin is made: a node whose share is not there, or not its own, does not make another one."""
        share, genesis = self.home(2) / "coin.key", (self.net / "genesis.json").read_text()
        good = share.read_bytes()
        other = (self.home(1) / "coin.key").read_bytes()
        for content, said in ((None, "is missing"), (good[:40], "truncated"), (b"", "truncated"),
                              (other, "another node's")):
            share.unlink()
            if content is not None:
                share.write_bytes(content)
                share.chmod(0o600)
            refused = run("dkg", "--home", self.home(2), "--patience", 60, timeout=20)
            self.assertEqual(refused.returncode, 1, said)
            for words in ("names a coin", said, str(share), "--keep", "dkg.md"):
                self.assertIn(words, refused.stderr)
            self.assertFalse((self.home(2) / "dkg").exists())
            if content is None:
                share.touch()
        share.write_bytes(good)
        self.assertEqual(run("dkg", "--home", self.home(2)).returncode, 0)
        self.assertEqual((self.net / "genesis.json").read_text(), genesis)
        # Another share where no coin is named is none that a run could give.
        plain = json.loads(genesis)
        del plain["coin"]
        (self.net / "genesis.json").write_text(json.dumps(plain))
        refused = run("dkg", "--home", self.home(2), "--patience", 60, timeout=20)
        self.assertEqual(refused.returncode, 1)
        self.assertIn("share of another coin already", refused.stderr)
        self.assertIn("move ", refused.stderr)

    def test_a_linked_genesis_file_stays_a_link(self):
        real = self.net.parent / "real.json"
        link = self.net / "genesis.json"
        link.rename(real)
        link.symlink_to("../real.json")
        processes = [self.begin(node) for node in range(NODES)]
        for process in processes:
            _, err = process.communicate(timeout=100)
            self.assertEqual(process.returncode, 0, err)
        self.assertTrue(link.is_symlink())
        self.assertIn("coin", json.loads(real.read_text()))

    def test_who_was_killed_before_its_share_was_safe_gets_it_from_those_who_have_theirs(self):
        # Three make the coin without the fourth; their folders stay for it.
        early = [self.begin(node, "--json", "--linger", 1) for node in range(3)]
        for process in early:
            out, err = process.communicate(timeout=100)
            self.assertEqual(process.returncode, 0, err)
            self.assertFalse(json.loads(out)["all_done"])
        for node in range(3):
            self.assertTrue((self.home(node) / "dkg" / "seed.key").exists())
        # They leave once all are done; the time is for a machine that stands still for a while.
        again = [self.begin(node, "--json", "--linger", 80) for node in range(NODES)]
        for node, process in enumerate(again):
            out, err = process.communicate(timeout=100)
            self.assertEqual((process.returncode, err), (0, ""))
            said = json.loads(out)
            self.assertEqual((said["was_there"], said["all_done"]), (node < 3, True))
            self.assertFalse((self.home(node) / "dkg").exists())
            self.assertEqual(run("config", "check", "--home", self.home(node)).returncode, 0)

    def test_a_part_of_a_share_is_none_while_its_run_goes_on(self):
        """A kill between creating and writing coin.key left one, and the advice was a backup or another epoch."""
        early = [self.begin(node, "--linger", 1) for node in range(3)]
        for process in early:
            _, err = process.communicate(timeout=100)
            self.assertEqual(process.returncode, 0, err)
        share, genesis = self.home(0) / "coin.key", self.net / "genesis.json"
        whole, named = share.read_bytes(), genesis.read_text()
        plain = json.loads(named)
        del plain["coin"]
        # They give it its share again, and stay for the fourth.
        others = [self.begin(node, "--patience", 200) for node in (1, 2)]
        lengths = range(len(whole)) if LONG else (0, 10, 40, len(whole) - 1)
        for length in lengths:
            # The others may have named the coin in the file that all share, or not yet.
            genesis.write_text(named if length % 4 == 0 else json.dumps(plain))
            share.write_bytes(whole[:length])
            again = run("dkg", "--home", self.home(0), "--linger", 0)
            self.assertEqual((again.returncode, again.stderr), (0, ""), length)
            self.assertEqual(share.read_bytes(), whole)
            self.assertEqual(json.loads(genesis.read_text()), json.loads(named))
        # What is no part of this run's share is somebody's, and stays.
        other = whole[:30] + (b"0" if whole[30:31] != b"0" else b"1")
        share.write_bytes(other)
        refused = run("dkg", "--home", self.home(0), "--linger", 0)
        self.assertEqual(refused.returncode, 1)
        self.assertEqual(share.read_bytes(), other)
        for process in others:
            process.kill()
            process.communicate()

    def test_a_kill_while_a_finished_run_is_removed_leaves_no_damaged_one(self):
        """What is left of it is removed by the next start, whichever part that is."""
        made = [self.begin(node) for node in range(NODES)]
        for process in made:
            process.communicate(timeout=100)
        for left in ("seed.key", "seed.key.pub", "data/wal"):
            part = self.home(0) / "dkg.done" / left
            part.parent.mkdir(parents=True)
            part.write_text("a part")
            again = run("dkg", "--home", self.home(0))
            self.assertEqual((again.returncode, again.stderr), (0, ""))
            self.assertFalse((self.home(0) / "dkg.done").exists())
            self.assertFalse((self.home(0) / "dkg").exists())

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

    def test_times_that_are_too_long(self):
        for option in ("--patience", "--linger"):
            for seconds in (31_536_001, 10**10, 2**33, 2**63, 2**64 - 1):
                out = run("dkg", "--home", self.home(0), option, seconds, timeout=20)
                self.assertEqual(out.returncode, 2)
                self.assertIn(f"{option} {seconds} is more than a year", out.stderr)

    def test_says_what_of_its_folder_is_damaged(self):
        folder = self.home(0) / "dkg"
        self.assertEqual(run("dkg", "--home", self.home(0), "--patience", 1).returncode, 1)
        seed = (folder / "seed.key").read_bytes()
        for gone in (["seed.key"], ["seed.key", "seed.key.pub"], ["seed.key.pub"]):
            kept = {name: (folder / name).read_bytes() for name in gone}
            for name in gone:
                (folder / name).unlink()
            refused = run("dkg", "--home", self.home(0), "--patience", 1)
            self.assertEqual(refused.returncode, 1)
            self.assertIn("seed.key", refused.stderr)
            self.assertIn("Put the file of this folder back", refused.stderr)
            for name, content in kept.items():
                (folder / name).write_bytes(content)
                (folder / name).chmod(0o600)
        self.assertEqual((folder / "seed.key").read_bytes(), seed)
        # As a kill leaves it: the mark is there, and the seed not under its name yet.
        shutil.rmtree(folder / "data")
        (folder / "seed.key").rename(folder / "seed.key.new")
        again = run("dkg", "--home", self.home(0), "--patience", 3)
        self.assertIn("links to 0 of 3", again.stderr)
        self.assertNotEqual((folder / "seed.key").read_bytes(), seed)
        wal = folder / "data" / "wal"
        content = bytearray(wal.read_bytes())
        content[24] ^= 1  # of the head: frames follow it
        wal.write_bytes(content)
        shutil.rmtree(folder / "data" / "index")
        damaged = run("dkg", "--home", self.home(0), "--patience", 1)
        self.assertEqual(damaged.returncode, 1)
        self.assertIn("is damaged at byte", damaged.stderr)
        self.assertIn("thresher dkg anew", damaged.stderr)
        self.assertNotIn("--observe", damaged.stderr)

    def test_says_what_is_wrong(self):
        gone = run("dkg", "--home", self.home(0), "--patience", 1)
        self.assertEqual(gone.returncode, 1)
        self.assertIn("links to 0 of 3", gone.stderr)
        other = self.net.parent / "other"
        self.assertEqual(run("testnet", "init", "-n", 4, "-o", other, "--base-port", held_ports.take(4)).returncode, 0)
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
        out = run("testnet", "init", "-n", 5, "-o", self.net, "--base-port", held_ports.take(5), "--protocol", "mahi-mahi")
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
        for trial in range(0, 6, 1 if LONG else 2):
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

    def test_one_that_keeps_nothing_is_told_apart(self):
        """Its links are refused, and by the others' words because of --keep."""
        # Four of them are enough to keep the key; they need not stay for the fifth.
        processes = [self.begin(node, *(self.options(node) if node else []), "--patience", 4, "--linger", 1)
                     for node in range(5)]
        said = [process.communicate(timeout=100)[1] for process in processes]
        links = [line for line in "".join(said).splitlines() if "the peer's run is another one" in line]
        self.assertTrue(links, said)
        for line in links:
            self.assertIn("--keep", line)
            self.assertTrue("makes a new key" in line or f"keeps the key {self.group}" in line, line)
        self.assertNotIn("the peer has another genesis;", "".join(said))

    def test_too_few_old_shares(self):
        processes = [self.begin(node, *self.options(node, lost=[1, 3]), "--patience", 15) for node in range(5)]
        for process in processes:
            err = process.communicate(timeout=100)[1]
            self.assertEqual(process.returncode, 1)
            self.assertIn("old shares of 3 nodes are needed to keep the key and 2 came, none of the nodes 1, 3", err)
            self.assertIn("--old-share", err)

    def test_a_lost_share_is_replaced_among_the_same_members(self):
        shutil.rmtree(self.net)
        shutil.copytree(self.old, self.net)
        path = self.net / "genesis.json"
        genesis = json.loads(path.read_text())
        del genesis["coin"]
        path.write_text(json.dumps(genesis))
        for node in range(NODES):
            (self.home(node) / "coin.key").unlink()
        processes = [self.begin(node, "--json", "--keep", self.old / "genesis.json",
                                *(["--old-share", self.share(node)] if node != 2 else [])) for node in range(NODES)]
        for node, process in enumerate(processes):
            out, err = process.communicate(timeout=100)
            self.assertEqual((process.returncode, err), (0, ""))
            self.assertEqual(json.loads(out)["group_key"], self.group)
            self.assertEqual(run("config", "check", "--home", self.home(node)).returncode, 0)

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
