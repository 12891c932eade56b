"""Quantized values are those of netCDF-C."""

import subprocess

import h5py
import netCDF4
import numpy as np
import pytest
from conftest import BIN, nccopy

MODES = {
    "bitgroom": ("BitGroom", "_QuantizeBitGroomNumberOfSignificantDigits"),
    "granularbr": ("GranularBitRound", "_QuantizeGranularBitRoundNumberOfSignificantDigits"),
    "bitround": ("BitRound", "_QuantizeBitRoundNumberOfSignificantBits"),
}
# netCDF-C allows 7 digits of a float when it defines the variable, and fails when it writes it.
MOST = {("bitround", "f4"): 23, ("bitround", "f8"): 52, ("bitgroom", "f4"): 6, ("bitgroom", "f8"): 15}
FILL = 9.969209968386869e36


def values(dtype):
    rng = np.random.default_rng(4)
    spread = rng.normal(size=1200) * 10.0 ** rng.integers(-30, 30, 1200)
    near = 280 + rng.normal(size=1200)
    special = [FILL, 0.0, np.inf, -np.inf, np.nan, 1.0, -1.0, 0.1, 1e-38, 1e-40, 9.999999, 1.234567, 3.4e38]
    all_values = np.concatenate([spread, near, special, rng.random(787)]).astype(dtype)
    return all_values.reshape(40, 80)


def write(path, name, dtype, **options):
    with netCDF4.Dataset(path, "w") as d:
        d.createDimension("y", 40), d.createDimension("x", 80)
        v = d.createVariable(name, dtype, ("y", "x"), **options)
        v.set_auto_maskandscale(False)
        v[:] = values(dtype)


def read(path, name="v"):
    with h5py.File(path) as f:
        return f[name][:]


def keeps(mode, dtype):
    return range(1, MOST["bitround" if mode == "bitround" else "bitgroom", dtype] + 1)


@pytest.mark.parametrize("mode, dtype", [(mode, dtype) for mode in MODES for dtype in ("f4", "f8")])
def test_values_of_netcdf_c(tmp_path, mode, dtype):
    plain = tmp_path / "plain.nc"
    write(plain, "v", dtype, chunksizes=(7, 30))
    theirs_name, attribute = MODES[mode]
    for keep in keeps(mode, dtype):
        theirs, ours = tmp_path / "theirs.nc", tmp_path / "ours.nc"
        write(theirs, "v", dtype, zlib=True, quantize_mode=theirs_name, significant_digits=keep)
        for options in ["-d", "1"], ["-c", "y/40,x/80"], ["-c", "y/9,x/11", "-F", "*,zstd,1"], ["-c", "v:contiguous"]:
            nccopy(*options, "--quantize", f"v,{mode},{keep}", plain, ours)
            found, wanted = read(ours), read(theirs)
            # netCDF-C makes numbers of infinities.
            finite = np.isfinite(values(dtype))
            assert (found[~finite].view("u1") == values(dtype)[~finite].view("u1")).all()
            differ = (found != wanted) & finite
            assert not differ.any(), (keep, options, values(dtype)[differ][:5], found[differ][:5], wanted[differ][:5])
        with netCDF4.Dataset(ours) as d:
            assert d["v"].getncattr(attribute) == keep and d["v"].getncattr(attribute).dtype == np.int32
        # What is quantized is not quantized again.
        again = tmp_path / "again.nc"
        nccopy("--quantize", f"*,{mode},1", ours, again)
        assert read(again).tobytes() == read(ours).tobytes()


@pytest.mark.parametrize("mode", ["bitgroom", "granularbr"])
def test_seven_digits_are_all_of_a_float(tmp_path, mode):
    plain, ours = tmp_path / "plain.nc", tmp_path / "ours.nc"
    write(plain, "v", "f4")
    nccopy("--quantize", f"v,{mode},7", plain, ours)
    if mode == "bitgroom":
        assert read(ours).tobytes() == read(plain).tobytes()
    finite = np.isfinite(values("f4"))
    assert np.allclose(read(ours)[finite], read(plain)[finite], rtol=5e-7, atol=0)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("order", ["little", "big"])
def test_attributes_in_cdl(tmp_path, mode, order):
    theirs_name, attribute = MODES[mode]
    numbers = values("f4").ravel()
    numbers = numbers[np.isfinite(numbers)]
    text = f"""netcdf a {{ dimensions: x = {len(numbers)}; variables: float v(x); v:{attribute} = 3; v:_Endianness = "{order}";
        v:_ChunkSizes = 100; float plain(x); data: v = {", ".join(map(repr, numbers.tolist()))}; plain = 1.2345678; }}"""
    (tmp_path / "a.cdl").write_text(text)
    ours, theirs = tmp_path / "ours.nc", tmp_path / "theirs.nc"
    subprocess.run([BIN / "ncgen", "-k", "nc4", "-o", ours, tmp_path / "a.cdl"], check=True)
    with netCDF4.Dataset(theirs, "w") as d:
        d.createDimension("x", len(numbers))
        v = d.createVariable("v", "f4", ("x",), zlib=True, quantize_mode=theirs_name, significant_digits=3)
        v.set_auto_maskandscale(False)
        v[:] = numbers
    assert read(ours).astype("<f4").tobytes() == read(theirs).tobytes()
    assert read(ours, "plain")[0] == np.float32(1.2345678)
    with netCDF4.Dataset(ours) as d:
        assert d["v"].getncattr(attribute) == 3


