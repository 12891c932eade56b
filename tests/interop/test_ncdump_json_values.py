"""What `ncdump --json` prints of each type and with each option, against the values that were written, and that h5py and netCDF4-python
read: integers with all digits, floats bit for bit."""

import json
import subprocess

import h5py
import netCDF4
import numpy as np
import pytest
from conftest import BIN, installed, ncdump

INTEGERS = ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8"]


def ours(path, *flags):
    def refuse(constant):
        raise ValueError(f"{constant} is not JSON")

    return json.loads(ncdump("--json", *flags, path).decode(), parse_constant=refuse)


def data(path, name, *flags):
    return ours(path, *flags)["variables"][name]["data"]


def made(folder, text):
    """A file that the installed ncgen makes."""
    (folder / "a.cdl").write_text("netcdf a {" + text + "}")
    subprocess.run([installed("ncgen"), "-k", "nc4", "-o", folder / "a.nc", folder / "a.cdl"], check=True)
    return folder / "a.nc"


def read_back(text):
    """The bytes of a string, as the guide says."""
    return b"".join(bytes([ord(c) & 0xFF]) if "\uef80" <= c <= "\uefff" else c.encode() for c in text)


@pytest.mark.parametrize("ty", INTEGERS)
def test_integers_have_all_digits(tmp_path, ty):
    info = np.iinfo(ty)
    values = np.array([info.min, info.max, info.max - 1, 0, info.min + 1, 1], ty)
    with netCDF4.Dataset(tmp_path / "a.nc", "w") as d:
        d.createDimension("n", len(values))
        v = d.createVariable("v", ty, ("n",))
        v[:] = values
        v.two = values[:2]
        v.one = values[1]
    found = ours(tmp_path / "a.nc")["variables"]["v"]
    with h5py.File(tmp_path / "a.nc") as f:
        assert found["data"] == f["v"][()].tolist() == [int(n) for n in values]
        assert found["attributes"] == {"two": f["v"].attrs["two"].tolist(), "one": f["v"].attrs["one"].tolist()[0]}
    assert all(type(n) is int for n in found["data"])


