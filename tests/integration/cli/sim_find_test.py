#!/usr/bin/env python3
"""Finding, shrinking and replaying as a user calls them: `sim fuzz`, `shrink`, `replay`, `list` and `new`."""
import json
import pathlib
import re
import signal
import subprocess
import time
import unittest

from sim_test import BINARY, Files, run

# Two of four with two faces each, and Raft takes everybody at his word.
TWO_FACED = {"protocol": {"name": "raft"}, "beyond_f": True, "workload": {}, "stop": {"rounds": 40},
             "faults": [{"who": [1, 2], "what": "twins"}]}
HALF_SILENT = {"beyond_f": True, "workload": {}, "stop": {"rounds": 300}, "oracles": {"liveness_within": 40},
               "faults": [{"who": [0, 1], "what": "silent"}, {"who": [0], "what": "delay", "delay": 3},
                          {"who": [1], "what": "replay", "probability": 0.5}]}


class Finding(Files):
    def one_line(self, out, status):
        """The exit status, and exactly one object on exactly one line."""
        self.assertEqual(out.returncode, status, out.stdout + out.stderr)
        self.assertEqual(out.stdout.count("\n"), 1, out.stdout)
        self.assertTrue(out.stdout.endswith("\n"))
        return json.loads(out.stdout)

    def refused(self, out, *wanted):
        self.assertEqual(out.returncode, 2, out.stdout + out.stderr)
        self.assertEqual(out.stdout, "")
        for words in wanted:
            self.assertIn(words, out.stderr)


