"""A job of many inputs, each of which is copied as a whole: parts are groups of files."""

import job_inputs
import pytest
from jobs import call, check_same, plan

PARTS = 3


class Files:
    def __init__(self, folder, *options):
        self.folder = folder
        self.names = [f"{n}.nc" for n in range(7)]
        sources = []
        for name in self.names:
            source = folder / "in" / name
            source.parent.mkdir(exist_ok=True)
            sources.append(job_inputs.plain(source))
        self.one, self.many = folder / "one", folder / "many"
        call("--quiet", *options, *sources, f"{self.one}/")
        self.file = plan(folder / "job.json", PARTS, *options, *sources, f"{self.many}/")

    def outputs(self):
        return sorted(path.name for path in self.many.glob("*.nc")) if self.many.exists() else []

    def check_whole(self):
        assert self.outputs() == self.names
        for name in self.names:
            check_same(self.many / name, self.one / name)
        assert [path.name for path in self.many.iterdir() if path.name.startswith(".")] == []


def test_parts_are_groups_of_files(tmp_path):
    files = Files(tmp_path, "-d", "5")
    call("--part", 1, files.file)
    assert 0 < len(files.outputs()) < len(files.names)
    assert "2 of 3 parts are missing: 0,2" in call("--finish", files.file, code=3).error
    call("--part", "0-2", files.file)
    refused = call("--finish", "--verify", files.file, code=1).error
    assert refused.startswith("nccopy: --verify: the parts of this job are whole files")
    call("--finish", files.file)
    call("--finish", files.file)
    files.check_whole()


def test_each_file_can_be_compared_before_it_appears(tmp_path):
    files = Files(tmp_path, "-k", "nc4", "--verify")
    call("--part", "0-2", files.file)
    call("--finish", files.file)
    files.check_whole()


def test_an_input_that_changed_fails_its_part_alone(tmp_path):
    files = Files(tmp_path, "-d", "1")
    with open(tmp_path / "in" / "6.nc", "ab") as file:
        file.write(b"\0")
    statuses = [call("--part", part, files.file, code=None).code for part in range(PARTS)]
    assert sorted(statuses) == [0, 0, 4]
    assert call("--status", "--missing", files.file).out == f"{statuses.index(4)}\n"


@pytest.mark.parametrize("done", [[], [0, 2]])
def test_what_an_abandoned_job_copied_stays(tmp_path, done):
    """Each file is whole, and appeared by itself."""
    files = Files(tmp_path, "-d", "1")
    for part in done:
        call("--part", part, files.file)
    there = files.outputs()
    call("--abandon", files.file)
    assert files.outputs() == there
    for name in there:
        check_same(files.many / name, files.one / name)
    call("--part", 1, files.file, code=1).refused("finished or abandoned")
