#!/usr/bin/env python3
"""The house rules that a program can check: layers, banned includes, lengths, symbols.

    check_style.py ROOT [--objects DIR]     exit 1 and one line per breach
    check_style.py --self-test              every rule must catch its bad sample

ratchet.txt beside this file lists functions and files that were too long when the rule came; a
number there may only fall, and must follow when the file gets shorter ("PATH N" for a file's lines,
"PATH() N" for its longest function).
"""
import argparse
import collections
import os
import pathlib
import re
import subprocess
import sys
import tempfile

PARTS = ["core", "text", "crypto", "coding", "protocols", "net", "sim", "testing", "verify", "cli"]
MAY_SEE = {
    "core": {"core"},
    "text": {"core", "text"},
    "crypto": {"core", "crypto"},
    "coding": {"core", "coding"},
    "protocols": {"core", "crypto", "coding", "protocols"},
    "net": {"core", "text", "crypto", "coding", "protocols", "net"},
    "sim": {"core", "text", "crypto", "coding", "protocols", "sim"},
    "testing": {"core", "text", "protocols", "sim", "testing"},
    "verify": {"core", "text", "protocols", "verify"},
    "cli": set(PARTS),
}
# The folders of net/src: each may include from itself and from those before it.
NET_FOLDERS = ["files", "host", "links", "wire", "ledger", "engines", "store", "http", "service", "client", "channels", "config",
               "journal", "life", "node"]
PURE = {"core", "coding", "protocols"}
TEXTS = {".md", ".hpp", ".cpp", ".cu", ".proto", ".txt", ".py", ".json", ".toml", ".yml", ".cmake", ".sh"}
IMPURE_HEADERS = {"chrono", "random", "thread", "mutex", "atomic", "iostream", "unordered_map", "unordered_set",
                  "filesystem", "ctime", "future", "condition_variable", "shared_mutex"}
IMPURE_CALLS = re.compile(r"(?<![\w.>])(?:std::)?(?:rand|srand|time|clock)\s*\(|std::hash\b|std::random_device|std::unordered_\w+")
HEAVY = {"thresher.pb.h": 2, "google/protobuf/": 2, "boost/asio": 4, "boost/beast": 1, "spdlog/": 2, "CLI/": 2, "nlohmann/": 2, "toml++/": 2}
FAULTS = r"(?:\w+\s*(?:\.|->|::)\s*)*f(?:aults?)?_?\b(?:\s*\(\s*\))?"
# For those who want Boost.Asio in their own code; no part of Thresher includes it.
ON_TOP_OF_ASIO = "net/include/thresher/net/completion.hpp"
QUORUM_LITERAL = re.compile(rf"\b[23]u?\s*\*\s*{FAULTS}\s*\+\s*1u?\b|(?<![\w.]){FAULTS}\s*\*\s*[23]u?\s*\+\s*1u?\b")
IMPURE_SYMBOLS = re.compile(r"\b(?:clock_gettime|gettimeofday|time|rand|random|getrandom|getentropy|socket|connect|"
                            r"recv|sendmsg|_ZNSt6chrono\w*now\w*|randombytes\w*)$")
SWITCH = re.compile(r"\bswitch\s*\(")
ENUMERATOR = re.compile(r"\bcase\s+(?:\w+\s*::\s*)*k[A-Z]\w*\s*:(?!:)")
DEFAULT = re.compile(r"\bdefault\s*:(?!:)")
MAX_FUNCTION, MAX_FILE = 70, 600
INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]', re.M)


