"""Raw data in files of its own: what `-c VAR:external=…` writes, and what it refuses."""

import json
import os
import re
import subprocess

import h5py
import netCDF4
import numpy as np
import pytest
from conftest import BIN, nccopy, ncdump

UNLIMITED = h5py.h5f.UNLIMITED
T = np.arange(24, dtype="<i4").reshape(4, 6) * 1001
W = np.array([1.5, -2.25, 3e300])
C = np.array([(1, 2.5), (-3, 4.5)], np.dtype([("a", "<i2"), ("b", "<f4")]))


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    path = tmp_path_factory.mktemp("external") / "in.nc"
    with netCDF4.Dataset(path, "w") as f:
        for name, length in ("time", None), ("x", 6), ("y", 3), ("n", 2):
            f.createDimension(name, length)
        f.createVariable("t", "i4", ("time", "x"), zlib=True)[:] = T
        f.createVariable("w", "f8", ("y",), endian="big")[:] = W
        f.createVariable("s", "i2", ())[...] = 7
        f.createVariable("u", "i2", ("y",), fill_value=-9)
        f.createVariable("late", "i4", ("y", "time"))[:] = np.ones((3, 4))
        f.createVariable("text", str, ("y",))[:] = np.array(["a", "b", "c"], object)
        compound = f.createCompoundType(C.dtype, "pair")
        f.createVariable("c", compound, ("n",))[:] = C
        f.createGroup("g").createVariable("v", "u1", ("x",))[:] = range(6)
    return path


def of_h5py(path, name, monkeypatch):
    """The values, external parts and maximum shape of a dataset. libhdf5 takes names from the working directory."""
    monkeypatch.chdir(path.parent)
    with h5py.File(path) as f:
        return f[name][()], f[name].external, f[name].maxshape


CASES = {
    "one": ("w", "w.raw", [("w.raw", 0, 24)]),
    "offset": ("w", "w.raw@100", [("w.raw", 100, 24)]),
    "larger": ("w", "w.raw@3+1000", [("w.raw", 3, 1000)]),
    "split elements": ("w", "a.raw@1+5;b.raw@0+13;a.raw@9", [("a.raw", 1, 5), ("b.raw", 0, 13), ("a.raw", 9, 6)]),
    "below": ("/g/v", "sub/v.raw", [("sub/v.raw", 0, 6)]),
    "scalar": ("s", "s.raw", [("s.raw", 0, 2)]),
    "compound": ("c", "c.raw", [("c.raw", 0, 16)]),
    "growing": ("t", "t.raw@8+10;u.raw", [("t.raw", 8, 10), ("u.raw", 0, UNLIMITED)]),
    "odd names": ("s", r"a\@b\;c\:d.raw", [("a@b;c:d.raw", 0, 2)]),
}


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("kind", ["nc4", "h5"])
def test_values(source, tmp_path, monkeypatch, case, kind):
    name, parts, stored = CASES[case]
    (tmp_path / "sub").mkdir()
    out = tmp_path / "out.nc"
    nccopy("-k", kind, "-c", f"{name}:external={parts}", source, out, cwd="/")
    with h5py.File(source) as f:
        expected, maxshape = f[name][()], f[name].maxshape
    found, external, maximum = of_h5py(out, name, monkeypatch)
    assert found.tobytes() == expected.tobytes() and found.dtype == expected.dtype
    assert external == stored and maximum == maxshape
    # The raw bytes, put together by numpy.
    joined = b""
    for file, offset, size in stored:
        raw = np.fromfile(tmp_path / file, "u1")
        joined += raw[offset : min(len(raw), offset + size)].tobytes()
    assert joined[: expected.nbytes] == expected.tobytes()
    # The reader of these programs takes names from the output's folder.
    monkeypatch.chdir("/")
    nccopy(out, tmp_path / "again.nc")
    with h5py.File(tmp_path / "again.nc") as f:
        assert f[name][()].tobytes() == expected.tobytes() and f[name].external is None
    assert not [name for name in os.listdir(tmp_path) if "partial" in name]


