#!/usr/bin/env python3
"""`thresher log prove` and `verify-proof` with the log of a real cluster: what holds, and what is not taken for it."""
import json
import pathlib
import random
import subprocess
import sys
import tempfile
import unittest

BINARY = sys.argv.pop(1) if len(sys.argv) > 1 and not sys.argv[1].startswith("-") else "thresher"
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import held_ports  # noqa: E402
POSITION = 3


def run(*arguments, text=None):
    return subprocess.run([BINARY, *map(str, arguments)], input=text, capture_output=True, text=True, timeout=120)


class Proofs(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.net = pathlib.Path(cls.folder.name, "net")
        out = run("cluster", "--duration", "2s", "--rate", 200, "--tx-bytes", 16, "--set", "checkpoint=4", "--home", cls.net)
        assert out.returncode == 0, out.stderr
        proof = run("log", "prove", "--home", cls.net / "node0", "--position", POSITION)
        assert proof.returncode == 0, proof.stderr
        cls.proof = proof.stdout
        listed = run("log", "--home", cls.net / "node1", "--from", POSITION, "--json").stdout.splitlines()[0]
        cls.transaction = json.loads(listed)["data"].encode("latin-1")

    def check(self, *more, proof=None):
        return run("verify-proof", "-", "--genesis", self.net / "genesis.json", *more, text=proof or self.proof)

    def file_of(self, content):
        path = pathlib.Path(self.folder.name, "transaction")
        path.write_bytes(content)
        return path

    def test_it_is_of_one_transaction_alone(self):
        self.assertEqual(self.check().returncode, 0)
        out = self.check("--file", self.file_of(self.transaction))
        self.assertEqual((out.returncode, out.stderr), (0, ""))
        # An empty text was taken for none, and compared with nothing.
        for other in (["--data", ""], ["--data", "x"], ["--file", self.file_of(b"")]):
            out = self.check(*other)
            self.assertEqual(out.returncode, 1, other)
            self.assertIn("another transaction", out.stderr)
        self.assertEqual(self.check("--data", "", "--file", self.file_of(b"")).returncode, 2)

    def test_no_changed_character_is_taken(self):
        draw = random.Random(7)
        letters = [i for i, c in enumerate(self.proof) if c.isalnum()]
        for at in draw.sample(letters, 60):
            other = draw.choice([c for c in "0123456789abcdefXYZ" if c.lower() != self.proof[at].lower()])
            changed = self.proof[:at] + other + self.proof[at + 1:]
            out = self.check(proof=changed)
            self.assertIn(out.returncode, (1, 2), f"character {at}: '{self.proof[at]}' to '{other}'")
            self.assertTrue(out.stderr.startswith("thresher: "), out.stderr)


class Proved(unittest.TestCase):
    """`thresher submit --proved` at nodes that run."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.net = pathlib.Path(folder.name, "net")

    def start(self, checkpoint):
        made = run("testnet", "init", "-n", 4, "-o", self.net, "--base-port", held_ports.take(4), "--set", f"checkpoint={checkpoint}")
        self.assertEqual(made.returncode, 0, made.stderr)
        for i in range(4):
            self.process("node", "run", "--home", self.net / f"node{i}", stderr=subprocess.DEVNULL)

    def process(self, *arguments, **pipes):
        process = subprocess.Popen([BINARY, *map(str, arguments)], text=True, **pipes)

        def end():
            process.kill()
            process.wait()
            for pipe in filter(None, (process.stdin, process.stdout)):
                pipe.close()
        self.addCleanup(end)
        return process

    def test_each_line_has_a_proof_that_holds(self):
        self.start(4)
        genesis = self.net / "genesis.json"
        waits = self.process("submit", "--genesis", genesis, "--proved", "--json", "--file", "-", "--timeout", "100s",
                             stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        waits.stdin.write("one\ntwo\n")
        waits.stdin.close()
        while waits.poll() is None:  # a ledger at rest has no next checkpoint
            more = run("submit", "--home", self.net / "node1", "--data", "more", "--timeout", "100s")
            self.assertEqual(more.returncode, 0, more.stderr)
        rows = [json.loads(line) for line in waits.stdout]
        self.assertEqual(waits.returncode, 0)
        self.assertEqual(len(rows), 2)
        for row, data in zip(rows, ["one", "two"]):
            self.assertEqual(row["proof"]["position"], row["position"])
            checked = run("verify-proof", "-", "--genesis", genesis, "--data", data, text=json.dumps(row["proof"]))
            self.assertEqual(checked.returncode, 0, checked.stderr)

    def test_what_cannot_be_proved_is_said(self):
        self.start(0)
        out = run("submit", "--home", self.net / "node0", "--proved", "--data", "x")
        self.assertEqual((out.returncode, out.stdout), (1, "refused\n"), out.stderr)
        self.assertIn("has no checkpoints", out.stderr)
        out = run("submit", "--genesis", self.net / "genesis.json", "--proved", "--quorum", "--data", "x")
        self.assertEqual(out.returncode, 2)
        self.assertIn("--quorum or --proved", out.stderr)


if __name__ == "__main__":
    unittest.main()
