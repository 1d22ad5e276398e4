#!/usr/bin/env python3
"""Files that verbs write: never what they read, nothing by halves, and refused before the work where it can be seen."""
import json
import os
import pathlib
import resource
import signal
import subprocess
import time
import unittest

from sim_test import BINARY, Files, run

# Two of four speak to a third only: it delivers, the fourth never can.
VIOLATED = {"protocol": {"name": "bracha"}, "workload": {}, "beyond_f": True, "stop": {"rounds": 20},
            "faults": [{"who": [0, 1], "what": "selective", "group": [0, 1, 2]}]}


def thresher(*arguments, text=None, cwd=None):
    return subprocess.run([BINARY, *map(str, arguments)], input=text, capture_output=True, text=True, timeout=60, cwd=cwd)


def on_a_full_disk(size, *arguments):
    """Files end at so many bytes. A shell starts the program like this: SIGXFSZ ends it unless it sees to that itself."""
    return subprocess.run([BINARY, *map(str, arguments)], capture_output=True, text=True, timeout=60,
                          preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size)))


class Same(Files):
    """An output that is an input, by its name or by a link, is refused before the run, and stays as it is."""

    def refused(self, path, out, told):
        self.assertEqual((out.returncode, out.stdout), (2, ""), out.stderr)
        self.assertIn("would overwrite", out.stderr)
        self.assertIn(str(told), out.stderr)
        self.assertEqual(path.read_bytes(), self.before)

    def names_of(self, path):
        """The file itself, roundabout, by a symbolic and by a hard link."""
        soft, hard = self.folder / "soft.json", self.folder / "hard.json"
        soft.symlink_to(path)
        os.link(path, hard)
        return [path, path.parent / "." / path.name, soft, hard]

    def test_of_an_experiment(self):
        path = self.experiment(**VIOLATED)
        self.before = path.read_bytes()
        for name in self.names_of(path):
            for option in ("--trace", "--report", "--counterexample"):
                self.refused(path, run("run", path, option, name), f"{option} '{name}'")
            self.refused(path, run("fuzz", path, "--seeds", "1..3", "--out", name), f"--out '{name}'")
            self.refused(path, run("shrink", path, "--out", name), f"--out '{name}'")

    def test_of_standard_input(self):
        path = self.experiment()
        self.before = path.read_bytes()
        for option in ("--trace", "--report", "--counterexample"):
            with path.open() as file:
                out = subprocess.run([BINARY, "sim", "run", "-", option, path], stdin=file, capture_output=True, text=True,
                                     timeout=60)
            self.refused(path, out, "the standard input")
        # What is no file has nothing to lose.
        self.assertEqual(run("run", "-", "--report", "/dev/null", text=path.read_text()).returncode, 0)

    def test_of_a_sweep(self):
        swept = self.folder / "swept"
        path = self.experiment(sweep={"seed": [1, 2]})
        self.assertEqual(run("sweep", path, "--out", swept).returncode, 0)
        made = [file for file in swept.rglob("*") if file.is_file()]
        self.assertGreater(len(made), 10)
        for file in made:
            self.before = file.read_bytes()
            self.refused(file, run("report", swept, "--html", file), f"--html '{file}'")
        page = swept / "page.html"
        for _ in range(2):  # a page may take the place of an older one
            self.assertEqual(run("report", swept, "--html", page).returncode, 0)
        for name in ("cells.ndjson", "results.ndjson", "runs.csv", "summary.csv"):
            other = self.folder / name
            other.write_text(path.read_text())
            self.before = other.read_bytes()
            self.refused(other, run("sweep", other, "--out", self.folder), f"--out '{other}'")

    def test_of_a_cluster(self):
        table = self.write("table.json", "{}")
        self.before = table.read_bytes()
        out = thresher("cluster", "--wan", table, "--history", table, "--duration", "300ms")
        self.assertEqual(out.returncode, 2, out.stderr)
        self.assertEqual(table.read_bytes(), self.before)

    def test_an_older_output_is_replaced(self):
        path = self.experiment(**VIOLATED)
        for option in ("--trace", "--report", "--counterexample"):
            old = self.write("old", "old")
            self.assertEqual(run("run", path, option, old, cwd=self.folder).returncode, 3)
            self.assertNotEqual(old.read_text(), "old", option)


