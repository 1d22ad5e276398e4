#!/usr/bin/env python3
"""`thresher beacon`: four nodes with a key of their own making publish values; who has the group key checks them."""
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import urllib.request

signal.signal(signal.SIGINT, signal.default_int_handler)  # children of a shell's background job would ignore it
BINARY = sys.argv.pop(1) if len(sys.argv) > 1 and not sys.argv[1].startswith("-") else "thresher"
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import held_ports  # noqa: E402
NODES = 4
# The generator of ristretto255.
ANOTHER_GROUP = "e2f2ae0a6abc4e71a884a961c500515f58e30b6aa582dd8db6a65945e08d2d76"


def run(*arguments, text=None):
    return subprocess.run([BINARY, *map(str, arguments)], capture_output=True, text=True, timeout=120, input=text)


class Beacon(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.net = pathlib.Path(cls.folder.name, "net")
        assert run("testnet", "init", "-n", NODES, "-o", cls.net, "--base-port", held_ports.take(NODES), "--protocol",
                   "mahi-mahi").returncode == 0
        runs = [subprocess.Popen([BINARY, "dkg", "--home", cls.net / f"node{i}", "--json"], stdout=subprocess.PIPE)
                for i in range(NODES)]
        cls.group = {json.loads(r.communicate(timeout=100)[0])["group_key"] for r in runs}.pop()

    def begin(self, node, *more, net=None):
        home = (net or self.net) / f"node{node}"
        process = subprocess.Popen([BINARY, "beacon", "run", "--home", home, *map(str, more)],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(lambda: (process.kill(), process.communicate()))
        return process

    def lines_of(self, runs, least):
        """All lines of each, which end when they have so many. With --rounds a node that starts late may find the others gone, and waits for ever."""
        told = [[] for _ in runs]
        readers = [threading.Thread(target=lambda run=run, to=to: to.extend(iter(run.stdout.readline, "")), daemon=True)
                   for run, to in zip(runs, told)]
        for reader in readers:
            reader.start()
        end = time.monotonic() + 100
        while min(map(len, told)) < least:
            self.assertLess(time.monotonic(), end, [run.poll() for run in runs])
            time.sleep(0.01)
        for run in runs:
            run.terminate()
        for run, reader in zip(runs, readers):
            self.assertEqual(run.wait(60), 0)
            reader.join()
        return told

    def verify(self, lines, group=None, more=()):
        return run("beacon", "verify", "--group", group or self.group, *more, text="".join(lines))

    def test_publishes_values_that_the_group_key_alone_verifies(self):
        others = [self.begin(i, "--pause", 0) for i in range(1, NODES)]
        told = self.lines_of([self.begin(0, "--pause", 0), *others], 25)
        values = {}
        for lines in told:
            for line in map(json.loads, lines):
                self.assertEqual(values.setdefault(line["round"], line["value"]), line["value"])
        self.assertEqual(len(set(values.values())), len(values))
        lines = told[0][:25]
        good = self.verify(lines)
        self.assertEqual(good.returncode, 0, good.stderr)
        rounds = [json.loads(line)["round"] for line in lines]
        self.assertIn(f"25 values verified, rounds {min(rounds)} to {max(rounds)}\n", good.stdout)

        forged = json.loads(lines[7])
        forged["value"] = json.loads(lines[8])["value"]
        bad = self.verify([lines[0], json.dumps(forged) + "\n"])
        self.assertEqual(bad.returncode, 1)
        self.assertIn("line 2 has another value", bad.stderr)
        moved = json.loads(lines[7])
        moved["round"] += 1
        self.assertIn("does not hold for round", self.verify([json.dumps(moved)]).stderr)
        self.assertNotIn("--group", self.verify([lines[0], json.dumps(moved)]).stderr)
        for group, status, said in (("xyz", 2, "64 hex digits"), ("00" * 32, 2, "no element"),
                                    ("ff" * 32, 2, "no element"), (self.group[:-1], 2, "64 hex digits"),
                                    (ANOTHER_GROUP, 1, "may be another network's")):
            refused = self.verify(lines, group=group)
            self.assertEqual(refused.returncode, status, group)
            self.assertIn("--group", refused.stderr)
            self.assertIn(said, refused.stderr)
        # Digits are taken in either case, of each of the three.
        upper = json.loads(lines[0])
        upper.update(value=upper["value"].upper(), proof=upper["proof"].upper())
        self.assertEqual(self.verify([json.dumps(upper)], group=self.group.upper()).returncode, 0)
        for wrong, said in (("00", "another value"), ("q" * 64, "value that is no hex")):
            self.assertIn(said, self.verify([json.dumps(dict(upper, value=wrong))]).stderr)
        cut = self.verify([lines[0], lines[1][:-1] + "\0 {}\n"])
        self.assertEqual(cut.returncode, 1)
        self.assertIn(f"line 2 is not a JSON object: column {len(lines[1])}: ", cut.stderr)
        self.assertIn("byte 0", cut.stderr)
        self.assertIn("no line", self.verify([]).stderr)
        self.assertIn("not a JSON object", self.verify(["[]\n"]).stderr)
        self.verify_without_end(lines[:3])

    def verify_without_end(self, lines):
        """What is larger than a file that is read whole, and what has no end or no lines."""
        padded = "".join(line.rstrip("\n") + " " * 1_000_000 + "\n" for line in lines)
        repeats = (80 << 20) // len(padded) + 1
        path = self.net.parent / "long.jsonl"
        with path.open("w") as file:
            for _ in range(repeats):
                file.write(padded)
        for arguments, given in ((path, None), ("-", path)):
            with open(given or "/dev/null") as standard_input:
                whole = subprocess.Popen([BINARY, "beacon", "verify", "--group", self.group, str(arguments)],
                                         stdout=subprocess.PIPE, text=True, stdin=standard_input)
                said = whole.stdout.read()
                whole.stdout.close()
                _, whole.returncode, used = os.wait4(whole.pid, 0)
            self.assertEqual(whole.returncode, 0)
            self.assertIn("3 values verified", said)
            self.assertLess(used.ru_maxrss, 60 << 10)  # in KiB
        path.unlink()
        for name in ("/dev/zero", "-"):
            with open("/dev/zero") as zero:
                endless = subprocess.run([BINARY, "beacon", "verify", "--group", self.group, name], text=True,
                                         capture_output=True, stdin=zero, timeout=60)
            self.assertEqual(endless.returncode, 2, endless.stderr)
            self.assertIn("line 1 of ", endless.stderr)
            self.assertIn("longer than 2048 KiB", endless.stderr)
        self.assertIn("is a folder", run("beacon", "verify", "--group", self.group, self.net).stderr)
        self.assertEqual(self.verify([line.rstrip("\n") + "\r\n" for line in lines[:-1]] + [lines[-1].rstrip()]).returncode, 0)

    def test_serves_who_asks_and_goes_on_without_one_node(self):
        port = held_ports.take()
        nodes = [self.begin(i, "--pause", 20, *(["--listen", f"127.0.0.1:{port}"] if i == 0 else []))
                 for i in range(NODES - 1)]
        page = f"http://127.0.0.1:{port}"

        def ask(path):
            return urllib.request.urlopen(page + path, timeout=5).read().decode()

        def latest(beyond):
            end = time.monotonic() + 60
            while True:
                try:
                    line = ask("/latest")
                    if json.loads(line)["round"] > beyond:
                        return line
                except (OSError, ValueError):
                    pass
                self.assertLess(time.monotonic(), end)
                time.sleep(0.05)

        def kind(path):
            return urllib.request.urlopen(page + path, timeout=5).headers["Content-Type"]

        line = latest(10)
        self.assertEqual(kind("/latest"), "application/json")
        self.assertEqual(kind("/recent"), "application/x-ndjson")
        self.assertTrue(kind("/group").startswith("text/plain"))
        self.assertEqual(self.verify([line]).returncode, 0)
        self.assertEqual(ask("/group").strip(), self.group)
        self.assertEqual(self.verify([ask("/recent")]).returncode, 0)
        # The fourth comes late and is where the others are; then one of the first goes.
        late = self.begin(3, "--pause", 20)
        first = json.loads(late.stdout.readline())
        self.assertEqual(self.verify([json.dumps(first)]).returncode, 0)
        nodes[1].kill()
        latest(json.loads(line)["round"] + 20)

    # Its help says "until SIGTERM", and the signal killed it: a service that is stopped had failed.
    def test_ends_in_order(self):
        for stop in (signal.SIGTERM, signal.SIGINT):
            nodes = [self.begin(i, "--pause", 5) for i in range(NODES)]
            nodes[0].stdout.readline()
            for node in nodes:
                node.send_signal(stop)
            for node in nodes:
                out = node.stdout.read()
                self.assertEqual(node.wait(60), 0, node.stderr.read())
                self.assertTrue(out == "" or out.endswith("\n"))
        alone = self.begin(0)  # it never has a value
        while "SigBlk:\t0000000000004002" not in pathlib.Path(f"/proc/{alone.pid}/status").read_text():
            self.assertIsNone(alone.poll())
            time.sleep(0.01)
        alone.terminate()
        self.assertEqual(alone.wait(60), 0)
        # Nobody reads what it prints, and the pipe is full.
        nodes = [self.begin(i, "--pause", 0) for i in range(NODES)]
        for node in nodes[1:]:
            threading.Thread(target=node.stdout.read, daemon=True).start()
        time.sleep(2)
        nodes[0].terminate()
        self.assertIn(nodes[0].wait(20), (0, 1))

    def test_no_start_publishes_a_round_of_an_earlier_one(self):
        """All nodes are killed at once, three times, at any point of what they do."""
        told = [[] for _ in range(NODES)]
        for life in range(4):
            nodes = [self.begin(i, "--pause", 5) for i in range(NODES)]
            for node, lines in zip(nodes, told):
                lines += [node.stdout.readline() for _ in range(6 + life)]
            for node in nodes:
                node.kill()
            for node, lines in zip(nodes, told):
                # communicate() would lose what readline() took from the pipe beyond its line, and begin in the middle of one.
                rest, err = node.stdout.read(), node.stderr.read()
                # The last line may have been cut.
                lines += [line for line in rest.splitlines(keepends=True) if line.endswith("\n")]
                self.assertNotIn("rounds-", err)
        for lines in told:
            seen = json.loads(self.verify(lines, more=["--json"]).stdout)
            self.assertEqual(seen["repeated"], [])
            self.assertEqual(seen["values"], len(lines))
        together = json.loads(self.verify(sum(told, []), more=["--json"]).stdout)
        self.assertGreater(len(together["repeated"]), 0)

    def next_network(self, nodes):
        """The same members and others, which keep the key: a committee with another threshold."""
        net = pathlib.Path(self.folder.name, f"next{nodes}")
        self.assertEqual(run("testnet", "init", "-n", nodes, "-o", net, "--base-port", held_ports.take(nodes), "--protocol",
                             "mahi-mahi").returncode, 0)
        before = json.loads((self.net / "genesis.json").read_text())
        genesis = json.loads((net / "genesis.json").read_text())
        for i in range(NODES):
            genesis["nodes"][i]["key"] = before["nodes"][i]["key"]
            shutil.copy(self.net / f"node{i}" / "node.key", net / f"node{i}" / "node.key")
        (net / "genesis.json").write_text(json.dumps(genesis))
        runs = []
        for i in range(nodes):
            own = ["--old-share", self.net / f"node{i}" / "coin.key"] if i < NODES else []
            runs.append(subprocess.Popen([BINARY, "dkg", "--home", net / f"node{i}", "--json", "--keep",
                                          self.net / "genesis.json", *own], stdout=subprocess.PIPE))
        made = [json.loads(r.communicate(timeout=100)[0]) for r in runs]
        self.assertEqual({m["group_key"] for m in made}, {self.group})
        return net, made

    def test_the_next_committee_goes_on_where_this_one_stopped(self):
        """Whoever could choose between two values of a round, or sees an old one pass for a new one, is deceived."""
        runs = [self.begin(i, "--pause", 0) for i in range(NODES)]
        old = [list(map(json.loads, lines)) for lines in self.lines_of(runs, 30)]
        net, made = self.next_network(NODES + 1)
        first = max(m["beacon_round"] for m in made)
        self.assertGreaterEqual(first, max(v["round"] for values in old for v in values))
        blind = self.begin(NODES, "--rounds", 1, net=net)
        self.assertIn("say with --first", blind.communicate(timeout=100)[1])
        self.assertNotEqual(blind.returncode, 0)
        runs = [self.begin(i, "--pause", 0, *(["--first", first] if i == NODES else []), net=net)
                for i in range(NODES + 1)]
        new = [list(map(json.loads, lines)) for lines in self.lines_of(runs, 10)]
        for i, values in enumerate(new):
            last = max(v["round"] for v in old[i]) if i < NODES else first - 1
            self.assertGreater(min(v["round"] for v in values), last)
        done = self.verify(json.dumps(v) + "\n" for values in old + new for v in values)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_verify_tells_of_gaps_and_repeated_rounds(self):
        lines = self.lines_of([self.begin(i, "--pause", 0) for i in range(NODES)], 40)[0]
        by_round = {json.loads(line)["round"]: line for line in lines}
        # Ten rounds in a row: nobody was away for long.
        start = next(r for r in by_round if all(r + k in by_round for k in range(10)))
        row = [by_round[start + k] for k in range(10)]
        self.assertEqual(self.verify(row, more=["--whole"]).returncode, 0)
        self.assertEqual(self.verify(row).stdout, f"10 values verified, rounds {start} to {start + 9}\n")
        self.assertEqual(self.verify(row[:1]).stdout, f"1 value verified, round {start}\n")
        self.assertEqual(self.verify(reversed(row), more=["--whole"]).returncode, 0)
        odd = [row[8], row[0], row[2], row[2], row[3]]
        report = self.verify(odd)
        self.assertEqual(report.returncode, 0)
        self.assertEqual(report.stdout.splitlines()[1:],
                         [f"no line for: {start + 1}, {start + 4} to {start + 7}",
                          f"more than one line for: {start + 2}"])
        self.assertEqual(json.loads(self.verify(odd, more=["--json"]).stdout),
                         {"values": 4, "first": start, "last": start + 8, "repeated": [start + 2],
                          "gaps": [{"first": start + 1, "last": start + 1},
                                   {"first": start + 4, "last": start + 7}]})
        for bad in (row[:3] + row[4:], row + row[-1:]):
            refused = self.verify(bad, more=["--whole"])
            self.assertEqual(refused.returncode, 1)
            self.assertIn("each round once", refused.stderr)

    def test_refuses_a_damaged_record(self):
        home = self.net / "node0"
        run_once = self.begin(0, "--pause", 50)
        for _ in range(100):
            if found := list(home.glob("coin.key.rounds-*")):
                break
            time.sleep(0.1)
        run_once.kill()
        run_once.communicate()
        good = found[0].read_bytes()
        self.addCleanup(lambda: found[0].write_bytes(good))
        found[0].write_text("damaged\n")
        refused = run("beacon", "run", "--home", home, "--rounds", 1)
        self.assertEqual(refused.returncode, 2)
        self.assertIn("--first", refused.stderr)

    def test_ends_after_so_many_rounds(self):
        nodes = [self.begin(i, "--pause", 0) for i in range(NODES - 1)]
        for node in nodes:
            threading.Thread(target=node.stdout.read, daemon=True).start()
        out, err = self.begin(NODES - 1, "--pause", 0, "--rounds", 7).communicate(timeout=100)
        self.assertEqual(out.count("\n"), 7, err)

    def test_says_what_is_wrong(self):
        wrong = run("beacon", "run", "--home", self.net / "node0", "--listen", "0.0.0.0:1")
        self.assertEqual(wrong.returncode, 2)
        self.assertIn("this machine alone", wrong.stderr)
        home = self.net / "node1"
        before = {path: path.read_bytes() for path in home.glob("coin.key*")}
        for first in (2**63 + 1, 2**64 - 2, 2**64 - 1):
            far = run("beacon", "run", "--home", home, "--first", first, "--rounds", 1)
            self.assertEqual(far.returncode, 2)
            self.assertIn("--first", far.stderr)
            self.assertIn("2^63", far.stderr)
        self.assertEqual(before, {path: path.read_bytes() for path in home.glob("coin.key*")})
        for pause in (31_536_000_001, 2**63, 2**64 - 1):
            long = run("beacon", "run", "--home", home, "--pause", pause)
            self.assertEqual(long.returncode, 2)
            self.assertIn("more than a year", long.stderr)


if __name__ == "__main__":
    unittest.main()
