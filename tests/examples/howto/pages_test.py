#!/usr/bin/env python3
"""What the tests of how-to pages must catch."""
import pathlib
import tempfile
import unittest

from howto_test import environment, problems_of
from pages import Page, shows

GOOD = "# A page\n\nWrite `a.txt`:\n\n```json\n{}\n```\n\n```sh\ncat a.txt\n```\n\n```text\n{...\n```\n"


class Pages(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def page(self, text, name="page.md"):
        (self.folder / name).write_text(text)
        return Page(self.folder / name)

    def problems(self, text):
        work = pathlib.Path(tempfile.mkdtemp(dir=self.folder))
        return "\n".join(problems_of(self.page(text), work, environment(self.folder)))

    def test_a_page_that_says_what_happens(self):
        self.assertEqual(self.problems(GOOD), "")

    def test_a_page_that_does_not(self):
        self.assertIn("where the page shows:\n[", self.problems(GOOD.replace("{...", "[...")))
        self.assertIn("exit 1 in:\ncat b.txt", self.problems(GOOD.replace("cat a.txt", "cat b.txt")))
        self.assertIn("exit 1 in:\nfalse", self.problems(GOOD.replace("cat a.txt", "false; true")))

    def test_a_block_that_nobody_runs(self):
        self.assertIn("no test runs", self.problems(GOOD.replace("`a.txt`:", "a file:")))

    def test_a_page_that_is_too_long(self):
        self.assertIn("lines; a task has at most", self.problems(GOOD + "\n" * 200))

    def test_the_pages_of_this_tree(self):
        pages = sorted((pathlib.Path(__file__).resolve().parents[3] / "docs" / "howto").glob("*.md"))
        self.assertGreater(len(pages), 10)
        for page in pages:
            self.assertEqual((page.name, list(Page(page).problems)), (page.name, []))

    def test_a_page_that_goes_on_from_another(self):
        self.page(GOOD, "first.md")
        page = self.page("This goes on from\n[the first](first.md).\n\n```sh\ncat a.txt\n```\n")
        self.assertEqual((page.files, len(page.commands)), ({"a.txt": "{}\n"}, 1))

    def test_dots_stand_for_anything(self):
        self.assertTrue(shows("a ... c\n...\ne", "a b c\nd\ne\n"))
        self.assertFalse(shows("a ... c\ne", "a b c\nd\ne\n"))
        self.assertFalse(shows("a.c", "abc"))


if __name__ == "__main__":
    unittest.main()
