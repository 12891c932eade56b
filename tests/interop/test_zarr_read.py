"""What zarr-python 2 and 3, xarray and netcdf-c write as Zarr version 2 and NCZarr: our programs read the same values."""

import json
import os
import pathlib
import shutil
import subprocess
import sys

import forked
import numpy as np
import pytest
import zarr_reference
from conftest import BIN, CORPUS, nccopy, ncdump, needs_corpus

HERE = pathlib.Path(__file__).parent
FIXTURES = HERE.parent.parent / "testdata" / "zarr"
VERSIONS = [pytest.param(2, marks=zarr_reference.needs_zarr2), 3]


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """The path of a hierarchy that `zarr_python_write.py` wrote, once."""
    folder = tmp_path_factory.mktemp("written")

    def write(name, version, ending=""):
        path = folder / f"{name}-{version}{ending}"
        if not path.exists():
            variables = {"PYTHONPATH": str(zarr_reference.ZARR2)} if version == 2 else {}
            libraries = ("zarr",) if version == 2 else ("xarray", "zarr")
            code, _, error = forked.run(libraries, HERE / "zarr_python_write.py", name, path, variables=variables, timeout=120)
            assert code == 0, error
        return path

    return write


def ours(path, tmp_path, *flags):
    """A hierarchy as our nccopy turns it into netCDF-4, and what it said."""
    target = tmp_path / "ours.nc"
    said = nccopy("-F", "none", *flags, path, target)
    return zarr_reference.by_netcdf(target), said


def as_netcdf(values):
    """Booleans are an enum of bytes, and NIL is the empty string."""
    return [int(v) if isinstance(v, bool) else v for v in values]


def same_values(found, theirs, but=()):
    lines = []
    for name, array in theirs["variables"].items():
        if name in but:
            continue
        variable = found["variables"].get(name)
        if variable is None:
            lines.append(f"{name} is missing")
        elif variable["shape"] != array["shape"]:
            lines.append(f"{name}: shape {variable['shape']}, expected {array['shape']}")
        else:
            values = ["" if v is None else v for v in variable.get("values", [variable.get("error")])]
            if values != ["" if v is None else v for v in as_netcdf(array["values"])]:
                lines.append(f"{name}: got {str(values)[:200]}, expected {str(array['values'])[:200]}")
    assert not lines, "\n".join(lines)


@pytest.mark.parametrize("ending", ["", ".zip"])
@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("name", ["codecs", "dtypes", "layouts"])
def test_values(written, tmp_path, name, version, ending):
    path = written(name, version, ending)
    found, _ = ours(path, tmp_path)
    same_values(found, zarr_reference.by_zarr_python(path, version))


def codecs_of(path):
    """Filters and compressor of each array, as JSON has them."""
    found = {}
    for file in path.rglob(".zarray"):
        array = json.loads(file.read_text())
        chain = [*(array["filters"] or []), *([array["compressor"]] if array["compressor"] else [])]
        for codec in chain:
            # tensorstore refuses the member, and the others know that it is false.
            if codec["id"] == "zstd" and codec.get("checksum") is False:
                del codec["checksum"]
        found[file.parent.name] = chain
    return found


@pytest.mark.parametrize("mode", ["zarr", "nczarr,file"])
@pytest.mark.parametrize("version", VERSIONS)
def test_copies_keep_codecs_that_only_zarr_has(written, tmp_path, version, mode):
    source, target = written("codecs", version), tmp_path / "out"
    nccopy(source, f"{target}#mode={mode}")
    wanted = codecs_of(source)
    # Packed booleans are ubyte in netCDF.
    assert {name: chain for name, chain in codecs_of(target).items() if name != "packbits"} == {
        name: chain for name, chain in wanted.items() if name != "packbits"
    }
    theirs = zarr_reference.by_zarr_python(source, version)
    copied = zarr_reference.by_zarr_python(target, version)
    for name, array in theirs["variables"].items():
        assert as_netcdf(copied["variables"][name].get("values", [copied["variables"][name].get("error")])) == as_netcdf(array["values"]), name


TYPES = {"|b1": "enum of byte", "i1": "byte", "u1": "ubyte", "i2": "short", "u2": "ushort", "i4": "int", "u4": "uint", "i8": "int64", "u8": "uint64",
         "f4": "float", "f8": "double", "half": "float", "half_big": "float", "bool": "enum of byte", "unicode": "string", "unicode_big": "string",
         "bytes": "string", "objects": "string"}


