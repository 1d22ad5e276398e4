#!/usr/bin/env python3
"""A client of the HTTP gateways of Thresher nodes, in one file, with the standard library alone.

    from thresher_client import Client
    client = Client(["127.0.0.1:8080", "127.0.0.1:8081"])
    receipt = client.submit(b"hello")                       # Receipt(position=0, slot=3, result=b"", ...)
    print(client.query(b"sum", length=receipt.position + 1))
    for t in client.follow(0):
        print(t.position, t.data)

or from a shell:

    thresher_client.py 127.0.0.1:8080 submit hello
    thresher_client.py 127.0.0.1:8080 log --from 0 --follow

A gateway answers on its own machine alone, without encryption, and submits as its node. What it says is one node's word:
`query(..., words=2)` asks until so many gateways have said the same (f+1 of them hold a correct one). The wire that the
gateways stand on, for those who need neither, is in docs/client-protocol.md.

Guarantees: `submit` sends to one gateway and never twice, but to the next one where a node says that it observes and took
nothing: after an answer that did not come the transaction is Unknown, and
may be ordered until its last slot. Questions go to the next gateway when one does not answer. Where nodes have pruned their
log, who reads it is told so (Pruned) and never given a log with a hole. What cannot be meant is a TypeError or a ValueError,
before anything is sent; whatever a gateway answers, or does not, is an Error. What is read holds together: a log has no hole
and no repeat, a number is one.

How long: a gateway has `timeout` seconds for its whole answer, and GRACE more in which to say itself that it has none; then it
is given up, however much it still sends (to look a host's name up is the system's, and takes what it takes). One after the other is asked, so a question takes as much for each gateway that is
silent; `query` with several words asks all of them at once, and has as much in all, so that one which is silent or sends
nonsense holds nobody up while enough others answer. An answer over MOST_BYTES is none.
"""
import argparse
import collections
import contextlib
import http.client
import json
import operator
import os
import queue
import re
import socket
import sys
import threading
import time
import urllib.parse

# A gateway's answers with these say that it took nothing, whatever else they say: the request was wrong, or not for it, or
# the pool is full, or the node is stopping.
NOTHING_TAKEN = frozenset((400, 403, 404, 405, 411, 413, 415, 417, 421, 422, 429, 431, 501, 503))

MOST = 2**64 - 1  # a gateway's numbers have 64 bits

# The largest answer is a page of the log: 1 MiB of transactions and one more, which has 1 MiB at most. Each byte of them takes
# two digits, and up to three more where a text stands beside them.
MOST_BYTES = 16 * 2**20

# Seconds behind a time-out in which a gateway says that it has no answer, and until which slot there may be one.
GRACE = 2.0

Receipt = collections.namedtuple("Receipt", "position slot result failed proof")
Transaction = collections.namedtuple("Transaction", "position slot client sequence data")


class Error(Exception):
    """What a gateway has against a request; `reply` is its JSON."""

    def __init__(self, what, reply=None):
        super().__init__(what)
        self.reply = reply or {}


class Refused(Error):
    """The transaction was not taken, and is not in the log."""


class Unknown(Error):
    """Nobody knows yet: the transaction may still be ordered until slot `until`, if it is known."""

    @property
    def until(self):
        until = self.reply.get("until")
        return until if _is_whole(until) else None


class Unreachable(Error):
    """No gateway answered."""


class Pruned(Error):
    """The log is not kept from the position that was asked for, but from `begins` on: go on there, or ask another node."""

    @property
    def begins(self):
        return self.reply["begins"]


