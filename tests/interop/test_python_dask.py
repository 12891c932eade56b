"""`ncutils.dask`: a job by the workers of a cluster, some of which are killed."""

import os
import re
import signal
import subprocess
import sys
import textwrap

import h5py
import netCDF4
import numpy as np
import pytest
from conftest import BIN
from job_runs import is_gone, runs, source, stand_in, until  # noqa: F401, fixtures
from python_module import DASK, environment

import ncutils

pytestmark = pytest.mark.skipif(not DASK.is_dir(), reason="distributed is not installed; `cargo xtask environment` installs it")

PRELUDE = """
import os, signal, sys
import ncutils, ncutils.dask
from distributed import Client, LocalCluster

def main(client, cluster):
{body}

if __name__ == "__main__":
    with LocalCluster(n_workers={workers}, threads_per_worker={threads}, dashboard_address=":0", memory_limit="1GB") as cluster:
        with Client(cluster) as client:
            main(client, cluster)
    print("end")
"""


class Cluster:
    """A process that has a cluster of Dask and runs `body` on it."""

    def __init__(self, folder, programs, body, workers=2, threads=1, **settings):
        script = folder / "cluster.py"
        script.write_text(PRELUDE.format(body=textwrap.indent(textwrap.dedent(body), "    "), workers=workers, threads=threads))
        self.process = subprocess.Popen(
            [sys.executable, script], cwd=folder,
            env=environment(DASK, NCUTILS_BIN=str(programs), DASK_LOGGING__DISTRIBUTED="error", **settings),
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )

    def end(self):
        """What the process tells on both streams; it must end well."""
        try:
            output, errors = self.process.communicate(timeout=100)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise AssertionError(self.process.communicate()) from None
        assert self.process.returncode == 0, errors
        return output, errors


def test_a_cluster_copies(tmp_path, stand_in, source):
    output, _ = Cluster(tmp_path, stand_in, """
        told = []
        ncutils.dask.copy(client, "in/data", "out", job="job.json", deflate=5, progress=lambda *figures: told.append(figures))
        print(told)
    """, threads=3).end()
    assert output.splitlines() == [str([(n, 8) for n in range(9)]), "end"]
    assert (tmp_path / "out").read_bytes() == source.read_bytes()
    told = runs(tmp_path / "job.json")
    # By the worker's figures: its threads, and half of its memory.
    assert {(run["--threads"], run["--memory"]) for run in told} == {("3", "500000000")}
    assert sorted(run["part"] for run in told) == list(range(8)) and len({run["parent"] for run in told}) == 2


def test_a_worker_does_one_part_at_a_time(tmp_path, stand_in, source):
    (tmp_path / "in" / "company").touch()
    Cluster(tmp_path, stand_in, """
        ncutils.dask.copy(client, "in/data", "out", job="job.json", parts=12, threads=1)
    """, threads=3).end()
    told = runs(tmp_path / "job.json", ended=True)
    for worker in {run["parent"] for run in told}:
        of_worker = [run["part"] for run in told if run["parent"] == worker]
        # Each part ends before the next one begins.
        assert of_worker[::2] == of_worker[1::2]


def test_parts_of_a_killed_worker_run_again(tmp_path, stand_in, source):
    (tmp_path / "in" / "hold").touch()
    cluster = Cluster(tmp_path, stand_in, """
        ncutils.dask.copy(client, "in/data", "out", job="job.json")
    """, workers=4)
    killed = until(lambda: len(runs(tmp_path / "job.json")) == 4 and runs(tmp_path / "job.json")[0])
    os.kill(killed["parent"], signal.SIGKILL)
    until(lambda: len(runs(tmp_path / "job.json")) > 4)
    # A program ends with its worker.
    until(lambda: is_gone(killed["pid"]))
    (tmp_path / "in" / "hold").unlink()
    cluster.end()
    assert (tmp_path / "out").read_bytes() == source.read_bytes()
    told = runs(tmp_path / "job.json")
    assert {run["part"] for run in told} == set(range(16)) and len(told) > 16


def test_a_part_that_fails_is_named(tmp_path, stand_in, source):
    source.write_bytes(b"bad data")
    output, errors = Cluster(tmp_path, stand_in, """
        try:
            ncutils.dask.copy(client, "in/data", "out", parts=3, retries=1)
        except ncutils.Error as error:
            print(error.status, error)
    """).end()
    said = output.splitlines()[0]
    assert said.startswith("1 part ") and ": variable v: chunk [0, " in said, output
    # Nothing is left, neither of the output nor of the job.
    assert sorted(path.name for path in tmp_path.iterdir()) == ["bin", "cluster.py", "in"]


def test_a_part_that_kills_its_workers_is_an_error(tmp_path, stand_in, source):
    source.write_bytes(b"kill")
    output, _ = Cluster(tmp_path, stand_in, """
        try:
            ncutils.dask.copy(client, "in/data", "out", parts=1)
        except ncutils.Error as error:
            print(error)
    """, DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES="0").end()
    assert output.startswith("Attempted to run task 'ncutils-part-") and not (tmp_path / "out").exists()


