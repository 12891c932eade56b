"""Chunks that reach past the extent and are stored without filters (H5Pset_chunk_opts) pass as they are."""

import ctypes
import pathlib

import h5py
import numpy
import pytest
from conftest import ncdump, nccopy

DONT_FILTER_PARTIAL_CHUNKS = 2


def libhdf5():
    """The library that h5py itself has loaded, as h5py has no call for this option."""
    for path in sorted((pathlib.Path(h5py.__file__).parent.parent / "h5py.libs").glob("libhdf5-*.so*")):
        return ctypes.CDLL(str(path))
    pytest.skip("h5py's own libhdf5 is not to be found")


def make(path):
    """A dataset of 10 x 7 in chunks of 4 x 4, deflated but for the chunks at the edges."""
    data = numpy.arange(70, dtype="<i4").reshape(10, 7)
    dcpl = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    dcpl.set_chunk((4, 4))
    dcpl.set_deflate(6)
    done = libhdf5().H5Pset_chunk_opts(ctypes.c_int64(dcpl.id), ctypes.c_uint(DONT_FILTER_PARTIAL_CHUNKS))
    assert done >= 0
    with h5py.File(path, "w", libver="latest") as file:
        space = h5py.h5s.create_simple((10, 7))
        dataset = h5py.h5d.create(file.id, b"v", h5py.h5t.NATIVE_INT32, space, dcpl=dcpl)
        dataset.write(h5py.h5s.ALL, h5py.h5s.ALL, data)
    return data


def chunks(path):
    """The encoded chunks of `v`, by position: filter mask and bytes."""
    with h5py.File(path) as file:
        dataset = file["v"].id
        infos = [dataset.get_chunk_info(n) for n in range(dataset.get_num_chunks())]
        return {info.chunk_offset: dataset.read_direct_chunk(info.chunk_offset) for info in infos}


def test_unfiltered_edge_chunks_pass_raw(tmp_path):
    made, copy = tmp_path / "made.h5", tmp_path / "copy.nc"
    data = make(made)
    nccopy(made, copy)
    with h5py.File(copy) as file:
        assert (file["v"][...] == data).all()
    theirs, ours = chunks(made), chunks(copy)
    assert {at: chunk for at, (_, chunk) in theirs.items()} == {at: chunk for at, (_, chunk) in ours.items()}
    # The copy says chunk by chunk what the original says once.
    assert ours[(0, 0)][0] == 0 and ours[(8, 4)][0] == 1
    assert len(ours[(8, 4)][1]) == 64 and len(ours[(0, 0)][1]) < 64
    assert ncdump(made).split(b"\n", 1)[1] == ncdump(copy).split(b"\n", 1)[1]


@pytest.mark.parametrize("flags", [["-d", "1"], ["-c", "phony_dim_0/5,phony_dim_1/7"], ["-F", "none"]])
def test_they_are_read_right_where_they_change(tmp_path, flags):
    made, copy = tmp_path / "made.h5", tmp_path / "copy.nc"
    data = make(made)
    nccopy(*flags, made, copy)
    with h5py.File(copy) as file:
        assert (file["v"][...] == data).all()
