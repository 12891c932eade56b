"""What the calls of a job say and refuse: exit statuses, damaged files, jobs that are over."""

import json
import os
import re
import shutil
import subprocess

import job_inputs
import pytest
from jobs import call, check_same, content, left_in, make_all, output_names, path_of, plan, started

OUTPUTS = {
    "nc4": ("nc", ["-d", "1"], None), "nc3": ("nc", ["-k", "nc3", "--drop-unsupported"], None),
    "zarr3": ("zarr", ["-k", "zarr3", "--shard", "4K"], None), "nczarr zip": ("zip", [], "nczarr,zip"),
}
PARTS = 5


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    return job_inputs.plain(tmp_path_factory.mktemp("source") / "in.nc")


class Job:
    """A job that is planned, with an output that one process wrote beside it."""

    def __init__(self, folder, source, output, *options):
        ending, kind, mode = OUTPUTS[output]
        self.folder, self.source = folder, source
        self.one, self.output = output_names(folder, ending, mode)
        self.arguments = [*kind, *options, source]
        call("--quiet", *self.arguments, self.one)
        self.file = plan(folder / "job.json", PARTS, *self.arguments, self.output)

    def status(self):
        return json.loads(call("--status", "--json", self.file).out)

    def missing(self):
        return call("--status", "--missing", self.file).out

    def stage(self):
        """The folder that the job writes to."""
        name, = left_in(path_of(self.output).parent)
        return path_of(self.output).parent / name

    def check_whole(self):
        check_same(path_of(self.output), path_of(self.one))
        assert left_in(path_of(self.output).parent) == []


@pytest.fixture(params=OUTPUTS)
def job(request, tmp_path, source):
    return Job(tmp_path, source, request.param)


def test_missing_parts_are_named(job):
    assert job.missing() == "0-4\n"
    outcome = call("--finish", job.file, code=3)
    assert outcome.error == f"nccopy: {job.file}: not finished, 5 of 5 parts are missing: 0-4\n"
    make_all(job.file, [1, 3])
    assert job.missing() == "0,2,4\n"
    assert "3 of 5 parts are missing: 0,2,4" in call("--finish", job.file, code=3).error
    assert not path_of(job.output).exists()
    status = job.status()
    assert (status["state"], status["parts"], status["done"], status["missing"]) == ("open", PARTS, "1,3", "0,2,4")
    assert 0 < status["bytes_done"] < status["bytes"]
    text = call("--status", job.file).out
    assert text == "open: 2 of 5 parts done\nnot done: 0,2,4\n"
    # The list is one that --part takes, with parts that are done among it.
    call("--part", job.missing().strip(), job.file)
    assert job.missing() == "\n"
    call("--finish", job.file)
    job.check_whole()
    assert (job.missing(), job.status()["state"]) == ("\n", "finished")


def test_a_part_that_is_done_is_left(job):
    call("--part", "2", job.file)
    assert call("--part", "2", job.file).error == "nccopy: part 2: done already\n"
    assert call("--part", "2", "--again", job.file).error.endswith("part 2: done\n")
    assert call("--part", "0-4", job.file).error == "".join(f"nccopy: part {n}: done\n" for n in (0, 1, 3, 4))


def test_finishing_twice_is_harmless(job):
    make_all(job.file, range(PARTS))
    call("--finish", job.file)
    before = content(path_of(job.output))
    assert call("--finish", job.file).error == f"nccopy: {job.file}: finished already\n"
    text = job.file.read_text()
    assert json.loads(job.file.read_text())["state"] == "finished"
    assert content(path_of(job.output)) == before
    job.check_whole()
    # Of a copy that was taken before, nobody knows whether the job was finished or abandoned.
    job.file.write_text(text.replace('"finished"', '"open"'))
    call("--finish", job.file, code=1).refused("finished or abandoned")
    job.check_whole()


def test_of_two_that_finish_at_once_both_end_well(job):
    make_all(job.file, range(PARTS))
    both = [started("--finish", job.file) for _ in range(2)]
    told = [process.communicate(timeout=120)[1] for process in both]
    assert [process.returncode for process in both] == [0, 0], told
    job.check_whole()
    assert job.status()["state"] == "finished"


def test_what_can_be_read_once_is_no_input_of_a_job(tmp_path, source):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with open(source, "rb") as file:
        writer = subprocess.Popen(["cp", "/dev/stdin", str(pipe)], stdin=file)
    try:
        outcome = call("--plan", tmp_path / "job.json", "--parts", 2, pipe, tmp_path / "out.nc", code=1)
    finally:
        writer.kill()
        writer.wait()
    outcome.refused(f"{pipe}: every process of a job reads the inputs", "name a file")
    assert sorted(os.listdir(tmp_path)) == ["pipe"]


