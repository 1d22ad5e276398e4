#!/usr/bin/env python3
"""Installs the library, builds the examples outside the tree as a user would, and runs them.

    run_examples.py BUILD_DIR SOURCE_DIR THRESHER_BINARY
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import held_ports  # noqa: E402


def run(*command, **options):
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True, timeout=300, **options)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}: exit {done.returncode}\n{done.stdout}\n{done.stderr}")
    return done.stdout


def expect(condition, what):
    if not condition:
        sys.exit(f"expected: {what}")


def compiled_once(folder):
    """Compilers remember what they compiled, where there is ccache: who runs the test again waits for what changed alone."""
    if shutil.which("ccache") is None:
        return []
    os.environ.update(CMAKE_CXX_COMPILER_LAUNCHER="ccache", CCACHE_BASEDIR=str(folder), CCACHE_NOHASHDIR="1",
                      CCACHE_SLOPPINESS="include_file_mtime,include_file_ctime,time_macros")
    return ["ccache"]


def build_all(source, names, folder):
    """Each is a project of its own; together they are configured once."""
    together = folder / "together"
    together.mkdir()
    (together / "CMakeLists.txt").write_text("cmake_minimum_required(VERSION 3.25)\nproject(together LANGUAGES CXX)\n" +
                                             "".join(f"add_subdirectory({source / name} {folder / name})\n" for name in names))
    run("cmake", "-S", together, "-B", together / "build", "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={folder / 'prefix'}",
        "-DCMAKE_BUILD_TYPE=")  # that it builds and works is asked here, not that it is fast
    run("cmake", "--build", together / "build")


def main():
    build, source, binary = map(pathlib.Path, sys.argv[1:4])
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        launcher = compiled_once(folder)
        run("cmake", "--install", build, "--prefix", folder / "prefix")
        build_all(source / "examples", ["kv", "ledger", "replicated_log", "own_loop", "beacon", "agree"], folder)
        libraries(source, folder, launcher)
        lines = run(folder / "own_loop" / "own_loop").split("\n")
        expect(sorted(lines[:4]) == [f"from node {i}" for i in range(4)], "own_loop commits four payloads")
        net = folder / "net"
        run(binary, "testnet", "init", "-n", "4", "-o", net, "--base-port", str(held_ports.take(4)))
        nodes = [subprocess.Popen([folder / "kv" / "kv", net / f"node{i}"], stdin=subprocess.PIPE,
                                  stdout=subprocess.PIPE, text=True) for i in range(4)]
        try:
            def ask(node, line):
                nodes[node].stdin.write(line + "\n")
                nodes[node].stdin.flush()
                return nodes[node].stdout.readline().strip()
            expect(ask(0, "put colour blue") == "blue", "kv: the first put is answered")
            expect(ask(1, "get colour") == "blue", "kv: a get at another node sees what ended before it")
            expect(ask(1, "put colour green") == "green", "kv: the second put is answered")
            for node in range(4):
                expect(ask(node, "get colour") == "green", f"kv: node {node} sees the last put")
            expect(ask(2, "get taste") == "there is no 'taste'", "kv: what failed is the answer")
            expect(ask(3, "colour") == "write 'put KEY VALUE' or 'get KEY'", "kv: nonsense is refused")
            out = run(folder / "replicated_log" / "replicated_log", net / "genesis.json", "get colour")
            expect(out.splitlines()[:2] == ["0 put colour blue", "1 get colour"], "replicated_log prints the log in order")
        finally:
            for node in nodes:
                node.stdin.close()
            for node in nodes:
                ended = node.wait(timeout=30)
                expect(ended == 0, f"kv ends well, and not with {ended}")
        ledger(folder / "ledger", binary, folder / "accounts")
        agree(folder / "agree" / "agree", binary, folder / "jobs")


def libraries(source, folder, launcher):
    """A client needs neither RocksDB nor prometheus: by CMake's component, and by pkg-config with the shared library."""
    prefix, client = folder / "prefix", folder / "client"
    client.mkdir()
    (client / "CMakeLists.txt").write_text(f"""cmake_minimum_required(VERSION 3.25)
project(client LANGUAGES C CXX)
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_DISABLE_FIND_PACKAGE_RocksDB TRUE)
set(CMAKE_DISABLE_FIND_PACKAGE_prometheus-cpp TRUE)
find_package(thresher REQUIRED COMPONENTS client)
add_executable(client {source}/examples/replicated_log/main.cpp)
target_link_libraries(client PRIVATE thresher::client)
find_package(thresher QUIET COMPONENTS rabbit)
if(thresher_FOUND)
  message(FATAL_ERROR "there is no rabbit")
endif()
""")
    run("cmake", "-S", client, "-B", client / "build", "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={prefix}")
    run("cmake", "--build", client / "build")
    places = [p.parent for p in prefix.rglob("thresher-client.pc")]
    expect(len(places) == 1, "one thresher-client.pc is installed")
    environment = dict(os.environ, PKG_CONFIG_PATH=str(places[0]))

    def flags(package, kind):
        return run("pkg-config", kind, package, env=environment).split()

    for example, package, program in (("replicated_log", "thresher-client", "by_pkg_config"), ("kv", "thresher", "kv")):
        made = client / f"{program}.o"
        run(*launcher, "c++", "-std=c++20", "-c", source / "examples" / example / "main.cpp", "-o", made,
            *flags(package, "--cflags"), cwd=client)
        run("c++", made, "-o", client / program, *flags(package, "--libs"), "-Wl,-rpath," + str(places[0].parent))
    for program in (client / "build" / "client", client / "by_pkg_config"):
        needed = run("ldd", program)
        for unwanted in ("rocksdb", "prometheus", "not found"):
            expect(unwanted not in needed, f"{program.name} does without {unwanted}: {needed}")
    expect("libthresher-client.so" in run("ldd", client / "by_pkg_config"), "the shared library is what pkg-config names")
    node = run("ldd", client / "kv")
    expect("libthresher.so" in node and "rocksdb" in node and "not found" not in node, "a node by pkg-config has its store")
    usage = subprocess.run([client / "by_pkg_config"], capture_output=True, text=True, timeout=60)
    expect("usage: replicated_log" in usage.stderr, "a program with the shared library starts")


