#!/usr/bin/env python3
"""Journals of a node as an operator meets them: what `thresher node replay` says of each end, and of files that were touched."""
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest

BINARY = sys.argv.pop(1)
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import held_ports  # noqa: E402


def run(*arguments, **more):
    return subprocess.run([BINARY, *map(str, arguments)], capture_output=True, text=True, timeout=120, **more)


class Journals(unittest.TestCase):
    """Of a node that is a network by itself."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.home = pathlib.Path(folder.name, "net", "node0")
        made = run("testnet", "init", "-n", 1, "-o", self.home.parent, "--base-port", held_ports.take())
        self.assertEqual(made.returncode, 0, made.stderr)
        self.journals = self.home / "journal"
        self.log = self.home.parent / "log"

    def start(self):
        log = open(self.log, "wb")
        self.addCleanup(log.close)
        self.process = subprocess.Popen([BINARY, "node", "run", "--home", self.home, "--journal"], stdout=log, stderr=log)
        self.addCleanup(self.process.wait)
        self.addCleanup(self.process.kill)
        self.eventually("the node answers", lambda: run("node", "status", "--home", self.home).returncode == 0)

    def stop(self, how=signal.SIGTERM):
        self.process.send_signal(how)
        self.process.wait(timeout=30)

    def eventually(self, what, condition, seconds=30):
        end = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > end:
                self.fail(f"{seconds} s have passed without: {what}\n{self.log.read_text()}")
            time.sleep(0.05)

    def submit(self):
        done = run("submit", "--home", self.home, "--data", "x" * 5000)
        self.assertEqual(done.returncode, 0, done.stderr)

    def newest(self):
        return max(self.journals.glob("journal-*"), key=lambda file: int(file.name[8:]))

    def replayed(self, status, words):
        done = run("node", "replay", "--home", self.home)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        self.assertIn(words, done.stdout + done.stderr)

    def test_each_end_is_told_as_what_it_was(self):
        self.start()
        self.submit()
        self.replayed(0, "without an end mark: the node was killed or still runs, or what followed is lost")
        self.stop()
        self.replayed(0, "the node ended in order")
        whole = self.newest().read_bytes()
        self.newest().write_bytes(whole + b"\0")
        self.replayed(1, f"follow its end mark, from byte {len(whole)} of the file")
        self.newest().write_bytes(whole[:40] + b"\xff" + whole[41:])
        self.replayed(2, "is damaged: entry 1, at byte 19 of the file")

    def test_a_file_that_is_touched_meanwhile_is_told(self):
        for touch, words in ((lambda file: file.unlink(), "it was deleted or moved while the node ran"),
                             (lambda file: file.write_bytes(b""), "it has 0 bytes and not the")):
            self.start()
            self.submit()
            touch(self.newest())
            self.submit()
            self.eventually(words, lambda: words in self.log.read_text())
            self.submit()
            self.stop()
            self.assertEqual(self.log.read_text().count("the journal '"), 1)

    def test_a_flag_takes_no_value(self):
        for word in ("--journal=5", "--journal=false"):
            refused = run("node", "run", "--home", self.home, word)
            self.assertEqual(refused.returncode, 2, refused.stderr)
            self.assertIn("takes no value", refused.stderr)
        self.assertFalse(self.journals.exists())


if __name__ == "__main__":
    unittest.main()
