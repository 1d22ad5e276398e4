#!/usr/bin/env python3
"""A disk that fills up while a node takes snapshots, prunes, and takes its state from peers.

    full_disk_test.py THRESHER_BINARY LIFE_NODE_BINARY RUNNING_TEST_FOLDER [-v]

The nodes are processes with a state of some MiB, under load; the data of node 3 lie on a small disk of its own. Whatever
it is that finds no room, the node says so; it goes on or stops; nothing that was acknowledged is lost; and when there is
room again, it does what it could not do."""
import contextlib
import os
import re
import subprocess
import sys
import threading
import unittest

LIFE_NODE = sys.argv.pop(2)
sys.path.insert(0, sys.argv.pop(2))

from running_test import MIB, SmallDisk, run  # noqa: E402

STATE_MIB = 8
FULL = "No space left on device"


class FullDisk(SmallDisk):
    PARAMETERS = ("--set", "checkpoint=4")

    def setUp(self):
        super().setUp()
        for node in range(4):
            path = self.home(node) / "node.toml"
            text = path.read_text()
            # Node 0 keeps its whole log, which those of the others are held against.
            for key, value in (("gc_rounds", 16), ("sync_rounds", 8), ("checkpoints", 2), ("snapshots", 2 if node else 0),
                               ("segment_bytes", MIB)):
                text = re.sub(rf"(?m)^{key} = \d+", f"{key} = {value}", text)
            path.write_text(text)
        self.acknowledged = {}
        self.goes_on = True
        self.load = threading.Thread(target=self.submit_all_the_time)
        self.addCleanup(self.end_load)

    def command(self, node):
        return [LIFE_NODE, str(self.home(node)), "--state-mib", str(STATE_MIB)]

    def submit_all_the_time(self):
        turn = 0
        while self.goes_on:
            turn += 1
            texts = [f"{turn}.{i} " + "x" * 10_000 for i in range(20)]
            out = run("submit", "--home", self.home(0), "--file", "-", text="".join(t + "\n" for t in texts))
            for line, text in zip(out.stdout.split(), texts):
                self.acknowledged[int(line)] = text

    def end_load(self):
        self.goes_on = False
        if self.load.is_alive():
            self.load.join()

    def begins(self, node):
        return (self.status(node) or {"begins": 0})["begins"]

    def ended(self):
        return self.processes[3].poll() is not None

    def fill(self, data, left):
        """A file that takes all but so many bytes of the disk; it grows with what the node gives back."""
        disk = os.statvfs(data)
        with open(data / "filler", "ab") as out, contextlib.suppress(OSError):  # the node may be quicker
            for _ in range((disk.f_bavail * disk.f_frsize - left) // 65536):
                out.write(bytes(65536))
                out.flush()

    def said_since(self, since):
        return self.said(3)[since:]

    def is_level_with_all_of_the_log(self):
        """It is level, has its log from where it begins, and the keeper has all that was acknowledged."""
        self.end_load()
        length = self.status(0)["length"]
        self.level(0, 1, 2, 3, length=length)
        texts = self.log(0)
        self.assertEqual(len(texts), length)
        for position, text in self.acknowledged.items():
            self.assertTrue(texts[position].endswith(" " + text), f"position {position}")
        own = self.log(3)
        self.assertEqual(own, texts[len(texts) - len(own):])

    def test_while_it_takes_snapshots_and_prunes(self):
        data = self.mount("size=160m,mode=700")
        self.start(0, 1, 2, 3)
        self.load.start()
        # From room for nothing to room for most of a snapshot: each is met at another place.
        for left in (0, MIB // 2, 2 * MIB, 5 * MIB, 7 * MIB):
            with self.subTest(left=left):
                self.eventually("it prunes", lambda: self.begins(3) > 0, seconds=120)
                since = len(self.said(3))

                def full():
                    self.fill(data, left)
                    return self.ended() or FULL in self.said_since(since)
                self.eventually("the disk is full", full, seconds=120)
                if self.ended():
                    self.assertEqual(self.processes[3].returncode, 1)
                    self.assertIn("refused a write; free space", self.said_since(since))
                (data / "filler").unlink()
                before = self.begins(0 if self.ended() else 3), self.status(0)["length"]
                if self.ended():
                    self.start(3)
                self.eventually("it prunes again", lambda: self.begins(3) > before[1], seconds=120)
                self.assertFalse(self.ended(), self.said_since(since)[-1000:])
        self.is_level_with_all_of_the_log()

    def test_while_it_takes_its_state_from_peers(self):
        self.start(0, 1, 2)
        self.load.start()
        self.eventually("the others prune", lambda: min(self.begins(1), self.begins(2)) > 0, seconds=120)
        data = self.mount("size=3m,mode=700")
        # It may fail at any of its files: the store, the log, the manifest, the parts, or what is written at the end.
        for size in (3, 5, 7, 9, 11, 13, 17, 21, 25):
            with self.subTest(size=size):
                subprocess.run(["mount", "-o", f"remount,size={size}m", str(data)], check=True, capture_output=True)
                since = len(self.said(3)) if (self.net / "log3").exists() else 0
                if 3 not in self.processes or self.ended():
                    self.start(3, wait=False)
                self.eventually("it says that the disk is full, or it joined", lambda: self.ended() or FULL in
                                self.said_since(since) or self.begins(3) > 0, seconds=120)
                if self.ended():
                    self.assertGreater(self.processes[3].returncode, 0, "no signal ended it")
                    self.assertIn("free space", self.said_since(since))
                if self.begins(3) > 0:
                    break
        subprocess.run(["mount", "-o", "remount,size=240m", str(data)], check=True, capture_output=True)
        if self.ended():
            self.start(3)
        self.eventually("it joins", lambda: self.begins(3) > 0, seconds=120)
        self.assertFalse(self.ended(), self.said(3)[-1000:])
        self.assertIn(FULL, self.said(3))
        self.is_level_with_all_of_the_log()


if __name__ == "__main__":
    unittest.main()
