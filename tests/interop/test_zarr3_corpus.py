"""Zarr version 3 as zarr-python, xarray and tensorstore write it, and shards made by hand: our programs read the same values."""

import json
import math
import subprocess

import h5py
import numpy as np
import pytest
from conftest import BIN, CORPUS, nccopy, ncdump, needs_corpus

FOLDER = CORPUS / "zarr-v3"
STORES = sorted(
    str(path.relative_to(FOLDER))
    for pattern in ("*/*.zarr", "*/*.zarr.zip")
    for path in FOLDER.glob(pattern)
    if path.parent.name != "hand"
)
HAND = sorted(path.stem for path in FOLDER.glob("hand/*.zarr"))
# What the message of an error names where it is not the key of the shard.
NAMED = {
    # The codecs of the chunk judge it, and they know no key.
    "empty_chunk_present": "variable data: chunk [1]:",
    # netCDF-4 lacks the codec, whatever is stored.
    "unknown_codec": "variable data:",
    "chunk_shape_does_not_divide": "zarr.json",
    "index_compressed": "zarr.json",
    "unknown_member": "zarr.json",
    "storage_transformer": "zarr.json",
    "fill_null": "zarr.json",
}

pytestmark = needs_corpus


def plain(value):
    """A value as the samples' JSON has it: numbers, bytes in hexadecimal, complex numbers in pairs."""
    if isinstance(value, np.void) and value.dtype.names is None:
        return value.tobytes().hex()
    if isinstance(value, np.void) and value.dtype.names == ("r", "i"):
        return [plain(value["r"]), plain(value["i"])]
    if isinstance(value, np.void):
        return {name: plain(value[name]) for name in value.dtype.names}
    if isinstance(value, np.ndarray):
        return [plain(v) for v in value]
    if isinstance(value, bytes):
        return value.decode()
    if isinstance(value, (complex, np.complexfloating)):
        return [plain(value.real), plain(value.imag)]
    if isinstance(value, (float, np.floating)):
        value = float(value)
        if math.isnan(value):
            return "NaN"
        return value if math.isfinite(value) else ("Infinity" if value > 0 else "-Infinity")
    return value.item() if isinstance(value, np.generic) else value


def same(found, wanted):
    if isinstance(wanted, list) and isinstance(found, list):
        return len(found) == len(wanted) and all(same(f, w) for f, w in zip(found, wanted))
    if isinstance(wanted, dict):
        return isinstance(found, dict) and all(same(found.get(k), w) for k, w in wanted.items())
    if isinstance(wanted, bool):
        return found == int(wanted)
    if isinstance(wanted, str) and isinstance(found, str) and found != wanted:
        # Bytes of text are hexadecimal in the samples.
        return found.encode().hex() == wanted
    return found == wanted


def arrays(sample, path=""):
    for name, array in sample.get("arrays", {}).items():
        yield f"{path}{name}", array
    for name, group in sample.get("groups", {}).items():
        yield from arrays(group, f"{path}{name}/")


@pytest.mark.parametrize("store", STORES)
def test_every_array_reads_as_its_writer_says(store, tmp_path):
    path = FOLDER / store
    sample = json.loads((FOLDER / (store.split(".zarr")[0] + ".json")).read_text())
    target = tmp_path / "ours.nc"
    said = nccopy("-F", "none", path, target)
    lines, seen = [], 0
    with h5py.File(target) as file:
        for name, array in arrays(sample):
            if store.endswith(".zip") and name not in ("end", "start"):
                continue
            seen += 1
            if name not in file:
                # No array of the samples has a data type or codec that may be left out.
                lines.append(f"{name} is missing: {said}")
                continue
            found = plain(file[name][()])
            if not same(found, array["values"]):
                lines.append(f"{name}: got {str(found)[:300]}, expected {str(array['values'])[:300]}")
    assert seen and not lines, "\n".join(lines)


@pytest.mark.parametrize("name", HAND)
def test_shards_made_by_hand(name, tmp_path):
    wanted = json.loads((FOLDER / "hand" / "expected.json").read_text())[name]
    path = FOLDER / "hand" / f"{name}.zarr"
    target = tmp_path / "out.nc"
    flags = [] if wanted == "error" else ["-F", "none"]
    done = subprocess.run([BIN / "nccopy", *flags, path, target], capture_output=True, text=True, timeout=60)
    assert "panicked" not in done.stderr
    if wanted == "header":
        assert b"4611686018427387904" in ncdump("-h", path)
        return
    if wanted == "error":
        assert done.returncode == 1 and done.stderr.startswith("nccopy: "), done
        assert len(done.stderr.splitlines()) == 1, done.stderr
        assert f" {NAMED.get(name, 'key c/0:')}" in done.stderr, done.stderr
        assert not target.exists()
        shown = subprocess.run([BIN / "ncdump", path], capture_output=True, text=True, timeout=60)
        assert shown.returncode == 1 and "panicked" not in shown.stderr
        return
    assert done.returncode == 0, done.stderr
    with h5py.File(target) as file:
        (found,) = (plain(item[()]) for item in file.values() if "_Netcdf4Dimid" not in item.attrs)
    assert same(found, wanted), found
