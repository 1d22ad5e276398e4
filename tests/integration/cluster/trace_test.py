#!/usr/bin/env python3
"""Where the time of a transaction goes: the stages of a cluster of real processes, and what is refused."""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

BINARY = sys.argv.pop(1) if len(sys.argv) > 1 and not sys.argv[1].startswith("-") else "thresher"

STAGES = ["to node", "pool", "block", "sign", "writer wakes", "sync", "loop wakes", "send", "link", "verify", "parents",
          "held", "order", "own disk", "apply", "to client"]
DUTIES = ["sockets", "transactions", "protocol", "sign", "verify", "send", "apply", "answer", "write", "elsewhere"]


def cluster(*arguments):
    return subprocess.run([BINARY, "cluster", *map(str, arguments)], capture_output=True, text=True, timeout=120)


class Trace(unittest.TestCase):
    def test_the_stages_of_every_transaction_add_up(self):
        out = cluster("--rate", 200, "--duration", "1s", "--trace-commits", "--json")
        self.assertEqual(out.returncode, 0, out.stderr)
        report = json.loads(out.stdout)
        trace = report["trace"]
        self.assertEqual(trace["transactions"] + trace["left_out"], report["committed_tx"])
        self.assertGreater(trace["transactions"], trace["left_out"])
        self.assertEqual([row["stage"] for row in trace["stages"]], STAGES)
        self.assertAlmostEqual(sum(row["mean_ms"] for row in trace["stages"]), trace["latency"]["mean_ms"], places=2)
        self.assertAlmostEqual(sum(row["share_percent"] for row in trace["stages"]), 100, places=1)
        # A block is ordered by blocks of later rounds.
        self.assertGreaterEqual(trace["blocks_in_a_row"]["p50"], 2)
        self.assertEqual([row["duty"] for row in trace["cpu"]], DUTIES)
        times = {row["duty"]: row["times_per_tx"] for row in trace["cpu"]}
        self.assertGreater(times["sign"], 0)
        self.assertGreater(times["verify"], 0)

    def test_a_restarted_node_is_traced_too(self):
        out = cluster("--rate", 200, "--duration", "2s", "--kill", "3@300ms", "--restart", "3@800ms", "--trace-commits",
                      "--protocol", "mysticeti")
        self.assertEqual(out.returncode, 0, out.stderr)
        for stage in STAGES:
            self.assertIn(f"\n  {stage} ", out.stdout)
        self.assertIn("blocks that waited for each other", out.stdout)
        self.assertIn("CPU of all nodes a transaction", out.stdout)

    def test_without_it_there_is_none(self):
        out = cluster("--rate", 50, "--duration", "500ms", "--json")
        self.assertEqual(out.returncode, 0, out.stderr)
        self.assertNotIn("trace", json.loads(out.stdout))

    def test_a_protocol_without_stages_is_refused(self):
        for extra in ("pbft", "anchored-bullshark"):
            out = cluster("--protocol", extra, "--trace-commits")
            self.assertEqual(out.returncode, 2, out.stderr)
            self.assertIn(f"not those of '{extra}'", out.stderr)
            self.assertIn("thresher, mysticeti, mahi-mahi", out.stderr)
        out = cluster("--broadcast", "bracha", "--trace-commits")
        self.assertEqual(out.returncode, 2, out.stderr)
        self.assertIn("leave out --trace-commits: --broadcast goes with", out.stderr)

    def test_a_node_that_cannot_write_its_trace_does_not_run(self):
        with tempfile.TemporaryDirectory() as folder:
            net = pathlib.Path(folder) / "net"
            made = subprocess.run([BINARY, "testnet", "init", "-n", "1", "-o", net], capture_output=True, text=True, timeout=60)
            self.assertEqual(made.returncode, 0, made.stderr)
            out = subprocess.run([BINARY, "node", "run", "--home", net / "node0", "--trace-commits", net / "none" / "trace"],
                                 capture_output=True, text=True, timeout=60)
            self.assertEqual(out.returncode, 1, out.stderr)
            self.assertIn("none/trace", out.stderr)
            self.assertIn("give --trace-commits a file", out.stderr)


if __name__ == "__main__":
    unittest.main()
