"""What users of xarray and libnetcdf do with Zarr, each of which went wrong once."""

import json
import subprocess
import zipfile

import netcdf_c
import numpy as np
import pytest
from conftest import BIN, nccopy, ncdump, ncgen

xarray = pytest.importorskip("xarray")
zarr = pytest.importorskip("zarr")
netCDF4 = pytest.importorskip("netCDF4")


def test_the_default_codec_of_xarray_goes_to_netcdf4(tmp_path):
    """Its blosc does not make a few strings or half floats smaller, and HDF5 then stores them as they are."""
    values = {"half": np.array([1.5, -2], "f2"), "text": np.array(["Zürich", "Bern"]), "whole": np.array([3, 4], "i4")}
    xarray.Dataset({name: ("x", value) for name, value in values.items()}).to_zarr(tmp_path / "a.zarr", zarr_format=2)
    nccopy(tmp_path / "a.zarr", tmp_path / "a.nc")
    with netCDF4.Dataset(tmp_path / "a.nc") as found:
        found.set_auto_mask(False)
        for name, value in values.items():
            assert list(found[name][:]) == list(value)


CDL = """netcdf a {
dimensions: n = 4 ; m = 2 ;
variables:
  string s(n) ;
  float big(n) ; big:_Endianness = "big" ; big:_FillValue = 7.f ; big:_ChunkSizes = 2 ;
  char c(m) ; c:empty = "" ;
data:
  s = "alpha", "be", "Zürich", "delta" ; big = 1, 2, _, _ ; c = "ab" ;
}
"""


@netcdf_c.needs_netcdf_c
@pytest.mark.parametrize("mode", ["nczarr", "zarr"])
def test_libnetcdf_reads_strings_and_fill_values_of_either_byte_order(tmp_path, mode):
    (tmp_path / "a.cdl").write_text(CDL)
    ncgen("-4", "-o", tmp_path / "a.nc", tmp_path / "a.cdl")
    nccopy("-d", "5", "-s", tmp_path / "a.nc", f"file://{tmp_path}/a.zarr#mode={mode},file")
    text = netcdf_c.run("ncdump", netcdf_c.url(tmp_path / "a.zarr", f"{mode},file")).decode()
    assert 's = "alpha", "be", "Zürich", "delta" ;' in text
    assert "big = 1, 2, _, _ ;" in text
    assert json.loads((tmp_path / "a.zarr/c/.zattrs").read_text())["empty"] == ""


def test_a_link_to_nothing_is_no_absent_chunk(tmp_path):
    (tmp_path / "a.cdl").write_text("netcdf a { dimensions: x = 2 ; variables: int v(x) ; v:_ChunkSizes = 1 ; data: v = 1, 2 ; }")
    ncgen("-4", "-o", f"file://{tmp_path}/a.zarr#mode=zarr,file", tmp_path / "a.cdl")
    chunk = tmp_path / "a.zarr/v/1"
    chunk.unlink()
    chunk.symlink_to("annexed")
    for command in [["ncdump", tmp_path / "a.zarr"], ["nccopy", tmp_path / "a.zarr", tmp_path / "a.nc"]]:
        done = subprocess.run([BIN / command[0], *command[1:]], capture_output=True, text=True)
        assert done.returncode == 1 and "is a link to a file that is not there" in done.stderr
    assert not (tmp_path / "a.nc").exists()


@pytest.mark.parametrize("version", [2, 3])
def test_links_to_other_arrays_are_followed_where_they_may_be(tmp_path, version):
    """zarr-python follows them anywhere. Here one to a folder outside needs `--data-dir`."""
    for name, first in ("in", 1), ("other", 7):
        group = zarr.create_group(tmp_path / f"{name}.zarr", zarr_format=version)
        group.create_array("v", shape=(3,), chunks=(2,), dtype="i4", fill_value=-1)[:] = np.arange(3) + first
    path, out = tmp_path / "in.zarr", tmp_path / "out.nc"
    (path / "inner").symlink_to("v")
    nccopy(path, out)
    with netCDF4.Dataset(out) as found:
        assert found["inner"][:].tolist() == zarr.open_group(path, mode="r")["inner"][:].tolist() == [1, 2, 3]
    (path / "outer").symlink_to("../other.zarr/v")
    for command in ["ncdump", "-h", path], ["ncdump", "--check", path], ["nccopy", path, out]:
        done = subprocess.run([BIN / command[0], *command[1:]], capture_output=True, text=True)
        assert done.returncode == 1 and '"outer" is a link to a folder outside' in done.stderr and "--data-dir" in done.stderr, done
    nccopy("--verify", "--data-dir", tmp_path / "other.zarr", path, out)
    with netCDF4.Dataset(out) as found:
        assert found["outer"][:].tolist() == zarr.open_group(path, mode="r")["outer"][:].tolist() == [7, 8, 9]
        assert set(found.variables) == {"v", "inner", "outer"}


