"""What of its input a copy has: -v -V -g -G, and what netCDF cannot name; and options that are only accepted."""

import h5py
import netCDF4
import numpy as np
from conftest import nccopy
from rules_inputs import copied, nc4  # noqa: F401 (fixtures)


def test_same_file(nc4, tmp_path):
    one, link = tmp_path / "one.nc", tmp_path / "link.nc"
    one.write_bytes(nc4.read_bytes())
    link.symlink_to(one)
    before = one.read_bytes()
    for target in one, link:
        assert "same file" in nccopy(one, target, ok=False)
    assert one.read_bytes() == before


def test_selections(nc4, tmp_path):
    copied = lambda source, folder, *arguments: (nccopy(*arguments, source, folder / "out.nc"), folder / "out.nc")[1]
    target = copied(nc4, tmp_path, "-v", "raw,scalar")
    with netCDF4.Dataset(target) as d, netCDF4.Dataset(nc4) as original:
        assert list(d.variables) == list(original.variables)
        assert d["raw"][:].all() is not np.ma.masked
        assert d["var"][:].mask.all() and d["plain"][:].mask.all() and d["g/var"][:].mask.all()
        assert not np.ma.is_masked(d["raw"][:])
    with h5py.File(target) as f:
        assert f["var"].id.get_storage_size() == 0
    with netCDF4.Dataset(copied(nc4, tmp_path, "-V", "raw")) as d:
        assert list(d.variables) == ["raw"] and list(d.groups) == ["g"] and not d.groups["g"].variables
    with netCDF4.Dataset(copied(nc4, tmp_path, "-V", "var")) as d:
        assert list(d.variables) == ["var"] and list(d.groups["g"].variables) == ["var"]
    with netCDF4.Dataset(copied(nc4, tmp_path, "-g", "g")) as d:
        assert d["raw"][:].mask.all() and not np.ma.is_masked(d["g/var"][:])
    with netCDF4.Dataset(copied(nc4, tmp_path, "-G", "g")) as d:
        assert not d.variables and list(d.groups["g"].variables) == ["var"]
    with netCDF4.Dataset(copied(nc4, tmp_path, "-G", "/")) as d:
        assert d.variables and not d.groups


def test_old_options_are_accepted(nc4, tmp_path):
    copied(nc4, tmp_path, "-r", "-w", "-h", "5000000", "-e", "1000", "-L0", "-M0", "-m", "1G")


def test_names_longer_than_netcdf_has_are_left_out(tmp_path):
    source, target = tmp_path / "in.h5", tmp_path / "out.nc"
    with h5py.File(source, "w") as f:
        f["kept"] = 1
        f["x" * 255] = 2
        f["y" * 257] = 3
        f["kept"].attrs["z" * 300] = 4
    said = nccopy(source, target)
    assert said.count("longer than netCDF's 256") == 2, said
    with netCDF4.Dataset(target) as d:
        assert sorted(d.variables) == ["kept", "x" * 255] and not d["kept"].ncattrs()