class Fuzz(Finding):
    def test_a_protocol_that_holds(self):
        path = self.experiment()
        row = self.one_line(run("fuzz", path, "--seeds", "1..40", "--json"), 0)
        self.assertEqual((row["verdict"], row["runs"], row["violated"], row["no_progress"]), ("Pass", 40, 0, 0))
        self.assertGreater(row["messages"], 0)
        self.assertGreater(row["actions_drawn"], row["actions_fired"])
        self.assertGreater(row["actions_fired"], 0)
        self.assertEqual(self.one_line(run("fuzz", path, "--seeds", "1..40", "--jobs", 1, "--json"), 0), row)
        plain = run("fuzz", path, "--seeds", "1..40")
        self.assertEqual(plain.returncode, 0)
        self.assertIn("40 schedules: 0 violated, 0 without progress", plain.stdout)
        alone = self.one_line(run("fuzz", path, "--seeds", "7", "--json"), 0)
        self.assertEqual(alone["runs"], 1)

    def test_flags_in_place_of_a_file(self):
        row = self.one_line(run("fuzz", "--protocol", "bracha", "--rounds", 12, "--seeds", "1..5", "--json"), 0)
        self.assertEqual(row["runs"], 5)

    def interrupted(self, *arguments, after=0.0):
        arguments = [BINARY, "sim", "fuzz", *map(str, arguments), "--jobs", "1"]
        with subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as child:
            status = pathlib.Path(f"/proc/{child.pid}/status")
            # Its own thread takes SIGINT once all others block it.
            while not int(re.search(r"SigBlk:\s*(\w+)", status.read_text())[1], 16) & 2 and child.poll() is None:
                time.sleep(0.02)
            time.sleep(after)
            child.send_signal(signal.SIGINT)
            out, errors = child.communicate(timeout=60)
        self.assertEqual((child.returncode, out), (130, ""), errors)
        return errors

    def test_an_interrupted_search_says_how_to_go_on(self):
        errors = self.interrupted("--protocol", "bracha", "--rounds", 12, "--seeds", "5..100000000")
        self.assertRegex(errors, r"interrupted; \d+ schedules ran, 0 were violated, 0 made no progress; go on with --seeds \d+\.\.100000000")

    # Such a run does not end a campaign, and of one that was interrupted nobody heard of it.
    def test_an_interrupted_search_tells_of_runs_without_progress(self):
        errors = self.interrupted(self.experiment(**HALF_SILENT), "--seeds", "1..100000000", after=5.0)
        self.assertRegex(errors, r"0 were violated, [1-9]\d* made no progress \(among them seed \d+\); go on with")

    def test_where_nothing_can_be_written_is_said_at_once(self):
        path = self.experiment(**TWO_FACED)
        for verb in ("fuzz", "shrink"):
            for out, why in [(self.folder, "is a folder"), (self.folder / "none" / "s.json", "No such file or directory")]:
                said = run(verb, path, "--out", out)
                self.assertEqual((said.returncode, said.stdout), (2, ""))
                self.assertIn(f"'{out}'", said.stderr)
                self.assertIn(why, said.stderr)
                self.assertNotIn("fails", said.stderr)

    def test_a_violation_that_cannot_be_saved_is_told(self):
        path = self.experiment(**TWO_FACED)
        long = self.folder / ("x" * 300)
        out = run("fuzz", path, "--seeds", "1..300", "--out", long, "--json")
        row = self.one_line(out, 3)
        self.assertEqual((row["verdict"], row["scenario"]), ("Violated", None))
        self.assertIn("cannot write", row["problem"])
        self.assertNotIn("replay", row)
        self.assertIn(f"seed {row['seed']} fails", out.stderr)
        self.assertIn("the same command finds it again", out.stderr)
        scenario = self.folder / "s.json"
        self.one_line(run("fuzz", path, "--seeds", row["seed"], "--out", scenario, "--json"), 3)
        out = run("run", scenario, "--counterexample", long)
        self.assertEqual(out.returncode, 3, out.stderr)
        self.assertIn("the same command finds it again", out.stderr)
        self.assertNotIn("replay:", out.stderr)

    def test_a_violation_is_3_and_its_scenario_replays(self):
        path = self.experiment(**TWO_FACED)
        scenario = self.folder / "s.json"
        out = run("fuzz", path, "--seeds", "1..300", "--out", scenario, "--json")
        row = self.one_line(out, 3)
        self.assertEqual((row["verdict"], row["scenario"]), ("Violated", str(scenario)))
        self.assertEqual(row["replay"], f"thresher sim replay {scenario}")
        self.assertIn(f"replay: {row['replay']}", out.stderr)
        self.assertIn(f"seed {row['seed']} fails", out.stderr)
        head = scenario.read_text().splitlines()[:2]
        self.assertEqual(head, [f"// {row['oracle']} is violated: {row['why']}", f"// replay: {row['replay']}"])
        again = run("replay", scenario)
        self.assertEqual(again.returncode, 3, again.stderr)
        self.assertIn(f"{row['oracle']} is violated: {row['why']}", again.stderr)
        self.assertIn("fault `twins` fires", again.stdout)
        # The lowest seed is reported, whatever the number of threads, and it is enough by itself.
        one = self.one_line(run("fuzz", path, "--seeds", str(row["seed"]), "--jobs", 1, "--json", cwd=self.folder), 3)
        self.assertEqual(one["why"], row["why"])
        self.assertEqual((self.folder / one["scenario"]).read_text().splitlines()[2:],
                         scenario.read_text().splitlines()[2:])

    def test_a_scenario_has_the_nodes_that_its_protocol_needs(self):
        """It had one node, with which a link is none: the reader refused it, and the violation was another one."""
        scenario = self.folder / "link.json"
        link = ("--protocol", "stable_link", "--n", 3, "--set", "committee.f=0", "--set", "capacity=1", "--delay-max", 9)
        row = self.one_line(run("fuzz", *link, "--seeds", "1..40", "--out", scenario, "--json"), 3)
        self.assertEqual((row["oracle"], row["n"]), ("agreement", 2))
        again = run("replay", scenario)
        self.assertEqual(again.returncode, 3, again.stderr)
        self.assertIn(f"agreement is violated: {row['why']}", again.stderr)
        smaller = self.one_line(run("shrink", scenario, "--out", self.folder / "smaller.json", "--json"), 3)
        self.assertEqual((smaller["oracle"], smaller["n"]), ("agreement", 2))

    def test_goes_on_when_told_to(self):
        path = self.experiment(**TWO_FACED)
        row = self.one_line(run("fuzz", path, "--seeds", "1..300", "--keep-going", "--json", cwd=self.folder), 3)
        self.assertEqual(row["runs"], 300)
        self.assertGreater(row["violated"], 1)

    def test_no_progress_is_4(self):
        path = self.experiment(**HALF_SILENT)
        out = run("fuzz", path, "--seeds", "1..60", "--out", self.folder / "s.json", "--json")
        row = self.one_line(out, 4)
        self.assertEqual((row["verdict"], row["oracle"], row["actions"]), ("NoProgress", "liveness", 1))
        self.assertEqual(run("replay", self.folder / "s.json").returncode, 4)

    def test_usage_is_2(self):
        path = self.experiment()
        for seeds in ("5..1", "a..b", "", "1..", "1..2..3", "-1..4"):
            self.refused(run("fuzz", path, f"--seeds={seeds}", "--json"), "FIRST..LAST")
        self.refused(run("fuzz", path, "--jobs", 5000), "--jobs must be at most 1024")
        self.refused(run("fuzz", self.folder / "none.json"), "cannot read", "thresher sim new pbft")
        self.refused(run("fuzz", path, "--set", "engine=\"sockets\""), "real sockets cannot be fuzzed")
        self.refused(run("fuzz", self.experiment(sweep={"protocol.name": ["pbft", "raft"]})), "one at a time")
        # It said that all schedules had passed.
        off = dict.fromkeys(["agreement", "prefix", "integrity", "validity", "totality", "accountability", "lemmas",
                             "liveness", "acceptance"], False)
        self.refused(run("fuzz", self.experiment(oracles=off), "--seeds", "1..2"), "every oracle is off")
        self.refused(run("fuzz", self.experiment(stop={"round": 9})), "exp.json:", "did you mean `rounds`?")

    def test_a_folder_that_is_not_there_is_2(self):
        out = run("fuzz", self.experiment(**HALF_SILENT), "--seeds", "1..5", "--out", "/nowhere/s.json", "--json")
        self.assertEqual((out.returncode, out.stdout), (2, ""))
        self.assertIn("/nowhere/s.json", out.stderr)


