#!/usr/bin/env python3
"""`thresher cluster --history`: what clients of a key-value store did, under a kill, and its level."""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

BINARY = sys.argv.pop(1) if len(sys.argv) > 1 and not sys.argv[1].startswith("-") else "thresher"


def run(*arguments):
    return subprocess.run([BINARY, *map(str, arguments)], capture_output=True, text=True, timeout=120)


class ClusterHistory(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name, "run.ndjson")

    def cluster(self, *arguments):
        out = run("cluster", "--history", self.path, "--json", *arguments)
        self.assertEqual(out.returncode, 0, out.stdout + out.stderr)
        return json.loads(out.stdout), [json.loads(line) for line in self.path.read_text().splitlines()]

    def judged(self):
        out = run("history", "check", self.path, "--json")
        self.assertEqual(out.returncode, 0, out.stderr)
        return json.loads(out.stdout)

    def test_gets_through_the_log_are_linearizable_through_a_kill_and_a_planted_stale_one_is_caught(self):
        report, history = self.cluster("--duration", "2s", "--clients", 6, "--kill", "1@600ms", "--restart", "1@1200ms")
        self.assertEqual((report["agreement"], report["committed_tx"]), (True, len(history)))
        self.assertEqual({o["client"] for o in history}, {f"c{i}" for i in range(6)})
        self.assertTrue(all(o["begin"] < o["end"] for o in history))
        self.assertEqual(self.judged()["level"], "linearizable")
        # A get that had returned something returns what stood there before: a put that had ended
        # before another one began, which had ended before the get began.
        for get in reversed([o for o in history if o["op"] == "get" and o["value"] is not None]):
            puts = [o for o in history if o["op"] == "put" and o["key"] == get["key"] and o["end"] < get["begin"]]
            newest = max(puts, key=lambda o: o["begin"], default=None)
            older = [o for o in puts if newest is not None and o["end"] < newest["begin"]]
            if older:
                get["value"] = older[-1]["value"]
                break
        else:
            self.fail("no get had two puts before it")
        self.path.write_text("".join(json.dumps(o) + "\n" for o in history))
        self.assertFalse(self.judged()["findings"]["linearizable"]["holds"])

    def test_gets_from_replicas_are_in_one_order(self):
        _, history = self.cluster("--duration", "1s", "--gets", "replica")
        self.assertIn("get", {o["op"] for o in history})
        self.assertEqual(run("history", "check", self.path, "--at-least", "sequential").returncode, 0)

    def observations(self, logs):
        """Logs as a history: who submits puts a value, and each log is a client that gets one after the other."""
        rows = [{"client": f"submits {t['client'][:8]} {t['sequence']}", "op": "put", "key": "log", "value": t["data"],
                 "begin": 2 * at, "end": 2 * at + 1} for at, t in enumerate(logs[0])]
        for node, log in enumerate(logs):
            rows += [{"client": f"node{node}", "op": "get", "key": "log", "value": t["data"],
                      "begin": 2 * len(log) + 2 * at, "end": 2 * len(log) + 2 * at + 1} for at, t in enumerate(log)]
        self.path.write_text("".join(json.dumps(row) + "\n" for row in rows))

    def test_the_logs_of_all_nodes_are_one_order_and_a_log_that_differs_is_caught(self):
        lines = self.path.with_name("lines")
        lines.write_text("".join(f"transfer {i}\n" for i in range(150)))
        home = self.path.with_name("net")
        out = run("cluster", "--transactions", lines, "--home", home)
        self.assertEqual(out.returncode, 0, out.stderr)
        logs = []
        for node in range(4):
            out = run("log", "--home", home / f"node{node}", "--json")
            self.assertEqual(out.returncode, 0, out.stderr)
            logs.append([json.loads(line) for line in out.stdout.splitlines()])
            self.assertEqual(len(logs[-1]), 150)
        self.observations(logs)
        out = run("history", "check", self.path, "--at-least", "sequential")
        self.assertEqual(out.returncode, 0, out.stdout + out.stderr)
        logs[2][70], logs[2][90] = logs[2][90], logs[2][70]
        self.observations(logs)
        findings = self.judged()["findings"]
        self.assertFalse(findings["sequential"]["holds"])
        self.assertFalse(findings["causal-convergent"]["holds"])
        self.assertTrue(findings["causal"]["holds"])  # each node alone saw an order that can be

    def test_bad_usage_is_refused_before_anything_starts(self):
        for arguments, why in ((("--history", "/nowhere/at/all"), "cannot write '/nowhere/at/all'"),
                               (("--gets", "replica"), "--gets goes with --history"),
                               (("--history", self.path, "--gets", "cache"), "neither log nor replica"),
                               (("--history", self.path, "--window", 7), "leave out"),
                               (("--history", self.path, "--broadcast", "bracha"), "leave out --history")):
            out = run("cluster", *arguments)
            self.assertEqual((out.returncode, out.stdout), (2, ""), arguments)
            self.assertIn(why, out.stderr)


if __name__ == "__main__":
    unittest.main()
