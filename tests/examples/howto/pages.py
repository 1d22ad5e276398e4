"""What a page of docs/howto holds: files, commands and what these print.

A block of code whose introduction ends in a name, as in "`main.cpp`:", is that file. A block `sh` is commands; they run
in the order of the page, in one shell. A block `text` after it is what they print: those lines, one after the other,
where `...` stands for anything. A page that "goes on from" another one begins with the files of that page.
"""
import dataclasses
import re

FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.M | re.S)
NAMED = re.compile(r"`([\w.-]+)`[^`]*:\s*\Z")
BEFORE = re.compile(r"[Gg]oes on from\s+\[[^\]]*\]\(([\w-]+\.md)\)")
LINES, COLUMNS = 120, 130


@dataclasses.dataclass
class Commands:
    text: str
    prints: str = ""


class Page:
    def __init__(self, path):
        text = path.read_text()
        before = BEFORE.search(text)
        self.files = dict(Page(path.parent / before[1]).files) if before else {}
        self.commands, self.problems = [], list(too_long(text))
        end = 0
        for block in FENCE.finditer(text):
            self.take(block[1], block[2], text[end:block.start()])
            end = block.end()

    def take(self, language, content, introduction):
        name = NAMED.search(introduction)
        if language == "sh":
            self.commands.append(Commands(content))
        elif language == "text" and self.commands and not self.commands[-1].prints:
            self.commands[-1].prints = content
        elif name:
            self.files[name[1]] = content
        else:
            self.problems.append(f"a block `{language}` that no test runs; name its file just before it:\n{content}")


def too_long(text):
    lines = text.splitlines()
    if len(lines) > LINES:
        yield f"{len(lines)} lines; a task has at most {LINES}"
    yield from (f"line {i + 1} has more than {COLUMNS} columns" for i, line in enumerate(lines)
                if len(line) > COLUMNS and "](" not in line and not line.startswith("{"))


def shows(prints, output):
    """Whether the lines that a page shows are in what was printed."""
    pattern = ".*".join(re.escape(part) for part in re.split(r"\s*\.\.\.\s*", prints.strip()))
    return re.search(pattern, output, re.S) is not None