def test_other_programs_read_it(source, tmp_path, monkeypatch):
    out = tmp_path / "out.nc"
    nccopy("-c", "t:external=t.raw", "-c", "w:external=w.raw", source, out)
    monkeypatch.chdir(tmp_path)
    assert np.array_equal(np.fromfile("t.raw", "<i4").reshape(4, 6), T)
    assert np.array_equal(np.fromfile("w.raw", ">f8"), W)
    with netCDF4.Dataset("out.nc") as f:
        assert np.array_equal(f["t"][:], T) and np.array_equal(f["w"][:], W)
        assert f["t"].chunking() == "contiguous"
        assert f.dimensions["time"].isunlimited() and len(f.dimensions["time"]) == 4
    with netCDF4.Dataset("out.nc", "a") as f:
        f["t"][4] = np.arange(6)
        f["w"][1] = 5
    with netCDF4.Dataset("out.nc") as f:
        assert f["t"][4].tolist() == list(range(6)) and f["w"][1] == 5
    assert (tmp_path / "t.raw").stat().st_size == 5 * 6 * 4
    dumped = subprocess.run(["h5dump", "-p", "-d", "/w", "out.nc"], capture_output=True, text=True, check=True).stdout
    assert "FILENAME w.raw SIZE 24 OFFSET 0" in dumped and "(0): 1.5, 5, 3e+300" in dumped
    assert b't:_Storage = "contiguous"' in ncdump("-s", "out.nc")
    assert b"t: external data t.raw" in ncdump("--sources", "out.nc")


def test_shared_files_and_fill(source, tmp_path, monkeypatch):
    out = tmp_path / "out.nc"
    nccopy("-v", "w", "-c", "w:external=all.raw@100", "-c", "u:external=all.raw@0+6", "-c", "g/v:external=all.raw@6+6", source, out)
    raw = np.fromfile(tmp_path / "all.raw", "u1")
    assert raw.size == 124 and raw[100:].view(">f8").tolist() == W.tolist()
    # Neither u nor v has data.
    assert raw[:6].view("<i2").tolist() == [-9] * 3 and raw[12:100].tolist() == [0] * 88
    assert of_h5py(out, "u", monkeypatch)[0].tolist() == [-9] * 3
    assert set(raw[6:12]) == {255}


def test_a_part_and_a_plan(source, tmp_path, monkeypatch):
    out = tmp_path / "out.nc"
    arguments = ["--isel", "time=1:3", "-c", "t:external=t.raw", source, out]
    plan = json.loads(subprocess.check_output([BIN / "nccopy", "--dry-run", "--json", *arguments]))
    t = next(var for var in plan["variables"] if var["name"] == "t")
    assert t["storage"] == "external" and t["external"] == [{"file": "t.raw", "offset": 0, "size": None}]
    assert os.listdir(tmp_path) == []
    nccopy(*arguments)
    assert np.array_equal(of_h5py(out, "t", monkeypatch)[0], T[1:3])
    assert (tmp_path / "t.raw").stat().st_size == 48


def test_verified(source, tmp_path):
    nccopy("--verify", "-c", "t:external=t.raw", source, tmp_path / "out.nc")
    assert sorted(os.listdir(tmp_path)) == ["out.nc", "t.raw"]
    assert np.array_equal(np.fromfile(tmp_path / "t.raw", "<i4").reshape(4, 6), T)
    nccopy("--verify", "-k", "h5", "-c", "t:external=u.raw", "-F", "t,none", source, tmp_path / "as.h5")
    assert np.array_equal(np.fromfile(tmp_path / "u.raw", "<i4").reshape(4, 6), T)


REFUSED = {
    "unknown": (["-c", "none:external=a.raw"], "no variable named 'none'"),
    "too small": (["-c", "w:external=a.raw@0+23"], "variable w: .*23 bytes in all, and its data has 24"),
    "nothing left": (["-c", "w:external=a.raw@0+24;b.raw"], "nothing is left for its last file b.raw"),
    "above": (["-c", "w:external=../a.raw"], "below the output's folder"),
    "absolute": (["-c", "w:external=/tmp/a.raw"], "below the output's folder"),
    "through a link": (["-c", "w:external=away/a.raw"], "outside of the output's folder"),
    "existing": (["-c", "w:external=old.raw"], "old.raw exists already"),
    "the output": (["-c", "w:external=out.nc"], "is the output itself"),
    "no folder": (["-c", "w:external=none/a.raw"], "cannot create external file none/a.raw"),
    "strings": (["-c", "text:external=a.raw"], "variable text: .*varying length"),
    "filters": (["-F", "w,1,5", "-c", "w:external=a.raw"], "variable w: .*cannot have filters"),
    "all filters": (["-d1", "-c", "w:external=a.raw"], "cannot have filters"),
    "second unlimited": (["-c", "late:external=a.raw"], "dimension time is unlimited"),
    "unlimited with a size": (["-c", "t:external=a.raw@0+1000"], "must have no size"),
    "overlapping": (["-c", "w:external=a.raw", "-c", "s:external=a.raw@23"], "overlaps at byte 23"),
}