def strip(text):
    """Comments and literals become blanks, so that only code is judged; line numbers stay."""
    def blank(match):
        return re.sub(r"[^\n]", " ", match.group(0))
    return re.sub(r'R"\((?:.|\n)*?\)"|//[^\n]*|/\*(?:.|\n)*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'', blank, text)


def part_of(path):
    return path.parts[0] if path.parts[0] in PARTS else None


def beside(path, header):
    return pathlib.Path(os.path.normpath(path.parent / header))


def check_includes(path, text):
    part = part_of(path)
    if part is None:
        return
    for header in INCLUDE.findall(text):
        pieces = header.split("/")
        if pieces[0] == "thresher" and len(pieces) > 1 and pieces[1] in PARTS and pieces[1] not in MAY_SEE[part]:
            yield f"{path}: {part} may not include {header}"
        if ".." in pieces and part_of(beside(path, header)) != part:
            yield f"{path}: {header} climbs out of {part}; include public headers by their full name"
        if part in PURE and header in IMPURE_HEADERS:
            yield f"{path}: {part} may not include <{header}>: the same inputs must give the same bytes"
        yield from check_net_folder(path, pieces)
        if header == "thresher/net/completion.hpp":
            yield f"{path}: {header} is for users of Boost.Asio outside of Thresher's parts"
        if header.startswith("boost/asio") and str(path) not in {"net/src/links/asio.hpp", ON_TOP_OF_ASIO}:
            yield f"{path}: include net/src/links/asio.hpp instead of {header}"
        if header.startswith("sodium") and part == "core" and path.name != "hash.cpp":
            yield f"{path}: only core/src/hash.cpp calls libsodium"
        heavy = any(header.startswith(h) for h in HEAVY) and str(path) != ON_TOP_OF_ASIO
        if path.suffix == ".hpp" and "include" in path.parts and heavy:
            yield f"{path}: a public header may not include {header}"


def check_net_folder(path, pieces):
    """The tree of net/src points one way: `pieces` are those of a header that `path` includes."""
    if path.parts[:2] != ("net", "src") or len(path.parts) < 4 or path.parts[2] == "demo" or pieces[0] not in NET_FOLDERS:
        return
    if path.parts[2] not in NET_FOLDERS:
        yield f"{path}: net/src has no folder {path.parts[2]}; NET_FOLDERS lists them in their order"
    elif NET_FOLDERS.index(pieces[0]) > NET_FOLDERS.index(path.parts[2]):
        yield f"{path}: net/src/{path.parts[2]} may not include {'/'.join(pieces)}"


def check_heavy(files):
    users = collections.defaultdict(set)
    includes = {p: INCLUDE.findall(t) for p, t in files.items()}
    for path, headers in includes.items():
        for header in headers:
            for heavy in HEAVY:
                if header.startswith(heavy):
                    users[heavy].add(path)
    by_name = collections.defaultdict(set)
    for path in files:
        by_name[path.name].add(path)
    for heavy, found in users.items():
        todo, sources = list(found), set()
        while todo:  # private headers pass it on to the sources that include them
            path = todo.pop()
            if path.suffix == ".cpp":
                sources.add(path)
                continue
            for other, headers in includes.items():
                if part_of(other) == part_of(path) and any(h.split("/")[-1] == path.name for h in headers):
                    if other not in found:
                        found.add(other)
                        todo.append(other)
        sources = {s for s in sources if part_of(s)}
        if len(sources) > HEAVY[heavy]:
            yield f"{heavy} is in {len(sources)} sources ({', '.join(map(str, sorted(sources)))}); at most {HEAVY[heavy]}"


def check_cycles(files):
    """No header includes itself through others. Names resolve as the compiler resolves them here."""
    by_name = {}
    for path in files:
        parts = path.parts
        for root in ("include", "src"):
            if root in parts:
                by_name[(part_of(path) if root == "src" else None, "/".join(parts[parts.index(root) + 1:]))] = path
    edges = {}
    for path, text in files.items():
        headers = INCLUDE.findall(text)
        targets = (beside(path, h) if beside(path, h) in files else
                   by_name.get((None, h)) or by_name.get((part_of(path), h)) for h in headers)
        edges[path] = [t for t in targets if t]
    state = {}

    def visit(path, way):
        state[path] = "open"
        for target in edges[path]:
            if state.get(target) == "open":
                ring = way[way.index(target):] + [target]
                yield f"{path}: headers include each other in a ring: {' -> '.join(map(str, ring))}"
            elif target not in state:
                yield from visit(target, way + [target])
        state[path] = "done"
    for path in edges:
        if path not in state:
            yield from visit(path, [path])


def check_purity(path, code):
    if part_of(path) in PURE:
        for number, line in enumerate(code.split("\n"), 1):
            if IMPURE_CALLS.search(line):
                yield f"{path}:{number}: no clock, no randomness and no std::hash here"
    if part_of(path) in {"core", "protocols", "net", "sim"} and path.name != "threshold.hpp":
        for number, line in enumerate(code.split("\n"), 1):
            if QUORUM_LITERAL.search(line):
                yield f"{path}:{number}: name the quorum (core/threshold.hpp) instead of writing it out"


def functions(code):
    """(line, length) of every block that opens after a ')' and is not a control statement or a scope."""
    depth, starts = 0, []
    opener = re.compile(r"\)\s*(?:const|noexcept|override|final|mutable|->\s*[\w:<>,*&\s]+|:\s*[^;{}]*[)}])*\s*$")
    line, head = 1, ""
    for c in code:
        if c == "\n":
            line += 1
        if c == "{":
            control = re.search(r"\b(?:if|for|while|switch|catch)\s*(?:constexpr\s*)?\([^{};]*$", head)
            starts.append(line if opener.search(head) and not control else None)
            head = ""
        elif c == "}":
            if starts:
                begin = starts.pop()
                if begin is not None:
                    yield begin, line - begin + 1
            head = ""
        elif c == ";":
            head = ""
        else:
            head += c


def check_lengths(path, text, code, ratchet):
    if path.suffix not in {".hpp", ".cpp"}:
        return
    lines = text.count("\n")
    for name, now in ((str(path), lines), (f"{path}()", max((n for _, n in functions(code)), default=0))):
        if now < ratchet.get(name, 0):
            yield f"{name}: is down to {now}; ratchet.txt must follow (it says {ratchet[name]})"
    if lines > ratchet.get(str(path), MAX_FILE):
        yield f"{path}: {lines} lines; at most {ratchet.get(str(path), MAX_FILE)}"
    longest = max((n for _, n in functions(code)), default=0)
    limit = ratchet.get(f"{path}()", MAX_FUNCTION)
    if longest > limit:
        at = next(b for b, n in functions(code) if n == longest)
        yield f"{path}:{at}: a function of {longest} lines; at most {limit}"


def closing(code, at):
    """The place of the bracket that closes the one at `at`."""
    open_, close = code[at], {"(": ")", "{": "}"}[code[at]]
    depth = 0
    for place in range(at, len(code)):
        depth += {open_: 1, close: -1}.get(code[place], 0)
        if depth == 0:
            return place
    return len(code)


def check_switches(path, code):
    """A default swallows the enumerator that is added later; without one the compiler names every switch that lacks it."""
    bodies = []
    for match in SWITCH.finditer(code):
        begin = code.find("{", closing(code, match.end() - 1))
        bodies.append((begin, closing(code, begin)) if begin >= 0 else (0, 0))
    for begin, end in bodies:
        own = code[begin:end]
        for inner, inner_end in bodies:  # what stands in a switch inside of it is not its own
            if begin < inner and inner_end <= end:
                own = own.replace(code[inner:inner_end], " ")
        if ENUMERATOR.search(own) and DEFAULT.search(own):
            line = code.count("\n", 0, begin) + 1
            yield f"{path}:{line}: a switch over enumerators has a default; name all of them, and judge bytes of the wire before or after"


def check_header(path, text):
    if path.suffix == ".hpp" and part_of(path):
        if not text.startswith("//"):
            yield f"{path}: a header opens with what it is for"
        if "#pragma once" not in text:
            yield f"{path}: #pragma once is missing"


def check_objects(folder):
    for part in sorted(PURE):
        objects = sorted(pathlib.Path(folder, part).rglob("*.o"))
        if not objects:
            yield f"{folder}: no object files of {part} there; build first, or the check looks at nothing"
        for obj in objects:
            out = subprocess.run(["nm", "--undefined-only", str(obj)], capture_output=True, text=True, check=True).stdout
            for symbol in (line.split()[-1].split("@")[0] for line in out.splitlines() if line.strip()):
                if IMPURE_SYMBOLS.search(symbol):
                    yield f"{obj}: {part} may not use {symbol}"


def read_ratchet(path):
    rows = [r.split() for r in path.read_text().splitlines() if r and not r.startswith("#")] if path.exists() else []
    return {name: int(limit) for name, limit in rows}


def texts_in(root):
    """What is built is left out before it is looked into: tests beside this one make folders there and remove them."""
    for folder, inner, names in os.walk(root):
        if pathlib.Path(folder) == root:
            inner[:] = [name for name in inner if name not in ("build", ".git")]
        yield from (path for path in (pathlib.Path(folder, name) for name in names) if path.suffix in TEXTS and path.is_file())


def check_conflicts(root):
    """What a merge left half done, in any text: a changelog does not compile, so nothing else would notice."""
    for path in sorted(texts_in(root)):
        place = path.relative_to(root)
        for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1):
            if re.match(r"(<{7}|>{7})( |$)", line):
                yield f"{place}:{number}: a conflict of a merge is left here"