def test_records_of_a_classic_file(tmp_path):
    plain, ours = tmp_path / "plain.nc", tmp_path / "ours.nc"
    with netCDF4.Dataset(plain, "w", format="NETCDF3_CLASSIC") as d:
        d.createDimension("t", None), d.createDimension("x", 5)
        for name in "abc":
            d.createVariable(name, "f4", ("t", "x"))[:] = np.linspace(1, 2, 500).reshape(100, 5)
    nccopy("-k", "nc4", "--quantize", "a&c,bitround,4", plain, ours)
    wanted = np.linspace(1, 2, 500).astype("f4").view("u4")
    rounded = ((wanted + (1 << 18)) & ~np.uint32((1 << 19) - 1)).view("f4")
    with netCDF4.Dataset(ours) as d:
        assert (d["a"][:].ravel() == rounded).all() and (d["c"][:].ravel() == rounded).all()
        assert (d["b"][:].ravel().view("u4") == wanted).all()


@pytest.mark.parametrize(
    "argument, says",
    [
        ("v,bitgroom,8", "1 to 7 significant digits"),
        ("v,bitround,0", "1 to 23 significant bits"),
        ("i,bitround,3", "only float and double"),
        ("w,bitround,3", "no variable named 'w'"),
        ("v,groom,3", "expected variables, one of bitgroom"),
        ("v,bitgroom", "expected variables"),
        ("v,3", "expected variables"),
    ],
)
def test_mistakes(tmp_path, argument, says):
    plain, out = tmp_path / "plain.nc", tmp_path / "out.nc"
    with netCDF4.Dataset(plain, "w") as d:
        d.createDimension("x", 4)
        d.createVariable("v", "f4", ("x",)), d.createVariable("i", "i4", ("x",))
    message = nccopy("--quantize", argument, plain, out, ok=False)
    assert says in message and not out.exists()
    assert "compression" in nccopy("-k", "classic", "--quantize", "*,bitround,3", plain, out, ok=False)


def test_two_attributes_are_refused(tmp_path):
    text = "netcdf a { dimensions: x = 1; variables: float v(x); "
    text += "".join(f"v:{attribute} = 3; " for _, attribute in MODES.values())
    (tmp_path / "a.cdl").write_text(text + "data: v = 1; }")
    command = [BIN / "ncgen", "-k", "nc4", "-o", tmp_path / "a.nc", tmp_path / "a.cdl"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 1 and "quantized in one way" in done.stderr


def test_hdf5_as_it_is(tmp_path):
    """Coordinates, elements that are no plain floats, and values that were quantized before stay."""
    plain, netcdf, ours = tmp_path / "in.nc", tmp_path / "netcdf.nc", tmp_path / "ours.h5"
    write(plain, "v", "f4", chunksizes=(7, 30), zlib=True)
    with netCDF4.Dataset(plain, "a") as d:
        d.createVariable("x", "f8", ("x",))[:] = np.linspace(0, 1, 80)
    with h5py.File(plain, "r+") as f:
        f["half"] = np.linspace(0, 1, 50, dtype="f2")
        f["big"] = np.linspace(0, 1, 50, dtype=">f4")
    nccopy("-d", "1", "--quantize", "*,bitround,5", plain, netcdf)
    nccopy("-k", "h5", "--verify", "-d", "1", "--quantize", "*,bitround,5", plain, ours)
    with h5py.File(plain) as before, h5py.File(netcdf) as wanted, h5py.File(ours) as found:
        for name in "v", "big":
            assert found[name][:].tobytes() == wanted[name][:].astype(found[name].dtype).tobytes()
            assert found[name].attrs["_QuantizeBitRoundNumberOfSignificantBits"] == [5]
            assert set(found[name].attrs) - set(before[name].attrs) == {"_QuantizeBitRoundNumberOfSignificantBits"}
        for name in "x", "half":
            assert found[name][:].tobytes() == before[name][:].tobytes()
            assert set(found[name].attrs) == set(before[name].attrs)
    again = tmp_path / "again.h5"
    nccopy("-k", "h5", "--quantize", "v,bitround,2", "--quantize", "half,bitround,2", ours, again, ok=False)
    nccopy("-k", "h5", "--quantize", "v,bitround,2", ours, again)
    assert read(again).tobytes() == read(ours).tobytes()
