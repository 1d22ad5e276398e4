#!/usr/bin/env python3
"""A node whose log is pruned and whose snapshots are all damaged: what it says, and what docs/operations.md says to do."""
import json
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

BINARY = sys.argv.pop(1)
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import held_ports  # noqa: E402
PRUNES = {"checkpoints": 2, "snapshots": 1, "gc_rounds": 64, "sync_rounds": 32, "segment_bytes": 1 << 20}


def run(*arguments, **more):
    return subprocess.run([BINARY, *map(str, arguments)], capture_output=True, text=True, timeout=120, **more)


class LostSnapshots(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.net = pathlib.Path(folder.name, "net")
        made = run("testnet", "init", "-n", 4, "-o", self.net, "--set", "checkpoint=8", "--base-port", held_ports.take(4))
        self.assertEqual(made.returncode, 0, made.stderr)
        for node in range(4):
            toml = self.home(node) / "node.toml"
            text = toml.read_text()
            for key, value in PRUNES.items():
                text, found = re.subn(rf"(?m)^{key} = \d+", f"{key} = {value}", text)
                self.assertEqual(found, 1, key)
            toml.write_text(text)
        self.processes = {}

    def home(self, node):
        return self.net / f"node{node}"

    def start(self, node, *more):
        log = open(self.net / f"log{node}", "wb")
        self.addCleanup(log.close)
        process = subprocess.Popen([BINARY, "node", "run", "--home", self.home(node), *more], stdout=log, stderr=log)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        self.processes[node] = process

    def stop(self, node):
        self.processes[node].send_signal(signal.SIGTERM)
        self.assertEqual(self.processes[node].wait(timeout=60), 0)

    def said(self, node):
        return (self.net / f"log{node}").read_text()

    def status(self, node):
        out = run("node", "status", "--home", self.home(node), "--json")
        return json.loads(out.stdout) if out.returncode == 0 else None

    def eventually(self, what, condition, seconds=60):
        end = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > end:
                self.fail(f"{seconds} s have passed without: {what}\n{self.said(3)[-2000:]}")
            time.sleep(0.2)

    def submit(self):
        done = run("submit", "--home", self.home(0), "--file", "-", input="".join(f"{k} {'x' * 3000}\n" for k in range(20)))
        self.assertEqual(done.returncode, 0, done.stderr)

    def level(self):
        def same():
            found = [self.status(node) for node in range(4)]
            return all(found) and len({(s["length"], s["log_hash"]) for s in found}) == 1
        self.eventually("all have one log", same)

    def spoil(self):
        """Flips a bit in each file of each snapshot."""
        files = [file for file in (self.home(3) / "data/snapshots").rglob("*") if file.is_file()]
        self.assertTrue(files)
        for file in files:
            content = bytearray(file.read_bytes())
            content[len(content) // 2] ^= 1
            file.write_bytes(content)

    def test_the_node_says_so_and_both_ways_on_work(self):
        for node in range(4):
            self.start(node)
        self.eventually("all answer", lambda: all(self.status(node) for node in range(4)))
        rounds = 0
        while (self.status(3) or {}).get("begins", 0) == 0:
            self.submit()
            rounds += 1
            self.assertLess(rounds, 200)
        self.level()
        self.stop(3)
        copy = self.net / "copy"
        self.assertEqual(run("node", "backup", self.home(3), copy).returncode, 0)
        self.spoil()
        self.submit()

        refused = run("node", "run", "--home", self.home(3))
        self.assertEqual(refused.returncode, 2, refused.stderr)
        self.assertRegex(refused.stderr, "begins at position [1-9][0-9]*, and no snapshot in '.*' gives the application's state")
        self.assertIn("is damaged", refused.stderr)
        again = run("node", "run", "--home", self.home(3))
        self.assertEqual(again.returncode, 2, "nothing was changed by the first")
        aside = self.net / "aside"
        shutil.copytree(self.home(3) / "data", aside)

        # The snapshots alone, out of a backup: all else is the newest.
        shutil.rmtree(self.home(3) / "data/snapshots")
        shutil.copytree(copy / "data/snapshots", self.home(3) / "data/snapshots")
        self.start(3)
        self.eventually("the node answers", lambda: self.status(3) is not None)
        self.submit()
        self.level()
        self.assertTrue(self.status(3)["ready"])
        self.stop(3)

        # Without a backup: with an empty folder it takes its state from its peers and signs nothing.
        shutil.rmtree(self.home(3) / "data")
        self.submit()
        self.start(3, "--observe")
        self.eventually("the node answers", lambda: self.status(3) is not None)
        self.level()
        self.assertIn("observes", json.dumps(self.status(3)))


if __name__ == "__main__":
    unittest.main()
