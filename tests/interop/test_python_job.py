"""`ncutils.Job`: a copy in parts, from Python."""

import json
import os
import pickle

import pytest
import python_module  # noqa: F401, says where the programs are
from conftest import HERE
from job_runs import runs, source, stand_in  # noqa: F401, fixtures

import ncutils

SAMPLE = HERE.parent.parent / "testdata" / "sample.nc"


def test_a_job_is_planned_done_and_finished(tmp_path, stand_in, source, monkeypatch):
    monkeypatch.setenv("NCUTILS_BIN", str(stand_in))
    output = tmp_path / "out"
    job = ncutils.Job.plan(source, output, job=tmp_path / "job.json", parts=12, deflate=5, shuffle=True)
    assert json.loads((tmp_path / "job.json").read_text())["options"] == {"--deflate": "5", "--shuffle": True}
    again = pickle.loads(pickle.dumps(job))
    assert again == job and again.path == str(tmp_path / "job.json")
    assert again.missing() == list(range(12))
    again.part(0, threads=1, memory="64M")
    [run] = runs(job.path)
    assert (run["part"], run["parent"], run["--threads"], run["--memory"]) == (0, os.getpid(), "1", "64M")
    again.part("2-4,7")
    again.part([8, 10])
    assert again.missing() == [1, 5, 6, 9, 11] and again.status() == {"missing": [1, 5, 6, 9, 11]}
    with pytest.raises(ncutils.PartsMissing, match="1, 5, 6, 9, 11") as error:
        again.finish()
    assert error.value.status == 3 and not output.exists()
    again.part(job.missing())
    again.finish()
    again.finish()
    assert output.read_bytes() == source.read_bytes()


def test_an_abandoned_job_is_gone(tmp_path, stand_in, source, monkeypatch):
    monkeypatch.setenv("NCUTILS_BIN", str(stand_in))
    job = ncutils.Job.plan(source, output=tmp_path / "out", job=tmp_path / "job.json", parts=2)
    source.write_bytes(b"shorter")
    with pytest.raises(ncutils.InputChanged, match="has changed") as error:
        job.part(0)
    assert error.value.status == 4
    job.abandon()
    with pytest.raises(ncutils.Error, match="abandoned"):
        job.part(0)
    with pytest.raises(ncutils.Error, match="cannot open"):
        ncutils.Job(tmp_path / "none.json").missing()


def test_a_real_job(tmp_path):
    """With the program under test."""
    job = ncutils.Job.plan(SAMPLE, tmp_path / "out.zarr", job=tmp_path / "job.json", parts=3, kind="zarr3", deflate=1)
    job.part(job.missing())
    assert job.missing() == [] and isinstance(job.status(), dict)
    job.finish(verify=True)
    ncutils.copy(SAMPLE, tmp_path / "one.zarr", kind="zarr3", deflate=1)
    files = [{path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
             for folder in (tmp_path / "out.zarr", tmp_path / "one.zarr")]
    assert files[0] == files[1]
