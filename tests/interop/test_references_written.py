"""References that our nccopy writes: xarray reads by them, through fsspec and kerchunk, what netCDF4-python reads of the files."""

import json
import os
import stat

import h5py
import hdf5plugin
import netCDF4
import numpy as np
import pytest
from conftest import nccopy
from forked import run
from references_read import VARIABLES, check, needs_references
from zarr_reference import by_script

pytestmark = needs_references

FORMS = ["refs.json", "refs.json.zst", "refs.parq"]


def test_a_chunk_longer_than_its_unlimited_dimension(tmp_path):
    """A file that is not full yet."""
    path = tmp_path / "begun.nc"
    with netCDF4.Dataset(path, "w") as f:
        f.createDimension("time", None)
        f.createDimension("x", 700)
        v = f.createVariable("v", "f4", ("time", "x"), zlib=True, chunksizes=(24, 500))
        v[:] = np.arange(12 * 700).reshape(12, 700)
    nccopy("--inline", "0", path, tmp_path / "refs.json")
    check(tmp_path / "refs.json", path)
    assert len(places(tmp_path / "refs.json", "v")) == 2


def refs_of(path):
    return json.loads(path.read_text())["refs"]


def contents(path):
    """The bytes of a file, or of all files of a folder."""
    if path.is_file():
        return path.read_bytes()
    return {file.relative_to(path): file.read_bytes() for file in path.rglob("*") if file.is_file()}


def places(path, variable):
    """The references of a variable that lead to a file."""
    return {key: value for key, value in refs_of(path).items() if key.startswith(f"{variable}/") and isinstance(value, list)}


@pytest.fixture(scope="session")
def filtered(tmp_path_factory):
    """Chunks with each filter that Zarr has, missing chunks, groups, strings and packed values."""
    path = tmp_path_factory.mktemp("references") / "filtered.nc"
    rng = np.random.default_rng(7)
    with netCDF4.Dataset(path, "w") as f:
        f.title = 'references "by us"\n'
        for name, length in [("time", None), ("y", 40), ("x", 50)]:
            f.createDimension(name, length)
        time = f.createVariable("time", "f8", "time")
        time.units = "days since 2000-01-01"
        time[:] = np.arange(12)
        shape, dims = (12, 40, 50), ("time", "y", "x")
        field = rng.normal(size=shape).cumsum(0)
        for name, options in {
            "plain": {},
            "deflated": {"zlib": True, "shuffle": False},
            "shuffled": {"zlib": True, "shuffle": True},
            "checked": {"zlib": True, "fletcher32": True},
            "checked_only": {"fletcher32": True},
            "zstd": {"compression": "zstd"},
            "blosc": {"compression": "blosc_lz4"},
            "bzip2": {"compression": "bzip2"},
        }.items():
            v = f.createVariable(name, "f4", dims, chunksizes=(5, 16, 50), fill_value=-9, **options)
            v[:] = field
        packed = f.createVariable("packed", "i2", dims, zlib=True, chunksizes=(1, 40, 50), fill_value=-999)
        packed.set_auto_maskandscale(False)
        packed.scale_factor, packed.add_offset = 0.5, 3.0
        packed[:] = np.arange(24000).reshape(shape) % 1000
        packed[3, 2] = -999
        big = f.createVariable("big", "i4", ("y", "x"), zlib=True, endian="big")
        big[:] = np.arange(2000).reshape(40, 50)
        sparse = f.createVariable("sparse", "f8", dims, zlib=True, chunksizes=(1, 40, 50), fill_value=7.5)
        sparse[2] = 1
        sparse[9] = 2
        never = f.createVariable("never", "f8", dims, chunksizes=(1, 40, 50), fill_value=-1)
        never.note = "never written"
        whole = f.createVariable("whole", "f8", ("y", "x"), contiguous=True)
        whole[:] = rng.normal(size=(40, 50))
        names = f.createVariable("names", str, "x")
        names[:] = np.array([f"name {n}" for n in range(50)], object)
        f.createVariable("scalar", "i4")[...] = 5
        group = f.createGroup("group").createGroup("below")
        inner = group.createVariable("inner", "u1", ("y", "x"), chunksizes=(8, 25))
        inner[:] = np.arange(2000).reshape(40, 50) % 256
    return path