class Client:
    def __init__(self, gateways, timeout=30.0):
        """`gateways`: "host:port" each; the first that answers is used. `timeout`: seconds for a whole answer, 0.001 to 120.

        Raises ValueError or TypeError for what is none."""
        given = [gateways] if isinstance(gateways, str) else gateways
        # One that is named twice has one word all the same.
        self.gateways = list(dict.fromkeys(_address(g) for g in given))
        if not self.gateways:
            raise ValueError("give at least one gateway, like 127.0.0.1:8080")
        self.timeout = _seconds(timeout)
        self._at = 0

    def submit(self, transaction, prove=False):
        """Orders bytes. Returns the Receipt; raises Refused, Unknown, or Unreachable (nothing was sent)."""
        body = _bytes("a transaction", transaction)
        target = f"/submit?timeout_ms={int(self.timeout * 1000)}&prove={1 if prove else 0}"
        last = refused = None
        for _ in self.gateways:
            gateway = self.gateways[self._at]
            connection = _Connection(gateway, self._end())
            try:
                connection.connect()
            except OSError as e:
                last = f"{gateway}: {e}"
                self._at = (self._at + 1) % len(self.gateways)
                continue
            try:
                connection.request("POST", target, body, {"Content-Type": "application/octet-stream"})
                status, reply = self._read(connection)
            except (OSError, http.client.HTTPException) as e:
                raise Unknown(f"{gateway} did not answer: {e}") from e
            finally:
                connection.close()
            if status == 200:
                return _read_as(_receipt, reply, Unknown)
            why = str(reply.get("error") or f"status {status}")
            if status == 421 and reply.get("outcome") == "refused":  # it observes: nothing was taken
                refused = Refused(f"{gateway}: {why}", reply)
                self._at = (self._at + 1) % len(self.gateways)
                continue
            # Something else than a gateway may have answered, and a gateway may stand behind it.
            nothing = reply.get("outcome") == "refused" or ("error" in reply and status in NOTHING_TAKEN)
            raise (Refused if nothing and reply.get("outcome") != "unknown" else Unknown)(why, reply)
        if refused:
            raise refused
        raise Unreachable(f"no gateway can be reached; the last problem: {last}")

    def query(self, question, length=0, words=1):
        """The application's answer in a state of at least `length` transactions, as bytes; of `words` gateways alike."""
        length, words = _number("length", length, 0), _number("words", words, 1)
        target = "/query?" + urllib.parse.urlencode(
            {"q": _bytes("a question", question), "length": length, "timeout_ms": int(self.timeout * 1000)})
        if words > len(self.gateways):
            raise ValueError(f"{words} words were asked for and {len(self.gateways)} gateways are known")
        if words == 1:
            return _read_as(_answer, self._good(*self._get(target)))
        end, said, heard, last = self._end(), {}, queue.Queue(), None
        enough = threading.Event()
        for gateway in self.gateways:
            threading.Thread(target=self._ask_on, args=(target, gateway, end, heard, enough), daemon=True).start()
        try:
            while (left := end - time.monotonic()) > 0:
                gateway, answer = heard.get(timeout=left)
                if isinstance(answer, Error):
                    last = answer
                    continue
                said[gateway] = answer
                if list(said.values()).count(answer) >= words:
                    return answer
        except queue.Empty:
            pass
        finally:
            enough.set()
        raise Error(f"no {words} gateways say the same ({len(set(said.values()))} different answers of {len(said)} gateways"
                    f"{f'; the last problem: {last}' if last else ''})")

    def _ask_on(self, target, gateway, end, heard, enough):
        """Asks one gateway again and again, as its state moves, and puts what it says into `heard`."""
        while not enough.is_set() and time.monotonic() < end:
            try:
                answer = _read_as(_answer, self._good(*self._get(target, gateway, end, enough)))
            except Error as e:
                answer = e
            heard.put((gateway, answer))
            enough.wait(0.05)

    def status(self, gateway=None):
        """What a node says of itself, as a dictionary."""
        return _read_as(_status, self._good(*self._get("/status", gateway)))

    def log(self, start=0, limit=1000):
        """A page of Transactions from a position on, at most `limit`; go on behind its last one. Empty at the end of the log.

        Raises Pruned where it is not kept."""
        start, limit = _number("start", start, 0), _number("limit", limit, 1)
        page = _read_as(_transactions, self._good(*self._get(f"/log?from={start}&limit={limit}"), start))
        for position, transaction in enumerate(page[:limit], start):
            _check_follows(transaction, position, "the gateway")
        return page[:limit]

    def proof(self, position):
        """The proof that the ledger has its transaction and result at a position, as a dictionary: what `thresher log prove`
        prints and `thresher verify-proof` checks. Raises Error while the position is not certified, Pruned where it is gone."""
        position = _number("position", position, 0)
        return _read_as(lambda told: _proof(told, position), self._good(*self._get(f"/proof?position={position}"), position))

    def follow(self, start=0):
        """Every Transaction from a position on, without end; goes on at another gateway when one ends, or sends no sign of
        life for its time-out. Raises Error where a gateway skips or repeats a position: what came before it is whole.

        Raises Pruned where the gateway keeps the log no more; what came before it is whole."""
        # A generator's own lines run only when it is asked for the first one: a wrong number is told where it is given.
        return self._follow(_number("start", start, 0))

    def _follow(self, start):
        while True:
            gateway = self.gateways[self._at]
            connection = _Connection(gateway, self._end())
            try:
                connection.request("GET", f"/log?from={start}", headers={"Accept": "text/event-stream"})
                stream = connection.sock  # the library lets go of it where an answer ends with its connection
                with connection.getresponse() as response:
                    if response.status != 200:
                        raise Error(f"{gateway}: {_body(response).decode(errors='replace').strip()}")
                    for event, data in _events(self._lines(response, stream)):
                        if event == "pruned":
                            raise _read_as(lambda told, at=start: _pruned(told, at), data)
                        if event == "message":  # as events without a name are called; others are of a later release
                            transaction = _read_as(_transaction, data)
                            _check_follows(transaction, start, gateway)
                            start += 1
                            yield transaction
            except (OSError, http.client.HTTPException):
                pass
            finally:
                connection.close()
            self._at = (self._at + 1) % len(self.gateways)
            time.sleep(0.1)

    def _end(self):
        return time.monotonic() + self.timeout + GRACE

    def _lines(self, response, stream):
        """Each has the time of an answer to come whole."""
        while True:
            stream.end = self._end()
            line = _read_by(lambda: response.readline(MOST_BYTES))
            if not line:
                return
            if not line.endswith(b"\n"):
                raise http.client.HTTPException("a line is cut off, or longer than any of a gateway")
            yield line

    @staticmethod
    def _read(connection):
        response = connection.getresponse()
        body = _body(response)
        try:
            reply = json.loads(body)
        except (ValueError, RecursionError):
            reply = None
        return response.status, reply if isinstance(reply, dict) else {"said": body.decode(errors="replace")}

    def _get(self, target, gateway=None, end=None, enough=None):
        last = None
        for _ in [gateway] if gateway else self.gateways:
            at = _address(gateway) if gateway else self.gateways[self._at]
            connection = _Connection(at, end or self._end(), enough)
            try:
                connection.request("GET", target)
                return self._read(connection)
            except (OSError, http.client.HTTPException) as e:
                last = f"{at}: {e}"
                if not gateway:
                    self._at = (self._at + 1) % len(self.gateways)
            finally:
                connection.close()
        raise Unreachable(f"no gateway can be reached; the last problem: {last}")

    @staticmethod
    def _good(status, reply, start=-1):
        if status == 410 and "begins" in reply:
            raise _read_as(lambda told: _pruned(told, start), reply)
        if status != 200:
            raise Error(str(reply.get("error") or f"status {status}: {str(reply.get('said', ''))[:200]}"), reply)
        return reply


