"""Chunks whose planes are stored, coded by frequencies alone, or searched for repeats: every inflater reads them."""

import shutil
import subprocess
import zlib

import h5py
import netCDF4
import numpy as np
import pytest
from conftest import nccopy

zlib_ng = pytest.importorskip("zlib_ng.zlib_ng")
isal = pytest.importorskip("isal.isal_zlib")

LENGTHS = (361, 720)


def fields():
    """Rounded numbers, packed ones, rain, noise, classes: planes of every kind."""
    rng = np.random.default_rng(7)
    y, x = np.mgrid[: LENGTHS[0], : LENGTHS[1]]
    smooth = 280 + 20 * np.sin(x / 70) + 10 * np.cos(y / 40)
    noisy = smooth + rng.normal(0, 1.5, LENGTHS)
    rain = np.where(rng.random(LENGTHS) < 0.8, 0, rng.gamma(0.6, 4, LENGTHS))
    yield "rounded", (np.round(noisy * 64) / 64).astype("<f4")
    yield "big_endian", (np.round(noisy * 64) / 64).astype(">f4")
    yield "packed", np.round((noisy - 273) * 100).astype("<i2")
    yield "rain", (np.round(rain * 256) / 256).astype("<f4")
    yield "full", noisy.astype("<f8")
    yield "image", np.clip(noisy - 200, 0, 255).astype("u1")
    yield "constant", np.full(LENGTHS, 7, "<i4")


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    path = tmp_path_factory.mktemp("literals") / "in.h5"
    with h5py.File(path, "w") as f:
        for name, values in fields():
            f.create_dataset(name, data=values, chunks=LENGTHS)
    return path


@pytest.mark.parametrize("level", [1, 5, 9])
@pytest.mark.parametrize("shuffle", [True, False])
def test_every_inflater_reads_the_chunks(source, tmp_path, level, shuffle):
    out = tmp_path / "out.nc"
    nccopy("-k", "nc4", "-d", level, *["-s"] * shuffle, source, out)
    with h5py.File(out) as f, netCDF4.Dataset(out) as dataset:
        dataset.set_auto_mask(False)
        for name, values in fields():
            _, chunk = f[name].id.read_direct_chunk((0, 0))
            planes = zlib.decompress(chunk)
            size = values.dtype.itemsize
            if shuffle and size > 1:
                found = np.frombuffer(planes, "u1").reshape(size, -1).T.tobytes()
            else:
                found = planes
            assert found == values.tobytes(), name
            assert zlib_ng.decompress(chunk) == planes and isal.decompress(chunk) == planes, name
            assert np.array_equal(f[name][...], values) and np.array_equal(dataset[name][...], values), name


@pytest.mark.parametrize("stored", ["out.nc", "out.zarr#mode=zarr,v3"])
def test_our_reader_reads_the_chunks(source, tmp_path, stored):
    out, back = f"{tmp_path}/{stored}", tmp_path / "back.nc"
    codec = "*,gzip,level=5" if "zarr" in stored else "*,2|1,5"
    nccopy(source, out, "-F", codec)
    nccopy("-k", "nc4", "-F", "*,none", out, back)
    with h5py.File(back) as f:
        for name, values in fields():
            assert f[name].compression is None
            assert np.array_equal(f[name][...], values), name


def test_the_bytes_do_not_depend_on_threads(source, tmp_path):
    made = []
    for threads in (1, 2, 8):
        out = tmp_path / f"{threads}.nc"
        nccopy("-k", "nc4", "-d", "5", "-s", "--threads", threads, source, out)
        made.append(out.read_bytes())
    assert made[0] == made[1] == made[2]


def test_gzip_in_zarr_has_the_same_blocks(source, tmp_path):
    zarr = pytest.importorskip("zarr", "3")
    out = tmp_path / "out.zarr"
    nccopy(source, f"{out}#mode=zarr,v3", "-F", "*,gzip,level=5")
    group = zarr.open_group(out, mode="r")
    for name, values in fields():
        assert np.array_equal(group[name][...], values), name


@pytest.mark.skipif(not shutil.which("gzip"), reason="gzip is not installed")
def test_gzip_reads_a_chunk(source, tmp_path):
    out = tmp_path / "out.zarr"
    nccopy(source, f"{out}#mode=zarr,v3", "-F", "rounded,gzip,level=5")
    chunk = out / "rounded" / "c" / "0" / "0"
    done = subprocess.run(["gzip", "-dc"], input=chunk.read_bytes(), capture_output=True, timeout=60)
    assert done.returncode == 0 and done.stdout == dict(fields())["rounded"].tobytes()
