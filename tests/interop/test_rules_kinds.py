"""Which kind a copy gets, what a kind cannot hold, and -u."""

import netCDF4
import pytest
from conftest import compare, nccopy
from rules_inputs import copied, nc3, nc4  # noqa: F401 (fixtures)
from stored import kind


def test_kinds(nc3, nc4, tmp_path):
    k = lambda source, *arguments: kind(copied(source, tmp_path, *arguments))
    assert k(nc3) == "NETCDF3_CLASSIC"
    assert k(nc4) == "NETCDF4"
    assert k(nc3, "-F", "*,307,9") == "NETCDF4"
    for arguments in (["-d1"], ["-s"], ["-c", "x/3"]):
        assert k(nc3, *arguments) == "NETCDF4_CLASSIC"
    nc7 = copied(nc3, tmp_path, "-7").rename(tmp_path / "nc7.nc")
    assert k(nc7, "-F", "*,307,9") == k(nc7, "-d1") == k(nc7) == "NETCDF4_CLASSIC"
    for flag, wanted in {
        "-3": "NETCDF3_CLASSIC", "-6": "NETCDF3_64BIT_OFFSET", "-5": "NETCDF3_64BIT_DATA", "-4": "NETCDF4",
        "-7": "NETCDF4_CLASSIC", "-knc3": "NETCDF3_CLASSIC", "-kclassic": "NETCDF3_CLASSIC", "-knc6": "NETCDF3_64BIT_OFFSET",
        "-k64-bit offset": "NETCDF3_64BIT_OFFSET", "-kcdf5": "NETCDF3_64BIT_DATA", "-knc5": "NETCDF3_64BIT_DATA",
        "-knetCDF-4": "NETCDF4", "-knc4": "NETCDF4", "-knc7": "NETCDF4_CLASSIC", "-knetCDF-4 classic model": "NETCDF4_CLASSIC",
        "-k1": "NETCDF3_CLASSIC", "-k2": "NETCDF3_64BIT_OFFSET", "-k3": "NETCDF4", "-k4": "NETCDF4_CLASSIC",
    }.items():
        for source in nc3, nc7:
            assert k(source, flag) == wanted
            code, text = compare(source, tmp_path / "out.nc")
            assert code == 0, text
    # Explicit, wherever it stands.
    assert k(nc3, "-d1", "-k", "nc4") == k(nc3, "-k", "nc4", "-d1") == "NETCDF4"
    assert k(nc3, "-F", "*,307,9", "-7") == "NETCDF4_CLASSIC"


@pytest.mark.parametrize("arguments, says", [
    (["-3"], "g"),
    (["-7"], "g"),
    (["-3", "-F", "*,307,9"], "-F"),
    (["-3", "-d1"], "-d"),
    (["-k", "nc9"], "nc9"),
    (["-d", "10"], "10"),
    (["-v", "absent"], "absent"),
    (["-G", "absent"], "absent"),
    (["-m", "x"], "x"),
])
def test_refused_before_anything_is_made(nc4, tmp_path, arguments, says):
    target = tmp_path / "out.nc"
    target.write_text("precious")
    assert says in nccopy(*arguments, nc4, target, ok=False)
    assert target.read_text() == "precious"
    assert list(tmp_path.iterdir()) == [target]


def test_several_unlimited_dimensions(tmp_path):
    source = tmp_path / "in.nc"
    with netCDF4.Dataset(source, "w") as d:
        d.createDimension("t", None)
        d.createDimension("u", None)
        d.createVariable("v", "f4", ("t", "u"))[0:2, 0:3] = 1
    assert "u" in nccopy("-3", source, tmp_path / "out.nc", ok=False)
    nccopy("-3", "-u", source, tmp_path / "out.nc")
    assert kind(tmp_path / "out.nc") == "NETCDF3_CLASSIC"


def test_unlimited_made_fixed(nc4, nc3, tmp_path):
    for source in nc4, nc3:
        target = copied(source, tmp_path, "-u")
        with netCDF4.Dataset(target) as d:
            assert not d.dimensions["t"].isunlimited() and len(d.dimensions["t"]) == 3
    empty = tmp_path / "empty.nc"
    with netCDF4.Dataset(empty, "w") as d:
        d.createDimension("tt", None)
    assert "tt" in nccopy("-u", empty, tmp_path / "out2.nc", ok=False)
