#!/usr/bin/env python3
"""The Python client with what callers may give it and what may stand behind a port: whatever it is, a documented error."""
import contextlib
import pathlib
import socket
import subprocess
import sys
import threading
import time
import unittest

CLIENTS = sys.argv.pop(1)
sys.path.insert(0, CLIENTS)
from thresher_client import Client, Error, Pruned, Refused, Unknown, Unreachable  # noqa: E402


class Port:
    """Somebody at a port who gives the same answer to whatever it is asked, and closes. Counts the requests, keeps the last. An
    answer that is called sends itself to the visitor."""

    def __init__(self, answer):
        self.answer, self.asked, self.heard = answer, 0, b""
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.address = "127.0.0.1:%d" % self.socket.getsockname()[1]
        self.thread = threading.Thread(target=self.serve)

    def serve(self):
        while True:
            try:
                visitor, _ = self.socket.accept()
            except OSError:
                return
            with visitor, contextlib.suppress(OSError):
                self.asked += 1
                self.heard = visitor.recv(65536)
                if self.heard.endswith(b"\r\n\r\n") and self.heard.startswith(b"POST"):  # the body may come by itself
                    self.heard += visitor.recv(65536)
                self.answer(visitor) if callable(self.answer) else visitor.sendall(self.answer)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.socket.shutdown(socket.SHUT_RDWR)
        self.thread.join()
        self.socket.close()


def answer(body, status="200 OK"):
    return b"HTTP/1.1 %s\r\nContent-Length: %d\r\n\r\n%s" % (status.encode(), len(body), body)


def events(text):
    return b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n" + text


def event(position):
    return b'id: %d\ndata: {"position":%d,"slot":1,"client":"00","sequence":0,"data":"6869"}\n\n' % (position, position)


def drip(head):
    """Never silent for long, and never at an end."""
    def send(visitor):
        visitor.sendall(head)
        while True:
            visitor.sendall(b" ")
            time.sleep(0.05)
    return send


def flood(head):
    """As much as is taken, up to what was 1.1 GB in the client."""
    def send(visitor):
        visitor.sendall(head)
        for _ in range(400):
            visitor.sendall(b"a" * 1_000_000)
            send.sent += 1
    send.sent = 0
    return send


PRUNED = b'{"error":"it is not kept","begins":7}'
LONGEST = b"HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\n{}"