def check_tree(root, ratchet):
    root = pathlib.Path(root)
    yield from check_conflicts(root)
    files = {}
    for folder in PARTS + ["tests", "examples"]:
        for path in sorted(root.joinpath(folder).rglob("*.[ch]pp")):
            files[path.relative_to(root)] = path.read_text()
    if not files:
        yield f"{root}: no sources found"
    for path, text in files.items():
        code = strip(text)
        yield from check_includes(path, text)
        yield from check_purity(path, code)
        yield from check_lengths(path, text, code, ratchet)
        yield from check_switches(path, code)
        yield from check_header(path, text)
    for name in ratchet:
        if pathlib.Path(name.removesuffix("()")) not in files:
            yield f"{name}: is gone; take it out of ratchet.txt"
    yield from check_heavy(files)
    yield from check_cycles(files)


SAMPLES = {  # a file, its content, what the complaint must say
    "sim/src/a.cpp": ('#include "thresher/net/node.hpp"\n', "sim may not include"),
    "notes.md": ("<" * 7 + " HEAD\none\n", "a conflict of a merge"),
    "protocols/src/t.cpp": ('#include "thresher/text/json.hpp"\n', "protocols may not include"),
    "text/src/s.cpp": ('#include "thresher/sim/read.hpp"\n', "text may not include"),
    "core/src/b.cpp": ("#include <chrono>\n", "may not include <chrono>"),
    "protocols/src/c.cpp": ("int f() { return rand(); }\n", "no clock, no randomness"),
    "net/src/d.cpp": ("int q = 2 * f + 1;\n", "name the quorum"),
    "core/src/d2.cpp": ("bool g() { return n >= 2 * committee.faults() + 1; }\n", "name the quorum"),
    "protocols/src/c2.cpp": ("std::unordered_map<int, int> m;\n", "no clock, no randomness"),
    "sim/src/e2.cpp": ('#include "../../net/src/secret.hpp"\n', "climbs out"),
    "verify/include/thresher/verify/r1.hpp": (
        '// x\n#pragma once\n#include "thresher/verify/r2.hpp"\n', "in a ring"),
    "verify/include/thresher/verify/r2.hpp": (
        '// x\n#pragma once\n#include "thresher/verify/r1.hpp"\n', "in a ring"),
    "net/src/ledger/l.cpp": ('#include "node/impl.hpp"\n', "net/src/ledger may not include node/impl.hpp"),
    "net/src/odd/l.cpp": ('#include "node/impl.hpp"\n', "net/src has no folder odd"),
    "net/src/d3.cpp": ('#include "thresher/net/completion.hpp"\n', "outside of Thresher's parts"),
    "net/src/e.cpp": ("#include <boost/asio.hpp>\n", "include net/src/links/asio.hpp"),
    "core/include/thresher/core/f.hpp": ("#include <vector>\n", "opens with what it is for"),
    "net/include/thresher/net/g.hpp": ("// x\n#pragma once\n#include <nlohmann/json.hpp>\n", "public header"),
    "cli/src/h.cpp": ("void f() {\n" + "  g();\n" * 80 + "}\n", "a function of 82 lines"),
    "cli/src/h2.cpp": ("int f(E e) {\n  switch (e) {\n    case E::kOne: return 1;\n    default: return 2;\n  }\n}\n",
                       "cli/src/h2.cpp:2: a switch over enumerators has a default"),
    "cli/src/i.cpp": ("int x;\n" * 700, "700 lines"),
    "cli/src/j1.cpp": ("#include <CLI/CLI.hpp>\n", "CLI/ is in 3 sources"),
    "cli/src/j2.cpp": ("#include <CLI/CLI.hpp>\n", "CLI/ is in 3 sources"),
    "cli/src/j3.cpp": ('#include "j.hpp"\n', "CLI/ is in 3 sources"),
    "cli/src/j.hpp": ("// x\n#pragma once\n#include <CLI/CLI.hpp>\n", "CLI/ is in 3 sources"),
}


