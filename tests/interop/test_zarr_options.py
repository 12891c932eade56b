"""The options of nccopy that only Zarr has, --skip-fill and --strlen: what zarr-python reads, and which keys exist."""

import json
import subprocess

import h5py
import numpy as np
import pytest
from conftest import BIN, CORPUS, UNKNOWN_FILTER, nccopy, ncdump, ncgen, needs_corpus

zarr = pytest.importorskip("zarr")

CDL = """netcdf in {
dimensions: y = 4 ; x = 10 ; n = 6 ;
variables:
  int part(y, x) ; part:_FillValue = -1 ; part:_ChunkSizes = 2, 4 ; part:_DeflateLevel = 1 ;
  float none(x) ; none:_FillValue = 9.f ; none:_ChunkSizes = 4 ;
  string names(n) ; names:_ChunkSizes = 2 ;
  string long(n) ; long:_ChunkSizes = 3 ;
data:
  part = 1, 2, 3, 4, _, _, _, _, 5, _,
         _, _, _, _, _, _, _, _, _, _,
         _, _, _, _, _, _, _, _, _, _,
         _, _, _, _, 7, _, _, _, _, _ ;
  none = _, _, _, _, _, _, _, _, _, _ ;
  names = "a", "", "", "", "", "bc" ;
  long = "x", "zwölf", "grüße 温度", "", "1234567890", "y" ;
}
"""


@pytest.fixture
def source(tmp_path):
    (tmp_path / "in.cdl").write_text(CDL)
    ncgen("-k", "nc4", "-o", tmp_path / "in.nc", tmp_path / "in.cdl")
    return tmp_path / "in.nc"


def into(folder, mode="zarr"):
    """The path of a dataset, and its name for nccopy."""
    path = folder / f"out.{mode}"
    return path, f"file://{path}#mode={mode},file"


def chunks(path, name):
    return {key.name for key in (path / name).iterdir() if not key.name.startswith(".")}


def read(path, name):
    values = zarr.open_array(path / name, mode="r", zarr_format=2)[...]
    if values.dtype.kind == "S":
        return [value.decode() for value in values]
    return values


@pytest.mark.parametrize("mode", ["zarr", "nczarr"])
@pytest.mark.parametrize("flags", [[], ["-d", "2"], ["-c", "part:2,2"]], ids=["raw", "refilter", "blocks"])
def test_chunks_of_fill_are_absent_and_read_as_fill(source, mode, flags):
    path, name = into(source.parent, mode)
    nccopy("--skip-fill", *flags, source, name)
    expected = np.full((4, 10), -1)
    expected[0, :4], expected[0, 8], expected[3, 4] = [1, 2, 3, 4], 5, 7
    np.testing.assert_array_equal(read(path, "part"), expected)
    np.testing.assert_array_equal(read(path, "none"), np.full(10, 9, "f4"))
    present = {"0.0", "0.1", "0.4", "1.2"} if "-c" in flags else {"0.0", "0.2", "1.1"}
    assert chunks(path, "part") == present and chunks(path, "none") == set()
    assert b"_, _, _, _, 7, _, _, _, _, _ ;" in ncdump(path)
    back = source.with_name("back.nc")
    nccopy(path, back)
    with h5py.File(back) as after:
        np.testing.assert_array_equal(after["part"], expected)


def test_without_the_option_every_chunk_is_there(source):
    path, name = into(source.parent)
    nccopy(source, name)
    assert len(chunks(path, "part")) == 6 and len(chunks(path, "none")) == 3
    assert chunks(path, "names") == {"0", "1", "2"}


def test_chunks_cannot_be_looked_at_through_an_unknown_filter(tmp_path):
    with h5py.File(tmp_path / "in.nc", "w") as file:
        plist = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        plist.set_chunk((4,))
        plist.set_filter(UNKNOWN_FILTER, h5py.h5z.FLAG_OPTIONAL, (1, 2))
        plist.set_fill_value(np.array(3, "i4"))
        space = h5py.h5s.create_simple((4,))
        h5py.h5d.create(file.id, b"v", h5py.h5t.STD_I32LE, space, plist)
        file["v"].id.write_direct_chunk((0,), np.arange(4, dtype="i4").tobytes())
    _, name = into(tmp_path)
    for dry in ([], ["--dry-run"]):
        says = nccopy("--skip-fill", *dry, tmp_path / "in.nc", name, ok=False)
        assert "variable" in says and " v" in says and str(UNKNOWN_FILTER) in says, says
    assert not (tmp_path / "out.zarr").exists()