class Arguments(unittest.TestCase):
    def test_what_is_no_bytes_is_not_sent(self):
        with Port(answer(b"{}")) as port:
            for wrong in (5, 10**9, "text", None, [1, 2], 1.5):
                with self.assertRaisesRegex(TypeError, "a transaction is bytes, not"):
                    Client(port.address).submit(wrong)
                with self.assertRaisesRegex(TypeError, "a question is bytes, not"):
                    Client(port.address).query(wrong)
            self.assertEqual(port.asked, 0)

    # All were sent, and refused by the node, or not refused at all.
    def test_what_is_no_number_is_not_sent(self):
        with Port(answer(b"{}")) as port:
            client = Client(port.address)
            calls = {("length", 0): lambda n: client.query(b"x", length=n), ("words", 1): lambda n: client.query(b"x", words=n),
                     ("start", 0): lambda n: client.log(n), ("limit", 1): lambda n: client.log(0, n)}
            for (name, least), call in calls.items():
                for wrong in ("x", "1", b"1", None, 1.5, 1.0, float("nan"), True, [1]):
                    with self.assertRaisesRegex(TypeError, f"{name} is a whole number, not {type(wrong).__name__}"):
                        call(wrong)
                for wrong in (least - 1, -2**70, 2**64, 2**70):
                    with self.assertRaisesRegex(ValueError, f"{name} is a number from {least} to "):
                        call(wrong)
            # Without a word of its answer: a generator would tell when it is asked for one.
            with self.assertRaisesRegex(ValueError, "start is a number from 0 to "):
                client.follow(-1)
            with self.assertRaisesRegex(TypeError, "start is a whole number, not float"):
                client.follow(1.5)
            self.assertEqual(port.asked, 0)

    def test_the_largest_numbers_are_sent_as_they_are(self):
        most = 2**64 - 1
        with Port(answer(b'{"answer":"00","transactions":[]}')) as port:
            client = Client(port.address)
            client.query(b"x", length=most)
            self.assertIn(b"length=18446744073709551615&", port.heard)
            client.log(most, most)
            self.assertIn(b"from=18446744073709551615&limit=18446744073709551615 ", port.heard)

    # A flag is 0 or 1 to a gateway; what else is true was sent as the number that it is.
    def test_a_flag_is_sent_as_one(self):
        with Port(answer(b'{"outcome":"committed","position":7,"slot":3,"result":"","failed":false}')) as port:
            for flag, sent in ((5, b"prove=1 "), ("yes", b"prove=1 "), (None, b"prove=0 "), (0.0, b"prove=0 ")):
                Client(port.address).submit(b"x", prove=flag)
                self.assertIn(sent, port.heard)

    def test_what_is_no_address(self):
        for wrong in ("localhost:abc", "127.0.0.1", "http://127.0.0.1:8080", "127.0.0.1:8080/x", "a:b:80", ":80", "", "h:0",
                      "h:65536", "h:-1", "h :80", "h\r\nX: y:80", "u@h:80", "h\x00:80", "h\x7f:80"):
            with self.assertRaisesRegex(ValueError, "no address of a gateway"):
                Client(wrong)
            with self.assertRaisesRegex(ValueError, "no address of a gateway"):
                Client("127.0.0.1:8080").status(wrong or ":")
        self.assertEqual(Client(["localhost:1", "[::1]:65535"]).gateways, ["localhost:1", "[::1]:65535"])

    def test_what_is_no_timeout(self):
        for wrong in ("30", None, True, 1j, [1]):
            with self.assertRaisesRegex(TypeError, "a timeout is a number of seconds, not"):
                Client("127.0.0.1:8080", timeout=wrong)
        for wrong in (0, -1, 0.0001, 120.5, 500, float("nan"), float("inf")):
            with self.assertRaisesRegex(ValueError, "0.001 to 120"):
                Client("127.0.0.1:8080", timeout=wrong)

    def shell(self, *words):
        return subprocess.run([sys.executable, pathlib.Path(CLIENTS, "thresher_client.py"), *words],
                              capture_output=True, text=True, timeout=60)

    def test_the_shell_says_what_is_wrong(self):
        for words, why in ((("localhost:abc", "status"), "'localhost:abc' is no address of a gateway"),
                           (("h:1", "query", "x", "--words", "2"), "2 words were asked for and 1 gateways are known"),
                           (("h:1", "query", "x", "--length", "-1"), "length is a number from 0 to 2**64 - 1, not -1"),
                           (("h:1", "log", "--follow", "--from", "-1"), "start is a number from 0 to 2**64 - 1, not -1")):
            done = self.shell(*words)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(why, done.stderr)
            self.assertNotIn("Traceback", done.stderr)

    # Of an argument that is no UTF-8 the bytes are sent, as they were given.
    def test_the_shell_sends_any_bytes(self):
        with Port(answer(b'{"outcome":"committed","position":7,"slot":3,"result":"","failed":false}')) as port:
            done = self.shell(port.address, "submit", b"\xff")
            self.assertEqual((done.returncode, done.stdout), (0, "7 done \n"), done.stderr)
            self.assertTrue(port.heard.endswith(b"\r\n\r\n\xff"), port.heard)

    # As `thresher log` does: whoever may submit wrote lines of this list, and to the terminal.
    def test_the_shell_shows_no_control_character(self):
        hostile = b"\x1b[31mred\nforged\tline\\ \xff\xc2\x9bC1 \xe2\x80\xae\xe2\x82\xac\x7f\r"
        shown = "\\x1b[31mred\\nforged\\tline\\\\ \\xff\\xc2\\x9bC1 \\xe2\\x80\\xae\u20ac\\x7f\\x0d"
        digits = hostile.hex().encode()
        row = b'{"position":0,"slot":1,"client":"00","sequence":0,"data":"%s"}' % digits
        for words, said, printed in (
                (("submit", "x"), b'{"outcome":"committed","position":7,"slot":3,"result":"%s","failed":false}' % digits, f"7 done {shown}\n"),
                (("query", "x"), b'{"answer":"%s"}' % digits, f"{shown}\n"),
                (("log",), b'{"transactions":[%s]}' % row, f"0 00 {shown}\n")):
            with Port(answer(said)) as port:
                self.assertEqual(self.shell(port.address, *words).stdout, printed)
        with Port(answer(b'{"error":"\\u001b[31m\\nx\\ud800"}', "500 Oops")) as port:
            self.assertEqual(self.shell(port.address, "query", "x").stderr, "\\x1b[31m\\nx?\n")

    # A status is set by whatever answers: what it says counts.
    def test_a_commit_is_one_that_says_so(self):
        for said in (b'{"outcome":"refused","position":7,"slot":3}', b'{"outcome":"unknown","position":7,"slot":3}', b'{"position":7,"slot":3}'):
            with Port(answer(said)) as port:
                with self.assertRaises(Unknown):
                    Client([port.address]).submit(b"x")

    def test_a_gateway_that_is_named_twice_has_one_word(self):
        with Port(answer(b'{"answer":"00"}')) as port:
            client = Client([port.address, port.address])
            with self.assertRaisesRegex(ValueError, "2 words were asked for and 1 gateways are known"):
                client.query(b"x", words=2)
            self.assertEqual(client.query(b"x"), b"\0")


