#!/usr/bin/env python3
"""The build targets that tests need, one a line, for `./dev test NAME`.

    ctest --test-dir build/release -R unit_dag --show-only=json-v1 | cmake/targets_of_tests.py build/release

A test that is a program is its own target; one that is handed programs of the build (thresher) needs those; one that
is handed the build folder itself may look at anything in it and needs all.
"""
import json
import pathlib
import sys


def targets_of(tests, build):
    wanted = set()
    for test in tests:
        # ctest leaves the command out where the program is not built yet.
        words = [pathlib.Path(word) for word in test.get("command", [build / "bin" / test["name"]])]
        wanted |= {word.name for word in words if word.parent == build / "bin"}
        if build in words:
            wanted.add("all")
    return wanted


if __name__ == "__main__":
    print("\n".join(sorted(targets_of(json.load(sys.stdin)["tests"], pathlib.Path(sys.argv[1]).resolve()))))
