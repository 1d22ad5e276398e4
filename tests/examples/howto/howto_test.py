#!/usr/bin/env python3
"""Does what a page of docs/howto tells a reader to do, word for word, in an empty folder.

    howto_test.py install BUILD SOURCE FOLDER     what docs/howto/README.md says: FOLDER is then the reader's home
    howto_test.py page BUILD SOURCE FOLDER NAME   one page, in that home

The other machines of a page, 10.0.0.1 and so on, are folders here and their addresses are those of the loopback device;
`ssh` and `scp` go to them.
"""
import os
import pathlib
import shlex
import shutil
import signal
import subprocess
import sys

from pages import Page, shows

SECONDS = 880  # on a busy machine; most pages take a few
SSH = """#!/bin/sh
mkdir -p "$MACHINES/$1" && cd "$MACHINES/$1" && shift && exec sh -c "$*"
"""
SCP = """#!/bin/sh
for last in "$@"; do :; done
mkdir -p "$MACHINES/${last%%:*}"
while [ $# -gt 1 ]; do cp -r "$1" "$MACHINES/${last%%:*}/${last#*:}" || exit 1; shift; done
"""


def at_home(commands):
    """Ports from 10,000 on are those that other tests pick from."""
    return commands.replace("10.0.0.", "127.0.0.").replace(":26656", ":6656")


def script(page, folder):
    """The commands of a page for one bash, each block's output in a file of its own."""
    lines = ["set -euo pipefail"]
    for number, block in enumerate(page.commands):
        lines += [f"exec >{shlex.quote(str(folder))}/printed.{number} 2>&1", at_home(block.text)]
    return "\n".join(lines) + "\n"


def environment(home):
    return dict(os.environ, HOME=str(home), PATH=f"{home / 'thresher/bin'}:{home / 'tools'}:{os.environ['PATH']}")


def run(commands, folder, env):
    """Ends whatever the commands started. The exit status of the last one."""
    env = dict(env, MACHINES=str(folder / "machines"))
    shell = subprocess.Popen(["bash", "-c", commands], cwd=folder, env=env, stdin=subprocess.DEVNULL, start_new_session=True)
    try:
        return shell.wait(timeout=SECONDS)
    finally:
        try:
            os.killpg(shell.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass


def printed(folder, number):
    path = folder / f"printed.{number}"
    return path.read_text(errors="replace") if path.exists() else ""


def problems_of(page, folder, env):
    yield from page.problems
    for name, content in page.files.items():
        (folder / name).write_text(content)
    status = run(script(page, folder), folder, env)
    done = [n for n in range(len(page.commands)) if (folder / f"printed.{n}").exists()]
    if status != 0:
        yield f"exit {status} in:\n{page.commands[done[-1]].text}\n{printed(folder, done[-1])}"
        return
    for number, block in enumerate(page.commands):
        if not shows(block.prints, printed(folder, number)):
            yield f"these commands:\n{block.text}print:\n{printed(folder, number)}where the page shows:\n{block.prints}"


def fresh(folder):
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder


def install(build, source, home):
    """The block of docs/howto/README.md; `./dev build` was done by who runs this test."""
    fresh(home)
    tools = fresh(home / "tools")
    for name, content in (("ssh", SSH), ("scp", SCP)):
        (tools / name).write_text(content)
        (tools / name).chmod(0o755)
    checkout = fresh(home / "src/thresher")
    for entry in source.iterdir():
        if entry.name not in ("build", "dev"):
            (checkout / entry.name).symlink_to(entry)
    (checkout / "dev").write_text("#!/bin/sh\n")
    (checkout / "dev").chmod(0o755)
    (checkout / "build").mkdir()
    (checkout / "build/release").symlink_to(build)
    return problems_of(Page(source / "docs/howto/README.md"), checkout, environment(home))


def main():
    verb, (build, source, home) = sys.argv[1], (pathlib.Path(a).resolve() for a in sys.argv[2:5])
    if verb == "install":
        problems = list(install(build, source, home))
    else:
        name = sys.argv[5]
        page = Page(source / "docs/howto" / f"{name}.md")
        problems = list(problems_of(page, fresh(home / name), environment(home)))
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
