"""Workers that are killed: the missing parts are made again, and the output is that of one process. Until it appears there is the old one.

`cargo xtask long` kills 338 workers and up to as many others, over all outputs; a sample of it runs in CI.
"""

import os
import random
import signal
import subprocess

import job_inputs
import pytest
from conftest import BIN
from jobs import call, check_same, content, left_in, output_names, path_of, plan, started
from stop_points import go_on, stopped
from test_jobs import DROPPED, OUTPUTS

PARTS = 4

# Jobs of each output. In each of them two workers are killed, and the process that finishes it.
ROUNDS = 13


@pytest.fixture(scope="module")
def sources(tmp_path_factory):
    folder = tmp_path_factory.mktemp("sources")
    return [job_inputs.types(folder / "types.nc"), job_inputs.plain(folder / "plain.nc", "NETCDF3_CLASSIC")]


class Killer:
    """Kills processes at moments that a number determines."""

    def __init__(self, seed):
        self.random = random.Random(seed)

    def run(self, points, *arguments):
        """Runs nccopy until it stops at a point, or for some time, and kills it there. Returns false if it is done before."""
        if self.random.random() < 0.7:
            point = self.random.choice(points)
            times = self.random.choice([1, 2, 3, 4, 6, 8, 12, 20]) if point == "write" else 1
            process = stopped(point, "nccopy", "--quiet", *arguments, time=times)
            if process is None:
                return False
        else:
            process = started("--quiet", *arguments)
            try:
                process.wait(timeout=self.random.uniform(0, 0.12))
            except subprocess.TimeoutExpired:
                pass
        process.kill()
        process.communicate(timeout=60)
        assert process.returncode in (0, -signal.SIGKILL)
        return process.returncode == -signal.SIGKILL


@pytest.mark.parametrize("number", range(ROUNDS))
@pytest.mark.parametrize("output", OUTPUTS)
def test_kills(sources, tmp_path, output, number):
    ending, kind, mode = OUTPUTS[output]
    source = sources[number % 2]
    if output == "archive":
        # The bytes of a classic file are no job.
        kind = [*kind, "--isel", "x=1:"]
    killer = Killer(f"{output} {number}")
    one, many = output_names(tmp_path, ending, mode)
    call("--quiet", *kind, *DROPPED, source, one)
    new, old = content(path_of(one)), None
    is_tree = isinstance(new, dict)
    if number % 3 == 0:
        # An older output, which stays whole.
        call("--quiet", *kind, *DROPPED, "-V", "x", source, many)
        old = content(path_of(many))

    def seen(*allowed):
        found = content(path_of(many))
        if isinstance(found, dict):
            # The notes of the job come with the new folder, and go at once.
            found = {key: value for key, value in found.items() if not key.startswith(".ncutils-partial-ended/")}
        assert any(found == each for each in allowed), sorted(found) if isinstance(found, dict) else found and len(found)

    arguments = [*kind, *DROPPED, source, many]
    # Whoever plans it may be killed too, and leave a folder that no job has.
    file = tmp_path / "job.json"
    killer.run(["write"], "--plan", file, "--parts", PARTS, *arguments)
    seen(old)
    left = [] if file.exists() else left_in(path_of(many).parent)
    if not file.exists():
        plan(file, PARTS, *arguments)
    for _ in range(2):
        while not killer.run(["write"], "--again", "--part", killer.random.choice(["0-3", "1", "2,3"]), file):
            seen(old)
        seen(old)
    call("--finish", file, code=None)
    missing = call("--status", "--missing", file).out.strip()
    if missing:
        seen(old)
        call("--quiet", "--part", missing, file)
    killer.run(["write", "commit", "rename", "committed"], "--finish", file)
    seen(old, new)
    call("--quiet", "--finish", file)
    check_same(path_of(many), path_of(one))
    # A process that is killed while it renames its file leaves it, as that of a copy does.
    rest = [name for name in left_in(path_of(many).parent) if name not in left]
    assert len(rest) <= (not is_tree) and all((path_of(many).parent / name).read_bytes() == new for name in rest)


@pytest.mark.parametrize("output", ["nc4 deflated", "zarr3 shards", "nczarr zip"])
@pytest.mark.parametrize("time", [1, 2, 3])
def test_a_job_that_is_abandoned_while_a_worker_writes(sources, tmp_path, output, time):
    """The worker ends with an error, and what came to the place of the output since is not touched."""
    ending, kind, mode = OUTPUTS[output]
    _, many = output_names(tmp_path, ending, mode)
    arguments = [*kind, *DROPPED, sources[1], many]
    file = plan(tmp_path / "job.json", 2, *arguments)
    process = stopped("write", "nccopy", "--part", "0", file, time=time)
    assert process
    call("--abandon", file)
    assert left_in(path_of(many).parent) == []
    call("--quiet", *kind, *DROPPED, "-V", "x", sources[1], many)
    later = content(path_of(many))
    status, told = go_on(process)
    lines = [line for line in told.splitlines() if "warning" not in line]
    assert status == 1 and len(lines) == 1 and lines[0].startswith("nccopy: "), told
    assert content(path_of(many)) == later and left_in(path_of(many).parent) == []


@pytest.mark.parametrize("output", ["nc4 deflated", "zarr3 shards"])
def test_an_interrupted_worker_leaves_the_job(sources, tmp_path, output):
    """What other parts have written stays, and the part is made again."""
    ending, kind, mode = OUTPUTS[output]
    one, many = output_names(tmp_path, ending, mode)
    arguments = [*kind, *DROPPED, sources[1]]
    call("--quiet", *arguments, one)
    file = plan(tmp_path / "job.json", 2, *arguments, many)
    call("--part", "1", file)
    for number in signal.SIGINT, signal.SIGTERM, signal.SIGHUP:
        process = stopped("write", "nccopy", "--part", "0", file, time=3)
        process.send_signal(number)
        status = process.wait(timeout=60)
        assert status == -number or status == 128 + number, status
        assert call("--status", "--missing", file).out == "0\n"
    call("--part", "0", file)
    call("--finish", file)
    check_same(path_of(many), path_of(one))


def test_a_worker_ends_when_its_parent_is_killed(sources, tmp_path):
    """A program between the test and the worker is killed; the pipe to the worker's standard input ends with it."""
    file = plan(tmp_path / "job.json", 2, "-d", "9", *DROPPED, sources[1], tmp_path / "out.nc")
    # It stops at its first write, and its standard input brings no line.
    script = "import os, subprocess, sys; subprocess.run(sys.argv[1:], stdin=os.pipe()[0])"
    environment = {**os.environ, "NCUTILS_STOP_AT": "write:3"}
    command = ["python3", "-c", script, str(BIN / "nccopy"), "--with-parent", "--part", "0", str(file)]
    parent = subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True)
    assert parent.stderr.readline() == "stopped at write\n"
    parent.kill()
    # The pipe of its standard error is held by both, so it ends with the worker.
    assert parent.communicate(timeout=60)[1] == ""
    assert call("--status", "--missing", file).out == "0-1\n"
