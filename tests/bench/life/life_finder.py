"""A wrong result among many: how long a node takes from the moment that it knows to the transaction's name."""
import re

from life_cluster import NODES, Cluster, fail, until

KNOWS = "looks for the first transaction that does"
NAMES = re.compile(r"^(\d+) error: .*first transaction that differs is at position (\d+) ")


def stamp(lines, words):
    """Microseconds of the first line with these words."""
    return next(int(line.split(" ", 1)[0]) for line in lines if words in line)


def finder(args, folder):
    wrong = NODES - 1
    planted = args.finder_entries // 3
    with Cluster(args, f"{folder}/finder", args.finder_slots) as cluster:
        for node in range(NODES):
            cluster.start(node, *(["--wrong-at", planted] if node == wrong else []))
        cluster.all_ready(range(NODES))
        with cluster.load(nodes=range(wrong), wanted=args.finder_entries) as load:
            load.done()
        # The search goes over all that comes before the first checkpoint, so this has to come after all of them.
        if cluster.said(0)["slot"] >= args.finder_slots:
            fail("the first checkpoint came before all entries: give a larger --finder-slots")
        process = cluster.nodes.pop(wrong)
        try:
            with cluster.load(rate=500, nodes=range(wrong)):
                until(lambda: process.poll() is not None, "the node has not stopped", rest=0.2)
        finally:
            process.kill()
            process.wait()
        lines = cluster.log(wrong)
        named = next((found for found in map(NAMES.match, lines) if found), None)
        if not named or int(named[2]) != planted:
            fail(f"the node named another transaction than {planted}: {lines[-1]}")
        return {"entries": args.finder_entries, "planted_at": planted,
                "name_s": (int(named[1]) - stamp(lines, KNOWS)) / 1e6}