class Shrink(Finding):
    def test_what_is_left_still_fails(self):
        path = self.experiment(committee={"n": 7, "f": 2}, **{**HALF_SILENT, "faults": [
            {"who": [0, 1, 2], "what": "silent"}, {"who": [3], "what": "delay", "delay": 2},
            {"who": [0], "what": "replay", "probability": 0.5}]})
        small = self.folder / "small.json"
        out = run("shrink", path, "--out", small, "--json")
        row = self.one_line(out, 4)
        self.assertEqual((row["verdict"], row["oracle"], row["scenario"]), ("NoProgress", "liveness", str(small)))
        self.assertEqual(row["actions"], 1)
        self.assertLess(row["n"], 7)
        left = json.loads(re.sub(r"^//.*$", "", small.read_text(), flags=re.MULTILINE))
        self.assertEqual([a["what"] for a in left["faults"]], ["silent"])
        self.assertEqual(left["committee"]["n"], row["n"])
        self.assertEqual(run("replay", small).returncode, 4)
        again = self.one_line(run("shrink", small, "--out", self.folder / "smaller.json", "--json"), 4)
        self.assertEqual((again["actions"], again["n"]), (row["actions"], row["n"]))
        few = self.one_line(run("shrink", path, "--out", small, "--shrink-runs", 3, "--json"), 4)
        self.assertLessEqual(few["shrink_runs"], 4)

    def test_a_violation_is_3(self):
        found = self.one_line(run("fuzz", self.experiment(**TWO_FACED), "--seeds", "1..300", "--shrink-runs", 1,
                                  "--json", cwd=self.folder), 3)
        path = self.folder / found["scenario"]
        out = run("shrink", path, cwd=self.folder)
        self.assertEqual((out.returncode, out.stdout), (3, ""), out.stderr)
        name = re.search(r"replay: thresher sim replay (\S+)", out.stderr).group(1)
        self.assertNotEqual(self.folder / name, path)
        self.assertEqual(run("replay", name, cwd=self.folder).returncode, 3)

    def test_a_passing_run_is_1(self):
        out = run("shrink", self.experiment(), "--json")
        self.assertEqual((out.returncode, out.stdout), (1, ""))
        self.assertIn("nothing to shrink", out.stderr)

    def test_usage_is_2(self):
        self.refused(run("shrink"), "experiment")
        self.refused(run("shrink", self.folder / "none.json"), "cannot read")
        self.refused(run("shrink", self.experiment(repeats=3)), "shrink one")
        self.refused(run("shrink", self.experiment(), "--set", "engine=\"sockets\""), "cannot be repeated")


