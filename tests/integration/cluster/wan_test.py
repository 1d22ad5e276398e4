#!/usr/bin/env python3
"""A cluster of real processes whose messages take as long as a wide area's table says, and what is refused."""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

BINARY = sys.argv.pop(1) if len(sys.argv) > 1 and not sys.argv[1].startswith("-") else "thresher"

# Two far places: every quorum of four nodes, two in each, spans them.
APART = {"source": "made up", "regions": ["here", "there"], "rtt": [[1, 240], [240, 1]]}


def cluster(*arguments, cwd=None):
    return subprocess.run([BINARY, "cluster", *map(str, arguments)], capture_output=True, text=True,
                          timeout=120, cwd=cwd)


class WideArea(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def file(self, content):
        path = self.folder / "mine.json"
        path.write_text(content if isinstance(content, str) else json.dumps(content))
        return path.name

    def refused(self, *arguments, why):
        out = cluster(*arguments, cwd=self.folder)
        self.assertEqual(out.returncode, 2, out.stderr)
        self.assertIn(why, out.stderr)
        self.assertEqual(out.stdout, "")

    def test_nothing_commits_faster_than_its_messages_travel(self):
        out = cluster("--nodes", 4, "--wan", self.file(APART), "--rate", 50, "--duration", "3s", "--json",
                      cwd=self.folder)
        self.assertEqual(out.returncode, 0, out.stderr)
        report = json.loads(out.stdout)
        self.assertTrue(report["agreement"])
        # A block and the votes for it cross at least once each, 120 ms one way.
        self.assertGreaterEqual(report["latency_ms"]["p50"], 240)
        self.assertGreater(report["committed_tx"], 0)

    def test_each_node_is_told_its_own_delays(self):
        home = self.folder / "net"
        out = cluster("--nodes", 3, "--wan", "bluestreak", "--rate", 20, "--duration", "1s", "--home", home)
        self.assertEqual(out.returncode, 0, out.stderr)
        # Virginia, California and Montreal: half of 65, 14 and 78 ms.
        for node, delays in enumerate(["[0, 32500, 7000]", "[32500, 0, 39000]", "[7000, 39000, 0]"]):
            text = (home / f"node{node}" / "node.toml").read_text()
            self.assertIn(f"link_delays_us = {delays}", text)
            self.assertIn("delta_us = 80340", text)  # twice the longest way with its 3 % of jitter, as simulated

    def test_what_names_no_wide_area_is_refused(self):
        self.refused("--wan", "blustreak", why="bluestreak")
        self.refused("--wan", "nowhere.json", why="nowhere.json")
        self.refused("--wan", self.file("{"), why="mine.json")
        self.refused("--wan", self.file({**APART, "rtt": [[1, 240]]}), why="mine.json")
        self.refused("--wan", "aws", "--delay", "5ms", why="leave --delay out")
        self.refused("--wan", "aws", "--broadcast", "bracha", why="--broadcast goes with")

    def test_a_node_is_told_when_its_list_is_too_short(self):
        home = self.folder / "net"
        subprocess.run([BINARY, "testnet", "init", "-n", "4", "-o", str(home)], check=True,
                       stdout=subprocess.DEVNULL)
        path = home / "node0" / "node.toml"
        path.write_text(path.read_text().replace("link_delays_us = []", "link_delays_us = [0, 5]"))
        for verb in (["config", "check"], ["node", "run"]):
            out = subprocess.run([BINARY, *verb, "--home", str(home / "node0")], capture_output=True,
                                 text=True, timeout=60)
            self.assertNotEqual(out.returncode, 0)
            self.assertIn("has 2 numbers and the genesis file 4 nodes", out.stderr)


if __name__ == "__main__":
    unittest.main()
