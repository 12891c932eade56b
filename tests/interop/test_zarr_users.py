"""What users of xarray and libnetcdf do with Zarr, each of which went wrong once."""

import json
import subprocess

import netcdf_c
import numpy as np
import pytest
from conftest import BIN, nccopy, ncdump, ncgen

xarray = pytest.importorskip("xarray")
pytest.importorskip("zarr")
netCDF4 = pytest.importorskip("netCDF4")


def test_the_default_codec_of_xarray_goes_to_netcdf4(tmp_path):
    """Its blosc does not make a few strings or half floats smaller, and HDF5 then stores them as they are."""
    values = {"half": np.array([1.5, -2], "f2"), "text": np.array(["Zürich", "Bern"]), "whole": np.array([3, 4], "i4")}
    xarray.Dataset({name: ("x", value) for name, value in values.items()}).to_zarr(tmp_path / "a.zarr", zarr_format=2)
    nccopy(tmp_path / "a.zarr", tmp_path / "a.nc")
    with netCDF4.Dataset(tmp_path / "a.nc") as found:
        found.set_auto_mask(False)
        for name, value in values.items():
            assert list(found[name][:]) == list(value)


CDL = """netcdf a {
dimensions: n = 4 ; m = 2 ;
variables:
  string s(n) ;
  float big(n) ; big:_Endianness = "big" ; big:_FillValue = 7.f ; big:_ChunkSizes = 2 ;
  char c(m) ; c:empty = "" ;
data:
  s = "alpha", "be", "Zürich", "delta" ; big = 1, 2, _, _ ; c = "ab" ;
}
"""


@netcdf_c.needs_netcdf_c
@pytest.mark.parametrize("mode", ["nczarr", "zarr"])
def test_libnetcdf_reads_strings_and_fill_values_of_either_byte_order(tmp_path, mode):
    (tmp_path / "a.cdl").write_text(CDL)
    ncgen("-4", "-o", tmp_path / "a.nc", tmp_path / "a.cdl")
    nccopy("-d", "5", "-s", tmp_path / "a.nc", f"file://{tmp_path}/a.zarr#mode={mode},file")
    text = netcdf_c.run("ncdump", netcdf_c.url(tmp_path / "a.zarr", f"{mode},file")).decode()
    assert 's = "alpha", "be", "Zürich", "delta" ;' in text
    assert "big = 1, 2, _, _ ;" in text
    assert json.loads((tmp_path / "a.zarr/c/.zattrs").read_text())["empty"] == ""


def test_a_link_to_nothing_is_no_absent_chunk(tmp_path):
    (tmp_path / "a.cdl").write_text("netcdf a { dimensions: x = 2 ; variables: int v(x) ; v:_ChunkSizes = 1 ; data: v = 1, 2 ; }")
    ncgen("-4", "-o", f"file://{tmp_path}/a.zarr#mode=zarr,file", tmp_path / "a.cdl")
    chunk = tmp_path / "a.zarr/v/1"
    chunk.unlink()
    chunk.symlink_to("annexed")
    for command in [["ncdump", tmp_path / "a.zarr"], ["nccopy", tmp_path / "a.zarr", tmp_path / "a.nc"]]:
        done = subprocess.run([BIN / command[0], *command[1:]], capture_output=True, text=True)
        assert done.returncode == 1 and "is a link to a file that is not there" in done.stderr
    assert not (tmp_path / "a.nc").exists()


def test_a_zip_with_a_changed_byte_is_damaged(tmp_path):
    (tmp_path / "a.cdl").write_text("netcdf a { dimensions: x = 2 ; variables: int v(x) ; data: v = 1094861636, 1162233672 ; }")
    ncgen("-4", "-o", f"file://{tmp_path}/a.zip#mode=zarr,zip", tmp_path / "a.cdl")
    assert "1094861636" in ncdump(tmp_path / "a.zip").decode()
    bytes_ = (tmp_path / "a.zip").read_bytes()
    changed = bytes_.replace((1162233672).to_bytes(4, "little"), (1162233673).to_bytes(4, "little"))
    assert changed != bytes_
    (tmp_path / "a.zip").write_bytes(changed)
    done = subprocess.run([BIN / "ncdump", tmp_path / "a.zip"], capture_output=True, text=True)
    assert done.returncode == 1 and "checksum" in done.stderr