class _Stream(socket.socket):
    """A socket whose calls all end by `end`; the library's time-out is that of one call, which a single byte begins anew.
    Reading ends, a moment later, when `enough` is set too."""

    end, enough = 0.0, None

    def _bounded(self, call, *args, most=float("inf")):
        left = self.end - time.monotonic()
        if left <= 0:
            raise TimeoutError("it did not answer whole in time")
        self.settimeout(min(left, most))
        return call(*args)

    def connect(self, address):
        return self._bounded(super().connect, address)

    def sendall(self, *args):
        return self._bounded(super().sendall, *args)

    def recv_into(self, *args):
        if not self.enough:
            return self._bounded(super().recv_into, *args)
        while not self.enough.is_set():
            with contextlib.suppress(socket.timeout):
                return self._bounded(super().recv_into, *args, most=0.2)
            if time.monotonic() >= self.end:
                break
        raise TimeoutError("it did not answer whole in time")


class _Connection(http.client.HTTPConnection):
    def __init__(self, gateway, end, enough=None):
        super().__init__(gateway)
        self.end, self.enough = end, enough

    def connect(self):
        problem = OSError("it has no address")
        for family, kind, protocol, _, at in socket.getaddrinfo(self.host, self.port, type=socket.SOCK_STREAM):
            self.sock = _Stream(family, kind, protocol)
            self.sock.end, self.sock.enough = self.end, self.enough
            try:
                self.sock.connect(at)
                self.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)  # the body is sent behind the head
                return
            except OSError as e:
                problem = e
                self.sock.close()
                self.sock = None
        raise problem


