#!/usr/bin/env python3
"""`thresher sim reproduce` as a user calls it."""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

BINARY = sys.argv.pop(1) if len(sys.argv) > 1 and not sys.argv[1].startswith("-") else "thresher"
ASKED = [] if "THRESHER_LONG" in os.environ else ["finality"]  # the slow test of the same name asks for all results


def run(*arguments):
    return subprocess.run([BINARY, "sim", "reproduce", *arguments], capture_output=True, text=True, timeout=100)


class Reproduce(unittest.TestCase):
    def test_one_result_and_all_of_them(self):
        out = run("black-hole")
        self.assertEqual((out.returncode, out.stderr), (0, ""))
        self.assertTrue(all(line.startswith("  yes ") for line in out.stdout.splitlines()[1:]))
        with tempfile.TemporaryDirectory() as folder:
            page = pathlib.Path(folder, "page.html")
            results = json.loads(run(*ASKED, "--runs", "100", "--json", "--report", page).stdout)
            self.assertEqual([r["name"] for r in results], ASKED or ["black-hole", "committee-coin", "finality",
                                                                      "incremental-voting", "ordered-agents"])
            for result in results:
                section = re.search(rf'<section id="{result["name"]}">.*?</section>', page.read_text(), re.S)[0]
                self.assertRegex(section, re.compile(r'<svg.*class="line s0( w\d)?"', re.S))
                self.assertEqual(section.count('<td class="pass">yes'), len(result["claims"]))
        for claim in next(r for r in results if r["name"] == "finality")["claims"]:
            self.assertEqual(claim["holds"], claim["least"] <= claim["measured"] <= claim["most"])

    def test_bad_usage(self):
        out = run("cold-fusion")
        self.assertEqual(out.returncode, 2)
        self.assertIn("there is no result 'cold-fusion'; there are black-hole", out.stderr)
        self.assertEqual(run("finality", "--runs", "5").returncode, 2)


if __name__ == "__main__":
    unittest.main()
