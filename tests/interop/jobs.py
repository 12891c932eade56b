"""Jobs: one output that many processes write (`nccopy --plan`, `--part`, `--finish`), and what one process writes."""

import os
import pathlib
import subprocess

from conftest import BIN
from remote_run import different, tree_of


class Outcome:
    """How a call ended: status, standard output, standard error."""

    def __init__(self, code, out, error):
        self.code, self.out, self.error = code, out, error

    def refused(self, *words):
        """The one line of an error."""
        lines = self.error.strip().splitlines()
        assert self.code == 1 and len(lines) == 1 and lines[0].startswith("nccopy: "), (self.code, lines)
        for word in words:
            assert word in lines[0], (word, lines[0])
        return lines[0]


def call(*arguments, code=0, timeout=120, **options):
    """Runs nccopy, which must end with the status `code`; `None` is any."""
    command = [str(BIN / "nccopy"), *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=timeout, stdin=subprocess.DEVNULL, **options)
    assert code is None or done.returncode == code, f"{command}: exit status {done.returncode}: {done.stderr}"
    return Outcome(done.returncode, done.stdout, done.stderr)


def started(*arguments, **options):
    """nccopy, running."""
    command = [str(BIN / "nccopy"), *map(str, arguments)]
    return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, **options)


def path_of(name):
    """The path of an output whose name may have a fragment."""
    return pathlib.Path(str(name).partition("#")[0])


def content(name):
    """The bytes of an output: a file or a tree, or None."""
    path = path_of(name)
    if path.is_dir():
        return tree_of(path)
    return path.read_bytes() if path.exists() else None


def check_same(made, wanted):
    """Fails where two outputs are not the same bytes."""
    a, b = content(made), content(wanted)
    assert a is not None and b is not None, (made, wanted)
    assert isinstance(a, dict) == isinstance(b, dict)
    if isinstance(a, dict):
        assert different(a, b) == []
    elif a != b:
        first = next((n for n, (x, y) in enumerate(zip(a, b)) if x != y), min(len(a), len(b)))
        raise AssertionError(f"{made}: {len(a)} bytes, {wanted}: {len(b)}; the first difference is at {first}")


def left_in(folder):
    """Names in a folder that unfinished work has."""
    return sorted(name for name in os.listdir(folder) if "ncutils-partial" in name)


def output_names(folder, ending, mode=None):
    """The name of the output of one process, and of that of a job. Zip files and trees may hold their names, so both are called alike."""
    names = []
    for which in "one", "many":
        (folder / which).mkdir(exist_ok=True)
        names.append(f"{folder / which / 'out'}.{ending}" + (f"#mode={mode}" if mode else ""))
    return names


def plan(file, parts, *arguments, **options):
    call("--quiet", "--plan", file, "--parts", parts, *arguments, **options)
    return file


def make_all(file, parts, **options):
    """Makes parts, each in a process of its own, in the order in which they are given."""
    for part in parts:
        call("--quiet", "--part", part, file, **options)
