"""`thresher crypto verify --in -` on more than fits a small memory: a million lines, a line of 1 GB.

The reader is run under an address-space limit and fed through a pipe, so that it cannot keep what it has read."""
import json
import resource
import subprocess
import sys
import threading
import unittest

BINARY = sys.argv.pop(1)
LINES = 1_000_000
LIMIT = 256 << 20
# RFC 8032, 7.1, test 2, and the same with another message.
LINE = {"key": "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c", "msg": "72",
        "sig": "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da"
               "085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00"}


def start(*arguments):
    def limited():
        resource.setrlimit(resource.RLIMIT_AS, (LIMIT, LIMIT))
    return subprocess.Popen([BINARY, "crypto", "verify", "--in", "-", *arguments], stdin=subprocess.PIPE,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=limited)


class Stream(unittest.TestCase):
    def test_a_million_lines(self):
        good = json.dumps(dict(LINE, id="g", valid=True)) + "\n"
        bad = json.dumps(dict(LINE, id="b", msg="73", valid=False)) + "\n"
        block = (good * 999 + bad).encode()
        child = start("--backend", "rlc")

        def feed():
            for _ in range(LINES // 1000):
                child.stdin.write(block)
            child.stdin.close()
        feeder = threading.Thread(target=feed)
        feeder.start()
        answers = {b"valid": 0, b"invalid": 0}
        for line in child.stdout:
            answers[line.rstrip().rpartition(b"=")[2]] += 1
        feeder.join()
        child.stdout.close()
        with child.stderr as errors:
            self.assertEqual(child.wait(), 0, errors.read())
        self.assertEqual(answers, {b"valid": LINES - LINES // 1000, b"invalid": LINES // 1000})

    def test_a_line_of_a_gigabyte(self):
        child = start("--backend", "portable")
        chunk = b'{"id":"' + b"x" * (1 << 20)
        sent = 0
        try:
            while sent < 1 << 30:
                child.stdin.write(chunk)
                sent += len(chunk)
        except BrokenPipeError:
            pass
        self.assertLess(sent, 1 << 30, "it was read to its end")
        try:
            child.stdin.close()
        except BrokenPipeError:
            pass
        self.assertEqual(child.wait(), 2)
        child.stdout.close()
        with child.stderr as errors:
            self.assertIn(b"standard input:1: the line is longer", errors.read())


unittest.main()
