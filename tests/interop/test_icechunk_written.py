"""Repositories that our nccopy writes: icechunk reads by them what netCDF4-python reads of the files that they lead to."""

import os
import pathlib

import join_files
import netCDF4
import numpy as np
import pytest
import stop_points
from conftest import ncdump, nccopy
from references_read import VARIABLES, needs_references
from test_references_written import contents
from zarr_reference import by_script

pytestmark = needs_references



def repository(path):
    return f"{path}#mode=icechunk"


def compare(path, *sources, along=None, container=None, timeout=120):
    options = [] if along is None else ["--along", along]
    container = container or f"file://{pathlib.Path(sources[0]).resolve().parent}/"
    # Icechunk starts threads as it is imported, which a process that is forked does not have.
    return by_script(("zarr",), "icechunk_compare.py", path, container, *sources, *options, variables={**VARIABLES, "ICECHUNK_LOG": "error"}, timeout=timeout)


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    path = tmp_path_factory.mktemp("icechunk") / "source.nc"
    rng = np.random.default_rng(3)
    with netCDF4.Dataset(path, "w") as f:
        f.title = "of a repository"
        for name, length in [("time", None), ("y", 30), ("x", 40)]:
            f.createDimension(name, length)
        time = f.createVariable("time", "f8", ("time",))
        time.units = "days since 2000-01-01"
        time[:] = np.arange(9)
        field = rng.normal(size=(9, 30, 40))
        for name, options in {
            "plain": {}, "deflated": {"zlib": True}, "shuffled": {"zlib": True, "shuffle": True}, "zstd": {"compression": "zstd"},
        }.items():
            f.createVariable(name, "f4", ("time", "y", "x"), chunksizes=(2, 15, 40), **options)[:] = field
        packed = f.createVariable("packed", "i2", ("time", "y", "x"), zlib=True, chunksizes=(1, 30, 40))
        packed.scale_factor = 0.5
        packed[:] = np.round(field * 10) / 2
        f.createVariable("big", ">i4", ("y", "x"), endian="big", zlib=True)[:] = np.arange(1200).reshape(30, 40)
        sparse = f.createVariable("sparse", "f8", ("time", "x"), chunksizes=(1, 20), zlib=True, fill_value=7.5)
        sparse[4, 3:8] = 1.0
        names = f.createVariable("name", str, ("x",))
        for n in range(40):
            names[n] = "é" * n
        f.createGroup("inner").createVariable("number", "i4")[...] = 5
    return path


@pytest.mark.parametrize("inline", ["0", "1M"])
def test_a_repository_leads_to_the_values_of_its_source(source, tmp_path, inline):
    nccopy("--inline", inline, source, repository(tmp_path / "repo"))
    found = compare(tmp_path / "repo", source)
    assert found["differences"] == []
    assert found["title"] == "of a repository"
    assert found["snapshots"] == ["written by nccopy", "Repository initialized"]


def test_our_reader_reads_it(source, tmp_path):
    nccopy("--inline", "0", source, repository(tmp_path / "repo"))
    nccopy("-k", "nc4", "--data-dir", source.parent, repository(tmp_path / "repo"), tmp_path / "back.nc")
    with netCDF4.Dataset(source) as wanted, netCDF4.Dataset(tmp_path / "back.nc") as found:
        for name in wanted.variables:
            assert (wanted[name][...] == found[name][...]).all(), name
        assert found["inner/number"][...] == 5
    assert "branch" in str(list((tmp_path / "repo").rglob("ref.json"))[0])


@pytest.mark.parametrize("kind, options", [("zarr2", []), ("zarr3", ["--shard", "none"])])
def test_values_of_keys_are_whole_objects(source, tmp_path, kind, options):
    middle, repo = tmp_path / "in.zarr", tmp_path / "repo"
    nccopy("-k", kind, *options, source, middle)
    nccopy("--inline", "0", middle, repository(repo))
    expected = tmp_path / "expected.nc"
    nccopy("-k", "nc4", middle, expected)
    assert compare(repo, expected, container=middle.as_uri() + "/")["differences"] == []
    assert nccopy("--data-dir", tmp_path, repository(repo), tmp_path / "back.nc") is not None