@pytest.mark.parametrize("change", ["time", "size", "other file", "gone"])
@pytest.mark.parametrize("step", ["--part", "--finish"])
def test_an_input_that_changed(tmp_path, source, change, step):
    copy = shutil.copy(source, tmp_path / "in.nc")
    job = Job(tmp_path, copy, "nc4")
    if step == "--finish":
        make_all(job.file, range(PARTS))
    found = os.stat(copy)
    if change == "size":
        with open(copy, "ab") as file:
            file.write(b"more")
        os.utime(copy, ns=(found.st_atime_ns, found.st_mtime_ns))
    elif change == "time":
        os.utime(copy, ns=(found.st_atime_ns, found.st_mtime_ns + 1))
    else:
        os.rename(copy, tmp_path / "away.nc")
        if change == "other file":
            shutil.copy2(tmp_path / "away.nc", copy)
    outcome = call(step, *(["0"] if step == "--part" else []), job.file, code=1 if change == "gone" else 4)
    # A machine may not see an input that is there for the others.
    why = "cannot open" if change == "gone" else "changed since the job was planned; plan it again\n"
    assert outcome.error.startswith(f"nccopy: {copy}: {why}")
    assert not path_of(job.output).exists()
    call("--abandon", job.file)
    assert left_in(path_of(job.output).parent) == []


def test_a_tree_that_changed(tmp_path, source):
    tree = tmp_path / "in.zarr"
    call("-k", "zarr3", source, tree)
    file = plan(tmp_path / "job.json", 2, tree, tmp_path / "out.nc")
    os.utime(tree / "zarr.json", ns=(0, 0))
    assert "changed since" in call("--part", "0", file, code=4).error


@pytest.mark.parametrize("change", ["replaced", "removed", "metadata"])
def test_a_chunk_of_a_tree_that_changed(tmp_path, source, change):
    tree = tmp_path / "in.zarr"
    call("-k", "zarr3", "--shard", "none", source, tree)
    file = plan(tmp_path / "job.json", 2, tree, tmp_path / "out.nc")
    call("--part", "0", file)
    chunk = next(path for path in sorted(tree.rglob("c/*")) if path.is_file())
    if change == "replaced":
        other = tmp_path / "other"
        other.write_bytes(chunk.read_bytes())
        other.rename(chunk)
    elif change == "removed":
        chunk.unlink()
    else:
        os.utime(next(tree.glob("*/zarr.json")), ns=(0, 0))
    assert "changed since" in call("--part", "1", file, code=4).error


def changed(job, **members):
    value = json.loads(job.file.read_text())
    job.file.write_text(json.dumps({**value, **members}))


