"""What nccopy prints of a copy: before it with --dry-run, after it with --summary; as a table and as JSON."""

import json
import subprocess

import h5py
import numpy as np
import pytest
from conftest import BIN, ncgen

CDL = """netcdf in {
dimensions: t = UNLIMITED ; y = 20 ; x = 30 ;
variables:
  int chunked(t, y, x) ; chunked:_ChunkSizes = 1, 10, 15 ; chunked:_DeflateLevel = 3 ;
  int other(t, y, x) ; other:_ChunkSizes = 1, 10, 15 ; other:_DeflateLevel = 3 ;
  double whole(y, x) ;
  float cut(y, x) ;
  string text(y) ; text:_ChunkSizes = 7 ;
  byte empty(y) ;
  string packed(x) ; packed:_ChunkSizes = 8 ; packed:_DeflateLevel = 1 ; packed:_Shuffle = "true" ;
data:
  chunked = %s ;
  other = %s ;
  whole = 3, 4 ;
  cut = 5, 6 ;
  text = "a", "bc" ;
  packed = "d", "e" ;
}
"""
ARGUMENTS = ["--for", "netcdf-c", "-F", "other,2|32015,3", "-c", "cut:5,5"]
ROUTES = {
    "chunked": "raw",
    "other": "refilter",
    "whole": "ranges",
    "cut": "blocks",
    "text": "values",
    "empty": "nothing",
    "packed": "values",
}


@pytest.fixture
def source(tmp_path):
    numbers = ", ".join(str(n) for n in range(1800))
    (tmp_path / "in.cdl").write_text(CDL % (numbers, numbers))
    ncgen("-k", "nc4", "-o", tmp_path / "in.nc", tmp_path / "in.cdl")
    return tmp_path / "in.nc"


def printed(*arguments, status=0):
    done = subprocess.run([str(BIN / "nccopy"), *map(str, arguments)], capture_output=True, text=True, timeout=120)
    assert done.returncode == status, done.stderr
    assert (done.stderr == "") == (status == 0), done.stderr
    return done.stdout if status == 0 else done.stderr


def by_name(text):
    assert len(text.splitlines()) == 1
    told = json.loads(text)
    return {var["name"]: var for var in told["variables"]}, told


def rows(text):
    """The cells of a table that has neither blanks in its cells nor empty ones."""
    head, *others = [line.split() for line in text.splitlines()]
    return [dict(zip(head, cells)) for cells in others]


@pytest.mark.parametrize("threads", [1, 3])
def test_the_summary_has_the_sizes_that_hdf5_has(threads, source):
    target = source.with_name("out.nc")
    told, all_of_it = by_name(printed("--summary", "--json", "--threads", threads, *ARGUMENTS, source, target))
    assert {name: var["route"] for name, var in told.items()} == ROUTES
    with h5py.File(source) as before, h5py.File(target) as after:
        for name, var in told.items():
            assert var["written"] == after[name].id.get_storage_size(), name
            # Each chunk is read once: blocks and values are no larger than what is read at a time.
            assert var["read"] == before[name].id.get_storage_size(), name
            if var["route"] == "nothing":
                assert var["decoded"] == 0 and var["ratio"] is None
            else:
                assert var["ratio"] == pytest.approx(var["decoded"] / var["written"])
                assert var["seconds"] > 0
    assert told["whole"]["decoded"] == 4800 and told["chunked"]["decoded"] == 3 * 600 * 4
    for column in ("decoded", "read", "written"):
        assert all_of_it[column] == sum(var[column] for var in told.values())
    assert all_of_it["elapsed"] > 0 and all_of_it["memory"] > 0
    np.testing.assert_array_equal(h5py.File(target)["cut"][0, :2], [5, 6])


def test_the_summary_as_a_table(source):
    target = source.with_name("out.nc")
    text = printed("--summary", *ARGUMENTS, source, target)
    *table, passed, last = text.splitlines()
    assert " chunks passed as they are: " in passed
    found = rows("\n".join(table))
    assert [(row["variable"], row["route"]) for row in found[:-1]] == list(ROUTES.items())
    assert table[-1].startswith("total") and last.startswith("elapsed ")
    with h5py.File(target) as f:
        assert all(int(row["written"]) == f[row["variable"]].id.get_storage_size() for row in found[:-1])


