#!/usr/bin/env python3
"""The `thresher` binary as a user calls it: exit codes, messages, machine-readable output."""
import json
import os
import pathlib
import re
import select
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.error
import urllib.request
import xml.etree.ElementTree

BINARY = sys.argv.pop(1) if len(sys.argv) > 1 and not sys.argv[1].startswith("-") else "thresher"
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import held_ports  # noqa: E402
# A signature by libsodium's own test key: RFC 8032, section 7.1, test 2.
GOOD = {"id": "rfc", "key": "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c", "msg": "72",
        "sig": "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da"
               "085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00"}
AUTOMATON = """skel P { shared x; parameters N; assumptions (0) { N >= 1; }
  locations (0) { a; b; } inits (0) { a == N; b == 0; x == 0; }
  rules (0) { 0: a -> b when (true) do { x' == x + 1; }; }
  specifications (0) { counted: [](b <= N); stays: [](b == 0); } }"""


def run(*arguments, text=None):
    return subprocess.run([BINARY, *map(str, arguments)], input=text, capture_output=True, text=True, timeout=60)


# A key that a group could have: the generator of ristretto255 (RFC 9496, section 4).
GROUP = "e2f2ae0a6abc4e71a884a961c500515f58e30b6aa582dd8db6a65945e08d2d76"


