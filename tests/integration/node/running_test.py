#!/usr/bin/env python3
"""Running nodes as an operator meets them: asked, filled up, cut off, killed, and started again."""
import contextlib
import json
import os
import pathlib
import resource
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest

BINARY = sys.argv.pop(1) if len(sys.argv) > 1 and not sys.argv[1].startswith("-") else "thresher"
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import held_ports  # noqa: E402
MIB = 1 << 20


def run(*arguments, text=None, timeout=60):
    return subprocess.run([BINARY, *map(str, arguments)], input=text, capture_output=True, text=True,
                          timeout=timeout)


class Nodes(unittest.TestCase):
    """A network of four in a folder of its own; nodes are child processes."""
    PARAMETERS = ()  # of the network

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.net = pathlib.Path(folder.name, "net")
        out = run("testnet", "init", "-n", "4", "-o", self.net, "--base-port", held_ports.take(4), *self.PARAMETERS)
        self.assertEqual(out.returncode, 0, out.stderr)
        self.processes = {}

    def command(self, node):
        return [BINARY, "node", "run", "--home", str(self.home(node))]

    def home(self, node):
        return self.net / f"node{node}"

    def port(self, node):
        return json.loads((self.net / "genesis.json").read_text())["nodes"][node]["port"]

    def start(self, *nodes, under=(), wait=True):
        for node in nodes:
            log = open(self.net / f"log{node}", "ab")
            self.addCleanup(log.close)
            process = subprocess.Popen([*under, *self.command(node)], stdout=log, stderr=log)
            self.addCleanup(process.wait)
            self.addCleanup(process.kill)
            self.processes[node] = process
        if wait:
            for node in nodes:
                self.eventually(f"node {node} answers", lambda: self.status(node) is not None)

    def stop(self, *nodes, how=signal.SIGTERM):
        for node in nodes:
            self.processes[node].send_signal(how)
        for node in nodes:
            self.processes[node].wait(timeout=30)

    def said(self, node):
        return (self.net / f"log{node}").read_text()

    def status(self, node):
        out = run("node", "status", "--home", self.home(node), "--json")
        return json.loads(out.stdout) if out.returncode == 0 else None

    def submit(self, node, *texts):
        """Positions in the log, one a text."""
        out = run("submit", "--home", self.home(node), "--file", "-", text="".join(t + "\n" for t in texts))
        self.assertEqual(out.returncode, 0, out.stderr)
        positions = [int(line) for line in out.stdout.split()]
        self.assertEqual(len(positions), len(texts))
        return positions

    def log(self, node, *more):
        out = run("log", "--home", self.home(node), *more)
        self.assertEqual(out.returncode, 0, out.stderr)
        return out.stdout.splitlines()

    def level(self, *nodes, length):
        """Waits until these nodes hold one log of that length."""
        def all_same():
            found = [self.status(n) for n in nodes]
            return all(found) and {(s["length"], s["log_hash"], s["state_hash"]) for s in found} == {
                (length, found[0]["log_hash"], found[0]["state_hash"])}
        try:
            self.eventually(f"nodes {nodes} hold {length} transactions", all_same)
        except AssertionError as late:
            found = {n: (self.status(n), self.said(n)) for n in nodes}
            self.fail(f"{late}\n{json.dumps(found, indent=1)}")

    def eventually(self, what, condition, seconds=30):
        end = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > end:
                self.fail(f"{seconds} s have passed without: {what}")
            time.sleep(0.05)


