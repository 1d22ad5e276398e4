#!/usr/bin/env python3
"""Files that open and cannot be read: every verb says which, why and what to do, with the status for a machine that refuses.

/proc/self/mem stands for a failing disk: it opens, and reading its first bytes is an input/output error.
"""
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

BINARY = sys.argv.pop(1)
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import held_ports  # noqa: E402
FAILING = "/proc/self/mem"


def run(*arguments):
    return subprocess.run([BINARY, *map(str, arguments)], capture_output=True, text=True, timeout=60)


class Unreadable(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.net = pathlib.Path(folder.name, "net")
        assert run("testnet", "init", "-n", "4", "-o", cls.net, "--base-port", held_ports.take(4)).returncode == 0
        nodes = [subprocess.Popen([BINARY, "node", "run", "--home", cls.net / f"node{i}"], stderr=subprocess.DEVNULL)
                 for i in range(4)]
        try:
            submitted = run("submit", "--home", cls.net / "node0", "--data", "x", "--timeout", "50s")
            assert submitted.returncode == 0, submitted.stderr
        finally:
            for node in nodes:
                node.terminate()
            for node in nodes:
                node.wait(60)

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.home = self.folder / "net" / "node0"
        shutil.copytree(self.net, self.folder / "net")

    def told(self, status, words, *arguments):
        out = run(*arguments)
        self.assertEqual((out.returncode, out.stdout), (status, ""), f"{arguments}: {out.stderr}")
        self.assertNotIn("terminate called", out.stderr)
        for word in words:
            self.assertIn(word, out.stderr)

    # Streams threw: the process ended by SIGABRT with "terminate called".
    def test_a_folder_for_the_begin_of_the_log(self):
        base = self.home / "data/wal.base"
        base.mkdir()
        at_home = ("--home", self.home)
        for status, verb in ((2, ("node", "run", *at_home)), (1, ("log", *at_home)),
                             (1, ("log", "prove", *at_home, "--position", "0")), (1, ("log", "diff", self.home, self.home)),
                             (1, ("node", "backup", self.home, self.folder / "copy"))):
            self.told(status, [f"'{base}' is a folder and no file", "put the file of this node there"], *verb)

    def test_a_begin_of_the_log_that_cannot_be_read(self):
        (self.home / "data/wal.base").symlink_to(FAILING)
        for verb in (("node", "run"), ("log",)):
            self.told(5, [f"cannot read '{self.home}/data/wal.base': Input/output error", "the disk or the way to it fails"],
                      *verb, "--home", self.home)

    # They were told to be empty, with the status of a wrong command.
    def test_a_configuration_and_a_genesis_file(self):
        genesis = self.folder / "net/genesis.json"
        genesis.unlink()
        genesis.symlink_to(FAILING)
        for verb in (("config", "check"), ("node", "run"), ("log",), ("node", "status")):
            self.told(5, ["genesis.json': Input/output error", "check it"], *verb, "--home", self.home)
            self.told(5, [f"cannot read '{FAILING}': Input/output error", "check it"], *verb, "--home", FAILING)
        self.told(5, ["Input/output error"], "evidence", "verify", FAILING, "--genesis", genesis)

    def test_evidence(self):
        self.told(5, [f"cannot read '{FAILING}': Input/output error", "check it"],
                  "evidence", "verify", FAILING, "--genesis", self.folder / "net/genesis.json")

    # `log` printed nothing, with 0, and `backup` called it a file that became shorter, or made a copy without anything.
    def test_a_log_of_which_nothing_is_left(self):
        wal = self.home / "data/wal"
        size = wal.stat().st_size
        for index in (True, False):
            for left in (0, 5, size):  # what a start reserves before it finds the end
                wal.write_bytes(bytes(left))
                if not index:
                    shutil.rmtree(self.home / "data/index", ignore_errors=True)
                self.told_of_nothing_left(wal, f"'{wal}' is empty")

    # They said that the node never ran.
    def test_a_log_that_is_gone(self):
        wal = self.home / "data/wal"
        wal.unlink()
        self.told_of_nothing_left(wal, f"there is no log '{wal}'")
        shutil.rmtree(self.home / "data")
        self.told_of_nothing_left(wal, f"there is no log '{wal}'")

    def told_of_nothing_left(self, wal, seen):
        for verb in (("log", "--home", self.home), ("log", "prove", "--home", self.home, "--position", "0"),
                     ("log", "diff", self.home, self.home), ("node", "backup", self.home, self.folder / "copy")):
            self.told(1, [f"{seen}, but '{self.home}/node.key.signed-", "says that the node signed",
                          "put the one of this folder back"], *verb)
        self.assertFalse((self.folder / "copy/data").exists())

    # Of what cannot be read nobody knows whether the key has signed.
    def test_what_was_signed_with_the_key(self):
        (mark,) = self.home.glob("node.key.signed-*")
        mark.unlink()
        for path in (self.home / "node.key.used", mark):
            path.symlink_to(FAILING)
            self.told(5, [f"cannot read '{path}': Input/output error"], "node", "run", "--home", self.home)

    def test_what_others_wrote_for_a_verb(self):
        for verb in (("submit", "--home", self.home, "--file"), ("cluster", "--transactions"), ("sim", "run"), ("sim", "replay"),
                     ("crypto", "verify", "--in"), ("history", "check"), ("digraph", "check", "--faults", "1")):
            self.told(5, ["Input/output error"], *verb, FAILING)
        rows = self.folder / "rows"
        rows.mkdir()
        (rows / "a.json").mkdir()
        self.told(2, ["a.json' is a folder"], "bench", "sparse-dag", "--join", rows, "--charts", self.folder / "charts")


if __name__ == "__main__":
    unittest.main()
