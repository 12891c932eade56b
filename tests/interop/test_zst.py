"""The plain twin of an archive: a classic file in Zstandard's seekable format."""

import gzip
import struct
import subprocess

import archive_samples
import netCDF4
import numpy as np
import pytest
from conftest import BIN, installed, nccopy, ncdump


@pytest.fixture
def original(tmp_path):
    path = tmp_path / "a.nc"
    path.write_bytes(archive_samples.file(2, 9000, [0, 30], [(5, (0, 1), 400), (6, (0,), 520)], 400 + 9000 * 128))
    return path


def text(path):
    return ncdump("-n", "a", path)


def test_zstd_restores_it(original, tmp_path):
    twin = tmp_path / "a.nc.zst"
    nccopy("-k", "zst", original, twin)
    done = subprocess.run([installed("zstd"), "-dc", twin], capture_output=True, check=True)
    assert done.stdout == original.read_bytes()
    assert text(twin) == text(original)
    one = tmp_path / "one.zst"
    nccopy("-k", "zst", "--threads", "1", original, one)
    assert one.read_bytes() == twin.read_bytes()


def test_other_options_are_refused(original, tmp_path):
    twin = tmp_path / "a.nc.zst"
    for option in ["--isel", "x=1"], ["-d", "1"], ["--page", "4096"], ["--salvage"], ["--summary"], ["-M", "1k"], ["--join", "x"], ["--merge"]:
        assert f"leave out {option[0]}" in nccopy("-k", "zst", *option, original, twin, ok=False)
    nccopy("-k", "zst", "--dry-run", original, twin)
    assert not twin.exists()


def test_pyzstd_seeks_in_it(original, tmp_path):
    pyzstd = pytest.importorskip("pyzstd")
    twin = tmp_path / "a.nc.zst"
    nccopy("-k", "zst", original, twin)
    data = original.read_bytes()
    with pyzstd.SeekableZstdFile(str(twin), "rb") as file:
        for at in 0, 300_000, 700_001, len(data) - 5:
            file.seek(at)
            assert file.read(1000) == data[at : at + 1000]


def test_pyzstd_made_it(original, tmp_path):
    """A seek table with and without checksums in it."""
    pyzstd = pytest.importorskip("pyzstd")
    twin = tmp_path / "b.nc.zst"
    with pyzstd.SeekableZstdFile(str(twin), "wb", max_frame_content_size=100_000) as file:
        file.write(original.read_bytes())
    assert text(twin) == text(original)


def test_files_without_a_seek_table(original, tmp_path):
    zst, gz = tmp_path / "a.nc.zst", tmp_path / "a.nc.gz"
    subprocess.run([installed("zstd"), "-q", original, "-o", zst], check=True)
    gz.write_bytes(gzip.compress(original.read_bytes()))
    for path in zst, gz:
        assert text(path) == text(original)
        nccopy("-k", "nc3" if original.read_bytes()[3] == 1 else "nc6", path, tmp_path / "copy.nc")
        assert text(tmp_path / "copy.nc") == text(original)
        archive = tmp_path / "a.nc3z"
        nccopy("-k", "archive", path, archive)
        nccopy("--restore", archive, tmp_path / "back.nc")
        assert (tmp_path / "back.nc").read_bytes() == original.read_bytes()


def test_a_pipe(original, tmp_path):
    with open(original, "rb") as file:
        cat = subprocess.Popen(["cat"], stdin=file, stdout=subprocess.PIPE)
        nccopy("-k", "zst", "-", tmp_path / "a.zst", stdin=cat.stdout)
    assert text(tmp_path / "a.zst") == text(original)


def test_what_is_compressed_is_unpacked_first(original, tmp_path):
    twin, zipped = tmp_path / "a.nc.zst", tmp_path / "a.nc.gz"
    nccopy("-k", "zst", original, twin)
    zipped.write_bytes(gzip.compress(original.read_bytes()))
    for source in zipped, twin:
        target = tmp_path / "again.nc.zst"
        nccopy("-k", "zst", "--verify", source, target)
        assert target.read_bytes() == twin.read_bytes()
        with open(source, "rb") as file:
            nccopy("-k", "zst", "-", target, stdin=file)
        assert target.read_bytes() == twin.read_bytes()
    zipped.write_bytes(zipped.read_bytes()[:-9])
    assert "gzip" in nccopy("-k", "zst", zipped, tmp_path / "cut.zst", ok=False)
    assert not (tmp_path / "cut.zst").exists()


def test_deflate_is_refused(original, tmp_path):
    error = nccopy("-k", "zst", "-d", "5", original, tmp_path / "a.zst", ok=False)
    assert "-k zst takes the bytes of the input as they are" in error
    assert not (tmp_path / "a.zst").exists()