def test_strings_take_what_is_asked_for(source):
    path, name = into(source.parent)
    for flags, size in [([], 128), (["--strlen", "14"], 14), (["--strlen", "7,cut"], 7)]:
        nccopy(*flags, source, name)
        metadata = json.loads((path / "long" / ".zarray").read_text())
        assert metadata["dtype"] == f"|S{size}"
        assert (path / "long" / "0").stat().st_size == 3 * size
        # Text is cut between characters: the fifth and sixth bytes of the third value are one, and so are the last three.
        cut = ["x", "zwölf", "grüße" if size == 7 else "grüße 温度", "", "1234567890"[:size], "y"]
        assert read(path, "long") == cut
        assert read(path, "names") == ["a", "", "", "", "", "bc"]


def test_a_longer_value_is_an_error(source):
    path, name = into(source.parent)
    says = nccopy("--strlen", "13", source, name, ok=False)
    assert "variable long" in says and "the value at [2] takes 14 bytes, more than 13" in says and "13,cut" in says
    says = nccopy("--strlen", "3000000000", source, name, ok=False)
    assert "2147483647" in says and "--strlen" in says
    assert not path.exists()


def test_the_summary_counts_the_strings_that_were_written(source):
    path, name = into(source.parent)
    command = [BIN / "nccopy", "--summary", "--json", "--skip-fill", "-d", "1", source, name]
    told = json.loads(subprocess.run(command, capture_output=True, check=True, timeout=120).stdout)
    for var in told["variables"]:
        assert var["written"] == sum((path / var["name"] / key).stat().st_size for key in chunks(path, var["name"])), var
    (long,) = (var for var in told["variables"] if var["name"] == "long")
    assert long["decoded"] == 6 * 128 and long["ratio"] == pytest.approx(long["decoded"] / long["written"])


def test_one_long_string_does_not_make_one_large_chunk(tmp_path):
    texts = ["short"] * 200_000
    texts[77] = "y" * 2000
    with h5py.File(tmp_path / "in.nc", "w") as file:
        file.create_dataset("v", data=texts, dtype=h5py.string_dtype(), chunks=(200_000,))
    path, name = into(tmp_path)
    nccopy("-m", "32M", tmp_path / "in.nc", name)
    assert max((path / "v" / key).stat().st_size for key in chunks(path, "v")) <= 16 << 20
    assert read(path, "v")[76:79] == ["short", "y" * 2000, "short"]


def test_the_folders_of_arrays_are_not_walked_for_metadata(source):
    """Their metadata is found by name, so that a header takes the same time however many chunks there are."""
    path, name = into(source.parent)
    nccopy(source, name)
    # More levels than a walk goes down.
    top = path / "part" / "d"
    top.joinpath(*"d" * 600).mkdir(parents=True)
    assert b"int part(y, x) ;" in ncdump("-h", path)
    done = subprocess.run([BIN / "ncdump", "-v", "part", path], capture_output=True, text=True, timeout=120)
    subprocess.run(["rm", "-rf", top], check=True)
    assert done.returncode == 1 and "too deeply" in done.stderr


@needs_corpus
@pytest.mark.parametrize("mode", ["nczarr,file", "zarr,v2", "zarr,v3"])
def test_names_of_other_bytes_are_told(tmp_path, mode):
    told = nccopy(CORPUS / "reports" / "d10_latin1_group.h5", f"{tmp_path}/out.zarr#mode={mode}")
    assert "names with bytes that are no UTF-8 are written with a character of U+EF80 to U+EFFF for each such byte: d_\\u{efe9}, grp_\\u{efe9}" in told
    assert told.count("no UTF-8") == 1
