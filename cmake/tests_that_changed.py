#!/usr/bin/env python3
"""The fast tests that a change can have changed, for `./dev check`. `./dev test` runs them all.

    cmake/tests_that_changed.py build/release -j 6       # further words are for ctest

A test that passed is not run again while all that it is made of stays as it was, byte for byte: its program; of the source tree what
the program was told of while it was compiled (a folder of golden files, a page, what the build made); for a script all that is no C++, and the programs that
it is handed; for one that is handed the build or the source tree, all of it. The installed packages and what the environment says to Thresher count
for every test. What passed stands in BUILD/passed.json; remove it to run all.

Exit: that of ctest; 0 when nothing is to be run."""
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
import xml.etree.ElementTree

ROOT = pathlib.Path(__file__).resolve().parents[1]
CODE = re.compile(r"\.(cpp|hpp|cu|cmake)$|(^|/)CMakeLists\.txt$")


def of_file(path, known={}):
    """The digest of a file; each is read once."""
    if path not in known:
        known[path] = hashlib.sha256(path.read_bytes()).hexdigest()
    return known[path]


def source_files():
    listed = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=ROOT, check=True,
                            capture_output=True, text=True).stdout
    return [ROOT / name for name in sorted(set(listed.split("\0"))) if name and (ROOT / name).is_file()]


class Tree:
    """What tests can be made of."""

    def __init__(self, build):
        self.build, self.files = build, source_files()
        self.compiled = json.loads((build / "compile_commands.json").read_text())
        dpkg = pathlib.Path("/var/lib/dpkg/status")
        self.outside = [of_file(dpkg) if dpkg.exists() else ""] + sorted(
            f"{name}={value}" for name, value in os.environ.items() if name.startswith("THRESHER_"))

    def told(self, program):
        """Files that a program reads: its definitions have their names, or their folders'. Some are made by the build."""
        mark = f"/{program.name}.dir/"
        names = {pathlib.Path(name) for one in self.compiled if mark in one["command"]
                 for name in re.findall(rf'-D\w+=\S*?({re.escape(str(ROOT))}/[\w./-]+)', one["command"])}
        made = sorted(n for n in names if self.build in n.parents and n.is_file())
        return made + [f for f in self.files if f in names or names.intersection(f.parents)]

    def made_of(self, command):
        words = [pathlib.Path(word) for word in command]
        programs = [w for w in words if w.is_file() and w.parent == self.build / "bin"]
        if self.build in words or ROOT in words:
            return self.files + sorted(f for f in (self.build / "bin").iterdir() if f.is_file())
        if words[0] in programs:
            return programs + self.told(words[0])
        return programs + [f for f in self.files if not CODE.search(str(f))]

    def digest(self, test):
        told = [value for p in test.get("properties", []) if p["name"] == "ENVIRONMENT" for value in p["value"]]
        handed = [pathlib.Path(value.partition("=")[2]) for value in told]
        files = self.made_of(test["command"]) + [f for f in handed if f.is_file()]
        lines = [*test["command"], *told, *self.outside, *(f"{f} {of_file(f)}" for f in files)]
        return hashlib.sha256("\n".join(map(str, lines)).encode()).hexdigest()


def passed_in(report):
    return {case.get("name") for case in xml.etree.ElementTree.parse(report).iter("testcase") if case.get("status") == "run"}


def main(build, options):
    build, record = build.resolve(), build / "passed.json"
    listed = subprocess.run(["ctest", "--test-dir", build, "-L", "fast", "--show-only=json-v1"], check=True, capture_output=True).stdout
    tree = Tree(build)
    # One whose program is missing has no command, and is run to fail.
    now = {t["name"]: tree.digest(t) if "command" in t else "" for t in json.loads(listed)["tests"]}
    passed = json.loads(record.read_text()) if record.exists() else {}
    due = [name for name, digest in now.items() if not digest or passed.get(name) != digest]
    print(f"[check] {len(due)} of {len(now)} fast tests to run: the rest passed as they are now", flush=True)
    if not due:
        return 0
    report = build / "passed.xml"
    status = subprocess.run(["ctest", "--test-dir", build, "-L", "fast", "-R", f"^({'|'.join(map(re.escape, due))})$", "--output-junit",
                             report, "--output-on-failure", *options], check=False).returncode
    good = passed_in(report)
    kept = {name: now[name] for name in now if name in good or (name not in due and name in passed)}
    record.write_text(json.dumps(kept, indent=1))
    return status


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    sys.exit(main(pathlib.Path(sys.argv[1]), sys.argv[2:]))
