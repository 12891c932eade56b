"""NcML: `ncdump -x` is what the installed one prints for files of the classic model, and XML for all."""

import re
import subprocess
import xml.etree.ElementTree as ElementTree

import netCDF4
import pytest
from conftest import BIN, LARGE, each_in_corpus, installed, made_by_installed_ncgen, ncdump

import generate
import ncml_schema
from ncml_schema import DATA_TYPES, NAMESPACE

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


@pytest.mark.parametrize("flags", FLAGS, ids=" ".join)
@each_in_corpus("netcdf/*.nc")
def test_corpus(path, flags):
    same(path, flags)


@pytest.mark.parametrize("kind", ["-3", "-6", "-7"])
@each_in_corpus("cdl/*.cdl", but=LARGE)
def test_corpus_of_cdl(tmp_path, path, kind):
    same(made_by_installed_ncgen(path, tmp_path / "x.nc", kind), [])


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
        assert found.get("type") in DATA_TYPES
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


@each_in_corpus("hdf5/*.h5", "netcdf/*.nc")
def test_corpus_is_xml(path):
    done = subprocess.run([BIN / "ncdump", "-x", path], capture_output=True, timeout=60)
    if done.returncode != 0:
        pytest.skip("not a file that ncdump reads")
    ncml_schema.check(ElementTree.fromstring(done.stdout))


@pytest.mark.parametrize("name", generate.MAKERS)
def test_generated_keeps_to_the_schema(generated, name):
    ncml_schema.check(parsed(generated / f"{name}.nc"))


@each_in_corpus("cdl/*.cdl", but=LARGE)
def test_corpus_of_cdl_keeps_to_the_schema(tmp_path, path):
    done = subprocess.run([BIN / "ncgen", "-k", "nc4", "-o", tmp_path / "x.nc", path], capture_output=True, timeout=60)
    if done.returncode != 0:
        pytest.skip("not a text that ncgen reads")
    ncml_schema.check(parsed(tmp_path / "x.nc"))


TYPES = r"""netcdf t {
types:
  ubyte enum small {none = 0, all = 255} ;
  uint enum wide {least = 0, most = 4294967295} ;
  int64 enum long_enum {least = -9223372036854775807, most = 9223372036854775807} ;
  opaque(3) blob ;
  int(*) list ; list(*) lists ; string(*) words ;
  compound inner { small kind ; float point(2, 3) ; string name ; } ;
  compound outer { inner parts(2) ; list numbers ; blob bytes ; char text(4) ; } ;
  outer(*) outers ;
dimensions: x = 2 ; two\ words = 3 ; r = UNLIMITED ;
variables:
  small a(x) ; small a:_FillValue = all ;
  wide b ; long_enum c(r, x) ; blob d(two\ words) ; list e(x) ; lists f ; words texts(x, x) ; inner h ; outer i(r) ; outers j(x) ;
  uint64 k ; k:most = 18446744073709551615ull ; int64 l ; l:least = -9223372036854775807ll ;
  inner h:made = {all, {1, 2, 3, 4, 5, 6}, "a"} ; string h:texts = "a|b", "c;d", "" ; list e:of = {1, 2}, {3} ;
  float h:numbers = NaN, -Infinity, 1e-40, 5, 1e30 ; blob d:bytes = 0x010203 ; wide b:choices = least, most ;
group: g {
  types: byte enum elsewhere {one = 1} ;
  dimensions: x = 5 ;
  variables: small v(x) ; small w(two\ words) ;
  group: h { variables: elsewhere v(x, r) ; }
}
group: s {
  variables: /g/elsewhere v(x) ;
}
}
"""


def test_every_type_keeps_to_the_schema(tmp_path):
    (tmp_path / "t.cdl").write_text(TYPES)
    subprocess.run([BIN / "ncgen", "-k", "nc4", "-o", tmp_path / "t.nc", tmp_path / "t.cdl"], check=True)
    root = parsed(tmp_path / "t.nc")
    ncml_schema.check(root)
    types = {v.get("name"): v.get("type") for v in root if v.tag == NAMESPACE + "variable"}
    assert types == {"a": "enum1", "b": "enum4", "c": "long", "d": "opaque", "e": "int", "f": "int", "texts": "String", "h": "Structure",
                     "i": "Structure", "j": "Sequence", "k": "ulong", "l": "long"}
    # A type of a group that is not around has no name there.
    assert root.find(f"{NAMESPACE}group[@name='s']/{NAMESPACE}variable").get("type") == "byte"
    assert root.find(f".//{NAMESPACE}group[@name='h']/{NAMESPACE}variable").get("typedef") == "elsewhere"


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
    assert "warning: 2 characters cannot stand in XML" in done.stderr
    with netCDF4.Dataset(path, "a") as out:
        out["v>&"].setncattr("lost", b"\x01C")
    done = subprocess.run([BIN / "ncdump", "-x", path], capture_output=True, text=True)
    assert "warning: 1 character cannot stand in XML" in done.stderr