class Before(Files):
    """What can be seen before a run is."""

    def test_where_a_run_cannot_write(self):
        path = self.experiment(**VIOLATED)
        file = self.write("file", "mine")
        (self.folder / "full").mkdir()
        (self.folder / "full" / "mine").write_text("mine")
        for option, place, why in [("--out", file, "is a file; name a folder"), ("--out", self.folder / "full", "is not empty"),
                                   ("--out", file / "x", "Not a directory"), ("--counterexample", "/nonexist/a", "No such file"),
                                   ("--counterexample", self.folder, "is a folder"), ("--report", "/nonexist/a", "No such file")]:
            out = run("run", path, option, place, cwd=self.folder)
            self.assertEqual((out.returncode, out.stdout), (2, ""), out.stderr)
            self.assertIn(f"{option} '{place}", out.stderr)
            self.assertIn(why, out.stderr)
            self.assertNotIn("violated", out.stderr)
        self.assertEqual(file.read_text(), "mine")
        for place in ("new", "a/b/new", "last/"):
            out = run("run", path, "--out", place, cwd=self.folder)
            self.assertEqual(out.returncode, 3, out.stderr)
            self.assertTrue((self.folder / place / "result.json").exists())

    def test_a_folder_for_a_cluster_that_is_a_file(self):
        file = self.write("file", "mine")
        graph = self.write("graph.json", {"nodes": 4, "edges": [[a, b] for a in range(4) for b in range(4) if a != b]})
        for verb in (["cluster"], ["cluster", "--broadcast", "bracha"],
                     ["digraph", "cluster", graph, "--faults", 1, "--values", "1,2,3,4"]):
            out = thresher(*verb, "--home", file)
            self.assertEqual((out.returncode, out.stdout), (2, ""), (verb, out.stderr))
            self.assertIn(f"--home '{file}' is a file; name a folder", out.stderr)

    def test_an_old_picture_stays_until_there_is_a_new_one(self):
        pictures = ["old.svg", "wan-sizes.svg", "wan-loads.svg", "none-delays.svg", "none-messages.svg"]
        for name in pictures:
            self.write(name, "old")
        waits = [["attack", "--n", 31, "--chart", self.folder / "old.svg"], ["wan", "--charts", self.folder],
                 ["protocols", "--faults", "none", "--charts", self.folder],
                 ["sparse-dag", "--n", 100, "--charts", self.folder]]
        for verb in waits:
            with subprocess.Popen([BINARY, "bench", *map(str, verb)], stdout=subprocess.DEVNULL) as child:
                used = pathlib.Path(f"/proc/{child.pid}/stat")
                while int(used.read_text().split()[13]) < os.sysconf("SC_CLK_TCK") / 5 and child.poll() is None:
                    time.sleep(0.02)  # past its start: the rows are on their way
                self.assertIsNone(child.poll(), verb)
                child.kill()
            for name in pictures:
                self.assertEqual((self.folder / name).read_text(), "old", verb)
            self.assertEqual(list(self.folder.glob("s*.svg")), [], verb)

    def test_a_table_without_rows_is_none(self):
        old = self.write("old.svg", "old")
        out = thresher("bench", "attack", "--set", "foo=1", "--chart", old)
        self.assertEqual((out.returncode, out.stdout), (2, ""))
        self.assertEqual(out.stderr.count("unknown key `foo`"), 1, out.stderr)
        self.assertEqual(old.read_text(), "old")
        # A parameter of one protocol leaves rows of the others out.
        out = thresher("bench", "attack", "--n", 4, "--virtual-s", 2, "--only", "none", "--protocols", "thresher,raft",
                       "--set", "gc_depth=64")
        self.assertEqual(out.returncode, 0, out.stderr)
        self.assertEqual((out.stdout.count("| none |"), out.stderr.count("row left out")), (1, 1), out.stderr)


