"""What reads in a copy where the input was never written."""

import h5py
import netCDF4
import numpy as np
import pytest
from conftest import nccopy
from rules_inputs import DATA, copied


def test_fill_values_are_kept_and_unwritten_stays_unwritten(tmp_path):
    source, target = tmp_path / "in.h5", tmp_path / "out.nc"
    with h5py.File(source, "w") as f:
        d = f.create_dataset("sparse", (1000, 1000), "f4", chunks=(10, 10), fillvalue=7.5, compression="gzip")
        d[100:120, 500:520] = 1
        f.create_dataset("never", (1000, 1000), "f8", fillvalue=-1)
    for arguments in [], ["-d1"], ["-c", "sparse:25,25"]:
        nccopy(*arguments, source, target)
        with h5py.File(source) as a, h5py.File(target) as b:
            assert b["sparse"].fillvalue == 7.5 and b["never"].fillvalue == -1
            np.testing.assert_array_equal(a["sparse"][()], b["sparse"][()])
            assert b["sparse"].id.get_num_chunks() <= 8
            if arguments != ["-d1"]:
                assert b["never"].id.get_storage_size() == 0
            np.testing.assert_array_equal(a["never"][()], b["never"][()])


def test_compact_variables_that_are_only_defined_read_as_fill(tmp_path):
    source, target = tmp_path / "in.h5", tmp_path / "out.nc"
    with h5py.File(source, "w") as f:
        f["other"] = DATA
        layout = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        layout.set_layout(h5py.h5d.COMPACT)
        for name, dtype, fill in [("big", ">i4", 5), ("text", h5py.string_dtype(), None)]:
            if fill is not None:
                layout.set_fill_value(np.array(fill, dtype))
            space = h5py.h5s.create_simple((3,))
            h5py.h5d.create(f.id, name.encode(), h5py.h5t.py_create(np.dtype(dtype), logical=True), space, layout)
            f[name][...] = [1, 2, 3] if fill else ["a", "b", "c"]
            layout = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
            layout.set_layout(h5py.h5d.COMPACT)
    nccopy("-v", "other", source, target)
    with h5py.File(target) as f:
        assert f["big"][()].tolist() == [5, 5, 5] and f["text"][()].tolist() == [b""] * 3
        assert f["big"].id.get_create_plist().get_layout() == h5py.h5d.COMPACT


@pytest.mark.parametrize("arguments", [["-3"], ["-u"], ["-3", "-u"], ["-u", "-c", "t/1"], ["-7", "-u", "-d", "1"]])
def test_unwritten_without_a_fill_value(tmp_path, arguments):
    """Holes within a dataset's extent are zeros, and what lies past it is netCDF's default, in every copy."""
    source = tmp_path / "in.nc"
    with h5py.File(source, "w") as f:
        t = f.create_dataset("t", data=np.arange(5.0), maxshape=(None,))
        t.make_scale("t")
        for name, dtype, chunks in [("whole", "f4", 2), ("parts", "i2", 1), ("none", "i1", 1)]:
            v = f.create_dataset(name, (3,), dtype, chunks=(chunks,), maxshape=(None,))
            v.dims[0].attach_scale(t)
        f["whole"][:] = [7, 8, 9]
        f["parts"][0] = 7
        f.create_dataset("scalar", (), "f8")
        f.create_dataset("fixed", (2,), "i4")
    target = copied(source, tmp_path, *arguments)
    with netCDF4.Dataset(target) as f:
        f.set_auto_mask(False)
        assert list(f["whole"][:]) == [7, 8, 9] + [netCDF4.default_fillvals["f4"]] * 2
        assert list(f["parts"][:]) == [7, 0, 0] + [netCDF4.default_fillvals["i2"]] * 2
        assert list(f["none"][:]) == [0, 0, 0] + [netCDF4.default_fillvals["i1"]] * 2
        assert f["scalar"][...] == 0
        assert list(f["fixed"][:]) == [0, 0]
