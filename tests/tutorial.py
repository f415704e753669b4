"""Runs what a page shows: blocks of `$ command` and their output, `>>>` sessions, and scripts (```python
with `# NAME.py` as first line, ```c with `/* NAME.c */`). A line … stands for any lines. Sections that import torch are left out without it.
    usage: tutorial.py PAGE...  in an empty folder, with the programs on PATH"""
import doctest, os, re, subprocess, sys

try:
    import torch  # noqa: F401
    have_torch = True
except ImportError:
    have_torch = False


def blocks(text):
    """(first line's number, language, lines) of each fenced block, without its indentation."""
    lines, at = text.split("\n"), 0
    while at < len(lines):
        fence = re.match(r"( *)```(\w*)$", lines[at])
        at += 1
        if fence:
            begin, indent = at, len(fence[1])
            while lines[at][indent:] != "```":
                at += 1
            yield begin + 1, fence[2], [line[indent:] for line in lines[begin:at]]
            at += 1


def steps(lines):
    """(command, expected lines) of a session."""
    at = 0
    while at < len(lines):
        command = [lines[at][2:]]
        at += 1
        while command[-1].endswith("\\"):
            command.append(lines[at])
            at += 1
        begin = at
        while at < len(lines) and not lines[at].startswith("$ "):
            at += 1
        yield "\n".join(command), lines[begin:at]


def matches(found, expected):
    pattern = "".join("(.*\n)*" if line == "…" else re.escape(line) + "\n" for line in expected)
    return re.fullmatch(pattern, found) is not None


def run_session(place, lines):
    faults = 0
    for command, expected in steps(lines):
        if command.startswith(("export PATH=", "make ")):
            continue
        done = subprocess.run(command, shell=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        found = done.stdout.decode()
        if found and not found.endswith("\n"):
            found += "\n"
        if not matches(found, expected):
            print(f"{place}: $ {command}", *("-" + line for line in expected), sep="\n")
            print(*("+" + line for line in found.split("\n")), sep="\n")
            faults += 1
    return faults


def run_page(page):
    text, faults = open(page, encoding="utf-8").read(), 0
    without = set()
    if not have_torch:
        parts = re.split(r"(?m)^(?=## )", text)
        starts = [1 + "".join(parts[:i]).count("\n") for i in range(len(parts) + 1)]
        for i, part in enumerate(parts):
            if re.search(r"(?m)^import .*\btorch\b", part):
                without.update(range(starts[i], starts[i] + part.count("\n")))
    for line, language, lines in blocks(text):
        place = f"{os.path.basename(page)}:{line}"
        script = re.match(r"# (\w+\.py)$|/\* (\w+\.c) \*/$", lines[0])
        if line in without:
            continue
        if script:
            open(script[1] or script[2], "w", encoding="utf-8").write("\n".join(lines) + "\n")
        elif lines[0].startswith("$ cc ") and not os.path.exists("include"):
            continue
        elif lines[0].startswith("$ "):
            faults += run_session(place, lines)
        elif lines[0].startswith(">>> "):
            test = doctest.DocTestParser().get_doctest("\n".join(lines) + "\n", {}, place, page, line)
            faults += doctest.DocTestRunner().run(test).failed
    return faults


if __name__ == "__main__":
    sys.exit(1 if sum(run_page(page) for page in sys.argv[1:]) else 0)
