"""Through `ncdump --exact` and ncgen a file comes out with the values, types and kind that it had."""

import subprocess
import warnings

import h5py
import netCDF4
import numpy as np
import pytest
from conftest import BIN, LARGE, each_in_corpus, installed, made_by_installed_ncgen, ncdump
from stored import lacks_filter

import generate

# netCDF-C fails on it.
NOT_FOR_NETCDF4 = {"partly_attached"}
# Variables for which netCDF-C gives what memory held, as they were not written whole.
UNINITIALISED = {"two", "var4", "var5"}


def bits(value):
    """A value as bytes, so that -0 is not 0; a NaN is any NaN, as text has one only."""
    if isinstance(value, np.ndarray) and value.dtype.kind == "O":
        return [bits(item) for item in value.ravel()]
    if isinstance(value, (np.ndarray, np.generic)):
        value = np.asarray(value)
        if value.dtype.names:
            # Field by field, as what lies between them is no value.
            return {name: bits(value[name]) for name in value.dtype.names}
        value = np.array(value, value.dtype.newbyteorder("<"))
        if value.dtype.kind == "f":
            value[np.isnan(value)] = np.nan
        return value.shape, value.dtype.str, value.tobytes()
    if isinstance(value, float):
        return "float", np.float64(value).tobytes() if value == value else "NaN"
    return type(value).__name__, value


def raw(variable):
    """All values of a variable of netCDF4-python, as they are."""
    variable.set_auto_maskandscale(False)
    variable.set_auto_chartostring(False)
    return variable[...] if 0 not in variable.shape else None


def same_bits(path, made):
    """Every value of two files, bit for bit: as netCDF4-python reads it, and h5py where it can."""
    with warnings.catch_warnings(action="ignore"), netCDF4.Dataset(path) as a, netCDF4.Dataset(made) as b:
        pairs = [(a, b)]
        while pairs:
            a, b = pairs.pop()
            assert list(a.variables) == list(b.variables) and list(a.groups) == list(b.groups)
            pairs += [(a.groups[name], b.groups[name]) for name in a.groups]
            for x, y in [(a, b), *((a.variables[name], b.variables[name]) for name in a.variables)]:
                assert x.ncattrs() == y.ncattrs()
                for name in x.ncattrs():
                    try:
                        value = x.getncattr(name)
                    except KeyError:
                        # Of a type that netCDF4-python cannot read.
                        continue
                    assert bits(value) == bits(y.getncattr(name)), (x.name, name)
            for name in a.variables:
                if name not in UNINITIALISED and not lacks_filter(a.variables[name]):
                    assert bits(raw(a.variables[name])) == bits(raw(b.variables[name])), name
    if not h5py.is_hdf5(path):
        return
    with h5py.File(path) as a, h5py.File(made) as b:
        def compare(name, x):
            if not isinstance(x, h5py.Dataset) or x.attrs.get("CLASS") == b"DIMENSION_SCALE" or x.dtype.hasobject:
                return
            if x.dtype.kind == "S" and x.dtype.itemsize > 1:
                # Text of a fixed length is a string to netCDF.
                return
            y = b.get(name)
            # Another program may have named or placed things as netCDF does not.
            if isinstance(y, h5py.Dataset) and x.shape == y.shape and x.shape is not None:
                assert bits(x[()]) == bits(y[()]), name

        a.visititems(compare)


def ncgen(text, output):
    """Makes a file of CDL with our ncgen."""
    source = output.with_suffix(".cdl")
    source.write_bytes(text)
    done = subprocess.run([BIN / "ncgen", "-o", output, source], capture_output=True, timeout=120)
    assert done.returncode == 0, done.stderr.decode()


def check(path, folder):
    text = ncdump("--exact", "-n", "x", path)
    made = folder / "made.nc"
    ncgen(text, made)
    again = ncdump("--exact", "-n", "x", made)
    assert again.decode(errors="replace") == text.decode(errors="replace")
    assert ncdump("-k", made) == ncdump("-k", path)
    if path.stem not in NOT_FOR_NETCDF4:
        same_bits(path, made)


@pytest.mark.parametrize("name", generate.MAKERS)
def test_generated(generated, tmp_path, name):
    check(generated / f"{name}.nc", tmp_path)


@each_in_corpus("netcdf/*.nc")
def test_corpus(tmp_path, path):
    check(path, tmp_path)


@each_in_corpus("cdl/*.cdl", but=LARGE)
def test_corpus_from_text(tmp_path, path):
    check(made_by_installed_ncgen(path, tmp_path / "installed.nc", "-k", "nc4"), tmp_path)


def test_floats_keep_every_bit(tmp_path):
    """Zeros of both signs, subnormals, the ends of the range, and bits at random."""
    chance = np.random.default_rng(5)
    special = {
        "f4": [0.0, -0.0, np.inf, -np.inf, np.nan, 1e-45, -1e-45, 1.1754942e-38, 1.1754944e-38, 3.4028235e38, 9.96921e36, 9.969211e36],
        "f8": [0.0, -0.0, np.inf, -np.inf, np.nan, 5e-324, -5e-324, 2.225073858507201e-308, 2.2250738585072014e-308,
               1.7976931348623157e308, 9.969209968386869e36, 9.96920996838687e36, 0.1, 1 / 3],
    }
    path = tmp_path / "a.nc"
    wanted = {}
    with netCDF4.Dataset(path, "w") as d:
        for ty, values in special.items():
            size = np.dtype(ty).itemsize
            any_bits = chance.integers(0, 256, 20000 * size, dtype="u1").view(ty)
            small = chance.integers(0, 2 ** (8 * size - 12), 2000, dtype=f"u{size}").view(ty)
            wanted[ty] = np.concatenate([np.array(values, ty), any_bits, small])
            d.createDimension(f"n{ty}", len(wanted[ty]))
            d.createVariable(ty, ty, (f"n{ty}",))[:] = wanted[ty]
            d.setncattr(f"a{ty}", wanted[ty][:500])
    check(path, tmp_path)
    with h5py.File(tmp_path / "made.nc") as made:
        for ty, values in wanted.items():
            assert bits(made[ty][()]) == bits(values)
            assert bits(made.attrs[f"a{ty}"]) == bits(values[:500])
            assert np.signbit(made[ty][1]) and made[ty][1] == 0


@pytest.mark.parametrize("kind", ["NETCDF3_CLASSIC", "NETCDF3_64BIT_OFFSET", "NETCDF3_64BIT_DATA", "NETCDF4_CLASSIC"])
def test_values_of_classic_kinds(tmp_path, kind):
    path = tmp_path / "a.nc"
    types = ["i1", "i2", "i4", "f4", "f8"] + (["u1", "u2", "u4", "i8", "u8"] if kind == "NETCDF3_64BIT_DATA" else [])
    chance = np.random.default_rng(6)
    with netCDF4.Dataset(path, "w", format=kind) as d:
        d.createDimension("r", None)
        d.createDimension("n", 100)
        for ty in types:
            values = chance.integers(0, 256, 500 * np.dtype(ty).itemsize, dtype="u1").view(ty).reshape(5, 100)
            v = d.createVariable(ty, ty, ("r", "n"))
            v.set_auto_maskandscale(False)
            v[:] = values
        d.createVariable("unwritten", "f4", ("r", "n"))
        c = d.createVariable("c", "S1", ("r", "n"))
        c.set_auto_chartostring(False)
        c[:] = chance.integers(0, 256, 500, dtype="u1").view("S1").reshape(5, 100)
    check(path, tmp_path)