def _address(text):
    """A gateway's "host:port", as it was given."""
    port = re.fullmatch(r"(?:\[[0-9A-Fa-f:.]+\]|[^][:/@?#\s\x00-\x20\x7f]+):([0-9]{1,5})", text)
    if not port or not 0 < int(port[1]) < 65536:
        raise ValueError(f"'{text}' is no address of a gateway: give its host and port, like 127.0.0.1:8080")
    return text


def _seconds(timeout):
    """A time-out that the library takes too: it knows integers and floats alone."""
    if isinstance(timeout, bool) or not isinstance(timeout, (int, float)):
        raise TypeError(f"a timeout is a number of seconds, not {type(timeout).__name__}")
    if not 0.001 <= timeout <= 120:
        raise ValueError(f"a timeout of {timeout} seconds is none: give 0.001 to 120")
    return timeout


def _number(what, value, least):
    """A whole number that a gateway can be asked with."""
    try:
        number = operator.index(value)
    except TypeError:
        number = None
    if number is None or isinstance(value, bool):
        raise TypeError(f"{what} is a whole number, not {type(value).__name__}")
    if not least <= number <= MOST:
        raise ValueError(f"{what} is a number from {least} to 2**64 - 1, not {value}")
    return number


def _bytes(what, value):
    try:
        return bytes(memoryview(value))  # bytes(5) would be five zeros
    except TypeError:
        raise TypeError(f"{what} is bytes, not {type(value).__name__}") from None


def _read_as(read, reply, error=Error):
    """What `read` makes of a reply; a reply that it cannot read comes from something else than a gateway."""
    try:
        return read(reply)
    except (KeyError, TypeError, ValueError, OverflowError, RecursionError) as e:
        raise error(f"the answer is none of a gateway ({type(e).__name__}: {e}): {str(reply)[:200]}") from e


def _is_whole(value):
    return type(value) is int and 0 <= value <= MOST  # True is an int too, and no number


def _whole(reply, name):
    if not _is_whole(reply[name]):
        raise ValueError(f"{name} is no number that a gateway has")
    return reply[name]


def _receipt(reply):
    if reply["outcome"] != "committed":
        raise ValueError("its outcome is not committed")
    failed = reply.get("failed", False)
    if not isinstance(failed, bool):
        raise TypeError("failed is neither true nor false")
    result = bytes.fromhex(reply["result"]) if "result" in reply else None
    return Receipt(_whole(reply, "position"), _whole(reply, "slot"), result, failed, bytes.fromhex(reply.get("proof", "")))


def _answer(reply):
    return bytes.fromhex(reply["answer"])


def _proof(reply, position):
    if _whole(reply, "position") != position or "signatures" not in reply:
        raise ValueError("this is no proof of that position")
    return reply


def _status(reply):
    _whole(reply, "length")
    return reply


def _transaction(row):
    bytes.fromhex(row["client"])
    return Transaction(_whole(row, "position"), _whole(row, "slot"), row["client"], _whole(row, "sequence"),
                       bytes.fromhex(row["data"]))


def _transactions(reply):
    rows = reply["transactions"]
    if not isinstance(rows, list):
        raise TypeError("transactions is no list")
    return [_transaction(row) for row in rows]


