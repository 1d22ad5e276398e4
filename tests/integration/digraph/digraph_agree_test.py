#!/usr/bin/env python3
"""`thresher digraph agree` and `digraph cluster`: real processes agree along edges; kills; bad input."""
import json
import pathlib
import subprocess
import sys
import tempfile
import time
import unittest

BINARY = sys.argv.pop(1) if len(sys.argv) > 1 and not sys.argv[1].startswith("-") else "thresher"
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import held_ports  # noqa: E402
RING = [[0, 1], [1, 0], [1, 2], [2, 1], [2, 3], [3, 2], [3, 0], [0, 3]]
TRIES = 4


def run(*arguments, timeout=120):
    return subprocess.run([BINARY, *map(str, arguments)], capture_output=True, text=True, timeout=timeout)


class Agree(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.ring = self.graph(RING)

    def graph(self, edges, nodes=4):
        path = self.folder / f"graph{len(edges)}.json"
        path.write_text(json.dumps({"nodes": nodes, "edges": edges}))
        return path

    def cluster(self, *arguments):
        return run("digraph", "cluster", self.ring, "--faults", 1, "--json", *arguments)

    def members(self):
        out = run("testnet", "init", "-n", 4, "-o", self.folder / "net", "--base-port", held_ports.take(4))
        self.assertEqual(out.returncode, 0, out.stderr)
        return [self.folder / "net" / f"node{i}" for i in range(4)]

    def agree(self, home, *arguments):
        return run("digraph", "agree", "--home", home, "--graph", self.ring, "--faults", 1, *arguments)

    def test_processes_agree_exactly_though_one_is_killed(self):
        for _ in range(TRIES):
            out = self.cluster("--values", "7,7,8,7", "--delta", "1600ms", "--kill", "2@2s")
            said = json.loads(out.stdout)
            self.assertEqual(said["violated"], "")
            correct = [m for m in said["members"] if m["fate"] == "correct"]
            self.assertEqual([m["node"] for m in correct], [0, 1, 3])
            problems = [m["problem"] for m in correct if m["problem"]]
            if not problems:
                break
            for problem in problems:  # a busy machine: whoever may have missed rounds says so
                self.assertRegex(problem, "stood still|start is over")
            self.assertEqual(out.returncode, 4)
        self.assertEqual((out.returncode, out.stderr), (0, ""))
        self.assertEqual([m["decision"] for m in correct], [7, 7, 7])
        self.assertTrue(said["agreement"])
        self.assertEqual(said["members"][2]["fate"], "killed")

    def assert_caught(self, lie, caught):
        for _ in range(TRIES):
            out = self.cluster("--values", "7,8,7,0", "--delta", "800ms", "--liar", f"3={lie}")
            said = json.loads(out.stdout)
            self.assertEqual(said["violated"], "")
            self.assertEqual(said["members"][3]["fate"], lie)
            problems = [m["problem"] for m in said["members"][:3] if m["problem"]]
            correct = said["members"][:3]
            # A busy machine: whoever may have missed rounds says so, and the liar may come too late to lie.
            if not problems and [m["caught"] for m in correct] == caught:
                break
            for problem in problems:
                self.assertRegex(problem, "stood still|start is over")
        self.assertEqual((out.returncode, out.stderr), (0, ""))
        self.assertEqual(len({m["decision"] for m in correct}), 1)
        self.assertEqual([m["caught"] for m in correct], caught)

    def test_all_have_a_proof_against_whoever_signs_two_inputs(self):
        self.assert_caught("split", [[3], [3], [3]])

    def test_neighbours_catch_whoever_sends_what_is_no_message(self):
        self.assert_caught("garbage", [[3], [], [3]])

    def test_processes_come_near_though_one_lies(self):
        for lie, caught in [("split", []), ("garbage", [3])]:
            out = self.cluster("--values", "0,700,900,50", "--approximate", "--eps", 3, "--liar", f"3={lie}")
            self.assertEqual((out.returncode, out.stderr), (0, ""))
            correct = json.loads(out.stdout)["members"][:3]
            decisions = [m["decision"] for m in correct]
            self.assertLessEqual(max(decisions) - min(decisions), 3)
            self.assertGreaterEqual(min(decisions), 0)
            self.assertLessEqual(max(decisions), 900)
            self.assertEqual(correct[1]["caught"], [])  # no neighbour of the liar
            for member in (correct[0], correct[2]):
                self.assertIn(member["caught"], ([], caught))  # it may decide before it hears the lie

    def test_processes_come_near_though_one_is_dead(self):
        out = self.cluster("--values", "0,700,-800,900", "--approximate", "--eps", 3, "--dead", "2")
        self.assertEqual((out.returncode, out.stderr), (0, ""))
        said = json.loads(out.stdout)
        decisions = [m["decision"] for m in said["members"] if m["fate"] == "correct"]
        self.assertEqual(len(decisions), 3)
        self.assertLessEqual(max(decisions) - min(decisions), 3)
        self.assertGreaterEqual(min(decisions), 0)
        self.assertLessEqual(max(decisions), 900)

    def test_members_that_are_started_one_by_one(self):
        homes = self.members()
        near = ["--approximate", "--spread", 100, "--eps", 2, "--name", "price", "--json"]
        command = [BINARY, "digraph", "agree", "--graph", self.ring, "--faults", 1, *near]
        processes = []
        for i, home in enumerate(homes):
            process = subprocess.Popen([*map(str, command), "--home", str(home), f"--value={i * 30 - 40}"],
                                       stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            self.addCleanup(process.communicate)
            self.addCleanup(process.kill)
            processes.append(process)
            time.sleep(0.1)
        decisions = []
        for process in processes:
            said = json.loads(process.stdout.readline())  # before it lingers
            self.assertEqual((said["neighbours"], said["late"], said["approximate"]), (2, 0, True))
            decisions.append(said["decision"])
        self.assertLessEqual(max(decisions) - min(decisions), 2)
        processes[0].kill()
        processes[0].wait()
        again = self.agree(homes[0], *near, "--value", 5)
        self.assertEqual(again.returncode, 2)
        self.assertIn("took part in 'price' before", again.stderr)

    def test_nobody_is_there(self):
        out = self.agree(self.members()[0], "--approximate", "--spread", 9, "--eps", 1, "--name", "alone",
                         "--value", 5, "--patience", "300ms", "--linger", "0s")
        self.assertEqual((out.returncode, out.stdout), (4, ""))
        self.assertIn("links to 0 of 2 neighbours", out.stderr)

    def test_bad_input_says_what_to_do(self):
        home = self.members()[0]
        good = {"--value": 5, "--name": "x", "--at": int(time.time()) + 3600}
        near = {"--value": 5, "--name": "x", "--spread": 9, "--eps": 1}

        def refused(complaint, options, *more):
            words = [word for pair in options.items() for word in pair]
            out = self.agree(home, *words, *more)
            self.assertEqual((out.returncode, out.stdout), (2, ""), out.stderr)
            self.assertIn(complaint, out.stderr)

        refused("is no whole number", {**good, "--value": "seven"})
        refused("out of range", {**good, "--value": 1 << 62})
        refused("'Not this'", {**good, "--name": "Not this"})
        refused("give --at", {"--value": 5, "--name": "x"})
        refused("start is over", {**good, "--at": int(time.time()) - 5})
        refused("more than a day", {**good, "--at": int(time.time()) + 10**6})
        refused("--delta 'soon'", {**good, "--delta": "soon"})
        refused("go with --approximate", {**good, "--eps": 1})
        refused("goes with exact", {**near, "--at": 5}, "--approximate")
        refused("needs --spread", {"--value": 5, "--name": "x"}, "--approximate")
        refused("needs --spread", {**near, "--eps": 0}, "--approximate")
        refused("are times", {**near, "--linger": "long"}, "--approximate")
        self.ring = self.graph(RING[:-1])
        refused("cannot reach exact agreement", good)
        self.ring = self.graph([[0, 1], [1, 0]], nodes=2)
        refused("the graph has 2 nodes and the genesis file 4", good)
        self.assertIn("node's folder", self.agree("/nowhere", "--value", 5, "--name", "x").stderr)

    def test_bad_clusters_say_what_to_do(self):
        for complaint, arguments in [
            ("3 inputs for 4 nodes", ["--values", "1,2,3"]),
            ("'x' is no whole number", ["--values", "1,2,3,x"]),
            ("'-1' is no whole number", ["--values=-1,2,3,4"]),
            ("not a node from 0 to 3", ["--values", "1,2,3,4", "--dead", "9"]),
            ("not NODE@TIME", ["--values", "1,2,3,4", "--kill", "9@1s"]),
            ("is not NODE=KIND", ["--values", "1,2,3,4", "--liar", "3"]),
            ("is not NODE=KIND", ["--values", "1,2,3,4", "--liar", "4=split"]),
            ("split or garbage", ["--values", "1,2,3,4", "--liar", "3=quiet"]),
            ("named twice", ["--values", "1,2,3,4", "--liar", "1=split", "--dead", "1"]),
            ("named twice", ["--values", "1,2,3,4", "--kill", "1@1s", "--dead", "1"]),
            ("--faults 1 are borne", ["--values", "1,2,3,4", "--kill", "1@1s", "--dead", "2"]),
            ("--delta", ["--values", "1,2,3,4", "--delta", "0s"]),
            ("--eps", ["--values", "1,2,3,4", "--approximate", "--eps", "0"]),
            ("--patience", ["--values", "1,2,3,4", "--patience", "x"]),
        ]:
            out = self.cluster(*arguments)
            self.assertEqual((out.returncode, out.stdout), (2, ""), arguments)
            self.assertIn(complaint, out.stderr)
        self.ring = self.graph(RING[:-1])
        out = self.cluster("--values", "1,2,3,4")
        self.assertEqual(out.returncode, 2)
        self.assertIn("digraph check says why", out.stderr)


if __name__ == "__main__":
    unittest.main()
