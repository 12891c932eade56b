"""Variables on dimensions of groups that theirs is not in: a path leads to the dimension, and a reference to its scale."""

import subprocess

import h5py
import numpy as np
import pytest
from conftest import BIN, installed, nccopy, ncdump, ncgen
from zarr_reference import by_libnetcdf

TEXT = """netcdf scopes {
dimensions:
\td = 2 ;

group: first {
  dimensions:
  \td = 4 ;
  variables:
  \tint v(/last/inner/d, d) ;
  \tint w(/d, /last/inner/t) ;
  \tint d(/last/inner/d) ;
  \tint plain(d) ;
  data:

   v =
  1, 2, 3, 4,
  5, 6, 7, 8,
  9, 10, 11, 12 ;

   w =
  {1, 2},
  {3, 4} ;

   d = 7, 8, 9 ;

   plain = 1, 2, 3, 4 ;
  } // group first

group: last {

  group: inner {
    dimensions:
    \td = 3 ;
    \tt = UNLIMITED ; // (2 currently)
    variables:
    \tfloat d(d) ;
    \tint t(t) ;
    data:

     d = 1, 2, 3 ;

     t = 5, 6 ;
    } // group inner
  } // group last
}
"""


@pytest.fixture
def made(tmp_path):
    (tmp_path / "scopes.cdl").write_text(TEXT)
    ncgen("-4", "-o", tmp_path / "scopes.nc", tmp_path / "scopes.cdl")
    return tmp_path / "scopes.nc"


def test_the_path_is_printed(made):
    assert ncdump(made).decode() == TEXT
    assert b'"shape": ["/last/inner/d", "d"]' in ncdump("--json", "-h", made)


def test_the_scale_is_attached_by_reference(made):
    with h5py.File(made) as f:
        for name, paths in {"v": ["/last/inner/d", "/first/d"], "w": ["/d", "/last/inner/t"]}.items():
            assert [f["first"][name].dims[n][0].name for n in range(2)] == paths
        attached = f["last/inner/d"].attrs["REFERENCE_LIST"]
        assert sorted(f[reference].name for reference, _ in attached) == ["/first/_nc4_non_coord_d", "/first/v"]


def test_netcdf_c_finds_them(made):
    """Judged by ncdump alone: netCDF4-python looks for dimensions in the groups around, and opens no such file."""
    theirs = subprocess.run([installed("ncdump"), made], capture_output=True, check=True).stdout
    # Netcdf-bin 4.9 leaves the groups out of such a path.
    assert theirs.decode() in (TEXT, TEXT.replace("/last/inner/", "/"))


def test_the_reference_counts_where_there_is_no_id(made):
    with h5py.File(made, "r+") as f:
        for name in "v", "w", "_nc4_non_coord_d":
            del f["first"][name].attrs["_Netcdf4Coordinates"]
    assert ncdump(made).decode() == TEXT


def test_the_id_counts_where_there_is_no_reference(made):
    with h5py.File(made, "r+") as f:
        for name in "v", "w", "_nc4_non_coord_d":
            del f["first"][name].attrs["DIMENSION_LIST"]
    assert ncdump(made).decode() == TEXT


def test_copies(made, tmp_path):
    target = tmp_path / "copy" / "scopes.nc"
    target.parent.mkdir()
    nccopy(made, target)
    assert ncdump(target).decode() == TEXT
    # The group of a dimension stays, without its variables.
    nccopy("-G", "/first", made, target)
    text = ncdump(target).decode()
    assert "int v(/last/inner/d, d) ;" in text and "float d(d) ;" not in text
    nccopy("-G", "/last/inner", made, target)
    assert "first" not in ncdump(target).decode()


@pytest.fixture
def longer(tmp_path):
    path = tmp_path / "a.h5"
    with h5py.File(path, "w", track_order=True) as f:
        f["t"] = [1.0, 2.0, 3.0]
        f["t"].make_scale("t")
        f["v"] = [1, 2, 3, 4, 5]
        f["v"].dims[0].attach_scale(f["t"])
        f.create_dataset("g/w", data=np.arange(15).reshape(3, 5), chunks=(2, 2), compression="gzip")
        for n in range(2):
            f["g/w"].dims[n].attach_scale(f["t"])
    return path