@pytest.mark.parametrize("form", FORMS)
def test_what_is_read_by_references_is_the_file(filtered, tmp_path, form):
    out = tmp_path / form
    nccopy(filtered, out)
    check(out, filtered)
    # The same input and options give the same bytes.
    again = tmp_path / f"again.{form}"
    nccopy("--threads", "1", filtered, again)
    assert contents(again) == contents(out)


def test_references_are_places_and_data_stays(filtered, tmp_path):
    out = tmp_path / "refs.json"
    nccopy(filtered, out)
    refs = refs_of(out)
    assert json.loads(out.read_text())["version"] == 1
    size = filtered.stat().st_size
    for key, value in refs.items():
        if isinstance(value, list):
            name, offset, length = value
            assert name == str(filtered) and 0 < offset and offset + length <= size
        else:
            assert isinstance(value, str)
    assert len(places(out, "shuffled")) == 3 * 3
    # Missing chunks have no key.
    assert sorted(places(out, "sparse")) == ["sparse/2.0.0", "sparse/9.0.0"]
    assert places(out, "never") == {}
    for small in ["time/0", "names/0", "scalar/0"]:
        assert refs[small].startswith("base64:")


def test_kerchunk_opens_it(filtered, tmp_path):
    out = tmp_path / "refs.json"
    nccopy("-k", "kerchunk", filtered, out)
    script = tmp_path / "script.py"
    script.write_text(
        "import sys, xarray\n"
        "d = xarray.open_dataset(sys.argv[1], engine='kerchunk', chunks=None)\n"
        "print(d.attrs['title'] == 'references \"by us\"\\n', str(d.time.values[1])[:10], d.whole.shape)\n"
    )
    code, printed, error = run(("xarray", "fsspec"), script, out, variables=VARIABLES, timeout=120)
    assert (code, printed) == (0, "True 2000-01-02 (40, 50)\n"), error


@pytest.mark.parametrize("kind", ["NETCDF3_CLASSIC", "NETCDF3_64BIT_OFFSET", "NETCDF3_64BIT_DATA"])
@pytest.mark.parametrize("form", FORMS)
def test_classic_files(tmp_path, kind, form):
    source, out = tmp_path / "in.nc", tmp_path / form
    with netCDF4.Dataset(source, "w", format=kind) as f:
        for name, length in [("time", None), ("y", 400), ("x", 501), ("z", 40)]:
            f.createDimension(name, length)
        f.createVariable("time", "f8", "time")[:] = np.arange(6)
        v = f.createVariable("v", "f4", ("time", "y", "x"), fill_value=-9)
        v[:] = np.arange(6 * 400 * 501).reshape(6, 400, 501)
        f.createVariable("odd", "i1", ("time", "x"))[:] = np.arange(6 * 501).reshape(6, 501) % 100
        f.createVariable("large", "f8", ("z", "y", "x"))[:] = np.arange(40 * 400 * 501).reshape(40, 400, 501)
        f.createVariable("chars", "S1", ("x", "z"))[:] = np.full((501, 40), b"q")
    nccopy("--inline", "1K", source, out)
    check(out, source)
    if form == "refs.json":
        assert len(places(out, "v")) == 6
        # 64 MB along a first dimension of 40: the largest part of at most 16 MiB.
        assert len(places(out, "large")) == 4


