"""Record variables that a classic file interleaves, which our nccopy moves all together: the same bytes as netCDF-C writes,
and the same values in netCDF-4."""

import filecmp

import netCDF4
import numpy as np
import pytest
from conftest import nccopy

TYPES = ["i1", "S1", "i2", "i4", "f4", "f8"]
KINDS = {"classic": "NETCDF3_CLASSIC", "64-bit offset": "NETCDF3_64BIT_OFFSET", "cdf5": "NETCDF3_64BIT_DATA"}

# Variables and records: long records, and short ones; both of more than is collected in memory.
SHAPES = {"wide": (120, 900), "narrow": (40, 110_000)}


def make(path, kind, variables, records):
    """A file of variables of all types, some of them of fixed size, and where it is wide one of large slabs."""
    rng = np.random.default_rng(3)
    with netCDF4.Dataset(path, "w", format=KINDS[kind]) as d:
        d.set_auto_mask(False)
        for name, length in ("time", None), ("x", 3), ("y", 7), ("large", 20_000):
            d.createDimension(name, length)
        for n in range(variables):
            dims = [("time",), ("time", "x"), ("time",), ("y", "x")][n % 4]
            # Padding is fill where netCDF-C fills.
            d.createVariable(f"v{n}", TYPES[n * 7 % 5 if n % 9 else 5], dims, fill_value=7 if n % 5 == 2 else None)
        if variables > 100:
            d.createVariable("large", "i1", ("time", "large"))
        for variable in d.variables.values():
            shape = [records if dim == "time" else len(d.dimensions[dim]) for dim in variable.dimensions]
            data = rng.integers(32, 120, shape)
            variable[:] = data.astype("u1").view("S1") if variable.dtype == "S1" else data.astype(variable.dtype)


@pytest.fixture(scope="module", params=SHAPES)
def files(request, tmp_path_factory):
    """The same dataset in each classic kind, by netCDF-C."""
    folder = tmp_path_factory.mktemp("records")
    for kind in KINDS:
        make(folder / kind, kind, *SHAPES[request.param])
    return folder


@pytest.fixture
def interleaved(files):
    return files / "64-bit offset"


def values(path):
    with netCDF4.Dataset(path) as d:
        d.set_auto_maskandscale(False)
        return {name: variable[:] for name, variable in d.variables.items()}


def test_classic_kinds_are_equal_byte_for_byte(files, tmp_path):
    for source in KINDS:
        for kind in KINDS:
            ours = tmp_path / "ours.nc"
            nccopy("-k", kind, files / source, ours)
            assert filecmp.cmp(files / kind, ours, shallow=False), f"{source} to {kind}"
        nccopy("-k", source, "-m", "200K", files / source, ours)
        assert filecmp.cmp(files / source, ours, shallow=False), f"{source} in little memory"


@pytest.mark.parametrize("files", ["wide"], indirect=True)
@pytest.mark.parametrize("flags", [[], ["-d1"], ["-u"], ["-c", "time/100,x/2"]], ids=" ".join)
def test_netcdf4_has_the_same_values_whatever_the_memory(interleaved, flags, tmp_path):
    ours, little = tmp_path / "ours.nc", tmp_path / "little.nc"
    nccopy("-k", "nc4", *flags, interleaved, ours)
    nccopy("-k", "nc4", *flags, "-m", "200K", "--threads", "1", interleaved, little)
    assert filecmp.cmp(ours, little, shallow=False)
    expected, found = values(interleaved), values(ours)
    assert expected.keys() == found.keys()
    for name, data in expected.items():
        np.testing.assert_array_equal(found[name], data, err_msg=name)


@pytest.mark.parametrize("files", ["wide"], indirect=True)
@pytest.mark.parametrize("cut", [4, 1_000])
@pytest.mark.parametrize("kind", ["classic", "nc4"])
def test_what_is_missing_is_reported_of_a_variable(interleaved, kind, cut, tmp_path):
    short, out = tmp_path / "short.nc", tmp_path / "out.nc"
    data = interleaved.read_bytes()
    short.write_bytes(data[:-cut])
    message = nccopy("-k", kind, short, out, ok=False)
    assert "variable " in message and "the file is truncated" in message
    assert not out.exists()
