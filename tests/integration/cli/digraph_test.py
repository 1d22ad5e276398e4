#!/usr/bin/env python3
"""`thresher digraph` as a user calls it: answers, witnesses, pictures, repairs, bad input."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

BINARY = sys.argv.pop(1) if len(sys.argv) > 1 and not sys.argv[1].startswith("-") else "thresher"


def run(*arguments):
    return subprocess.run([BINARY, "digraph", *map(str, arguments)], capture_output=True, text=True, timeout=60)


def complete(n):
    return [[i, k] for i in range(n) for k in range(n) if i != k]


class Digraph(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def graph(self, nodes, edges):
        return self.file(json.dumps({"nodes": nodes, "edges": edges}))

    def file(self, text):
        path = pathlib.Path(self.folder.name, "graph.json")
        path.write_text(text)
        return path

    def answer(self, path, faults):
        out = run("check", path, "--faults", faults, "--json")
        self.assertEqual((out.returncode, out.stderr), (0, ""))
        return json.loads(out.stdout)

    def test_a_complete_graph_of_three(self):
        answer = self.answer(self.graph(3, complete(3)), 1)
        self.assertTrue(answer["synchronous_exact"])
        self.assertFalse(answer["asynchronous_approximate"])
        witness = answer["witness"]
        self.assertEqual(witness["reason"], "few_common")
        self.assertLessEqual(len(witness["common"]), 1)
        self.assertEqual(witness["needed"], 2)
        self.assertIsNone(self.answer(self.graph(4, complete(4)), 1)["witness"])

    def test_the_witness_is_said_and_drawn(self):
        path = self.graph(3, [[0, 2], [1, 2]])
        said = run("check", path, "--faults", 0).stdout
        self.assertIn("nothing leads into {0} and nothing into {1}", said)
        picture = xml.etree.ElementTree.fromstring(run("check", path, "--faults", 0, "--svg").stdout)
        titles = [e.text for e in picture.iter("{http://www.w3.org/2000/svg}title")]
        self.assertEqual(titles, ["0: in the first source", "1: in the second source", "2: node"])
        self.assertIn("0 -> 2;", run("check", path, "--faults", 0, "--dot").stdout)

    def test_a_repair_mends(self):
        edges = [[0, 2], [1, 2]]
        out = run("repair", self.graph(3, edges), "--faults", 0, "--json")
        added = [[e["from"], e["to"]] for e in json.loads(out.stdout)["add"]]
        self.assertEqual(len(added), 1)
        self.assertTrue(self.answer(self.graph(3, edges + added), 0)["synchronous_exact"])

    # They were refused as mistakes, though there is an answer, and edges that mend it.
    def test_parts_that_no_edge_connects_are_an_answer(self):
        edges = [[0, 1], [1, 2], [2, 0]]
        path = self.graph(4, edges)
        answer = self.answer(path, 0)
        self.assertFalse(answer["synchronous_exact"] or answer["asynchronous_approximate"])
        self.assertEqual(answer["witness"]["reason"], "two_sources")
        self.assertIn("nothing leads into {0, 1, 2} and nothing into {3}", run("check", path, "--faults", 0).stdout)
        added = [[e["from"], e["to"]]
                 for e in json.loads(run("repair", path, "--faults", 0, "--json").stdout)["add"]]
        self.assertEqual(len(added), 1)
        self.assertTrue(self.answer(self.graph(4, edges + added), 0)["synchronous_exact"])
        out = run("cluster", self.graph(4, edges), "--faults", 0, "--values", "1,2,3,4")
        self.assertEqual((out.returncode, out.stdout), (2, ""))
        self.assertIn("cannot agree in this graph", out.stderr)

    def test_bad_graphs_say_where_and_what(self):
        cases = [
            ('{"nodes": 3,\n"edges": [[0, 1],\n[1, 1], [1, 2]]}', ":3:1: [1, 1] leads from a node to itself"),
            ('{"nodes": 3,\n"edges": [[0, 1],\n[1, 7]]}', ":3:1: there is no node 7; the nodes are 0 to 2"),
            ('{"nodes": 3,\n"edges": [[0, 1],\n[0, 1]]}', ":3:1: [0, 1] stands there twice"),
            ('{"nodes": 3,\n"edges": [[0]]}', ":2:11: an edge is a pair of nodes"),
            ('{"nodes": 65, "edges": []}', "1 to 64"),
            ('{"edges": []}', "'nodes' is how many"),
            ('{"nodes": 2}', "'edges' is a list"),
            ('{"nodes": 2, "edges": [[0, 1]],\n"colour": 1}', ":2:1: unknown key `colour`; known: nodes, edges"),
            ("[1]", "a graph is an object"),
            ("{", "':1:1: invalid JSON"),
        ]
        for text, complaint in cases:
            for verb in ["check", "repair"]:
                out = run(verb, self.file(text), "--faults", 0)
                self.assertEqual((out.returncode, out.stdout), (2, ""), text)
                self.assertIn(complaint, out.stderr, text)

    def test_a_file_full_of_mistakes_is_not_echoed(self):
        path = self.graph(3, [[0, 1]] * 1001)
        out = run("check", path, "--faults", 0)
        self.assertEqual((out.returncode, out.stdout), (2, ""))
        lines = out.stderr.splitlines()
        self.assertEqual(len(lines), 21)
        self.assertIn("[0, 1] stands there twice", lines[19])
        self.assertIn("980 more problems are not shown", lines[20])

    def test_what_is_no_file(self):
        folder = pathlib.Path(self.folder.name)
        os.mkfifo(folder / "pipe")
        for path, complaint in [(folder, "is a folder"), (folder / "pipe", "a pipe that nobody writes to"),
                                ("/dev/zero", "larger than"), (folder / "none", "No such file")]:
            out = run("check", path, "--faults", 1)
            self.assertEqual((out.returncode, out.stdout), (2, ""), path)
            self.assertIn(complaint, out.stderr)
            self.assertIn('give a file like {"nodes": 4', out.stderr)

    def test_too_many_faults(self):
        path = self.graph(3, complete(3))
        self.assertIn("somebody must be correct", run("check", path, "--faults", 3).stderr)
        out = run("check", self.graph(40, complete(40)), "--faults", 8)
        self.assertEqual(out.returncode, 2)
        self.assertIn("more sets than", out.stderr)
        self.assertEqual(run("check", path, "--faults", 1, "--json", "--dot").returncode, 2)
        self.assertEqual(run("repair", path, "--faults", 1, "--condition", "none").returncode, 2)
        self.assertEqual(run("check", "/nowhere.json", "--faults", 1).returncode, 2)


if __name__ == "__main__":
    unittest.main()
