#!/usr/bin/env python3
"""The pages against the program: links, commands, options, keys, defaults, names of metrics."""
import functools
import html
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
import unittest

BINARY = sys.argv.pop(1) if len(sys.argv) > 1 and not sys.argv[1].startswith("-") else "thresher"
ROOT = pathlib.Path(__file__).resolve().parents[3]
PAGES = [*(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md")), *sorted((ROOT / "docs").rglob("*.md"))]


def prose(text):
    """Without blocks and spans of code, in which brackets are no links."""
    text = re.sub(r"^```.*?^```", "", text, flags=re.M | re.S)
    return re.sub(r"`[^`]*`", "code", re.sub(r"^    .*$", "", text, flags=re.M))


def links(page, text):
    """(target, anchor) of each link to another file or a heading."""
    for link in re.findall(r"\]\(([^)\s]+)\)", prose(text)):
        if not link.startswith(("http:", "https:")):
            name, _, anchor = link.partition("#")
            yield (page.parent / name).resolve() if name else page, anchor


def headings(text):
    for line in re.findall(r"^#+ (.*)$", text, re.M):
        yield re.sub(r"[^\w\- ]", "", line.strip().lower()).replace(" ", "-")


def commands(text):
    """The `thresher ...` commands in a page's blocks and spans of code, without what the shell takes."""
    blocks = re.findall(r"^```(?:console|sh)?\n(.*?)^```", text, re.M | re.S) + re.findall(r"^    .*$", text, re.M)
    blocks += [" ".join(span.split()) for span in re.findall(r"`(thresher\s[^`]+)`", text)]
    for line in "\n".join(blocks).splitlines():
        line = re.sub(r" #.*", "", line)
        for part in re.split(r";|&&|\|(?![a-z])", line):
            words = re.sub(r"[\[\]]", " ", part.split(">")[0]).split()
            words = words[words[0] == "$":] if words else words
            if words and words[0].rpartition("/")[2] == "thresher":
                yield words[1:]


@functools.cache
def help_of(*verb):
    out = subprocess.run([BINARY, *verb, "--help"], capture_output=True, text=True, timeout=60)
    return out.stdout if out.returncode == 0 else ""


def verbs_below(*path):
    listed = help_of(*path).partition("Subcommands:\n")[2].partition("Exit status:")[0]
    return [line.split()[0] for line in listed.splitlines() if line[:3].strip()]


def complaints(words):
    """What of a command the program does not know."""
    verb = []
    while words and not words[0].startswith("-") and verbs_below(*verb):
        if words[0] not in verbs_below(*verb):
            return [f"no verb {' '.join([*verb, words[0]])}"]
        verb.append(words[0])
        words = words[1:]
    known = set(re.findall(r"(?<![\w-])--?[a-z][\w-]*", help_of(*verb)))
    return [f"{' '.join(verb)} has no {word}" for word in words
            if re.match(r"--?[a-z]", word) and word.partition("=")[0] not in known]


def comments(path):
    """The comments of a source file, each run of lines joined to one text."""
    text = path.read_text()
    if path.suffix == ".py":
        return [" ".join(text.split())]
    runs = re.findall(r"(?:^[ \t]*//[^\n]*\n)+|//[^\n]*", text, re.M)
    return [" ".join(re.sub(r"^[ \t]*///?<?", "", run, flags=re.M).split()) for run in runs]


# What a citation may go on with after the page: a phrase of it in quotes, or the name of a rule.
CITATION = re.compile(r'(docs/[\w/.-]+\.md)(?:,? ((?:and )?"[^"]+"|R\d+\b|P\d\b))?')
# "PROTOCOLS 1.6", "THRESHER-DAG section 4", "AUTOMATA design": pages that nobody has who has the repository. Years of
# conferences and versions of tools have two digits and more.
ELSEWHERE = re.compile(r"\b([A-Z][A-Z-]{4,}(?:-\d)?(?:,?\s+sections?\s+\d[\d.]*|,? \d\.\d\b|\s+design\b))")


def unresolved(comment):
    """What of a comment's citations leads nowhere."""
    wrong = [f"{found} is in no repository" for found in ELSEWHERE.findall(comment)]
    for number in re.findall(r"\bADR (\d{3})", comment):
        if not list((ROOT / "docs/adr").glob(f"{number}-*.md")):
            wrong.append(f"there is no ADR {number}")
    for name, part in CITATION.findall(comment):
        page = ROOT / name
        if not page.exists():
            wrong.append(f"there is no {name}")
        elif part:
            words = part.removeprefix("and ").strip('"')
            text = " ".join(page.read_text().split())
            if not re.search(rf"(?<!\w){re.escape(words)}(?!\w)", text, re.I):
                wrong.append(f"{name} does not have {part}")
    return wrong


class Citations(unittest.TestCase):
    """A comment cites what a reader of the repository can open, and the words that it cites stand there."""

    maxDiff = None

    def test_every_citation_of_a_comment_resolves(self):
        listed = subprocess.run(["git", "-C", ROOT, "ls-files", "*.hpp", "*.cpp", "*.py"], check=True, capture_output=True,
                                text=True).stdout.split()
        found, wrong = 0, []
        for name in listed:
            path = ROOT / name
            if not path.exists() or path == pathlib.Path(__file__).resolve():
                continue
            for comment in comments(path):
                found += len(CITATION.findall(comment))
                wrong += [f"{name}: {what}" for what in unresolved(comment)]
        self.assertGreater(found, 60)
        self.assertEqual(wrong, [])

    def test_every_citation_of_a_page_resolves(self):
        self.assertEqual([f"{page.relative_to(ROOT)}: {found}" for page in PAGES
                          for found in ELSEWHERE.findall(prose(page.read_text()))], [])


# Which pages define the rules that comments of a source file name: the first pattern that matches its path under
# protocols/src/ or protocols/include/thresher/protocols/.
RULE_PAGES = [
    (r"chassis/", ["thresher", "mahi-mahi"]),
    (r"dag/", ["thresher", "two-delay", "mahi-mahi", "proof"]),
    (r"certified/", ["anchored", "proof"]),
    (r"digraph/", ["digraph"]),
    (r"order/pbft", ["pbft"]),
    (r"order/raft", ["raft"]),
    (r"order/(leader_chain|simplex|hotstuff2)", ["simplex", "hotstuff2"]),
    (r"order/(honey_badger|batch_seals)", ["honeybadger"]),
    (r"broadcast/(bracha|shelf|remains)", ["bracha"]),
    (r"broadcast/imbs_raynal", ["imbs-raynal"]),
    (r"broadcast/avid", ["avid"]),
    (r"broadcast/das_xiang_ren", ["das-xiang-ren"]),
    (r"broadcast/coded", ["avid", "das-xiang-ren"]),
    (r"broadcast/chain", ["chained-echo"]),
    (r"broadcast/signed", ["signed"]),
    (r"agreement/round", ["agreement"]),
    (r"agreement/approximate", ["approximate-agreement"]),
    (r"agreement/common_subset", ["common-subset"]),
    (r"agreement/mvba", ["mvba"]),
    (r"agreement/gather|coin/(avss|setup_free)", ["setup-free-coin"]),
    (r"coin/committee", ["committee-coin"]),
    (r"coin/dkg", ["dkg"]),
    (r"coin/vrf", ["vrf-coin"]),
    (r"coin/local", ["local-coin"]),
    (r"coin/threshold", ["threshold-coin"]),
]
RULE = re.compile(r"(?<![\w`:-])([A-Z]\d{1,2})(?![\w`(])")
# Letters with a number that are names of the cases of a vote (tables.hpp), of a standard or of a set.
NOT_RULES = re.compile(r"agreement/(tables|table_parts)\.hpp$")


def defined(page):
    """The labels that a page defines, each with the number of times: *X1*, **X1, or X1 in front of a line of code."""
    text = (ROOT / f"docs/protocols/{page}.md").read_text()
    return [*re.findall(r"\*([A-Z]\d{1,2})\b(?!')", text), *re.findall(r"^ {4,}([A-Z]\d{1,2})  ", text, re.M),
            *re.findall(r"^\| `([A-Z]\d{1,2})` \|", text, re.M)]


@functools.cache
def rules_of(path):
    """The labels that comments of this file may name; null: its folder has no page with rules."""
    part = re.sub(r"^protocols/(src|include/thresher/protocols)/", "", path)
    pages = next((pages for pattern, pages in RULE_PAGES if re.match(pattern, part)), None)
    return None if pages is None else {label for page in pages for label in defined(page)}


def unknown_rules(path, text):
    """The labels in the comments of a source file that its pages do not define."""
    known = rules_of(path)
    wrong = []
    # A page that is named beside a label is that label's: "rules R12 to R15 of docs/protocols/anchored.md".
    for comment in re.findall(r"//[^\n]*(?:\n[ \t]*//[^\n]*)*", text):
        names = [*re.findall(r"\b([\w-]+)\.md", comment)]
        more = {label for name in names if (ROOT / f"docs/protocols/{name}.md").exists() for label in defined(name)}
        wrong += [label for label in RULE.findall(comment) if label not in more and (known is None or label not in known)]
    return wrong


class Rules(unittest.TestCase):
    """A rule's label in a comment is defined on the page of that folder's protocol, and means one thing there."""

    maxDiff = None

    def test_every_rule_that_a_comment_names_is_on_its_page(self):
        listed = subprocess.run(["git", "-C", ROOT, "ls-files", "protocols/src", "protocols/include"], check=True,
                                capture_output=True, text=True).stdout.split()
        named, wrong = 0, []
        for name in listed:
            if not name.endswith((".hpp", ".cpp")) or NOT_RULES.search(name) or not (ROOT / name).exists():
                continue
            text = (ROOT / name).read_text()
            named += sum(len(RULE.findall(comment)) for comment in comments(ROOT / name))
            wrong += [f"{name}: {label}" for label in unknown_rules(name, text)]
        self.assertGreater(named, 350)
        self.assertEqual(wrong, [])

    def test_no_label_means_two_things_to_one_file(self):
        for pattern, pages in RULE_PAGES:
            labels = [label for page in pages for label in set(defined(page))]
            twice = {label for label in labels if labels.count(label) > 1}
            # Variants of one machine number the same rules alike.
            if pages not in (["simplex", "hotstuff2"], ["avid", "das-xiang-ren"]):
                self.assertEqual(twice, set(), pattern)

    def test_what_it_must_catch(self):
        self.assertEqual(unknown_rules("protocols/src/dag/a.cpp", "// D2. And D77.\nint D78;\n// T5, D3\n"), ["D77"])
        self.assertEqual(unknown_rules("protocols/src/order/raft.cpp", "// R6\n/// R7: no such rule\n"), ["R7"])
        self.assertEqual(unknown_rules("protocols/src/dag/a.cpp", "// docs/protocols/anchored.md, R15\n"), [])
        self.assertEqual(unknown_rules("protocols/src/new/a.cpp", "int x;  // R1\n"), ["R1"])


class Pages(unittest.TestCase):
    def test_no_line_of_a_paragraph_begins_as_an_item_of_a_list(self):
        """It is shown as one: "a signature" and, as item 64, "An edge of ..."."""
        for page in PAGES:
            text = re.sub(r"^```.*?^```", "", page.read_text(), flags=re.M | re.S)
            wrong = [found[1] for found in re.finditer(r"^ *(?:- |\d+\. )?[^\n|]{60,}[^\n.:|]\n *(\d{2,}\. [^\n]*)", text, re.M)]
            self.assertEqual(wrong, [], page.relative_to(ROOT))

    def test_links_lead_somewhere(self):
        for page in PAGES:
            for target, anchor in links(page, page.read_text()):
                with self.subTest(page=page.relative_to(ROOT), target=target, anchor=anchor):
                    self.assertTrue(target.exists())
                    if anchor:
                        self.assertIn(anchor, list(headings(target.read_text())))

    def test_every_page_is_two_clicks_from_the_manual(self):
        seen = {ROOT / "docs/README.md"}
        for _ in range(2):
            seen |= {target for page in seen if page.suffix == ".md" for target, _ in links(page, page.read_text())}
        self.assertEqual([p for p in PAGES if p not in seen and p.name != "README.md"], [])

    def test_commands_are_those_of_the_program(self):
        found = 0
        for page in PAGES:
            for words in commands(page.read_text()):
                found += 1
                with self.subTest(page=page.relative_to(ROOT), command=" ".join(words)):
                    self.assertEqual(complaints(words), [])
        self.assertGreater(found, 60)

    def test_examples_of_the_help_are_good(self):
        for verb in [[v, w] for v in verbs_below() for w in verbs_below(v)] + [[v] for v in verbs_below()]:
            for words in re.findall(r"Example: thresher (.*)", help_of(*verb)):
                with self.subTest(command=words):
                    self.assertEqual(complaints(words.split(">")[0].split()), [])

    def test_decisions_are_numbered_and_listed(self):
        folder = ROOT / "docs/adr"
        pages = sorted(folder.glob("[0-9]*.md"))
        self.assertEqual([p.name[:3] for p in pages], [f"{i + 1:03}" for i in range(len(pages))])
        index = (folder / "README.md").read_text()
        for page in pages:
            title = page.read_text().splitlines()[0].removeprefix("# ")
            number, _, what = title.partition(": ")
            self.assertIn(f"- [{number}]({page.name}): {what}\n", index)


class Lengths(unittest.TestCase):
    def test_a_file_has_as_many_lines_as_a_page_says(self):
        told = [(page, *found) for page in PAGES
                for found in re.findall(r"\[[^\]]*?\b(\d+)\s+lines\]\(([^)#]+)\)", page.read_text())]
        self.assertTrue(told)
        for page, lines, link in told:
            self.assertEqual(len((page.parent / link).read_text().splitlines()), int(lines), f"{page}: {link}")


class Diagrams(unittest.TestCase):
    """A diagram is text (docs/diagrams/NAME.dot) and the picture that `dot -Tsvg` made of it: every word and every
    arrow of the text must be in the picture, so that nobody changes one without the other."""

    def test_pictures_show_what_the_text_says(self):
        texts = sorted((ROOT / "docs/diagrams").glob("*.dot"))
        self.assertGreaterEqual(len(texts), 3)
        for text in texts:
            picture = html.unescape(text.with_suffix(".svg").read_text())
            source = re.sub(r"//.*", "", text.read_text())
            shown = set(re.findall(r"<text[^>]*>([^<]*)</text>", picture))
            for label in re.findall(r'label="([^"]*)"', source):
                for line in label.split("\\n"):
                    self.assertIn(line.strip(), {s.strip() for s in shown}, f"{text.name}: make the picture again")
            arrows = set(re.findall(r"<title>(\w+)->(\w+)</title>", picture))
            chains = [re.findall(r"\w+", re.sub(r"\[[^\]]*\]", "", part)) for part in source.split(";") if "->" in part]
            self.assertEqual(arrows, {pair for chain in chains for pair in zip(chain, chain[1:])}, text.name)


class BroadcastFigures(unittest.TestCase):
    """The table of docs/protocols/broadcast.md holds what `thresher bench broadcast` prints."""

    def test_the_small_rows_are_what_the_program_prints(self):
        sizes = {32: "32 B", 32 << 10: "32 KiB"}
        page = (ROOT / "docs/protocols/broadcast.md").read_text()
        out = subprocess.run([BINARY, "bench", "broadcast", "--nodes", "16", "--bytes", str(32 << 10), "--json"],
                             capture_output=True, text=True, timeout=100)
        rows = [row for row in map(json.loads, out.stdout.splitlines()) if row["payload_bytes"] in sizes]
        self.assertEqual(len(rows), 7 * 2 * 2)
        for r in rows:
            name = f"`{r['protocol']}`" + (f" c={r['c']}" if r["c"] else "")
            first, last = f"{r['median_delays']:g}", f"{r['last_delays']:g}"
            delays = first if first == last else f"{first} to {last}"
            row = (f"| {name} | {r['n']} | {r['f']} | {sizes[r['payload_bytes']]} | {round(r['messages']):,} "
                   f"| {round(r['bytes']):,} | {r['bytes_per_n_m']:.2f} | {delays} |")
            self.assertIn(row, page)


class Tests(unittest.TestCase):
    """Pages say by which tests something is held: those must be there, under that name."""

    def test_cited_cases_are_there(self):
        macro = r"(?:TEST|TEST_F|TEST_P|TYPED_TEST|RC_GTEST_PROP|RC_GTEST_FIXTURE_PROP)\(\s*(\w+),\s*(\w+)"
        there = {f"{suite}.{name}" for path in ROOT.glob("tests/**/*.cpp")
                 for suite, name in re.findall(macro, path.read_text())}
        suites = {name.partition(".")[0] for name in there}
        cited = {name for page in PAGES for name in re.findall(r"`([A-Z]\w+\.\w{3,}\*?)`", page.read_text())
                 if name.partition(".")[0] in suites}
        self.assertGreater(len(cited), 30)
        self.assertEqual([c for c in cited if not any(t == c or c[-1] == "*" and t.startswith(c[:-1]) for t in there)], [])

    def test_cited_programs_are_there(self):
        built = "".join(path.read_text() for path in ROOT.glob("tests/**/CMakeLists.txt"))
        kinds = "unit|property|conformance|integration|cuda|ptx|bench"
        cited = {name for page in PAGES for name in re.findall(rf"`((?:{kinds})_[a-z_]+)`", page.read_text())}
        self.assertGreater(len(cited), 20)
        self.assertEqual([c for c in cited if not re.search(rf"\b{c}(\b|_)", built)], [])


class WireVersions(unittest.TestCase):
    """Of what is on the wire: nothing that ages, and what the program does."""

    def test_the_schema_names_no_version_that_ages(self):
        head = (ROOT / "net/proto/thresher.proto").read_text().partition("syntax")[0]
        self.assertNotRegex(head, r"wire version \d")

    def test_who_gets_a_welcome(self):
        header = (ROOT / "net/include/thresher/net/transport.hpp").read_text()
        first, oldest = (int(re.search(rf"{name} = (\d+);", header)[1]) for name in ("kClientVersion", "kOldestClientVersion"))
        page = " ".join((ROOT / "docs/client-protocol.md").read_text().split())
        self.assertIn(f"for clients of version {first} and later; one of version {oldest} gets none", page)


class Operations(unittest.TestCase):
    TEXT = (ROOT / "docs/operations.md").read_text()

    def test_every_key_of_a_node_with_its_default(self):
        told = tomllib.loads(re.search(r"^```toml\n(.*?)^```", self.TEXT, re.M | re.S).group(1))
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([BINARY, "testnet", "init", "-n", "4", "-o", folder], check=True, capture_output=True)
            self.assertEqual(told, tomllib.loads(pathlib.Path(folder, "node0/node.toml").read_text()))

    def test_every_metric(self):
        names = re.findall(r'\{"thresher_(\w+)"', (ROOT / "net/src/http/metrics.cpp").read_text())
        self.assertGreater(len(names), 20)
        section = self.TEXT.partition("## Metrics")[2].partition("\n## ")[0]
        rows = " ".join(line for line in section.splitlines() if line.startswith("|"))
        self.assertEqual(sorted(re.findall(r"`(\w+)`", rows)), sorted(names))


class TheChecksThemselves(unittest.TestCase):
    def test_what_they_must_catch(self):
        page = ROOT / "docs/README.md"
        self.assertEqual(list(links(page, "[a](none.md#b) `[c](d)`\n\n    [e](f)\n")), [(ROOT / "docs/none.md", "b")])
        block = "    thresher sim rum x; thresher sim run --sed 1  # --no\n    ./thresher verify [--json] > y\n"
        self.assertEqual([complaints(c) for c in commands(block)], [["no verb sim rum"], ["sim run has no --sed"], []])
        self.assertEqual(list(headings("# On `this`: that!\n")), ["on-this-that"])
        for comment, wrong in [("Source: PROTOCOLS 1.6.", 1), ("the AUTOMATA design says", 1), ("ARCHITECTURE section 2", 1), ("THRESHER-DAG-2, section\n2", 1),
                               ("RFC 8032; FIPS 180-2; ADR 001", 0), ("ADR 999", 1), ("docs/none.md", 1),
                               ("docs/protocols/anchored.md, R3", 0), ("docs/protocols/anchored.md, R33", 1),
                               ('docs/protocols/thresher.md, "Why it is safe"', 0),
                               ('docs/protocols/thresher.md, "Why it is not"', 1)]:
            self.assertEqual(len(unresolved(comment)), wrong, comment)


@unittest.skipUnless(shutil.which("doxygen"), "doxygen is not installed (./dev setup)")
class Reference(unittest.TestCase):
    """The reference that doxygen makes of the public headers."""

    def make(self, *more):
        """Its exit status, what it says, and the names of the pages."""
        with tempfile.TemporaryDirectory() as folder:
            settings = "\n".join([(ROOT / "docs/api/Doxyfile").read_text(), f"OUTPUT_DIRECTORY = {folder}", *more])
            out = subprocess.run(["doxygen", "-"], input=settings, text=True, capture_output=True, cwd=ROOT, timeout=100)
            return out.returncode, out.stdout + out.stderr, {p.name for p in pathlib.Path(folder).rglob("*.html")}

    def test_is_built_without_a_warning(self):
        status, said, pages = self.make()
        self.assertEqual((status, said), (0, ""))
        self.assertIn("classthresher_1_1net_1_1Node.html", pages)
        headers = [p.stem.replace("_", "__") + "_8hpp" for p in ROOT.glob("*/include/thresher/*/**/*.hpp")]
        self.assertGreater(len(headers), 100)
        self.assertEqual([h for h in headers if not any(h in page for page in pages)], [])

    def test_a_comment_about_what_is_not_there_is_an_error(self):
        with tempfile.NamedTemporaryFile("w", suffix=".hpp") as header:
            header.write("// Nothing.\n#pragma once\n/// @param gone is not there\nint kept(int here);\n")
            header.flush()
            status, said, _ = self.make(f"INPUT = {header.name}")
        self.assertNotEqual(status, 0)
        self.assertIn("gone", said)

    def test_the_first_page_names_headers_that_are_there(self):
        named = re.findall(r"`(thresher/[a-z/_]+\.hpp)`", (ROOT / "docs/api/main.md").read_text())
        self.assertGreater(len(named), 8)
        self.assertEqual([n for n in named if not list(ROOT.glob(f"*/include/{n}"))], [])


if __name__ == "__main__":
    unittest.main()