def test_joined_files_are_one_repository(tmp_path):
    files = join_files.days(tmp_path, 5, 5, 5, chunk=1)
    nccopy("--join", "time", "--inline", "10K", *files, repository(tmp_path / "repo"))
    assert compare(tmp_path / "repo", *files, along="time")["differences"] == []


def test_the_same_source_gives_the_same_repository(source, tmp_path):
    for n, threads in enumerate(("1", "2", "8")):
        nccopy("--threads", threads, source, repository(tmp_path / f"repo{n}"))
    assert contents(tmp_path / "repo0") == contents(tmp_path / "repo1") == contents(tmp_path / "repo2")


@pytest.mark.long
def test_many_references_are_in_several_manifests(tmp_path):
    path = tmp_path / "many.nc"
    with netCDF4.Dataset(path, "w") as f:
        f.createDimension("y", 700)
        f.createDimension("x", 600)
        f.createVariable("v", "i1", ("y", "x"), chunksizes=(1, 2))[:] = np.arange(420_000).reshape(700, 600) % 100
    nccopy("--inline", "0", path, repository(tmp_path / "repo"))
    assert len(list((tmp_path / "repo" / "manifests").iterdir())) > 1
    # Its reader takes 100 s of processors.
    assert compare(tmp_path / "repo", path, timeout=600)["differences"] == []


def test_a_repository_is_never_replaced(source, tmp_path):
    nccopy(source, repository(tmp_path / "repo"))
    before = contents(tmp_path / "repo")
    assert "a repository is never replaced" in nccopy("--quiet", source, repository(tmp_path / "repo"), ok=False)
    assert contents(tmp_path / "repo") == before
    for key in ("branch=dev", "tag=v1", "snapshot=1CECHNKREP0F1RSTCMT0"):
        refused = nccopy("--quiet", source, f"{repository(tmp_path / 'other')}&{key}", ok=False)
        assert "a new repository has the branch main alone" in refused
    refused = nccopy("--quiet", "--relative", "--inline", "0", source, repository(tmp_path / "other"), ok=False)
    assert "leave out --relative" in refused
    assert not (tmp_path / "other").exists()


def part(path, first, count, chunk):
    """Cells from `first` on along `time`."""
    rng = np.random.default_rng(first)
    with netCDF4.Dataset(path, "w") as f:
        for name, length in [("time", None), ("y", 30), ("x", 40)]:
            f.createDimension(name, length)
        f.createVariable("time", "f8", ("time",))[:] = np.arange(first, first + count)
        f.createVariable("v", "f4", ("time", "y", "x"), chunksizes=(chunk, 30, 40), zlib=True)[:] = rng.normal(size=(count, 30, 40))
        f.createVariable("fixed", "f4", ("y", "x"), zlib=True)[:] = np.arange(1200).reshape(30, 40)
    return path


def test_append_adds_snapshots_and_keeps_manifests(tmp_path):
    parts = [part(tmp_path / f"{n}.nc", first, count, 1) for n, (first, count) in enumerate([(0, 6), (6, 4), (10, 3)])]
    repo = tmp_path / "repo"
    nccopy("--quiet", parts[0], repository(repo))
    before = contents(repo)
    for n in (1, 2):
        nccopy("--quiet", "--append", parts[n], repository(repo))
        found = compare(repo, *parts[: n + 1], along="time")
        assert found["differences"] == []
        assert found["snapshots"] == ["added by nccopy"] * n + ["written by nccopy", "Repository initialized"]
    now = contents(repo)
    # Only the branch moves. All else stays, and is read by older snapshots.
    assert {name for name in before if now.get(name) != before[name]} == {pathlib.Path("refs/branch.main/ref.json")}
    assert len(list((repo / "manifests").iterdir())) == 7
    assert "time = UNLIMITED ; // (13 currently)" in ncdump("-h", repository(repo)).decode()


def test_append_finds_a_repository_by_its_bare_name(tmp_path):
    parts = [part(tmp_path / f"{first}.nc", first, 2, 1) for first in (0, 2, 4)]
    repo = tmp_path / "repo"
    nccopy("--quiet", parts[0], repository(repo))
    nccopy("--quiet", "--append", parts[1], repo)
    nccopy("--quiet", "-k", "icechunk", "--append", parts[2], repo)
    assert compare(repo, *parts, along="time")["differences"] == []
    assert "is of the kind Icechunk, which --append keeps" in nccopy("-k", "zarr3", "--append", parts[2], repo, ok=False)


