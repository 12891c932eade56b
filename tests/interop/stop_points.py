"""Our programs, stopped at a known moment of their work (`crates/store/src/file/stop_point.rs`)."""

import os
import signal
import subprocess

import pytest
from conftest import BIN


def heed_signals():
    """A shell lets what it starts in the background ignore SIGINT, and a process that ignored it goes on doing so."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


def stopped(point, program, *arguments, time=1):
    """The process of a program that stopped when it reached a point for the `time`th time, or None if it ended before.

    Skips the test if the programs have no points to stop at.
    """
    if BIN.name != "debug":
        pytest.skip("only programs of the profile dev stop where a test asks for it")
    process = subprocess.Popen(
        [str(BIN / program), *map(str, arguments)], env={**os.environ, "NCUTILS_STOP_AT": f"{point}:{time}"},
        stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, preexec_fn=heed_signals,
    )
    told = []
    # The pipe ends with the process.
    for line in process.stderr:
        if line == f"stopped at {point}\n".encode():
            return process
        told.append(line)
    assert process.wait() == 0, told
    return None


def go_on(process):
    """Lets a stopped process go on to its end. Returns its exit status, and what it tells."""
    _, told = process.communicate(b"\n", timeout=60)
    return process.returncode, told.decode()
