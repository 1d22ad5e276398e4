#!/usr/bin/env python3
"""A protocol of a user's own, built outside the tree: its test finds the planted bug, the printed command replays it,
and docs/simulator/your-protocol.md shows the code and the output as they are. After a change of what schedules are
drawn, THRESHER_UPDATE_GOLDEN=1 writes the output anew: read then whether the page's words still fit it.

    your_protocol.py BUILD_DIR SOURCE_DIR THRESHER_BINARY
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from run_examples import compiled_once, expect, run

SCENARIO = "Echo.WithFewerDoesNot.scenario.json"


def plain(text, folder):
    """What is printed, without what differs from machine to machine."""
    return re.sub(r" \(\d+ ms\)", "", text.replace(str(folder), "/home/me/build"))


def blocks(page):
    return re.findall(r"^```(\w+)\n(.*?)^```$", page.read_text(), re.MULTILINE | re.DOTALL)


def check_code(page, example):
    """Every block of code is a part of a file of the example, word for word."""
    files = [path.read_text() for path in sorted(example.iterdir())]
    code = [text for language, text in blocks(page) if language in ("cpp", "cmake")]
    expect(len(code) == 3, f"three blocks of code in {page}, not {len(code)}")
    for text in code:
        expect(any(text in content for content in files), f"{page} shows what {example} has:\n{text}")


def told(printed):
    """The lines that the page shows: how a schedule fails, or the steps of a scenario."""
    steps = re.findall(r"^\[\d.*\n", printed, re.MULTILINE)
    failure = re.search(r"^agreement:(.*\n)+?\[  FAILED.*\n", printed, re.MULTILINE)
    return "".join(steps) if steps else failure.group(0)


def update_output(page, outputs):
    fresh = iter(outputs)

    def block(_):
        typed, printed = next(fresh)
        return f"```console\n$ {typed}\n{told(printed)}```\n"
    page.write_text(re.sub(r"^```console\n.*?^```\n", block, page.read_text(), flags=re.MULTILINE | re.DOTALL))


def check_output(page, outputs):
    if os.environ.get("THRESHER_UPDATE_GOLDEN"):
        update_output(page, outputs)
    shown = [text.split("\n", 1) for language, text in blocks(page) if language == "console"]
    expect(len(shown) == len(outputs), f"{len(outputs)} blocks of output in {page}, not {len(shown)}")
    for (command, text), (typed, printed) in zip(shown, outputs):
        expect(command == "$ " + typed, f"{page} shows the command `{typed}`, not `{command}`")
        expect(text in printed, f"{page} shows what is printed:\n{printed}\nwhere it has:\n{text}")


def build_outside(build, source, folder):
    run("cmake", "--install", build, "--prefix", folder / "prefix")
    run("cmake", "-S", source / "examples" / "your_protocol", "-B", folder / "build", "-G", "Ninja",
        f"-DCMAKE_PREFIX_PATH={folder / 'prefix'}", "-DCMAKE_BUILD_TYPE=Release",
        "-DCMAKE_CXX_FLAGS=-Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror")
    run("cmake", "--build", folder / "build")
    return folder / "build"


def shell(command, cwd):
    return subprocess.run(command, shell=True, cwd=cwd, capture_output=True, text=True, timeout=120,
                          env={k: v for k, v in os.environ.items() if k != "THRESHER_SCENARIO"})


def main():
    source_build, source, binary = (pathlib.Path(a).resolve() for a in sys.argv[1:4])
    page = source / "docs" / "simulator" / "your-protocol.md"
    check_code(page, source / "examples" / "your_protocol")
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder).resolve()
        compiled_once(folder)
        build = build_outside(source_build, source, folder)
        found = shell(f"{build}/echo_test", build)
        expect(found.returncode == 1, f"the planted bug is found:\n{found.stdout}{found.stderr}")
        expect("[       OK ] Echo.WithAQuorumAgrees" in found.stdout, "a quorum of echoes is enough")
        expect((build / SCENARIO).exists(), "the scenario is saved")
        command, again = replayed(found, folder)
        told = run_binary(binary, build / SCENARIO)
        expect(told.returncode == 2 and command in told.stderr, f"sim replay names the command:\n{told.stderr}")
        check_output(page, [(plain(typed, build), plain(done.stdout, build))
                            for typed, done in [(f"{build}/echo_test", found), (command, again)]])
        quoted = folder / "a user's folder"
        shutil.copytree(build, quoted)
        replayed(shell("./echo_test --gtest_filter='*Fewer*'", quoted), folder)


def replayed(found, elsewhere):
    """The command that a failing test printed, and what it does in another folder."""
    command = re.search(r"replay: (.*)", found.stdout).group(1)
    again = shell(command, elsewhere)
    expect(again.returncode == 1 and "agreement: node" in again.stdout,
           f"`{command}` replays:\n{again.stdout}{again.stderr}")
    return command, again


def run_binary(binary, scenario):
    return subprocess.run([binary, "sim", "replay", scenario], capture_output=True, text=True, timeout=60)


if __name__ == "__main__":
    main()
