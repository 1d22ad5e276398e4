#!/usr/bin/env python3
"""Every example in the opening comment of a public header stands, as code that is compiled, in a
file beside this test, between `// <header>` and `// </>`. The first lines that are indented by three blanks are the example. Comments
and white space do not count; `...` in a header stands for anything.

    tests/examples/headers/held_test.py ROOT
"""
import pathlib
import re
import sys

PARTS = ("coding", "core", "crypto", "net", "protocols", "sim", "testing", "text", "verify")
# What only another header includes has none of its own.
PART = re.compile(r"// Part of \w+\.hpp, which is to be included")
EXAMPLE = re.compile(r"^//   +(\S.*)$")


def bare(code: str) -> str:
    """Without comments and white space. A comment begins at `//` outside of a string."""
    out = []
    for line in code.splitlines():
        line = re.sub(r'("(?:[^"\\]|\\.)*")|//.*', lambda m: m.group(1) or "", line)
        out.append(re.sub(r"\s+", "", line))
    return "".join(out)


def example_of(header: pathlib.Path) -> str:
    lines = []
    for line in header.read_text().splitlines():
        if not line.startswith("//"):
            break
        found = EXAMPLE.match(line)
        if found:
            lines.append(found.group(1))
        elif lines:
            break
    return "\n".join(lines)


def regions_of(source: pathlib.Path):
    name, body = None, []
    for line in source.read_text().splitlines():
        begins = re.match(r"\s*// <(thresher/\S+)>$", line)
        if begins:
            name, body = begins.group(1), []
        elif line.strip() == "// </>":
            yield name, "\n".join(body)
            name = None
        elif name is not None:
            body.append(line)


def problems_in(root: pathlib.Path):
    here = root / "tests/examples/headers"
    compiled = {}
    for source in sorted(here.glob("*.cpp")):
        for name, body in regions_of(source):
            if name in compiled:
                yield f"{source}: a second region of {name}"
            compiled[name] = (source, body)
    headers = {h.relative_to(root / part / "include").as_posix(): h
               for part in PARTS for h in sorted(root.glob(f"{part}/include/thresher/**/*.hpp"))}
    for name in sorted(set(compiled) - set(headers)):
        yield f"{compiled[name][0]}: there is no header {name}"
    for name, header in headers.items():
        example = example_of(header)
        if not example and name in compiled:
            yield f"{header}: no example, but a region in {compiled[name][0]}"
        if not example and name not in compiled and not PART.match(header.read_text()):
            yield f"{header}: its opening comment has no example"
        if not example or (name in compiled and fits(example, compiled[name][1])):
            continue
        where = f"differs from {compiled[name][0]}" if name in compiled else "is not compiled"
        yield f"{header}: its example {where}; see CONTRIBUTING.md"


def fits(example: str, code: str) -> bool:
    pattern = ".*".join(re.escape(part) for part in bare(example).split("..."))
    return re.fullmatch(pattern, bare(code), re.DOTALL) is not None


def main() -> int:
    problems = list(problems_in(pathlib.Path(sys.argv[1])))
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