def test_names_are_found_whatever_their_characters(tmp_path):
    # Byte by byte, '-' comes before '/', so that the group a-b comes between a and a/b.
    with netCDF4.Dataset(tmp_path / "in.nc", "w") as f:
        for path in ("a", "a/b", "a/b/c", "a-b", "a-b/x", "ab", "z"):
            f.createGroup(path).createVariable("v", "i4")[...] = len(path)
    nccopy("--quiet", tmp_path / "in.nc", repository(tmp_path / "repo"))
    assert compare(tmp_path / "repo", tmp_path / "in.nc")["differences"] == []


def test_specification_2(source, tmp_path):
    repo = tmp_path / "repo"
    nccopy("--inline", "0", source, repository(repo) + "&spec=2")
    assert sorted(path.name for path in repo.iterdir()) == ["chunks", "manifests", "repo", "snapshots", "transactions"]
    nccopy("-k", "nc4", "--data-dir", source.parent, repository(repo), tmp_path / "back.nc")
    with netCDF4.Dataset(source) as wanted, netCDF4.Dataset(tmp_path / "back.nc") as found:
        for name in wanted.variables:
            assert (wanted[name][...] == found[name][...]).all(), name
        assert found["inner/number"][...] == 5
    nccopy("--inline", "0", "--threads", "2", source, repository(tmp_path / "again") + "&spec=2")
    assert contents(tmp_path / "again") == contents(repo)
    assert "mode=icechunk&spec=2" in nccopy("--quiet", source, f"{tmp_path / 'y'}#mode=zarr&spec=2", ok=False)


def test_append_to_specification_2(tmp_path):
    parts = [part(tmp_path / f"{n}.nc", first, count, 1) for n, (first, count) in enumerate([(0, 6), (6, 4), (10, 3)])]
    repo = tmp_path / "repo"
    nccopy("--quiet", parts[0], repository(repo) + "&spec=2")
    before = contents(repo)
    for n in (1, 2):
        nccopy("--quiet", "--append", parts[n], repository(repo))
        assert f"({len_of(parts[: n + 1])} currently)" in ncdump("-h", repository(repo)).decode()
        assert len(list((repo / "overwritten").iterdir())) == n
    now = contents(repo)
    assert {name for name in before if now.get(name) != before[name]} == {pathlib.Path("repo")}
    nccopy("-k", "nc4", "--data-dir", tmp_path, repository(repo), tmp_path / "back.nc")
    nccopy("--join", "time", *parts, tmp_path / "wanted.nc")
    with netCDF4.Dataset(tmp_path / "wanted.nc") as wanted, netCDF4.Dataset(tmp_path / "back.nc") as found:
        for name in wanted.variables:
            assert (wanted[name][...] == found[name][...]).all(), name
    told = nccopy("--quiet", "--append", parts[2], repository(repo) + "&spec=1", ok=False)
    assert "of specification 2; leave out spec=" in told
    assert contents(repo) == now


def len_of(files):
    return sum(len(netCDF4.Dataset(file).dimensions["time"]) for file in files)


def test_what_a_branch_leads_to_is_durable_before_it_moves(tmp_path):
    for folder in "ab":
        (tmp_path / folder).mkdir()
    parts = [part(tmp_path / "a" / "in.nc", 0, 2, 1), part(tmp_path / "b" / "in.nc", 2, 2, 1)]
    repo = tmp_path / "repo"
    nccopy("--quiet", "--inline", "0", parts[0], repository(repo))
    before = contents(repo)
    # The second folder is a new container, so the settings are replaced before the branch.
    process = stop_points.stopped("sync", "nccopy", "--quiet", "--inline", "0", "--append", parts[1], repository(repo), time=2)
    assert process is not None
    now = contents(repo)
    changed = {str(name) for name in before if now[name] != before[name]}
    assert changed == {"config.yaml"}
    assert stop_points.go_on(process) == (0, "")
    assert "(4 currently)" in ncdump("-h", repository(repo)).decode()