class Patience(unittest.TestCase):
    """`timeout` is that of a whole answer. With the time-out of the library, which is that of one read, these never ended."""

    def setUp(self):
        self.began = time.monotonic()

    def ended_in_time(self, times=1):
        self.assertLess(time.monotonic() - self.began, times * 2.3 + 3)  # the time-out, what it is given more, a slow machine

    def test_who_answers_a_byte_at_a_time(self):
        for head in (b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n", b"HTTP/1.1 200 OK\r\nX: ", b"",
                     b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nffff\r\n"):
            self.began = time.monotonic()
            with Port(drip(head)) as port, self.assertRaisesRegex(Unreachable, "in time|timed out"):
                Client(port.address, timeout=0.1).query(b"x")
            self.ended_in_time()
        self.began = time.monotonic()
        with Port(drip(b"")) as port, self.assertRaisesRegex(Unknown, "did not answer"):
            Client(port.address, timeout=0.1).submit(b"x")
        self.ended_in_time()

    def test_one_that_drips_does_not_hold_up_the_words_of_the_others(self):
        good = answer(b'{"length":1,"answer":"36"}')
        with Port(drip(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n")) as bad, Port(good) as one, Port(good) as other:
            client = Client([bad.address, one.address, other.address], timeout=30)
            self.assertEqual(client.query(b"x", words=2), b"6")
            self.ended_in_time()

    def test_words_that_never_agree_end_with_the_time_out(self):
        said = [answer(b'{"answer":"%02d"}' % i) for i in range(2)]
        with Port(said[0]) as one, Port(said[1]) as other, Port(drip(b"")) as bad:
            with self.assertRaisesRegex(Error, r"no 2 gateways say the same \(2 different answers of 2 gateways"):
                Client([bad.address, one.address, other.address], timeout=0.1).query(b"x", words=2)
            self.ended_in_time()

    # A sign of life is a line; who sends parts of one is left.
    def test_a_stream_that_drips_is_left(self):
        head = events(event(0))
        with Port(drip(head)) as first, Port(events(event(1))) as second:
            follow = Client([first.address, second.address], timeout=0.1).follow()
            self.assertEqual([next(follow).position for _ in range(2)], [0, 1])
            follow.close()
            self.ended_in_time()

    def test_an_answer_that_is_too_long(self):
        sends = flood(b"HTTP/1.1 200 OK\r\n\r\n")
        with Port(sends) as port, self.assertRaisesRegex(Unknown, "longer than 16777216 bytes"):
            Client(port.address).submit(b"x")
        self.assertLess(sends.sent, 50)
        with Port(flood(b"HTTP/1.1 200 OK\r\n\r\n")) as port, self.assertRaisesRegex(Unreachable, "longer than"):
            Client(port.address).log()
        endless = flood(events(b"data: "))
        with Port(endless) as first, Port(events(event(0))) as second:
            follow = Client([first.address, second.address]).follow()
            self.assertEqual(next(follow).position, 0)
            follow.close()
        self.assertLess(endless.sent, 50)


class Answers(unittest.TestCase):
    # A number that a node has: another one was handed on, and who went on from it read the log from somewhere else.
    def test_numbers_that_no_node_has(self):
        good = {"position": "7", "slot": "3", "client": '"00"', "sequence": "0", "data": '"6869"', "failed": "false"}
        wrong = {name: ("-5", "1.5", "7.0", "true", '"7"', "null", "[]", "18446744073709551616")
                 for name in ("position", "slot", "sequence")} | {
                     "client": ("5", "null", '"x"'), "data": ("5", '"x"'), "failed": ("1", '"no"', "null")}
        for name, value in [(n, v) for n, values in wrong.items() for v in values]:
            text = ",".join(f'"{n}":{v}' for n, v in {**good, name: value}.items()).encode()
            with self.subTest(name=name, value=value):
                if name in ("position", "slot", "failed"):
                    with Port(answer(b"{%s}" % text)) as port, self.assertRaisesRegex(Unknown, "none of a gateway"):
                        Client(port.address).submit(b"x")
                if name == "failed":
                    continue
                with Port(answer(b'{"transactions":[{%s}]}' % text)) as port, self.assertRaisesRegex(Error, "none of a gateway"):
                    Client(port.address).log(7)
                with Port(events(b"data: {%s}\n\n" % text)) as port, self.assertRaisesRegex(Error, "none of a gateway"):
                    next(Client(port.address).follow(7))

    def test_other_numbers_that_no_node_has(self):
        for until in (b'"x"', b"-1", b"true", b"1.5"):
            with Port(answer(b'{"outcome":"unknown","until":%s}' % until, "504 Late")) as port:
                with self.assertRaises(Unknown) as raised:
                    Client(port.address).submit(b"x")
                self.assertIsNone(raised.exception.until)
        for begins in (b"-1", b"true", b'"7"', b"7.0", b"0", b"3"):  # what is kept from there on cannot be gone
            told = b'{"error":"it is not kept","begins":%s}' % begins
            with Port(answer(told, "410 Gone")) as port, self.assertRaisesRegex(Error, "none of a gateway"):
                Client(port.address).log(3)
            with Port(events(b"event: pruned\ndata: %s\n\n" % told)) as port, self.assertRaisesRegex(Error, "none of a gateway"):
                next(Client(port.address).follow(3))
        for said in (b"hello", b"{}", b"[]", b'{"length":"x"}'):
            with Port(answer(said)) as port, self.assertRaisesRegex(Error, "none of a gateway"):
                Client(port.address).status()

    # follow(3) gave 5, 4 and 9 for the next ones of the log.
    def test_a_log_with_a_hole_or_a_repeat(self):
        for positions, whole in (((5,), 0), ((3, 5), 1), ((3, 3), 1), ((3, 4, 3), 2), ((2, 3), 0), ((0,), 0)):
            seen = []
            with Port(events(b"".join(event(p) for p in positions))) as port:
                with self.assertRaisesRegex(Error, f"{port.address} gave position {positions[whole]} of the log where "
                                                   f"{3 + whole} belongs"):
                    for t in Client(port.address).follow(3):
                        seen.append(t.position)
            self.assertEqual(seen, list(range(3, 3 + whole)))
            rows = b",".join(event(p).split(b"data: ")[1].strip() for p in positions)
            with Port(answer(b'{"transactions":[%s]}' % rows)) as port, self.assertRaisesRegex(Error, "where . belongs"):
                Client(port.address).log(3)

    # Whatever stands behind a port: an Error that says so, never a KeyError or a wrong word.
    def test_who_is_no_gateway(self):
        for said in (answer(b"{}"), answer(b"[]"), answer(b"hello"), answer(b"\xff"), answer(b"7"), answer(b"null"),
                     answer(b'{"position":"x","answer":"x","transactions":[{}]}'), answer(b'{"answer":5,"transactions":5}'),
                     answer(b'{"answer":null,"transactions":[7],"position":null}')):
            with Port(said) as port:
                client = Client(port.address)
                with self.assertRaisesRegex(Unknown, "none of a gateway"):
                    client.submit(b"x")
                with self.assertRaisesRegex(Error, "none of a gateway"):
                    client.query(b"x")
                with self.assertRaisesRegex(Error, "none of a gateway"):
                    client.log()

    def test_who_speaks_no_http(self):
        for said in (b"", b"\x00\x01", b"SSH-2.0-x\r\n", b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{"):
            with Port(said) as port:
                with self.assertRaises(Unknown):
                    Client(port.address).submit(b"x")
                self.assertEqual(port.asked, 1)  # never twice
                with self.assertRaises(Unreachable):
                    Client(port.address).status()

    # Only what a gateway says in its own words.
    def test_a_refusal_says_that_nothing_was_taken(self):
        for said in (answer(b'{"error":"no"}', "403 Forbidden"), answer(b'{"error":"full"}', "429 Too Many Requests"),
                     answer(b'{"error":"no","outcome":"refused","reason":"check"}', "422 Unprocessable Entity"),
                     answer(b'{"error":"it stops"}', "503 Service Unavailable")):
            with Port(said) as port, self.assertRaises(Refused):
                Client(port.address).submit(b"x")

    # A gateway may stand behind whoever says such things, and may have taken it.
    def test_what_says_nothing_of_the_transaction_is_no_refusal(self):
        for said in (answer(b"no", "500 Oops"), answer(b"[]", "400 Bad Request"), answer(b"", "204 No Content"),
                     answer(b"<html>moved</html>", "301 Moved Permanently"), answer(b'{"error":"x"}', "502 Bad Gateway"),
                     answer(b'{"error":"x","outcome":"unknown"}', "503 Service Unavailable"),
                     answer(b'{"error":{"a":[1]}}', "500 Oops")):
            with Port(said) as port, self.assertRaises(Unknown):
                Client(port.address).submit(b"x")

    def test_what_no_reader_can_hold(self):
        deep = b"[" * 100_000
        for said in (answer(deep), answer(deep, "500 Oops"), answer(b'{"position":1e999,"slot":1}'),
                     LONGEST):
            with Port(said) as port:
                client = Client(port.address)
                with self.assertRaises(Unknown):
                    client.submit(b"x")
                with self.assertRaises(Error):
                    client.log()
                with self.assertRaises(Error):
                    client.query(b"x")
        with Port(answer(b'{"error":"x","begins":Infinity}', "410 Gone")) as port, self.assertRaises(Error):
            Client(port.address).log()
        for data in (deep, b'{"position":1e999,"slot":1,"client":"","sequence":0,"data":""}'):
            with Port(events(b"data: " + data + b"\n\n")) as port, self.assertRaises(Error):
                next(Client(port.address).follow())

    # A stream whose length is none ends, and the next gateway goes on; the library says OverflowError or ValueError.
    def test_a_stream_of_a_length_that_is_none(self):
        chunked = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
        for said in (LONGEST, LONGEST.replace(b"200 OK", b"500 Oops"), chunked + b"-5\r\nabc", chunked + b"f" * 30 + b"\r\nabc"):
            with Port(said) as first, Port(events(event(0))) as second:
                follow = Client([first.address, second.address]).follow()
                self.assertEqual(next(follow).position, 0)
                follow.close()

    # Nothing was taken there, so the next gateway may be asked; where all observe, that is the answer.
    def test_a_node_that_observes_gives_way(self):
        observes = answer(b'{"outcome":"refused","reason":"observes","error":"this node observes"}', "421 Misdirected Request")
        takes = answer(b'{"outcome":"committed","position":7,"slot":3,"result":"","failed":false}')
        with Port(observes) as first, Port(takes) as second:
            client = Client([first.address, second.address])
            self.assertEqual([client.submit(b"x").position, client.submit(b"y").position], [7, 7])
            self.assertEqual((first.asked, second.asked), (1, 2))
        with Port(observes) as first, Port(observes) as second:
            with self.assertRaisesRegex(Refused, f"{second.address}: this node observes") as raised:
                Client([first.address, second.address]).submit(b"x")
            self.assertEqual(raised.exception.reply["reason"], "observes")
            self.assertEqual((first.asked, second.asked), (1, 1))

    def test_a_page_of_a_pruned_log(self):
        with Port(answer(PRUNED, "410 Gone")) as port, self.assertRaisesRegex(Pruned, "begins at position 7 now") as raised:
            Client(port.address).log()
        self.assertEqual(raised.exception.begins, 7)

    # The log that was pruned is told in a stream by an event, which was taken for a transaction.
    def test_a_stream_of_a_pruned_log(self):
        said = events(event(0) + b": nothing new\n\n" + event(1) + b"event: pruned\ndata: " + PRUNED + b"\n\n" + event(7))
        with Port(said) as port:
            seen = []
            with self.assertRaisesRegex(Pruned, "begins at position 7 now") as raised:
                for t in Client(port.address).follow():
                    seen.append((t.position, t.data))
            self.assertEqual(seen, [(0, b"hi"), (1, b"hi")])
            self.assertEqual(raised.exception.begins, 7)

    def test_a_stream_with_what_is_no_transaction(self):
        for data in (b"{}", b"[]", b"x", b'{"position":"x"}'):
            with Port(events(b"data: " + data + b"\n\n")) as port, self.assertRaisesRegex(Error, "none of a gateway"):
                next(Client(port.address).follow())

    # An event of a later release is passed over; one that is cut off comes again from the next gateway.
    def test_a_stream_that_is_cut(self):
        whole = events(event(0) + event(1))
        for cut in (len(whole) - 1, len(whole) - 9, len(whole) - 40):
            with Port(whole[:cut]) as first, Port(events(b"event: other\ndata: {}\n\n" + event(1) + event(2))) as second:
                follow = Client([first.address, second.address]).follow()
                self.assertEqual([next(follow).position for _ in range(3)], [0, 1, 2])
                follow.close()


if __name__ == "__main__":
    unittest.main()