def test_a_job_that_is_named_stays_and_goes_on(tmp_path, stand_in, source):
    good = source.read_bytes()
    source.write_bytes(b"bad" + good[3:])
    Cluster(tmp_path, stand_in, """
        try:
            ncutils.dask.copy(client, "in/data", "out", job="job.json", parts=3, retries=0)
        except ncutils.Error:
            with open("in/data", "r+b") as file:
                file.write(bytes(range(3)))
            ncutils.dask.resume(client, ncutils.Job("job.json"))
    """).end()
    assert (tmp_path / "out").read_bytes() == good


def test_an_interrupt_ends_the_programs_of_the_workers(tmp_path, stand_in, source):
    (tmp_path / "in" / "hold").touch()
    cluster = Cluster(tmp_path, stand_in, """
        signal.signal(signal.SIGINT, signal.default_int_handler)
        print("ready", flush=True)
        try:
            ncutils.dask.copy(client, "in/data", "out", job="job.json", threads=1)
        except KeyboardInterrupt:
            print("interrupted", flush=True)
            sys.stdin.readline()
    """)
    assert cluster.process.stdout.readline() == "ready\n"
    told = until(lambda: len(runs(tmp_path / "job.json")) == 2 and runs(tmp_path / "job.json"))
    cluster.process.send_signal(signal.SIGINT)
    assert cluster.process.stdout.readline() == "interrupted\n"
    # While the workers still run.
    until(lambda: all(is_gone(run["pid"]) for run in told))
    assert not any(is_gone(run["parent"]) for run in told)
    cluster.process.stdin.write("\n")
    cluster.end()
    assert len(runs(tmp_path / "job.json")) == 2 and not (tmp_path / "out").exists()


def test_a_scheduler_that_is_closed_leaves_nothing(tmp_path, stand_in, source):
    (tmp_path / "in" / "hold").touch()
    cluster = Cluster(tmp_path, stand_in, """
        import threading
        threading.Thread(target=lambda: (sys.stdin.readline(), cluster.close())).start()
        try:
            ncutils.dask.copy(client, "in/data", "out")
        except ncutils.Error as error:
            print(error, flush=True)
            os._exit(0)
    """)
    jobs = until(lambda: list(tmp_path.glob(".ncutils-job-*/job.json")))
    told = until(lambda: len(runs(jobs[0])) == 2 and runs(jobs[0]))
    cluster.process.stdin.write("\n")
    cluster.process.stdin.flush()
    output, _ = cluster.end()
    assert "the cluster is gone" in output
    until(lambda: all(is_gone(run["pid"]) for run in told))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["bin", "cluster.py", "in"]


LARGE = 2_000_000


@pytest.fixture
def large(tmp_path):
    """A file with work for many parts."""
    path = tmp_path / "large.nc"
    with netCDF4.Dataset(path, "w") as nc:
        nc.createDimension("x", LARGE)
        for name in "u", "v":
            made = nc.createVariable(name, "f8", ("x",), chunksizes=(50_000,), compression="zlib", complevel=1)
            made[:] = np.round(np.random.default_rng(1).random(LARGE), 3)
    return path


def content(path):
    """The bytes of a file, or of each file in a folder."""
    files = [path] if path.is_file() else sorted(file for file in path.rglob("*") if file.is_file())
    return {str(file.relative_to(path)): file.read_bytes() for file in files}


@pytest.mark.parametrize("output, options", [
    ("out.zarr", {"kind": "zarr3", "filter": {"*": "zstd,3"}, "shard": "2M"}),
    pytest.param("out.nc", {"deflate": 5, "shuffle": True}, marks=pytest.mark.long),
    pytest.param("out.nc3", {"kind": "nc3"}, marks=pytest.mark.long),
])
def test_a_copy_is_that_of_one_process(tmp_path, large, output, options):
    """With the programs under test, and a worker that is killed when two parts are done."""
    ncutils.copy(large, tmp_path / f"one-{output}", **options)
    Cluster(tmp_path, BIN, f"""
        workers = list(client.run(os.getpid).values())
        def kill(done, parts):
            if done == 2:
                os.kill(workers[0], signal.SIGKILL)
        ncutils.dask.copy(client, "large.nc", {output!r}, progress=kill, **{options!r})
    """, workers=4).end()
    assert content(tmp_path / output) == content(tmp_path / f"one-{output}")
    assert not list(tmp_path.glob(".*"))


def test_a_damaged_chunk_is_named(tmp_path, large):
    with h5py.File(large) as f:
        chunk = f["v"].id.get_chunk_info(7)
    with open(large, "r+b") as file:
        file.seek(chunk.byte_offset + 1000)
        file.write(bytes(1000))
    output, _ = Cluster(tmp_path, BIN, """
        try:
            ncutils.dask.copy(client, "large.nc", "out.nc", deflate=5, retries=0)
        except ncutils.Error as error:
            print(error)
    """).end()
    assert re.match(r"part \d+: .*variable v: chunk \[7\]", output), output
    assert sorted(path.name for path in tmp_path.iterdir()) == ["cluster.py", "large.nc"]