class Replay(Finding):
    def steps(self, text):
        return [float(found) for found in re.findall(r"^\[([\d.]+)\] ", text, re.MULTILINE)]

    def test_step_by_step(self):
        path = self.experiment(stop={"rounds": 8}, faults=[{"who": [3], "what": "crash", "from": 3, "to": 5}])
        whole = run("replay", path, "--full")
        self.assertEqual(whole.returncode, 0, whole.stderr)
        steps = self.steps(whole.stdout)
        self.assertEqual(steps, sorted(steps))
        self.assertGreater(steps[-1], 5)
        for words in ("[3] node 3 goes down (crash)", "[5] node 3 is back", "takes pre-prepare", "decides: ",
                      "the run passes: "):
            self.assertIn(words, whole.stdout)
        row = json.loads(run("run", path, "--json").stdout)
        # The story goes on until the run has healed; the figures are of the run as it was asked for.
        taken = [float(at) for at in re.findall(r"^\[([\d.]+)\] .*takes", whole.stdout, re.MULTILINE)]
        self.assertEqual(sum(at <= row["rounds"] for at in taken), row["messages"])

    def test_a_long_story_is_cut_in_the_middle(self):
        path = self.experiment(stop={"rounds": 30})
        whole = run("replay", path, "--full").stdout.splitlines()
        cut = run("replay", path).stdout.splitlines()
        self.assertLess(len(cut), 210)
        left_out = next(line for line in cut if "left out" in line)
        self.assertRegex(left_out, rf"{len(whole) - len(cut) + 1} lines are left out here; --full prints all")
        at = cut.index(left_out)
        self.assertEqual(cut[:at] + cut[at + 1:], whole[:at] + whole[at + 1 + len(whole) - len(cut):])

    def test_until(self):
        path = self.experiment(stop={"rounds": 8})
        whole = run("replay", path).stdout
        for until in (0, 2, 4):
            part = run("replay", path, "--until", until)
            self.assertEqual(part.returncode, 0)
            steps = self.steps(part.stdout)
            self.assertEqual(steps, [at for at in self.steps(whole) if at <= until])
            told = [line for line in whole.splitlines() if line.startswith("[")][:len(steps)]
            self.assertEqual([line for line in part.stdout.splitlines() if line.startswith("[")], told)
            self.assertRegex(part.stdout, rf"\n\d+ steps after {until} are left out\n")
        self.assertNotIn("left out", run("replay", path, "--until", 100).stdout)
        self.refused(run("replay", path, "--until", "soon"))

    def test_one_node_or_one_kind_of_step(self):
        path = self.experiment(stop={"rounds": 6})
        whole = [line for line in run("replay", path).stdout.splitlines() if line.startswith("[")]
        mine = [line for line in run("replay", path, "--node", 2).stdout.splitlines() if line.startswith("[")]
        self.assertGreater(len(mine), 5)
        self.assertLess(len(mine), len(whole))
        for line in mine:
            self.assertRegex(line, r"(node|->.*) 2\b")
        takes = [line for line in whole if "node 2 takes" in line]
        self.assertEqual([line for line in mine if "node 2 takes" in line], takes)
        prepares = [line for line in run("replay", path, "--about", "prepare").stdout.splitlines() if line.startswith("[")]
        self.assertEqual([line for line in whole if " prepare of " in line], prepares)
        self.assertTrue(prepares)
        self.refused(run("replay", path, "--node", 4), "there is no node 4; --node is 0 to 3")

    def test_the_faces_of_a_twin_and_the_names_of_what_is_delivered(self):
        twins = self.experiment(faults=[{"who": [1], "what": "twins"}], workload={}, stop={"rounds": 8})
        told = run("replay", twins, "--full").stdout
        self.assertRegex(told, r"node 1 \(second face\) -> \d")
        self.assertRegex(told, r"takes [\w-]+ of \d+ from node 1 \(second face\)")
        for honest in (0, 2, 3):
            self.assertNotIn(f"node {honest} (second face)", told)
        told = run("replay", self.experiment(protocol={"name": "bracha"}, workload={}, stop={"rounds": 8}), "--full").stdout
        self.assertIn("decides: deliver 1 of node 3", told)
        self.assertNotRegex(told, r"deliver \d{10}")

    def test_json_is_one_line_and_the_steps_go_elsewhere(self):
        path = self.experiment(stop={"rounds": 4})
        out = run("replay", path, "--json")
        row = self.one_line(out, 0)
        self.assertEqual(row["trace_hash"], json.loads(run("run", path, "--json").stdout)["trace_hash"])
        self.assertTrue(self.steps(out.stderr))

    def test_usage_is_2(self):
        self.refused(run("replay", self.experiment(sweep={"seed": [1, 2]})), "replay one")
        self.refused(run("replay", self.experiment(engine="sockets")), "cannot be replayed")
        self.refused(run("replay", self.write("x.json", "{")), "invalid JSON")

    def test_a_scenario_of_somebodys_own_protocol_names_its_test(self):
        path = self.write("own.json", "// agreement is violated: so it is\n// replay: THRESHER_SCENARIO=own.json ./mine\n"
                          + json.dumps({"schema": 1, "protocol": {"name": "Mine.Test"}}))
        for verb in ("replay", "run", "shrink"):
            self.refused(run(verb, path), "unknown protocol `Mine.Test`", "see it by: THRESHER_SCENARIO=own.json ./mine")