def _check_follows(transaction, position, gateway):
    if transaction.position != position:
        raise Error(f"{gateway} gave position {transaction.position} of the log where {position} belongs: it skips or repeats, "
                    f"as no node does; read on from {position} at another one")


def _pruned(reply, start):
    begins = _whole(reply, "begins")
    if begins <= start:
        raise ValueError(f"it begins at {begins}, and yet what was asked for from {start} on would be gone")
    return Pruned(f"the log was pruned there and begins at position {begins} now: read from {begins} on, or ask a node that "
                  "keeps more", reply)


def _read_by(read):
    """What `read` reads of a response; of a length that is none the library says anything but an HTTPException."""
    try:
        return read()
    except (OverflowError, ValueError) as e:
        raise http.client.HTTPException(f"{type(e).__name__}: {e}") from e


def _body(response):
    body = _read_by(lambda: response.read(MOST_BYTES + 1))
    if len(body) > MOST_BYTES:
        raise http.client.HTTPException(f"its answer is longer than {MOST_BYTES} bytes, as none of a gateway is")
    if response.length:  # of a part the library complains only where it is asked for all
        raise http.client.IncompleteRead(body, response.length)
    return body


def _events(lines):
    """Names and objects of the server-sent events in lines; one that is cut off is none."""
    event, data = "message", b""
    for line in lines:
        line = line.rstrip(b"\r\n")
        name, _, value = line.partition(b": ")
        if name == b"event":
            event = value.decode(errors="replace")
        elif name == b"data":
            data = value
        elif not line:  # ends an event
            if data:
                yield event, _read_as(json.loads, data)
            event, data = "message", b""


_HIDDEN = re.compile("[\\\\\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\udc80-\udcff]")


def escaped(data):
    """Bytes that somebody else wrote, for a line on a terminal, as `thresher log` shows them: no control character, line break
    or mark that turns the direction comes through, and nothing that is no UTF-8; those stand as \\n, \\t or \\xNN."""
    def spelt(found):
        short = {"\\": "\\\\", "\n": "\\n", "\t": "\\t"}.get(found[0])
        return short or "".join(f"\\x{byte:02x}" for byte in found[0].encode(errors="surrogateescape"))
    return _HIDDEN.sub(spelt, data.decode(errors="surrogateescape"))


def main():
    parser = argparse.ArgumentParser(description="Asks the HTTP gateway of a Thresher node.")
    parser.add_argument("gateway", help="like 127.0.0.1:8080; several with commas between them")
    verbs = parser.add_subparsers(dest="verb", required=True)
    verbs.add_parser("submit", help="order a text, print its position and result").add_argument("text")
    query = verbs.add_parser("query", help="ask the application")
    query.add_argument("text")
    query.add_argument("--length", type=int, default=0, help="transactions that the state must have")
    query.add_argument("--words", type=int, default=1, help="gateways that have to say the same")
    verbs.add_parser("status", help="what the node says of itself")
    log = verbs.add_parser("log", help="print transactions, a line each")
    log.add_argument("--from", dest="start", type=int, default=0)
    log.add_argument("--follow", action="store_true", help="without end")
    a = parser.parse_args()
    sys.stdout.reconfigure(errors="backslashreplace")  # a terminal may not know every character
    try:
        client = Client(a.gateway.split(","))
    except ValueError as e:
        parser.error(str(e))
    try:
        if a.verb == "submit":
            receipt = client.submit(os.fsencode(a.text))
            print(receipt.position, "failed" if receipt.failed else "done", escaped(receipt.result or b""))
            return int(receipt.failed)
        if a.verb == "query":
            print(escaped(client.query(os.fsencode(a.text), a.length, a.words)))
        elif a.verb == "status":
            print(json.dumps(client.status(), indent=2))
        else:
            for t in client.follow(a.start) if a.follow else client.log(a.start):
                print(t.position, t.client[:8], escaped(t.data), flush=True)
    except ValueError as e:
        parser.error(str(e))
    except Error as e:
        print(escaped(str(e).encode(errors="replace")), file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