def test_append_goes_on_within_a_chunk(tmp_path):
    parts = [part(tmp_path / f"{first}.nc", first, 5, 2) for first in (0, 5, 10, 15)]
    repo = tmp_path / "repo"
    nccopy("--quiet", "--inline", "0", parts[0], repository(repo))
    told = nccopy("--quiet", "--inline", "0", "--append", parts[1], repository(repo), ok=False)
    assert "--copy-ragged" in told
    for n in (1, 2, 3):
        nccopy("--quiet", "--inline", "0", "--data-dir", tmp_path, "--copy-ragged", "--append", parts[n], repository(repo))
        assert compare(repo, *parts[: n + 1], along="time")["differences"] == []


def test_an_append_of_cells_that_are_there_is_told(tmp_path):
    parts = [part(tmp_path / "a.nc", 0, 4, 1), part(tmp_path / "b.nc", 0, 4, 1), part(tmp_path / "c.nc", 2, 4, 1)]
    repo = tmp_path / "repo"
    nccopy("--quiet", parts[0], repository(repo))
    before = contents(repo)
    for other in parts[1:]:
        told = nccopy("--quiet", "--append", "--overlap", "last", other, repository(repo), ok=False)
        assert "--join writes a new dataset of both" in told
    assert contents(repo) == before
    nccopy("--quiet", "--append", "--overlap", "first", parts[2], repository(repo))
    assert "(6 currently)" in ncdump("-h", repository(repo)).decode()


def test_append_writes_the_chunks_at_the_border(tmp_path):
    parts = [part(tmp_path / "a.nc", 0, 5, 2), part(tmp_path / "b.nc", 5, 4, 2)]
    repo = tmp_path / "repo"
    nccopy("--quiet", parts[0], repository(repo))
    refused = nccopy("--quiet", "--append", parts[1], repository(repo), ok=False)
    assert "its chunks do not begin where those of the output begin" in refused
    nccopy("--quiet", "--inline", "1M", "--append", parts[1], repository(repo))
    assert compare(repo, *parts, along="time")["differences"] == []


def test_append_goes_to_the_branch_that_is_named(tmp_path):
    parts = [part(tmp_path / "a.nc", 0, 2, 1), part(tmp_path / "b.nc", 2, 2, 1)]
    repo = tmp_path / "repo"
    nccopy("--quiet", parts[0], repository(repo))
    (repo / "refs" / "branch.dev").mkdir()
    (repo / "refs" / "branch.dev" / "ref.json").write_bytes((repo / "refs" / "branch.main" / "ref.json").read_bytes())
    nccopy("--quiet", "--append", parts[1], repository(repo) + "&branch=dev")
    assert compare(repo, parts[0])["differences"] == []
    assert "(4 currently)" in ncdump("-h", repository(repo) + "&branch=dev").decode()
    for key, told in [("branch=no", "no branch no"), ("tag=t", "is added to a branch"), ("snapshot=1CECHNKREP0F1RSTCMT0", "branch")]:
        assert told in nccopy("--quiet", "--append", parts[1], f"{repository(repo)}&{key}", ok=False)


def test_readers_refuse_a_source_that_was_changed(tmp_path):
    source, repo = part(tmp_path / "a.nc", 0, 2, 1), tmp_path / "repo"
    nccopy("--quiet", "--inline", "0", source, repository(repo))
    os.utime(source, (2_000_000_000, 2_000_000_000))
    assert "the object was changed since the reference was made" in nccopy(
        "--quiet", repository(repo), tmp_path / "out.nc", ok=False
    )
    with pytest.raises(AssertionError):
        compare(repo, source)


def test_snapshots_have_the_time_of_the_newest_source(tmp_path, monkeypatch):
    source = part(tmp_path / "a.nc", 0, 2, 1)
    os.utime(source, (1_700_000_000, 1_700_000_000))
    nccopy("--quiet", source, repository(tmp_path / "a"))
    assert compare(tmp_path / "a", source)["times"] == [1_700_000_000] * 2
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1000000000")
    nccopy("--quiet", source, repository(tmp_path / "b"))
    assert compare(tmp_path / "b", source)["times"] == [1_000_000_000] * 2
