"""`-c auto=map`, `series` and `balanced`: chunks as h5py and zarr-python see them, and the values that were there."""

import h5py
import numpy as np
import pytest
import zarr
from conftest import nccopy

SHAPE = (400, 90, 180)


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    import netCDF4

    path = tmp_path_factory.mktemp("access") / "in.nc"
    with netCDF4.Dataset(path, "w") as d:
        for name, length in zip(("time", "lat", "lon"), SHAPE):
            d.createDimension(name, None if name == "time" else length)
            d.createVariable(name, "f8", (name,))[:] = np.arange(length)
        d["time"].units = "hours since 2000-01-01"
        d.createDimension("two", 2)
        d.createVariable("bounds", "f8", ("time", "two"))[:] = np.arange(2 * SHAPE[0]).reshape(-1, 2)
        d.createVariable("v", "i4", ("time", "lat", "lon"))[:] = np.arange(np.prod(SHAPE)).reshape(SHAPE)
        # A series along its second dimension.
        d.createVariable("w", "i2", ("lat", "time"))[:] = np.arange(90 * 400).reshape(90, 400) % 30000
    return path


def requests(shape, chunks):
    """Chunks that a map and a series at one point touch."""
    counts = [-(-length // chunk) for length, chunk in zip(shape, chunks)]
    return counts[1] * counts[2], counts[0]


@pytest.mark.parametrize("access, size", [("map", None), ("series", None), ("balanced", None), ("series", "64K"), ("balanced", "4M")])
@pytest.mark.parametrize("kind", ["nc4", "zarr3"])
def test_chunks(source, tmp_path, access, size, kind):
    out = tmp_path / ("out.zarr" if kind == "zarr3" else "out.nc")
    asked = f"auto={access},{size}" if size else f"auto={access}"
    nccopy("-k", kind, "-c", asked, *(["--shard", "none"] * (kind == "zarr3")), "-d", "1", source, out)
    found = zarr.open(out, mode="r") if kind == "zarr3" else h5py.File(out)
    with h5py.File(source) as given:
        for name in ("time", "lat", "lon", "bounds", "v", "w"):
            assert (found[name][:] == given[name][:]).all()
    most = {None: 1 << 20, "64K": 64_000, "4M": 4_000_000}[size]
    chunks = found["v"].chunks
    assert 4 * np.prod(chunks) <= most
    of_map, of_series = requests(SHAPE, chunks)
    if access == "map":
        assert of_map == 1 and chunks[0] < 3
    elif access == "series":
        assert of_series == 1 and chunks[0] == SHAPE[0]
        assert found["w"].chunks[1] == SHAPE[0]
    else:
        assert 0.4 < of_map / of_series < 2.5
    assert found["time"].chunks == (SHAPE[0],) and found["bounds"].chunks == (SHAPE[0], 2)


def test_a_rule_for_a_variable_or_a_dimension_goes_first(source, tmp_path):
    nccopy("-c", "auto=map", "-c", "v:5,6,7", "-c", "lon/50", source, tmp_path / "out.nc")
    with h5py.File(tmp_path / "out.nc") as found:
        assert found["v"].chunks == (5, 6, 7)
    nccopy("-c", "auto=series", "-c", "lon/50", source, tmp_path / "out.nc")
    with h5py.File(tmp_path / "out.nc") as found:
        assert found["v"].chunks[::2] == (SHAPE[0], 50)


def test_what_is_wrong_is_told(source, tmp_path):
    for wrong, why in (("auto=maps", "expected auto=map, auto=series or auto=balanced"), ("auto=map,x", "expected a size such as 4M")):
        assert why in nccopy("-c", wrong, source, tmp_path / "out.nc", ok=False)