def test_one_record_variable_is_in_one_piece(tmp_path):
    source, out = tmp_path / "in.nc", tmp_path / "refs.json"
    with netCDF4.Dataset(source, "w", format="NETCDF3_CLASSIC") as f:
        f.createDimension("time", None)
        f.createDimension("x", 2501)
        f.createVariable("v", "i2", ("time", "x"))[:] = np.arange(5 * 2501).reshape(5, 2501)
    nccopy(source, out)
    check(out, source)
    assert len(places(out, "v")) == 1


def test_user_block(tmp_path):
    plain, source, out = tmp_path / "plain.nc", tmp_path / "block.nc", tmp_path / "refs.json"
    with h5py.File(plain, "w", userblock_size=1024) as f:
        f.create_dataset("v", data=np.arange(20000.0).reshape(100, 200), chunks=(30, 200), compression="gzip")
        f.create_dataset("c", data=np.arange(20000.0))
    source.write_bytes(b"u" * 1024 + plain.read_bytes()[1024:])
    nccopy(source, out)
    check(out, source)


def test_chunks_that_skipped_filters_are_stored_as_they_are(tmp_path):
    source, out = tmp_path / "in.nc", tmp_path / "refs.json"
    values = np.arange(4000, dtype="i4").reshape(4, 1000)
    with h5py.File(source, "w") as f:
        v = f.create_dataset("v", (4, 1000), "i4", chunks=(1, 1000), compression="gzip")
        for n in range(4):
            v[n] = values[n]
        v.id.write_direct_chunk((2, 0), values[2].tobytes(), filter_mask=1)
    nccopy(source, out)
    check(out, source)
    assert sorted(places(out, "v")) == ["v/0.0", "v/1.0", "v/3.0"]


@pytest.mark.parametrize("kind, options", [("zarr2", []), ("nczarr", []), ("zarr3", ["--shard", "none"]), ("zarr3", ["--shard", "8M"])])
def test_hierarchies_of_zarr(filtered, tmp_path, kind, options):
    middle, out = tmp_path / "in.zarr", tmp_path / "refs.json"
    numbers = "-V", "plain,shuffled,packed,sparse,whole,inner"
    nccopy("-k", kind, *options, *numbers, filtered, middle)
    nccopy(middle, out)
    expected = tmp_path / "expected.nc"
    nccopy(*numbers, filtered, expected)
    check(out, expected)
    found = places(out, "packed").values()
    assert found and all(place[0].startswith(f"{middle}/packed/") for place in found)
    # A chunk of a shard is a range.
    assert all(len(place) == (3 if options == ["--shard", "8M"] else 1) for place in found)


def test_what_cannot_be_a_reference_is_told_whole(filtered, tmp_path):
    source, out = tmp_path / "in.nc", tmp_path / "refs.json"
    values = np.arange(60000, dtype="i4").reshape(60, 1000)
    with h5py.File(source, "w") as f:
        f.create_dataset("good", data=values, chunks=(10, 1000), compression="gzip")
        f.create_dataset("lz4", data=values, chunks=(10, 1000), **hdf5plugin.LZ4())
        f.create_dataset("scaled", data=values, chunks=(10, 1000), scaleoffset=0)
        f.create_dataset("small", data=values[0, :9], chunks=(3,), scaleoffset=0)
        # The first file ends within an element.
        files = [(str(tmp_path / name), 0, size) for name, size in [("one", 119_998), ("two", 120_002)]]
        space = h5py.h5s.create_simple((60, 1000))
        plist = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        for name, offset, size in files:
            plist.set_external(os.path.basename(name).encode(), offset, size)
        h5py.h5d.create(f.id, b"apart", h5py.h5t.NATIVE_INT32, space, plist)
    (tmp_path / "one").write_bytes(values.tobytes()[:119_998])
    (tmp_path / "two").write_bytes(values.tobytes()[119_998:])
    told = nccopy(source, out, ok=False)
    for part in ["these 3 variables", "lz4", "scaled", "apart", "--inline BYTES", "--drop-unsupported", "-V"]:
        assert part in told, told
    assert "good" not in told and "small" not in told and not out.exists()
    told = nccopy("--drop-unsupported", source, out)
    assert "left out" in told
    names = {key.split("/")[0] for key in refs_of(out) if "/" in key}
    assert names == {"good", "small"}
    nccopy("--inline", "1M", source, out)
    expected = tmp_path / "expected.nc"
    nccopy("-F", "none", source, expected)
    check(out, expected)
    for option, cure in (
        (["-d", "3", "-s"], "would be encoded anew (shuffle+deflate)); leave out -d, -s and -F"),
        (["-d", "3"], "would be encoded anew with other parameters); leave out -d, -s and -F"),
        (["-c", "good:7,1000"], "leave out -c, choose whole chunks, or store the values by --inline BYTES"),
        (["--isel", "phony_dim_1=3:"], "choose whole chunks"),
        (["--isel", "phony_dim_0=3:"], "--copy-ragged"),
    ):
        told = nccopy(*option, "-V", "good", source, out, ok=False)
        assert "this variable cannot be references: good (" in told and cure in told, told