def agree(program, binary, net):
    """Four programs decide who does a job; one of them is killed, and three go on."""
    run(binary, "testnet", "init", "--protocol", "mahi-mahi", "-n", "4", "-o", net, "--base-port", str(held_ports.take(4)))
    keys = [subprocess.Popen([binary, "dkg", "--home", net / f"node{i}"], stdout=subprocess.DEVNULL,
                             stderr=subprocess.DEVNULL) for i in range(4)]
    for node in keys:
        expect(node.wait(timeout=200) == 0, "agree: the nodes make their coin")
    names = ["alice", "bob", "carol", "dave"]
    nodes = [subprocess.Popen([program, net / f"node{i}", "yes", names[i], "1000000" if i == 3 else "60"],
                              stdout=subprocess.PIPE, text=True) for i in range(4)]
    try:
        first = nodes[3].stdout.readline()
        nodes[3].kill()
        lines = [node.communicate(timeout=200)[0].splitlines() for node in nodes[:3]]
        expect(lines[0] == lines[1] == lines[2] and len(lines[0]) == 60, "agree: three programs have the same answers")
        expect(lines[0][0] == first.strip(), "agree: and so had the one that was killed")
        expect(all(f"job {k}: yes, by " in line and line.split()[-1] in names for k, line in enumerate(lines[0])),
               "agree: every job is done by one of them")
    finally:
        for node in nodes:
            node.kill()
            node.wait()


def ledger(programs, binary, net):
    """Pays, overdraws, and goes on from its snapshot after all nodes were stopped."""
    run(binary, "testnet", "init", "-n", "4", "-o", net, "--base-port", str(held_ports.take(4)))

    def client(key, *words, good=True):
        done = subprocess.run([programs / "ledger_client", net / "genesis.json", net / key, *words],
                              capture_output=True, text=True, timeout=60)
        expect((done.returncode == 0) == good, f"ledger: {words} ends with {0 if good else 1}: {done.stderr}")
        return (done.stdout + done.stderr).strip()

    alice, bob = client("alice.key", "account"), client("bob.key", "account")
    for start in ("first", "second"):
        nodes = [subprocess.Popen([programs / "ledger_node", net / f"node{i}"], stdin=subprocess.PIPE) for i in range(4)]
        try:
            if start == "first":
                expect(client("alice.key", "pay", bob, "30") == "paid; 70 are left", "ledger: alice pays")
                expect(client("alice.key", "pay", bob, "71", good=False) == "overdraft: there are 70",
                       "ledger: an overdraft is refused with a result")
                expect(client("bob.key", "pay", alice, "130") == "paid; 0 are left", "ledger: bob pays what he got")
            else:
                expect(all((net / f"node{i}" / "data" / "snapshot").exists() for i in range(4)), "ledger: snapshots are there")
                expect(client("alice.key", "pay", bob, "200") == "paid; 0 are left", "ledger: it goes on after a restart")
            expect(client("alice.key", "balance", bob) == ("0" if start == "first" else "200"), "ledger: balances are right")
        finally:
            for node in nodes:
                node.stdin.close()
            for node in nodes:
                ended = node.wait(timeout=30)
                expect(ended == 0, f"ledger_node ends well, and not with {ended}")


if __name__ == "__main__":
    main()
