#!/usr/bin/env python3
"""A ledger with the two-delay path: `fast` in the genesis file, kills of processes, what is refused."""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

BINARY = sys.argv.pop(1) if len(sys.argv) > 1 and not sys.argv[1].startswith("-") else "thresher"
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import held_ports  # noqa: E402


def run(*arguments):
    return subprocess.run([BINARY, *map(str, arguments)], capture_output=True, text=True, timeout=120)


class TwoDelays(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.home = pathlib.Path(folder.name, "net")

    def make(self, nodes, *arguments):
        out = run("testnet", "init", "-n", nodes, "-o", self.home, "--base-port", held_ports.take(nodes), *arguments)
        self.assertEqual(out.returncode, 0, out.stderr)
        return json.loads((self.home / "genesis.json").read_text())

    def start(self, node):
        process = subprocess.Popen([BINARY, "node", "run", "--home", str(self.home / f"node{node}")],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def submit(self, node, data):
        out = run("submit", "--home", self.home / f"node{node}", "--data", data)
        self.assertEqual(out.returncode, 0, out.stderr)

    def log(self, node):
        out = run("log", "--home", self.home / f"node{node}", "--json")
        self.assertEqual(out.returncode, 0, out.stderr)
        return [json.loads(line)["data"] for line in out.stdout.splitlines()]

    def test_the_faults_of_a_ledger_leave_room_for_who_is_absent(self):
        genesis = self.make(10, "--set", "fast=1")
        self.assertEqual((genesis["f"], genesis["parameters"]), (2, {"fast": "1", "schedule": "prompt"}))

    def test_what_does_not_fit_is_refused(self):
        out = run("testnet", "init", "-n", 5, "-o", self.home, "--set", "fast=1")
        self.assertEqual(out.returncode, 2)
        self.assertIn("5 nodes are too few", out.stderr)
        for value, why in [("-1", "off, or a whole number from 0"), ("01", "off, or a whole number from 0"),
                           ("of", "off, or a whole number from 0")]:
            out = run("testnet", "init", "-n", 4, "-o", self.home, "--set", f"fast={value}")
            self.assertEqual(out.returncode, 2)
            self.assertIn(why, out.stderr)
        out = run("cluster", "--set", "fast=7")
        self.assertEqual(out.returncode, 2)
        self.assertIn("4 nodes are too few", out.stderr)
        out = run("cluster", "--protocol", "mysticeti", "--set", "fast=0")
        self.assertEqual(out.returncode, 2)
        self.assertIn("has no parameter 'fast'", out.stderr)
        genesis = self.make(4, "--set", "fast=0")
        (self.home / "genesis.json").write_text(json.dumps(dict(genesis, parameters={"fast": "1"})))
        out = run("config", "check", "--home", self.home / "node0")
        self.assertEqual(out.returncode, 2)
        self.assertIn("fast=1 needs n >= 3f+2p+1 and p <= f: with n=4 and f=1 p is at most 0", out.stderr)

    def test_a_simulation_that_does_not_fit_is_refused(self):
        out = run("sim", "run", "--protocol", "thresher", "--set", "fast=1")
        self.assertEqual(out.returncode, 2)
        self.assertIn("p is at most 0", out.stderr)

    # All four are there, so votes commit; then one is killed, and claims do, and KILLs skip its slots.
    def test_a_ledger_goes_on_through_kills_and_remembers_its_rule(self):
        genesis = self.make(4, "--set", "fast=0")
        nodes = [self.start(i) for i in range(4)]
        said = [f"before {i}" for i in range(3)]
        for i, data in enumerate(said):
            self.submit(i, data)
        nodes[3].kill()
        nodes[3].wait()
        for i in range(6):
            said.append(f"without {i}")
            self.submit(i % 3, said[-1])
        nodes[3] = self.start(3)
        said.append("after")
        self.submit(3, said[-1])
        for node in nodes:
            node.terminate()
        for node in nodes:
            self.assertEqual(node.wait(timeout=60), 0)
            self.assertNotIn("error", node.stderr.read())
        logs = [self.log(i) for i in range(4)]
        self.assertEqual(sorted(logs[3]), sorted(said))
        for log in logs[:3]:
            shorter = min(len(log), len(logs[3]))
            self.assertEqual(log[:shorter], logs[3][:shorter])
        (self.home / "genesis.json").write_text(json.dumps(dict(genesis, parameters={"schedule": "prompt"})))
        out = run("node", "run", "--home", self.home / "node0")
        self.assertEqual(out.returncode, 2, out.stderr)
        self.assertIn("the file was changed, or is that of another network", out.stderr)

    def test_a_cluster_agrees_through_a_kill(self):
        out = run("cluster", "--set", "fast=0", "--duration", "3s", "--rate", "200", "--json", "--kill", "1@800ms",
                  "--restart", "1@1600ms")
        self.assertEqual(out.returncode, 0, out.stdout + out.stderr)
        report = json.loads(out.stdout)
        self.assertTrue(report["agreement"])
        self.assertGreater(report["committed_tx"], 100)


if __name__ == "__main__":
    unittest.main()