BROKEN = {
    "empty": lambda text: b"",
    "no JSON": lambda text: b"\x89HDF\r\n\x1a\n" + bytes(100),
    "a list": lambda text: b"[]",
    "another object": lambda text: b"{}",
    "cut": lambda text: text[: len(text) // 2],
    "cut behind the last bracket": lambda text: text[:-3],
    "another form": lambda text: text.replace(b'"ncutils-job": 1', b'"ncutils-job": 2'),
    "no parts": lambda text: re.sub(rb'"parts": \[.*?\n  \]', b'"parts": []', text, flags=re.DOTALL),
    "negative": lambda text: re.sub(rb'"bytes": \d+', b'"bytes": -1', text),
    "a run that leads away": lambda text: re.sub(rb'"run": "\w+"', b'"run": "../../x"', text),
    "another run": lambda text: re.sub(rb'"run": "\w+"', b'"run": "0123456789abcdef"', text),
    "deep": lambda text: b"[" * 100_000,
    "no way to write": lambda text: re.sub(rb'"way": "(\w+)"', b'"way": "x"', text),
    "a state of no name": lambda text: text.replace(b'"open"', b'"done"'),
    "arguments of another program": lambda text: re.sub(rb'"arguments": \[', b'"arguments": ["--no-such-option",', text),
    "arguments of another job": lambda text: re.sub(rb'"arguments": \[', b'"arguments": ["--isel", "x=0:3",', text),
    "the plan of another job": lambda text: re.sub(rb'"plan": "..', b'"plan": "00', text),
    "fewer parts": lambda text: re.sub(rb'("parts": \[\s*)\{.*?\n    \},', rb"\1", text, count=1, flags=re.DOTALL),
    "another version": lambda text: re.sub(rb'"version": "[^"]*"', b'"version": "99.0"', text),
}


@pytest.mark.parametrize("way", BROKEN)
def test_a_job_file_that_is_damaged(job, way):
    whole = job.file.read_bytes()
    broken = BROKEN[way](whole)
    assert broken != whole
    job.file.write_bytes(broken)
    names = sorted(path.name for path in job.folder.rglob("*"))
    for arguments in ["--part", "0"], ["--finish"], ["--abandon"], ["--status"]:
        outcome = call(*arguments, job.file, code=None)
        if outcome.code == 0 and arguments[0] in ("--status", "--abandon"):
            # These steps plan no copy, and what is wrong need not concern them.
            job.file.write_bytes(broken)
            continue
        if outcome.code == 3 and arguments[0] == "--finish":
            continue
        outcome.refused()
    assert not path_of(job.output).exists()
    assert set(path.name for path in job.folder.rglob("*")) <= set(names)
    job.file.write_bytes(whole)


def test_parts_of_another_plan_do_not_count(job):
    """Marks that another plan, or another part, has left."""
    make_all(job.file, range(PARTS))
    marks = sorted(job.stage().rglob("*.done"))
    assert len(marks) == PARTS
    texts = [json.loads(mark.read_text()) for mark in marks]
    marks[0].write_text(json.dumps({**texts[0], "plan": "00" * 32}))
    marks[1].write_text(json.dumps(texts[2]))
    marks[2].write_text("{")
    marks[3].write_text("")
    assert job.missing() == "0-3\n"
    assert "4 of 5 parts are missing: 0-3" in call("--finish", job.file, code=3).error
    call("--part", "0-4", job.file)
    call("--finish", job.file)
    job.check_whole()


def test_a_part_that_gives_something_else(job):
    """The mark of another run, as a part leaves it whose input was changed and put back."""
    make_all(job.file, range(PARTS))
    mark, = job.stage().rglob("1.done")
    text = json.loads(mark.read_text())
    if text["digest"] is None:
        pytest.skip("what a part writes at places depends on its threads")
    mark.write_text(json.dumps({**text, "digest": "00" * 16}))
    assert "part 1 gave something else before" in call("--again", "--part", "1", job.file, code=1).error
    mark.write_text(json.dumps(text))
    call("--again", "--part", "1", job.file)
    call("--finish", job.file)
    job.check_whole()


def test_a_job_that_was_abandoned(job):
    before = content(path_of(job.one))
    call("--part", "0,1", job.file)
    # What a worker on another machine has read.
    copy = shutil.copy(job.file, job.folder / "copy.json")
    call("--abandon", job.file)
    assert left_in(path_of(job.output).parent) == [] and not path_of(job.output).exists()
    call("--abandon", job.file)
    for file in job.file, copy:
        call("--part", "2", file, code=1).refused("finished or abandoned")
        call("--finish", file, code=1).refused("abandoned")
    assert json.loads(call("--status", "--json", copy).out)["state"] == "abandoned"
    assert left_in(path_of(job.output).parent) == [] and not path_of(job.output).exists()
    # A dataset that came later is not touched.
    call("--quiet", *job.arguments, job.output)
    for file in job.file, copy:
        call("--part", "2", "--again", file, code=1).refused()
        call("--abandon", file)
    assert content(path_of(job.output)) == before


def test_a_worker_of_a_finished_job(job):
    make_all(job.file, range(PARTS))
    copy = shutil.copy(job.file, job.folder / "copy.json")
    call("--finish", job.file)
    for file in job.file, copy:
        call("--part", "2", "--again", file, code=1).refused("finished")
    call("--abandon", job.file, code=1).refused("the job is finished; remove its output instead")
    # A new job at the same place is not touched by what is late from the old one.
    new = plan(job.folder / "new.json", PARTS, *job.arguments, job.output)
    call("--part", "2", "--again", copy, code=1).refused("finished")
    call("--abandon", copy)
    make_all(new, range(PARTS))
    call("--finish", new)
    job.check_whole()


def test_a_stage_that_was_removed(job):
    call("--part", "0", job.file)
    shutil.rmtree(job.stage())
    call("--part", "1", job.file, code=1).refused("finished or abandoned")
    call("--finish", job.file, code=1).refused("finished or abandoned")
    assert not path_of(job.output).exists()
    assert job.status()["state"] == "abandoned"
    call("--abandon", job.file)


def test_a_pack_that_was_damaged(tmp_path, source):
    for way in "byte", "cut", "gone", "index":
        folder = tmp_path / way
        folder.mkdir()
        job = Job(folder, source, "nc4")
        make_all(job.file, range(PARTS))
        pack, = job.stage().rglob("1.index" if way == "index" else "1-*.pack")
        if way == "gone":
            pack.unlink()
        else:
            bytes_ = bytearray(pack.read_bytes())
            bytes_[len(bytes_) // 2] ^= 1
            pack.write_bytes(bytes_[:-5] if way == "cut" else bytes_)
        call("--finish", job.file, code=1).refused("damaged", "1.index" if way == "index" else "1-", "--part 1 --again")
        assert not path_of(job.output).exists()
        call("--part", "1", "--again", job.file)
        call("--finish", job.file)
        job.check_whole()


@pytest.mark.parametrize("output", OUTPUTS)
def test_an_output_that_exists_is_intact_until_the_end(tmp_path, source, output):
    ending, kind, mode = OUTPUTS[output]
    one, many = output_names(tmp_path, ending, mode)
    call("--quiet", *kind, "-V", "x,time", source, many)
    old = content(path_of(many))
    call("--quiet", *kind, source, one)
    file = plan(tmp_path / "job.json", PARTS, *kind, source, many)
    for part in range(PARTS):
        assert content(path_of(many)) == old
        call("--part", part, file)
    assert content(path_of(many)) == old
    call("--finish", file)
    check_same(path_of(many), path_of(one))


@pytest.mark.parametrize("option", [["-d", "5"], ["-k", "nc3"], ["-c", "x/2"], ["-V", "x"], ["--join", "time"], ["--verify"], ["--parts", "3"],
                                    ["--finish"], ["--status"], ["--plan", "other.json"], ["--missing"], ["--resume"]])
def test_options_of_the_copy_belong_to_the_plan(tmp_path, source, option):
    job = Job(tmp_path, source, "nc4")
    outcome = call("--part", "0", *option, job.file, code=None)
    assert outcome.code in (1, 2) and "part 0: done" not in outcome.error, outcome.error
    assert not list(job.stage().glob("0.*"))


@pytest.mark.parametrize("list_", ["", "a", "1-", "3-2", "0,,1", "5", "0-99", "18446744073709551616"])
def test_lists_that_name_no_parts(tmp_path, source, list_):
    job = Job(tmp_path, source, "nc4")
    assert call(f"--part={list_}", job.file, code=None).code in (1, 2)
    assert not list(job.stage().glob("*.begun"))


def test_a_plan_that_is_there_is_kept(tmp_path, source):
    job = Job(tmp_path, source, "nc4")
    before = job.file.read_bytes()
    call("--plan", job.file, "--parts", "2", source, tmp_path / "other.nc", code=1).refused("exists")
    assert job.file.read_bytes() == before
    assert left_in(tmp_path) == []
    # A file of the job that cannot be written leaves nothing beside the output.
    call("--plan", tmp_path / "no folder" / "job.json", "--parts", "2", source, tmp_path / "other.nc", code=1).refused()
    assert left_in(tmp_path) == []
    for parts in "0", "-1", "x", "1000001":
        assert call("--plan", tmp_path / "new.json", f"--parts={parts}", source, tmp_path / "other.nc", code=None).code in (1, 2)
    assert left_in(tmp_path) == [] and not (tmp_path / "new.json").exists()


def test_names_count_from_the_folder_of_the_plan(tmp_path, source):
    shutil.copy(source, tmp_path / "in.nc")
    (tmp_path / "elsewhere").mkdir()
    call("--plan", "job.json", "--parts", "2", "in.nc", "out.nc", cwd=tmp_path)
    for part in 0, 1:
        call("--part", part, "../job.json", cwd=tmp_path / "elsewhere")
    call("--finish", "../job.json", cwd=tmp_path / "elsewhere")
    call("in.nc", "one.nc", cwd=tmp_path)
    check_same(tmp_path / "out.nc", tmp_path / "one.nc")


def test_a_worker_ends_with_its_parent(tmp_path, source):
    """Standard input that ends, ends the program."""
    job = Job(tmp_path, source, "nc4")
    # Here it is at its end already.
    outcome = call("--with-parent", "--part", "0-4", job.file, code=None)
    assert outcome.code in (0, 130, 143, -2, -15), outcome.error
    call("--part", "0-4", job.file)
    call("--finish", job.file)
    job.check_whole()


@pytest.mark.parametrize("output", ["nc4", "zarr3"])
def test_an_unreadable_chunk_fails_its_part_alone(tmp_path, source, output):
    """The error names the variable and the chunk, and nothing is published."""
    import h5py

    with h5py.File(source) as f:
        at = f["v0"].id.get_chunk_info(5).byte_offset
    broken = bytearray(source.read_bytes())
    broken[at + 3: at + 12] = bytes(9)
    (tmp_path / "in.nc").write_bytes(broken)
    ending, kind, mode = OUTPUTS[output]
    file = plan(tmp_path / "job.json", PARTS, *kind, "-d", "3", tmp_path / "in.nc", tmp_path / f"out.{ending}")
    codes = []
    for part in range(PARTS):
        outcome = call("--part", part, file, code=None)
        codes.append(outcome.code)
        if outcome.code:
            outcome.refused("v0", "chunk")
    assert sorted(codes) == [0] * (PARTS - 1) + [1]
    bad = codes.index(1)
    assert f"1 of {PARTS} parts are missing: {bad}" in call("--finish", file, code=3).error
    assert not (tmp_path / f"out.{ending}").exists()
    call("--abandon", file)
    assert left_in(tmp_path) == []