def self_test():
    with tempfile.TemporaryDirectory() as folder:
        for name, (text, _) in SAMPLES.items():
            path = pathlib.Path(folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        found = list(check_tree(folder, {}))
        for name, (_, wanted) in SAMPLES.items():
            if not any(wanted in f and (name in f or " is in " in f) for f in found):
                yield f"self-test: nothing caught {name} ({wanted})"
        ratchet = {"cli/src/i.cpp": 900, "cli/src/h.cpp()": 82, "cli/src/none.cpp": 700}
        found = list(check_tree(folder, ratchet))
        for wanted in ("cli/src/i.cpp: is down to 700", "cli/src/none.cpp: is gone"):
            if not any(wanted in f for f in found):
                yield f"self-test: the ratchet let pass: {wanted}"
        if any("a function of 82" in f or "h.cpp(): is down" in f for f in found):
            yield "self-test: the ratchet does not allow what it lists"
        if sum("no object files" in f for f in check_objects(folder)) != len(PURE):
            yield "self-test: an empty build folder passed"
        good = pathlib.Path(folder, "good", "core/src/ok.cpp")
        good.parent.mkdir(parents=True)
        good.write_text('#include <vector>\n// rand() in a comment\nconst char* s = "rand()";\nint runtime(int x) { return x; }\n'
                        'int offset(int half) { return 2 * half + 1; }\n'
                        'int of(E e, int i) { switch (e) { case E::kA: switch (i) { case 1: return 1; default: return 2; } } return 0; }\n')
        yield from (f"self-test: false alarm: {f}" for f in check_tree(pathlib.Path(folder, "good"), {}))
        source = pathlib.Path(folder, "objects/core/o.cpp")
        source.parent.mkdir(parents=True)
        source.write_text("#include <cstdlib>\nint f() { return std::rand(); }\n")
        subprocess.run(["c++", "-c", str(source), "-o", str(source.with_suffix(".o"))], check=True)
        if not any("may not use rand" in f for f in check_objects(source.parent.parent)):
            yield "self-test: nm did not catch rand()"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("root", nargs="?")
    parser.add_argument("--objects", help="build folder whose object files of core and protocols are looked at")
    parser.add_argument("--self-test", action="store_true")
    args = parser.parse_args()
    if args.self_test:
        found = list(self_test())
    else:
        found = list(check_tree(args.root, read_ratchet(pathlib.Path(__file__).with_name("ratchet.txt"))))
        if args.objects:
            found += check_objects(args.objects)
    for line in found:
        print(line)
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