def test_quantized_values_are_told(filtered, tmp_path):
    told = nccopy("--quantize", "deflated,bitgroom,3", "-V", "deflated", filtered, tmp_path / "refs.json", ok=False)
    assert "deflated (its values are quantized); leave out --quantize" in told


@pytest.mark.parametrize("form", ["refs.json", "refs.parq"])
def test_szip_is_no_codec_of_readers(tmp_path, form):
    plain, source, out = tmp_path / "plain.nc", tmp_path / "in.nc", tmp_path / form
    with netCDF4.Dataset(plain, "w") as f:
        for name, length in [("t", 20), ("x", 1000)]:
            f.createDimension(name, length)
        for name, kind in [("float", "f4"), ("short", "i2"), ("good", "f4")]:
            f.createVariable(name, kind, ("t", "x"), chunksizes=(1, 1000))[:] = np.arange(20000).reshape(20, 1000)
        f.createVariable("x", "f4", "x", chunksizes=(500,))[:] = np.arange(1000)
    nccopy("-F", "float&short&x,szip,32,16", plain, source)
    told = nccopy(source, out, ok=False)
    assert "these 2 variables cannot be references: float, short (its chunks (szip) are encoded as no reader" in told
    told = nccopy("--drop-unsupported", source, out)
    assert "left out, as they cannot be references: float, short" in told
    expected = tmp_path / "expected.nc"
    nccopy("-V", "good,x", plain, expected)
    check(out, expected)


def test_rows_of_parquet(filtered, tmp_path):
    """Chunks that were never written have a chunk of fill values, as rows without anything fail in pandas 3."""
    out = tmp_path / "refs.parq"
    nccopy(filtered, out)
    documents = json.loads((out / ".zmetadata").read_text())
    assert documents["record_size"] == 10_000 and documents["metadata"]["sparse/.zarray"]["shape"] == [12, 40, 50]
    assert (out / "never").exists()
    script = tmp_path / "script.py"
    script.write_text(
        "import sys, json, pandas\n"
        "d = pandas.read_parquet(sys.argv[1], engine='fastparquet')\n"
        "empty = [p is None for p in d['path']]\n"
        "print(json.dumps([[str(t) for t in d.dtypes[1:3]], [len(r) if r else 0 for r in d['raw']], empty]))\n"
    )
    code, printed, error = run(("xarray", "fsspec"), script, out / "sparse" / "refs.0.parq", variables=VARIABLES, timeout=120)
    assert code == 0, error
    types, raw, empty = json.loads(printed.splitlines()[-1])
    assert types == ["int64", "int64"]
    assert [n for n in range(12) if not empty[n]] == [2, 9]
    assert [n for n in range(12) if raw[n] == 0] == [2, 9]


