#!/usr/bin/env python3
"""Makes the chunks of scale-offset (filter 6) beside this script, as libhdf5 encodes them. Run it after make.py, which writes
index.txt anew: this script adds its own lines.

Needs h5py. D-scaling loses digits. So its chunks are made of fields that libhdf5 decoded from such chunks; the script checks that
libhdf5 gives them back without a change.
"""

import pathlib

import h5py
import numpy as np

HERE = pathlib.Path(__file__).parent
rng = np.random.default_rng(6)
lines = []


def stored(values, factor, fill):
    plist = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    plist.set_chunk(values.shape)
    plist.set_filter(6, h5py.h5z.FLAG_OPTIONAL, (2 if values.dtype.kind in "iu" else 0, factor % 2**32))
    if fill is not None:
        plist.set_fill_value(np.array(fill, values.dtype))
    with h5py.File("memory", "w", driver="core", backing_store=False) as file:
        made = h5py.h5t.py_create(values.dtype)
        dataset = h5py.h5d.create(file.id, b"d", made, h5py.h5s.create_simple(values.shape), plist)
        dataset.write(h5py.h5s.ALL, h5py.h5s.ALL, values)
        # This also takes the chunk out of the library's cache, so that it is decoded when it is read.
        mask, encoded = dataset.read_direct_chunk((0,) * values.ndim)
        assert mask == 0
        back = np.empty_like(values)
        dataset.read(h5py.h5s.ALL, h5py.h5s.ALL, back)
        return dataset.get_create_plist().get_filter(0)[2], encoded, back


def case(name, values, factor=0, fill=None):
    name = f"scaleoffset_{name}"
    if values.dtype.kind == "f":
        values = stored(values, factor, fill)[2]
    parameters, encoded, back = stored(values, factor, fill)
    assert back.tobytes() == values.tobytes(), name
    (HERE / f"{name}.raw").write_bytes(values.tobytes())
    (HERE / f"{name}.encoded").write_bytes(encoded)
    lines.append(f"{name} {name}.raw {','.join(map(str, (6, *parameters)))} 0 exact\n")


walk = np.cumsum(rng.integers(-9, 10, 315)).reshape(9, 35)
for kind in "u1", "<i2", ">u4", ">i8":
    case(kind.strip("<>"), (walk % 50 + 100).astype(kind))
    case(f"{kind.strip('<>')}_filled", np.where(walk % 7 == 0, 99, walk % 50 + 100).astype(kind), fill=99)
case("negative", (walk - 40000).astype(">i4"), fill=-40000)
case("same", np.full((9, 35), -3, "<i4"), fill=-9)
case("fill", np.full((9, 35), -9, "<i4"), fill=-9)
case("wide", rng.integers(-(2**15), 2**15, (9, 35)).astype(">i2"))
case("bits", (walk % 50 + 1).astype("<u2"), factor=9)
case("all_bits", walk.astype(">i4"), factor=32)
wave = 280 + 15 * np.sin(np.arange(315) / 37).reshape(9, 35)
case("f4", wave.astype("<f4"), factor=2)
case("f4_filled", np.where(walk % 7 == 0, 9.96921e36, wave).astype(">f4"), factor=3, fill=9.96921e36)
case("f8", wave.astype(">f8"), factor=5, fill=-1)
case("f8_tens", (wave * 1e6).astype("<f8"), factor=-2, fill=-1)
case("f4_same", np.full((9, 35), 1.5, "<f4"), factor=2)
case("f4_wide", (wave * 1e20).astype(">f4"), factor=2)
index = HERE / "index.txt"
others = [line for line in index.read_text().splitlines(keepends=True) if not line.startswith("scaleoffset_")]
index.write_text("".join(others + lines))
