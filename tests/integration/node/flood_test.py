#!/usr/bin/env python3
"""Clients that send all they can to one of four nodes, with real processes: what a node cannot send waits in its pool, and not in
the queues of its links. flood_test.py THRESHER [options of unittest]"""
import json
import multiprocessing
import pathlib
import re
import shutil
import signal
import socket
import ssl
import struct
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.request

BINARY = sys.argv.pop(1)
HELLO, SUBMIT, WELCOME = 0, 32, 39
WIRE_VERSION = 5
FLOODERS = 4
SECONDS = 10
# Of all nodes in those seconds, each with a block of up to 1 MiB. Before payload waited for the links: 846, and 9,644 on a busy
# machine; since then 3. (ADR 053)
MOST_DROPPED = 100


def frame(kind, control=b"", payload=b""):
    return struct.pack("<IBI", 5 + len(control) + len(payload), kind, len(control)) + control + payload


def received(link, size):
    out = b""
    while len(out) < size:
        part = link.recv(size - len(out))
        if not part:
            raise ConnectionError("the node ended the connection")
        out += part
    return out


def next_frame(link):
    size, kind, control = struct.unpack("<IBI", received(link, 9))
    body = received(link, size - 5)
    return kind, body[:control], body[control:]


def connect(port, key):
    """A link of a client that has shaken hands."""
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    tls.check_hostname, tls.verify_mode, tls.minimum_version = False, ssl.CERT_NONE, ssl.TLSVersion.TLSv1_3
    tls.load_cert_chain(key)
    link = tls.wrap_socket(socket.create_connection(("127.0.0.1", port), 20))
    kind, hello, _ = next_frame(link)
    if kind != HELLO:
        raise ConnectionError(f"a frame of kind {kind} in the place of the hello")
    chain = re.search(rb"\x12\x20(.{32})", hello, re.DOTALL).group(1)  # field 2, 32 bytes
    link.sendall(frame(HELLO, b"\x08" + bytes([WIRE_VERSION]) + b"\x12\x20" + chain))
    if next_frame(link)[0] != WELCOME:
        raise ConnectionError("no welcome")
    return link


def flood(port, key, end):
    """Submits transactions of 1,000 bytes, as many as the node reads, and reads its answers when it can."""
    link = connect(port, key)
    link.setblocking(False)
    sequence, waiting = 0, b""
    while time.monotonic() < end:
        if not waiting:
            entries = b"".join(struct.pack("<QI", sequence + i, 1000) + bytes(1000) for i in range(240))
            sequence += 240
            waiting = frame(SUBMIT, payload=entries)
        moved = False
        try:
            waiting = waiting[link.send(waiting):]
            moved = True
        except (ssl.SSLWantWriteError, ssl.SSLWantReadError):
            pass
        try:
            moved |= bool(link.recv(1 << 16))
        except (ssl.SSLWantWriteError, ssl.SSLWantReadError):
            pass
        if not moved:
            time.sleep(0.001)
    link.close()


class Flood(unittest.TestCase):
    def setUp(self):
        self.net = pathlib.Path(tempfile.mkdtemp(prefix="thresher-flood-"))
        self.addCleanup(shutil.rmtree, self.net, ignore_errors=True)
        self.metrics, self.nodes = [], []

    def run_it(self, *args, **more):
        return subprocess.run([BINARY, *map(str, args)], capture_output=True, text=True, check=True, timeout=120, **more)

    def start(self, protocol):
        self.run_it("testnet", "init", "-n", 4, "-o", self.net / "net", "--protocol", protocol)
        for node in range(4):
            with socket.create_server(("127.0.0.1", 0)) as free:
                self.metrics.append(free.getsockname()[1])
            config = self.home(node) / "node.toml"
            config.write_text(re.sub(r'(?m)^listen = ""', f'listen = "127.0.0.1:{self.metrics[node]}"', config.read_text()))
            log = open(self.net / f"log{node}", "wb")
            self.addCleanup(log.close)
            process = subprocess.Popen([BINARY, "node", "run", "--home", str(self.home(node))], stdout=log, stderr=log)
            self.addCleanup(process.wait)
            self.addCleanup(process.kill)
            self.nodes.append(process)
        self.run_it("submit", "--genesis", self.net / "net" / "genesis.json", "--data", "all are there", "--timeout", "60s")

    def home(self, node):
        return self.net / "net" / f"node{node}"

    def dropped(self):
        out = 0
        for port in self.metrics:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=60) as page:
                out += int(float(re.search(rb"(?m)^thresher_dropped_frames_total (\S+)", page.read()).group(1)))
        return out

    def key(self, name):
        path = self.net / f"{name}.pem"
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ed25519", "-nodes", "-subj", "/CN=c", "-days", "2", "-keyout", path,
                        "-out", str(path) + ".crt"], check=True, capture_output=True)
        path.write_bytes(path.read_bytes() + pathlib.Path(str(path) + ".crt").read_bytes())
        return str(path)

    def flooded(self, protocol):
        self.start(protocol)
        port = json.loads((self.net / "net" / "genesis.json").read_text())["nodes"][0]["port"]
        before = self.dropped()
        end = time.monotonic() + SECONDS
        crowd = [multiprocessing.Process(target=flood, args=(port, self.key(f"flooder{i}"), end)) for i in range(FLOODERS)]
        for one in crowd:
            one.start()
            self.addCleanup(one.kill)
        honest = 0
        while time.monotonic() < end:
            self.run_it("submit", "--home", self.home(honest % 4), "--data", f"honest {honest}", "--timeout", "90s")
            honest += 1
        for one in crowd:
            one.join(60)
            self.assertEqual(one.exitcode, 0)
        dropped = self.dropped() - before
        print(f"{protocol}: {dropped} frames dropped, {honest} transactions of others committed meanwhile", file=sys.stderr)
        self.assertLess(dropped, MOST_DROPPED)
        self.assertGreater(honest, 0)
        # What waits is ordered, and then all have one log.
        end = time.monotonic() + 60
        while len({(s["length"], s["log_hash"]) for s in map(self.status, range(4))}) > 1:
            self.assertLess(time.monotonic(), end, "the nodes do not come to one log")
            time.sleep(0.1)
        length = self.status(0)["length"]
        self.assertGreater(length, 1000)  # the flood was one
        for node in self.nodes:
            node.send_signal(signal.SIGTERM)
        for node in self.nodes:
            self.assertEqual(node.wait(timeout=60), 0)

    def status(self, node):
        return json.loads(self.run_it("node", "status", "--home", self.home(node), "--json").stdout)

    def test_thresher(self):
        self.flooded("thresher")

    def test_mysticeti(self):
        self.flooded("mysticeti")


if __name__ == "__main__":
    unittest.main()
