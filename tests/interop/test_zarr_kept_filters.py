"""Filters of HDF5 that Zarr has no form of, or that make no sense there: what is written instead, and who reads it."""

import json

import h5py
import hdf5plugin
import netcdf_c
import numpy as np
import pytest
from conftest import nccopy, ncdump, ncgen
from zarr_reference import by_libnetcdf, by_readers_of_version_3, by_zarr_python

WAVE = (280 + 15 * np.sin(np.arange(600) / 37)).astype("<f4").reshape(20, 30)
COUNTS = (np.arange(600) % 23).astype("<u2").reshape(20, 30)
WORDS = ["", "alpha", "ä longer word", "z"] * 5

NAMELESS = {
    "lzf": {"compression": "lzf", "shuffle": True},
    "bitshuffle": dict(hdf5plugin.Bitshuffle(cname="lz4")),
    "blosc2": dict(hdf5plugin.Blosc2(cname="zstd", clevel=5)),
    "scaleoffset": {"scaleoffset": 0},
}
# Version 2 of Zarr has a form of these.
NAMELESS_IN_V3 = {"szip": {"compression": "szip"}, **NAMELESS}


@pytest.fixture(scope="module")
def nameless(tmp_path_factory):
    """A file with a variable for each filter that Zarr lacks, one of LZ4, whose stream differs, and text."""
    path = tmp_path_factory.mktemp("nameless") / "in.h5"
    with h5py.File(path, "w") as file:
        for name, options in NAMELESS_IN_V3.items():
            if name != "szip" or h5py.h5z.filter_avail(h5py.h5z.FILTER_SZIP):
                file.create_dataset(name, data=COUNTS, chunks=(10, 30), **options)
        file.create_dataset("wave", data=WAVE, chunks=(10, 30), compression="lzf")
        file.create_dataset("deflated", data=WAVE, chunks=(10, 30), compression="gzip", shuffle=True)
    return path


def written(path):
    with h5py.File(path) as file:
        return {name: file[name][...].ravel().tolist() for name in file}


def values(found):
    return {path.strip("/"): [float(x) for x in var.get("values", [])] for path, var in found["variables"].items()}


def test_version_3_has_what_every_reader_has(tmp_path, nameless):
    said = nccopy(nameless, f"{tmp_path}/out.zarr#mode=zarr,v3")
    lines = [line for line in said.splitlines() if "encoded anew with blosc" in line]
    assert len(lines) == 1, said
    for name in written(nameless):
        assert (f"{name} (" in lines[0]) == (name != "deflated"), lines
    assert "lzf (shuffle, lzf)" in lines[0]
    expected = written(nameless)
    for reader in "zarr", "zarrs":
        assert values(by_readers_of_version_3(reader, tmp_path / "out.zarr")[0]) == expected
    # What has a form is kept, and tensorstore lacks it.
    del expected["deflated"]
    found = values(by_readers_of_version_3("tensorstore", tmp_path / "out.zarr")[0])
    assert {name: found[name] for name in expected} == expected


@pytest.mark.parametrize("mode", ["zarr", "nczarr"])
def test_version_2(tmp_path, nameless, mode):
    said = nccopy(nameless, f"{tmp_path}/out.zarr#mode={mode}")
    lines = [line for line in said.splitlines() if "encoded anew with shuffle and zlib" in line]
    assert len(lines) == 1 and "szip (" not in lines[0], said
    assert all(f"{name} (" in lines[0] for name in [*NAMELESS, "wave"]), said
    expected = written(nameless)
    found = values(by_libnetcdf(f"file://{tmp_path}/out.zarr#mode={mode},file"))
    assert found == expected
    # zarr-python has no szip.
    expected.pop("szip", None)
    for version in 2, 3:
        found = values(by_zarr_python(tmp_path / "out.zarr", version))
        assert {name: found[name] for name in expected} == expected


@pytest.mark.parametrize("mode", ["zarr,v3", "zarr"])
def test_filters_that_must_stay(tmp_path, nameless, mode):
    out = f"{tmp_path}/out.zarr#mode={mode}"
    for asked in "keep", "*,keep", "lzf,keep":
        said = nccopy("-V", "lzf", "-F", asked, nameless, out, ok=False)
        assert "variable lzf" in said and "no form in version" in said and "-F" in said
    # The other variables are not asked for.
    nccopy("-F", "deflated,keep", nameless, out)


def test_many_variables_make_one_line(tmp_path):
    with h5py.File(tmp_path / "in.h5", "w") as file:
        for n in range(13):
            file.create_dataset(f"v{n:02}", data=WAVE, chunks=(10, 30), compression="lzf")
    said = nccopy(tmp_path / "in.h5", f"{tmp_path}/out.zarr#mode=zarr,v3")
    assert len(said.splitlines()) == 1, said
    assert "v09 (lzf) and 3 more (13 in all)" in said and "v10" not in said


