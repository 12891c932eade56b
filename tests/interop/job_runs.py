"""Jobs over a program that stands in for nccopy: what their tests share."""

import json
import os
import pathlib
import sys
import time

import pytest
from conftest import HERE


@pytest.fixture
def stand_in(tmp_path):
    """The folder of a program that stands in for nccopy."""
    folder = tmp_path / "bin"
    folder.mkdir()
    program = folder / "nccopy"
    program.write_text(f"#!{sys.executable} -S\n{(HERE / 'job_stand_in.py').read_text()}")
    program.chmod(0o755)
    return folder


@pytest.fixture
def source(tmp_path):
    path = tmp_path / "in" / "data"
    path.parent.mkdir()
    path.write_bytes(bytes(range(256)) * 40)
    return path


def runs(path, ended=False):
    """What the parts of a job have told when they began, and when they ended, so far."""
    path = pathlib.Path(f"{path}.runs")
    told = [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []
    return [run for run in told if ended or run["event"] == "begun"]


def until(condition):
    """Waits until a condition holds, and returns what it gives."""
    deadline = time.monotonic() + 60
    while not (found := condition()):
        assert time.monotonic() < deadline
        time.sleep(0.01)
    return found


def is_gone(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return pathlib.Path(f"/proc/{pid}/stat").read_text().split(")")[1].split()[0] == "Z"