def test_what_is_longer_than_its_dimension_is_told(tmp_path, longer):
    """netCDF-C cuts it without a word."""
    path = longer
    told = "/v has 5 elements along t, which is 3 long: netCDF leaves out the others; nccopy keeps them in Zarr and with -k h5"
    done = subprocess.run([BIN / "ncdump", path], capture_output=True, text=True)
    assert done.returncode == 0 and "v = 1, 2, 3 ;" in done.stdout and f"ncdump: {path}: warning: {told}\n" in done.stderr
    assert told in nccopy(path, tmp_path / "b.nc")
    assert nccopy("-k", "h5", path, tmp_path / "b.h5") == ""
    with h5py.File(tmp_path / "b.h5") as f:
        assert f["v"][:].tolist() == [1, 2, 3, 4, 5]


@pytest.mark.parametrize("mode", ["zarr", "zarr,v3", "nczarr"])
def test_zarr_keeps_what_is_longer_than_its_dimension(tmp_path, longer, mode):
    """The dimension has a name of its own, as xarray opens no group in which a name has two lengths."""
    xarray = pytest.importorskip("xarray")
    out = tmp_path / "out.zarr"
    said = nccopy("--verify", longer, f"{out}#mode={mode}")
    assert "get a new dimension of their own length: v (t_5, not t), /g/w (t_5, not t)" in said, said
    with xarray.open_dataset(out, engine="zarr", decode_cf=False) as found:
        assert found["v"].dims == ("t_5",) and found["v"].values.tolist() == [1, 2, 3, 4, 5]
        assert found["t"].dims == ("t",) and found["t"].values.tolist() == [1, 2, 3]
    with xarray.open_dataset(out, engine="zarr", group="g", decode_cf=False) as found:
        assert found["w"].dims == ("t", "t_5") and found["w"].values.tolist() == np.arange(15).reshape(3, 5).tolist()
    if mode == "nczarr":
        found = by_libnetcdf(f"file://{out}#mode=nczarr,file")
        assert found["groups"]["/"]["dims"] == [["t", 3, False], ["t_5", 5, False]]
        assert found["variables"]["/v"]["dims"] == ["/t_5"] and found["variables"]["/v"]["values"] == [1, 2, 3, 4, 5]
        assert found["variables"]["/g/w"]["values"] == list(range(15))
    nccopy("-k", "nc4", out, tmp_path / "back.nc")
    with h5py.File(tmp_path / "back.nc") as f:
        assert f["v"][:].tolist() == [1, 2, 3, 4, 5] and f["t"][:].tolist() == [1, 2, 3] and f["g/w"].shape == (3, 5)


def test_version_3_keeps_the_names(tmp_path):
    """In version 3 of Zarr an array names its dimensions, and a name is that of the nearest group."""
    text = """netcdf near {
dimensions:
\tdim = 2 ;
variables:
\tint a(dim) ;

data:

 a = 1, 2 ;

group: g {
  dimensions:
  \tdim = 4 ;
  variables:
  \tint v(/dim, dim) ;
  \tint w(/dim) ;
  \tint own(dim) ;
  data:

   v =
  1, 2, 3, 4,
  5, 6, 7, 8 ;

   w = 1, 2 ;

   own = 1, 2, 3, 4 ;
  } // group g
}
"""
    (tmp_path / "near.cdl").write_text(text)
    ncgen("-4", "-o", tmp_path / "near.nc", tmp_path / "near.cdl")
    said = nccopy("--verify", tmp_path / "near.nc", f"{tmp_path}/near.zarr#mode=zarr,v3")
    assert said.count("xarray opens no group") == 1 and "/g/dim" in said, said
    made = ncdump("-n", "near", tmp_path / "near.nc")
    assert made.decode().split() == text.split()
    assert ncdump("-n", "near", tmp_path / "near.zarr") == made
    nccopy(tmp_path / "near.zarr", tmp_path / "back.nc", "-k", "nc4")
    assert ncdump("-n", "near", tmp_path / "back.nc") == made