@pytest.mark.parametrize("ending", ["gz", "zst", "twin.zst"])
def test_what_comes_before_a_cut_is_salvaged(original, tmp_path, ending):
    whole, cut = tmp_path / f"a.nc.{ending}", tmp_path / f"cut.nc.{ending}"
    match ending:
        case "gz":
            whole.write_bytes(gzip.compress(original.read_bytes()))
        case "zst":
            subprocess.run([installed("zstd"), "-q", original, "-o", whole], check=True)
        case _:
            nccopy("-k", "zst", original, whole)
    # The first of several blocks of Zstandard has nearly all bytes of this file.
    length = whole.stat().st_size
    cut.write_bytes(whole.read_bytes()[: length - 20 if ending == "zst" else length // 2])
    ncdump("--check", whole)
    checked = subprocess.run([BIN / "ncdump", "--check", cut], capture_output=True, text=True)
    assert checked.returncode == 1
    assert "ends or is damaged after" in checked.stdout
    hint = "'nccopy --salvage' copies what can still be read"
    assert nccopy(cut, tmp_path / "none.nc", ok=False).rstrip().endswith(hint)
    assert not (tmp_path / "none.nc").exists()
    done = subprocess.run([BIN / "nccopy", "--salvage", cut, tmp_path / "left.nc"], capture_output=True, text=True)
    assert done.returncode == 3
    assert "ends or is damaged after" in done.stderr
    # A plain prefix of the original gives the same values.
    length = int(done.stderr.split("damaged after ")[1].split()[0])
    assert 4096 < length < original.stat().st_size
    prefix = tmp_path / "prefix.nc"
    prefix.write_bytes(original.read_bytes()[:length])
    subprocess.run([BIN / "nccopy", "--salvage", prefix, tmp_path / "expected.nc"], capture_output=True)
    assert text(tmp_path / "left.nc") == text(tmp_path / "expected.nc")


def test_compressing_is_verified(original, tmp_path):
    twin, plain = tmp_path / "a.nc.zst", tmp_path / "b.nc.zst"
    nccopy("-k", "zst", "--verify", original, twin)
    nccopy("-k", "zst", original, plain)
    assert twin.read_bytes() == plain.read_bytes()


def test_checksums_of_the_compressed_file_cover_all(original, tmp_path):
    twin, zst, bare, gz = (tmp_path / name for name in ("twin.zst", "a.zst", "bare.zst", "a.gz"))
    nccopy("-k", "zst", original, twin)
    subprocess.run([installed("zstd"), "-q", original, "-o", zst], check=True)
    subprocess.run([installed("zstd"), "-q", "--no-check", original, "-o", bare], check=True)
    gz.write_bytes(gzip.compress(original.read_bytes()))
    for path in twin, zst, gz:
        assert ncdump("--check", path).decode().splitlines()[-1].endswith("; a checksum covers everything")
    assert "no checksum covers the header" in ncdump("--check", bare).decode()
    data = bytearray(gz.read_bytes())
    data[-8] ^= 1
    gz.write_bytes(data)
    checked = subprocess.run([BIN / "ncdump", "--check", gz], capture_output=True, text=True)
    assert checked.returncode == 1 and "no checksum covers" not in checked.stdout


def frames(path):
    """Position and length of each frame in a seekable file, and of its content."""
    data = path.read_bytes()
    count, flags, _ = struct.unpack("<IBI", data[-9:])
    size = 12 if flags & 0x80 else 8
    table = data[len(data) - 9 - count * size : -9]
    at = content = 0
    for n in range(count):
        stored, decoded = struct.unpack_from("<II", table, n * size)
        yield at, stored, content, decoded
        at, content = at + stored, content + decoded


@pytest.mark.parametrize("kind", ["NETCDF3_64BIT_OFFSET", "NETCDF4"])
def test_other_frames_are_salvaged(kind, tmp_path):
    rng = np.random.default_rng(11)
    # Records of one variable end within the slabs of another one's frame.
    shapes = {"a": (("x",), (50_000,)), "r": (("t", "x"), (12, 50_000)), "s": (("t",), (12,)), "q": (("t", "x"), (12, 50_000))}
    fields = {name: rng.normal(size=shape).astype("f4") for name, (_, shape) in shapes.items()}
    whole, twin = tmp_path / "a.nc", tmp_path / "a.nc.zst"
    with netCDF4.Dataset(whole, "w", format=kind) as dataset:
        dataset.createDimension("t", None)
        dataset.createDimension("x", 50_000)
        for name, (dims, _) in shapes.items():
            dataset.createVariable(name, "f4", dims)[:] = fields[name]
    nccopy("-k", "zst", whole, twin)
    data = twin.read_bytes()
    everything = list(frames(twin))
    for at, stored, content, decoded in everything[2:-1:5]:
        damaged = bytearray(data)
        damaged[at + stored // 2] ^= 0x55
        twin.write_bytes(damaged)
        out = tmp_path / "out.nc"
        done = subprocess.run([BIN / "nccopy", "--salvage", "--verify", "--replace", twin, out], capture_output=True, text=True)
        assert done.returncode == 3 and f"damaged Zstandard frame at byte {at}" in done.stderr, done
        lost = 0
        with netCDF4.Dataset(out) as dataset:
            dataset.set_auto_mask(False)
            for name, field in fields.items():
                found = dataset[name][:]
                other = found != field
                assert (found[other] == netCDF4.default_fillvals["f4"]).all()
                assert other.any() == (f"variable {name}: " in done.stderr)
                lost += other.sum()
        if kind == "NETCDF4":
            # A chunk is lost with any of its bytes.
            assert decoded / 4 - 100 <= lost <= decoded / 4 + 2 * 50_000
        else:
            assert decoded / 4 - 20 <= lost <= decoded / 4 + 4
