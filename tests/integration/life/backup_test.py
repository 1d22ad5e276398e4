#!/usr/bin/env python3
"""`thresher node backup` as an operator runs it: what it says is what a restore reads; two at once; a disk that is full."""
import json
import pathlib
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest

BINARY = sys.argv.pop(1)
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import held_ports  # noqa: E402
TRANSACTIONS = 40


def run(*arguments, **more):
    return subprocess.run([BINARY, *map(str, arguments)], capture_output=True, text=True, timeout=120, **more)


class Backup(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.root = pathlib.Path(cls.folder.name)
        cls.net = cls.root / "net"
        cls.home = cls.net / "node0"
        made = run("testnet", "init", "-n", 4, "-o", cls.net, "--base-port", held_ports.take(4))
        assert made.returncode == 0, made.stderr
        nodes = []
        for i in range(4):
            with open(cls.root / f"log{i}", "wb") as log:
                nodes.append(subprocess.Popen([BINARY, "node", "run", "--home", cls.net / f"node{i}"], stdout=log, stderr=log))
        try:
            # 12 MiB, so that a copy takes a while and fills a small disk.
            lines = "".join(f"{k} {'x' * 200_000}\n" for k in range(TRANSACTIONS))
            submitted = run("submit", "--home", cls.home, "--file", "-", "--timeout", "60s", input=lines)
            assert submitted.returncode == 0, submitted.stderr
        finally:
            for node in nodes:
                node.send_signal(signal.SIGTERM)
            for node in nodes:
                node.wait(timeout=60)

    def positions(self, home):
        """Of the log in a home, as `thresher log` reads it."""
        done = run("log", "--home", home, "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        return [json.loads(line)["position"] for line in done.stdout.splitlines()]

    def restored(self, copy):
        """A home with what is in a copy."""
        home = pathlib.Path(tempfile.mkdtemp(dir=self.net))
        shutil.copytree(self.home, home, ignore=shutil.ignore_patterns("data"), dirs_exist_ok=True)
        shutil.copytree(copy / "data", home / "data")
        return home

    def test_the_range_that_is_told_is_what_a_restore_reads(self):
        copy = self.root / "told"
        done = run("node", "backup", self.home, f"{copy}/")
        self.assertEqual(done.returncode, 0, done.stderr)
        first, last = map(int, re.match(r"positions (\d+) to (\d+) of the log", done.stdout).groups())
        positions = self.positions(self.restored(copy))
        self.assertEqual(positions, list(range(first, last + 1)))
        self.assertGreaterEqual(len(positions), TRANSACTIONS)
        self.assertEqual([p.name for p in copy.iterdir()], ["data"])

    # The second removed what the first was writing, and a copy without a log was told of as made.
    def test_of_two_at_once_one_is_whole_and_the_other_says_why_not(self):
        there = self.positions(self.home)
        for k in range(5):
            copy = self.root / f"twice{k}"
            both = [subprocess.Popen([BINARY, "node", "backup", self.home, copy], stdout=subprocess.PIPE,
                                     stderr=subprocess.PIPE, text=True) for _ in range(2)]
            ends = [(p.communicate(timeout=120)[1], p.returncode) for p in both]
            self.assertEqual(sorted(code for _, code in ends), [0, 1], ends)
            for error, code in ends:
                if code:
                    self.assertRegex(error, "another backup to '.*' runs; wait|is there already; name a folder")
            self.assertEqual(self.positions(self.restored(copy)), there)
            self.assertFalse(copy.with_name(f"twice{k}.partial").exists())

    def test_what_is_not_of_a_backup_is_left_alone(self):
        theirs = self.root / "mine.partial"
        (theirs / "photos").mkdir(parents=True)
        (theirs / "photos" / "a").write_text("precious")
        done = run("node", "backup", self.home, self.root / "mine")
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertIn("is no partial backup of this release; move it away", done.stderr)
        self.assertEqual((theirs / "photos" / "a").read_text(), "precious")

    def test_one_that_was_killed_keeps_nobody_from_the_next(self):
        copy = self.root / "killed"
        for _ in range(5):
            killed = subprocess.Popen([BINARY, "node", "backup", self.home, copy], stdout=subprocess.PIPE)
            while killed.poll() is None and not copy.with_name("killed.partial").exists():
                pass
            killed.kill()
            killed.communicate(timeout=60)
            done = run("node", "backup", self.home, self.root / "killed")
            if done.returncode == 0:
                self.assertFalse(copy.with_name("killed.partial").exists())
            else:
                self.assertIn("is there already", done.stderr)  # it was killed when the copy had its name
            self.assertEqual(self.positions(self.restored(copy)), self.positions(self.home))
            shutil.rmtree(copy)

    def test_a_full_disk_is_told_as_what_it_is(self):
        copy = self.root / "full"

        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (2_000_000, 2_000_000))
        done = run("node", "backup", self.home, copy, preexec_fn=limit)
        self.assertEqual(done.returncode, 5, done.stderr)
        self.assertRegex(done.stderr, "cannot write '.*wal': File too large; free space")
        self.assertFalse(copy.exists())
        self.assertFalse(copy.with_name("full.partial").exists())


if __name__ == "__main__":
    unittest.main()