def test_records_of_a_classic_file(tmp_path):
    cdl = "netcdf r { dimensions: t = UNLIMITED ; variables: int a(t) ; short b(t) ; data: a = %s ; b = %s ; }"
    numbers = ", ".join(str(n) for n in range(1000))
    (tmp_path / "r.cdl").write_text(cdl % (numbers, numbers))
    ncgen("-o", tmp_path / "r.nc", tmp_path / "r.cdl")
    for kind in ("nc5", "nc4"):
        target = tmp_path / f"{kind}.nc"
        told, _ = by_name(printed("--summary", "--json", "-k", kind, tmp_path / "r.nc", target))
        assert {var["route"] for var in told.values()} == {"records"}
        assert (told["a"]["read"], told["b"]["read"]) == (4000, 2000)
        if kind == "nc5":
            assert (told["a"]["written"], told["b"]["written"]) == (4000, 2000)
        else:
            with h5py.File(target) as f:
                assert all(var["written"] == f[name].id.get_storage_size() for name, var in told.items())


def test_a_dry_run_writes_nothing_and_tells_what_will_be(source):
    target = source.with_name("out.nc")
    before = sorted(source.parent.iterdir())
    plan, whole = by_name(printed("--dry-run", "--json", *ARGUMENTS, source, target))
    text = printed("--dry-run", *ARGUMENTS, source, target)
    assert sorted(source.parent.iterdir()) == before
    assert whole["kind"] == "netCDF-4" and text.startswith("kind: netCDF-4\n")
    assert {name: var["route"] for name, var in plan.items()} == ROUTES
    found = {row["variable"]: row for row in rows("\n".join(text.splitlines()[1:-1]))}
    assert found["other"]["filters"] == "shuffle,4|zstd,3" and found["other"]["shape"] == "1,10,15"
    assert found["whole"]["filters"] == "-" and found["whole"]["storage"] == "contiguous"
    assert (found["whole"]["order"], found["text"]["order"]) == ("little", "-")
    done, all_of_it = by_name(printed("--summary", "--json", *ARGUMENTS, source, target))
    # The plan leaves out what the writer holds until its turn.
    assert all_of_it["memory"] <= 1.1 * whole["memory"] + 4096
    with h5py.File(target) as f:
        for name, var in plan.items():
            dataset = f[name]
            assert (var["storage"] == "chunked") == (dataset.chunks is not None), name
            assert tuple(var["shape"]) == (dataset.chunks or dataset.shape), name
            if dataset.chunks:
                assert var["chunks"] == dataset.id.get_num_chunks(), name
            create = dataset.id.get_create_plist()
            stored = [create.get_filter(n)[0] for n in range(create.get_nfilters())]
            assert [each["hdf5"] for each in var["filters"]] == stored, name
            assert done[name]["route"] == var["route"]


def test_a_dry_run_leaves_an_older_output_alone(source):
    target = source.with_name("out.nc")
    target.write_text("mine")
    printed("--dry-run", "-d", "5", source, target)
    assert target.read_text() == "mine"
    # Nothing but the plan is asked for, so a folder that is not there is no error.
    printed("--dry-run", source, source.parent / "missing" / "out.nc")


@pytest.mark.parametrize(
    "arguments, says",
    [
        (["-F", "none_such,1,5"], "none_such"),
        (["-k", "nc3"], "use -k nc4"),
        (["-c", "cut:5"], "-c"),
    ],
)
def test_errors_of_the_plan_are_errors_of_a_dry_run(arguments, says, source):
    assert says in printed("--dry-run", *arguments, source, source.with_name("out.nc"), status=1)


def test_json_alone_says_what_it_needs(source):
    assert "--summary" in printed("--json", source, source.with_name("out.nc"), status=1)


def test_names_cannot_steer_the_terminal(tmp_path):
    with h5py.File(tmp_path / "in.nc", "w") as f:
        f["a\x1b[2Jb\n"] = np.arange(3)
    for option in ("--dry-run", "--summary"):
        text = printed(option, tmp_path / "in.nc", tmp_path / "out.nc")
        assert "\x1b" not in text and "a\\u{1b}[2Jb\\n" in text


def test_a_dry_run_knows_what_a_file_can_address(tmp_path):
    large = "x) ; %s:_Storage = \"chunked\" ; %s:_ChunkSizes = 1000000 ;"
    variables = " ".join(f"double {v}({large % (v, v)}" for v in "ab") + ' byte c(x) ; c:_Storage = "chunked" ; c:_ChunkSizes = 1 ;'
    (tmp_path / "in.cdl").write_text(f"netcdf in {{ dimensions: x = 200000000 ; variables: {variables} }}")
    ncgen("-k", "nc4", "-o", tmp_path / "in.nc", tmp_path / "in.cdl")
    dry, real = (printed(*option, "-k", "nc3", tmp_path / "in.nc", tmp_path / "out.nc", status=1) for option in (["--dry-run"], []))
    assert dry == real and "2 GiB" in dry
    assert not (tmp_path / "out.nc").exists()
