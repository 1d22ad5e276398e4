#!/usr/bin/env python3
"""What geography leaves to the path with two delays: when a leader's block commits, by round-trip times alone.

    two_delay_floor.py build/release/bin/thresher            # JSON, one line a table and committee

Node j makes its block of a round when Q blocks of the round before and its leader's are there. Node k commits a leader's block with
n - p blocks of the next round (two delays), or with Q blocks of the one after that (three). Nothing costs time but distance: no
jitter, signature, card or load. The leaders follow in turn; the first rounds are left out. Q is the quorum, ceil((n+f+1)/2)."""
import json
import statistics
import subprocess
import sys

ROUNDS, FIRST = 500, 100
COMMITTEES = ((10, 2, 1), (10, 3, 0))


def commits(delay, n, f, p):
    """Mean milliseconds from a leader's block to its commit, with two delays and with three."""
    quorum = (n + f) // 2 + 1
    made = [[0.0] * n]  # by round and node
    for r in range(ROUNDS):
        come = [[made[r][i] + delay[i][j] for i in range(n)] for j in range(n)]
        made.append([max(sorted(come[j])[quorum - 1], come[j][r % n]) for j in range(n)])

    def seen(r, k, count):
        return sorted(made[r][j] + delay[j][k] for j in range(n))[count - 1]

    rounds = range(FIRST, ROUNDS - 2)
    return (statistics.mean(seen(r + 1, k, n - p) - made[r][r % n] for r in rounds for k in range(n)),
            statistics.mean(seen(r + 2, k, quorum) - made[r][r % n] for r in rounds for k in range(n)))


def main():
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    listed = json.loads(subprocess.run([sys.argv[1], "sim", "list", "--json"], check=True, capture_output=True).stdout)
    for table in listed["wan"]:
        for n, f, p in COMMITTEES:
            if len(table["regions"]) < n:
                continue
            delay = [[0 if a == b else table["rtt"][a][b] / 2 for b in range(n)] for a in range(n)]
            two, three = commits(delay, n, f, p)
            print(json.dumps({"wan": table["name"], "n": n, "f": f, "p": p, "two_delays_ms": round(two, 1),
                              "three_delays_ms": round(three, 1), "less_ms": round(three - two, 1)}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