class Files(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def write(self, name, text):
        path = pathlib.Path(self.folder.name, name)
        path.write_text(text)
        return path


class CryptoVerify(Files):
    def verify(self, *lines, backend="all", extra=()):
        text = "".join((line if isinstance(line, str) else json.dumps(line)) + "\n" for line in lines)
        return run("crypto", "verify", "--in", "-", "--backend", backend, "--json", *extra, text=text)

    def test_a_valid_signature(self):
        out = self.verify(GOOD)
        self.assertEqual(out.returncode, 0, out.stderr)
        row = json.loads(out.stdout)
        self.assertEqual(row["id"], "rfc")
        self.assertTrue(row["verdicts"])
        self.assertTrue(all(row["verdicts"].values()))

    def test_expectations_are_compared(self):
        self.assertEqual(self.verify(dict(GOOD, valid=True)).returncode, 0)
        self.assertEqual(self.verify(dict(GOOD, valid=False)).returncode, 1)
        damaged = dict(GOOD, msg="73")
        self.assertEqual(self.verify(damaged).returncode, 0)
        self.assertEqual(self.verify(dict(damaged, valid=False)).returncode, 0)

    def test_wrong_lengths_are_invalid_and_no_error(self):
        for line in [dict(GOOD, sig="00"), dict(GOOD, sig=""), dict(GOOD, key=""), dict(GOOD, key=GOOD["key"][:-2]),
                     dict(GOOD, key=GOOD["key"] * 1000), dict(GOOD, sig=GOOD["sig"] + "00"),
                     dict(GOOD, sig=GOOD["sig"] * 1000)]:
            out = self.verify(line)
            self.assertEqual(out.returncode, 0, out.stderr)
            self.assertFalse(any(json.loads(out.stdout)["verdicts"].values()))

    def test_other_fields_are_ignored(self):
        self.assertEqual(self.verify(dict(GOOD, note={"x": [1]}, number=4)).returncode, 0)

    def test_malformed_lines_are_named(self):
        for broken in ['{"id":"x","key":"zz"', json.dumps(dict(GOOD, key="zz")), '[]', '{"id":"x"}', "",
                       json.dumps(dict(GOOD, msg="7")), json.dumps(dict(GOOD, sig=GOOD["sig"][:-1])),
                       json.dumps(dict(GOOD, sig=" " + GOOD["sig"][1:])), json.dumps(dict(GOOD, key=5)),
                       json.dumps(dict(GOOD, msg=None)), json.dumps(GOOD)[:-1], json.dumps(GOOD) + "}", "\x00", "null",
                       "[" * 10000]:
            out = self.verify(GOOD, broken, GOOD)
            self.assertEqual(out.returncode, 2, broken)
            self.assertIn("standard input:2: ", out.stderr)

    def test_an_empty_file(self):
        out = run("crypto", "verify", "--in", self.write("empty", ""))
        self.assertEqual(out.returncode, 2)
        self.assertIn("holds no signature", out.stderr)

    def test_a_line_without_end_takes_little_memory(self):
        path = self.write("long", "")
        with path.open("w") as f:
            f.truncate(1 << 30)
        out = subprocess.run(["prlimit", "--as=700000000", BINARY, "crypto", "verify", "--in", str(path)],
                             capture_output=True, text=True, timeout=60)
        self.assertEqual(out.returncode, 2, out.stderr)
        self.assertIn(":1: the line is longer", out.stderr)

    def test_a_folder_is_no_file(self):
        out = run("crypto", "verify", "--in", "/")
        self.assertEqual(out.returncode, 2, out.stderr)
        self.assertIn("'/' is a folder", out.stderr)

    def test_an_id_stays_on_its_line(self):
        text = json.dumps(dict(GOOD, id="a\nb\u001b[31m")) + "\n"
        out = run("crypto", "verify", "--in", "-", "--backend", "portable", text=text)
        self.assertEqual(out.stdout, "a\\nb\\x1b[31m portable=valid\n")

    def test_an_unknown_backend(self):
        out = self.verify(GOOD, backend="avx51")
        self.assertEqual(out.returncode, 2)
        self.assertIn("did you mean `avx512`", out.stderr)
        self.assertIn("emulator, cuda, all", self.verify(GOOD, backend="no-such-thing").stderr)

    def test_the_emulator_is_compared_and_a_missing_card_is_a_note(self):
        out = self.verify(dict(GOOD, valid=True))
        row = json.loads(out.stdout)
        self.assertIs(row["verdicts"]["emulator"], True)
        if "cuda" not in row["verdicts"]:
            self.assertIn("note: backend cuda is left out: no ", out.stderr)
        out = self.verify(dict(GOOD, msg="73", valid=False), backend="emulator")
        self.assertEqual((out.returncode, json.loads(out.stdout)["verdicts"]), (0, {"emulator": False}))

    def test_a_module_that_cannot_be_loaded(self):
        text = json.dumps(GOOD) + "\n"
        env = dict(os.environ, THRESHER_CUDA_MODULE=str(self.write("module.so", "no library")))
        out = subprocess.run([BINARY, "crypto", "verify", "--in", "-", "--backend", "cuda"], input=text,
                             capture_output=True, text=True, timeout=60, env=env)
        self.assertEqual(out.returncode, 5)
        self.assertIn("module.so", out.stderr)


class BenchVerify(unittest.TestCase):
    def test_json(self):
        out = run("bench", "verify", "--batch", "8", "--seconds", "0.01", "--json")
        self.assertEqual(out.returncode, 0, out.stderr)
        report = json.loads(out.stdout)
        names = {row["backend"] for row in report["rows"]}
        self.assertLessEqual({"libsodium", "openssl", "portable"}, names)
        self.assertTrue(all(row["verifies_per_s"] > 0 for row in report["rows"]))

    def test_a_missing_card_is_an_error_only_for_who_asks_for_it(self):
        some = json.loads(run("bench", "verify", "--batch", "8", "--seconds", "0.01", "--json").stdout)
        out = run("bench", "verify", "--backend", "cuda", "--batch", "8", "--seconds", "0.01", "--json")
        if some["gpu"] is None:
            self.assertRegex(some["unavailable"]["cuda"], "^no (device|module)")
            self.assertEqual((out.returncode, out.stdout), (5, ""), out.stderr)
        else:
            self.assertEqual(out.returncode, 0, out.stderr)
            self.assertEqual({row["backend"] for row in json.loads(out.stdout)["rows"]}, {"libsodium", "openssl", "cuda"})

    def test_bad_arguments(self):
        for arguments in [("--batch", "0"), ("--batch", "x"), ("--keys", "some"), ("--seconds", "0"),
                          ("--bad-fraction", "2")]:
            self.assertEqual(run("bench", "verify", *arguments).returncode, 2, arguments)


class Verify(Files):
    def test_verdicts_and_witness(self):
        path = self.write("p.ta", AUTOMATON)
        witness = pathlib.Path(self.folder.name, "witness.txt")
        out = run("verify", path, "--json", "--witness", witness)
        self.assertEqual(out.returncode, 3, out.stderr)
        rows = {p["name"]: p for p in json.loads(out.stdout)["properties"]}
        self.assertEqual(rows["counted"]["verdict"], "safe")
        self.assertEqual(rows["stays"]["verdict"], "violated")
        self.assertEqual(rows["stays"]["witness"]["parameters"], {"N": 1})
        self.assertIn("stays is violated", witness.read_text())
        self.assertEqual(run("verify", path, "--property", "counted").returncode, 0)

    def test_a_witness_that_is_none(self):
        path = self.write("p.ta", AUTOMATON)
        place = pathlib.Path(self.folder.name, "run.txt")
        out = run("verify", path, "--property", "counted", "--witness", place)
        self.assertEqual(out.returncode, 0, out.stderr)
        self.assertIn(f"'{place}' holds no run", out.stderr)
        out = run("verify", path, "--property", "stays", "--witness", place)
        self.assertEqual((out.returncode, "holds no run" in out.stderr), (3, False))

    def test_drawings(self):
        path = self.write("p.ta", AUTOMATON)
        out = run("verify", path, "--dot")
        self.assertEqual(out.returncode, 0, out.stderr)
        self.assertTrue(out.stdout.startswith("digraph "), out.stdout)
        picture = pathlib.Path(self.folder.name, "run.svg")
        self.assertEqual(run("verify", path, "--witness", picture).returncode, 3)
        root = xml.etree.ElementTree.fromstring(picture.read_text())
        self.assertEqual(root.tag, "{http://www.w3.org/2000/svg}svg")
        titles = [e.text for e in root if (e.text or "").endswith("is violated")]
        self.assertEqual(titles, ["stays is violated"])

    def test_a_schedule_is_written_and_carried_out_again(self):
        path = self.write("p.ta", AUTOMATON)
        schedule = pathlib.Path(self.folder.name, "run.json")
        self.assertEqual(run("verify", path, "--witness", schedule).returncode, 3)
        written = json.loads(schedule.read_text())
        runs = written["runs"]
        self.assertEqual([r["property"] for r in runs], ["stays"])
        out = run("verify", path, "--replay", schedule)
        self.assertEqual(out.returncode, 3, out.stderr)
        self.assertIn("BROKEN by the run", out.stdout)
        runs[0]["steps"] = []
        changed = self.write("none.json", json.dumps(dict(written, runs=runs)))
        self.assertEqual(run("verify", path, "--replay", changed).returncode, 0)
        runs[0]["parameters"]["N"] = 0
        changed = self.write("bad.json", json.dumps(dict(written, runs=runs)))
        out = run("verify", path, "--replay", changed)
        self.assertEqual(out.returncode, 2)
        self.assertIn("is none of this automaton", out.stderr)
        out = run("verify", path, "--replay", self.write("empty.json", json.dumps(dict(written, runs=[]))))
        self.assertEqual((out.returncode, out.stdout), (0, ""))
        self.assertIn("empty.json' holds no run", out.stderr)
        for option in [("--json",), ("--property", "stays"), ("--witness", schedule), ("--cross-check",)]:
            out = run("verify", path, "--replay", schedule, *option)
            self.assertEqual(out.returncode, 2, option)
            self.assertIn("leave out " + option[0], out.stderr)

    def test_a_witness_is_written_whole_or_not_at_all(self):
        path = self.write("p.ta", AUTOMATON)
        old = self.write("run.json", "precious")
        none = self.write("none.ta", AUTOMATON.replace("N >= 1;", "N >= 1; N < 1;"))
        self.assertEqual(run("verify", none, "--witness", old).returncode, 2)
        self.assertEqual(run("verify", path, "--witness", old, "--property", "cuonted").returncode, 2)
        self.assertEqual(old.read_text(), "precious")
        waits = self.write("waits.ta", run("export-ta", "cobalt").stdout)
        running = subprocess.Popen([BINARY, "verify", str(waits), "--witness", str(old)], stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL)
        time.sleep(0.3)
        running.kill()
        running.wait()
        self.assertIn(old.read_text()[:8], ["precious", '{"format'])
        out = run("verify", path, "--witness", "/dev/full")
        self.assertEqual(out.returncode, 3)
        self.assertIn("No space left on device", out.stderr)
        out = run("verify", path, "--witness", self.folder.name)
        self.assertEqual(out.returncode, 2)
        self.assertIn("is a folder; name a file", out.stderr)
        self.assertEqual(run("verify", path, "--witness", old).returncode, 3)
        self.assertEqual(json.loads(old.read_text())["automaton"], "P")

    def test_a_witness_never_overwrites_the_automaton(self):
        path = self.write("p.ta", AUTOMATON)
        link = pathlib.Path(self.folder.name, "link.ta")
        link.symlink_to(path)
        twin = pathlib.Path(self.folder.name, "twin.txt")
        os.link(path, twin)
        around = pathlib.Path(self.folder.name, "..", pathlib.Path(self.folder.name).name, "p.ta")
        for name in [path, link, twin, around]:
            out = run("verify", path, "--witness", name)
            self.assertEqual(out.returncode, 2, name)
            self.assertIn("name another file", out.stderr)
            self.assertEqual(path.read_text(), AUTOMATON)

    def test_where_a_violating_run_starts(self):
        path = self.write("p.ta", AUTOMATON.replace("x == 0;", "2 * x == 4;"))
        out = run("verify", path, "--json", "--property", "stays")
        witness = json.loads(out.stdout)["properties"][0]["witness"]
        self.assertEqual(witness["start"], {"locations": {"a": 1}, "shared": {"x": 2}})

    def test_why_no_instance_was_run(self):
        path = self.write("p.ta", AUTOMATON.replace("N >= 1;", "N >= 100000000;"))
        out = run("verify", path, "--property", "counted")
        self.assertIn("no instance has parameters up to 7", out.stdout)
        row = json.loads(run("verify", path, "--property", "counted", "--json").stdout)["properties"][0]
        self.assertEqual((row["verdict"], row["instances"]), ("safe", 0))
        self.assertIn("parameters up to 7", row["no_instances"])

    def test_the_smallest_instances_are_run_where_none_is_small(self):
        path = self.write("p.ta", AUTOMATON.replace("N >= 1;", "N >= 8;"))
        out = run("verify", path, "--property", "stays", "--checker", "explicit")
        self.assertEqual(out.returncode, 3, out.stdout)
        self.assertIn("VIOLATED N=8", out.stdout)

    def test_numbers_with_which_sums_would_not_fit_are_refused(self):
        names = ["x", "y", "z"]
        large = " + ".join(f"1000000000 * {name}" for name in names)
        text = AUTOMATON.replace("shared x;", "shared x, y, z;").replace("x == 0;", "x == 0; y == 0; z == 0;")
        text = text.replace("x' == x + 1;", " ".join(f"{name}' == {name} + 1000000000;" for name in names))
        self.assertEqual(run("verify", self.write("p.ta", text)).returncode, 3)
        path = self.write("p.ta", text.replace("when (true)", f"when ({large} <= 0 - {large.replace('+', '-')})"))
        out = run("verify", path)
        self.assertEqual((out.returncode, out.stdout), (2, ""))
        self.assertIn(f"{path}: the numbers are too large in the guard of rule 0", out.stderr)

    def test_what_a_file_brings_along_does_not_reach_the_terminal(self):
        path = pathlib.Path(self.folder.name, "bytes.ta")
        for junk, shown in [(b"\x1b[31m", "\\x1b"), (b"\0", "'\\x00'"), (b"\xff", "\\xff"), (b"\x07", "\\x07")]:
            path.write_bytes(b"skel A { " + junk)
            out = run("verify", path)
            self.assertEqual(out.returncode, 2)
            self.assertIn(shown, out.stderr)
            self.assertTrue(all(c >= " " or c == "\n" for c in out.stderr), out.stderr)

    def test_two_futures(self):
        def binding(*arguments):
            return run("verify", *arguments, "--property", "binding", "--json")

        def only(out):
            return json.loads(out.stdout)["properties"][0]

        schedule = pathlib.Path(self.folder.name, "futures.json")
        out = binding("--protocol", "mmr14", "--checker", "binding", "--witness", schedule)
        self.assertEqual(out.returncode, 3, out.stderr)
        row = only(out)
        self.assertEqual((row["class"], row["verdict"], row["checker"]), ("binding", "violated", "binding"))
        self.assertIn("locC0", [step["to"] for step in row["witness"]["first"]])
        self.assertIn("locC1", [step["to"] for step in row["witness"]["second"]])
        out = run("verify", "--protocol", "mmr14", "--replay", schedule)
        self.assertEqual((out.returncode, out.stdout), (3, "binding              BROKEN by the run\n"))
        runs = json.loads(schedule.read_text())["runs"]
        for changed, status in [([runs[0], runs[0]], 0), ([runs[0]], 2)]:
            text = json.dumps({"format": "thresher-run-1", "automaton": "mmr14", "runs": changed})
            out = run("verify", "--protocol", "mmr14", "--replay", self.write("changed.json", text))
            self.assertEqual(out.returncode, status, out.stderr)
        picture = pathlib.Path(self.folder.name, "futures.svg")
        binding(self.write("mmr14.ta", run("export-ta", "mmr14").stdout), "--witness", picture)
        self.assertIn("binding (another future) is violated", picture.read_text())

        out = run("verify", "--protocol", "cobalt", "--checker", "binding", "--json")
        self.assertEqual((out.returncode, only(out)["verdict"]), (0, "safe"))
        self.assertEqual(run("verify", "--protocol", "bracha", "--checker", "binding").returncode, 2)
        out = binding("--protocol", "cobalt")
        self.assertEqual((out.returncode, only(out)["verdict"]), (0, "safe"))
        out = binding("--protocol", "cobalt", "--timeout", "5ms")
        self.assertEqual((out.returncode, only(out)["verdict"]), (4, "unknown"))
        self.assertEqual(binding("--protocol", "cobalt", "--checker", "live").returncode, 4)
        listed = run("verify", "--protocol", "cobalt", "--list").stdout
        self.assertIn("binding (binding): after (", listed)

    def test_what_is_too_large_is_refused(self):
        path = self.write("large.ta", "")
        with path.open("wb") as out:
            out.truncate(100_000_000)
        out = run("verify", path)
        self.assertEqual(out.returncode, 2)
        self.assertIn("larger than 64 MiB", out.stderr)
        none = self.write("none.ta", "skel A { locations (0) { a; } rules (0) { } }")
        out = run("verify", none)
        self.assertEqual(out.returncode, 2)
        self.assertIn("no properties", out.stderr)

    def test_the_time_is_for_reading_too(self):
        names = "; ".join(f"l{i}" for i in range(90_000))
        text = f"skel A {{ locations (0) {{ {names}; }} rules (0) {{ }} specifications (0) {{ p: [](l1 == 0); }} }}"
        out = run("verify", self.write("many.ta", text), "--timeout", "1ms")
        self.assertEqual(out.returncode, 4, out.stderr)
        self.assertIn("many.ta: the time was over before the file was read", out.stderr)

    def test_what_there_is(self):
        out = run("verify", "--list")
        self.assertEqual(out.returncode, 0, out.stderr)
        for name in ["checkers: auto, smt", "--protocol bracha\n", "  agreement (safety)\n", "  binding (binding)\n"]:
            self.assertIn(name, out.stdout)

    def test_sections_left_out_are_noted(self):
        out = run("verify", self.write("p.ta", AUTOMATON), "--property", "counted")
        self.assertEqual(out.stderr, "")
        free = "skel A { locations (0) { a; } rules (0) { } specifications (0) { p: [](a >= 0); } }"
        out = run("verify", self.write("free.ta", free))
        self.assertEqual(out.returncode, 0, out.stderr)
        self.assertIn("no section 'inits'", out.stderr)
        self.assertIn("no section 'assumptions'", out.stderr)

    def test_tla_is_read_as_it_is_written(self):
        text = run("export-ta", "bracha", "--tla").stdout
        out = run("verify", self.write("bracha.tla", text), "--json", "--property", "agreement")
        self.assertEqual(out.returncode, 0, out.stderr)
        self.assertEqual(json.loads(out.stdout)["properties"][0]["verdict"], "safe")

    def cross_check(self, answer, *arguments, timeout="20s"):
        solver = self.write("cvc5", f"#!/bin/sh\n{answer}\n")
        solver.chmod(0o755)
        path = f"{self.folder.name}:{os.environ['PATH']}"
        return subprocess.run(
            [BINARY, "verify", str(self.write("p.ta", AUTOMATON)), "--property", "counted", "--cross-check",
             "--timeout", timeout, *arguments],
            capture_output=True, text=True, timeout=60, env=dict(os.environ, PATH=path))

    def test_a_second_solver(self):
        def said(out):
            return json.loads(out.stdout)["properties"][0]["cross_check"]

        out = self.cross_check("echo unsat", "--json")
        self.assertEqual((out.returncode, said(out), out.stderr), (0, "agreed", ""))
        self.assertIn("; cvc5: agreed]", self.cross_check("echo unsat").stdout)
        out = self.cross_check("echo sat", "--json")
        self.assertEqual((out.returncode, said(out)), (1, "disagreed"))
        self.assertIn("the checker says 'safe', cvc5 says 'sat'", out.stderr)
        out = self.cross_check("echo colourless green", "--json")
        self.assertEqual((out.returncode, said(out)), (0, "unknown"))
        self.assertIn("colourless green", out.stderr)
        for whole in ("1s", "5s", "20s"):  # in which a busy machine has to come to the second solver
            out = self.cross_check("sleep 100", "--json", timeout=whole)
            if "cross_check" in json.loads(out.stdout)["properties"][0]:
                break
        self.assertEqual((out.returncode, said(out)), (0, "unknown"))

    def test_no_second_solver(self):
        empty = pathlib.Path(self.folder.name, "empty")
        empty.mkdir()
        out = subprocess.run([BINARY, "verify", str(self.write("p.ta", AUTOMATON)), "--property", "counted",
                              "--cross-check", "--json"], capture_output=True, text=True, timeout=60,
                             env=dict(os.environ, PATH=str(empty)))
        self.assertEqual(out.returncode, 0, out.stderr)
        self.assertEqual(json.loads(out.stdout)["properties"][0]["cross_check"], "unavailable")
        self.assertIn("install the package cvc5", out.stderr)

    def test_checkers_by_name(self):
        path = self.write("p.ta", AUTOMATON)
        for checker in ["smt", "acs", "zcs"]:
            out = run("verify", path, "--checker", checker, "--json")
            self.assertEqual(out.returncode, 3, out.stderr)
            rows = json.loads(out.stdout)["properties"]
            self.assertEqual([(r["verdict"], r["checker"]) for r in rows],
                             [("safe", checker), ("violated", checker)])

    def test_bad_input(self):
        path = self.write("p.ta", AUTOMATON)
        for arguments, message in [((self.write("bad.ta", "skel A {"),), "bad.ta:1:9: "),
                                   ((self.folder.name,), "is a folder"),
                                   (("--protocol", "brachha"), "did you mean `bracha`"),
                                   ((path, "--witness", "/none/run.txt"), "choose a folder"),
                                   ((self.write("zero.ta", AUTOMATON.replace("when (true)", "when (N / 0 > 1)")),),
                                    "division by zero"),
                                   (("/none.ta",), "cannot read"),
                                   ((self.write("bad.tla", "---- MODULE a ----\nVARIABLS x"),), "bad.tla:2:1: "),
                                   ((path, "--replay", "/none.json"), "cannot read"),
                                   ((path, "--replay", self.write("bad.json", "{]")), "bad.json:1:2: "),
                                   ((path, "--property", "conted"), "did you mean `counted`"),
                                   (("--protocol", "mmr14", "--property", "bindng"), "'mmr14': unknown property `bindng`"),
                                   ((path, "--checker", "magic"), "unknown checker `magic`; known: "),
                                   ((path, "--timeout", "soon"), "is no time")]:
            out = run("verify", *arguments)
            self.assertEqual(out.returncode, 2, arguments)
            self.assertIn(message, out.stderr)


class Testnet(Files):
    def make(self):
        home = pathlib.Path(self.folder.name, "net")
        out = run("testnet", "init", "-n", "4", "-o", home, "--base-port", held_ports.take(4))
        self.assertEqual(out.returncode, 0, out.stderr)
        return home

    def test_what_is_made_is_good(self):
        home = self.make()
        self.assertEqual(run("config", "check", "--home", home / "node0").returncode, 0)
        self.assertEqual(os.stat(home / "node0/node.key").st_mode & 0o777, 0o600)
        self.assertEqual(run("testnet", "init", "-o", home).returncode, 2)

    # As a node finds out when it runs: another address of the machine is another place.
    def test_only_the_same_address_and_port_is_taken(self):
        home = self.make()
        toml = home / "node0/node.toml"
        own = json.loads((home / "genesis.json").read_text())["nodes"][0]
        port = own["port"]
        written = toml.read_text()
        for host, status in [("127.0.0.2", 0), ("127.0.0.1", 2)]:
            before, after = written.split("[metrics]")
            toml.write_text(before + "[metrics]" + after.replace('listen = ""', f'listen = "{host}:{port}"', 1))
            out = run("config", "check", "--home", home / "node0")
            self.assertEqual(out.returncode, status, (host, out.stderr))

    def test_a_new_ledger_says_who_is_passed_over(self):
        home = self.make()
        genesis = json.loads((home / "genesis.json").read_text())
        self.assertEqual(genesis["parameters"], {"schedule": "prompt"})
        for schedule, status in [("misses", 0), ("promt", 2)]:
            genesis["parameters"]["schedule"] = schedule
            (home / "genesis.json").write_text(json.dumps(genesis))
            out = run("config", "check", "--home", home / "node0")
            self.assertEqual(out.returncode, status, out.stderr)
        self.assertIn("schedule of thresher must be misses or prompt, not 'promt'", out.stderr)

    def test_a_readable_key_is_refused(self):
        home = self.make()
        os.chmod(home / "node1/node.key", 0o644)
        for verb in [("node", "run"), ("config", "check")]:
            out = run(*verb, "--home", home / "node1")
            self.assertEqual(out.returncode, 2)
            self.assertIn("node.key", out.stderr)

    def test_a_foreign_key_and_a_foreign_genesis(self):
        home = self.make()
        other = pathlib.Path(self.folder.name, "other")
        run("testnet", "init", "-n", "4", "-o", other, "--base-port", "0")
        (home / "node2/node.key").write_bytes((other / "node2/node.key").read_bytes())
        out = run("node", "run", "--home", home / "node2")
        self.assertEqual(out.returncode, 2)
        self.assertIn("is not a member of", out.stderr)

    def test_a_damaged_genesis(self):
        home = self.make()
        (home / "genesis.json").write_text("{\"schema\": 1}")
        out = run("node", "run", "--home", home / "node0")
        self.assertEqual(out.returncode, 2)
        self.assertIn("genesis.json", out.stderr)

    def test_hosts(self):
        hosts = self.write("hosts", "# four machines\n10.0.0.1:7000\n10.0.0.2\n10.0.0.3\n::1\n")
        home = pathlib.Path(self.folder.name, "far")
        out = run("testnet", "init", "-n", "4", "-o", home, "--hosts", hosts)
        self.assertEqual(out.returncode, 0, out.stderr)
        nodes = json.loads((home / "genesis.json").read_text())["nodes"]
        self.assertEqual([(n["host"], n["port"]) for n in nodes[:2]], [("10.0.0.1", 7000), ("10.0.0.2", 26656)])
        bad = self.write("bad", "here\nthere\nx\ny\n")
        out = run("testnet", "init", "-n", "4", "-o", str(home) + "2", "--hosts", bad)
        self.assertEqual(out.returncode, 2)
        self.assertIn("line 1: 'here' is not ADDRESS:PORT", out.stderr)
        twice = self.write("twice", "10.0.0.1:7000\n10.0.0.2:7000\n10.0.0.1:7000\n10.0.0.3:7000\n")
        out = run("testnet", "init", "-n", "4", "-o", str(home) + "4", "--hosts", twice)
        self.assertEqual(out.returncode, 2)
        self.assertIn("'10.0.0.1:7000' is there twice", out.stderr)
        for none, why in [(self.write("none", "# nobody\n"), "names no host"), (self.folder.name, "is a folder")]:
            out = run("testnet", "init", "-n", "4", "-o", str(home) + "3", "--hosts", none)
            self.assertEqual(out.returncode, 2)
            self.assertIn(why, out.stderr)

    def test_a_port_in_use(self):
        home = self.make()
        port = json.loads((home / "genesis.json").read_text())["nodes"][0]["port"]
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", port))
            taken.listen()
            out = run("node", "run", "--home", home / "node0")
        self.assertEqual(out.returncode, 5)
        self.assertIn(f"cannot listen on 127.0.0.1:{port}", out.stderr)

    # The check of the configuration called names good, and no node could start with one.
    def test_an_address_that_cannot_be(self):
        home = self.make()
        genesis = home / "genesis.json"
        good = genesis.read_text()
        genesis.write_text(good.replace('"127.0.0.1"', '"localhost"'))
        for verb in (("config", "check"), ("node", "run"), ("log",)):
            out = run(*verb, "--home", home / "node0")
            self.assertEqual(out.returncode, 2, out.stderr)
            self.assertIn('the `host` of node 0, "localhost", is no IP address', out.stderr)
        genesis.write_text(good.replace('"127.0.0.1"', '"192.0.2.7"'))  # of nobody: RFC 5737
        self.assertEqual(run("config", "check", "--home", home / "node0").returncode, 0)
        out = run("node", "run", "--home", home / "node0")
        self.assertEqual(out.returncode, 2, out.stderr)
        self.assertRegex(out.stderr, r"cannot listen on 192\.0\.2\.7:\d+: this machine has no such address")
        self.assertIn("start this node on the machine that has it, or correct the genesis file", out.stderr)


class Operators(Files):
    """What a node says when its surroundings are wrong, and what it serves when they are right."""

    def setUp(self):
        super().setUp()
        self.home = pathlib.Path(self.folder.name, "net")
        out = run("testnet", "init", "-n", "4", "-o", self.home, "--base-port", held_ports.take(4))
        self.assertEqual(out.returncode, 0, out.stderr)

    def start(self, node, limit=None):
        command = [BINARY, "node", "run", "--home", str(self.home / f"node{node}")]
        process = subprocess.Popen((["prlimit", f"--fsize={limit}"] if limit else []) + command,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def configure(self, node, old, new):
        path = self.home / f"node{node}" / "node.toml"
        text = path.read_text()
        self.assertIn(old, text)
        path.write_text(text.replace(old, new))

    def fetch(self, port, page):
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}{page}", timeout=5) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            with error:
                return error.code, error.read().decode()
        except OSError:
            return 0, ""

    def eventually(self, what, condition):
        for _ in range(300):
            if condition():
                return
            time.sleep(0.1)
        self.fail(f"30 s have passed without: {what}")

    def test_metrics_health_and_readiness(self):
        port = held_ports.take()
        self.configure(0, 'listen = ""', f'listen = "127.0.0.1:{port}"')
        self.start(0)
        self.eventually("health", lambda: self.fetch(port, "/healthz")[0] == 200)
        status, why = self.fetch(port, "/readyz")
        self.assertEqual(status, 503)
        self.assertIn("links", why)
        for node in (1, 2, 3):
            self.start(node)
        self.eventually("readiness", lambda: self.fetch(port, "/readyz")[0] == 200)
        out = run("submit", "--home", self.home / "node0", "--data", "hello")
        self.assertEqual(out.returncode, 0, out.stderr)

        def figures():
            rows = [r.split() for r in self.fetch(port, "/metrics")[1].splitlines() if r and r[0] != "#"]
            return {name: float(value) for name, value in rows}
        self.eventually("the transaction in the figures",
                        lambda: figures().get("thresher_committed_transactions_total") == 1)
        # It is ready, and may decide, with two of its three links.
        self.eventually("all links", lambda: figures()["thresher_links_up"] == 3)
        self.assertGreater(figures()["thresher_signatures_total"], 0)
        self.assertGreater(figures()["thresher_verify_batches_total"], 0)
        self.assertEqual(figures()["thresher_bad_signatures_total"], 0)
        self.assertTrue(all(name.startswith("thresher_") for name in figures()))

    def test_metrics_stay_on_loopback(self):
        for address in ["0.0.0.0:9464", "127.0.0.1:9464,0.0.0.0:9465", "127.0.0.1", "127.evil.example:1",
                        "127.0.0.1:9464s", "127.0.0.1:", "[::1]:9464"]:
            self.configure(0, 'listen = ""', f'listen = "{address}"')
            out = run("node", "run", "--home", self.home / "node0")
            self.assertEqual(out.returncode, 2, address)
            self.assertRegex(out.stderr, r"node\.toml:\d+:10: metrics\.listen is .* is no address on loopback")
            self.configure(0, f'listen = "{address}"', 'listen = ""')

    def test_a_metrics_port_in_use(self):
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            address = f"127.0.0.1:{taken.getsockname()[1]}"
            self.configure(0, 'listen = ""', f'listen = "{address}"')
            out = run("node", "run", "--home", self.home / "node0")
        self.assertEqual(out.returncode, 5)
        self.assertIn(f"cannot listen on {address} for metrics", out.stderr)
        self.assertIn("metrics.listen", out.stderr)

    def test_a_full_disk_stops_the_node_and_not_the_cluster(self):
        full = self.start(3, limit=20_000_000)
        for node in (0, 1, 2):
            self.start(node)
        lines = self.write("lines", "".join(f"{i:0200000}\n" for i in range(150)))
        out = run("submit", "--home", self.home / "node0", "--file", lines)
        self.assertEqual(out.returncode, 0, out.stderr)
        self.assertEqual(len(out.stdout.split()), 150)
        self.assertEqual(full.wait(timeout=30), 5)
        self.assertIn("refused a write; free space", full.stderr.read())

    def test_a_disk_that_is_full_from_the_start(self):
        node = self.start(0, limit=200_000)
        self.assertEqual(node.wait(timeout=30), 5)
        said = node.stderr.read()
        self.assertIn("cannot open the store", said)
        self.assertIn("File too large", said)
        self.assertIn("free space", said)
        self.assertNotIn("damaged", said)

    def test_too_few_descriptors_are_said_before_anything_fails(self):
        for limit in (12, 20, 40, 63):
            out = subprocess.run(["prlimit", f"--nofile={limit}", BINARY, "node", "run", "--home",
                                  str(self.home / "node0")], capture_output=True, text=True, timeout=60)
            self.assertEqual(out.returncode, 5, out.stderr)
            self.assertIn(f"may open {limit} files", out.stderr)
            self.assertIn("ulimit -n", out.stderr)

    def test_a_damaged_index_is_made_again(self):
        index = self.home / "node0/data/index"
        index.mkdir(parents=True)
        (index / "CURRENT").write_text("MANIFEST-000009\n")
        node = self.start(0)
        said = ""
        while "runs; stop it" not in said:
            line = node.stderr.readline()
            self.assertTrue(line, said)
            said += line
        node.terminate()
        self.assertEqual(node.wait(timeout=30), 0)
        self.assertIn("is made again from the write-ahead log", said)

    def test_the_log_of_a_node_at_rest_is_read_and_not_touched(self):
        nodes = [self.start(i) for i in range(4)]
        forged = "\x1b[2J\x1b]0;owned\x07\u009b\u202e \\ gr\u00fcn\tx"
        out = run("submit", "--home", self.home / "node0", "--data", forged)
        self.assertEqual(out.returncode, 0, out.stderr)
        for node in nodes:
            node.terminate()
        self.assertEqual(nodes[0].wait(timeout=30), 0)
        data = self.home / "node0/data"
        files = [data, *sorted(data.rglob("*"))]
        before = [(f, f.stat().st_mtime_ns, f.read_bytes() if f.is_file() else None) for f in files]
        shutil.rmtree(data / "index")  # the log needs none
        after = [(f, f.stat().st_mtime_ns, f.read_bytes() if f.is_file() else None)
                 for f in files if f.exists() and f != data]
        for file in [f for f in files if f.exists()]:
            file.chmod(0o500 if file.is_dir() else 0o400)
        read = subprocess.run([BINARY, "log", "--home", str(self.home / "node0")], capture_output=True)
        data.chmod(0o700)
        self.assertEqual(read.returncode, 0, read.stderr)
        self.assertIn(b" \\x1b[2J\\x1b]0;owned\\x07", read.stdout)
        self.assertIn("\\\\ gr\u00fcn\\tx".encode(), read.stdout)
        row = json.loads(run("log", "--home", self.home / "node0", "--json").stdout)
        self.assertEqual((row["position"], row["data"]), (0, forged))
        self.assertFalse(any(c in read.stdout for c in (b"\x1b", b"\x07", b"\xc2\x9b", b"\xe2\x80\xae")))
        self.assertEqual(after, [b for b in before if b[0].exists() and b[0] != data])
        self.assertEqual(sorted(data.rglob("*")), [f for f in files if f.exists() and f != data])

    def test_a_transaction_over_the_limit(self):
        for node in range(4):
            self.configure(node, "transaction_bytes = 262144", "transaction_bytes = 100")
            self.start(node)
        out = run("submit", "--home", self.home / "node0", "--data", "x" * 101)
        self.assertEqual(out.returncode, 1)
        self.assertIn("larger than the 100 bytes", out.stderr)
        self.assertIn("raise limits.transaction_bytes", out.stderr)
        self.assertIn("0 of 1 committed, 1 refused", out.stderr)
        self.assertEqual(run("submit", "--home", self.home / "node0", "--data", "x" * 100).returncode, 0)

    def test_a_genesis_that_differs(self):
        other = pathlib.Path(self.folder.name, "other.json")
        genesis = json.loads((self.home / "genesis.json").read_text())
        other.write_text(json.dumps(dict(genesis, chain="another")))
        self.configure(3, "../genesis.json", str(other))
        port = held_ports.take()
        self.configure(3, 'listen = ""', f'listen = "127.0.0.1:{port}"')
        nodes = [self.start(node) for node in range(4)]
        self.assertEqual(run("submit", "--home", self.home / "node0", "--data", "x").returncode, 0)
        self.eventually("health", lambda: self.fetch(port, "/healthz")[0] == 200)
        self.assertEqual(self.fetch(port, "/readyz")[0], 503)
        self.assertIn("thresher_links_up 0\n", self.fetch(port, "/metrics")[1])
        # It dials four times a second, and is told of once.
        said = []
        while not said or "warning" not in said[-1]:
            said.append(nodes[0].stderr.readline())
            self.assertTrue(said[-1], said)
        time.sleep(1)
        nodes[0].terminate()
        warned = [line for line in said + nodes[0].stderr.read().splitlines() if "warning" in line]
        self.assertEqual(len(warned), 1, warned)
        self.assertIn("node 3: the peer has another genesis; compare the genesis files", warned[0])

    def test_a_ledger_keeps_its_schedule(self):
        nodes = [self.start(node) for node in range(4)]
        self.assertEqual(run("submit", "--home", self.home / "node0", "--data", "x").returncode, 0)
        for node in nodes:
            node.terminate()
            node.wait()
        genesis = json.loads((self.home / "genesis.json").read_text())
        (self.home / "genesis.json").write_text(json.dumps(dict(genesis, parameters={"schedule": "misses"})))
        out = run("node", "run", "--home", self.home / "node0")
        self.assertEqual(out.returncode, 2, out.stderr)
        self.assertIn("as the genesis file", out.stderr)
        self.assertIn("the file was changed, or is that of another network", out.stderr)
        (self.home / "genesis.json").write_text(json.dumps(genesis))
        nodes = [self.start(node) for node in range(3)]
        self.assertEqual(run("submit", "--home", self.home / "node0", "--data", "y").returncode, 0)

    def test_what_is_no_file_of_transactions(self):
        empty = self.write("empty", "")
        for verb in [("submit", "--home", self.home / "node0", "--file"), ("cluster", "--transactions")]:
            for path, message in [(empty, "holds no line"), (self.folder.name, "is a folder"),
                                  ("/none", "cannot read '/none'")]:
                out = run(*verb, path)
                self.assertEqual(out.returncode, 2, out.stderr)
                self.assertIn(message, out.stderr)

    def test_lines_without_end(self):
        long = self.write("long", "short\n" + "x" * (1 << 20) + "y\n")
        for verb in [("submit", "--home", self.home / "node0", "--file"), ("cluster", "--transactions")]:
            for path, line in [(long, 2), ("/dev/zero", 1)]:
                out = subprocess.run(["prlimit", "--as=2000000000", BINARY, *map(str, verb), path],
                                     capture_output=True, text=True, timeout=60)
                self.assertEqual(out.returncode, 2, out.stderr)
                self.assertRegex(out.stderr, f"{path}:{line}: the line is longer than \\d+ bytes")

    def test_what_comes_before_a_line_that_is_too_long_is_told(self):
        for node in range(4):
            self.start(node)
        lines = b"one\ntwo\n" + b"x" * ((1 << 20) + 1)
        out = subprocess.run([BINARY, "submit", "--home", str(self.home / "node0"), "--file", "-"],
                             input=lines, capture_output=True, timeout=60)
        self.assertEqual(out.returncode, 2, out.stderr)
        self.assertEqual(out.stdout, b"0\n1\n")
        self.assertIn(b"standard input:3: the line is longer", out.stderr)
        self.assertIn(b"and what follows was not submitted", out.stderr)

    def test_each_outcome_is_told_before_the_next_line_is_read(self):
        for node in range(4):
            self.start(node)
        command = [BINARY, "submit", "--home", str(self.home / "node0"), "--file", "-", "--timeout", "60s"]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as typed:
            for position in range(3):
                typed.stdin.write(f"line {position}\n")
                typed.stdin.flush()
                self.assertTrue(select.select([typed.stdout], [], [], 60)[0], "nothing was said of the line")
                self.assertEqual(typed.stdout.readline(), f"{position}\n")
            typed.stdin.close()
            self.assertEqual(typed.wait(60), 0)

    def test_a_data_folder_that_is_none(self):
        self.configure(0, 'data = "data"', 'data = "/dev/null"')
        for verb in [("config", "check"), ("node", "run")]:
            out = run(*verb, "--home", self.home / "node0")
            self.assertEqual(out.returncode, 2, out.stderr)
            self.assertIn("'/dev/null' is no folder; `data` must name one", out.stderr)

    # The check refused what the node takes with a warning.
    def test_retention_without_what_it_takes(self):
        home = self.home / "node0"
        self.configure(0, "\nsnapshots = 0", "\nsnapshots = 1")
        out = run("config", "check", "--home", home)
        self.assertEqual(out.returncode, 0, out.stderr)
        self.assertIn("warning: retention asks for a log that is pruned, which takes checkpoints", out.stderr)
        out = run("config", "check", "--home", home, "--json")
        told = json.loads(out.stdout)
        self.assertEqual((out.returncode, told["good"], len(told["warnings"])), (0, True, 1))
        node = self.start(0)
        while (line := node.stderr.readline()) and "is not pruned, though its configuration asks for it" not in line:
            pass
        self.assertTrue(line, "the node does not warn")
        self.assertEqual(json.loads(run("config", "check", "--home", self.home / "node1", "--json").stdout)["warnings"], [])

    def test_a_log_without_its_genesis(self):
        (self.home / "genesis.json").unlink()
        for verb in [("log",), ("node", "run"), ("node", "status")]:
            out = run(*verb, "--home", self.home / "node0")
            self.assertEqual(out.returncode, 2, out.stderr)
            self.assertIn("cannot open genesis file", out.stderr)

    def test_status_in_words_and_as_json(self):
        for node in range(3):
            self.start(node)
        home = self.home / "node0"
        self.eventually("a status", lambda: run("node", "status", "--home", home).returncode == 0)
        self.assertEqual(run("submit", "--home", home, "--data", "x").stdout, "0\n")
        seen = json.loads(run("node", "status", "--home", home, "--json").stdout)
        self.assertLessEqual({"signatures", "verify_calls", "certificate_calls", "log_hash"}, set(seen))
        self.assertEqual((seen["length"], seen["certificate_calls"]), (1, 0))
        self.assertGreaterEqual(seen["signatures"], seen["verify_calls"])
        words = run("node", "status", "--home", home).stdout
        self.assertRegex(words, r"signatures verified +[1-9]\d* in \d+ calls, 0 of them for certificates\n")
        self.assertIn(seen["log_hash"], words)

    def test_an_interrupted_cluster_leaves_nothing(self):
        place = pathlib.Path(self.folder.name, "tmp")
        place.mkdir()
        process = subprocess.Popen([BINARY, "cluster", "--duration", "60s", "--rate", "100"], text=True,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env={**os.environ, "TMPDIR": str(place)})
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        self.eventually("four nodes", lambda: len(list(place.glob("thresher-cluster-*/node*/data/wal"))) == 4)
        process.terminate()
        self.assertEqual(process.wait(timeout=60), 130)
        self.assertIn("interrupted", process.stderr.read())
        self.assertEqual(list(place.iterdir()), [])

    def test_doctor_looks_at_the_nodes_files_and_port(self):
        home = self.home / "node0"
        port = json.loads((self.home / "genesis.json").read_text())["nodes"][0]["port"]
        out = run("doctor", "--home", home).stdout
        self.assertIn(f"ok   port: 127.0.0.1 port {port} is free", out)
        self.assertIn("ok   key: ", out)
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", port))
            taken.listen()
            out = run("doctor", "--home", home)
        self.assertEqual(out.returncode, 5)
        self.assertIn(f"BAD  port: 127.0.0.1 port {port}", out.stdout)
        os.chmod(home / "node.key", 0o640)
        out = run("doctor", "--home", home)
        self.assertEqual(out.returncode, 5)
        self.assertIn("chmod 600", out.stdout)
        # Without it, or the file beside it, nobody knows where the log begins.
        (home / "data").mkdir()
        (home / "data/wal.base").write_bytes(b"x")
        self.assertIn("BAD  log: the first file of the log", run("doctor", "--home", home).stdout)
        self.assertIn("the first file of the log", run("config", "check", "--home", home).stderr)
        shutil.rmtree(home / "data")
        self.assertIn("ok   log: ", run("doctor", "--home", home).stdout)
        # The disk that counts is the one of the data.
        elsewhere = pathlib.Path(self.home).parent / "elsewhere"
        elsewhere.mkdir()
        os.symlink(elsewhere, home / "data")
        self.assertIn(f"free in '{home / 'data'}'", run("doctor", "--home", home).stdout)
        self.configure(0, "gc_rounds", "gc_round")
        self.assertIn("did you mean `limits.gc_rounds`", run("doctor", "--home", home).stdout)
        (home / "node.toml").unlink()
        self.assertIn("with limits.gc_rounds if the other nodes have not the default", run("doctor", "--home", home).stdout)


class Output(Files):
    """Whoever writes to a full disk or a closed descriptor is told; nothing is lost without a word."""

    VERBS = [("protocols",), ("protocols", "--json"), ("sim", "list"), ("sim", "list", "--json"), ("sim", "new", "pbft"),
             ("sim", "run", "--n", "4", "--rounds", "5"), ("sim", "run", "--n", "4", "--rounds", "5", "--json"),
             ("sim", "run", "--explain"), ("export-ta", "bracha"), ("verify", "--list"), ("--help",), ("--version",)]

    def test_a_full_device_is_no_success(self):
        for verb in self.VERBS:
            with open("/dev/full", "w") as full:
                out = subprocess.run([BINARY, *verb], stdout=full, stderr=subprocess.PIPE, text=True, timeout=60)
            self.assertEqual(out.returncode, 5, verb)
            self.assertIn("some of the output could not be written", out.stderr, verb)
        with open("/dev/full", "w") as full:
            out = subprocess.run([BINARY, "sim", "run", "--n", "0"], stdout=full, stderr=subprocess.PIPE, text=True)
        self.assertEqual(out.returncode, 2)  # what failed before stays

    def test_a_file_that_cannot_be_written_is_no_success(self):
        for name in ("--trace", "--report", "--out"):
            path = "/proc/nope" if name == "--out" else "/dev/full"
            out = subprocess.run([BINARY, "sim", "run", "--n", "4", "--rounds", "5", name, path], capture_output=True, text=True,
                                 timeout=60)
            self.assertEqual(out.returncode, 2 if name == "--out" else 5, name + out.stderr)
            self.assertIn(f"'{path}'", out.stderr, name)  # what was given, and no name of our own

    def test_a_closed_descriptor_is_no_success(self):
        out = subprocess.run(["sh", "-c", '"$0" protocols >&-', BINARY], stderr=subprocess.PIPE, text=True, timeout=60)
        self.assertEqual(out.returncode, 5)
        self.assertIn("Bad file descriptor", out.stderr)


class Attack(unittest.TestCase):
    """thresher bench attack: the table of what liars and bad networks do to the speed."""

    def test_every_row_can_be_named_and_runs(self):
        unknown = run("bench", "attack", "--only", "nobody")
        self.assertEqual(unknown.returncode, 2)
        rows = unknown.stderr.split("known: ")[1].strip().split(", ")
        self.assertIn("f silent in turns", rows)
        self.assertNotIn("neighbours", rows)  # a comma in a name would have cut it
        out = run("bench", "attack", "--n", "4", "--virtual-s", "3", "--protocols", "thresher", "--json",
                  "--only", ",".join(rows))
        self.assertEqual(out.returncode, 0, out.stderr)
        self.assertEqual(out.stderr, "")
        table = json.loads(out.stdout)["rows"]
        self.assertEqual([row["attack"] for row in table], rows)
        self.assertTrue(all(row["commits"] > 0 for row in table), table)


class WideArea(Files):
    """thresher bench wan: latency by size, by throughput, and with f neighbours down."""

    SMALL = ["bench", "wan", "--n", "4,7", "--load", "400,2000", "--load-n", 4, "--crash-n", 4, "--virtual-s", 2,
             "--protocols", "thresher"]

    def test_each_part_has_its_rows_and_its_picture(self):
        out = run(*self.SMALL, "--json", "--charts", self.folder.name)
        self.assertEqual((out.returncode, out.stderr), (0, ""))
        table = json.loads(out.stdout)
        parts = [(row["part"], row["n"], row["offered_per_s"]) for row in table["rows"]]
        self.assertEqual(parts, [("sizes", 4, 4000), ("sizes", 7, 4000), ("loads", 4, 400), ("loads", 4, 2000),
                                 ("crash", 4, 4000)])
        for row in table["rows"]:
            self.assertEqual(row["verdict"], "Pass", row)
            self.assertGreater(row["p50_ms"], 50, row)  # three ways of a wide area
            self.assertLess(abs(row["delivered_per_s"] / row["offered_per_s"] - 1), 0.35, row)
            self.assertGreaterEqual(row["bytes_per_payload_byte"], 0.5, row)
        crash = table["rows"][-1]
        self.assertGreater(crash["longest_gap_ms"], table["rows"][0]["longest_gap_ms"])
        self.assertTrue(all(point["p50_ms"] > 0 for point in table["published"]))
        for name in ["wan-loads.svg", "wan-sizes.svg"]:
            self.assertIn("<style>", pathlib.Path(self.folder.name, name).read_text())

    def test_one_seed_gives_one_table(self):
        tables = [json.loads(run("bench", "wan", "--n", "4", "--virtual-s", 1, "--protocols", "thresher", "--only", "sizes",
                                 "--json", "--seed", 3).stdout) for _ in range(2)]
        for table in tables:
            for row in table["rows"]:
                del row["cpu_s"]
        self.assertEqual(*tables)

    def test_what_cannot_be_run_is_named(self):
        for arguments, why in [(["--n", "3"], "--n takes numbers from 4 to"), (["--n", ""], "--n names no number"),
                               (["--load", "many"], "not 'many'"), (["--only", "size"], "did you mean `sizes`?"),
                               (["--wan", "nowhere"], "--wan: unknown name `nowhere`; known: aws"),
                               (["--protocols", "thrasher"], "did you mean `thresher`?"),
                               (["--load-n", 2], "--load-n must be 4 to"), (["--virtual-s", 0], "--virtual-s must be 1"),
                               (["--set", "nonsense"], "nonsense")]:
            out = run("bench", "wan", *arguments)
            self.assertEqual((out.returncode, out.stdout), (2, ""), arguments)
            self.assertIn(why, out.stderr)
        out = run("bench", "wan", "--charts", pathlib.Path(self.folder.name, "none"))
        self.assertEqual((out.returncode, out.stdout), (2, ""))
        self.assertIn("wan-sizes.svg", out.stderr)


class Orders(Files):
    """thresher bench protocols: the shelf of total orders."""

    def test_pictures_of_each_fault_in_their_own_colours(self):
        out = run("bench", "protocols", "--n", "4,7", "--only", "simplex", "--rounds", 60, "--faults", "none,twins",
                  "--charts", self.folder.name)
        self.assertEqual((out.returncode, out.stderr), (0, ""))
        self.assertEqual(out.stdout.count("| `simplex` |"), 4)
        made = sorted(path.name for path in pathlib.Path(self.folder.name).glob("*.svg"))
        self.assertEqual(made, ["none-delays.svg", "none-messages.svg", "twins-delays.svg", "twins-messages.svg"])
        for name in made:
            picture = pathlib.Path(self.folder.name, name).read_text()
            self.assertIn("<style>", picture)
            self.assertEqual(picture.count("<circle"), 2)

    def test_a_folder_that_is_none_is_told_before_the_runs(self):
        out = run("bench", "protocols", "--charts", pathlib.Path(self.folder.name, "none"))
        self.assertEqual((out.returncode, out.stdout), (2, ""))
        self.assertIn("none-messages.svg", out.stderr)


class Machine(Files):
    """What --json prints, and what shells and man read."""

    def test_raft_bears_crashes_of_a_minority(self):
        for nodes, crashes in ((1, 0), (2, 0), (3, 1), (4, 1), (5, 2)):
            home = pathlib.Path(self.folder.name, f"raft{nodes}")
            out = run("testnet", "init", "-n", nodes, "-o", home, "--protocol", "raft", "--base-port", 0)
            self.assertIn(f"{nodes} nodes ({crashes} may crash, none may lie) in", out.stdout)
            checked = run("config", "check", "--home", home / "node0")
            self.assertIn(f"{crashes} may crash, none may lie", checked.stdout)
        home = pathlib.Path(self.folder.name, "pbft")
        made = run("testnet", "init", "-n", 4, "-o", home, "--protocol", "pbft", "--base-port", 0)
        self.assertIn("4 nodes (f = 1) in", made.stdout)

    def test_a_network_and_its_checks(self):
        home = pathlib.Path(self.folder.name, "net")
        made = json.loads(run("testnet", "init", "-n", 4, "-o", home, "--base-port", 0, "--json").stdout)
        self.assertEqual((len(made["nodes"]), made["f"], made["protocol"]), (4, 1, "thresher"))
        self.assertTrue(pathlib.Path(made["genesis"]).exists())
        node = pathlib.Path(made["nodes"][2]["home"])
        self.assertTrue((node / "node.toml").exists())
        self.assertGreater(made["nodes"][2]["port"], 0)
        good = run("config", "check", "--home", node, "--json")
        self.assertEqual((good.returncode, json.loads(good.stdout)),
                         (0, {"good": True, "nodes": 4, "f": 1, "crashes": 1, "warnings": [], "protocol": "thresher"}))
        examined = json.loads(run("doctor", "--home", node, "--json").stdout)
        self.assertTrue(examined["good"] or any(not c["good"] for c in examined["checks"]))
        self.assertIn("key: ", " ".join(c["text"] for c in examined["checks"]))
        (node / "node.key").unlink()
        bad = run("config", "check", "--home", node, "--json")
        self.assertEqual((bad.returncode, json.loads(bad.stdout)["good"]), (2, False))
        self.assertIn("cannot open key file", json.loads(bad.stdout)["problems"][0])
        self.assertIn("cannot open key file", bad.stderr)
        examined = run("doctor", "--home", node, "--json")
        self.assertEqual((examined.returncode, json.loads(examined.stdout)["good"]), (5, False))

    def test_a_dead_node_refuses(self):
        home = pathlib.Path(self.folder.name, "net")
        run("testnet", "init", "-n", 4, "-o", home, "--base-port", held_ports.take(4))
        out = run("submit", "--home", home / "node0", "--data", "x", "--timeout", "1s", "--json")
        row = json.loads(out.stdout)
        self.assertEqual((out.returncode, row["line"], row["outcome"]), (1, 1, "refused"))
        self.assertIn("Connection refused", row["why"])
        self.assertIn("trying again for 1s", out.stderr)

    def test_automata_are_listed(self):
        listed = json.loads(run("verify", "--list", "--json").stdout)
        self.assertIn("smt", listed["checkers"])
        bracha = next(p for p in listed["protocols"] if p["name"] == "bracha")
        self.assertIn(("agreement", "safety"), [(p["name"], p["class"]) for p in bracha["properties"]])
        alone = json.loads(run("verify", "--protocol", "bracha", "--list", "--json").stdout)
        self.assertEqual(alone["properties"], bracha["properties"])

    def test_the_shell_completes_verbs_and_options(self):
        script = run("completion", "bash").stdout
        def offered(*words):
            line = " ".join(words)
            call = f"COMP_WORDS=({line} ''); COMP_CWORD={len(words)}; _thresher; echo ${{COMPREPLY[@]}}"
            return subprocess.run(["bash", "-c", script + call], capture_output=True, text=True).stdout.split()
        self.assertIn("cluster", offered("thresher"))
        self.assertIn("fuzz", offered("thresher", "sim"))
        self.assertIn("--seeds", offered("thresher", "sim", "fuzz"))
        self.assertNotIn("--seeds", offered("thresher", "sim", "run"))
        self.assertIn("--kill", offered("thresher", "cluster", "--nodes", "4"))
        self.assertEqual(run("completion", "tcsh").returncode, 2)

    def test_the_manual_page_has_every_verb_and_option(self):
        page = run("man").stdout
        self.assertTrue(page.startswith(".TH THRESHER 1"))
        for words in (r'.SS "thresher sim fuzz"', r"\-\-seeds VALUE", r".B \-\-keep\-going", ".SH EXIT STATUS"):
            self.assertIn(words, page)
        # A line that begins with a dot is a request: all of them are known ones.
        self.assertEqual({line.split()[0] for line in page.splitlines() if line[0] in ".'"},
                         {".TH", ".SH", ".SS", ".TP", ".B"})


class Rest(unittest.TestCase):
    def test_protocols(self):
        rows = json.loads(run("protocols", "--json").stdout)
        self.assertLessEqual({"thresher", "mysticeti"}, {r["name"] for r in rows})
        for row in rows:
            self.assertTrue(all(row.values()), f"{row['name']}: a column is empty")

    def test_the_table_of_protocols_is_true(self):
        rows = json.loads(run("protocols", "--json").stdout)
        unknown = run("cluster", "--broadcast", "nothing")
        self.assertEqual(unknown.returncode, 2)
        on_shelf = unknown.stderr.rpartition("known: ")[2]
        claimed = [row["name"] for row in rows if "cluster --broadcast" in row["runs_in"]]
        self.assertEqual(on_shelf.strip().split(", "), claimed)
        simulated = {row["name"] for row in json.loads(run("sim", "list", "--json").stdout)["protocols"]}
        for row in rows:
            if "sim" in row["runs_in"]:
                self.assertIn(row["name"], simulated)
            proved, _, table = row["verified"].partition(" for every n (thresher verify --protocol ")
            if not table:
                continue
            listed = run("verify", "--protocol", table.partition(")")[0], "--list")
            self.assertEqual(listed.returncode, 0, listed.stderr)
            properties = {line.split()[0].rstrip("01") for line in listed.stdout.splitlines()}
            for word in proved.split(", "):
                known = {"locks": "lock", "progress": "round_ends", "one side": "one_side"}
                self.assertTrue(known.get(word, word) in properties, f"{row['name']}: {word}")

    def test_a_committee_too_large_for_fragments(self):
        for name in "avid", "das-xiang-ren":
            out = run("sim", "run", "--protocol", name, "--n", "256")
            self.assertEqual(out.returncode, 2, out.stderr)
            self.assertIn("at most 255 nodes, not 256; without that limit: bracha, certified-broadcast", out.stderr)

    def test_version(self):
        out = run("--version")
        self.assertEqual(out.returncode, 0)
        self.assertIn("wire format", out.stdout)

    def test_every_verb_has_an_example(self):
        def below(*path):
            listed = run(*path, "--help").stdout.partition("Subcommands:\n")[2].partition("Exit status:")[0]
            rows = [line.split(None, 1) for line in listed.splitlines() if line[:3].strip()]
            self.assertTrue(all(len(row) == 2 for row in rows), "a verb without a description")
            return [" ".join([*path, name]) for name, _ in rows]
        verbs = []
        for verb in below():
            verbs += below(verb) or [verb]
        self.assertLess(20, len(verbs))
        for verb in verbs:
            # The words may be wrapped over lines.
            help_text = " ".join(run(*verb.split(), "--help").stdout.split())
            self.assertIn("Example: thresher " + verb, help_text)

    def test_help_shows_defaults(self):
        for verb, shown in [("cluster", ["--nodes UINT", "4", "--duration TEXT", "20s", "--rate TEXT", "max"]),
                            ("testnet init", ["--base-port UINT", "26656"]), ("sim fuzz", ["--seeds TEXT", "1..1000"])]:
            words = run(*verb.split(), "--help").stdout
            for option, standard in zip(shown[::2], shown[1::2]):
                self.assertRegex(words, rf"{option} ?[=\[]{re.escape(standard)}\b")
        for verb, required in [("dkg", 1), ("keys new", 1), ("cluster", 0)]:
            self.assertEqual(run(*verb.split(), "--help").stdout.count("(required)"), required, verb)
        # What stands for "none" is no default that anybody could write.
        self.assertNotIn("18446744073709551615", run("sim", "run", "--help").stdout)

    def test_the_nearest_name_has_as_many_dashes(self):
        self.assertIn("did you mean `--set`", run("sim", "replay", "x.json", "--se", "1").stderr)
        self.assertNotIn("`-h`", run("sim", "replay", "x.json", "--n", "4").stderr)

    def test_kills_and_restarts_that_cannot_be(self):
        for arguments, message in [(("--restart", "3@100ms"), "node 3 is up then; --kill it before"),
                                   (("--kill", "1@1s", "--restart", "1@500ms"), "node 1 is up then"),
                                   (("--kill", "1@1s", "--kill", "1@2s"), "--kill 1@2000ms: node 1 is down then"),
                                   (("--kill", "1@20s"), "--kill 1@20000ms: the load ends before")]:
            out = run("cluster", "--duration", "3s", *arguments)
            self.assertEqual(out.returncode, 2, out.stderr)
            self.assertIn(message, out.stderr)

    def test_doctor(self):
        self.assertIn("fdatasync", run("doctor").stdout)

    def test_usage(self):
        for arguments in [(), ("clutser",), ("cluster", "--nodes", "x"), ("cluster", "--kill", "9@1s"),
                          ("cluster", "--storage", "paper"), ("submit",), ("cluster", "--rate", "nan"),
                          ("cluster", "--rate", "inf"), ("cluster", "--duration", "nan"), ("cluster", "--nodes", "-1")]:
            out = run(*arguments)
            self.assertEqual(out.returncode, 2, arguments)
            self.assertTrue(out.stderr)


class InVain(Files):
    """Options that another one leaves nothing to do were dropped, with status 0."""

    def test_they_are_refused_by_name(self):
        ring = self.write("ring.json", json.dumps({"nodes": 4, "edges": [[i, (i + 1) % 4] for i in range(4)]}))
        digraph = ("digraph", "cluster", ring, "--faults", 0, "--values", "1,2,3,4")
        agree = ("digraph", "agree", "--home", "x", "--graph", ring, "--faults", 0, "--value", 1, "--name", "n")
        cases = [
            (("sim", "sweep", "--out", "r", "--shard", "0/2"), ("--shards", 3), "--shard i/N says of how many"),
            (("sim", "sweep", "--explain"), ("--dry-run",), "--explain prints what would be run, and ends"),
            (("sim", "run", "--explain"), ("--dry-run",), "--explain prints what would be run, and ends"),
            (("sim", "fuzz", "--seeds", "1..2"), ("--seed", 1), "--seeds says from which seeds"),
            (("sim", "report", "r", "--html", "p.html"), ("--json",), "--html writes a page instead"),
            (("cluster", "--broadcast", "bracha"), ("--protocol", "pbft"), "--broadcast goes with --nodes"),
            (("cluster", "--broadcast", "bracha"), ("--set", "D=2"), "--broadcast goes with --nodes"),
            (("cluster", "--broadcast", "bracha"), ("--clients", 4), "--broadcast goes with --nodes"),
            (("cluster", "--transactions", "tx"), ("--tx-bytes", 99), "--transactions says what is submitted"),
            (("cluster", "--transactions", "tx"), ("--duration", "1s"), "--transactions says what is submitted"),
            (("cluster",), ("--gets", "log"), "--gets goes with --history"),
            (digraph, ("--eps", 3), "--eps goes with --approximate"),
            ((*digraph, "--approximate"), ("--delta", "1s"), "--delta goes with exact agreement"),
            (agree, ("--patience", "9s"), "go with --approximate"),
            ((*agree, "--approximate"), ("--delta", "1s"), "goes with exact agreement"),
            (("verify", "--protocol", "bracha", "--list"), ("--witness", "w.txt"), "--list names what can be checked"),
            (("verify", "--protocol", "bracha", "--list"), ("--dot",), "--list names what can be checked"),
            (("verify", "--list"), ("--cross-check",), "--list names what can be checked"),
            (("verify", "--protocol", "bracha", "--dot"), ("--json",), "--dot prints a drawing, and ends"),
            (("verify", "--protocol", "bracha", "--dot"), ("--cross-check",), "--dot prints a drawing, and ends"),
            (("verify", "--protocol", "bracha", "--replay", "s.json"), ("--checker", "auto"), "--replay carries out"),
            (("bench", "protocols", "--sockets"), ("--rounds", 20), "--sockets runs real nodes"),
            (("bench", "protocols"), ("--seconds", 1), "--seconds goes with --sockets"),
            (("bench", "protocols", "--wan", "aws"), ("--n", 4), "--wan has a node in each"),
            (("bench", "sparse-dag", "--files", "f"), ("--only", "x"), "--files writes the file of every row"),
            (("bench", "sparse-dag", "--join", "f"), ("--n", 100), "--join takes rows that were run before"),
            (("top", "--genesis", "g.json", "--once"), ("--every", "1s"), "--once looks once"),
        ]
        for line, vain, why in cases:
            out = run(*map(str, (*line, *vain)))
            self.assertEqual((out.returncode, out.stdout), (2, ""), (line, vain))
            self.assertIn(f"leave out {vain[0]}: ", out.stderr, (line, vain))
            self.assertIn(why, out.stderr, (line, vain))


class NobodyAnswers(Files):
    def test_each_reason_is_said_once(self):
        net = pathlib.Path(self.folder.name, "net")
        self.assertEqual(run("testnet", "init", "-n", 4, "-o", net, "--base-port", held_ports.take(4)).returncode, 0)
        out = run("submit", "--genesis", net / "genesis.json", "--quorum", "--data", "x", "--timeout", "1s")
        self.assertEqual(out.returncode, 1)
        self.assertEqual(out.stderr.count("trying again"), 4, out.stderr)


class OddFiles(Files):
    """What a user may name where a file belongs, at every verb that reads one."""

    def verbs(self, name):
        net = pathlib.Path(self.folder.name, "net")
        if not net.exists():
            self.assertEqual(run("testnet", "init", "-n", 4, "-o", net, "--base-port", "0").returncode, 0)
        genesis, empty = net / "genesis.json", self.write("empty.json", "{}")
        return [("verify", name), ("verify", "--protocol", "bracha", "--replay", name), ("history", "check", name),
                ("digraph", "check", name, "--faults", 1), ("beacon", "verify", name, "--group", GROUP),
                ("verify-proof", name, "--genesis", genesis), ("verify-proof", empty, "--genesis", name),
                ("verify-proof", self.write("p.json", "{}"), "--genesis", genesis, "--file", name),
                ("evidence", "verify", name, "--genesis", genesis), ("sim", "run", name), ("sim", "report", name),
                ("sim", "replay", name), ("sim", "shrink", name), ("crypto", "verify", "--in", name),
                ("submit", "--home", net / "node0", "--file", name), ("cluster", "--transactions", name),
                ("testnet", "init", "-n", 4, "-o", pathlib.Path(self.folder.name, "other"), "--hosts", name)]

    def refuse(self, name, said):
        for verb in self.verbs(name):
            out = run(*verb)
            # A proof that is none is found before the file beside it is opened.
            self.assertIn(out.returncode, (1, 2), (verb, out.stderr))
            self.assertTrue(out.stderr.strip(), verb)
            self.assertNotIn("terminate", out.stderr, verb)
            if "--file" not in verb or verb[0] != "verify-proof":
                self.assertIn(str(name), out.stderr, verb)
                self.assertRegex(out.stderr, said, verb)

    def test_a_folder(self):
        self.refuse(self.folder.name, "folder|cannot|no file|no automaton")

    def test_a_file_that_never_ends(self):
        wide = [v for v in self.verbs("/dev/zero") if v[0] != "history"]  # that one reads a gigabyte
        self.assertGreater(len(wide), 10)
        for verb in wide:
            out = run(*verb)
            self.assertIn(out.returncode, (1, 2), (verb, out.stderr))
            self.assertTrue(out.stderr.strip(), verb)

    def test_a_file_that_is_not_there(self):
        self.refuse(pathlib.Path(self.folder.name, "none.json"), "cannot|no such|No such|not there|missing|does not exist")


if __name__ == "__main__":
    unittest.main()
