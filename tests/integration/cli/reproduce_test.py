#!/usr/bin/env python3
"""`thresher sim reproduce` as a user calls it."""
import json
import subprocess
import sys
import unittest

BINARY = sys.argv.pop(1) if len(sys.argv) > 1 and not sys.argv[1].startswith("-") else "thresher"


def run(*arguments):
    return subprocess.run([BINARY, "sim", "reproduce", *arguments], capture_output=True, text=True, timeout=100)


class Reproduce(unittest.TestCase):
    def test_one_result_and_all_of_them(self):
        out = run("black-hole")
        self.assertEqual((out.returncode, out.stderr), (0, ""))
        self.assertTrue(all(line.startswith("  yes ") for line in out.stdout.splitlines()[1:]))
        results = json.loads(run("--runs", "100", "--json").stdout)
        self.assertEqual([r["name"] for r in results], ["black-hole", "committee-coin", "finality", "incremental-voting",
                                                         "ordered-agents"])
        for claim in results[2]["claims"]:
            self.assertEqual(claim["holds"], claim["least"] <= claim["measured"] <= claim["most"])

    def test_bad_usage(self):
        out = run("cold-fusion")
        self.assertEqual(out.returncode, 2)
        self.assertIn("there is no result 'cold-fusion'; there are black-hole", out.stderr)
        self.assertEqual(run("finality", "--runs", "5").returncode, 2)


if __name__ == "__main__":
    unittest.main()