class Catalogue(Finding):
    def test_list(self):
        out = run("list")
        self.assertEqual(out.returncode, 0)
        row = self.one_line(run("list", "--json"), 0)
        for kind, names in (("protocols", ["thresher", "pbft", "raft", "bracha"]), ("faults", ["silent", "twins", "mutate"])):
            listed = [entry["name"] for entry in row[kind]]
            self.assertLessEqual(set(names), set(listed))
            for name in listed:
                self.assertRegex(out.stdout, rf"(?m)^  {re.escape(name)} ")
        self.refused(run("list", "everything"))

    def test_every_new_experiment_runs_as_it_is_and_passes(self):
        for protocol in json.loads(run("list", "--json").stdout)["protocols"]:
            name = protocol["name"]
            made = run("new", name)
            self.assertEqual(made.returncode, 0, made.stderr)
            path = self.write(f"{name}.json", made.stdout)
            row = self.one_line(run("run", path, "--json"), 0)
            self.assertEqual(row["verdict"], "Pass", name)
            self.assertGreater(row["decisions"], 0, name)
            shown = self.one_line(run("run", path, "--explain", "--json"), 0)
            self.assertEqual(shown["protocol"]["name"], name)
            for parameter in protocol["parameters"]:
                self.assertEqual(shown["protocol"][parameter["name"]], parameter["default"], name)
                self.assertIn(parameter["help"], made.stdout)

    def test_new_of_what_is_not_there(self):
        self.refused(run("new", "pbtf"), "did you mean `pbft`?")
        self.refused(run("new", "nothing-like-it"), "known: ", "thresher")
        self.refused(run("new"), "protocol")


if __name__ == "__main__":
    unittest.main()
