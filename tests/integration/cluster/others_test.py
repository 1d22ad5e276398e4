#!/usr/bin/env python3
"""A cluster under load to which somebody else submits too: the logs are alike, and that is what it says."""
import json
import pathlib
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


if __name__ == "__main__":
    unittest.main()
