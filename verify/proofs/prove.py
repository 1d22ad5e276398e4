#!/usr/bin/env python3
"""Builds the proofs, holds what they assume against assumptions.txt, and checks them with Coq's independent checker.

    prove.py BUILD_FOLDER [--oracle | --once]     --oracle: only Oracle.v and the oracle program made from it
                                                  --once: without the independent checker, which takes half as long
                                                  again, and without the runs that show that no hypothesis is idle
                                                  (*Teeth), but for those that a proof stands on

Exit 0: every theorem listed is proved and assumes nothing. Exit 1: something fails, with the file and Coq's words.
Exit 5: Coq is not installed.
"""
import argparse
import pathlib
import re
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
FILES = ["Weight", "Model", "Proof", "Spec", "Teeth", "Oracle", "Certified", "CertifiedProof", "CertifiedOrder",
         "CertifiedGate", "CertifiedTeeth", "TwoDelay", "TwoDelayForms", "TwoDelayTeeth", "Schedule", "Pbft", "PbftProof",
         "PbftTeeth", "LiveModel", "LiveTotal", "Live", "LiveTeeth"]
# Coq's virtual machine computes these runs in seconds. The independent checker has none and would take many minutes.
NOT_CHECKED_AGAIN = {"LiveTeeth"}
FOR_ORACLE = ["Oracle"]
GIVEN_UP = re.compile(r"\b(Admitted|admit|Axiom|Axioms|Parameter|Parameters|Conjecture|Unset Guard Checking|bypass_check)\b")
COMMENT = re.compile(r"\(\*.*?\*\)", re.S)
ASKED = re.compile(r"^Print Assumptions (\S+)\.\n?", re.M)
REQUIRED = re.compile(r"^(?:From \S+ )?Require (?:Import |Export )?([^.]+)\.", re.M)
CLOSED = "Closed under the global context"


def fail(message, status=1):
    print(f"prove: {message}", file=sys.stderr)
    sys.exit(status)


def run(command, folder):
    done = subprocess.run(command, cwd=folder, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode:
        fail(f"{' '.join(command)} failed:\n{done.stdout}")
    return done.stdout


def needed(names):
    """`names` and all that they stand on, in the order of FILES. A .vo left by a whole run would hide one that is missing."""
    wanted = set(names)
    for name in reversed(FILES):
        if name in wanted:
            source = COMMENT.sub(" ", (HERE / f"{name}.v").read_text())
            wanted.update(part for line in REQUIRED.findall(source) for part in line.split() if part in FILES)
    return [name for name in FILES if name in wanted]


def stale(folder, name, before):
    made = folder / f"{name}.vo"
    return not made.exists() or made.stat().st_mtime < max(before, (folder / f"{name}.v").stat().st_mtime)


def asked_once(text):
    """Its theorems' assumptions are asked for together, at the end: Coq goes through all that a theorem stands on each time."""
    asked = ASKED.findall(text)
    if not asked:
        return text
    return (ASKED.sub("", text) + "\nDefinition all_theorems := (" + ", ".join(f"@{name}" for name in asked) + ").\n"
            + "Print Assumptions all_theorems.\n")


def bring(name, folder):
    """Copies a source if it differs, so that an unchanged file is not proved again."""
    text = asked_once((HERE / name).read_text())
    if not (folder / name).exists() or (folder / name).read_text() != text:
        (folder / name).write_text(text)


def compile_all(names, folder):
    """What each file prints: its theorems' assumptions. Kept beside the .vo, for a build that finds nothing to do."""
    printed, before = {}, 0.0
    for name in names:
        source = COMMENT.sub(" ", (HERE / f"{name}.v").read_text())
        found = GIVEN_UP.search(source)
        if found:
            fail(f"{name}.v says '{found.group(1)}': nothing may be given up or assumed")
        said = folder / f"{name}.out"
        if stale(folder, name, before):
            said.write_text(run(["coqc", "-q", f"{name}.v"], folder))
        before = max(before, (folder / f"{name}.vo").stat().st_mtime)
        asked = ASKED.findall(source)
        lines = [line for line in said.read_text().splitlines() if line.strip()]
        if lines.count(CLOSED) != bool(asked) or any("Axioms:" in line for line in lines):
            fail(f"{name}.v: {len(asked)} theorems were asked for their assumptions, and have some:\n" + "\n".join(lines))
        printed[name] = asked
    return printed


def check_assumptions(printed):
    now = "".join(f"{name}.{theorem}: closed under the global context\n"
                  for name in printed for theorem in printed[name])
    wanted = "".join(line for line in (HERE / "assumptions.txt").read_text().splitlines(keepends=True)
                     if line.split(".", 1)[0] in printed)
    if now != wanted:
        fail("the theorems that are proved are not those of assumptions.txt; proved now:\n" + now)
    print(now, end="")


def check_again(folder):
    said = run(["coqchk", "-silent", "-o", *(name for name in FILES if name not in NOT_CHECKED_AGAIN)], folder)
    if not re.search(r"\* Axioms:\s*<none>", said):
        fail("coqchk found axioms:\n" + said)


def tables(folder, made, writer, parts):
    """`made` is what `writer` makes of `parts`: neither may change alone."""
    (folder / "tables").mkdir(exist_ok=True)
    for name in [writer, *parts]:
        shutil.copy(HERE / name, folder / "tables" / name)
    run([sys.executable, writer], folder / "tables")
    if (folder / "tables" / made).read_text() != (HERE / made).read_text():
        fail(f"{made} is not what {writer} writes")


def oracle(folder):
    shutil.copy(HERE / "oracle.ml", folder / "oracle.ml")
    run(["ocamlfind", "ocamlopt", "-O3", "-w", "-a", "thresher_rule.mli", "thresher_rule.ml", "oracle.ml", "-o",
         "thresher_rule_oracle"], folder)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--oracle", action="store_true")
    parser.add_argument("--once", action="store_true")
    options = parser.parse_args()
    for tool in ["coqc", "coqchk", "ocamlfind"]:
        if shutil.which(tool) is None:
            fail(f"{tool} is not installed; run ./dev setup, or as root apt-get install coq", 5)
    folder = options.folder
    folder.mkdir(parents=True, exist_ok=True)
    names = needed(FOR_ORACLE if options.oracle
                   else [name for name in FILES if not (options.once and name.endswith("Teeth"))])
    for name in names:
        bring(f"{name}.v", folder)
    printed = compile_all(names, folder)
    oracle(folder)
    if options.oracle:
        return
    tables(folder, "Teeth.v", "gen_teeth.py", ["Teeth.head", "Teeth.tail"])
    tables(folder, "LiveTeeth.v", "gen_live.py", ["LiveTeeth.head", "live_runs.py", "live_world.py"])
    check_assumptions(printed)
    if not options.once:
        check_again(folder)
    print(f"prove: {sum(map(len, printed.values()))} theorems, no axioms, nothing given up")


if __name__ == "__main__":
    main()
