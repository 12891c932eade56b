"""The commands of the guide work as they stand there, and print what the pages show.

A block `console` has commands behind `$ ` and below each what it prints; `…` stands for any text, on a line of its own for any
lines. A command that shows nothing may print anything. It must end with status 0, so one that fails shows its status by
`; echo $?`. The blocks of a page run in one folder, those of Python too. What a command exports and what a block
of Python imports stays for the page. What names a remote store is in test_remote_guide.py.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys

import guide_files
import pytest
from conftest import BIN
from python_module import DASK, environment
from references_read import REFERENCES

ROOT = pathlib.Path(__file__).parent.parent.parent
GUIDE = ROOT / "docs" / "guide"
PAGES = sorted(GUIDE.glob("*.md"))
REMOTE = re.compile(r"(s3|gs|az|https)://")
PROGRAMS = ("nccopy ", "ncdump ", "ncgen ", "ncutils ")
MOST_WORDS = 700


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("guide")
    guide_files.make(folder)
    return folder


def blocks(page):
    """The language and the lines of each block."""
    found = re.findall(r"(?ms)^```(\w+)\n(.*?)^```$", page.read_text())
    return [(language, text.splitlines()) for language, text in found]


def commands(lines):
    """Each command of a block, and the lines below it."""
    found = []
    for line in lines:
        if line.startswith("$ "):
            found.append((line[2:], []))
        else:
            found[-1][1].append(line)
    return found


def shell(command, folder):
    path = [str(BIN), str(pathlib.Path(sys.executable).parent), os.environ["PATH"]]
    environment = {**os.environ, "PATH": ":".join(path), "LC_ALL": "C.UTF-8"}
    return subprocess.run(["bash", "-c", command], cwd=folder, env=environment, timeout=120,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def pattern(lines):
    """A regular expression of what is shown."""
    parts = [r"(?:.*\n)*?" if line.strip() == "…" else re.escape(line.rstrip()).replace("…", ".*") + "\n" for line in lines]
    return "".join(parts)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_what_a_page_shows(files, tmp_path, page):
    folder = tmp_path / "files"
    shutil.copytree(files, folder)
    exported, imported = "", []
    for language, lines in blocks(page):
        if language == "console":
            for command, shown in commands(lines):
                if REMOTE.search(command):
                    continue
                done = shell(exported + command, folder)
                assert done.returncode == 0, f"{command}: {done.stdout}"
                printed = "".join(line.rstrip() + "\n" for line in done.stdout.splitlines())
                if command.startswith("export "):
                    exported += f"{command}\n"
                assert not shown or re.fullmatch(pattern(shown), printed), f"{command}\n{printed}"
        elif language == "python":
            # zarr-python warns of each codec that the specification lacks.
            warnings = "ignore" if page.stem == "in-place" else "error::UserWarning"
            if page.stem == "in-place" and not REFERENCES.is_dir():
                continue
            command = [sys.executable, "-W", warnings, "-c", "\n".join([*imported, *lines])]
            imported += [line for line in lines if line.startswith("import ")]
            done = subprocess.run(command, cwd=folder, env=environment(REFERENCES if page.stem == "in-place" else DASK), capture_output=True, text=True, timeout=120)
            assert done.returncode == 0, f"{lines}: {done.stderr}"


def test_rows_of_commands(files, tmp_path):
    """Rows of tables whose last cell is a command or an option of ours: both programs take what the row says."""
    text = (GUIDE / "other-tools.md").read_text()
    rows = re.findall(r"(?m)^\| (.*) \| `((?:nccopy|ncdump|-)[^`]*)` \|$", text)
    assert len(rows) >= 28
    failed = []
    folder = tmp_path / "files"
    shutil.copytree(files, folder)
    for theirs, ours in rows:
        # The files have no levels.
        if "lev=" in ours:
            continue
        commands = re.findall(r"`([^`]*)`", theirs)
        if ours.startswith("-"):
            commands = [f"{command} in.nc" if command.startswith("h5dump") else f"{command} in.nc theirs.nc" for command in commands]
            ours = f"nccopy {ours} in.nc out.nc"
        for command in [*commands, ours]:
            if " " not in command or "…" in command or not (command == ours or shutil.which(command.split()[0])):
                continue
            for output in "theirs.nc", "out.nc", "out.h5":
                (folder / output).unlink(missing_ok=True)
            done = shell(command, folder)
            if done.returncode:
                failed.append(f"{command}: {done.stdout}")
    assert not failed, "\n".join(failed)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_command_is_in_such_a_block(page):
    """Each page is short, begins with a command, and has no command that no test runs."""
    text = page.read_text()
    assert len(text.split()) <= MOST_WORDS
    outside = re.sub(r"(?ms)^```\w+\n.*?^```$", "", text)
    assert not [line for line in outside.splitlines() if line.strip().startswith(PROGRAMS)]
    assert {language for language, _ in blocks(page)} <= {"console", "python", "sh", "text"}
    assert page.name == "README.md" or re.match(r"# .*\n\n```|# .*\n\n\|", text), "the page begins with a command"


LINKS = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")), *sorted(ROOT.glob("crates/*/README.md"))]


def anchors(page):
    """The anchors of a page's headings, as GitHub makes them."""
    headings = re.findall(r"(?m)^#+ (.*)$", page.read_text())
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", LINKS, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page):
    gone = []
    for link in re.findall(r"\]\(([^)\s]+)\)", page.read_text()):
        if re.match(r"\w+:", link):
            continue
        file, _, anchor = link.partition("#")
        target = page.parent / file if file else page
        if not target.exists() or (anchor and anchor not in anchors(target)):
            gone.append(link)
    assert not gone
