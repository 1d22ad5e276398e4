#!/usr/bin/env python3
"""`./dev nightly`: what it runs, what it says of a finding, and its exit status.

    nightly_test.py THRESHER_BINARY NIGHTLY_PY
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

THRESHER, NIGHTLY = sys.argv[1], sys.argv[2]
SHORT = "0.002"  # hours: a few seconds


def nightly(*args, env=None):
    return subprocess.run([sys.executable, NIGHTLY, *args], capture_output=True, text=True, check=False, env=env)


def broken(folder, body):
    """A stand-in for the program whose fuzzer prints what the test says; all else is the real one."""
    path = pathlib.Path(folder) / "thresher"
    path.write_text(f'#!/bin/sh\nif [ "$2" = fuzz ]; then\n{body}\nfi\nexec "{THRESHER}" "$@"\n')
    os.chmod(path, 0o755)
    return str(path)


class Nightly(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="nightly-test-")
        self.addCleanup(self.folder.cleanup)

    def test_a_short_night_says_what_it_exercised(self):
        # A busy machine may not come to the end of the first seeds in a few seconds.
        for hours, minutes in ((SHORT, r"0\.1"), ("0.01", r"0\.6"), ("0.03", r"1\.8")):
            done = nightly("--hours", hours, "--only", "fuzz", "--protocols", "raft", "--seed", "1", "--thresher", THRESHER,
                           "--keep", self.folder.name)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            if "raft: 0 runs" not in done.stdout:
                break
        self.assertIn("nothing was found", done.stdout)
        line = [l for l in done.stdout.splitlines() if "fuzz: raft:" in l][0]
        self.assertNotIn("raft: 0 runs", line)
        self.assertIn("restart ", line)
        self.assertRegex(done.stdout, rf"fuzz: took \d+\.\d of its {minutes} minutes")
        self.assertIn("kills: not asked for (--only)", done.stdout)

    def test_seeds_that_there_was_no_time_for_are_said(self):
        fake = broken(self.folder.name, "sleep 100")
        done = nightly("--hours", SHORT, "--only", "fuzz", "--protocols", "raft", "--seed", "5", "--thresher", fake)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("fuzz: raft: 0 runs", done.stdout)
        self.assertIn("no time for the rest of seeds 5..404", done.stdout)

    def test_a_finding_is_one_line_with_seed_and_command(self):
        told = json.dumps({"verdict": "NoProgress", "runs": 400, "oracle": "liveness", "why": "node 1 decided nothing",
                           "seed": 77, "replay": "thresher sim replay x.json"})
        fake = broken(self.folder.name, f"echo '{told}'; exit 4")
        done = nightly("--hours", SHORT, "--only", "fuzz", "--protocols", "raft", "--thresher", fake)
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        found = [l for l in done.stdout.splitlines() if l.startswith("FOUND")]
        self.assertEqual(len(found), 1, done.stdout)
        self.assertEqual(found[0], "FOUND fuzz: raft NoProgress: liveness, seed 77: node 1 decided nothing | "
                                   "thresher sim replay x.json")

    def test_a_program_that_dies_is_a_finding(self):
        fake = broken(self.folder.name, "echo 'free(): invalid pointer'; kill -ABRT $$")
        done = nightly("--hours", SHORT, "--only", "fuzz", "--protocols", "raft", "--seed", "5", "--thresher", fake)
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertIn("FOUND fuzz: raft broke off: free(): invalid pointer, seeds 5..404 | ", done.stdout)

    def test_what_was_not_run_is_said(self):
        done = nightly("--hours", SHORT, "--only", "sanitizers")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("sanitizers: not run: their share is", done.stdout)

    def test_a_wrong_job_is_refused(self):
        done = nightly("--only", "fuzz,kill")
        self.assertEqual(done.returncode, 2)
        self.assertIn("'kill' is none of fuzz, kills, suites, sanitizers", done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
