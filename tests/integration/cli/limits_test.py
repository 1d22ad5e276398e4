#!/usr/bin/env python3
"""What the machine does not give ends every verb with 5 and words: it ended many with an abort, or with the words of a library."""
import pathlib
import resource
import subprocess
import sys
import tempfile
import unittest

BINARY, ROOT = sys.argv.pop(1), pathlib.Path(__file__).resolve().parents[3]
SIM = ROOT / "sim/experiments/sync-auth.json"
VERBS = {
    "submit": ("submit", "--data", "x"),
    "query": ("query", "--data", "x"),
    "status": ("node", "status"),
}


def limited(limit, value, *arguments):
    return subprocess.run([BINARY, *map(str, arguments)], capture_output=True, text=True, timeout=120,
                          preexec_fn=lambda: resource.setrlimit(limit, (value, value)))


class Limits(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.scratch.cleanup)
        cls.net = pathlib.Path(cls.scratch.name, "net")
        subprocess.run([BINARY, "testnet", "init", "-n", "4", "-o", cls.net, "--base-port", "0"], check=True, capture_output=True)

    def refused(self, done, *words):
        self.assertEqual((done.returncode, done.stdout), (5, ""), done.stderr)
        self.assertTrue(any(word in done.stderr for word in words), done.stderr)
        for word in ("terminate called", "std::", "what():"):
            self.assertNotIn(word, done.stderr)

    def test_descriptors(self):
        for name, verb in VERBS.items():
            with self.subTest(name):
                self.refused(limited(resource.RLIMIT_NOFILE, 4, *verb, "--home", self.net / "node0"), "Too many open files")
        self.refused(limited(resource.RLIMIT_NOFILE, 6, "top", "--genesis", self.net / "genesis.json", "--once"), "Too many open files")

    def test_memory(self):
        for megabytes in (90, 120, 200):
            with self.subTest(f"{megabytes} MB"):
                self.refused(limited(resource.RLIMIT_AS, megabytes * 1_000_000, "verify", "--protocol", "bracha"),
                             "memory", "Resource temporarily unavailable")
        out = pathlib.Path(self.scratch.name, "sweep")
        done = limited(resource.RLIMIT_AS, 90_000_000, "sim", "sweep", SIM, "--set", "repeats=3", "--out", out, "--jobs", 8)
        self.assertIn(done.returncode, (0, 5), done.stderr)  # fewer threads may do it

    # What could be made does the work.
    def test_threads(self):
        done = subprocess.run(["strace", "-f", "-qq", "-o", "/dev/null", "-e", "trace=clone3,clone",
                               "-e", "inject=clone3:error=EAGAIN:when=1+", BINARY, "submit", "--data", "x", "--home", self.net / "node0"],
                              capture_output=True, text=True, timeout=60)
        if "PTRACE" in done.stderr or done.returncode == 127:
            self.skipTest("strace cannot trace here")
        self.refused(done, "Resource temporarily unavailable")


if __name__ == "__main__":
    unittest.main()
