#!/usr/bin/env python3
"""cmake/tests_that_changed.py runs again what a change can have changed: in a tree of its own with a ctest of three tests.

  changed_test.py SCRIPT"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(sys.argv.pop(1))

# Lists the tests of tests.json; of those asked for it notes the names, and those in `bad` fail.
CTEST = r'''#!/usr/bin/env python3
import json, pathlib, re, sys
here = pathlib.Path(__file__).parent
tests = json.loads((here / "tests.json").read_text())
if "--show-only=json-v1" in sys.argv:
    print(json.dumps({"tests": tests}))
    sys.exit(0)
wanted = re.compile(sys.argv[sys.argv.index("-R") + 1])
names = [t["name"] for t in tests if wanted.match(t["name"])]
bad = (here / "bad").read_text().split() if (here / "bad").exists() else []
(here / "ran").write_text(" ".join(names))
cases = "".join(f'<testcase name="{n}" status="{"fail" if n in bad else "run"}"/>' for n in names)
pathlib.Path(sys.argv[sys.argv.index("--output-junit") + 1]).write_text(f"<testsuite>{cases}</testsuite>")
sys.exit(8 if set(bad) & set(names) else 0)
'''


class Changed(unittest.TestCase):
    def setUp(self):
        self.place = tempfile.TemporaryDirectory()
        self.addCleanup(self.place.cleanup)
        self.root = pathlib.Path(self.place.name).resolve() / "tree"
        self.build, self.tools = self.root / "build", self.root.parent / "tools"
        for folder in ("cmake", "build/bin", "golden", "pages"):
            (self.root / folder).mkdir(parents=True)
        self.tools.mkdir()
        shutil.copy(SCRIPT, self.root / "cmake")
        for name, text in ((".gitignore", "build\n"), ("golden/one.json", "1"), ("pages/one.md", "a"), ("part.cpp", "int i;"),
                           ("test.py", "pass"), ("build/bin/unit", "program"), ("build/made", "m"), ("build/module", "m"), ("build/bin/thresher", "thresher")):
            (self.root / name).write_text(text)
        (self.build / "compile_commands.json").write_text(json.dumps([
            {"command": f'c++ -DGOLDEN=\\"{self.root}/golden\\" -DMADE=\\"{self.build}/made\\" -o x/CMakeFiles/unit.dir/unit.o -c unit.cpp'}]))
        (self.tools / "ctest").write_text(CTEST)
        (self.tools / "ctest").chmod(0o755)
        (self.tools / "tests.json").write_text(json.dumps([
            {"name": "unit", "command": [f"{self.build}/bin/unit"],
             "properties": [{"name": "ENVIRONMENT", "value": [f"THRESHER_MODULE={self.build}/module"]}]},
            {"name": "script", "command": ["python3", f"{self.root}/test.py", f"{self.build}/bin/thresher"]},
            {"name": "whole", "command": ["python3", f"{self.root}/test.py", str(self.root)]}]))
        subprocess.run(["git", "init", "-q", self.root], check=True)
        self.assertEqual(self.run_changed(), ["unit", "script", "whole"])

    def run_changed(self, status=0, **more):
        ran = self.tools / "ran"
        ran.unlink(missing_ok=True)
        done = subprocess.run([sys.executable, self.root / "cmake" / SCRIPT.name, self.build], capture_output=True, text=True,
                              env={**os.environ, "PATH": f"{self.tools}:{os.environ['PATH']}", **more})
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return ran.read_text().split() if ran.exists() else []

    def change(self, name):
        path = self.root / name
        path.write_text(path.read_text() + "+")
        return self.run_changed()

    def test_what_passed_as_it_is_does_not_run_again(self):
        self.assertEqual(self.run_changed(), [])

    def test_a_program_that_changed_runs_and_what_runs_it(self):
        self.assertEqual(self.change("build/bin/unit"), ["unit", "whole"])
        self.assertEqual(self.change("build/bin/thresher"), ["script", "whole"])

    def test_files_that_a_program_was_told_of_count(self):
        self.assertEqual(self.change("golden/one.json"), ["unit", "script", "whole"])

    def test_what_the_build_made_for_a_program_counts(self):
        self.assertEqual(self.change("build/made"), ["unit"])
        self.assertEqual(self.change("build/module"), ["unit"])

    def test_pages_count_for_scripts_and_code_for_who_has_the_whole_tree(self):
        self.assertEqual(self.change("pages/one.md"), ["script", "whole"])
        self.assertEqual(self.change("part.cpp"), ["whole"])

    def test_a_new_file_counts_before_git_knows_it(self):
        (self.root / "golden/two.json").write_text("2")
        self.assertEqual(self.run_changed(), ["unit", "script", "whole"])

    def test_what_the_environment_says_counts(self):
        self.assertEqual(self.run_changed(THRESHER_VECTORS="elsewhere"), ["unit", "script", "whole"])

    def test_what_failed_runs_again_until_it_passes(self):
        (self.tools / "bad").write_text("unit")
        (self.build / "bin/unit").write_text("worse")
        self.assertEqual(self.run_changed(status=8), ["unit", "whole"])
        self.assertEqual(self.run_changed(status=8), ["unit"])
        (self.tools / "bad").unlink()
        self.assertEqual(self.run_changed(), ["unit"])
        self.assertEqual(self.run_changed(), [])


if __name__ == "__main__":
    unittest.main()