def test_parquet_of_many_chunks(tmp_path):
    """Several files of rows, of which one has no chunk but those of fill values, one lacks some, and one has chunks that are stored as they are."""
    source, out = tmp_path / "in.nc", tmp_path / "refs.parq"
    with h5py.File(source, "w", libver="latest") as f:
        v = f.create_dataset("v", (45_000, 1), "i2", chunks=(1, 1), fillvalue=-3)
        for n in [*range(0, 10_050), *range(30_000, 45_000)]:
            v.id.write_direct_chunk((n, 0), np.int16(n % 30_000).tobytes())
        w = f.create_dataset("w", (100, 30), "i4", chunks=(1, 30), compression="gzip")
        w[::2] = np.arange(1500).reshape(50, 30)
        for n in (7, 50):
            w.id.write_direct_chunk((n, 0), np.full(30, n, "i4").tobytes(), filter_mask=1)
    nccopy(source, out)
    check(out, source)
    assert sorted(os.listdir(out / "v")) == [f"refs.{n}.parq" for n in range(5)]


def test_a_variable_that_was_never_written(tmp_path):
    source, out = tmp_path / "in.nc", tmp_path / "refs.parq"
    with netCDF4.Dataset(source, "w") as f:
        f.createDimension("x", 25_000)
        f.createVariable("never", "f8", ("x",), chunksizes=(2,), fill_value=7.5, zlib=True)
        f.createVariable("all", "i4", ("x",), chunksizes=(5_000,))[:] = np.arange(25_000)
    nccopy("--inline", "0", source, out)
    check(out, source)
    assert sorted(os.listdir(out / "never")) == ["refs.0.parq", "refs.1.parq"]
    assert "files" not in nccopy("--data-dir", tmp_path, "-k", "nc4", out, tmp_path / "back.nc")
    # What was never written is missing in other references, too.
    nccopy("--inline", "0", out, tmp_path / "again.json")
    check(tmp_path / "again.json", source)
    assert places(tmp_path / "again.json", "never") == {}


def test_only_references_are_replaced_by_a_folder(filtered, tmp_path):
    out = tmp_path / "refs.parq"
    nccopy(filtered, out)
    nccopy("-V", "plain", filtered, out)
    assert sorted(os.listdir(out)) == [".zmetadata", "plain", "time"] or sorted(os.listdir(out)) == [".zmetadata", "plain"]
    (out / "notes.txt").write_text("mine")
    assert "notes.txt" in nccopy(filtered, out, ok=False)
    assert (out / "notes.txt").read_text() == "mine"


@pytest.mark.parametrize("form", FORMS)
def test_references_of_references(filtered, tmp_path, form):
    """References to the chunks that other references lead to, also by relative paths, and of a part."""
    folder = tmp_path / "below"
    folder.mkdir()
    source, middle = tmp_path / "in.nc", tmp_path / form
    source.write_bytes(filtered.read_bytes())
    nccopy("--relative", source, middle)
    out = folder / "refs.json"
    nccopy(middle, out)
    check(out, source)
    assert {place[0] for place in places(out, "shuffled").values()} == {str(source)}
    part, expected = folder / "part.json", folder / "part.nc"
    options = "--isel", "time=5:", "-V", "packed,shuffled,sparse"
    nccopy(*options, middle, part)
    nccopy(*options, source, expected)
    check(part, expected)


def test_compressed_files_have_no_places(filtered, tmp_path):
    packed, out = tmp_path / "in.nc.zst", tmp_path / "refs.json"
    nccopy("-k", "zst", filtered, packed)
    assert "cannot be references" in nccopy(packed, out, ok=False)


def test_names_of_inputs(filtered, tmp_path):
    folder = tmp_path / "data"
    folder.mkdir()
    source, out = folder / "in.nc", tmp_path / "refs.json"
    source.write_bytes(filtered.read_bytes())
    for options, name in [
        ([], str(source)),
        (["--relative"], "data/in.nc"),
        (["--base", "s3://bucket/x/"], "s3://bucket/x/in.nc"),
    ]:
        nccopy(*options, source, out)
        assert {place[0] for place in places(out, "shuffled").values()} == {name}
    nccopy("--relative", source, out)
    check(out, source, cwd=tmp_path)
    told = nccopy("--relative", "--base", "s3://b", source, out, ok=False)
    assert "leave one of them out" in told


