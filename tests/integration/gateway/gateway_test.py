#!/usr/bin/env python3
"""The HTTP gateway of real nodes: with the Python client, and as somebody who means ill meets it."""
import contextlib
import http.client
import json
import pathlib
import re
import select
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import unittest

BINARY, CLIENTS = sys.argv.pop(1), sys.argv.pop(1)
sys.path.insert(0, CLIENTS)
import thresher_client  # noqa: E402
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import held_ports  # noqa: E402


class Gateway(unittest.TestCase):
    PARAMETERS = ()  # of the network, as `--set` takes them
    WORDS = ()  # more words of `testnet init`
    SETTINGS = {}  # of each node's node.toml

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.net = pathlib.Path(cls.folder.name, "net")
        subprocess.run([BINARY, "testnet", "init", "-n", "4", "-o", cls.net, "--base-port", str(held_ports.take(4)),
                        *cls.WORDS, *(word for p in cls.PARAMETERS for word in ("--set", p))], check=True, capture_output=True, timeout=60)
        cls.ports, cls.nodes = [], {}
        for i in range(4):
            cls.ports.append(held_ports.take())
            cls.configure(i, cls.ports[i])
            cls.start(i)
        cls.addClassCleanup(cls.stop_all)
        cls.gateways = [f"127.0.0.1:{p}" for p in cls.ports]
        for gateway in cls.gateways:
            cls.eventually(lambda g=gateway: cls.is_up(thresher_client.Client(g).status()))

    @staticmethod
    def is_up(status):
        return status["ready"] or status["waits_for"].startswith("observes")

    @classmethod
    def configure(cls, i, port):
        path = cls.net / f"node{i}" / "node.toml"
        before, after = path.read_text().split("[gateway]")
        text = before + "[gateway]" + after.replace('address = ""', f'address = "127.0.0.1:{port}"', 1)
        for setting, value in cls.SETTINGS.items():
            section, name = setting.split(".")
            text, count = re.subn(rf"(?ms)(^\[{section}\]\n(?:(?!^\[).*?\n)*?){name} = [^ ]+", rf"\g<1>{name} = {value}", text)
            assert count == 1, setting
        path.write_text(text)

    @classmethod
    def start(cls, i):
        with open(cls.net / f"log{i}", "ab") as log:
            cls.nodes[i] = subprocess.Popen(cls.command(i), stdout=log, stderr=log)

    @classmethod
    def command(cls, i):
        return [BINARY, "node", "run", "--home", cls.net / f"node{i}"]

    @classmethod
    def stop_all(cls):
        for node in cls.nodes.values():
            node.kill()
        for node in cls.nodes.values():
            node.wait(timeout=30)

    @staticmethod
    def eventually(done):
        for _ in range(1500):
            with contextlib.suppress(thresher_client.Error):
                if done():
                    return
            time.sleep(0.02)
        raise AssertionError("did not come to pass in 30 s")

    def client(self, *nodes):
        return thresher_client.Client([self.gateways[i] for i in nodes or range(4)])

    def raw(self, text, node=0, timeout=30):
        """The status and body that bytes are answered with; None: the connection was closed without an answer."""
        with socket.create_connection(("127.0.0.1", self.ports[node]), timeout=timeout) as s:
            s.sendall(text if isinstance(text, bytes) else text.encode())
            response = http.client.HTTPResponse(s)
            try:
                response.begin()
                return response.status, json.loads(response.read())
            except (http.client.HTTPException, ConnectionError):
                return None

    def log_of(self, node, start):
        """All pages from a position on: a page ends where reading it takes long."""
        out = []
        while page := self.client(node).log(out[-1].position + 1 if out else start):
            out += page
        return out

    def get(self, target, node=0, method="GET", headers="", body=""):
        head = f"{method} {target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n{headers}"
        if body:
            head += f"Content-Length: {len(body)}\r\n"
        return self.raw(head + "\r\n" + body, node)