class Halves(Files):
    """A disk that is full, and Ctrl-C, leave nothing that is in the way of the same command."""

    def test_a_key(self):
        key = self.folder / "node.key"
        out = on_a_full_disk(10, "keys", "new", key)
        self.assertNotEqual(out.returncode, 0)
        self.assertIn("cannot write key file", out.stderr)
        self.assertEqual(list(self.folder.iterdir()), [])
        self.assertEqual(thresher("keys", "new", key).returncode, 0)

    def test_a_network(self):
        net = self.folder / "net"
        base = ["testnet", "init", "-n", 4, "--base-port", 0, "-o", net]
        for dealer, size in (([], 10), ([], 200), ([], 900), (["--dealer", "--protocol", "mahi-mahi"], 60)):
            for there in (False, True):
                if there:
                    net.mkdir()
                out = on_a_full_disk(size, *base, *dealer)
                self.assertNotEqual(out.returncode, 0, size)
                self.assertIn(f"'{net}/", out.stderr)
                self.assertNotIn("unfinished", out.stderr)
                self.assertEqual([file for file in self.folder.rglob("*") if file != net], [], size)
                self.assertEqual(net.exists(), there)
                out = thresher(*base, *dealer)
                self.assertEqual(out.returncode, 0, out.stderr)
                self.assertEqual(sorted(file.name for file in net.iterdir()),
                                 ["genesis.json", "node0", "node1", "node2", "node3"])
                self.assertEqual(thresher("config", "check", "--home", net / "node3").returncode, 0)
                subprocess.run(["rm", "-r", net], check=True)

    def test_what_writes_only_to_look(self):
        out = on_a_full_disk(10, "doctor")
        self.assertGreaterEqual(out.returncode, 0, "it was ended by a signal")
        self.assertNotEqual(out.stdout + out.stderr, "")

    def test_the_ports_of_a_network(self):
        def init(first, *more):
            return thresher("testnet", "init", "-n", 4, "--base-port", first, "-o", self.folder / f"net{first}", *more)
        self.assertEqual(init(65532).returncode, 0)
        hosts = self.folder / "hosts"
        hosts.write_text("10.0.0.1\n10.0.0.2\n10.0.0.3\n10.0.0.4\n")
        self.assertEqual(init(65535, "--hosts", hosts).returncode, 0)
        for first in (65533, 65536, 2**64 - 3, 2**64 - 1):
            for more in ([], ["--hosts", hosts]):
                if first == 65533 and more:
                    continue
                out = init(first, *more)
                self.assertEqual(out.returncode, 2, first)
                self.assertIn("the last port would be over 65535", out.stderr)

    def test_where_a_network_can_be(self):
        def init(*arguments):
            return thresher("testnet", "init", "-n", 1, "--base-port", 0, "-o", *arguments, cwd=self.folder)
        for place in ("a/b/net", "last/"):
            out = init(place)
            self.assertEqual(out.returncode, 0, out.stderr)
            self.assertTrue((self.folder / place / "genesis.json").exists())
        self.write("file", "mine")
        (self.folder / "taken").mkdir()
        (self.folder / "taken" / "mine").write_text("mine")
        for place, why in [(".", "is not empty"), ("taken", "is not empty"), ("last", "already holds a network"), ("file", "'file'"),
                           ("file/x", "'file/x'")]:
            before = sorted(self.folder.rglob("*"))
            out = init(place)
            self.assertEqual(out.returncode, 2, out.stderr)
            self.assertIn(why, out.stderr)
            self.assertEqual(sorted(self.folder.rglob("*")), before)
        empty = self.folder / "empty"
        empty.mkdir()
        out = thresher("testnet", "init", "-n", 1, "--base-port", 0, "-o", ".", cwd=empty)
        self.assertEqual(out.returncode, 0, out.stderr)
        self.assertEqual(sorted(file.name for file in empty.iterdir()), ["genesis.json", "node0"])

    def test_an_interrupted_network(self):
        net = self.folder / "big"
        for there in (False, True):
            if there:
                net.mkdir()
            with subprocess.Popen([BINARY, "testnet", "init", "-n", "4096", "-o", net], stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, text=True) as child:
                while not list(self.folder.rglob("node1/node.key")) and child.poll() is None:
                    time.sleep(0.01)
                child.send_signal(signal.SIGINT)
                out, errors = child.communicate(timeout=60)
            self.assertEqual((child.returncode, out), (130, ""), errors)
            self.assertIn("interrupted; nothing is made", errors)
            self.assertEqual([file for file in self.folder.rglob("*") if file != net], [])
            self.assertEqual(net.exists(), there)

    def test_a_trace(self):
        trace = self.folder / "trace.ndjson"
        out = on_a_full_disk(1000, "sim", "run", self.experiment(), "--trace", trace)
        self.assertEqual(out.returncode, 5, out.stderr)
        self.assertFalse(trace.exists())

    def test_a_run_of_a_sweep_without_its_result(self):
        swept = self.folder / "swept"
        path = self.experiment(sweep={"seed": [1, 2]})
        self.assertEqual(run("sweep", path, "--out", swept).returncode, 0)
        broken = next((swept / "runs").iterdir())
        (broken / "result.json").unlink()
        for out in (run("report", swept), run("sweep", path, "--out", swept)):
            self.assertEqual(out.returncode, 2, out.stderr)
            self.assertRegex(out.stderr, f"(?s)remove.*{broken.name}|{broken.name}.*remove")
        subprocess.run(["rm", "-r", broken], check=True)
        self.assertEqual(run("sweep", path, "--out", swept).returncode, 0)
        self.assertEqual(run("report", swept).returncode, 0)


