#!/usr/bin/env python3
"""The program of `./dev demo`: it has what the demo runs, and no more is compiled for it than that."""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

BINARY = pathlib.Path(sys.argv.pop(1)) if len(sys.argv) > 1 and not sys.argv[1].startswith("-") else pathlib.Path("thresher-demo")
ROOT = pathlib.Path(__file__).resolve().parents[3]


def run(*arguments):
    return subprocess.run([BINARY, *map(str, arguments)], capture_output=True, text=True, timeout=60)


class Program(unittest.TestCase):
    def test_it_runs_what_the_demo_runs(self):
        verbs = set(re.findall(r'^ *"\$thresher" (\w+(?: run)?)', (ROOT / "dev").read_text(), re.MULTILINE))
        self.assertEqual(verbs, {"cluster", "sim run"})
        with tempfile.TemporaryDirectory() as folder:
            lines = pathlib.Path(folder, "lines")
            lines.write_text("".join(f"line {i}\n" for i in range(500)))
            cluster = run("cluster", "--nodes", 4, "--transactions", lines)
        self.assertEqual(cluster.returncode, 0, cluster.stderr)
        self.assertIn("committed 500 transactions", cluster.stdout)
        self.assertIn("all nodes hold the same log and state", cluster.stdout)
        sim = run("sim", "run", "--protocol", "thresher", "--n", 13, "--rounds", 20, "--seed", 1, "--byzantine", 4)
        self.assertEqual(sim.returncode, 0, sim.stderr)
        self.assertIn("Pass: thresher, n=13", sim.stdout)

    def test_it_says_what_it_has_not(self):
        broadcast = run("cluster", "--broadcast", "bracha")
        self.assertEqual(broadcast.returncode, 2)
        self.assertIn("`./dev build` makes the whole one", broadcast.stderr)
        for verb in (["cluster"], ["sim", "run"]):
            other = run(*verb, "--protocol", "pbft")
            self.assertEqual(other.returncode, 2)
            self.assertIn("unknown protocol `pbft`", other.stderr)


class Build(unittest.TestCase):
    def test_nothing_is_compiled_that_it_does_not_run(self):
        build = BINARY.resolve().parents[1]
        ninja = shutil.which("ninja")
        if ninja is None or not (build / "build.ninja").exists():
            self.skipTest("not built by Ninja")
        listed = subprocess.run([ninja, "-C", build, "-t", "inputs", "thresher_demo"], check=True, capture_output=True, text=True)
        objects = [line for line in listed.stdout.splitlines() if line.endswith(".o")]
        self.assertTrue(any("thresher_net_demo.dir" in o for o in objects), "the names of targets are others than this test looks for")
        whole = re.compile(r"/thresher(_net|_sim|_client|_protocols|_verify)?\.dir/")
        self.assertEqual([o for o in objects if whole.search(o)], [])
        # Who adds a protocol or a channel names it in BEYOND_DEMO; else the demo would compile it as well.
        self.assertLess(len(objects), 150, "which of these does a cluster of `thresher` need?\n" + listed.stdout)


if __name__ == "__main__":
    unittest.main()