class Served(Gateway):
    def test_what_is_submitted_at_one_is_read_at_all(self):
        receipts = [self.client(k % 4).submit(b"transaction \xff %d" % k) for k in range(20)]
        self.assertEqual(len({r.position for r in receipts}), 20)
        self.assertEqual({r.result for r in receipts}, {b""})
        first = min(r.position for r in receipts)
        for i in range(4):
            self.eventually(lambda: len(self.log_of(i, first)) >= 20)
            log = {t.position: t.data for t in self.log_of(i, first)}
            for k, receipt in enumerate(receipts):
                self.assertEqual(log[receipt.position], b"transaction \xff %d" % k)

    def test_a_proof_comes_with_the_receipt(self):
        self.assertGreater(len(self.client(0).submit(b"prove me", prove=True).proof), 100)

    def test_the_log_is_followed_and_goes_on_at_another_gateway(self):
        start = self.client(0).submit(b"begin").position
        seen = []

        def follow():
            for t in self.client(1, 2).follow(start):
                seen.append(t)
                if t.data == b"end":
                    return
        reader = threading.Thread(target=follow, daemon=True)
        reader.start()
        for k in range(30):
            self.client(0).submit(b"followed %d" % k)
            if k == 15:
                self.nodes[1].send_signal(signal.SIGTERM)
                self.nodes[1].wait(timeout=30)
        self.client(0).submit(b"end")
        reader.join(timeout=60)
        self.start(1)
        self.assertFalse(reader.is_alive())
        self.assertEqual([t.position for t in seen], list(range(start, start + len(seen))))
        self.assertEqual([t.data for t in seen if t.data.startswith(b"followed")], [b"followed %d" % k for k in range(30)])
        self.eventually(lambda: self.client(1).status()["ready"])

    def test_who_comes_back_gets_what_follows(self):
        position = self.client(0).submit(b"one").position
        self.client(0).submit(b"two")
        with socket.create_connection(("127.0.0.1", self.ports[0]), timeout=30) as s:
            s.sendall(f"GET /log HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: text/event-stream\r\n"
                      f"Last-Event-ID: {position}\r\n\r\n".encode())
            lines = s.makefile("rb")
            self.assertEqual(next(line for line in lines if line.startswith(b"id: ")), b"id: %d\n" % (position + 1))

    def test_pages_of_a_long_log_fit_together(self):
        client = self.client(0)
        for k in range(25):
            client.submit(b"x" * 100_000 + b"%d" % k)
        length = client.status()["length"]
        self.eventually(lambda: client.log(length - 1))
        position, positions = 0, []
        while position < length:
            page = client.log(position)
            self.assertTrue(page)
            self.assertLess(sum(len(t.data) for t in page), 3 << 20)
            positions += [t.position for t in page]
            position = positions[-1] + 1
        self.assertEqual(positions[:length], list(range(length)))

    def test_the_application_is_asked(self):
        length = self.client(0).submit(b"asked").position + 1
        for client in (self.client(3), self.client()):
            self.assertGreaterEqual(int(client.query(b"length", length=length)), length)
        self.assertGreaterEqual(int(self.client().query(b"length", length=length, words=2)), length)
        with self.assertRaisesRegex(thresher_client.Error, "it knows its 'length'"):
            self.client(0).query(b"anything \xff")
        with self.assertRaisesRegex(ValueError, "2 words were asked for and 1 gateways"):
            self.client(0).query(b"length", words=2)

    def test_the_shell_speaks_it_too(self):
        done = subprocess.run([sys.executable, pathlib.Path(CLIENTS, "thresher_client.py"), self.gateways[0], "submit", "hi"],
                              capture_output=True, text=True, timeout=60)
        self.assertRegex(done.stdout, r"^\d+ done \n$", done.stderr)


class Restarted(Gateway):
    """A node that is killed and started again: what it had acknowledged is in what it answers first."""
    PROTOCOL = "thresher"

    @classmethod
    def setUpClass(cls):
        cls.PARAMETERS = ("checkpoint=8",) if cls.PROTOCOL == "thresher" else ()
        cls.WORDS = ("--protocol", cls.PROTOCOL)
        super().setUpClass()

    def test_it_answers_with_what_it_had_acknowledged(self):
        client = self.client(0)
        for k in range(4):
            for j in range(1 + 2 * k):
                receipt = client.submit(b"%d.%d" % (k, j))
            self.nodes[0].kill()
            self.nodes[0].wait(timeout=30)
            self.start(0)
            answers = []
            self.eventually(lambda: answers.append(int(client.query(b"length"))) or True)
            self.assertGreater(answers[0], receipt.position, f"after kill {k}")
            # And it does not say that it is ready before.
            self.assertGreater(client.status()["length"], receipt.position)


