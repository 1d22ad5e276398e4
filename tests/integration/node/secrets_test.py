#!/usr/bin/env python3
"""No core of a running node holds its secrets: every page that a core dump would take is searched."""
import base64
import hashlib
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest

BINARY = sys.argv.pop(1) if len(sys.argv) > 1 and not sys.argv[1].startswith("-") else "thresher"
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import held_ports  # noqa: E402


def run(*arguments):
    return subprocess.run([BINARY, *map(str, arguments)], capture_output=True, text=True, timeout=60)


def areas(pid):
    """(begin, end, flags) of every readable area of memory; "dd": a core leaves it out."""
    begin = end = readable = None
    for line in pathlib.Path(f"/proc/{pid}/smaps").read_text().splitlines():
        head = re.match(r"([0-9a-f]+)-([0-9a-f]+) (\S+) ", line)
        if head:
            begin, end, readable = int(head[1], 16), int(head[2], 16), head[3][0] == "r"
        elif line.startswith("VmFlags:") and readable:
            yield begin, end, line.split()[1:]


def places_of(pid, needle):
    """Flags of the areas that hold it."""
    found = []
    with open(f"/proc/{pid}/mem", "rb", buffering=0) as memory:
        for begin, end, flags in areas(pid):
            try:
                memory.seek(begin)
                content = memory.read(end - begin)
            except (OSError, OverflowError, ValueError):
                continue  # the kernel's own: no core has it either
            if needle in content:
                found.append(flags)
    return found


class Secrets(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.net = pathlib.Path(folder.name, "net")
        # A protocol that tosses coins, so that the node has a share too.
        out = run("testnet", "init", "-n", "4", "-o", self.net, "--base-port", held_ports.take(4), "--protocol", "mahi-mahi",
                  "--dealer")
        self.assertEqual(out.returncode, 0, out.stderr)
        self.nodes = []
        for node in range(4):
            log = open(self.net / f"log{node}", "ab")
            self.addCleanup(log.close)
            process = subprocess.Popen([BINARY, "node", "run", "--home", str(self.net / f"node{node}")],
                                       stdout=log, stderr=log)
            self.addCleanup(process.wait)
            self.addCleanup(process.kill)
            self.nodes.append(process)

    def submit(self, text):
        end = time.monotonic() + 60
        while True:
            out = run("submit", "--home", self.net / "node0", "--data", text)
            if out.returncode == 0:
                return
            self.assertLess(time.monotonic(), end, out.stderr)

    def test_no_page_that_a_core_would_take_holds_a_secret(self):
        self.submit("every node has signed, spoken TLS and tossed a coin")
        home = self.net / "node0"
        pem = (home / "node.key").read_text().splitlines()
        seed = base64.b64decode("".join(pem[1:-1]))[16:48]
        share = (home / "coin.key").read_text().split()[-1]
        expanded = bytearray(hashlib.sha512(seed).digest())
        expanded[0] &= 248
        expanded[31] = (expanded[31] & 127) | 64
        secrets = {"the seed": seed, "the scalar of the seed": bytes(expanded[:32]),
                   "the text of the key file": "".join(pem[1:-1])[22:].encode(),
                   "the share of the coin": bytes.fromhex(share), "its text": share.encode()}
        pid = self.nodes[0].pid
        try:
            with open(f"/proc/{pid}/mem", "rb"):
                pass
        except PermissionError:
            self.skipTest("may not read the memory of a child here")
        # It is there, so the search finds what is there.
        for name in ("the seed", "the share of the coin"):
            self.assertGreater(len(places_of(pid, secrets[name])), 0, name)
        self.assertGreater(len(places_of(pid, b"node.key")), 0)
        # A node that was stopped in the middle of a signature has the scalar on its stack; what stays there is found each time.
        for _ in range(5):
            found = self.outside(self.nodes[0], secrets)
            if not found:
                return
            time.sleep(0.3)
        self.fail(f"a core would take {', '.join(found)}")

    @staticmethod
    def outside(node, secrets):
        """Names of those that are in an area which a core does not leave out."""
        node.send_signal(signal.SIGSTOP)
        try:
            return [name for name, secret in secrets.items() if any("dd" not in flags for flags in places_of(node.pid, secret))]
        finally:
            node.send_signal(signal.SIGCONT)


if __name__ == "__main__":
    unittest.main()