@pytest.mark.parametrize("case", REFUSED)
@pytest.mark.parametrize("dry", [[], ["--dry-run"]])
def test_refused(source, tmp_path, case, dry):
    arguments, why = REFUSED[case]
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "old.raw").write_bytes(b"old")
    (tmp_path / "outside").mkdir()
    (folder / "away").symlink_to("../outside")
    message = nccopy(*dry, *arguments, source, folder / "out.nc", ok=False)
    assert re.search(why, message) and message.count("\n") == 1, message
    assert sorted(os.listdir(folder)) == ["away", "old.raw"] and (folder / "old.raw").read_bytes() == b"old"
    assert os.listdir(tmp_path / "outside") == []


@pytest.mark.parametrize("kind", ["nc3", "cdf5", "archive"])
def test_classic_files_have_no_external_files(tmp_path, kind):
    with netCDF4.Dataset(tmp_path / "in.nc", "w", format="NETCDF3_CLASSIC") as f:
        f.createVariable("v", "i4", ())[...] = 1
    message = nccopy("-k", kind, "-c", "v:external=a.raw", tmp_path / "in.nc", tmp_path / "out", ok=False)
    assert "variable v: " in message and "add -k nc4" in message
    assert os.listdir(tmp_path) == ["in.nc"]


def test_zarr_has_no_external_files(source, tmp_path):
    message = nccopy("-V", "w", "-c", "w:external=a.raw", source, f"{tmp_path}/out.zarr#mode=zarr,v3", ok=False)
    assert "not of the kind Zarr version 3" in message and os.listdir(tmp_path) == []


def test_filters_of_the_input_give_way_and_none_takes_them_off(source, tmp_path, monkeypatch):
    nccopy("-d1", "-F", "w,none", "-c", "w:external=w.raw", source, tmp_path / "out.nc")
    assert of_h5py(tmp_path / "out.nc", "w", monkeypatch)[0].tolist() == W.tolist()


def test_a_failing_copy_leaves_nothing(tmp_path):
    """A chunk of the input is damaged: the copy begins, and fails when it reads it."""
    data = np.random.default_rng(1).integers(0, 255, 4_000_000, np.uint8)
    damaged = tmp_path / "damaged.nc"
    with netCDF4.Dataset(tmp_path / "in.nc", "w") as f:
        f.createDimension("x", data.size)
        f.createVariable("b", "u1", ("x",), zlib=True, chunksizes=(1_000_000,))[:] = data
    raw = bytearray((tmp_path / "in.nc").read_bytes())
    with h5py.File(tmp_path / "in.nc") as f:
        chunk = f["b"].id.get_chunk_info(3)
    raw[chunk.byte_offset : chunk.byte_offset + 100] = bytes(100)
    damaged.write_bytes(raw)
    out = tmp_path / "out"
    out.mkdir()
    nccopy("-c", "b:external=b.raw", damaged, out / "out.nc", ok=False)
    assert os.listdir(out) == []
    nccopy("-c", "b:external=b.raw", tmp_path / "in.nc", out / "out.nc")
    assert (out / "b.raw").read_bytes() == data.tobytes()


def test_a_full_disk_leaves_nothing(tmp_path):
    """The largest file is limited, so that the raw file cannot be written."""
    with netCDF4.Dataset(tmp_path / "in.nc", "w") as f:
        f.createDimension("x", 1_000_000)
        f.createVariable("b", "u1", ("x",))[:] = 1
    out = tmp_path / "out"
    out.mkdir()
    command = f"ulimit -f 100; {BIN / 'nccopy'} -c b:external=b.raw {tmp_path / 'in.nc'} {out / 'out.nc'}"
    done = subprocess.run(command, shell=True, capture_output=True, text=True)
    assert done.returncode == 1 and "external file b.raw" in done.stderr, done
    assert os.listdir(out) == []
