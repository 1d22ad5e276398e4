#!/usr/bin/env python3
"""Writes LiveTeeth.v: the runs of live_runs.py as tables, and for each the theorem that it breaks no law but one."""
import pathlib

from live_runs import RUNS

LAWS = ["live", "complete", "patience", "wait", "same", "honest", "order", "leave", "vote", "claim", "dense", "accept",
        "move", "floor", "push", "kept", "ask", "prove", "owed", "fetch"]
SAID = {"EByz": "Lie", "ESign": "Sign", "ERecv": "Recv", "EAccept": "Accept"}


def entered(run, node, round_, time):
    return any(t <= time and e[0] == "ESign" and run.blocks[e[1]].author == node and run.blocks[e[1]].round >= round_
               for t, e in run.events)


def begins(run, round_):
    for t in range(run.end + 1):
        if sum(entered(run, x, round_, t) for x in run.good) > len(run.liars):
            return t
    raise SystemExit(f"{run.name}: round {round_} never begins")


def stuck(run, at):
    """A node that holds too few claims and whose floor is low."""
    for x in run.good:
        floor = max([e[2] for t, e in run.events if e[0] == "EFloor" and e[1] == x] + [0])
        held = [run.blocks[e[2]] for t, e in run.events if t <= at and e[0] == "ERecv" and e[1] == x]
        claims = {}
        for b in held:
            if b.claim and b.round == run.slot + 2:
                claims.setdefault(b.claim, set()).add(b.author)
        if floor < run.slot and all(len(who) < run.commit for who in claims.values()):
            return x
    return None


def numbers(values):
    return "[" + "; ".join(str(x) for x in values) + "]"


def table(run, function):
    return "[" + "; ".join(numbers(function(x, k) for k in range(run.slot + 4)) for x in range(run.n)) + "]"


def write(run):
    E0, E = begins(run, run.slot - 1), begins(run, run.slot)
    heard = run.delta + run.fetch + run.owed + run.delta + run.owed
    hz = E + 2 * (heard + run.longest) + run.delta
    assert hz <= run.end, run.name
    names = list(run.blocks)
    number = {name: i for i, name in enumerate(names)}
    one = lambda x: f"(Some {number[x]})" if x else "None"
    rows = ";\n  ".join(
        f"mkrow {b.author} {b.round} {one(b.own)} {one(b.vote)} {one(b.claim)} {numbers(number[p] for p in b.parents)}"
        f"  (* {number[x]}: {x} *)" for x, b in run.blocks.items())

    def event(e):
        if e[0] in ("ESign", "EByz"):
            return f"{SAID[e[0]]} {number[e[1]]}"
        if e[0] == "EFloor":
            return f"Raise {e[1]} {e[2]}"
        return f"{SAID[e[0]]} {e[1]} {number[e[2]]}"

    events, line = [], ""
    for t, e in run.events:
        if t > hz:
            break
        item = f"({t}, {event(e)})"
        if len(line) + len(item) > 115:
            events.append(line)
            line = ""
        line += item + "; "
    events.append(line.rstrip("; "))
    x = run.name
    out = [f"\n(* {run.about} *)", f"Definition R_{x} : list row := [\n  {rows}].",
           f"Definition B_{x} : Blocks := Teeth.tb R_{x}.",
           f"Definition P_{x} : Params := par {run.n} {len(run.liars)} {run.votes} {run.commit} {run.parents_min} "
           f"{run.amplify} {numbers(sorted(run.liars))}.",
           f"Definition E_{x} := events R_{x} [\n  " + "\n  ".join(events) + "].",
           f"Definition S_{x} : list (@state B_{x}) := @scan P_{x} B_{x} init E_{x}.",
           f"Definition Q_{x} : setting := mkset (fun x k => nth k (nth x {table(run, run.leader)} []) 0)\n  "
           f"{numbers(sorted(run.out))} (fun x k => nth k (nth x {table(run, run.wait)} []) 0)\n  {run.completes} "
           f"{run.delta} {run.ask} {run.prove} {run.fetch} {run.owed} {run.patience} {run.longest} {run.slot} {hz}.",
           f"Definition T_{x} := @timed P_{x} B_{x} Q_{x} E_{x} S_{x}.",
           f"Lemma L_{x} : @Legal P_{x}.\nProof. apply Teeth.laws_legal. vm_compute. reflexivity. Qed.",
           f"Lemma C_{x} : @Clocked P_{x} B_{x} T_{x}.\nProof. apply played_clocked. vm_compute. reflexivity. Qed."]
    leader = run.leads[run.slot]
    if run.law is None:
        out.append(f"Theorem on_time_{x} : @Live P_{x} B_{x} T_{x} /\\ @due P_{x} B_{x} T_{x} {E0} {E} {leader} = true.\n"
                   "Proof. split; [apply laws_live; vm_cast_no_check (eq_refl (repeat true 20))|vm_compute; reflexivity]. Qed.")
    else:
        who = stuck(run, hz)
        if who is None:
            raise SystemExit(f"{run.name}: it commits")
        out.append(f"Theorem late_{x} : @laws P_{x} B_{x} T_{x} = only {LAWS.index(run.law)} /\\ @late P_{x} B_{x} T_{x}.\n"
                   f"Proof.\n  split; [vm_cast_no_check (eq_refl (only {LAWS.index(run.law)}))|].\n"
                   f"  apply (@bare_late P_{x} B_{x} T_{x} L_{x} C_{x} {E0} {E} {leader} {who}); vm_cast_no_check (eq_refl true).\nQed.")
    return "\n".join(out) + "\n"


def main():
    here = pathlib.Path(__file__).resolve().parent
    runs = [kind() for kind in RUNS]
    asked = ["no_late"] + [("on_time_" if run.law is None else "late_") + run.name for run in runs]
    text = (here / "LiveTeeth.head").read_text() + "".join(write(run) for run in runs)
    (here / "LiveTeeth.v").write_text(text + "\n" + "".join(f"Print Assumptions {name}.\n" for name in asked))


if __name__ == "__main__":
    main()