class Words(Files):
    """What is said fits what was given."""

    def test_a_backend_by_its_name(self):
        missing = [name for name in ("avx512", "cuda") if thresher("crypto", "verify", "--in", "/dev/null", "--backend", name)
                   .returncode == 5]
        for name in missing:
            out = thresher("bench", "verify", "--backend", name, "--batch", 8, "--seconds", 0.01)
            self.assertEqual((out.returncode, out.stdout), (5, ""))
            self.assertIn(f"backend '{name}' is not on this machine", out.stderr)
        out = thresher("bench", "verify", "--batch", 8, "--seconds", 0.01, "--json")
        self.assertEqual(out.returncode, 0)
        self.assertLessEqual(set(missing), set(json.loads(out.stdout)["unavailable"]))

    def test_a_behaviour_of_nobody(self):
        for verb in (["run"], ["fuzz", "--seeds", "1..2"], ["sweep", "--out", self.folder / "out"]):
            out = run(*verb, "--behaviour", "silent")
            self.assertEqual((out.returncode, out.stdout), (2, ""), out.stderr)
            self.assertIn("--byzantine", out.stderr)
        counts = {}
        for flags in ((), ("--byzantine", 0, "--behaviour", "silent"), ("--byzantine", 1), ("--byzantine", 1, "--behaviour", "twins")):
            counts[flags] = json.loads(run("run", "--n", 4, "--rounds", 9, "--json", *flags).stdout)["trace_hash"]
        plain, none, one, twins = counts.values()
        self.assertEqual((plain, one), (none, twins))
        self.assertNotEqual(plain, one)

    def test_numbers(self):
        path = self.experiment()
        out = run("run", path, "--cell", 3)
        self.assertEqual(out.returncode, 2)
        self.assertIn("--cell must be 0 or left out, not 3", out.stderr)
        for verb in ("attack", "wan", "sparse-dag"):
            out = thresher("bench", verb, "--virtual-s", 0)
            self.assertEqual(out.returncode, 2)
            self.assertRegex(out.stderr, r"not 0(\.0)?\n")

    def test_a_comment_is_something(self):
        out = thresher("crypto", "verify", "--in", self.write("exp.json", "// an experiment\n{}\n"))
        self.assertEqual(out.returncode, 2)
        self.assertRegex(out.stderr, r"exp.json:1: .*nothing but a comment")


if __name__ == "__main__":
    unittest.main()
