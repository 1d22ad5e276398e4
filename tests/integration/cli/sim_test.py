#!/usr/bin/env python3
"""`thresher sim` as a user calls it: experiment files good and bad, runs, sweeps, shards, merging."""
import json
import os
import pathlib
import pty
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

signal.signal(signal.SIGINT, signal.default_int_handler)  # children of a shell's background job would ignore it
BINARY = sys.argv.pop(1) if len(sys.argv) > 1 and not sys.argv[1].startswith("-") else "thresher"
BINARY = str(pathlib.Path(BINARY).resolve()) if pathlib.Path(BINARY).exists() else BINARY
LONG = "THRESHER_LONG" in os.environ  # the slow test of the same name asks for all cases
ROOT = pathlib.Path(__file__).resolve().parents[3]
PARTS = ["verdict", "seed", "trace_hash", "rounds", "virtual_ms", "messages", "bytes", "decisions", "latency_ms",
         "per_node", "cpu_s", "rss_bytes"]


def run(*arguments, text=None, env=None, cwd=None):
    clean = {k: v for k, v in os.environ.items() if not k.startswith(("SLURM_", "JOB_COMPLETION"))}
    return subprocess.run([BINARY, "sim", *map(str, arguments)], input=text, capture_output=True, text=True,
                          timeout=60, env={**clean, **(env or {})}, cwd=cwd)


