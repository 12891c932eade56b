"""NcML: `ncdump -x` is what the installed one prints for files of the classic model, and XML for all."""

import re
import subprocess
import xml.etree.ElementTree as ElementTree

import netCDF4
import pytest
from conftest import BIN, CORPUS, installed, ncdump, needs_corpus

import generate

NAMESPACE = "{https://www.unidata.ucar.edu/namespaces/netcdf/ncml-2.2}"
TYPES = {"byte", "char", "short", "int", "long", "float", "double", "ubyte", "ushort", "uint", "ulong", "String", "Structure", "Sequence",
         "opaque", "enum1", "enum2", "enum4"}
FLAGS = [[], ["-h"], ["-c"]]


def theirs(path, flags):
    """What the installed ncdump prints; where it is no NcML, as it should be."""
    done = subprocess.run([installed("ncdump"), "-x", *flags, str(path)], capture_output=True, timeout=60)
    if done.returncode != 0 or b"illegal xml" in done.stderr:
        pytest.skip("the installed ncdump makes no NcML of this file")
    text = done.stdout.replace(b'type="int64"', b'type="long"').replace(b'type="uint64"', b'type="ulong"')
    numbers = re.compile(rb'(type="(?:float|double)" value=")([^"]*)')
    return numbers.sub(lambda m: m[1] + m[2].replace(b"-nan", b"NaN").replace(b"nan", b"NaN").replace(b"inf", b"Infinity"), text)


def same(path, flags):
    wanted = theirs(path, flags).decode(errors="replace")
    assert ncdump("-x", *flags, path).decode() == wanted


@pytest.mark.parametrize("flags", FLAGS, ids=" ".join)
@pytest.mark.parametrize("name", generate.MAKERS)
def test_generated(generated, name, flags):
    same(generated / f"{name}.nc", flags)


@needs_corpus
@pytest.mark.parametrize("flags", FLAGS, ids=" ".join)
@pytest.mark.parametrize("path", sorted(CORPUS.glob("netcdf/*.nc")), ids=lambda p: p.name)
def test_corpus(path, flags):
    same(path, flags)


@needs_corpus
@pytest.mark.parametrize("kind", ["-3", "-6", "-7"])
@pytest.mark.parametrize("path", sorted(CORPUS.glob("cdl/*.cdl")), ids=lambda p: p.name)
def test_corpus_of_cdl(tmp_path, path, kind):
    if path.stem.startswith("big"):
        pytest.skip("much data, and few attributes")
    done = subprocess.run([installed("ncgen"), kind, "-o", tmp_path / "x.nc", path], capture_output=True, timeout=60)
    if done.returncode != 0 or not (tmp_path / "x.nc").exists():
        pytest.skip("not of this kind")
    same(tmp_path / "x.nc", [])


def parsed(path):
    return ElementTree.fromstring(ncdump("-x", path))


def check_group(element, group, around=None):
    """An element of NcML against what netCDF4-python sees of its group; `around` are the lengths of dimensions of the groups it is
    in."""
    children = {tag: {child.get("name"): child for child in element if child.tag == NAMESPACE + tag}
                for tag in ("dimension", "attribute", "variable", "group", "enumTypedef")}
    assert list(children["dimension"]) == list(group.dimensions)
    for name, dim in group.dimensions.items():
        found = children["dimension"][name]
        assert found.get("length") == str(len(dim)) and (found.get("isUnlimited") == "true") == dim.isunlimited()
    lengths = {**(around or {}), **{name: len(dim) for name, dim in group.dimensions.items()}}
    for name, enum in group.enumtypes.items():
        found = children["enumTypedef"][name]
        assert found.get("type") == f"enum{enum.dtype.itemsize}"
        assert {e.text: int(e.get("key")) for e in found} == enum.enum_dict
    assert set(group.variables) <= set(children["variable"])
    for name, var in group.variables.items():
        found = children["variable"][name]
        assert found.get("type") in TYPES
        if isinstance(var.datatype, netCDF4.VLType) and var.dtype is not str:
            assert found.get("shape").endswith("*")
        if isinstance(var.datatype, netCDF4.CompoundType):
            assert found.get("type") == "Structure"
            fields = [f.get("name") for f in found if f.tag == NAMESPACE + "variable"]
            assert fields == list(var.datatype.dtype.names)
        if isinstance(var.datatype, netCDF4.EnumType):
            assert found.get("typedef") == var.datatype.name
        shape = [dim for dim in (found.get("shape") or "").split() if dim != "*"]
        assert [int(dim) if dim.isdigit() else lengths[dim] for dim in shape] == [len(dim) for dim in var.get_dims()]
    assert list(children["group"]) == list(group.groups)
    for name, child in group.groups.items():
        check_group(children["group"][name], child, lengths)


@pytest.mark.parametrize("name", generate.MAKERS)
def test_is_xml_of_the_same_structure(generated, name):
    path = generated / f"{name}.nc"
    root = parsed(path)
    assert root.tag == NAMESPACE + "netcdf" and root.get("location") == str(path)
    if name != "partly_attached":  # which netCDF-C cannot read
        with netCDF4.Dataset(path) as dataset:
            check_group(root, dataset)


@needs_corpus
@pytest.mark.parametrize("path", sorted([*CORPUS.glob("hdf5/*.h5"), *CORPUS.glob("netcdf/*.nc")]), ids=lambda p: p.name)
def test_corpus_is_xml(path):
    done = subprocess.run([BIN / "ncdump", "-x", path], capture_output=True, timeout=60)
    if done.returncode != 0:
        pytest.skip("not a file that ncdump reads")
    for element in ElementTree.fromstring(done.stdout).iter(NAMESPACE + "variable"):
        assert element.get("type") in TYPES


def test_names_and_text_that_xml_has_to_escape(tmp_path):
    path = tmp_path / 'a&"b".nc'
    with netCDF4.Dataset(path, "w") as out:
        out.createDimension("x<y", 2)
        out.createDimension("a b", 3)
        var = out.createVariable("v>&", "f8", ("x<y", "a b"))
        var.setncattr("say \"'", 'a<b>&"\n\t\r\x7f°')
        var.setncattr("lost", b"\x01\xb0C")
        var.setncattr_string("many", ["a|b", "c"])
        out.createGroup("g<1>").setncattr("n", [1.5, float("nan")])
    root = parsed(path)
    assert root.get("location") == str(path)
    var = root.find(NAMESPACE + "variable")
    assert var.get("name") == "v>&" and var.get("shape") == "x<y 3"
    attributes = {a.get("name"): a for a in var}
    assert attributes["say \"'"].get("value") == 'a<b>&"\n\t\r\x7f°'
    assert attributes["lost"].get("value") == "��C"
    many = attributes["many"]
    assert many.get("value").split(many.get("separator")) == ["a|b", "c"]
    group = root.find(NAMESPACE + "group")
    assert group.get("name") == "g<1>" and group[0].get("value") == "1.5 NaN"
    done = subprocess.run([BIN / "ncdump", "-x", path], capture_output=True, text=True)
    assert "2 characters cannot stand in XML" in done.stderr