@pytest.mark.parametrize("ty", ["f4", "f8"])
def test_floats_are_the_same_bits(tmp_path, ty):
    size = np.dtype(ty).itemsize
    chance = np.random.default_rng(7)
    special = [0.0, -0.0, np.nan, np.inf, -np.inf, np.finfo(ty).max, np.finfo(ty).tiny, np.finfo(ty).smallest_subnormal, 0.1, 1e22]
    values = np.concatenate([
        np.array(special, ty),
        chance.integers(0, 256, 30000 * size, dtype="u1").view(ty),
        chance.integers(0, 2 ** (8 * size - 12), 3000, dtype=f"u{size}").view(ty),
    ])
    with h5py.File(tmp_path / "a.nc", "w") as f:
        f["v"] = values.reshape(2, -1)
        f["big"] = values.astype(f">{ty}")
        f.attrs["a"] = values[:200]
    found = ours(tmp_path / "a.nc")
    rows = found["variables"]["v"]["data"]
    assert [len(row) for row in rows] == [len(values) // 2] * 2
    for numbers in rows[0] + rows[1], found["variables"]["big"]["data"], found["attributes"]["a"]:
        wanted = values[:len(numbers)]
        assert [n is None for n in numbers] == (~np.isfinite(wanted)).tolist()
        back = np.array([0 if n is None else n for n in numbers], "f8").astype(ty)
        back[~np.isfinite(wanted)] = 0
        finite = np.where(np.isfinite(wanted), wanted, np.array(0, ty))
        assert back.tobytes() == finite.tobytes()


def test_strings_and_bytes_that_are_not_utf8(tmp_path):
    texts = ["", "plain", "é€𝄞", "a\"b\\c\n\t\r\b\f\x01\x7f", "\uef80\uefff"]
    raw = [b"\xe9t\xe9", b"\xff\xfe", b"caf\xc3", b"\xed\xa0\x80"]
    with h5py.File(tmp_path / "a.nc", "w") as f:
        f.create_dataset("v", data=[t.encode() for t in texts] + raw, dtype=h5py.string_dtype())
        f.create_dataset("c", data=np.frombuffer(b"caf\xe9\0\0a\0b\xc3\xa9\0", "S1").reshape(2, 6))
    with h5py.File(tmp_path / "a.nc") as f:
        wanted = [bytes(item) for item in f["v"][()]]
    found = data(tmp_path / "a.nc", "v")
    assert [read_back(text) for text in found] == wanted == [t.encode() for t in texts] + raw
    assert found[:4] == texts[:4]
    assert [read_back(row) for row in data(tmp_path / "a.nc", "c")] == [b"caf\xe9", b"a\0b\xc3\xa9"]


TYPES = """
types:
  byte enum small {none = 0, least = -128, most = 127} ;
  uint64 enum large {zero = 0, end = 18446744073709551615} ;
  opaque(5) blob ;
  int(*) list ;
  float(*) floats ;
  compound inner { int64 n ; float f(2) ; } ;
  compound outer { inner a ; small e ; blob o ; ubyte b(2, 3) ; } ;
dimensions: n = 3 ; none = UNLIMITED ;
variables:
  small e(n) ; large l(n) ; blob o(n) ; list v(n) ; floats f(n) ; outer c(n) ; string s(n) ;
  int unwritten(n) ; float filled(n) ; filled:_FillValue = NaNf ; double own(n) ; own:_FillValue = -999.5 ; int empty(none) ;
  uint64 u(n) ; int64 i ; char t(n) ;
data:
  e = least, none, most ; l = end, zero, end ; o = 0x0102030405, 0xffffffffff, 0x0000000000 ;
  v = {1, 2147483647}, {}, {-2147483648} ; f = {NaNf, 1.5}, {}, {-0.f, Infinityf, 16777216} ;
  c = {{9223372036854775807, {1.5, -Infinityf}}, least, 0x0000000001, {1, 2, 3, 4, 5, 255}},
      {{-9223372036854775808, {NaNf, 1e-45}}, none, 0xffffffffff, {0, 0, 0, 0, 0, 0}}, {{0, {0, 0}}, most, 0x00000000ff, {9, 8, 7, 6, 5, 4}} ;
  s = "a", NIL, "" ;
  own = 1, _, 2 ; u = 18446744073709551615, 9223372036854775808, 0 ; i = -9223372036854775808 ; t = "x" ;
"""


def test_every_type(tmp_path):
    path = made(tmp_path, TYPES)
    found = {name: v["data"] for name, v in ours(path)["variables"].items()}
    assert found["e"] == ["least", "none", "most"] and found["l"] == ["end", "zero", "end"]
    assert found["o"] == ["0X0102030405", "0XFFFFFFFFFF", "0X0000000000"]
    assert found["v"] == [[1, 2**31 - 1], [], [-2**31]]
    assert found["f"] == [[None, 1.5], [], [-0.0, None, 16777216]] and np.signbit(found["f"][2][0])
    assert found["c"][0] == {"a": {"n": 2**63 - 1, "f": [1.5, None]}, "e": "least", "o": "0X0000000001", "b": [[1, 2, 3], [4, 5, 255]]}
    assert found["c"][1]["a"]["n"] == -2**63 and found["c"][1]["a"]["f"][0] is None
    assert np.float32(found["c"][1]["a"]["f"][1]) == np.float32(1e-45)
    assert found["s"] == ["a", None, ""]
    assert found["unwritten"] == [-2147483647] * 3 and found["filled"] == [None] * 3 and found["own"] == [1, -999.5, 2]
    assert found["empty"] == [] and found["u"] == [2**64 - 1, 2**63, 0] and found["i"] == -2**63 and found["t"] == "x"
    # The same, as others read them.
    with h5py.File(path) as f:
        assert found["u"] == f["u"][()].tolist() and found["own"] == f["own"][()].tolist()
        assert [bytes.fromhex(text[2:]) for text in found["o"]] == [item.tobytes() for item in f["o"][()]]
        assert found["v"] == [item.tolist() for item in f["v"][()]]
        assert [c["a"]["n"] for c in found["c"]] == f["c"]["a"]["n"].tolist()
        assert [c["b"] for c in found["c"]] == f["c"]["b"].tolist()
        names = {number: name for name, number in h5py.check_enum_dtype(f["e"].dtype).items()}
        assert found["e"] == [names[number] for number in f["e"][()].tolist()]
    with netCDF4.Dataset(path) as d:
        d.set_auto_maskandscale(False)
        assert found["unwritten"] == d["unwritten"][:].tolist()


GROUPS = """
dimensions: n = 2 ;
variables: int a(n) ; double time(n) ; time:units = "days since 2000-01-01" ;
data: a = 1, 2 ; time = 0, 1.5 ;
group: g {
  variables: int a(n) ; int b ;
  data: a = 3, 4 ; b = 5 ;
  group: h { variables: int a ; data: a = 6 ; }
}
"""


def with_data(group, path=""):
    """The paths of the variables that have data, and these."""
    found = {f"{path}/{name}": v["data"] for name, v in group.get("variables", {}).items() if "data" in v}
    for name, child in group.get("groups", {}).items():
        found |= with_data(child, f"{path}/{name}")
    return found


def without_data(group):
    """The same document without data."""
    group = dict(group)
    if "variables" in group:
        group["variables"] = {name: {k: v for k, v in var.items() if k != "data"} for name, var in group["variables"].items()}
    if "groups" in group:
        group["groups"] = {name: without_data(child) for name, child in group["groups"].items()}
    return group


ALL = {"/a": [1, 2], "/time": [0, 1.5], "/g/a": [3, 4], "/g/b": 5, "/g/h/a": 6}


@pytest.mark.parametrize("flags, wanted", [
    ([], list(ALL)),
    (["-h"], []),
    (["-c"], []),
    (["-v", "a"], ["/a", "/g/a", "/g/h/a"]),
    (["-v", "/a"], ["/a"]),
    (["-v", "g/b,/g/h/a"], ["/g/b", "/g/h/a"]),
    (["-g", "g"], ["/g/a", "/g/b"]),
    (["-g", "/"], ["/a", "/time"]),
    (["-g", "/g/h,/"], ["/a", "/time", "/g/h/a"]),
    (["-g", "g", "-v", "a"], ["/g/a"]),
    (["-t"], list(ALL)),
    (["-i", "-v", "time"], ["/time"]),
    (["-p", "3"], list(ALL)),
    (["-b", "c"], list(ALL)),
], ids=lambda f: " ".join(f) or "none")
def test_options_say_which_data_are_printed(tmp_path, flags, wanted):
    path = made(tmp_path, GROUPS)
    found = ours(path, *flags)
    assert with_data(found) == {name: ALL[name] for name in wanted}
    assert without_data(found) == without_data(ours(path))


def test_special_attributes(tmp_path):
    path = tmp_path / "a.nc"
    with netCDF4.Dataset(path, "w") as d:
        d.createDimension("n", 6)
        v = d.createVariable("v", "i4", ("n",), chunksizes=(4,), zlib=True, complevel=3, shuffle=True, fletcher32=True, endian="big")
        v[:] = range(6)
        v.units = "m"
    plain, special = ours(path, "-h"), ours(path, "-h", "-s")
    added = {k: x for k, x in special["variables"]["v"]["attributes"].items() if k not in plain["variables"]["v"]["attributes"]}
    with h5py.File(path) as f:
        assert added == {
            "_Storage": "chunked", "_ChunkSizes": f["v"].chunks[0], "_DeflateLevel": f["v"].compression_opts, "_Shuffle": "true",
            "_Fletcher32": "true", "_Endianness": "big",
        }
    assert special["attributes"]["_Format"] == "netCDF-4" and special["attributes"]["_NCProperties"].startswith("version=2")
    assert "_NCProperties" not in ours(path, "-h", "-s", "-Xp")["attributes"]
    assert data(path, "v", "-s") == list(range(6))


def test_options_that_do_not_go_together(tmp_path):
    path = made(tmp_path, GROUPS)
    for flags in ["-x"], ["-v", "nowhere"], ["-g", "nowhere"]:
        done = subprocess.run([BIN / "ncdump", "--json", *flags, path], capture_output=True, text=True)
        assert done.returncode == 1 and not done.stdout and done.stderr, (flags, done)