@pytest.mark.parametrize("mode", ["zarr,v3", "zarr", "nczarr"])
def test_text_is_copied_without_shuffle(tmp_path, mode):
    """h5py and h5netcdf shuffle the addresses of text. Zarr stores the text itself."""
    with h5py.File(tmp_path / "in.h5", "w") as file:
        text = h5py.string_dtype()
        file.create_dataset("s", data=WORDS, dtype=text, chunks=(8,), compression="gzip", shuffle=True)
        file.create_dataset("plain", data=WORDS, dtype=text, chunks=(8,), compression="gzip")
    said = nccopy(tmp_path / "in.h5", f"{tmp_path}/out.zarr#mode={mode}")
    lines = [line for line in said.splitlines() if "left out" in line]
    assert len(lines) == 1 and "s (shuffle)" in lines[0] and "plain" not in lines[0], said
    if mode == "zarr,v3":
        found = by_readers_of_version_3("zarr", tmp_path / "out.zarr")
        assert "numcodecs.zlib" in found[0]["variables"]["/s"]["chain"]
    else:
        found = [by_zarr_python(tmp_path / "out.zarr", version) for version in (2, 3)]
        found.append(by_libnetcdf(f"file://{tmp_path}/out.zarr#mode={mode},file"))
    for dataset in found:
        for path in "/s", "/plain":
            # libnetcdf reads empty text as NULL.
            assert [text or "" for text in dataset["variables"][path]["values"]] == WORDS
    said = nccopy("-F", "s,keep", tmp_path / "in.h5", f"{tmp_path}/kept.zarr#mode={mode}", ok=False)
    assert "variable s" in said and "shuffle" in said


def test_codecs_of_zarr_that_hdf5_lacks(tmp_path):
    zarr = pytest.importorskip("zarr", "3")
    numcodecs = pytest.importorskip("numcodecs")
    root = zarr.open_group(str(tmp_path / "in.zarr"), mode="w", zarr_format=2)
    array = root.create_array("v", shape=WAVE.shape, chunks=(10, 30), dtype="<f4", compressors=numcodecs.LZMA())
    array[:] = WAVE
    said = nccopy("-k", "nc4", tmp_path / "in.zarr", tmp_path / "out.nc")
    assert "encoded anew with shuffle and deflate" in said and "v (lzma)" in said, said
    with h5py.File(tmp_path / "out.nc") as file:
        assert (file["v"].compression, file["v"].shuffle) == ("gzip", True)
        np.testing.assert_array_equal(file["v"][...], WAVE)
    said = nccopy("-k", "nc4", "-F", "keep", tmp_path / "in.zarr", tmp_path / "kept.nc", ok=False)
    assert "variable v" in said and "lzma" in said


def behind(path, *filters):
    """A file whose variables have deflate and a checksum before shuffle, as no program of netCDF writes it."""
    with h5py.File(path, "w") as file:
        for name, kind in ("f4", "f4"), ("f8", "f8"), ("i1", "i1"):
            made = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
            made.set_chunk((100,))
            for number in filters:
                made.set_filter(number, h5py.h5z.FLAG_OPTIONAL, (5,) if number == 1 else ())
            var = h5py.h5d.create(file.id, name.encode(), h5py.h5t.py_create(np.dtype(kind)), h5py.h5s.create_simple((300,)), made)
            var.write(h5py.h5s.ALL, h5py.h5s.ALL, (np.arange(300) % 97).astype(kind))


@pytest.mark.parametrize("filters, fails", [((1, 2), {"/f4", "/f8"}), ((3, 2), {"/f8"}), ((2, 1), set())])
@pytest.mark.parametrize("mode", ["zarr,v3", "zarr"])
def test_a_warning_names_every_reader_that_fails(tmp_path, filters, fails, mode):
    behind(tmp_path / "in.h5", *filters)
    said = nccopy(tmp_path / "in.h5", f"{tmp_path}/out.zarr#mode={mode}")
    if mode == "zarr":
        found = {f"zarr-python {version}": by_zarr_python(tmp_path / "out.zarr", version) for version in (2, 3)}
    else:
        readers = "zarr", "zarrs", "tensorstore"
        found = {reader: by_readers_of_version_3(reader, tmp_path / "out.zarr")[0] for reader in readers}
    told = {"zarr": "zarr-python", "zarr-python 2": "zarr-python", "zarr-python 3": "zarr-python"}
    for reader, dataset in found.items():
        failed = {path for path, var in dataset["variables"].items() if "error" in var}
        warned = set()
        for line in said.splitlines():
            subject, _, items = line.partition("warning: ")[2].partition(": ")
            if told.get(reader, reader) in subject:
                warned |= {"/" + item.split(" ")[0] for item in items.replace(", numcodecs.", "").split(", ")}
        assert warned == failed, (reader, said)
    assert fails == {path for path, var in found[[*found][0]]["variables"].items() if "error" in var}


