"""Ctrl-C in `thresher verify`, at many moments: exit 130 and no verdict, or the whole report.

Of 24 signals three once ended in a crash inside the solver, nine were ignored and five gave "UNKNOWN" as if the time
had been over."""
import os
import signal
import stat
import subprocess
import sys
import tempfile
import time
import unittest

signal.signal(signal.SIGINT, signal.default_int_handler)  # children of a shell's background job would ignore it
BINARY = sys.argv.pop(1)
MOMENTS = 36  # from the start of the process on
STEP = 0.02   # seconds

# Many thresholds on many counters: undecided for much longer than the test lasts.
COUNTERS = 9


def hard():
    counters = [f"x{i}" for i in range(COUNTERS)]
    places = [f"p{i}" for i in range(COUNTERS + 1)]
    rules = []
    for i in range(COUNTERS):
        for j in range(COUNTERS):
            guard = f"x{j} >= {i % 4} * T - {j % 3} && x{(i + j) % COUNTERS} < N - {j % 3} * T"
            rules.append(f"{len(rules)}: p{i} -> p{i + 1} when ({guard}) do {{ x{i}' == x{i} + {1 + j % 2}; }};")
    inits = "p0 == N; " + " ".join(f"{p} == 0;" for p in places[1:]) + " ".join(f"{x} == 0;" for x in counters)
    return (f"skel H {{ shared {', '.join(counters)}; parameters N, T; assumptions (0) {{ N > 3 * T; T >= 1; }}\n"
            f"locations (0) {{ {'; '.join(places)}; }}\ninits (0) {{ {inits} }}\nrules (0) {{ " + "\n".join(rules) +
            f" }}\nspecifications (0) {{ safe: []({' + '.join(counters)} < 30 * N); "
            f"lives: <>[](p0 == 0) -> <>(p{COUNTERS} == N); }} }}\n")


class Interrupt(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def path(self, name, text):
        path = os.path.join(self.folder.name, name)
        with open(path, "w", encoding="utf-8") as out:
            out.write(text)
        return path

    def start(self, *arguments, **more):
        return subprocess.Popen([BINARY, "verify", *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                **more)

    def expect_interrupted(self, child, when):
        out, errors = child.communicate(timeout=60)
        # Before the first line of the program the signal's own action ends it; a shell shows 130 of both.
        self.assertIn(child.returncode, (130, -signal.SIGINT), f"{when}: {out} {errors}")
        self.assertEqual(out, "", when)

    def test_at_any_moment(self):
        file = self.path("hard.ta", hard())
        for moment in range(MOMENTS):
            child = self.start(file, "--timeout", "600s")
            time.sleep(moment * STEP)
            child.send_signal(signal.SIGINT)
            self.expect_interrupted(child, f"after {moment * STEP:.2f} s")

    def test_with_each_checker(self):
        file = self.path("hard.ta", hard())
        for checker in ("smt", "live", "acs", "zcs", "explicit"):
            wanted = "lives" if checker == "live" else "safe"
            child = self.start(file, "--timeout", "600s", "--checker", checker, "--property", wanted, "--json")
            time.sleep(0.5)
            child.send_signal(signal.SIGINT)
            self.expect_interrupted(child, checker)

    def test_the_second_solver_ends_too(self):
        solver = self.path("cvc5", f"#!/bin/sh\necho $$ > {self.folder.name}/pid\nsleep 1000\n")
        os.chmod(solver, stat.S_IRWXU)
        temporary = os.path.join(self.folder.name, "tmp")
        os.mkdir(temporary)
        environment = dict(os.environ, PATH=self.folder.name + ":" + os.environ["PATH"], TMPDIR=temporary)
        child = self.start("--protocol", "bv_broadcast", "--cross-check", "--timeout", "600s", env=environment)
        pid = os.path.join(self.folder.name, "pid")
        while not (os.path.exists(pid) and os.path.getsize(pid) > 0):
            self.assertIsNone(child.poll(), "it ended before it asked")
            time.sleep(0.01)
        child.send_signal(signal.SIGINT)
        self.expect_interrupted(child, "in the second solver")
        with open(pid, encoding="utf-8") as number:
            process = int(number.read())
        for _ in range(1000):
            try:
                with open(f"/proc/{process}/stat", encoding="utf-8") as state:
                    if state.read().split()[2] == "Z":
                        break
            except FileNotFoundError:
                break
            time.sleep(0.01)
        else:
            self.fail("the second solver still runs")
        self.assertEqual(os.listdir(temporary), [])

    def test_a_job_that_ignores_the_signal_goes_on(self):
        child = self.start("--protocol", "bv_broadcast",
                           preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN))
        child.send_signal(signal.SIGINT)
        out, errors = child.communicate(timeout=60)
        self.assertEqual(child.returncode, 0, errors)
        self.assertIn("SAFE", out)


if __name__ == "__main__":
    unittest.main()