def test_a_link_keeps_its_name(filtered, tmp_path):
    (tmp_path / "farm").mkdir()
    link = tmp_path / "farm" / "a.nc"
    link.symlink_to(filtered)
    out = tmp_path / "refs.json"
    nccopy("-V", "plain,shuffled", link, out)
    assert {place[0] for place in places(out, "shuffled").values()} == {str(link)}
    assert nccopy("--data-dir", filtered.parent, out, tmp_path / "back.nc") == ""
    nccopy("--base", "s3://b", "-V", "plain,shuffled", link, out)
    assert {place[0] for place in places(out, "shuffled").values()} == {"s3://b/a.nc"}


def test_an_output_appears_whole_or_not(filtered, tmp_path):
    out = tmp_path / "refs.json"
    out.write_text("old")
    nccopy("-d", "3", filtered, out, ok=False)
    assert out.read_text() == "old"
    assert sorted(os.listdir(tmp_path)) == ["refs.json"]
    nccopy(filtered, out)
    assert stat.S_ISREG(out.stat().st_mode) and refs_of(out)


def test_what_references_do_not_have_is_refused(filtered, tmp_path):
    told = nccopy("--plan", tmp_path / "job", "--parts", "2", filtered, tmp_path / "refs.json", ok=False)
    assert "one process" in told
    told = nccopy("--verify", "--base", "s3://b/", filtered, tmp_path / "refs.json", ok=False)
    assert "--diff" in told and not (tmp_path / "refs.json").exists()
    assert "is 'icechunk' meant" in nccopy(filtered, f"{tmp_path}/repo#mode=icechnk", ok=False)
    assert "refs.parq" in nccopy(filtered, f"{tmp_path}/repo#mode=kerchunk", ok=False)


@pytest.mark.parametrize("output", ["refs.json", "refs.json.zst", "refs.parq", "repo#mode=icechunk"])
def test_references_are_verified(filtered, tmp_path, output):
    """What they lead to is compared before they appear."""
    (tmp_path / "out").mkdir()
    relative = [] if "#" in output else ["--relative"]
    told = nccopy("--verify", "--for", "xarray", *relative, "-V", "plain,shuffled,packed", filtered, f"{tmp_path}/out/{output}")
    assert "compared 3 variables" in told


@pytest.mark.parametrize("form", ["refs.json", "refs.parq"])
def test_virtualizarr_reads_references_without_inlined_values(form, tmp_path):
    path = tmp_path / "in.nc"
    rng = np.random.default_rng(3)
    with netCDF4.Dataset(path, "w") as f:
        for name, length in [("time", None), ("y", 20), ("x", 30)]:
            f.createDimension(name, length)
        time = f.createVariable("time", "f8", "time", chunksizes=(12,))
        time.units = "days since 2000-01-01"
        time[:] = np.arange(12)
        # VirtualiZarr does not mask what has the fill value, in references of kerchunk neither.
        filled = f.createVariable("filled", "f4", ("time", "y", "x"), zlib=True, chunksizes=(1, 10, 30), fill_value=1e20)
        filled[:] = rng.random((12, 20, 30))
        packed = f.createVariable("packed", "i2", ("time", "y", "x"), zlib=True, chunksizes=(4, 20, 30))
        packed.scale_factor, packed.add_offset = 0.5, 3.0
        packed[:] = rng.integers(0, 200, (12, 20, 30))
    nccopy("--inline", "0", path, tmp_path / form)
    assert by_script(("xarray", "numpy"), "references_virtualizarr.py", tmp_path / form, path, variables=VARIABLES) == []
