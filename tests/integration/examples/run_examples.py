#!/usr/bin/env python3
"""Installs the library, builds the examples outside the tree as a user would, and runs them.

    run_examples.py BUILD_DIR SOURCE_DIR THRESHER_BINARY
"""
import pathlib
import subprocess
import sys
import tempfile


def run(*command, **options):
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True, timeout=300, **options)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}: exit {done.returncode}\n{done.stdout}\n{done.stderr}")
    return done.stdout


def expect(condition, what):
    if not condition:
        sys.exit(f"expected: {what}")


def main():
    build, source, binary = map(pathlib.Path, sys.argv[1:4])
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        run("cmake", "--install", build, "--prefix", folder / "prefix")
        for name in ["kv", "replicated_log", "own_loop", "beacon"]:
            run("cmake", "-S", source / "examples" / name, "-B", folder / name, "-G", "Ninja",
                f"-DCMAKE_PREFIX_PATH={folder / 'prefix'}", "-DCMAKE_BUILD_TYPE=Release")
            run("cmake", "--build", folder / name)
        lines = run(folder / "own_loop" / "own_loop").split("\n")
        expect(sorted(lines[:4]) == [f"from node {i}" for i in range(4)], "own_loop commits four payloads")
        net = folder / "net"
        run(binary, "testnet", "init", "-n", "4", "-o", net, "--base-port", "0")
        nodes = [subprocess.Popen([folder / "kv" / "kv", net / f"node{i}"], stdin=subprocess.PIPE,
                                  stdout=subprocess.PIPE, text=True) for i in range(4)]
        try:
            def ask(node, line):
                nodes[node].stdin.write(line + "\n")
                nodes[node].stdin.flush()
                return nodes[node].stdout.readline().strip()
            expect(ask(0, "put colour blue") == "at position 0", "kv: the first put is at position 0")
            expect(ask(1, "put colour green") == "at position 1", "kv: the second put is at position 1")
            expect(ask(1, "get colour") == "green", "kv: the last put wins")
            out = run(folder / "replicated_log" / "replicated_log", net / "genesis.json", "third line")
            expect(out.splitlines()[:3] == ["0 colour blue", "1 colour green", "2 third line"],
                   "replicated_log prints the log in order")
        finally:
            for node in nodes:
                node.stdin.close()
            for node in nodes:
                expect(node.wait(timeout=30) == 0, "kv ends well")


if __name__ == "__main__":
    main()
