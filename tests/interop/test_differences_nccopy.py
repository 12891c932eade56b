"""Differences between our nccopy and netCDF-C's, as docs/reference/differences.md lists them."""

import subprocess

import h5py
import netcdf_c
import numpy as np
import pytest
from conftest import BIN, installed, nccopy, ncdump, ncgen
from differences import both, check, make, outcome

CHUNKED = "dimensions: d = 4; variables: int v(d); v:_ChunkSizes = 2; data: v = 1, 2, 3, 4;"
UNLIMITED = "dimensions: d = UNLIMITED; variables: int v(d); data: v = 1, 2, 3, 4;"
CLASSIC = "dimensions: d = 4; variables: int v(d); data: v = 1, 2, 3, 4;"

# The beginning of a row, the body of a text, options, and what is found in our outcome and in theirs: the exit status, the
# messages, and what our ncdump prints of the copy.
CASES = [
    ("chunked variables", CHUNKED, [], "_ChunkSizes = 2", '"contiguous"'),
    ("`_NCProperties`", CHUNKED, [], "ncutils", "!ncutils"),
    ("`-d` with a classic kind", CLASSIC, ["-3", "-d", "5"], "status 1", "status 0"),
    ("`-d` with a classic kind", CLASSIC, ["-3", "-d", "0"], "status 0", "status 0"),
    ("`-c` with `-u`", UNLIMITED, ["-u", "-c", "d/2"], "_ChunkSizes = 2", '"contiguous"'),
    ("surplus parameters", CHUNKED, ["-F", "v,1,4,4"], "takes one parameter", "status"),
]


@pytest.mark.parametrize("row, text, flags, ours, theirs", CASES, ids=[f"{n}-{c[0][:30]}" for n, c in enumerate(CASES)])
def test_rows(tmp_path, row, text, flags, ours, theirs):
    make(tmp_path, text, "-3" if text is CLASSIC else "-4")
    for program, pattern in (BIN / "nccopy", ours), (installed("nccopy"), theirs):
        target = tmp_path / "out.nc"
        target.unlink(missing_ok=True)
        told = outcome([program, *flags, "in.nc", "out.nc"], tmp_path)
        if target.exists():
            told += outcome([BIN / "ncdump", "-hs", "out.nc"], tmp_path).partition("\n")[2]
        check(pattern, told)


def test_surplus_parameters_reach_the_plugin_of_netcdf_c(tmp_path):
    source = make(tmp_path, CHUNKED)
    for asked in (307, 9, 4), (32015, 3, 5):
        spec = f"v,{','.join(map(str, asked))}"
        netcdf_c.run("nccopy", "-M0", "-F", spec, source, tmp_path / "theirs.nc")
        with h5py.File(tmp_path / "theirs.nc") as f:
            assert f["v"].id.get_create_plist().get_filter(0)[::2] == (asked[0], asked[1:])
            # The bit of a filter says that it was skipped.
            assert f["v"].id.get_chunk_info(0).filter_mask == (asked[0] == 32015)
        if asked[0] == 32015:
            assert "takes one parameter" in nccopy("-F", spec, source, tmp_path / "ours.nc", ok=False)
            continue
        nccopy("-F", spec, source, tmp_path / "ours.nc")
        # The text of such a file is read again.
        text = ncdump("-s", tmp_path / "ours.nc")
        assert b'_Filter = "307,9,4"' in text
        (tmp_path / "again.cdl").write_bytes(text)
        ncgen("-o", tmp_path / "again.nc", tmp_path / "again.cdl")
        for name in "ours", "again":
            with h5py.File(tmp_path / f"{name}.nc") as f:
                assert f["v"].id.get_create_plist().get_filter(0)[2] == (9, 4) and f["v"][:].tolist() == [1, 2, 3, 4]


def test_a_type_is_moved_to_a_group_that_is_read_before(tmp_path):
    """A variable of a group that is read first has the type of one that is read later."""
    source, target = tmp_path / "in.h5", tmp_path / "out.nc"
    with h5py.File(source, "w", track_order=True) as f:
        first, second = f.create_group("a", track_order=True), f.create_group("b", track_order=True)
        second["kind"] = np.dtype([("i", "i4")])
        first.create_dataset("v", (2,), dtype=second["kind"])
    nccopy(source, target)
    with h5py.File(target) as f:
        assert isinstance(f["kind"], h5py.Datatype) and "kind" not in f["b"]
    check("kind v", outcome([installed("ncdump"), "-h", target], tmp_path))


def test_a_link_to_the_input_is_not_overwritten(tmp_path):
    make(tmp_path, CLASSIC, "-3")
    (tmp_path / "link.nc").hardlink_to(tmp_path / "in.nc")
    before = (tmp_path / "in.nc").read_bytes()
    done = subprocess.run([BIN / "nccopy", "in.nc", "link.nc"], cwd=tmp_path, capture_output=True)
    assert done.returncode == 1 and (tmp_path / "in.nc").read_bytes() == before
    ours, theirs = both("nccopy", "-3", "in.nc", "none/out.nc", folder=tmp_path)
    check("status 1", ours)
    check("status 1", theirs)