def test_a_zip_with_a_changed_byte_is_damaged(tmp_path):
    (tmp_path / "a.cdl").write_text("netcdf a { dimensions: x = 2 ; variables: int v(x) ; data: v = 1094861636, 1162233672 ; }")
    ncgen("-4", "-o", f"file://{tmp_path}/a.zip#mode=zarr,zip", tmp_path / "a.cdl")
    assert "1094861636" in ncdump(tmp_path / "a.zip").decode()
    bytes_ = (tmp_path / "a.zip").read_bytes()
    changed = bytes_.replace((1162233672).to_bytes(4, "little"), (1162233673).to_bytes(4, "little"))
    assert changed != bytes_
    (tmp_path / "a.zip").write_bytes(changed)
    done = subprocess.run([BIN / "ncdump", tmp_path / "a.zip"], capture_output=True, text=True)
    assert done.returncode == 1 and "checksum" in done.stderr


# Rows of chunks and of arrays: of one length, of two, and both shorter than a block.
SZIP = """netcdf a {
dimensions: x = 20 ; y = 40 ; z = 5 ;
variables:
  int whole(x, y) ; whole:_ChunkSizes = 10, 40 ; whole:_Filter = "4,32,8" ;
  int part(x, y) ; part:_ChunkSizes = 10, 16 ; part:_Filter = "4,4,8" ;
  double big(x, y) ; big:_ChunkSizes = 7, 30 ; big:_Filter = "4,32,32" ; big:_Endianness = "big" ;
  float narrow(x, z) ; narrow:_ChunkSizes = 20, 2 ; narrow:_Filter = "4,32,8" ;
  byte small(x, y) ; small:_ChunkSizes = 10, 40 ; small:_Filter = "4,32,8" ;
data:
"""
LENGTHS = {"whole": 800, "part": 800, "big": 800, "narrow": 100, "small": 800}


def szip_text():
    lines = [f"  {name} = {', '.join(str(n * n // 7 % 100) for n in range(length))} ;" for name, length in LENGTHS.items()]
    return SZIP + "\n".join(lines) + "\n}\n"


def data_of(text):
    """The statements below `data:`, without white space, in any order."""
    return sorted("".join(text.decode().split("data:", 1)[1].split()).split(";"))


@netcdf_c.needs_netcdf_c
@pytest.mark.parametrize("mode", ["nczarr", "zarr"])
def test_szip_is_that_of_libnetcdf(tmp_path, mode):
    """libnetcdf takes the scanline from the array, libhdf5 from the chunk."""
    (tmp_path / "a.cdl").write_text(szip_text())
    theirs, ours, ours_nc = tmp_path / "theirs.zarr", tmp_path / "ours.zarr", tmp_path / "ours.nc"
    netcdf_c.run("ncgen", "-4", "-o", netcdf_c.url(theirs, f"{mode},file"), tmp_path / "a.cdl")
    ncgen("-4", "-o", tmp_path / "a.nc", tmp_path / "a.cdl")
    said = nccopy(tmp_path / "a.nc", f"file://{ours}#mode={mode},file")
    assert "numcodecs, and so zarr-python, has no codec for: big (szip), narrow (szip)" in said or "has no codec for: whole (szip)" in said
    wanted = data_of(ncdump(tmp_path / "a.nc"))
    assert data_of(ncdump(theirs)) == wanted
    assert data_of(ncdump(ours)) == wanted
    assert data_of(netcdf_c.run("ncdump", netcdf_c.url(ours, f"{mode},file"))) == wanted
    for name in LENGTHS:
        one, other = (json.loads((folder / name / ".zarray").read_text()) for folder in (theirs, ours))
        assert one["compressor"] == other["compressor"] == {"id": "szip", "mask": one["compressor"]["mask"], "pixels-per-block": one["compressor"]["pixels-per-block"]}
        for chunk in (theirs / name).glob("[0-9]*"):
            # What lies past the array is not the same.
            if name in ("whole", "narrow", "small"):
                assert chunk.read_bytes() == (ours / name / chunk.name).read_bytes(), (name, chunk.name)
    # HDF5 takes the chunks as they are, with the scanline that they have.
    nccopy(theirs, ours_nc)
    assert data_of(ncdump(ours_nc)) == wanted
    assert data_of(netcdf_c.run("ncdump", ours_nc)) == wanted
    special = ncdump("-hs", theirs).decode()
    assert 'whole:_Filter = "4,32,8" ;' in special
    assert 'whole:_Codecs = "[{\\"id\\": \\"szip\\", \\"mask\\": 32, \\"pixels-per-block\\": 8}]" ;' in special
    (tmp_path / "again.cdl").write_bytes(ncdump("-s", theirs))
    ncgen("-o", f"file://{tmp_path}/again.zarr#mode={mode},file", tmp_path / "again.cdl")
    assert data_of(netcdf_c.run("ncdump", netcdf_c.url(tmp_path / "again.zarr", f"{mode},file"))) == wanted