def test_the_size_of_blosc_blocks_is_kept(tmp_path):
    zarr = pytest.importorskip("zarr", "3")
    numcodecs = pytest.importorskip("numcodecs")
    root = zarr.open_group(str(tmp_path / "in.zarr"), mode="w", zarr_format=2)
    codec = numcodecs.Blosc(cname="zstd", clevel=5, shuffle=1, blocksize=1024)
    array = root.create_array("v", shape=WAVE.shape, chunks=(10, 30), dtype="<f4", compressors=codec)
    array[:] = WAVE
    nccopy(tmp_path / "in.zarr", f"{tmp_path}/out3.zarr#mode=zarr,v3")
    nccopy(tmp_path / "out3.zarr", f"{tmp_path}/out2.zarr#mode=zarr,v2")
    nccopy(tmp_path / "in.zarr", f"{tmp_path}/nczarr.zarr#mode=nczarr")
    for name in "out3", "out2":
        [compressor] = zarr.open_group(str(tmp_path / f"{name}.zarr"), mode="r")["v"].compressors
        config = compressor.to_dict()["configuration"] if name == "out3" else compressor.get_config()
        assert config["blocksize"] == 1024, name
    text = ncdump("-hs", tmp_path / "nczarr.zarr").decode()
    by_netcdf_c = netcdf_c.run("ncdump", "-hs", f"file://{tmp_path}/nczarr.zarr#mode=nczarr,file").decode()
    for line in text.splitlines():
        if "_Filter" in line or "_Codecs" in line:
            assert line in by_netcdf_c.splitlines()
    assert '_Filter = "32001,0,0,0,1024,5,1,5"' in text


@netcdf_c.needs_netcdf_c
def test_the_size_of_blosc_blocks_is_as_asked_for(tmp_path):
    """By -F and by the text of `ncdump -s`. Of numbers alone, netCDF-C takes the fourth for it, and HDF5's Blosc does not."""
    zarr = pytest.importorskip("zarr", "3")
    codec = r"""[{\"id\": \"blosc\", \"cname\": \"lz4\", \"clevel\": 5, \"shuffle\": 1, \"blocksize\": 256}]"""
    (tmp_path / "a.cdl").write_text(f"""netcdf a {{ dimensions: x = 64 ; variables: int a(x) ; int b(x) ; int c(x) ;
a:_ChunkSizes = 64 ; a:_Filter = "32001,0,0,0,256,5,1,1" ; a:_Codecs = "{codec}" ;
b:_ChunkSizes = 64 ; b:_Codecs = "{codec}" ;
c:_ChunkSizes = 64 ; c:_Filter = "32001,0,0,0,256,5,1,1" ; }}""")

    def sizes(path):
        return {name: json.loads((path / name / ".zarray").read_text())["compressor"]["blocksize"] for name in "abc"}

    ncgen("-4", "-o", f"{tmp_path}/ours.zarr#mode=nczarr,file", tmp_path / "a.cdl")
    assert sizes(tmp_path / "ours.zarr") == {"a": 256, "b": 256, "c": 0}
    netcdf_c.run("ncgen", "-4", "-o", netcdf_c.url(tmp_path / "theirs.zarr", "nczarr,file"), tmp_path / "a.cdl")
    assert json.loads((tmp_path / "theirs.zarr/c/.zarray").read_text())["compressor"]["blocksize"] == 256
    (tmp_path / "again.cdl").write_bytes(ncdump("-s", tmp_path / "ours.zarr"))
    ncgen("-o", f"{tmp_path}/again.zarr#mode=nczarr,file", tmp_path / "again.cdl")
    assert sizes(tmp_path / "again.zarr") == sizes(tmp_path / "ours.zarr")
    ncgen("-4", "-o", tmp_path / "a.nc", tmp_path / "a.cdl")
    for asked in "b,blosc,cname=zstd,blocksize=512", 'b,{"id": "blosc", "cname": "zstd", "blocksize": 512}':
        for version in 2, 3:
            out = tmp_path / "asked.zarr"
            nccopy("-F", asked, tmp_path / "a.nc", f"{out}#mode=zarr,v{version}")
            [compressor] = zarr.open_group(out, mode="r", zarr_format=version)["b"].compressors
            config = compressor.to_dict()["configuration"] if version == 3 else compressor.get_config()
            assert (config["blocksize"], config["cname"]) == (512, "zstd")
        nccopy("-F", asked, tmp_path / "a.nc", tmp_path / "asked.nc")
        with h5py.File(tmp_path / "asked.nc") as file:
            assert file["b"].id.get_create_plist().get_filter(0)[2] == (2, 2, 4, 256, 5, 1, 5)
