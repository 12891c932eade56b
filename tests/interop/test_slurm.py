"""The script of the guide, under Slurm, and the lines for GNU parallel."""

import json
import os
import pathlib
import re
import signal
import subprocess

import job_inputs
import pytest
from conftest import BIN, installed
from jobs import call, check_same, left_in
from slurm import SBIN, Slurm, check_installed, until
from test_guide import GUIDE, blocks

# In place of our nccopy: the first runs of two parts stop before their second write, so that they can be killed there.
WRAPPER = """#!/bin/sh
case "$* $SLURM_ARRAY_TASK_ID" in
*--part*\\ {killed} | *--part*\\ {requeued})
    if mkdir "{folder}/held.$SLURM_ARRAY_TASK_ID" 2>/dev/null; then
        export NCUTILS_STOP_AT=write:2
    fi
    ;;
esac
exec "{bin}/nccopy" "$@"
"""
KILLED, REQUEUED = 2, 5


@pytest.fixture(scope="module")
def cluster():
    check_installed()
    slurm = Slurm()
    yield slurm
    slurm.end()


def scripts():
    """The blocks of the page in the language of the shell: Slurm's script, its call, and GNU parallel's lines."""
    return ["\n".join(lines) + "\n" for language, lines in blocks(GUIDE / "clusters.md") if language == "sh"]


def folder_of_job(tmp_path):
    """A folder with the input of the guide."""
    job_inputs.plain(tmp_path / "in.nc")
    return tmp_path


def kill(part, folder):
    """Kills the process that makes a part in a folder."""
    for process in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            words, where = (process / "cmdline").read_bytes().split(b"\0"), os.readlink(process / "cwd")
        except OSError:
            continue
        if where == str(folder) and words[0].endswith(b"nccopy") and [b"--part", str(part).encode()] == words[3:5]:
            os.kill(int(process.name), signal.SIGKILL)
            return
    raise AssertionError(f"no process makes part {part}")


def state_of(file):
    return json.loads(file.read_text())["state"]


@pytest.mark.skipif(BIN.name != "debug", reason="only programs of the profile dev stop where a test asks for it")
def test_the_script_of_the_guide(cluster, tmp_path):
    folder = folder_of_job(tmp_path)
    script, calls, _ = scripts()
    assert len(script.splitlines()) <= 20
    (folder / "cluster.sh").write_text(script)
    (folder / "bin").mkdir()
    wrapper = folder / "bin" / "nccopy"
    wrapper.write_text(WRAPPER.format(killed=KILLED, requeued=REQUEUED, folder=folder, bin=BIN.resolve()))
    wrapper.chmod(0o755)
    cluster.environment["PATH"] = f"{wrapper.parent}:{SBIN}"
    # As printed, but for the number of parts: the input is small.
    calls = calls.replace("--parts 64", "--parts 8")
    printed = cluster.run("bash", "-c", calls, cwd=folder)
    array = int(re.search(r"Submitted batch job (\d+)", printed)[1]) - 1

    def said(part):
        path = folder / f"slurm-{array}_{part}.out"
        return path.exists() and "stopped at write" in path.read_text()

    until(lambda: said(KILLED))
    # The process of the part is killed: the part stays missing, and is submitted again.
    kill(KILLED, folder)
    until(lambda: said(REQUEUED))
    # The task is killed by Slurm, and requeued.
    cluster.run("scontrol", "requeue", f"{array}_{REQUEUED}")
    until(lambda: f"{array} {REQUEUED} PENDING BeginTime" in cluster.queue())
    # It waits two minutes otherwise.
    cluster.run("scontrol", "update", f"JobId={array}_{REQUEUED}", "StartTime=now")
    until(lambda: state_of(folder / "job.json") == "finished", 120)
    until(lambda: not cluster.queue())
    call("--quiet", "-k", "zarr3", "--shard", "128M", folder / "in.nc", folder / "one.zarr")
    check_same(folder / "out.zarr", folder / "one.zarr")
    assert left_in(folder) == []
    finishes = {path.stem: path.read_text() for path in folder.glob("slurm-*.out") if "_" not in path.name}
    # Slurm may take a task that waits to be requeued for one that has ended.
    assert re.search(rf"parts are missing: (\d+,)*{KILLED}\b", finishes[f"slurm-{array + 1}"]), finishes
    assert len(finishes) == 2


def test_the_lines_for_gnu_parallel(tmp_path):
    installed("parallel")
    folder = folder_of_job(tmp_path)
    lines = scripts()[2].replace("--parts 64", "--parts 8").replace("seq 0 63", "seq 0 7")
    environment = {**os.environ, "PATH": f"{BIN.resolve()}:{os.environ['PATH']}"}
    done = subprocess.run(["bash", "-ec", lines], cwd=folder, env=environment, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    call("-d", "5", "-s", folder / "in.nc", folder / "one.nc")
    check_same(folder / "out.nc", folder / "one.nc")