class Asked(Nodes):
    def test_submit_status_and_log_on_running_nodes(self):
        self.start(0, 1, 2, 3)
        self.assertEqual(self.submit(0, "one"), [0])
        out = run("submit", "--home", self.home(2), "--data", "two")
        self.assertEqual((out.returncode, out.stdout), (0, "1\n"), out.stderr)
        out = run("submit", "--genesis", self.net / "genesis.json", "--data", "three")
        self.assertEqual((out.returncode, out.stdout), (0, "2\n"), out.stderr)
        self.level(0, 1, 2, 3, length=3)
        for node in range(4):
            self.assertEqual(self.log(node, "--raw"), ["one", "two", "three"])
            self.assertEqual(self.log(node, "--raw", "--from", "1"), ["two", "three"])
            self.assertEqual(self.log(node, "--raw", "--from", "3"), [])
        positions, identities, texts = zip(*(line.split(" ", 2) for line in self.log(1)))
        self.assertEqual((positions, texts), (("0", "1", "2"), ("one", "two", "three")))
        self.assertEqual(len(set(identities)), 3)
        self.assertIn("is running", run("log", "--home", self.home(1)).stderr)
        text = run("node", "status", "--home", self.home(3)).stdout
        self.assertIn("transactions in the log  3\n", text)
        self.assertIn(self.status(0)["log_hash"], text)
        peers = self.status(3)["peers"]
        self.assertEqual([(p["peer"], p["link"], p["suspicion"]) for p in peers],
                         [(0, True, "none"), (1, True, "none"), (2, True, "none")])
        self.assertTrue(all(p["round"] > 0 and p["address"].startswith("127.0.0.1:") for p in peers), peers)
        self.assertTrue(self.status(3)["ready"])
        self.assertRegex(text, r"(?m)^0 +up +\d+ +\d+ +1 +0 +\d+ +none +127\.0\.0\.1:\d+$")
        for node in range(4):
            self.assertIn("the link to node", self.said(node))
            self.assertNotIn("warning", self.said(node))  # nobody did anything wrong
        # The same when it has stopped, but for the status, which says how to start it.
        running = self.log(3)
        self.stop(3)
        self.assertEqual(self.log(3), running)
        out = run("node", "status", "--home", self.home(3))
        self.assertEqual(out.returncode, 1)
        self.assertIn("thresher node run --home", out.stderr)

    def test_the_application_is_asked_and_a_quorum_says_the_same(self):
        self.start(0, 1, 2, 3)
        genesis = self.net / "genesis.json"
        out = run("submit", "--genesis", genesis, "--quorum", "--data", "one", "--json")
        row = json.loads(out.stdout)
        self.assertEqual((row["outcome"], row["position"], row["failed"], row["result"]), ("committed", 0, False, ""), out.stderr)
        for where in (("--genesis", genesis, "--quorum"), ("--genesis", genesis), ("--home", self.home(3))):
            out = run("query", *where, "--data", "length", "--length", "1")
            self.assertEqual((out.returncode, out.stdout), (0, "1\n"), out.stderr)
        out = run("query", "--home", self.home(0), "--data", "rabbits")
        self.assertEqual((out.returncode, out.stderr), (1, "thresher: this node keeps a log alone; it knows its 'length'\n"))
        out = run("query", "--home", self.home(0), "--data", "length", "--length", "9", "--timeout", "300ms")
        self.assertEqual(out.returncode, 1)
        self.assertIn("no answer in time", out.stderr)
        for wrong in (("submit", "--home", self.home(0), "--quorum", "--data", "x"), ("query", "--home", self.home(0), "--quorum",
                                                                                      "--data", "x")):
            self.assertEqual(run(*wrong).returncode, 2)

    def test_top_shows_all_nodes_and_who_is_away(self):
        self.start(0, 1, 2, 3)
        self.submit(0, "one", "two")
        self.level(0, 1, 2, 3, length=2)
        self.stop(2)
        out = run("top", "--genesis", self.net / "genesis.json", "--once", "--json")
        self.assertEqual(out.returncode, 0, out.stderr)
        nodes = json.loads(out.stdout)["nodes"]
        self.assertEqual([n["answers"] for n in nodes], [True, True, False, True])
        self.assertEqual([n["length"] for n in nodes if n["answers"]], [2, 2, 2])
        self.assertIn("cannot connect", nodes[2]["problem"])
        text = run("top", "--genesis", self.net / "genesis.json", "--once").stdout
        self.assertIn("thresher, 4 nodes: 3 answer, 3 are needed; 2 transactions", text)
        self.assertRegex(text, r"(?m)^2     away .*cannot connect")
        self.stop(0, 1, 3)
        self.assertEqual(run("top", "--genesis", self.net / "genesis.json", "--once").returncode, 1)

    def test_evidence_is_listed_and_a_bad_file_named(self):
        out = run("evidence", "list", "--home", self.home(0))
        self.assertEqual((out.returncode, out.stdout), (0, ""), out.stderr)
        folder = self.home(0) / "data" / "evidence"
        folder.mkdir(parents=True)
        (folder / "node1-round1.json").write_text("{}")
        out = run("evidence", "list", "--home", self.home(0))
        self.assertEqual(out.returncode, 1)
        self.assertIn("is no file of evidence", out.stderr)
        out = run("evidence", "verify", folder / "node1-round1.json", "--genesis", self.net / "genesis.json")
        self.assertEqual(out.returncode, 1)

    def test_a_log_longer_than_one_frame_comes_whole_while_it_grows(self):
        self.start(0, 1, 2, 3)
        texts = [f"{i:07d} " + "x" * 2000 for i in range(1500)]
        self.submit(0, *texts)
        more = subprocess.Popen([BINARY, "submit", "--home", str(self.home(1)), "--file", "-"],
                                stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)
        more.stdin.write("".join(f"late {i}\n" for i in range(2000)).encode())
        more.stdin.close()
        read = self.log(0, "--raw")
        self.assertEqual(read[:1500], texts)
        self.assertEqual(more.wait(timeout=60), 0)
        self.level(0, 1, 2, 3, length=3500)
        self.assertEqual(self.log(3, "--raw", "--from", "1490")[:10], texts[1490:])
        self.assertEqual(self.log(2, "--raw"), self.log(3, "--raw"))

    def test_a_submission_without_enough_nodes_says_so(self):
        self.start(0)
        begun = subprocess.Popen([BINARY, "submit", "--home", str(self.home(0)), "--data", "waits",
                                  "--timeout", "5s"],
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(begun.kill)
        out, problem = begun.communicate(timeout=60)
        self.assertEqual((begun.returncode, out), (4, "unknown\n"))
        self.assertIn("nothing committed yet; waiting for 5s at most", problem)
        self.assertIn("it may still be ordered until slot", problem)
        self.assertIn("0 of 1 committed, of 1 it is not known", problem)

    def test_a_submission_to_a_node_that_is_down_says_so_at_once(self):
        out = run("submit", "--home", self.home(0), "--data", "x", "--timeout", "1s")
        self.assertEqual((out.returncode, out.stdout), (1, "refused\n"))
        self.assertIn("cannot connect: Connection refused; trying again for 1s at most", out.stderr)
        self.assertIn("it was never sent", out.stderr)
        self.assertTrue(out.stderr.endswith("0 of 1 committed, 1 refused\n"), "no node said anything")

    def test_a_node_that_observes_refuses_and_another_takes_it(self):
        self.start(1, 2, 3)
        observer = subprocess.Popen([*self.command(0), "--observe"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(observer.wait)
        self.addCleanup(observer.kill)
        self.eventually("it answers", lambda: self.status(0) is not None)
        out = run("submit", "--home", self.home(0), "--data", "x")
        self.assertEqual((out.returncode, out.stdout), (1, "refused\n"))
        self.assertIn("the node observes: it follows the log and orders nothing; submit it to another node", out.stderr)
        out = run("submit", "--genesis", self.net / "genesis.json", "--data", "y")
        self.assertEqual((out.returncode, out.stdout), (0, "0\n"), out.stderr)

    # A script that starts a node tells "wrong" from "not now".
    def test_what_the_machine_refuses_has_a_status_of_its_own(self):
        with socket.create_server(("127.0.0.1", self.port(0))):
            taken = run("node", "run", "--home", self.home(0))
        self.assertIn("Address already in use", taken.stderr)
        (self.home(1) / "data").write_text("no folder")
        self.assertEqual((taken.returncode, run("node", "run", "--home", self.home(1)).returncode), (5, 2), taken.stderr)
        few = subprocess.run(["sh", "-c", 'ulimit -n 20; exec "$@"', "sh", *self.command(3)], capture_output=True, text=True,
                             timeout=60)
        self.assertEqual(few.returncode, 5, few.stderr)
        self.assertEqual(run("node", "run", "--home", self.net / "nowhere").returncode, 2)

    def shifted_clock(self):
        """A library under which the clock says SHIFTED, in seconds since 1970, where the file of PAST_IF is there."""
        compiler = shutil.which("cc")
        if compiler is None:
            self.skipTest("no C compiler")
        source, library = self.net / "past.c", self.net / "past.so"
        source.write_text("""
            #define _GNU_SOURCE
            #include <stdlib.h>
            #include <sys/syscall.h>
            #include <time.h>
            #include <unistd.h>
            int clock_gettime(clockid_t clock, struct timespec *out) {
              long done = syscall(SYS_clock_gettime, clock, out);
              if (clock == CLOCK_REALTIME && access(getenv("PAST_IF"), F_OK) == 0) out->tv_sec = atoll(getenv("SHIFTED"));
              return (int)done;
            }
            time_t time(time_t *out) {
              struct timespec now;
              clock_gettime(CLOCK_REALTIME, &now);
              return out ? (*out = now.tv_sec) : now.tv_sec;
            }
            """)
        subprocess.run([compiler, "-shared", "-fPIC", "-o", str(library), str(source)], check=True)
        return library

    PAST = "the clock of this machine says a time before 1970; set the clock"

    # The index ends the process then, at its next write; 2**40 seconds, in the year 36812, were called a time before 1970.
    def test_a_clock_that_is_none_is_refused_in_words(self):
        under = {**os.environ, "LD_PRELOAD": str(self.shifted_clock()), "PAST_IF": "/"}
        for shifted, said in ((-1000, self.PAST), (-2**40, self.PAST), (2**40, self.PAST.replace("before 1970", "after 2262"))):
            out = subprocess.run(self.command(0), env={**under, "SHIFTED": str(shifted)}, capture_output=True, text=True,
                                 timeout=60)
            self.assertEqual((out.returncode, out.stderr), (5, f"thresher: {said}\n"))

    def test_a_clock_that_is_set_back_before_1970_stops_a_node_in_words(self):
        past = self.net / "past"
        self.start(0, 1, 2)
        self.start(3, under=("env", f"LD_PRELOAD={self.shifted_clock()}", f"PAST_IF={past}", "SHIFTED=-1000"))
        self.submit(3, "before")
        past.touch()
        self.submit(0, *map(str, range(50)))
        self.assertEqual(self.processes[3].wait(timeout=30), 5, self.said(3))
        self.assertIn(self.PAST, self.said(3))
        self.assertNotIn("the disk", self.said(3))
        dated = [line for line in self.said(3).splitlines() if line.startswith(("19", "20"))]
        self.assertTrue(any(line.startswith("1969-12-31 23:43:20.000 ") for line in dated), self.said(3))
        for line in dated:  # milliseconds were counted the wrong way before 1970
            self.assertRegex(line, r"^[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3} ")
        past.unlink()
        self.start(3)
        self.level(0, 1, 2, 3, length=51)

    # No certificate can say a year of five digits, and the node broke the connection off for 30 s.
    def test_a_client_needs_no_clock(self):
        self.start(0, 1, 2)
        under = {**os.environ, "LD_PRELOAD": str(self.shifted_clock()), "PAST_IF": "/"}
        for position, shifted in enumerate((-1000, -2**40, 2**40)):
            out = subprocess.run([BINARY, "submit", "--home", str(self.home(0)), "--data", str(shifted)],
                                 env={**under, "SHIFTED": str(shifted)}, capture_output=True, text=True, timeout=60)
            self.assertEqual((out.returncode, out.stdout), (0, f"{position}\n"), out.stderr)

    def test_a_line_that_is_too_large_is_refused_alone(self):
        self.start(0, 1, 2, 3)
        lines = [f"good-{i}" for i in range(100)]
        lines.insert(50, "B" * 300_000)
        file = self.net / "lines"
        file.write_text("\n".join(lines) + "\n")
        out = run("submit", "--home", self.home(0), "--file", file)
        self.assertEqual(out.returncode, 1)
        told = out.stdout.split()
        self.assertEqual(told[50], "refused")
        self.assertEqual(sorted(int(p) for i, p in enumerate(told) if i != 50), list(range(100)))
        self.assertIn("line 51: the transaction is larger than the 262144 bytes", out.stderr)
        self.assertIn("100 of 101 committed, 1 refused and, as the node says, not in the log", out.stderr)
        self.level(0, 1, 2, 3, length=100)
        text = self.log(1, "--raw")
        self.assertEqual([text[int(p)] for i, p in enumerate(told) if i != 50],
                         [line for line in lines if line.startswith("good")])


class Stopped(Nodes):
    def test_sigterm_ends_a_node_whose_log_nobody_reads(self):
        """Its lines go to a pipe that is full: without a reader the write never returns."""
        self.start(0, 1, 2)
        reader, writer = os.pipe()
        self.addCleanup(os.close, reader)
        os.set_blocking(writer, False)
        with contextlib.suppress(BlockingIOError):
            while True:
                os.write(writer, bytes(4096))
        os.set_blocking(writer, True)
        node = subprocess.Popen([BINARY, "node", "run", "--home", str(self.home(3))], stdout=writer, stderr=writer)
        self.addCleanup(node.wait)
        self.addCleanup(node.kill)
        os.close(writer)
        self.eventually("it holds its store", lambda: (self.home(3) / "data").exists())
        time.sleep(0.5)  # it stands in the write now, or will: either way it has to end
        node.terminate()
        self.assertIn(node.wait(timeout=20), (0, 1))
        self.submit(0, "the others go on")


class Killed(Nodes):
    def test_what_was_acknowledged_survives_the_death_of_all(self):
        self.start(0, 1, 2, 3)
        acknowledged = {}
        # A file each: what a client printed is there at once, whatever happens to it.
        outputs = [self.net / f"acknowledged{n}" for n in range(4)]
        begun = []
        for n in range(4):
            with outputs[n].open("wb") as out:
                begun.append(subprocess.Popen([BINARY, "submit", "--home", str(self.home(n)), "--file", "-"],
                                              stdin=subprocess.PIPE, stdout=out, stderr=subprocess.DEVNULL))
        for n, client in enumerate(begun):
            client.stdin.write("".join(f"{n}.{i}\n" for i in range(8000)).encode())
            client.stdin.close()
        # Of clients, not of nodes: under load a node may be far ahead of what clients were told.
        self.eventually("some are acknowledged",
                        lambda: sum(o.read_bytes().count(b"\n") for o in outputs) > 100)
        self.stop(0, 1, 2, 3, how=signal.SIGKILL)
        for n, client in enumerate(begun):
            client.send_signal(signal.SIGTERM)
            client.wait(timeout=30)
            # The last line may have been cut by the end of the client.
            for i, line in enumerate(outputs[n].read_text().split("\n")[:-1]):
                acknowledged[int(line)] = f"{n}.{i}"
        self.assertGreater(len(acknowledged), 100)
        self.start(0, 1, 2, 3)
        self.submit(1, "after")
        log = self.log(2, "--raw")
        for position, text in acknowledged.items():
            self.assertEqual(log[position], text)
        self.assertEqual(len(set(log)), len(log))
        self.level(0, 1, 2, 3, length=len(log))

    def test_a_node_that_stands_still_is_waited_for(self):
        self.start(0, 1, 2, 3)
        self.submit(0, "all")
        self.processes[3].send_signal(signal.SIGSTOP)
        self.submit(0, *(f"{i} " + "x" * 5000 for i in range(1000)))
        self.assertEqual(self.status(1)["length"], 1001)
        self.processes[3].send_signal(signal.SIGCONT)
        self.level(0, 1, 2, 3, length=1001)

    def test_who_waits_for_nodes_that_hang_names_them(self):
        """Their links stay up: a node called itself ready though nothing could be ordered."""
        self.start(0, 1, 2, 3)
        self.submit(0, "all")
        for node in (2, 3):
            self.processes[node].send_signal(signal.SIGSTOP)
        begun = subprocess.Popen([BINARY, "submit", "--home", str(self.home(0)), "--data", "waits", "--timeout", "100s"],
                                 stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.addCleanup(begun.kill)
        self.eventually("node 0 says what it waits for", lambda: not self.status(0)["ready"], seconds=60)
        told = self.status(0)["waits_for"]
        self.assertRegex(told, r"has ordered nothing for \d+ s while 1 transactions wait; nothing comes from node 2, 3$")
        self.assertTrue(self.status(1)["ready"])  # nobody waits there
        for node in (2, 3):
            self.processes[node].send_signal(signal.SIGCONT)
        self.assertEqual(begun.communicate(timeout=100)[0], "1\n")
        self.eventually("node 0 is ready again", lambda: self.status(0)["ready"])


class SmallDisk(Nodes):
    """The data of node 3 on a small disk of its own, which only root can mount."""

    def mount(self, options):
        data = self.home(3) / "data"
        data.mkdir(exist_ok=True)
        done = subprocess.run(["mount", "-t", "tmpfs", "-o", options, "none", str(data)], capture_output=True)
        if done.returncode != 0:
            self.skipTest("cannot mount a small disk here: " + done.stderr.decode().strip())
        self.addCleanup(subprocess.run, ["umount", "-l", str(data)], capture_output=True)
        self.addCleanup(lambda: 3 in self.processes and self.processes[3].kill())
        return data


class Disks(SmallDisk):
    def test_a_full_disk_stops_the_node_and_freeing_it_brings_it_back(self):
        data = self.mount("size=240m,mode=700")
        self.start(0, 1, 2, 3)
        self.submit(0, "before")
        self.level(0, 1, 2, 3, length=1)
        filler = data / "filler"
        with filler.open("wb") as out, self.assertRaises(OSError):
            while True:
                out.write(bytes(MIB))
                out.flush()
        texts = [f"{i:04d}" + "x" * 200_000 for i in range(160)]  # more than what is reserved
        for first in range(0, 160, 80):  # a pool holds 32 MiB
            self.submit(0, *texts[first:first + 80])
        self.assertEqual(self.processes[3].wait(timeout=30), 5, self.said(3))
        self.assertIn("refused a write; free space", self.said(3))
        self.submit(1, "the others go on")
        filler.unlink()
        self.start(3)
        self.level(0, 1, 2, 3, length=162)
        self.submit(3, "back")
        self.assertEqual(self.log(3, "--raw"), ["before", *self.log(0, "--raw")[1:]])

    def test_a_read_only_disk_is_refused(self):
        data = self.mount("size=240m,mode=700")
        self.start(0, 1, 2, 3)
        self.submit(0, "before")
        self.stop(3)
        subprocess.run(["mount", "-o", "remount,ro", str(data)], check=True, capture_output=True)
        self.assertIn("Read-only file system; mount it for writing", self.refused())
        self.assertEqual(self.log(3, "--raw"), ["before"])  # reading it needs no more
        self.submit(0, "the others go on")
        subprocess.run(["mount", "-o", "remount,rw", str(data)], check=True, capture_output=True)
        self.start(3)
        self.level(0, 1, 2, 3, length=2)

    def fault(self, calls, what, paths=()):
        """The command under which calls fail, on these files alone or on all."""
        if shutil.which("strace") is None:
            self.skipTest("no strace(1) here to fail a call with")
        trace = ["strace", "-f", "-qq", "-o", "/dev/null"]
        if subprocess.run([*trace, "true"], capture_output=True).returncode != 0:
            self.skipTest("strace(1) may not trace here")
        files = [word for path in paths for word in ("-P", str(path))]
        return [*trace, *files, "-e", f"trace={calls}", "-e", f"inject={calls}:{what}"]

    def refused(self, *command):
        """What a node says that does not start; no error of the system is taken for anything else."""
        out = subprocess.run([*command, BINARY, "node", "run", "--home", str(self.home(3))], capture_output=True,
                             text=True, timeout=60)
        self.assertEqual(out.returncode, 5, out.stderr)  # the machine refused
        for wrong in ("damaged", "another process", "new key"):
            self.assertNotIn(wrong, out.stderr)
        return out.stderr

    def test_a_disk_that_is_full_at_the_start_is_said_to_be_full(self):
        data = self.mount("size=1m,mode=700")
        self.assertIn("No space left on device; free space", self.refused())
        subprocess.run(["mount", "-o", "remount,size=240m", str(data)], check=True, capture_output=True)
        self.start(0, 1, 2, 3)
        self.submit(3, "goes on")

    def test_a_disk_that_cannot_be_read_is_said_to_fail(self):
        self.start(0, 1, 2, 3)
        self.submit(0, *(f"text {i}" for i in range(20)))
        self.level(0, 1, 2, 3, length=20)
        self.stop(3)
        files = [f for f in (self.home(3) / "data").rglob("*") if f.is_file()]
        for count in (1, 2, 3, 4, 6, 9, 12):
            with self.subTest(count):
                fault = self.fault("pread64,read", f"error=EIO:when={count}+", files)
                self.assertIn("Input/output error; the disk", self.refused(*fault))
        self.start(3)
        self.level(0, 1, 2, 3, length=20)

    def test_a_node_whose_disk_fails_to_sync_stops_signing(self):
        fault = self.fault("fdatasync,pwritev2", "error=EIO:when=40+")
        self.start(0, 1, 2)
        self.start(3, under=fault, wait=False)
        self.eventually("the node stops", lambda: self.submit(0, "go on") and self.processes[3].poll() is not None,
                        seconds=60)
        self.assertEqual(self.processes[3].returncode, 5)
        self.assertIn("refused a write; free space", self.said(3))
        length = self.submit(1, "last")[0] + 1
        self.start(3)
        self.level(0, 1, 2, 3, length=length)
        self.assertNotIn("signed two blocks", self.said(0) + self.said(1) + self.said(2))


class Crowded(Nodes):
    # Without a share of the descriptors for its disk the node stopped when it signed first.
    def test_a_crowd_leaves_a_node_descriptors_and_time(self):
        # A crowd at the gateway took those that the store needed, too.
        gateway = held_ports.take()
        config = self.home(3) / "node.toml"
        config.write_text(config.read_text().replace('address = ""', f'address = "127.0.0.1:{gateway}"'))
        self.start(0, 1, 2)
        self.start(3, under=["prlimit", "--nofile=96"])
        limit = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
        crowd = []
        self.addCleanup(lambda: [s.close() for s in crowd])
        for _ in range(min(300, limit - 100)):
            s = socket.socket()
            s.settimeout(5)
            s.connect(("127.0.0.1", self.port(3)))
            crowd.append(s)
        for _ in range(80):
            s = socket.create_connection(("127.0.0.1", gateway), timeout=5)
            crowd.append(s)

        def cpu():
            fields = pathlib.Path(f"/proc/{self.processes[3].pid}/stat").read_text().rsplit(")", 1)[1].split()
            return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
        before = cpu()
        self.submit(0, "meanwhile")
        time.sleep(2)  # a loop of failing accepts would take all of it
        self.assertLess(cpu() - before, 0.8)
        self.assertIsNotNone(self.status(3))
        for s in crowd:
            s.close()
        self.level(0, 1, 2, 3, length=1)


if __name__ == "__main__":
    unittest.main()
