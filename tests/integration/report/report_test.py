"""Opens the simulator's reports in a real headless browser and looks for their parts.

    python3 report_test.py path/to/thresher

Skipped with a message where no Chromium is installed.
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

THRESHER = sys.argv.pop(1)
LONG = "THRESHER_LONG" in os.environ  # the slow test, which has all results on its page
BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


def thresher(*args):
    return subprocess.run([THRESHER, *args], capture_output=True, text=True, timeout=100)


def browser(*args):
    with tempfile.TemporaryDirectory() as profile:
        return subprocess.run(
            [BROWSER, "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic",
             "--no-first-run", "--disable-background-networking", "--disable-component-update",
             "--disable-sync", f"--user-data-dir={profile}", "--virtual-time-budget=2000", *args],
            capture_output=True, text=True, timeout=100)


def opened(page):
    """The page as the browser understood it."""
    result = browser("--dump-dom", page.as_uri())
    assert result.returncode == 0, result.stderr
    return result.stdout


def too_wide(page, folder, *widths):
    """Elements that reach beyond a page of these widths. What is moved sideways in a box of its own may be wider than the
    screen. Headless browsers have a least width, so the page is shown in frames, which have none."""
    measured = pathlib.Path(folder) / "measured.html"
    frame = page.read_text().replace("&", "&amp;").replace('"', "&quot;")
    frames = "".join(f'<iframe width="{width}" height="900" srcdoc="{frame}"></iframe>' for width in widths)
    measured.write_text(f"""<!DOCTYPE html><body>{frames}