SHUFFLED = """netcdf a {
dimensions: x = 12 ; y = 5 ;
variables:
  float v(x, y) ; v:_ChunkSizes = 4, 5 ; v:_DeflateLevel = 3 ; v:_Shuffle = "true" ;
  short w(x, y) ; w:_ChunkSizes = 4, 5 ; w:_DeflateLevel = 3 ; w:_Shuffle = "true" ;
data:
"""


@netcdf_c.needs_netcdf_c
@pytest.mark.parametrize("as_text", [False, True], ids=["4.10", "4.9"])
@pytest.mark.parametrize("mode, version", [("zarr", 2), ("zarr,v3", 3), ("nczarr", 2)])
def test_a_shuffle_of_libnetcdf_tells_its_element_size(tmp_path, mode, version, as_text):
    """libnetcdf writes the element size 0, which zarr-python takes for no shuffle. Before 4.10 numbers were strings."""
    numbers = [3 * n * n - 700 for n in range(60)]
    rows = [f"  {name} = {', '.join(map(str, numbers))} ;" for name in "vw"]
    (tmp_path / "a.cdl").write_text(SHUFFLED + "\n".join(rows) + "\n}\n")
    theirs, ours = tmp_path / "theirs.zarr", tmp_path / "ours.zarr"
    netcdf_c.run("ncgen", "-4", "-o", netcdf_c.url(theirs, "nczarr,file"), tmp_path / "a.cdl")
    for file in theirs.glob("*/.zarray"):
        array = json.loads(file.read_text())
        assert array["filters"] == [{"id": "shuffle", "elementsize": 0}] and array["compressor"] == {"id": "zlib", "level": 3}
        if as_text:
            array["filters"][0]["elementsize"], array["compressor"]["level"] = "0", "3"
            file.write_text(json.dumps(array))
    assert data_of(ncdump(theirs)) == data_of(netcdf_c.run("ncdump", netcdf_c.url(theirs, "nczarr,file")))
    nccopy(theirs, f"{ours}#mode={mode}")
    group = zarr.open_group(str(ours), mode="r", zarr_format=version)
    for name, size in ("v", 4), ("w", 2):
        assert group[name][...].ravel().tolist() == numbers
        found = json.loads((ours / name / ("zarr.json" if version == 3 else ".zarray")).read_text())
        codecs = found["codecs"][1:] if version == 3 else [*found["filters"], found["compressor"]]
        wanted = [("shuffle", "elementsize", size), ("zlib", "level", 3)]
        for codec, (codec_name, member, value) in zip(codecs, wanted, strict=True):
            assert codec == ({"name": f"numcodecs.{codec_name}", "configuration": {member: value}} if version == 3 else {"id": codec_name, member: value})
    if version == 2:
        for chunk in theirs.glob("[vw]/[0-9]*"):
            assert chunk.read_bytes() == (ours / chunk.parent.name / chunk.name).read_bytes()


def test_objects_of_strings_show_their_codec(tmp_path):
    """The text of such an array makes one with strings of a fixed length."""
    group = zarr.open_group(str(tmp_path / "a.zarr"), mode="w", zarr_format=2)
    array = group.create_array("v", shape=(3,), chunks=(3,), dtype=str)
    array[:] = np.array(["a", "Zürich", ""], dtype=object)
    stored = json.loads((tmp_path / "a.zarr/v/.zarray").read_text())
    assert [codec["id"] for codec in stored["filters"]] == ["vlen-utf8"]
    text = ncdump("-s", tmp_path / "a.zarr").decode()
    assert 'v:_Codecs = "[{\\"id\\": \\"vlen-utf8\\"}' in text
    (tmp_path / "a.cdl").write_text(text)
    for target in "b.nc", "b.zarr#mode=nczarr":
        ncgen("-o", tmp_path / target, tmp_path / "a.cdl")
    for made in "b.nc", "b.zarr":
        [data] = [line for line in data_of(ncdump(tmp_path / made)) if line != "}"]
        assert data in ('v="a","Zürich",""', 'v="a","Zürich",_', 'v="a","Zürich",NIL')