@pytest.mark.parametrize("version", VERSIONS)
def test_types(written, tmp_path, version):
    found, _ = ours(written("dtypes", version), tmp_path)
    for path, variable in found["variables"].items():
        name = path[1:]
        wanted = TYPES.get(name) or TYPES.get(name.split("_")[0])
        if wanted:
            assert variable["type"] == wanted, name


@pytest.mark.parametrize("version", VERSIONS)
def test_types_that_netcdf_lacks(written, tmp_path, version):
    found, said = ours(written("unsupported", version), tmp_path)
    assert list(found["variables"]) == ["/complex", "/numbers", "/records", "/times"] and not said
    assert found["variables"]["/times"]["values"] == [0, 1, 2]
    text = ncdump(written("unsupported", version)).decode()
    assert "complex = {0, 0}, {1, 0}, {2, 0} ;" in text and "records = {0, 0}, {0, 0}, {0, 0} ;" in text
    assert 'times:units = "seconds since 1970-01-01" ;' in text


@pytest.mark.parametrize("version", VERSIONS)
def test_attributes_and_dimensions(written, version):
    done = subprocess.run([str(BIN / "ncdump"), "-h", str(written("layouts", version))], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    for line in [':title = "layouts" ;', ":numbers = 1, 2 ;", ":flag = 1UB ;", ":large = 9223372036854775808ULL ;", "float x(x) ;",
                 "_Anonymous_Dim_7"]:
        assert line in done.stdout, line
    # In one group y has two lengths.
    for name, dims in ("field", "(_Anonymous_Dim_3, _Anonymous_Dim_4)"), ("wrong", "(_Anonymous_Dim_2, _Anonymous_Dim_4)"):
        assert f"float {name}{dims} ;" in done.stdout
        assert f"warning: variable one/two/{name}: _ARRAY_DIMENSIONS" in done.stderr


@pytest.mark.parametrize("version", VERSIONS)
def test_array_at_the_root(written, tmp_path, version):
    path = written("root_array", version)
    theirs = zarr_reference.by_zarr_python(path, version)["variables"]["/"]
    found, _ = ours(path, tmp_path)
    [variable] = found["variables"].values()
    assert variable["values"] == theirs["values"]
    assert [name.rsplit("/")[-1] for name in variable["dims"]] == ["y", "x"]


@pytest.mark.parametrize("version", VERSIONS)
def test_without_a_root_group(written, tmp_path, version):
    path = written("no_root", version)
    found, _ = ours(path, tmp_path)
    same_values(found, zarr_reference.by_zarr_python(path, version))


XARRAY = [("by_xarray", ""), ("by_xarray_unconsolidated", ""), ("by_xarray", ".zip")]


@pytest.mark.parametrize("name, ending", XARRAY)
def test_xarray(written, tmp_path, name, ending):
    path = written(name, 3, ending)
    found, _ = ours(path, tmp_path)
    theirs = zarr_reference.by_xarray(path)
    same_values(found, theirs)
    packed = {n: (k, v) for n, k, v in found["variables"]["/packed"]["attributes"]}
    assert packed["_FillValue"] == ("short", [-999])
    assert packed["scale_factor"] == ("double", ["0.5"])
    assert packed["add_offset"] == ("double", ["10.0"])
    assert not any(n == "_FillValue" for n, *_ in found["variables"]["/plain"]["attributes"])


@pytest.mark.parametrize("name, ending", XARRAY)
def test_xarray_decodes_what_came_from_its_store(written, tmp_path, name, ending):
    """store of xarray → our netCDF-4 → our Zarr: xarray sees the dataset that it wrote."""
    xarray = pytest.importorskip("xarray")
    zarr = pytest.importorskip("zarr")
    path = written(name, 3, ending)
    nccopy("-F", "none", path, tmp_path / "a.nc")
    nccopy(tmp_path / "a.nc", f"{tmp_path / 'b.zarr'}#mode=zarr")
    with xarray.open_zarr(str(path) if not ending else zarr.storage.ZipStore(path, mode="r"), chunks=None) as wanted:
        for one in tmp_path / "a.nc", tmp_path / "b.zarr":
            with xarray.open_dataset(one, **({"engine": "zarr", "chunks": None} if one.suffix == ".zarr" else {})) as got:
                assert set(got.variables) == set(wanted.variables)
                for variable in "packed", "plain", "time", "x", "scalar":
                    np.testing.assert_array_equal(got[variable].values, wanted[variable].values)
                    assert got[variable].dtype == wanted[variable].dtype, variable
                # In Zarr our strings are |Sn, which xarray takes for bytes. An empty one is no value to xarray.
                names = [x.decode() if isinstance(x, bytes) else "" if x != x else x for x in got["names"].values]
                assert names == ["one", "größe", ""]


NCZARR_410 = ["nczarr.zarr", "nczarr.zip", "zarr.zarr", "zarr.zip"]


@needs_corpus
@pytest.mark.parametrize("name", NCZARR_410)
def test_text_of_nczarr_4_10(name):
    folder = CORPUS / "zarr" / "nczarr-4.10"
    assert ncdump("-n", "a", folder / name).decode() == (folder / f"{name.split('.')[0]}.cdl").read_text()


@needs_corpus
@pytest.mark.parametrize("name", NCZARR_410)
@pytest.mark.parametrize("ours", ["nczarr,file", "nczarr,zip"])
def test_copy_of_nczarr_4_10_prints_the_same(tmp_path, name, ours):
    target = tmp_path / "out"
    nccopy(CORPUS / "zarr" / "nczarr-4.10" / name, f"{target}#mode={ours}")
    assert ncdump("-n", "a", target) == ncdump("-n", "a", CORPUS / "zarr" / "nczarr-4.10" / name)


# netcdf-c 4.9.0 wrote the bytes of `l` in the other order than its dtype `>i8` says, so that these are its numbers to every reader.
SWAPPED = """\
  64896371693453311, 144115188075855872, 216172782113783808, 
    144115188075856000, 144115188075856000, 144115188075856000, 
    144115188075856000,
""" + ",\n".join(["""\
  144115188075856000, 144115188075856000, 144115188075856000, 
    144115188075856000, 144115188075856000, 144115188075856000, 
    144115188075856000"""] * 4) + " ;\n"


@needs_corpus
def test_text_of_nczarr_4_9():
    """4.9 has no strings and no unlimited dimensions; else the dataset is that of 4.10."""
    text = (CORPUS / "zarr" / "nczarr-4.10" / "nczarr.cdl").read_text()
    for old, new in [
        ("time = UNLIMITED ; // (3 currently)", "time = 3 ;"),
        ("\tstring st(y) ;\n", ""),
        ('\t\tstring :strings = "one", "two" ;\n', ""),
        (' st = "alpha", "beta", NIL, "delta with spaces", "e" ;\n\n', ""),
    ]:
        assert old in text
        text = text.replace(old, new)
    before, values = text.split("\n l =\n", 1)
    text = before + "\n l =\n" + SWAPPED + values[values.index("\n\n") + 1:]
    assert ncdump("-n", "a", CORPUS / "zarr" / "nczarr-4.9" / "nczarr.zarr").decode() == text


@needs_corpus
@pytest.mark.parametrize("name", ["ref_byte.zarr", "ref_oldformat", "ref_quotes_orig"])
def test_text_of_netcdf_c_test_data(name):
    stem = name.removesuffix("_orig").removesuffix(".zarr")
    wanted = (CORPUS / "zarr" / f"{stem}.cdl").read_text()
    flags = ["-s"] if "_Storage" in wanted else []
    flags += [] if "data:" in wanted else ["-h"]
    text = ncdump(*flags, "-n", stem, CORPUS / "zarr" / f"{name}.zip").decode()
    # The texts are older than libnetcdf 4.10, which prints the first two; the third is what xarray means by a fill value.
    for line in "\t\t:_SuperblockVersion = 0 ;\n", "\t\t:_IsNetcdf4 = 1 ;\n", "\t\tfractional_snow_cover:_FillValue = NaNf ;\n":
        text = text.replace(line, "")
    assert text == wanted


@needs_corpus
def test_zarr_python_hierarchy_of_many_compressors(tmp_path):
    """Every array holds the same picture."""
    path = CORPUS / "zarr" / "zarr_python_v2.zarr"
    found, _ = ours(path, tmp_path)
    same_values(found, zarr_reference.by_zarr_python(path, 3))
    pictures = [v["values"] for v in found["variables"].values()]
    assert len(pictures) > 3 and all(picture == pictures[0] for picture in pictures)


@pytest.mark.parametrize("name", ["upper_in_objects", "lower_in_objects", "upper_in_attributes", "version1"])
@pytest.mark.parametrize("zipped", [False, True])
def test_older_forms_of_nczarr(tmp_path, name, zipped):
    path = FIXTURES / name
    if zipped:
        path = pathlib.Path(shutil.make_archive(str(tmp_path / name), "zip", FIXTURES, name))
    assert ncdump("-n", "older", path).decode() == (FIXTURES / "older.cdl").read_text()
