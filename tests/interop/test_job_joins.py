"""A part of a job that joins inputs opens those that it needs, and no others."""

import json

import join_files
import netCDF4
import pytest
from jobs import call, check_same, output_names, path_of, plan

PARTS = 4


class Join:
    """A job that joins eight inputs along time, into variables whose parts need two or three of them each."""

    def __init__(self, folder, output, **made):
        ending, options = {"nc4": ("nc", ["-d", "1"]), "zarr3": ("zarr", ["-k", "zarr3", "--shard", "none"])}[output]
        self.files = join_files.days(folder, 3, 3, 3, 3, 3, 3, 3, 3, chunk=1, **made)
        self.one, self.output = output_names(folder, ending, None)
        arguments = [*options, "-V", "tas", "--join", "time", *self.files]
        call("--quiet", *arguments, self.one)
        self.file = plan(folder / "job.json", PARTS, *arguments, self.output)

    def opened(self, part):
        """The numbers of the inputs without which the part cannot be made."""
        needed = []
        for n, path in enumerate(self.files):
            aside = path.with_suffix(".aside")
            path.rename(aside)
            if call("--quiet", "--again", "--part", part, self.file, code=None).code:
                needed.append(n)
            aside.rename(path)
        return needed

    def finish(self):
        call("--quiet", "--part", f"0-{PARTS - 1}", self.file)
        call("--quiet", "--finish", self.file)
        check_same(path_of(self.output), path_of(self.one))


@pytest.mark.parametrize("output", ["nc4", "zarr3"])
def test_a_part_needs_its_own_inputs(tmp_path, output):
    join = Join(tmp_path, output)
    opened = [join.opened(part) for part in range(PARTS)]
    # The first input tells the names and the storage of all variables.
    assert all(0 in inputs for inputs in opened)
    assert all(len(inputs) < len(join.files) for inputs in opened), opened
    assert sorted({n for inputs in opened for n in inputs}) == list(range(len(join.files)))
    join.finish()


@pytest.mark.parametrize("output", ["nc4", "zarr3"])
def test_an_input_that_changed_is_refused_by_the_parts_that_need_it(tmp_path, output):
    join = Join(tmp_path, output)
    needed = [n for n in range(PARTS) if 5 in join.opened(n)]
    with netCDF4.Dataset(join.files[5], "a") as dataset:
        dataset.title = "changed"
    for part in range(PARTS):
        outcome = call("--again", "--part", part, join.file, code=4 if part in needed else 0)
        said = f"nccopy: {join.files[5]}: changed since the job was planned; plan it again\n"
        assert outcome.error.endswith(said) == (part in needed)
    assert call("--finish", join.file, code=4).error.startswith(f"nccopy: {join.files[5]}: changed")


def test_what_the_job_tells_of_inputs_is_checked(tmp_path):
    join = Join(tmp_path, "zarr3")
    job = json.loads(join.file.read_text())
    for change in (
        lambda found: found["pieces"][3].__setitem__(0, 99),
        lambda found: found["pieces"][3].__setitem__(2, 2**63),
        lambda found: found["known"][0]["extent"].__setitem__(0, 2**40),
        lambda found: found["stored"].clear(),
        lambda found: found["names"].pop(),
    ):
        changed = json.loads(json.dumps(job))
        change(changed["joined"])
        join.file.write_text(json.dumps(changed))
        outcome = call("--part", 1, join.file, code=1)
        assert outcome.error.count("\n") == 1 and "panicked" not in outcome.error
    join.file.write_text(json.dumps(job))
    join.finish()