def test_control_characters_that_netcdf_c_misreads_are_told(tmp_path):
    source, out = tmp_path / "in.nc", tmp_path / "out.zarr"
    with netCDF4.Dataset(source, "w") as f:
        f.misread, f.read = "x\x01y", "a\tb\nc"
    told = nccopy(source, f"{out}#mode=nczarr,file")
    assert "netCDF-C reads control characters as 'u' and four digits in attributes: /misread\n" in told
    shown = netcdf_c.run("ncdump", "-h", netcdf_c.url(out, "nczarr,file"))
    assert b'"xu0001y"' in shown and b'"a\\tb\\nc"' in shown, shown


def test_what_netcdf_c_does_not_read_of_pure_zarr(tmp_path):
    """As docs/reference/differences-reading.md has it. A release of netCDF-C that reads more fails here."""
    tree = tmp_path / "a.zarr"
    group = zarr.create_group(tree, zarr_format=2)
    scalar = group.create_array("scalar", shape=(), dtype="f4", fill_value=-1.0)
    scalar[...] = 5
    v = group.create_array("v", shape=(3,), chunks=(3,), dtype="i4", fill_value=-7)
    v[:2] = [1, 2]
    v.attrs["_ARRAY_DIMENSIONS"] = ["x"]
    theirs = netcdf_c.run("ncdump", netcdf_c.url(tree, "zarr,file")).decode()
    ours = ncdump(tree).decode()
    assert "scalar" not in theirs and "float scalar ;" in ours and " scalar = 5 ;" in ours
    assert "_FillValue" not in theirs and "v:_FillValue = -7 ;" in ours
    assert " v = 1, 2, -7 ;" in theirs and " v = 1, 2, _ ;" in ours
    for name, below, reads in (("root", tree, False), ("folder", tmp_path, True)):
        path = tmp_path / f"{name}.zip"
        with zipfile.ZipFile(path, "w") as file:
            for key in sorted(key for key in tree.rglob("*") if key.is_file()):
                file.write(key, key.relative_to(below).as_posix())
        assert b" v = 1, 2, _ ;" in ncdump(path)
        assert bool(netcdf_c.run("ncdump", netcdf_c.url(path, "zarr,zip"), ok=False)) == reads


@pytest.mark.parametrize("mode, codec", [("zarr", "szip,32,8"), ("nczarr", "szip,32,8"), ("zarr,v3", "imagecodecs_lz4f")])
def test_what_one_codec_keeps_zarr_python_from(tmp_path, mode, codec):
    """The warning tells whether a codec that zarr-python lacks hides its variable alone, or all others."""
    zarr, xarray = pytest.importorskip("zarr", "3"), pytest.importorskip("xarray")
    (tmp_path / "a.cdl").write_text("""netcdf a {
dimensions: x = 64 ; variables: int odd(x) ; int plain(x) ; group: g { variables: int inner(x) ; data: inner = 5 ; }
}""")
    ncgen("-4", "-o", tmp_path / "a.nc", tmp_path / "a.cdl")
    out = tmp_path / "out.zarr"
    said = nccopy("-F", f"odd,{codec}", tmp_path / "a.nc", f"{out}#mode={mode}")
    [line] = [line for line in said.splitlines() if "zarr-python" in line]

    def opens(function):
        try:
            return function() is not None
        except Exception as error:
            assert "codec" in str(error).lower(), error
            return False

    whole = opens(lambda: zarr.open_group(str(out), mode="r"))
    assert whole == (mode == "nczarr") == ("told not to use its consolidated metadata" not in line), line
    root = zarr.open_group(str(out), mode="r", use_consolidated=False)
    assert root["plain"].shape == (64,) and root["g/inner"][0] == 5
    assert not opens(lambda: root["odd"])
    assert "xarray then opens no group that has" in line or "; xarray opens no group that has" in line
    assert not opens(lambda: xarray.open_zarr(str(out), consolidated=False))
    assert opens(lambda: xarray.open_zarr(str(out), group="g", consolidated=False))
    assert opens(lambda: xarray.open_zarr(str(out), group="g")) == whole
