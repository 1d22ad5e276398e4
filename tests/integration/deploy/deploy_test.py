#!/usr/bin/env python3
"""Alert rules, dashboard and unit file against a running node and the tools that read them."""
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.error
import urllib.request

BINARY, ROOT = sys.argv.pop(1), pathlib.Path(sys.argv.pop(1))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import held_ports  # noqa: E402
ALERTS, DASHBOARD = ROOT / "deploy/prometheus/alerts.yml", ROOT / "deploy/grafana/thresher.json"
UNIT = ROOT / "deploy/systemd/thresher@.service"
NAME = re.compile(r"\bthresher_[a-z_]+")


def metrics_of_a_node(members=2, *options, protocol="thresher", transactions=1):
    """The text of /metrics of a real node that has committed something, and its last answer to /readyz."""
    with tempfile.TemporaryDirectory() as folder:
        net, port = pathlib.Path(folder, "net"), held_ports.take()
        subprocess.run([BINARY, "testnet", "init", "-n", str(members), "-o", net, "--base-port", str(held_ports.take(members)),
                        "--protocol", protocol],
                       check=True, capture_output=True, timeout=60)
        toml = net / "node0" / "node.toml"
        before, after = toml.read_text().split("[metrics]")
        toml.write_text(before + "[metrics]" + after.replace('listen = ""', f'listen = "127.0.0.1:{port}"', 1))
        nodes = [subprocess.Popen([BINARY, "node", "run", "--home", net / f"node{i}", *(options if i == 0 else ())],
                                  stderr=subprocess.DEVNULL) for i in range(members)]
        try:
            for k in range(transactions):
                subprocess.run([BINARY, "submit", "--home", net / "node1", "--data", f"x{k}"], check=True,
                               capture_output=True, timeout=60)
            for _ in range(500):
                with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=30) as answer:
                    text = answer.read().decode()
                if re.search(rf"^thresher_committed_transactions_total {transactions}$", text, re.M):
                    try:
                        return text, urllib.request.urlopen(f"http://127.0.0.1:{port}/readyz", timeout=30).read().decode()
                    except urllib.error.HTTPError as e:
                        return text, e.read().decode()
                time.sleep(0.02)
            raise AssertionError(text)
        finally:
            for node in nodes:
                node.kill()
                node.wait(timeout=30)


class Monitoring(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.metrics, _ = metrics_of_a_node()
        cls.names = set(NAME.findall("\n".join(l for l in cls.metrics.splitlines() if not l.startswith("#"))))

    def expect_names(self, expressions):
        used = {name for e in expressions for name in NAME.findall(e)}
        self.assertGreater(len(used), 5)
        self.assertEqual(sorted(used - self.names), [])

    def test_stages_of_a_commit_are_counted(self):
        for stage in ("pool", "order", "apply"):
            self.assertRegex(self.metrics, rf'thresher_commit_stage_seconds_count{{stage="{stage}"}} [1-9]')

    def test_alerts_ask_for_metrics_that_exist(self):
        text = ALERTS.read_text()
        rules = re.findall(r"- alert: (\w+)\n\s+expr: (.+)\n", text)
        self.assertEqual(len(rules), text.count("- alert:"))
        self.assertEqual(len({name for name, _ in rules}), len(rules))
        self.assertEqual(text.count("summary:"), len(rules))
        self.assertEqual(text.count("severity:"), len(rules))
        self.expect_names([expression for _, expression in rules])

    # It is never ready, as docs/operations.md says, and nothing is wrong with it: no rule asks for what it does not do.
    def test_a_node_that_observes_raises_no_alarm(self):
        metrics, why = metrics_of_a_node(4, "--observe")
        self.assertTrue(why.startswith("observes"), why)
        value = {name: float(number) for name, number in re.findall(r"^(thresher_\w+) (\S+)$", metrics, re.M)}
        self.assertEqual(value["thresher_pool_bytes"], 0)
        self.assertLess(value["thresher_behind_slots"], 1000)
        self.assertNotIn("ready", ALERTS.read_text())

    # Rounds were views or terms there, and what others had reached were slots: each node was behind, more and more. And
    # followers of raft, which tell their leader alone how far they are, called each other late.
    def test_nobody_is_behind_where_slots_are_not_rounds(self):
        for protocol, members in (("pbft", 4), ("raft", 3), ("hotstuff2", 4)):
            with self.subTest(protocol):
                metrics, why = metrics_of_a_node(members, protocol=protocol, transactions=40)
                self.assertEqual(why.strip(), "ok")
                behind = re.findall(r"^thresher_(?:behind_slots|peer_lag_rounds\S*) (\S+)$", metrics, re.M)
                self.assertEqual(len(behind), members)
                self.assertLess(max(map(float, behind)), 20, metrics)

    def test_prometheus_reads_them(self):
        if shutil.which("promtool") is None:
            self.skipTest("promtool is not installed")
        done = subprocess.run(["promtool", "check", "rules", ALERTS], capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_the_dashboard_asks_for_metrics_that_exist(self):
        board = json.loads(DASHBOARD.read_text())
        expressions = [t["expr"] for panel in board["panels"] for t in panel["targets"]]
        self.assertGreater(len(expressions), 10)
        self.expect_names(expressions)
        places = [(p["gridPos"]["x"], p["gridPos"]["y"]) for p in board["panels"]]
        self.assertEqual(len(set(places)), len(places))

    def test_what_is_no_metric_is_found(self):
        with self.assertRaises(AssertionError):
            self.expect_names([" ".join(sorted(self.names)), "thresher_no_such_total"])

    def test_every_metric_has_its_line(self):
        told = dict(re.findall(r"^# HELP (thresher_\w+) (.+)$", self.metrics, re.M))
        families = {re.sub(r"_(bucket|sum|count)$", "", n) if n.startswith("thresher_commit_stage") else n for n in self.names}
        self.assertEqual(sorted(families - told.keys()), [])


class Unit(unittest.TestCase):
    def test_systemd_understands_it(self):
        if shutil.which("systemd-analyze") is None:
            self.skipTest("systemd-analyze is not installed")
        with tempfile.TemporaryDirectory() as folder:
            unit = pathlib.Path(folder, "thresher@node0.service")
            unit.write_text(UNIT.read_text().replace("/usr/bin/thresher", BINARY))
            done = subprocess.run(["systemd-analyze", "verify", "--man=no", "--recursive-errors=no", unit], capture_output=True,
                                  text=True, timeout=60)
            ours = [line for line in (done.stdout + done.stderr).splitlines() if "thresher@" in line]
            self.assertEqual(ours, [])

    def test_the_verbs_that_it_calls_are_there(self):
        for verb in re.findall(r"^Exec\w+=/usr/bin/thresher ((?:[a-z]+ )+)--home", UNIT.read_text(), re.M):
            done = subprocess.run([BINARY, *verb.split(), "--help"], capture_output=True, text=True, timeout=60)
            self.assertEqual(done.returncode, 0, verb)
            self.assertIn("--home", done.stdout)


if __name__ == "__main__":
    unittest.main()
