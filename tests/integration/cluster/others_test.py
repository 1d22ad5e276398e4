#!/usr/bin/env python3
"""A cluster under load to which somebody else submits too: the logs are alike, and that is what it says."""
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest

BINARY = sys.argv.pop(1) if len(sys.argv) > 1 and not sys.argv[1].startswith("-") else "thresher"


class Others(unittest.TestCase):
    def test_transactions_of_others_are_no_difference(self):
        with tempfile.TemporaryDirectory() as folder:
            home = pathlib.Path(folder) / "net"
            run = subprocess.Popen([BINARY, "cluster", "--home", str(home), "--duration", "8s", "--rate", "50",
                                    "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            try:
                self.submit_three(home)
                out, err = run.communicate(timeout=120)
            finally:
                run.kill()
            self.assertEqual(run.returncode, 0, err)
            report = json.loads(out)
            self.assertTrue(report["agreement"])
            self.assertGreaterEqual(report["others_tx"], 3)

    def submit_three(self, home):
        deadline = time.monotonic() + 60
        while True:
            done = subprocess.run([BINARY, "submit", "--home", str(home / "node0"), "--file", "-", "--timeout", "20s"],
                                  input="a\nb\nc\n", capture_output=True, text=True, timeout=60, check=False)
            if done.returncode == 0:
                return
            self.assertLess(time.monotonic(), deadline, done.stderr)
            time.sleep(0.2)


class Interrupted(unittest.TestCase):
    """Channels of a broadcast that are stopped by their user: no member is left, no folder, and it says so."""

    def test_by_either_signal(self):
        for how in (signal.SIGTERM, signal.SIGINT):
            with tempfile.TemporaryDirectory() as folder:
                run = subprocess.Popen([BINARY, "cluster", "--broadcast", "bracha", "--duration", "60s"], stderr=subprocess.PIPE,
                                       text=True, env={**os.environ, "TMPDIR": folder}, start_new_session=True)
                deadline = time.monotonic() + 60
                while len(list(pathlib.Path(folder).glob("*/node*"))) < 4 and time.monotonic() < deadline:
                    time.sleep(0.05)
                run.send_signal(how)
                _, err = run.communicate(timeout=60)
                self.assertEqual(run.returncode, 130, err)
                self.assertIn("interrupted", err)
                self.assertEqual(list(pathlib.Path(folder).iterdir()), [])
                with self.assertRaises(ProcessLookupError):
                    os.killpg(run.pid, 0)

    def test_members_do_not_outlive_a_kill(self):
        with tempfile.TemporaryDirectory() as folder:
            run = subprocess.Popen([BINARY, "cluster", "--broadcast", "bracha", "--duration", "60s"], stderr=subprocess.DEVNULL,
                                   env={**os.environ, "TMPDIR": folder}, start_new_session=True)
            deadline = time.monotonic() + 60
            while len(list(pathlib.Path(folder).glob("*/node*"))) < 4 and time.monotonic() < deadline:
                time.sleep(0.05)
            run.kill()
            run.wait(timeout=30)
            for _ in range(300):
                try:
                    os.killpg(run.pid, 0)
                except ProcessLookupError:
                    return
                time.sleep(0.1)
            self.fail("a member goes on without who started it")


if __name__ == "__main__":
    unittest.main()