class Files(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def write(self, name, content):
        path = self.folder / name
        path.write_text(content if isinstance(content, str) else json.dumps(content, indent=1))
        return path

    def experiment(self, **members):
        base = {"schema": 1, "protocol": {"name": "pbft"}, "workload": {"one_at_a_time": True}, "stop": {"rounds": 12}}
        return self.write("exp.json", {**base, **members})


class BadFiles(Files):
    """Every class of bad input that other simulators crash on or swallow."""

    def refused(self, content, *wanted):
        path = self.write("bad.json", content)
        out = run("run", path, "--json")
        self.assertEqual(out.returncode, 2, out.stderr + out.stdout)
        self.assertEqual(out.stdout, "")
        for words in (str(path), *wanted):
            self.assertIn(words, out.stderr)
        return out.stderr

    def member(self, name, value, *wanted):
        return self.refused({"schema": 1, "protocol": {"name": "thresher"}, name: value}, *wanted)

    def test_no_json(self):
        self.refused("", ":1:1: invalid JSON: there is nothing in it")
        self.refused('{"schema": 1,\n "seed": }\n', "bad.json:2:10: invalid JSON: expected a value, found '}'")
        self.refused('{"schema": 1,\n "seed": 1e999}', "bad.json:2:15: invalid JSON: the number '1e999' is too large")
        self.refused("[1, 2]", "must be one object")
        self.refused("{}", '"schema": 1 is missing')
        self.refused('{"schema": 2}', "bad.json:1:12: schema: 2 is newer")

    def test_nothing_that_was_not_said_is_run(self):
        self.refused('{"schema": 1}', ":1:1: protocol: is missing", "thresher sim list")
        self.refused({"schema": 1, "protocol": {}}, "protocol: has no `name`")
        self.member("stop", {}, "stop: names no end")
        for path in ("/dev/null", "-"):
            out = run("run", path, text="")
            self.assertEqual((out.returncode, out.stdout), (2, ""))
            self.assertIn("there is nothing in it", out.stderr)
            self.assertNotIn("Success", out.stderr)

    def test_wrong_types(self):
        self.member("stop", {"rounds": "30"}, 'stop.rounds: must be a whole number', 'not the string "30"')
        self.member("network", {"loss": "0.1"}, "network.loss: must be a number from 0 to 1")
        self.member("committee", {"n": 4.7}, "committee.n", "not 4.7")
        self.member("network", [], "network: must be an object, not a list")

    def test_out_of_range(self):
        self.member("stop", {"rounds": -30}, "stop.rounds", "not -30")
        self.member("committee", {"n": 0}, "committee.n", "from 1 to 4096")
        self.member("repeats", 0, "repeats")
        self.member("network", {"delay": 0}, "network.delay")
        self.member("network", {"loss": 2}, "network.loss", "not 2")

    def test_unknown_names(self):
        self.member("network", {"topology": "comlete"}, "network.topology", "did you mean `complete`?")
        self.member("network", {"delay": {"law": "unifrm", "min": 1, "max": 2}}, "network.delay.law", "`uniform`")
        self.member("network", {"dropProbabilty": 0.1}, "network.dropProbabilty: unknown key")
        self.refused({"schema": 1, "protocl": {"name": "pbft"}}, "protocl: unknown key", "did you mean `protocol`?")
        self.member("protocol", {"name": "pbtf"}, "protocol.name: unknown protocol", "`pbft`")
        self.member("protocol", {"name": "nothing-like-it"}, "protocol.name", "known: ", "thresher")

    def test_what_does_not_fit(self):
        self.member("network", {"delay": {"min": 5, "max": 2}}, "network.delay.min: 5 is more than the `max`, 2")
        self.member("committee", {"n": 6, "f": 2}, "committee.f", "n >= 3f+1")
        self.member("network", {"topology": "grid", "width": 5, "height": 5}, "25 places for 4 nodes")
        self.member("network", {"topology": "list", "neighbours": [[1], [2], [3], [99]]}, "neighbours[3]", "no node 99")
        self.member("faults", [{"who": [4], "what": "silent"}], "faults[0].who", "no node 4")
        self.member("faults", [{"who": {"count": 9}, "what": "silent"}], "faults[0].who.count")
        self.member("faults", [{"who": [0, 1], "what": "silent"}], "faults", "beyond_f")
        self.member("sweep", {"committee.n": []}, "sweep.committee.n", "no values")
        self.member("faults", [{"who": [1], "what": "silent", "from": 3.2, "to": 3.8}], "faults[0].to: no round lies",
                    "let it last until 5")
        self.member("network", {"partitions": [{"groups": [[0], [1]], "from": 3.001, "to": 4}]},
                    "network.partitions[0].to: no round lies in the time from 3.001 to 4")

    def test_all_problems_at_once(self):
        lines = self.member("network", {"loss": 7, "delay": {"min": 3, "max": 1}, "x": 1}).strip().split("\n")
        self.assertEqual(len(lines), 3, lines)

    def test_an_absent_file(self):
        out = run("run", self.folder / "none.json")
        self.assertEqual(out.returncode, 2)
        self.assertIn("cannot read", out.stderr)
        self.assertEqual(run("run", self.folder).returncode, 2)

    def test_bad_flags(self):
        for flags in (["--set", "committee.n"], ["--set", "committee.n=x"], ["--n", 0], ["--protocol", "paxos"],
                      ["--cell", 1], ["--engine", "sokets"], ["--n", -1], ["--n", -4], ["--seed", -1],
                      ["--seed", 2 ** 64], ["--n", 2 ** 64 - 1], ["--n", 2 ** 64], ["--rounds", -1],
                      ["--cell", -1], ["--delay-max", -1], ["--byzantine", -1]):
            out = run("run", *flags)
            self.assertEqual((out.returncode, out.stdout), (2, ""), flags)
            self.assertIn(str(flags[-1]).rpartition("=")[2], out.stderr, flags)


class Running(Files):
    def test_flags_alone(self):
        out = run("run", "--protocol", "thresher", "--n", 7, "--rounds", 20, "--seed", 7, "--json")
        self.assertEqual(out.returncode, 0, out.stderr)
        self.assertEqual(out.stdout.count("\n"), 1)
        row = json.loads(out.stdout)
        self.assertLessEqual(set(PARTS), set(row))
        self.assertEqual(row["seed"], 7)
        self.assertEqual(len(row["per_node"]), 7)
        self.assertGreater(row["decisions"], 0)
        self.assertEqual(set(row["latency_ms"]), {"mean", "p50", "p99"})

    def test_the_same_seed_is_the_same_run(self):
        path = self.experiment()
        rows = [json.loads(run("run", path, "--json", "--check-determinism").stdout) for _ in range(2)]
        self.assertEqual(rows[0]["trace_hash"], rows[1]["trace_hash"])
        other = json.loads(run("run", path, "--json", "--set", "committee.n=7").stdout)
        self.assertNotEqual(rows[0]["trace_hash"], other["trace_hash"])

    def test_explained_reads_back_equal(self):
        path = self.experiment(faults=[{"who": {"count": "f"}, "what": "silent", "from": 2}])
        first = run("run", path, "--explain", "--set", "committee.n=10")
        self.assertEqual(first.returncode, 0, first.stderr)
        again = run("run", "-", "--explain", text=first.stdout)
        self.assertEqual(again.stdout, first.stdout)
        self.assertEqual(json.loads(first.stdout)["faults"][0]["who"], [0, 3, 6])

    def test_a_new_experiment_runs(self):
        rows = json.loads(run("list", "--json").stdout)
        self.assertIn("pbft", {p["name"] for p in rows["protocols"]})
        self.assertIn("twins", {f["name"] for f in rows["faults"]})
        for protocol in ("pbft", "thresher", "bullshark-async", "avid"):  # as they are: all, in sim_find_test.py
            made = run("new", protocol)
            self.assertEqual(made.returncode, 0)
            self.assertIn("// ", made.stdout)
            path = self.write("new.json", made.stdout)
            out = run("run", path, "--json", "--set", "committee={\"n\": 4}")
            self.assertEqual(out.returncode, 0, protocol + out.stderr)
        self.assertEqual(run("new", "pbtf").returncode, 2)

    def test_new_leaves_out_what_follows_from_other_keys(self):
        text = run("new", "pbft").stdout
        shown = json.loads(run("run", "-", "--explain", "--n", "7", "--delay-max", "5", text=text).stdout)
        self.assertEqual(shown["committee"], {"n": 7, "f": 2})
        self.assertEqual(shown["network"]["delta"], 10)
        shown = json.loads(run("run", "-", "--explain", "--set", "network.delay.mean=3", text=text).stdout)
        self.assertEqual(shown["network"]["delay"], {"law": "constant", "mean": 3, "min": 3, "max": 3})
        for key in ("f: faults tolerated", "delta: what", "min: no draw"):
            self.assertIn(f"// (not given) {key}", text)

    def test_what_is_set_from_outside_has_no_line(self):
        out = run("run", self.experiment(), "--byzantine", "1", "--behaviour", "liar")
        self.assertEqual(out.returncode, 2)
        self.assertIn("command line: faults[0].what: ", out.stderr)
        out = run("run", self.experiment(), "--set", "faults.0.probability=0.5")
        self.assertEqual(out.returncode, 2)
        self.assertIn("command line: faults.0.probability: there is no list", out.stderr)

    def test_new_pbft_is_the_first_figure(self):
        shown = json.loads(run("run", "-", "--explain", text=run("new", "pbft").stdout).stdout)
        self.assertEqual(shown["committee"], {"n": 100, "f": 33})
        self.assertEqual(shown["network"]["delay"]["mean"], 1)
        self.assertEqual(shown["stop"], {"rounds": 30})
        self.assertTrue(shown["workload"]["one_at_a_time"])
        row = json.loads(run("run", "-", "--json", text=run("new", "pbft").stdout).stdout)
        self.assertIn(row["decisions"], (9, 10))
        self.assertEqual(row["latency_ms"]["mean"], 3)

    def test_trace_and_folder(self):
        path = self.experiment()
        out = run("run", path, "--trace", self.folder / "t.ndjson", "--out", self.folder / "run", "--json")
        self.assertEqual(out.returncode, 0, out.stderr)
        events = [json.loads(line) for line in (self.folder / "t.ndjson").read_text().splitlines()]
        self.assertEqual(sum(e["event"] == "deliver" and e["node"] != e["peer"] for e in events),
                         json.loads(out.stdout)["messages"])
        self.assertEqual({p.name for p in (self.folder / "run").iterdir()},
                         {"experiment.json", "result.json", "nodes.ndjson", "cost.json"})
        again = run("run", self.folder / "run" / "experiment.json", "--json")
        self.assertEqual(json.loads(again.stdout)["trace_hash"], json.loads(out.stdout)["trace_hash"])
        self.assertEqual(run("run", path, "--trace", "/nowhere/t").returncode, 2)

    def test_a_result_in_a_place_that_is_none(self):
        """Every verb that writes what it found: 2 and the place named, before any of the work if it is a file."""
        self.write("file", "")
        self.assertEqual(run("sweep", self.experiment(sweep={"committee.n": [4, 7]}), "--out",
                             self.folder / "swept").returncode, 0)
        path = self.experiment()
        writers = [("sim", "run", path, "--trace"), ("sim", "run", path, "--report"), ("sim", "run", path, "--out"),
                   ("sim", "sweep", path, "--out"), ("sim", "report", self.folder / "swept", "--html"),
                   ("sim", "fuzz", path, "--seeds", "1..2", "--out"), ("sim", "shrink", path, "--out"), ("sim", "reproduce", "--runs", 100, "--report"),
                   ("bench", "attack", "--n", 4, "--virtual-s", 9, "--chart"), ("bench", "broadcast", "--chart"),
                   ("bench", "wan", "--charts"), ("bench", "sparse-dag", "--n", 4, "--charts")]
        for writer in writers:
            place = self.folder / "file" / "x"
            out = subprocess.run([BINARY, *map(str, writer), str(place)], capture_output=True, text=True, timeout=60)
            self.assertEqual(out.returncode, 2, (writer, out.stderr))
            self.assertIn(str(place), out.stderr, writer)

    def test_a_verdict_is_told_also_where_it_cannot_be_kept(self):
        out = run("run", self.experiment(), "--out", self.folder / ("x" * 300), "--json")
        self.assertEqual(out.returncode, 2)
        self.assertEqual(json.loads(out.stdout)["verdict"], "Pass")

    def test_no_progress_is_4(self):
        path = self.experiment(faults=[{"who": {"count": 2}, "what": "silent"}], beyond_f=True,
                               stop={"rounds": 500}, oracles={"liveness_within": 40})
        out = run("run", path, "--json")
        self.assertEqual(out.returncode, 4, out.stdout + out.stderr)
        row = json.loads(out.stdout)
        self.assertEqual(row["verdict"], "NoProgress")
        self.assertTrue(row["beyond_f"])

    def test_who_decided_nothing_has_not_passed(self):
        lost = ["--n", 4, "--rounds", 60, "--set", "network.loss=1"]
        for flags in (*(["--protocol", p, *lost] for p in ("pbft", "raft", "simplex", "bracha", "honeybadger", "hotstuff2")),
                      ["--protocol", "pbft", "--n", 4, "--rounds", 1],
                      ["--protocol", "raft", "--n", 4, "--set", "network.delay=1000"]):
            out = run("run", *flags)
            self.assertEqual((out.returncode, out.stdout.split(":")[0]), (4, "Undecided"), flags)
            self.assertIn("liveness was not judged: the run stopped at", out.stdout, flags)
            self.assertIn("undecided: nobody decided anything", out.stderr, flags)
            row = json.loads(run("run", *flags, "--json").stdout)
            self.assertEqual((row["verdict"], row["decisions"]), ("Undecided", 0), flags)
            self.assertIn("the run stopped at", row["unjudged"], flags)
        self.assertEqual(json.loads(run("run", "--protocol", "pbft", "--n", 4, "--rounds", 5000, "--set", "network.loss=1",
                                        "--json").stdout)["verdict"], "NoProgress")
        replayed = run("replay", self.experiment(stop={"rounds": 1}))
        self.assertEqual(replayed.returncode, 4, replayed.stdout + replayed.stderr)
        shrunk = run("shrink", self.experiment(stop={"rounds": 1}), "--out", self.folder / "small.json")
        self.assertIn("nothing to shrink", shrunk.stderr)

    def test_a_run_that_ends_before_the_bound_says_so(self):
        out = run("run", "--protocol", "pbft", "--n", 4, "--rounds", 20)
        self.assertEqual((out.returncode, out.stdout.split(":")[0]), (0, "Pass"))
        self.assertIn("liveness was not judged: the run stopped at 20", out.stdout)
        self.assertIn("unjudged", json.loads(run("run", "--protocol", "pbft", "--n", 4, "--rounds", 20, "--json").stdout))
        self.assertNotIn("unjudged", json.loads(run("run", "--protocol", "pbft", "--n", 4, "--rounds", 2000, "--json").stdout))

    def test_no_byzantine_node_is_no_fault(self):
        """0 was as good as not said: the file's own faults stayed, and any word went for a behaviour."""
        path = self.experiment(faults=[{"who": [1], "what": "silent"}])
        explained = [json.loads(run("run", path, *flags, "--explain", "--json").stdout)["faults"]
                     for flags in ((), ("--byzantine", 1), ("--byzantine", 0))]
        self.assertEqual([[fault["what"] for fault in faults] for faults in explained], [["silent"], ["twins"], []])
        for many in (0, 1):
            out = run("run", path, "--byzantine", many, "--behaviour", "silnt")
            self.assertEqual((out.returncode, out.stdout), (2, ""), many)
            self.assertIn("did you mean `silent`?", out.stderr)

    def test_raft_bears_crashes_of_a_minority(self):
        for nodes, bears in ((3, 1), (5, 2), (7, 3)):
            base = ["--protocol", "raft", "--n", nodes, "--rounds", 3000, "--json", "--behaviour", "crash"]
            out = run("run", *base, "--byzantine", bears)
            self.assertEqual(out.returncode, 0, out.stdout + out.stderr)
            more = run("run", *base, "--byzantine", bears + 1)
            self.assertEqual(more.returncode, 2)
            self.assertIn(f"{bears + 1} nodes are faulty, but f is {bears}", more.stderr)
        lie = "nodes lie here, which is beyond what raft promises"
        for behaviour, said in (("twins", True), ("crash", False)):
            out = run("run", "--protocol", "raft", "--n", 5, "--rounds", 300, "--byzantine", 1, "--behaviour", behaviour)
            self.assertEqual(lie in out.stdout, said, out.stdout)

    def test_a_violation_is_3_and_replays(self):
        # Two of four speak to a third only: it delivers, the fourth never can. That is more than f.
        path = self.experiment(protocol={"name": "bracha"}, workload={}, beyond_f=True, stop={"rounds": 20},
                               faults=[{"who": [0, 1], "what": "selective", "group": [0, 1, 2]}])
        out = run("run", path, "--json", cwd=self.folder)
        self.assertEqual(out.returncode, 3, out.stderr)
        self.assertIn("more than f faulty allowed", out.stderr)
        command = out.stderr.split("replay: thresher ")[1].split()
        again = run(*command[1:], "--json", cwd=self.folder)
        self.assertEqual(again.returncode, 3, again.stderr)
        self.assertEqual(json.loads(again.stdout)["trace_hash"], json.loads(out.stdout)["trace_hash"])
        # A counterexample is its own counterexample.
        self.assertEqual(len(list(self.folder.glob("counterexample-*.json"))), 1)
        self.assertIn(command[-1], again.stderr)
        swept = run("sweep", path, "--out", self.folder / "out", "--set", "repeats=2")
        self.assertEqual(swept.returncode, 3)
        self.assertEqual(swept.stderr.count("violated; replay: thresher sim run"), 2)

    def test_dry_run_predicts(self):
        path = self.experiment(committee={"n": 40}, stop={"rounds": 60})
        foreseen = json.loads(run("run", path, "--dry-run", "--json").stdout)
        measured = json.loads(run("run", path, "--json").stdout)
        self.assertAlmostEqual(foreseen["messages"] / measured["messages"], 1, delta=0.01)

    def test_dry_run_goes_by_the_stop_that_is_met_first(self):
        """Each was cut to the same share of itself, so that a stop far away made a near one a thousand times as long."""
        for stop in ({"rounds": 1000000, "decisions": 40}, {"time": 30, "rounds": 5000000},
                     {"time": 6000, "decisions": 10000000}):
            for n in (4, 40) if LONG else (4,):
                path = self.experiment(committee={"n": n}, stop=stop)
                foreseen = json.loads(run("run", path, "--dry-run", "--json").stdout)
                measured = json.loads(run("run", path, "--json").stdout)
                self.assertAlmostEqual(foreseen["messages"] / measured["messages"], 1, delta=0.05, msg=(n, stop))

    def test_dry_run_counts_the_faulty(self):
        """Once they were left out of the small committees: silent ones made 65 % too many messages, and two-faced ones
        a ninth of the bytes. What those send, and the proofs that they lie, grow with the tangle that they make, so it is
        foreseen within a factor of 2."""
        for protocol, what, n in [("bullshark", "silent", 34), ("thresher", "silent", 40), ("thresher", "twins", 40)]:
            path = self.experiment(protocol={"name": protocol}, committee={"n": n}, stop={"rounds": 30}, workload={},
                                   faults=[{"who": {"count": "f"}, "what": what}])
            foreseen = json.loads(run("run", path, "--dry-run", "--json").stdout)
            measured = json.loads(run("run", path, "--json").stdout)
            for key, most in (("messages", 0.5 if what == "twins" else 0.25), ("bytes", 0.9)):
                self.assertAlmostEqual(foreseen[key] / measured[key], 1, delta=most, msg=(protocol, what, key))

    def foreseen_and_measured(self, protocol, n, rounds, what=None):
        faults = [{"who": {"count": "f"}, "what": what}] if what else []
        path = self.experiment(protocol={"name": protocol}, committee={"n": n}, stop={"rounds": rounds}, workload={},
                               faults=faults)
        return [json.loads(run("run", path, *how, "--json").stdout) for how in (["--dry-run"], [])]

    def test_dry_run_is_near_whatever_a_protocol_costs(self):
        """Of n^3 once a third was foreseen at n = 100, and half at n = 61: a parabola was put through n = 7, 13 and 19.
        None of these is so short that it is run itself."""
        slow = [("alternating_bit", 700, 480),  # n
                ("setup-free-coin", 14, 4),  # n^4
                ("pbft", 85, 40), ("bullshark", 85, 12), ("chained-echo", 61, 12), ("approximate-agreement", 40, 12),
                ("avid", 34, 12), ("common-subset", 40, 12)]
        for protocol, n, rounds in [
                ("thresher", 100, 30),  # n^2
                ("bracha", 49, 12),  # n^3
                ("honeybadger", 40, 12),  # n^3, and a coin's rounds
                *(slow if LONG else [])]:
            foreseen, measured = self.foreseen_and_measured(protocol, n, rounds)
            with self.subTest(protocol=protocol, n=n):
                self.assertLess(foreseen["probes"][-1], n)
                for key in ("messages", "bytes"):
                    self.assertGreater(foreseen[key] / measured[key], 0.75, key)
                    self.assertLess(foreseen[key] / measured[key], 1.33, key)
                if measured["rss_bytes"] > 10_000_000:
                    self.assertGreater(foreseen["memory_bytes"] / measured["rss_bytes"], 1 / 3)
                    self.assertLess(foreseen["memory_bytes"] / measured["rss_bytes"], 3)

    def test_dry_run_with_liars_is_neither_negative_nor_far(self):
        """pbft with f stale nodes once came to 18446744073709419814 messages, a negative number. In the small committees
        liars that were spread evenly stood side by side, and two such leaders in turn cost far more than two apart."""
        every = ("stale", "equivocate", "silent", "twins")
        for protocol, n, rounds, one in [("pbft", 31, 200, "stale"), ("bracha", 40, 12, "twins"), ("bullshark", 40, 30, "equivocate")]:
            for what in every if LONG else (one,):
                foreseen, measured = self.foreseen_and_measured(protocol, n, rounds, what)
                with self.subTest(protocol=protocol, what=what):
                    for key in ("messages", "bytes"):
                        self.assertGreater(foreseen[key] / measured[key], 0.75, key)
                        self.assertLess(foreseen[key] / measured[key], 1.33, key)
                    for key in ("memory_bytes", "cpu_s"):
                        self.assertGreaterEqual(foreseen[key], 0)
                        self.assertLess(foreseen[key], 1e10)

    def test_a_prediction_does_not_depend_on_the_clock(self):
        """A slow machine once chose other committees to predict from."""
        path = self.experiment(protocol={"name": "chord", "even": True}, committee={"n": 1024},
                               workload={"kind": "open", "interval": 100}, stop={"rounds": 100})
        rows = []
        for slowed in ([], ["nice", "-n", "19", "timeout", "50"]):
            out = subprocess.run([*slowed, BINARY, "sim", "run", str(path), "--dry-run", "--json"], capture_output=True,
                                 text=True, timeout=60)
            rows.append({k: v for k, v in json.loads(out.stdout).items() if k in ("messages", "bytes", "probes")})
        self.assertEqual(rows[0], rows[1])
        # It sends so little that it is run itself.
        self.assertEqual(rows[0]["probes"][-1], 1024)

    def test_a_run_that_would_not_fit_is_refused(self):
        path = self.experiment(protocol={"name": "thresher"}, committee={"n": 1000}, workload={})
        out = subprocess.run(["prlimit", "--as=600000000", BINARY, "sim", "run", str(path), "--set", "stop.rounds=40"],
                             capture_output=True, text=True, timeout=60)
        self.assertEqual((out.returncode, out.stdout), (5, ""), out.stderr)
        self.assertRegex(out.stderr, r"needs about [\d.]+ GB of memory, and there is 0\.\d GB; ask for fewer nodes")

    def test_requests_that_would_not_fit_are_refused(self):
        """Nothing was asked of committees of up to 64 nodes."""
        path = self.experiment(protocol={"name": "bracha"}, workload={"clients": 1000, "bytes": 1000000})
        out = subprocess.run(["prlimit", "--as=900000000", BINARY, "sim", "run", str(path)], capture_output=True,
                             text=True, timeout=60)
        self.assertEqual((out.returncode, out.stdout), (5, ""), out.stderr)
        self.assertIn("needs about 4.0 GB of memory", out.stderr)

    def test_a_report_to_a_device_leaves_it_a_device(self):
        """Once a file was renamed over it."""
        pipe = self.folder / "pipe"
        os.mkfifo(pipe)
        with subprocess.Popen(["cat", str(pipe)], stdout=subprocess.PIPE, text=True) as reader:
            out = run("run", self.experiment(), "--report", pipe)
            page = reader.stdout.read()
        self.assertEqual(out.returncode, 0, out.stderr)
        self.assertTrue(pipe.is_fifo())
        self.assertIn("</html>", page)
        self.assertEqual(run("run", self.experiment(), "--report", self.folder).returncode, 2)

    def test_dry_run_is_near_where_runs_are_random(self):
        """Once a parabola through committees of 7 to 19 nodes, whose noise made 20 times too many."""
        path = self.experiment(protocol={"name": "chord", "even": True}, committee={"n": 1024},
                               workload={"kind": "open", "interval": 100}, stop={"rounds": 100})
        foreseen = json.loads(run("run", path, "--dry-run", "--json").stdout)
        measured = json.loads(run("run", path, "--json").stdout)
        self.assertAlmostEqual(foreseen["messages"] / measured["messages"], 1, delta=0.5)

    def test_words_say_when_more_than_f_were_asked_for(self):
        path = self.experiment(committee={"n": 4}, beyond_f=True, stop={"rounds": 10})
        self.assertIn("more faults than f", run("run", path).stdout)
        self.assertNotIn("more faults than f", run("run", self.experiment()).stdout)

    def test_what_changed_nothing_is_named(self):
        """A label that no message has, or a partition after the end, went through without a word."""
        path = self.experiment(stop={"time": 30}, oracles={"liveness": False}, network={"partitions": [
            {"groups": [[0], [1, 2]], "from": 3, "to": 5}, {"groups": [[0], [1]], "from": 900, "to": 901}]}, faults=[
            {"who": [1], "what": "starve", "field": "prepare"}, {"who": [1], "what": "starve", "field": "perpare"},
            {"what": "starve", "from": 800}])
        out = run("run", path)
        self.assertEqual(out.returncode, 0, out.stderr)
        self.assertEqual([line for line in out.stdout.splitlines() if line.endswith("changed nothing")],
                         ["faults[1], starve of `perpare`, changed nothing", "faults[2], starve, changed nothing",
                          "network.partitions[1] changed nothing"])
        row = json.loads(run("run", path, "--json").stdout)
        self.assertEqual(row["idle"], {"faults": [1, 2], "partitions": [1]})
        self.assertNotIn("idle", json.loads(run("run", self.experiment(), "--json").stdout))

    def test_a_long_run_shows_how_far_it_is(self):
        path = self.experiment(protocol={"name": "thresher"}, committee={"n": 64}, workload={}, stop={"rounds": 2000})
        mine, its = pty.openpty()
        with subprocess.Popen([BINARY, "sim", "run", str(path)], stdout=subprocess.PIPE, stderr=its,
                              env={k: v for k, v in os.environ.items() if k != "CI"}) as child:
            os.close(its)
            told = b""
            while b"of the run" not in told:
                part = os.read(mine, 1000)
                self.assertTrue(part, told)
                told += part
            child.kill()
            self.assertEqual(child.stdout.read(), b"")
        os.close(mine)
        self.assertRegex(told.decode(), r"about \d+ % of the run, ")
        short = run("run", self.experiment())
        self.assertEqual(short.stderr, "")

    def test_two_runs_are_compared(self):
        out = run("run", self.experiment(), "--check-determinism")
        self.assertEqual(out.stderr, "thresher: two runs, the same trace\n")


class Sockets(Files):
    """The same file on real nodes, with the simulator's prediction beside it."""

    def test_prediction_and_measurement_stand_side_by_side(self):
        path = self.experiment(engine="sockets", network={"delay": 10}, stop={"time": 1500},
                               faults=[{"who": [2], "what": "crash", "from": 400, "to": 800}])
        out = run("run", path, "--json")
        self.assertEqual(out.returncode, 0, out.stderr)
        result = json.loads(out.stdout)
        self.assertEqual(result["verdict"], "Pass")
        self.assertGreater(result["measured"]["committed_tx"], 0)
        # Every protocol needs more than one message delay, whatever the machine adds.
        for side in ("predicted", "measured"):
            self.assertGreater(result[side]["latency_ms"]["p50"], 10)

    def test_what_sockets_cannot_do_is_refused_all_at_once(self):
        path = self.experiment(engine="sockets", network={"loss": 0.1, "topology": "ring"},
                               faults=[{"who": [1], "what": "twins"}])
        out = run("run", path)
        self.assertEqual(out.returncode, 2)
        for key in ("network.loss", "network.topology", "faults[0].what"):
            self.assertIn(key, out.stderr)

    def test_settings_that_would_be_dropped_are_refused(self):
        for key, value in (("committee.f", 0), ("workload.requests", 9), ("workload.block_bytes", 4096),
                           ("network.scheduler", "hunt")):
            out = run("run", "--engine", "sockets", "--set", f"{key}={value}")
            self.assertEqual((out.returncode, out.stdout), (2, ""), key)
            self.assertIn(f"{key}: real nodes cannot be told so; ", out.stderr)

    # The run went on with status 0, and the files were not there.
    def test_options_of_simulated_runs_are_refused_each_in_a_line(self):
        options = {"--report": "q.html", "--trace": "q.tr", "--counterexample": "q.ce", "--out": "qout"}
        flags = [word for pair in options.items() for word in pair] + ["--check-determinism"]
        out = run("run", "--n", 4, "--engine", "sockets", *flags, cwd=self.folder)
        self.assertEqual((out.returncode, out.stdout), (2, ""), out.stderr)
        for option in (*options, "--check-determinism"):
            self.assertIn(f"thresher: {option}: real nodes cannot be told so; ", out.stderr)
        self.assertEqual(len(out.stderr.splitlines()), 5)
        self.assertEqual(list(self.folder.iterdir()), [])

    # It started nodes, which would run for 50 minutes here.
    def test_a_dry_run_starts_nobody(self):
        out = run("run", "--n", 4, "--engine", "sockets", "--set", "stop.time=3000000", "--dry-run", "--json")
        self.assertEqual((out.returncode, out.stderr), (0, ""))
        self.assertGreater(json.loads(out.stdout)["messages"], 0)

    def test_a_load_without_a_time_says_how_long_it_lasts(self):
        out = run("run", "--protocol", "raft", "--n", 1, "--engine", "sockets", "--rounds", 5)
        self.assertEqual(out.returncode, 0, out.stderr)
        self.assertIn("note: real nodes count no rounds: the load lasts 5 s", out.stderr)


class Shipped(unittest.TestCase):
    def test_experiments_are_good(self):
        files = sorted((ROOT / "sim" / "experiments").glob("*.json"))
        self.assertGreaterEqual(len(files), 3)
        for path in files:
            out = run("sweep", path, "--explain")
            self.assertEqual(out.returncode, 0, out.stderr)
            self.assertGreater(out.stdout.count("\n"), 1)


class Sweeps(Files):
    FILES = ("cells.ndjson", "results.ndjson", "runs.csv", "summary.csv")

    def setUp(self):
        super().setUp()
        self.path = self.experiment(sweep={"committee.n": [4, 7], "network.delay": [1, 2]}, repeats=2)

    def sweep(self, folder, *flags, status=0, **keywords):
        out = run("sweep", self.path, "--out", self.folder / folder, *flags, **keywords)
        self.assertEqual(out.returncode, status, out.stderr)
        return out

    def same(self, one, other):
        for name in self.FILES:
            self.assertEqual((self.folder / one / name).read_bytes(), (self.folder / other / name).read_bytes(), name)

    def test_a_sweep_is_not_a_run(self):
        out = run("run", self.path)
        self.assertEqual(out.returncode, 2)
        self.assertIn("8 runs", out.stderr)
        self.assertEqual(run("run", self.path, "--cell", 7, "--json").returncode, 0)

    def test_an_interrupted_sweep_says_how_to_go_on(self):
        path = self.experiment(protocol={"name": "thresher"}, workload={}, committee={"n": 31}, stop={"rounds": 60},
                               sweep={"seed": {"from": 1, "to": 2000}})
        arguments = [BINARY, "sim", "sweep", str(path), "--out", str(self.folder / "out"), "--jobs", "1"]
        with subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as child:
            # The SIGINT must find the program past its start, with one run counted: the second that stands there
            # shows it.
            while len(list((self.folder / "out" / "runs").glob("*/result.json"))) < 2 and child.poll() is None:
                time.sleep(0.02)
            child.send_signal(signal.SIGINT)
            out, errors = child.communicate(timeout=60)
        self.assertEqual((child.returncode, out), (130, ""), errors)
        self.assertRegex(errors, r"interrupted; \d+ of 2000 runs are done and stay in '.*out'; the same command goes on")

    def test_an_interrupted_run_says_that_there_is_no_verdict(self):
        trace = self.folder / "trace.jsonl"
        path = self.experiment(protocol={"name": "thresher"}, committee={"n": 40}, stop={"time": 1_000_000})
        for extra, words in (([], ""), (["--trace", str(trace)], f"; '{trace}' ends in its middle")):
            arguments = [BINARY, "sim", "run", str(path), "--json", *extra]
            with subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as child:
                begun = pathlib.Path(f"/proc/{child.pid}/stat")
                # Past its start: it has worked for a quarter of a second.
                while 4 * int(begun.read_text().split()[13]) < os.sysconf("SC_CLK_TCK") and child.poll() is None:
                    time.sleep(0.05)
                child.send_signal(signal.SIGINT)
                out, errors = child.communicate(timeout=60)
            self.assertEqual((child.returncode, out), (130, ""), errors)
            self.assertIn(f"thresher: interrupted; the run has no verdict{words}\n", errors)

    def test_a_folder_without_a_sweep(self):
        for verb in ("report", "merge"):
            for path in (self.folder, self.folder / "none", self.experiment()):
                out = run(verb, path)
                self.assertEqual(out.returncode, 2, out.stderr)
                self.assertIn(f"'{path}' holds no sweep", out.stderr)

    def test_resumes_and_reports(self):
        first = json.loads(self.sweep("all", "--json", "--jobs", 2).stdout)
        self.assertEqual((first["cells"], first["ran"], first["missing"]), (8, 8, 0))
        again = json.loads(self.sweep("all", "--json").stdout)
        self.assertEqual((again["ran"], again["reused"]), (0, 8))
        rows = json.loads(run("report", self.folder / "all", "--json").stdout)["rows"]
        self.assertEqual(len(rows), 4)
        self.assertEqual(rows[0]["committee.n"], 4)
        self.assertEqual(rows[0]["runs"], 2)
        self.assertIn("messages", run("report", self.folder / "all").stdout)

    # A double holds 53 bits: the table named a seed that was not run, and the chart had no place for either.
    def test_a_table_names_the_seeds_that_were_run(self):
        seeds = [9007199254740992, 9007199254740993, 18446744073709551615]
        self.path = self.experiment(sweep={"seed": seeds[:2]})
        table = self.sweep("two").stdout
        self.path = self.experiment(sweep={"seed": seeds})
        self.sweep("all")
        for shown in (table, run("report", self.folder / "all").stdout):
            for seed in seeds[: 2 if shown == table else 3]:
                self.assertRegex(shown, rf"(?m)^ *{seed} ")
        rows = json.loads(run("report", self.folder / "all", "--json").stdout)["rows"]
        self.assertEqual([row["seed"] for row in rows], seeds)
        page = self.folder / "page.html"
        self.assertEqual(run("report", self.folder / "two", "--html", page).returncode, 0)
        self.assertNotIn("nan", page.read_text())

    def test_counts_what_was_not_judged(self):
        self.path = self.experiment(sweep={"stop.rounds": [1, 12, 3000]})
        swept = self.sweep("all", "--json", status=4)
        row = json.loads(swept.stdout)
        self.assertEqual((row["undecided"], row["unjudged"], row["no_progress"]), (1, 2, 0))
        self.assertIn("liveness was not judged in 2 runs", swept.stderr)
        self.assertIn("1 runs are undecided", swept.stderr)
        rows = json.loads(run("report", self.folder / "all", "--json").stdout)["rows"]
        self.assertEqual([(r["pass"], r["undecided"], r["unjudged"]) for r in rows], [(0, 1, 1), (1, 0, 1), (1, 0, 0)])
        self.assertEqual(json.loads(self.sweep("all", "--json", status=4).stdout)["undecided"], 1)  # found done

    # A verdict alone was counted as a pass, and left holes in the tables.
    def test_half_a_result_is_no_result(self):
        self.sweep("all")
        some = sorted((self.folder / "all" / "runs").glob("*/result.json"))[3]
        whole = some.read_text()
        less = {key: value for key, value in json.loads(whole).items() if key != "trace_hash"}
        for content, lacks in (('{"verdict":"Pass"}', "'trace_hash' is missing"), ("{}", "'verdict' is missing"),
                               (json.dumps(less), "'trace_hash' is missing"), (whole[:50], "is damaged"), ("7", "is damaged")):
            some.write_text(content)
            out = self.sweep("all", status=2)
            self.assertIn(f"'{some}' is damaged", out.stderr)
            self.assertIn(lacks, out.stderr)
            self.assertIn("remove its folder and run again", out.stderr)
            self.assertEqual(out.stdout, "")
            for verb in ("report", "merge"):
                again = run(verb, self.folder / "all", *(["--out", self.folder / "into"] if verb == "merge" else []))
                self.assertEqual(again.returncode, 2, again.stdout)
                self.assertIn("is damaged", again.stderr)
        shutil.rmtree(some.parent)
        self.sweep("all")
        self.assertEqual(some.read_text(), whole)

    def test_one_thread_or_two(self):
        self.sweep("one", "--jobs", 1)
        self.sweep("two", "--jobs", 2)
        self.same("one", "two")

    def test_shards_merge_to_the_same_bytes(self):
        self.sweep("all")
        for i in range(3):
            self.sweep(f"s{i}", "--shard", f"{i}/3")
        merged = run("merge", *(self.folder / f"s{i}" for i in range(2)), "--out", self.folder / "some")
        self.assertEqual(merged.returncode, 1)
        self.assertIn("are in none of the folders", merged.stderr)
        merged = run("merge", *(self.folder / f"s{i}" for i in range(3)), "--out", self.folder / "whole")
        self.assertEqual(merged.returncode, 0, merged.stderr)
        self.same("all", "whole")

    def test_shards_from_the_environment(self):
        self.sweep("all")
        slurm = {"SLURM_ARRAY_TASK_COUNT": "2", "SLURM_ARRAY_TASK_MIN": "1"}
        for task in ("1", "2"):
            self.sweep("slurm", env={**slurm, "SLURM_ARRAY_TASK_ID": task})
        for index in ("0", "1", "2"):
            self.sweep("cube", "--shards", 3, env={"JOB_COMPLETION_INDEX": index})
        self.same("all", "slurm")
        self.same("all", "cube")
        self.sweep("bad", env={"JOB_COMPLETION_INDEX": "0"}, status=2)
        self.sweep("bad", "--shards", 3, status=2)
        self.sweep("bad", "--shards", 0, status=2)  # it ran everything
        self.sweep("bad", "--shard", "3/3", status=2)

    def test_goes_on_after_a_kill(self):
        self.path = self.experiment(sweep={"seed": {"from": 1, "to": 30}}, committee={"n": 31}, stop={"rounds": 60})
        self.sweep("all")
        target = self.folder / "killed"
        process = subprocess.Popen([BINARY, "sim", "sweep", self.path, "--out", target], stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL)
        while process.poll() is None and len(list(target.glob("runs/[0-9a-f]*"))) < 5:
            time.sleep(0.005)
        process.kill()
        process.wait()
        out = json.loads(self.sweep("killed", "--json").stdout)
        self.assertGreaterEqual(out["reused"], 5)
        self.same("all", "killed")

    def test_a_dry_run_adds_up(self):
        foreseen = json.loads(self.sweep("none", "--dry-run", "--json").stdout)
        self.sweep("all")
        rows = [json.loads(line) for line in (self.folder / "all" / "results.ndjson").read_text().splitlines()]
        self.assertEqual(foreseen["cells"], 8)
        self.assertEqual(foreseen["messages"], sum(row["messages"] for row in rows))

    def test_refuses_another_sweeps_folder(self):
        self.sweep("all")
        out = self.sweep("all", "--set", "stop.rounds=9", status=2)
        self.assertIn("holds another sweep", out.stderr)

    def test_explains_every_run(self):
        lines = self.sweep("none", "--explain").stdout.splitlines()
        self.assertEqual([json.loads(line)["committee"]["n"] for line in lines], [4] * 4 + [7] * 4)
        self.assertFalse((self.folder / "none").exists())


class ProtocolParameters(Files):
    """D and its like by their bare names, as the documents write them."""

    def sim(self, protocol, *sets, engine="rounds"):
        arguments = [part for s in sets for part in ("--set", s)]
        return subprocess.run([BINARY, "sim", "run", "--protocol", protocol, "--n", "7", "--rounds", "20", "--engine", engine,
                               "--json", *arguments], capture_output=True, text=True, timeout=60)

    def test_they_change_the_run(self):
        traces = [json.loads(self.sim("sparse-bullshark", *sets).stdout)["trace_hash"]
                  for sets in ([], ["D=50"], ["D=2"], ["protocol.D=2"], ["D=2", "sampling=verifiable"])]
        self.assertEqual(traces[0], traces[1])  # the default
        self.assertEqual(traces[2], traces[3])
        self.assertEqual(len(set(traces)), 3)
        self.assertEqual(self.sim("anchored-bullshark", "D=0").returncode, 0)
        self.assertEqual(self.sim("mahi-mahi", "wave=4").returncode, 0)

    def test_wrong_ones_say_what_fits(self):
        for protocol, wrong, hint in (("sparse-bullshark", "D=-1", "0 to 4096, not -1"),
                                      ("sparse-bullshark", "D=abc", "0 to 4096, not the string"),
                                      ("sparse-bullshark", "D=", "0 to 4096, not the string"),
                                      ("sparse-bullshark", "D=5000", "0 to 4096, not 5000"),
                                      ("sparse-bullshark", "sampling=foo", "local"),
                                      ("sparse-bullshark", "D", "KEY=VALUE"),
                                      ("sparse-bullshark", "E=3", "unknown key"),
                                      ("bullshark", "D=5", "protocol.D: unknown key"),
                                      ("mahi-mahi", "wave=9", "4 to 8")):
            out = self.sim(protocol, wrong)
            self.assertEqual(out.returncode, 2, wrong)
            self.assertIn(hint, out.stderr)

    def test_real_nodes_are_told_them_or_it_is_refused(self):
        out = self.sim("sparse-bullshark", "gc_depth=60", engine="sockets")
        self.assertEqual(out.returncode, 2)
        self.assertIn("protocol.gc_depth: real nodes cannot be told so", out.stderr)
        out = run("run", "--protocol", "pbft", "--n", 100, "--engine", "sockets")
        self.assertEqual(out.returncode, 2)
        self.assertIn("committee.n: 100 real nodes are too many", out.stderr)
        nodes = self.folder / "net"
        base = [BINARY, "testnet", "init", "--base-port", "0", "-o", str(nodes), "--protocol", "sparse-bullshark"]
        made = subprocess.run([*base, "--set", "D=3", "--set", "sampling=verifiable"], capture_output=True, text=True)
        self.assertEqual(made.returncode, 0, made.stderr)
        genesis = json.loads((nodes / "genesis.json").read_text())
        self.assertEqual(genesis["parameters"], {"D": "3", "sampling": "verifiable"})
        for verb in ("testnet init --base-port 0 -o " + str(self.folder / "none"), "cluster --duration 1s"):
            for protocol, wrong, hint in (("sparse-bullshark", "D=x", "0 to 4096, not 'x'"),
                                          ("sparse-bullshark", "D=-1", "0 to 4096, not '-1'"),
                                          ("sparse-bullshark", "D=4097", "0 to 4096"),
                                          ("sparse-bullshark", "D=007", "0 to 4096"),
                                          ("sparse-bullshark", "samplings=local", "did you mean 'sampling'"),
                                          ("sparse-bullshark", "Q=1", "known: checkpoint, D, sampling"),
                                          ("bullshark", "D=5", "has no parameter 'D'"),
                                          ("anchored-bullshark", "=5", "NAME=VALUE"),
                                          ("no-such", "D=5", "known: anchored-bullshark")):
                out = subprocess.run([BINARY, *verb.split(), "--protocol", protocol, "--set", wrong],
                                     capture_output=True, text=True, timeout=60)
                self.assertEqual(out.returncode, 2, wrong)
                self.assertIn(hint, out.stderr)
        self.assertFalse((self.folder / "none").exists())


class SparseTable(Files):
    def bench(self, *arguments):
        return subprocess.run([BINARY, "bench", "sparse-dag", *map(str, arguments)], capture_output=True, text=True,
                              timeout=60)

    def test_rows_are_kept_joined_and_drawn(self):
        once = self.bench("--n", 10, "--virtual-s", 2, "--only", "dense-8,sparse-50-list", "--json")
        self.assertEqual(once.returncode, 0, once.stderr)
        rows = json.loads(once.stdout)["rows"]
        self.assertEqual([row["name"] for row in rows], ["dense-8", "sparse-50-list"])
        dense, listed = rows
        self.assertEqual([row["verdict"] for row in rows], ["Pass", "Pass"])
        self.assertGreater(dense["vertices_per_s"], 0)
        # A list of seven is checked one by one, a signature that stands for seven once.
        self.assertGreater(listed["signatures_per_vertex"], dense["signatures_per_vertex"] + 5)
        self.write("rows.json", once.stdout)
        joined = self.bench("--join", self.folder, "--charts", self.folder / "charts", "--json")
        self.assertEqual(json.loads(joined.stdout)["rows"], rows)
        for name in ("latency", "throughput", "bytes", "verify"):
            self.assertIn("bullshark", (self.folder / "charts" / f"sparse-{name}.svg").read_text())
        one = self.bench("--join", self.folder, "--only", "dense-8", "--json")
        self.assertEqual(json.loads(one.stdout)["rows"], rows[:1])
        rows[1]["violations"] = 1
        self.write("rows.json", json.dumps({"rows": rows}))
        forked = self.bench("--join", self.folder)
        self.assertEqual(forked.returncode, 3)
        self.assertIn("sparse-50-list", forked.stderr)

    def test_what_cannot_be_joined(self):
        self.assertEqual(self.bench("--join", self.folder).returncode, 2)
        self.write("rows.json", '{"rows":[{"protocol":"bullshark"}]}')
        out = self.bench("--join", self.folder)
        self.assertEqual(out.returncode, 2)
        self.assertIn("rows.json", out.stderr)
        for rows in ('{"rows":5}', '{"rows":[]}', "[]", '{"rows":[5]}', '{"rows":[{"name":"a","n":-1}]}'):
            self.write("rows.json", rows)
            out = self.bench("--join", self.folder)
            self.assertEqual(out.returncode, 2, rows)
            self.assertIn("rows.json", out.stderr)
            self.assertEqual(out.stdout, "", "a head without a table")

    def test_a_sample_of_everybody_is_no_row_of_its_own(self):
        """At n = 30 three rows once had the same figures."""
        out = self.bench("--n", 10, "--virtual-s", 0.5, "--only", "dense-8,sparse-50,sparse-150,anchored-6", "--json")
        self.assertEqual([row["name"] for row in json.loads(out.stdout)["rows"]], ["dense-8", "anchored-6"])
        self.assertIn("left out at n = 10, where their samples would be everybody: sparse-50, sparse-150", out.stderr)

    def test_a_card_that_nothing_waits_for_makes_no_row_of_its_own(self):
        """At n = 30 the rows of 2, 4 and 8 Gbit/s once had the same figures to the last digit."""
        names = "dense-2,dense-4,dense-8,dense-8-strict,dense-2-late,dense-4-late,dense-8-late"
        out = self.bench("--n", 10, "--virtual-s", 0.5, "--only", names, "--json")
        rows = json.loads(out.stdout)["rows"]
        self.assertEqual([row["name"] for row in rows], ["dense-2", "dense-8-strict", "dense-2-late"])
        self.assertEqual(len({row["latency_ms"] for row in rows}), len(rows))
        self.assertIn("left out at n = 10, where no message waits for a network card", out.stderr)
        self.assertIn("dense-4 (as dense-2), dense-8 (as dense-2), dense-4-late (as dense-2-late), dense-8-late (as "
                      "dense-2-late)", out.stderr)
        # By itself each is a row.
        one = self.bench("--n", 10, "--virtual-s", 0.5, "--only", "dense-8", "--json")
        self.assertEqual([row["name"] for row in json.loads(one.stdout)["rows"]], ["dense-8"])
        self.assertEqual(one.stderr, "")

    def test_what_cannot_be_run(self):
        for wrong, hint in ((("--only", "no-such-row"), "dense-8-late"), (("--only", "dense-8,dense-9"), "did you mean"),
                            (("--n", 3), "4 to 4096, not 3"), (("--virtual-s", 0), "0.001 to 3600"),
                            (("--virtual-s", -1), "0.001 to 3600"), (("--virtual-s", "nan"), "'nan' is no number"),
                            (("--virtual-s", "abc"), "abc")):
            out = self.bench("--n", 4, "--virtual-s", 1, *wrong) if wrong[0] == "--only" else self.bench(*wrong)
            self.assertEqual(out.returncode, 2, wrong)
            self.assertIn(hint, out.stderr)
            self.assertEqual(out.stdout, "", wrong)
        out = self.bench("--n", 30, "--virtual-s", 1, "--only", "sparse-50,sparse-150")
        self.assertEqual(out.returncode, 2)
        self.assertIn("fewer than all of 30 nodes", out.stderr)
        # Pictures that cannot be written are said before rows are run.
        self.write("file", "")
        out = self.bench("--n", 4, "--virtual-s", 1, "--only", "dense-8", "--charts", self.folder / "file")
        self.assertEqual(out.returncode, 2)
        self.assertNotIn("Pass", out.stdout)


@unittest.skipUnless(shutil.which("parallel"), "GNU parallel is not installed")
class Parallel(Files):
    def test_the_template_with_one_shard_killed(self):
        path = self.experiment(sweep={"seed": {"from": 1, "to": 24}})
        template = ROOT / "deploy" / "sim" / "parallel.sh"
        self.assertEqual(run("sweep", path, "--out", self.folder / "all").returncode, 0)
        arguments = ["bash", template, path, self.folder / "out", "8"]
        environment = {**os.environ, "THRESHER": BINARY, "PARALLEL_HOME": str(self.folder)}
        # The first time every third shard dies before it begins, as if its machine went down.
        broken = self.write("broken.sh", '#!/bin/sh\ncase "$*" in *[036]/8*) kill -9 $$;; esac\nexec "$REAL" "$@"\n')
        broken.chmod(0o755)
        once = subprocess.run(arguments, env={**environment, "THRESHER": str(broken), "REAL": BINARY},
                              capture_output=True, text=True, timeout=60)
        self.assertNotEqual(once.returncode, 0)
        again = subprocess.run(arguments, env=environment, capture_output=True, text=True, timeout=60)
        self.assertEqual(again.returncode, 0, again.stderr)
        for name in Sweeps.FILES:
            self.assertEqual((self.folder / "all" / name).read_bytes(), (self.folder / "out" / name).read_bytes())


if __name__ == "__main__":
    unittest.main()
