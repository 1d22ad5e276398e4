#!/usr/bin/env python3
"""`thresher history check` as a user calls it: levels, statuses, a planted stale read, bad input."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

BINARY = sys.argv.pop(1) if len(sys.argv) > 1 and not sys.argv[1].startswith("-") else "thresher"


def operation(client, op, key, value, begin, end, **more):
    return {"client": client, "op": op, "key": key, "value": value, "begin": begin, "end": end, **more}


class History(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name, "run.ndjson")

    def check(self, content, *arguments):
        if not isinstance(content, str):
            content = "".join(json.dumps(o) + "\n" for o in content)
        self.path.write_text(content)
        return subprocess.run([BINARY, "history", "check", self.path, *arguments], capture_output=True,
                              text=True, timeout=60)

    def test_a_linearizable_history(self):
        out = self.check([operation("a", "put", "x", "1", 0, 5), operation("b", "get", "x", "1", 2, 4)])
        self.assertEqual((out.returncode, out.stderr), (0, ""))
        self.assertIn("2 operations of 2 clients on 1 keys\n", out.stdout)
        self.assertTrue(out.stdout.endswith("level: linearizable\n"))

    def test_a_planted_stale_get_is_caught_and_named(self):
        run = []
        for i in range(300):  # two clients put, two get what was put last
            run.append(operation(f"p{i % 2}", "put", "x", f"v{i}", 10 * i, 10 * i + 3))
            run.append(operation(f"g{i % 2}", "get", "x", f"v{i}", 10 * i + 5, 10 * i + 8))
        self.assertEqual(self.check(run, "--at-least", "linearizable").returncode, 0)
        run[401]["value"] = "v199"
        out = self.check(run, "--at-least", "linearizable")
        self.assertEqual(out.returncode, 3)
        self.assertIn('line 402 (g0: get x -> "v199")', out.stderr)
        self.assertIn('replaced by line 401 (p0: put x = "v200")', out.stderr)
        answer = json.loads(self.check(run, "--json").stdout)
        self.assertEqual((answer["level"], answer["certain"]), ("sequential", True))
        self.assertFalse(answer["findings"]["linearizable"]["holds"])

    def test_what_is_not_decided_is_said(self):
        puts = [operation(f"c{i}", "put", "x", i, 0, 9) for i in range(12)]
        gets = [operation("g", "get", "x", 3, 10, 11), operation("h", "get", "x", 4, 12, 13)]
        arguments = ("--states", "5", "--closure", "3", "--at-least", "causal")
        out = self.check(puts + gets, *arguments)
        self.assertEqual(out.returncode, 4)
        self.assertIn("level: at least written", out.stdout)
        self.assertIn("more than 3 operations", out.stderr)
        self.assertIsNone(json.loads(self.check(puts + gets, *arguments[:4], "--json").stdout)["findings"]
                          ["linearizable"]["holds"])

    def test_bad_input_is_refused_with_its_place(self):
        good = operation("a", "put", "x", "1", 0, 5, id="e1")
        for bad, why in ((operation("b", "get", "x", 1, 9, 8), r":2:\d+: it ends at 8, before it begins at 9"),
                         (operation("b", "get", "x", 1, 8, 9, after=["e7"]), r":2:\d+: there is no operation with the id"),
                         (operation("a", "get", "x", 1, 4, 9), r":2:\d+: client 'a' begins at 4 while"),
                         (operation("b", "put", "x", 2, 0, 9, id="e2", after=["e2"]), "depend on themselves"),
                         ({"client": "b"}, ":2:1: 'op' is missing")):
            out = self.check([good, bad])
            self.assertEqual((out.returncode, out.stdout), (2, ""), why)
            self.assertIn(f"'{self.path}'", out.stderr)
            self.assertRegex(out.stderr, why)
        self.assertIn("--at-least 'lineal' is no level", self.check([good], "--at-least", "lineal").stderr)
        self.path.unlink()
        gone = subprocess.run([BINARY, "history", "check", self.path], capture_output=True, text=True, timeout=60)
        self.assertEqual(gone.returncode, 2)
        self.assertIn("cannot read", gone.stderr)

    def test_pipes_and_what_is_no_file(self):
        line = json.dumps(operation("a", "put", "x", "1", 0, 5))
        piped = subprocess.run(["bash", "-c", f"{BINARY} history check <(sleep 0.2; echo '{line}')"],
                               capture_output=True, text=True, timeout=60)
        self.assertIn("1 operations of 1 clients", piped.stdout, piped.stderr)
        os.mkfifo(self.path)
        for path, why in ((self.path, "a pipe that nobody writes to"), (self.path.parent, "is a folder")):
            out = subprocess.run([BINARY, "history", "check", path], capture_output=True, text=True, timeout=60)
            self.assertEqual((out.returncode, out.stdout), (2, ""), path)
            self.assertIn(why, out.stderr)


if __name__ == "__main__":
    unittest.main()
