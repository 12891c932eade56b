"""Floating-point formats that netCDF has not, read as h5py (libhdf5) converts them to double."""

from fractions import Fraction

import h5py
import netCDF4
import numpy as np
import pytest
from conftest import nccopy, ncdump

IMPLIED, NONE = h5py.h5t.NORM_IMPLIED, h5py.h5t.NORM_NONE
LE, BE = h5py.h5t.ORDER_LE, h5py.h5t.ORDER_BE
# Bytes, exponent and mantissa in bits, bias, normalization, order; what it is read as, and whether that is exact.
FORMATS = {
    "half": (2, 5, 10, 15, IMPLIED, LE, "f4", True),
    "bfloat16": (2, 8, 7, 127, IMPLIED, LE, "f4", True),
    "three_bytes": (3, 7, 16, 63, IMPLIED, LE, "f4", True),
    "six_bytes": (6, 11, 36, 1023, IMPLIED, BE, "f8", True),
    "far_bias": (4, 8, 23, 300, IMPLIED, LE, "f8", True),
    "long_mantissa": (8, 3, 60, 3, IMPLIED, LE, "f8", False),
    "long_exponent": (4, 15, 16, 16383, IMPLIED, LE, "f8", False),
    "x87": (16, 15, 64, 16383, NONE, LE, "f8", False),
    "x87_short": (12, 15, 64, 16383, NONE, LE, "f8", False),
    "quad": (16, 15, 112, 16383, IMPLIED, LE, "f8", False),
    "quad_big": (16, 15, 112, 16383, IMPLIED, BE, "f8", False),
}


def make_type(size, exponent, mantissa, bias, norm, order):
    kind = h5py.h5t.IEEE_F64LE.copy()
    precision = 1 + exponent + mantissa
    fields = (precision - 1, mantissa, exponent, 0, mantissa)
    if size > 8:
        kind.set_size(size)
        kind.set_precision(precision)
        kind.set_fields(*fields)
    else:
        kind.set_fields(*fields)
        kind.set_precision(precision)
        kind.set_size(size)
    kind.set_ebias(bias)
    kind.set_norm(norm)
    kind.set_order(order)
    return kind


def stored(name):
    """Elements as they are stored: random bits, exponents near those of 1 and at both ends, and round mantissas."""
    size, exponent, mantissa, bias, norm, order, *_ = FORMATS[name]
    random = np.random.default_rng(len(name))
    elements = []
    top = (1 << exponent) - 1
    for i in range(3000):
        e = [int(random.integers(0, top + 1)), min(bias, top) - i % 40 + 20, 0, 1, top - 1, top][i % 6]
        e = min(max(e, 0), top)
        m = int.from_bytes(random.bytes(16), "little") & (1 << mantissa) - 1
        if i % 5 == 0:
            m = 0
        if norm == NONE and e != 0:
            m |= 1 << mantissa - 1
        if norm == NONE and e == 0:
            m = 0
        number = (i & 1) << (exponent + mantissa) | e << mantissa | m
        elements.append(number.to_bytes(size, "little" if order == LE else "big"))
    return np.frombuffer(b"".join(elements), "u1").reshape(len(elements), size)


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    path = tmp_path_factory.mktemp("floats") / "floats.h5"
    with h5py.File(path, "w") as f:
        for name, (*layout, _, _) in FORMATS.items():
            kind, data = make_type(*layout), stored(name)
            space = h5py.h5s.create_simple((len(data),))
            dataset = h5py.h5d.create(f.id, name.encode(), kind, space)
            dataset.write(h5py.h5s.ALL, h5py.h5s.ALL, np.ascontiguousarray(data), mtype=kind)
            few = h5py.h5s.create_simple((3,))
            attribute = h5py.h5a.create(dataset, b"one", kind, few)
            attribute.write(np.ascontiguousarray(data[:3]), mtype=kind)
        f["record"] = np.zeros(2, [("a", "i2"), ("wide", np.longdouble), ("half", "f2")])
        values = np.array([(1, 1.5, -0.5), (2, np.longdouble(1) / 3, 2)], f["record"].dtype)
        f["record"][:] = values
    return path


def expected(dataset):
    """The numbers as doubles, by libhdf5; its own conversions, not the processor's, except for its native long double."""
    out = np.empty(dataset.shape, "f8")
    dataset.id.read(h5py.h5s.ALL, h5py.h5s.ALL, out)
    return out


def nearest(name, element):
    """The double that is nearest to a stored number that is finite and whose leading bit is implied; of two the even one."""
    size, exponent, mantissa, bias, norm, order, *_ = FORMATS[name]
    assert norm == IMPLIED
    number = int.from_bytes(element, "little" if order == LE else "big")
    e, m = number >> mantissa & (1 << exponent) - 1, number & (1 << mantissa) - 1
    significand = m if e == 0 else m | 1 << mantissa
    try:
        value = float(significand * Fraction(2) ** (max(e, 1) - bias - mantissa))
    except OverflowError:
        value = float("inf")
    return -value if number >> exponent + mantissa & 1 else value


@pytest.mark.parametrize("name", FORMATS)
def test_values(path, tmp_path, name):
    *_, kind, exact = FORMATS[name]
    copy = tmp_path / "copy.nc"
    warnings = nccopy("-v", name, path, copy)
    with h5py.File(path) as f:
        doubles = expected(f[name])
    with netCDF4.Dataset(copy) as nc:
        nc.set_auto_mask(False)
        assert nc[name].dtype == kind
        found = nc[name][:].astype("f8")
        assert nc[name].one.dtype == kind
    nan = np.isnan(doubles)
    assert (np.isnan(found) == nan).all()
    assert nan.any() and np.isinf(doubles).any()
    # Where libhdf5 converts itself, it rounds ties away from zero: those are rare, and arithmetic decides.
    differ = np.flatnonzero(~nan & (found != doubles))
    assert len(differ) < 0.02 * len(found)
    raw = stored(name)
    for i in differ:
        assert found[i] == nearest(name, raw[i].tobytes()), (i, found[i], doubles[i])
    if exact:
        np.testing.assert_array_equal(found[~nan], doubles[~nan])
    lines = [line for line in warnings.splitlines() if f"/{name} " in line or f"/{name}:" in line]
    assert len(lines) == (0 if exact else 2), warnings


def test_compound(path, tmp_path):
    copy = tmp_path / "copy.nc"
    warnings = nccopy("-v", "record", path, copy)
    assert "/record has floating-point numbers" in warnings
    with netCDF4.Dataset(copy) as nc:
        record = nc["record"][:]
    assert record.dtype["wide"] == "f8" and record.dtype["half"] == "f4"
    assert record.tolist() == [(1, 1.5, -0.5), (2, 1 / 3, 2.0)]


def test_text(path):
    assert b"double quad(" in ncdump("-h", path)
