#!/usr/bin/env python3
"""Measures the cluster: ./dev bench cluster [--runs 5] [--only NAME,...] [--out FILE]

Each figure is the median of the runs, beside the disk's fdatasync taken in the same run. JSON on
stdout, a table on stderr. Nothing else should run on the machine.
"""
import argparse
import json
import os
import pathlib
import signal
import statistics
import subprocess
import sys
import tempfile
import time


def fdatasync_ms(folder):
    with tempfile.NamedTemporaryFile(dir=folder) as f:
        times = []
        for _ in range(50):
            f.write(b"x" * 4096)
            f.flush()
            start = time.perf_counter()
            os.fdatasync(f.fileno())
            times.append((time.perf_counter() - start) * 1e3)
    return statistics.median(times)


class Bench:
    def __init__(self, binary, runs):
        self.binary, self.runs, self.rate = binary, runs, None

    def cluster(self, *options):
        out = subprocess.run([self.binary, "cluster", "--json", *options], capture_output=True, text=True)
        if out.returncode != 0:
            raise RuntimeError(f"cluster {' '.join(options)}: exit {out.returncode}: {out.stderr.strip()[-200:]}")
        return json.loads(out.stdout)

    def median(self, options, fields):
        rows = [self.cluster(*options) for _ in range(self.runs)]

        def get(row, field):
            for piece in field.split("."):
                row = row[piece]
            return row
        return {f: statistics.median(get(r, f) for r in rows) for f in fields}

    def saturated(self):
        got = self.median(["--duration", "8s"], ["tx_per_s", "cpu_us_per_tx", "bytes_per_payload_byte",
                                                 "latency_ms.p50", "latency_ms.p99"])
        self.rate = got["tx_per_s"]
        return got

    def share(self, part):
        if self.rate is None:
            self.saturated()
        return str(int(self.rate * part))

    def lonely(self):
        return self.median(["--duration", "5s", "--clients", "1", "--window", "1"], ["latency_ms.p50", "latency_ms.p99"])

    def half(self):
        return self.median(["--duration", "8s", "--rate", self.share(0.5)], ["latency_ms.p50", "latency_ms.p99"])

    def kill(self):
        return self.median(["--duration", "6s", "--kill", "2@3s"], ["longest_gap_ms"])

    def outage(self):
        return self.median(["--duration", "18s", "--rate", self.share(0.25), "--kill", "2@3s", "--restart", "2@13s"],
                           ["catch_up_ms"])

    def one_down(self):
        return self.median(["--duration", "8s", "--kill", "3@10ms"], ["tx_per_s", "latency_ms.p50"])

    def certified(self):
        """In turn with thresher: CPU a transaction, and calls for verdicts on certificates a round."""
        rows = {"thresher": [], "anchored-bullshark": []}
        for _ in range(self.runs):
            for protocol, got in rows.items():
                got.append(self.cluster("--duration", "5s", "--protocol", protocol))
        paced = self.cluster("--duration", "5s", "--protocol", "anchored-bullshark", "--rate", "2000")

        def middle(protocol, field):
            return statistics.median(r[field] for r in rows[protocol])
        ours, theirs = middle("anchored-bullshark", "cpu_us_per_tx"), middle("thresher", "cpu_us_per_tx")
        return {"cpu_us_per_tx": ours, "thresher_cpu_us_per_tx": theirs, "ratio": ours / theirs,
                "tx_per_s": middle("anchored-bullshark", "tx_per_s"),
                "certificate_calls_per_round": statistics.median(
                    r["verify"]["certificate_calls_per_round"] for r in rows["anchored-bullshark"]),
                "certificate_calls_per_round_at_2000": paced["verify"]["certificate_calls_per_round"]}

    def threads(self):
        """CPU a transaction of a node's busiest threads, by how many its loop may use, and how many transactions a second
        they allow for a node that has a core for each."""
        ticks = os.sysconf("SC_CLK_TCK")

        def seconds(pid):
            used = {}
            for task in pathlib.Path(f"/proc/{pid}/task").glob("*/stat"):
                head, rest = task.read_text().rsplit(")", 1)
                fields = rest.split()
                used[(task.parent.name, head.split("(", 1)[1])] = (int(fields[11]) + int(fields[12])) / ticks
            return used

        out = {}
        for count in (1, 2, 4):
            run = subprocess.Popen([self.binary, "cluster", "--json", "--duration", "8s", "--threads", str(count)],
                                   stdout=subprocess.PIPE, text=True, stderr=subprocess.DEVNULL)
            last = {}
            while run.poll() is None:
                children = subprocess.run(["pgrep", "-P", str(run.pid)], capture_output=True, text=True).stdout.split()
                for pid in children:
                    try:
                        last[pid] = seconds(pid) or last[pid]
                    except (OSError, KeyError, ValueError):
                        pass
                time.sleep(0.1)
            row = json.loads(run.stdout.read())
            busiest = {}
            for node in last.values():
                for (_, name), used in node.items():
                    busiest[name] = max(busiest.get(name, 0.0), used)
            each = {name: used / row["committed_tx"] * 1e6 for name, used in busiest.items() if name in ("loop", "writer", "helper")}
            out.update({f"{name}_us_per_tx_{count}": us for name, us in each.items()})
            out[f"cpu_us_per_tx_{count}"] = row["cpu_us_per_tx"]
            out[f"tx_per_s_{count}"] = row["tx_per_s"]
            out[f"a_node_allows_tx_per_s_{count}"] = 1e6 / max(each.values())
        return out

    def nodes(self, folder):
        subprocess.run([self.binary, "testnet", "init", "-n", "4", "-o", folder, "--base-port", "0"],
                       check=True, capture_output=True)
        return [subprocess.Popen([self.binary, "node", "run", "--home", f"{folder}/node{i}"],
                                 stderr=subprocess.DEVNULL) for i in range(4)]

    def status(self, folder, node):
        out = subprocess.run([self.binary, "node", "status", "--home", f"{folder}/node{node}", "--json"],
                             capture_output=True, text=True, check=True)
        return json.loads(out.stdout)

    def idle(self):
        seconds = 20
        with tempfile.TemporaryDirectory() as folder:
            folder = folder + "/net"
            nodes = self.nodes(folder)
            try:
                time.sleep(2)
                subprocess.run([self.binary, "submit", "--home", f"{folder}/node0", "--data", "x"], check=True,
                               capture_output=True)
                time.sleep(3)
                ticks = os.sysconf("SC_CLK_TCK")

                def cpu(pid):
                    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
                    return (int(fields[11]) + int(fields[12])) / ticks
                before = [cpu(n.pid) for n in nodes]
                sent = [self.status(folder, i)["sent_bytes"] for i in range(4)]
                time.sleep(seconds)
                used = [cpu(n.pid) - b for n, b in zip(nodes, before)]
                bytes_s = [(self.status(folder, i)["sent_bytes"] - s) / seconds for i, s in enumerate(sent)]
            finally:
                for n in nodes:
                    n.send_signal(signal.SIGTERM)
                for n in nodes:
                    n.wait()
        return {"cpu_percent_of_a_core_per_node": max(used) / seconds * 100, "bytes_per_s_per_node": max(bytes_s)}

    def memory(self):
        with tempfile.TemporaryDirectory() as folder:
            home = folder + "/net"
            run = subprocess.Popen([self.binary, "cluster", "--json", "--duration", "120s", "--home", home],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            samples = []
            while run.poll() is None:
                time.sleep(5)
                children = subprocess.run(["pgrep", "-P", str(run.pid)], capture_output=True, text=True).stdout.split()
                sizes = []
                for pid in children:
                    try:
                        text = pathlib.Path(f"/proc/{pid}/status").read_text()
                        sizes.append(int(text.split("VmRSS:")[1].split()[0]) / 1024)
                    except (OSError, IndexError):
                        pass
                if sizes:
                    samples.append(max(sizes))
        return {"mib_after_30_s": samples[min(5, len(samples) - 1)], "mib_at_the_end": samples[-1], "mib_peak": max(samples)}


SETTLE_S = 6
SCENARIOS = ["saturated", "lonely", "half", "kill", "outage", "one_down", "certified", "threads", "idle", "memory"]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("binary")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--only", default=",".join(SCENARIOS))
    parser.add_argument("--out")
    args = parser.parse_args()
    bench, result = Bench(args.binary, args.runs), {"runs": args.runs, "cores": os.cpu_count()}
    for name in args.only.split(","):
        if name not in SCENARIOS:
            parser.error(f"no scenario {name!r}; choose from {', '.join(SCENARIOS)}")
        # The scenario before left gigabytes behind, which the disk discards while it is idle.
        os.sync()
        time.sleep(SETTLE_S)
        sync = fdatasync_ms(tempfile.gettempdir())
        result[name] = {**getattr(bench, name)(), "fdatasync_ms": round(sync, 3)}
        print(f"{name:10} " + "  ".join(f"{k} {v:.3f}" for k, v in result[name].items()), file=sys.stderr, flush=True)
    text = json.dumps(result)
    print(text)
    if args.out:
        pathlib.Path(args.out).write_text(text + "\n")


if __name__ == "__main__":
    main()
