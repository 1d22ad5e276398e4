#!/usr/bin/env python3
"""More nodes than f are gone for good: `thresher cluster` says that nothing goes on any more, and not that all is well."""
import subprocess
import sys
import unittest

BINARY = sys.argv.pop(1) if len(sys.argv) > 1 and not sys.argv[1].startswith("-") else "thresher"


class Stalled(unittest.TestCase):
    def expect_stalled(self, *arguments):
        out = subprocess.run([BINARY, "cluster", "--duration", "2s", "--kill", "0@1s", "--kill", "1@1s", *arguments],
                             capture_output=True, text=True, timeout=200)
        self.assertEqual(out.returncode, 4, out.stdout + out.stderr)
        self.assertIn("2 of 4 nodes are left running", out.stderr)
        self.assertNotIn("agreement: all", out.stdout)
        self.assertNotIn("fsyncs", out.stdout)  # it said that there were none: nobody had been asked

    def test_a_ledger(self):
        self.expect_stalled()

    # It ended with status 0 and a rate over 30 seconds in which nothing was delivered.
    def test_a_broadcast(self):
        self.expect_stalled("--broadcast", "bracha", "--window", "16")


if __name__ == "__main__":
    unittest.main()