<output id="wide"></output><script>onload = () => {{ for (const shown of document.querySelectorAll("iframe")) {{
  const page = shown.contentDocument, most = page.documentElement.clientWidth;
  const moved = e => {{
    for (let at = e.parentElement; at; at = at.parentElement)
      if (/auto|scroll|hidden/.test(at.ownerDocument.defaultView.getComputedStyle(at).overflowX)) return true;
    return false;
  }};
  const found = [...page.body.querySelectorAll("*")].filter(
    e => e.getBoundingClientRect().right > most + 0.5 && !moved(e)).map(e => e.tagName + "." + e.getAttribute("class"));
  document.getElementById("wide").textContent += shown.width + ": " +
    page.body.querySelectorAll("*").length + " elements, page " + page.documentElement.scrollWidth + " of " + most +
    ": " + found.slice(0, 5).join(" ") + ";";
}}}};</script></body>""")
    output = re.search(r'<output id="wide">(.*?)</output>', opened(measured), re.S)[1]
    found = re.findall(r"(\d+): (\d+) elements, page (\d+) of (\d+): ([^;]*);", output)
    assert [int(f[0]) for f in found] == list(widths) and all(int(f[1]) > 20 for f in found), "the page was not measured"
    return [f for f in found if int(f[2]) > int(f[3]) or f[4]]


class Report(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.page = pathlib.Path(self.folder.name) / "report.html"

    def assert_alone(self, dom):
        """Nothing is fetched: no script, no link, no address but the name of SVG."""
        self.assertNotRegex(dom, r"<(script|link|img|iframe)\b")
        self.assertEqual(set(re.findall(r"https?://[^\"'\s<]+", dom)) - {"http://www.w3.org/2000/svg"}, set())

    def test_a_run_of_a_dag_with_a_crash_and_a_byzantine_node(self):
        experiment = pathlib.Path(self.folder.name) / "e.json"
        experiment.write_text(json.dumps({
            "schema": 1, "protocol": {"name": "thresher"}, "committee": {"n": 7},
            "network": {"loss": 0.05, "gst": 6},
            "faults": [{"who": [1], "what": "silent"}, {"who": [2], "what": "crash", "from": 3, "to": 6}],
            "stop": {"rounds": 12}, "seed": 4}))
        run = thresher("sim", "run", str(experiment), "--report", str(self.page))
        self.assertEqual(run.returncode, 0, run.stderr)
        dom = opened(self.page)
        for part in ("verdict", "charts", "space-time", "dag", "nodes", "experiment"):
            self.assertIn(f'id="{part}"', dom)
        for mark in ('class="message"', 'class="message lost"', 'class="lane byzantine"', 'class="crash"',
                     'class="timer"', 'class="decide"', 'class="vertex leader"', 'class="edge vote"',
                     'class="line s0"'):
            self.assertIn(mark, dom)
        self.assertGreaterEqual(dom.count("<svg"), 4)
        # Node 2, which crashes, counts as faulty.
        self.assertEqual(re.findall("<figcaption>(.*?)</figcaption>", dom),
                         ["One line for each of the 5 correct nodes. 2 faulty nodes are left out. The run stopped at round "
                          "19, where its measures were taken; what is later shows that it healed."])
        self.assertEqual(too_wide(self.page, self.folder.name, 420, 1280), [])
        self.assertRegex(dom, r"<title>block \d+: node \d+ to \d+")
        self.assert_alone(dom)

    def test_it_is_drawn(self):
        run = thresher("sim", "run", "--protocol", "pbft", "--n", "4", "--rounds", "20", "--report", str(self.page))
        self.assertEqual(run.returncode, 0, run.stderr)
        picture = pathlib.Path(self.folder.name) / "shot.png"
        shot = browser(f"--screenshot={picture}", "--window-size=1300,2000", self.page.as_uri())
        self.assertEqual(shot.returncode, 0, shot.stderr)
        # A blank page of this size compresses to about 10 kB.
        self.assertGreater(picture.stat().st_size, 40_000)
        self.assertEqual(too_wide(self.page, self.folder.name, 420, 1280), [])

    def test_a_sweep(self):
        experiment = pathlib.Path(self.folder.name) / "sweep.json"
        experiment.write_text(json.dumps({
            "schema": 1, "protocol": {"name": "pbft"}, "stop": {"rounds": 20}, "repeats": 3,
            "network": {"delay": {"law": "uniform", "min": 1, "max": 3}},
            "sweep": {"committee.n": [4, 7]}}))
        out = str(pathlib.Path(self.folder.name) / "out")
        swept = thresher("sim", "sweep", str(experiment), "--out", out)
        self.assertEqual(swept.returncode, 0, swept.stderr)
        written = thresher("sim", "report", out, "--html", str(self.page))
        self.assertEqual(written.returncode, 0, written.stderr)
        dom = opened(self.page)
        self.assertIn('id="sweep"', dom)
        self.assertIn('class="bar s0"', dom)
        self.assertIn("committee.n", dom)
        self.assertEqual(dom.count("<tr>"), 3)
        self.assert_alone(dom)
        self.assertEqual(too_wide(self.page, self.folder.name, 420, 1280), [])

    def test_published_results(self):
        one = [] if LONG else ["ordered-agents"]  # one with a chart
        run = thresher("sim", "reproduce", *one, "--runs", "100", "--report", str(self.page))
        self.assertEqual(run.returncode, 0, run.stderr)
        dom = opened(self.page)
        claims = [line for line in run.stdout.splitlines() if line.startswith("  ")]
        self.assertEqual(dom.count('<td class="pass">yes'), len(claims))
        for result in one or ("black-hole", "committee-coin", "finality", "incremental-voting", "ordered-agents"):
            section = re.search(rf'<section id="{result}">.*?</section>', dom, re.S).group(0)
            self.assertIn("<svg", section)
            self.assertRegex(section, r'class="line s0( w\d)?"')
        self.assertIn(" ".join(["thresher sim reproduce", *one, "--runs 100 --seed 1"]), dom)
        self.assert_alone(dom)
        self.assertEqual(too_wide(self.page, self.folder.name, 420), [])

    def test_a_page_that_cannot_be_written(self):
        run = thresher("sim", "reproduce", "black-hole", "--report", str(self.page / "no" / "folder.html"))
        self.assertEqual((run.returncode, run.stdout), (2, ""))
        self.assertIn(str(self.page), run.stderr)


if __name__ == "__main__":
    if BROWSER is None:
        print("skipped: no Chromium on this machine; install the package chromium")
        sys.exit(77)
    unittest.main()