class Proved(Gateway):
    PARAMETERS = ("checkpoint=4",)

    def verified(self, proof, *more):
        path = pathlib.Path(self.folder.name, "proof.json")
        path.write_text(proof)
        return subprocess.run([BINARY, "verify-proof", path, "--genesis", self.net / "genesis.json", *more], capture_output=True,
                              text=True, timeout=60)

    def test_a_proof_is_what_the_program_checks(self):
        client = self.client(0)
        receipt = client.submit(b"proved")
        later = receipt.position + 1000
        status, told = self.raw(f"GET /proof?position={later} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        self.assertEqual(status, 404)
        self.assertIn("has no certificate yet", told["error"])
        proofs = []
        # Slots pass while somebody submits.
        self.eventually(lambda: client.submit(b"more") and (proofs.append(client.proof(receipt.position)) or True))
        for node in range(4):
            self.eventually(lambda n=node: self.client(n).proof(receipt.position) and True)
        done = self.verified(json.dumps(proofs[0]), "--data", "proved")
        self.assertEqual((done.returncode, done.stdout), (0, f"position {receipt.position}\n"), done.stderr)
        self.assertEqual(self.verified(json.dumps(proofs[0]), "--data", "other").returncode, 1)
        self.assertEqual(self.verified(json.dumps({**proofs[0], "position": receipt.position + 1})).returncode, 1)
        with self.assertRaisesRegex(thresher_client.Error, "no certificate yet"):
            client.proof(receipt.position + 1000)


class RestartedRaft(Restarted):
    """Its followers learn late what was decided."""
    PROTOCOL = "raft"


class RestartedTogether(Gateway):
    """All nodes are killed at once, so no log has the last commit: they make it again before they answer."""

    @classmethod
    def setUpClass(cls):
        cls.WORDS = ("--protocol", "anchored-bullshark")
        super().setUpClass()

    # 39 of 68 answers, and as many words that it was ready.
    def test_they_answer_with_what_they_had_acknowledged(self):
        client = self.client(0)
        for k in range(6):
            for j in range(10):
                receipt = client.submit(b"%d.%d" % (k, j))
            killed = dict(self.nodes)
            for node in killed.values():
                node.kill()
            for i, node in killed.items():
                node.wait(timeout=30)
                self.start(i)
            answers = []
            self.eventually(lambda: answers.append(int(client.query(b"length"))) or True)
            self.assertGreater(answers[0], receipt.position, f"after kill {k}")
            self.assertGreater(client.status()["length"], receipt.position)


class Observes(Gateway):
    """Of a network whose first node signs nothing."""

    @classmethod
    def command(cls, i):
        return [*super().command(i), *(["--observe"] if i == 0 else [])]

    def test_it_refuses_what_is_submitted_and_the_client_goes_on(self):
        head = "Content-Type: application/octet-stream\r\n"
        status, reply = self.get("/submit", 0, "POST", head, "not here")
        self.assertEqual((status, reply["outcome"], reply["reason"]), (421, "refused", "observes"))
        self.assertIn("submit it to another node", reply["error"])
        receipt = self.client().submit(b"by the next one")
        self.eventually(lambda: [t.data for t in self.client(0).log(receipt.position)][:1] == [b"by the next one"])
        with self.assertRaisesRegex(thresher_client.Refused, "this node observes"):
            self.client(0).submit(b"not here")


class Pruned(Gateway):
    """Of nodes that keep a part of their log, and prune what somebody who reads slowly has not got yet."""
    PARAMETERS = ("checkpoint=4",)
    SETTINGS = {"snapshots.checkpoints": 1, "retention.snapshots": 1, "retention.positions": 250, "retention.segment_bytes": 1 << 20,
                "limits.gc_rounds": 16, "limits.sync_rounds": 8}
    SIZE = 100_000
    READERS = 8

    def fill(self, count):
        done = subprocess.run([BINARY, "submit", "--genesis", self.net / "genesis.json", "--file", "-"],
                              input=("z" * self.SIZE + "\n") * count, stdout=subprocess.DEVNULL, text=True, timeout=200)
        self.assertEqual(done.returncode, 0)

    def memory(self):
        """The most that node 0 has had. Unit: bytes."""
        status = pathlib.Path(f"/proc/{self.nodes[0].pid}/status").read_text()
        return int(re.search(r"VmHWM:\s+(\d+) kB", status)[1]) << 10

    def follower(self, start):
        s = socket.socket()
        s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        s.settimeout(60)
        s.connect(("127.0.0.1", self.ports[0]))
        self.addCleanup(s.close)
        s.sendall(f"GET /log?from={start} HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n".encode())
        return s

    @staticmethod
    def stretches(lines):
        """First and last position of each part of a stream without a hole, and what was told between them."""
        parts, told, pruned, anew = [], [], False, True
        for line in lines:
            if line.startswith(b"event: pruned"):
                pruned = True
            elif line.startswith(b"data: ") and pruned:
                told, pruned, anew = [*told, json.loads(line[6:])["begins"]], False, True
            elif line.startswith(b"id: "):
                position = int(line[4:])
                if anew:
                    parts.append([position, position])
                elif position != parts[-1][1] + 1:
                    raise AssertionError(f"{position} follows {parts[-1][1]} and nobody is told")
                parts[-1][1], anew = position, False
                if told:
                    break
        return parts, told

    # The one reads nothing while all that it has not got is pruned; then it is told, and gets no log with a hole. What waits for
    # them all is bounded: without a bound, the log of each of them would.
    def test_a_prune_in_the_middle_is_told_and_nobody_makes_the_node_grow(self):
        self.fill(300)
        begins = self.client(0).status()["begins"]
        before = self.memory()
        followers = [self.follower(begins) for _ in range(self.READERS)]
        reader = subprocess.Popen([BINARY, "log", "--home", self.net / "node0", "--from", str(begins)], stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE)
        self.addCleanup(reader.wait)
        self.addCleanup(reader.kill)
        self.addCleanup(reader.stdout.close)
        self.addCleanup(reader.stderr.close)
        self.assertTrue(select.select([reader.stdout], [], [], 60)[0], "nothing is printed")
        self.fill(500)
        self.eventually(lambda: self.client(1).submit(b"more") and self.client(0).status()["begins"] > begins + 200)
        grown = self.memory() - before
        self.assertLess(grown, self.READERS * 200 * self.SIZE // 2, "what waits for readers is not bounded")
        # `thresher log` of a node that runs
        rest, said = reader.communicate(timeout=120)
        positions = [int(line.split(b" ", 1)[0]) for line in rest.splitlines()]
        self.assertEqual(positions, list(range(begins, begins + len(positions))))
        self.assertEqual(reader.returncode, 1, said)
        self.assertRegex(said.decode(), rf"position {positions[-1] + 1} was pruned: the log begins at position \d+; go on with")
        # server-sent events
        parts, told = self.stretches(followers[0].makefile("rb"))
        self.assertEqual(parts[0][0], begins)
        if not told:  # it took longer than a gateway waits for who does not read
            more, told = self.stretches(self.follower(parts[0][1] + 1).makefile("rb"))
            parts += more
        self.assertEqual(len(parts), 2, parts)
        self.assertEqual(parts[1][0], told[0])

    def test_what_is_not_kept_is_not_proved(self):
        client = self.client(0)
        self.eventually(lambda: client.submit(b"z" * self.SIZE) and client.status()["begins"] > 0)
        with self.assertRaises(thresher_client.Pruned) as told:
            client.proof(0)
        self.assertGreater(told.exception.begins, 0)

    # Its follower died of the event that tells of it, and its shell with a traceback.
    def test_what_is_not_kept_is_told(self):
        client = self.client(0)

        def pruned():
            for _ in range(10):
                client.submit(b"z" * 100_000)
            time.sleep(0.1)  # nodes look each second at what they may prune
            return client.status()["begins"] > 0
        self.eventually(pruned)
        for read in (lambda: client.log(0), lambda: next(client.follow(0))):
            with self.assertRaises(thresher_client.Pruned) as raised:
                read()
            self.assertGreater(raised.exception.begins, 0)
        begins = 0

        def goes_on():  # nodes may prune more meanwhile
            nonlocal begins
            try:
                client.log(begins)
                return begins > 0
            except thresher_client.Pruned as e:
                begins = e.begins
        self.eventually(goes_on)
        done = subprocess.run([sys.executable, pathlib.Path(CLIENTS, "thresher_client.py"), self.gateways[0], "log", "--follow"],
                              capture_output=True, text=True, timeout=60)
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertRegex(done.stderr, r"^the log was pruned there and begins at position \d+ now: .*\n$")


class Refuses(Gateway):
    def expect(self, answer, status, words):
        self.assertIsNotNone(answer)
        self.assertEqual(answer[0], status, answer)
        self.assertIn(words, answer[1]["error"])

    def test_what_cannot_be_meant(self):
        self.expect(self.get("/nothing"), 404, "there are /submit, /query, /status, /log, /proof")
        self.expect(self.get("/submit"), 405, "wants POST")
        self.expect(self.get("/status", method="POST"), 405, "wants GET")
        self.expect(self.get("/log?form=1"), 400, "no parameter 'form'")
        self.expect(self.get("/log?from=-1"), 400, "numbers")
        self.expect(self.get("/log?from=1&from=2"), 400, "cannot be read")
        self.expect(self.get("/log?limit=0"), 400, "at least 1")
        self.expect(self.get("/%zz"), 400, "cannot be read")
        self.expect(self.get("/query"), 400, "question as q")
        self.expect(self.get("/query?q=a&timeout_ms=9999999"), 400, "from 1 to 120000")
        self.expect(self.get("/query?q=a&length=99999999&timeout_ms=100"), 504, "no answer in time")
        self.expect(self.get("/submit?prove=2", method="POST", headers="Content-Type: application/octet-stream\r\n", body="x"),
                    400, "prove is 0 or 1")

    # A page in a browser on this machine can send requests here; it must get nothing ordered, and read nothing.
    def test_what_a_web_page_sends(self):
        text = "Content-Type: text/plain\r\n"
        self.expect(self.get("/submit", method="POST", headers=text, body="x"), 415, "application/octet-stream")
        self.expect(self.get("/submit", method="POST", headers="Origin: https://evil.example\r\n"
                             "Content-Type: application/octet-stream\r\n", body="x"), 403, "no web pages")
        for host in ("evil.example", "evil.example:8080", "127.0.0.1.evil.example", ""):
            self.expect(self.raw(f"GET /status HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n"), 403, "its own machine")
        self.expect(self.raw("GET /status HTTP/1.0\r\n\r\n"), 403, "its own machine")

    def test_what_is_too_large(self):
        large = "x" * (262_144 + 1)
        self.expect(self.get("/submit", method="POST", headers="Content-Type: application/octet-stream\r\n", body=large),
                    413, "262144 bytes")
        self.expect(self.get("/status", headers="X: " + "y" * 9000 + "\r\n"), 431, "8192")

    def test_what_is_no_http(self):
        self.expect(self.raw("\x16\x03\x01 hello\r\n\r\n"), 400, "no HTTP")
        self.expect(self.raw("GET /status HTTP/1.1\r\nHost localhost\r\n\r\n"), 400, "no HTTP")
        self.expect(self.raw("POST /submit HTTP/1.1\r\nHost: localhost\r\nContent-Length: x\r\n\r\n"), 400, "no HTTP")
        self.assertEqual(self.get("/status")[0], 200)

    # 300 that say nothing, and as many that send a byte now and then: the next one is served all the same.
    def test_a_crowd_that_says_nothing_keeps_nobody_out(self):
        crowd = []
        try:
            for k in range(300):
                s = socket.create_connection(("127.0.0.1", self.ports[0]), timeout=30)
                crowd.append(s)
                if k % 2:
                    with contextlib.suppress(OSError):
                        s.sendall(b"G")
                if k % 30 == 0:
                    self.assertEqual(self.get("/status")[0], 200)
            self.client(0).submit(b"in the crowd")
        finally:
            for s in crowd:
                s.close()

    # Who never ends its request is closed, however it goes on.
    def test_a_request_that_never_ends(self):
        with socket.create_connection(("127.0.0.1", self.ports[0]), timeout=60) as s:
            with self.assertRaises(OSError):
                for _ in range(600):
                    s.sendall(b"GET /status HTTP/1.1\r\n" if _ == 0 else b"X: y\r\n")
                    s.settimeout(0.1)
                    try:
                        if s.recv(1) == b"":
                            raise ConnectionResetError
                    except socket.timeout:
                        pass

    # They ask for all of the log and take none of it.
    def test_readers_that_do_not_read(self):
        for k in range(10):
            self.client(0).submit(b"y" * 200_000)
        readers = []
        try:
            for _ in range(40):
                s = socket.create_connection(("127.0.0.1", self.ports[0]), timeout=30)
                s.sendall(b"GET /log HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n")
                readers.append(s)
            for _ in range(10):
                self.client(0).submit(b"still ordered")
        finally:
            for s in readers:
                s.close()


class Off(unittest.TestCase):
    def test_addresses_that_others_reach_are_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            net = pathlib.Path(folder, "net")
            subprocess.run([BINARY, "testnet", "init", "-n", "1", "-o", net, "--base-port", "0"], check=True,
                           capture_output=True, timeout=60)
            path = net / "node0" / "node.toml"
            text = path.read_text()
            self.assertIn('[gateway]\naddress = ""', text)  # off, unless it is asked for
            for wrong in ("0.0.0.0:8080", "localhost:8080", "127.0.0.1", "127.0.0.1:0"):
                path.write_text(text.replace('[gateway]\naddress = ""', f'[gateway]\naddress = "{wrong}"'))
                done = subprocess.run([BINARY, "node", "run", "--home", net / "node0"], capture_output=True, text=True, timeout=60)
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertIn("gateway.address", done.stderr)


# The base has no tests of its own.
def load_tests(loader, _tests, _pattern):
    return unittest.TestSuite(loader.loadTestsFromTestCase(case) for case in (Served, Observes, Pruned, Refuses, Off))


if __name__ == "__main__":
    unittest.main()
