#!/usr/bin/env python3
"""Makes the files beside this script: chunks as libhdf5 and its plugins encode them.

Needs h5py (with an encoder for szip) and hdf5plugin. For each case the stored bytes go to NAME.encoded, and a line to
index.txt: name, file of the raw chunk, pipeline with its stored parameters, filter mask, "exact" where an encoder has no
choice so that equal bytes are expected. zlib_sizes.txt holds the sizes of fields, shuffled, at zlib's levels 1 to 9.
"""

import pathlib
import zlib

import h5py
import hdf5plugin  # noqa: F401  registers bzip2 and zstd
import numpy as np

HERE = pathlib.Path(__file__).parent
OPTIONAL = h5py.h5z.FLAG_OPTIONAL
rng = np.random.default_rng(20)
index = []


def datatype(dtype, precision):
    if isinstance(precision, h5py.h5t.TypeID):
        return precision
    made = h5py.h5t.py_create(np.dtype(dtype)).copy()
    if precision:
        made.set_precision(precision)
    return made


def case(name, data, filters, precision=None, mask=None):
    raw = HERE / f"{data[0]}.raw"
    values = data[1]
    raw.write_bytes(values.tobytes())
    plist = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    plist.set_chunk(values.shape)
    for number, parameters in filters:
        if number == 4:
            plist.set_szip(*parameters)
        else:
            plist.set_filter(number, 0 if number == 3 else OPTIONAL, parameters)
    with h5py.File("memory", "w", driver="core", backing_store=False) as file:
        space = h5py.h5s.create_simple(values.shape)
        dataset = h5py.h5d.create(file.id, b"d", datatype(values.dtype, precision), space, plist)
        dataset.write(h5py.h5s.ALL, h5py.h5s.ALL, values, datatype(values.dtype, precision))
        stored = dataset.get_create_plist()
        mask, encoded = dataset.read_direct_chunk((0,) * values.ndim)
        stored = [stored.get_filter(i) for i in range(stored.get_nfilters())]
    pipeline = "|".join(",".join(map(str, (f[0], *f[2]))) for f in stored)
    (HERE / f"{name}.encoded").write_bytes(encoded)
    exact = not {1, 32015} & {number for number, _ in filters}
    index.append(f"{name} {raw.name} {pipeline} {mask} {'exact' if exact else 'any'}\n")


smooth = "smooth_f4", (280 + 15 * np.sin(np.arange(1200) / 37)).astype("<f4").reshape(15, 80)
double = "walk_f8", np.cumsum(rng.normal(size=400)).astype("<f8").reshape(4, 100)
masked = "masked_f4", np.where(rng.random(1100) < 0.1, smooth[1].flat[:1100], np.float32(9.96921e36)).astype(">f4")
short = "walk_i2", np.cumsum(rng.integers(-3, 4, 1500)).astype("<i2").reshape(30, 50)
big = "burst_i2", (np.cumsum(rng.integers(-9, 10, 1500)) * (np.arange(1500) % 500 < 60)).astype(">i2").reshape(10, 150)
sparse = "sparse_u1", ((np.arange(6000) % 1999 == 7) * 3).astype("u1")
noise = "noise_u1", np.frombuffer(rng.bytes(900), "u1")
narrow = "narrow_u4", (np.cumsum(rng.integers(-40, 41, 700)) % (1 << 20)).astype("<u4")

for name, data in [("smooth", smooth), ("double", double), ("short", short)]:
    case(f"deflate_{name}", data, [(1, (5,))])
    case(f"shuffle_deflate_{name}", data, [(2, ()), (1, (9,))])
case("deflate_0", smooth, [(1, (0,))])
case("deflate_noise", noise, [(1, (6,))])
case("shuffle_f4", smooth, [(2, ())])
case("shuffle_f8", double, [(2, ())])
case("fletcher32", smooth, [(3, ())])
case("fletcher32_zero", ("zero_f8", np.zeros(50, "<f8")), [(3, ())])
case("fletcher32_shuffle_deflate", short, [(3, ()), (2, ()), (1, (4,))])
for coding, mask in [("nn", 32), ("ec", 4)]:
    for name, data in [("smooth", smooth), ("double", double), ("masked", masked), ("short", short), ("big", big)]:
        case(f"szip_{coding}_{name}", data, [(4, (mask, 32))])
        case(f"szip_{coding}_{name}_8", data, [(4, (mask, 8))])
    case(f"szip_{coding}_sparse", sparse, [(4, (mask, 16))])
    case(f"szip_{coding}_odd", short, [(4, (mask, 12))])
    case(f"szip_{coding}_narrow", narrow, [(4, (mask, 10))], precision=20)
    case(f"szip_{coding}_noise", noise, [(4, (mask, 32))])
case("fletcher32_szip", smooth, [(3, ()), (4, (32, 16))])
case("bzip2_9", smooth, [(307, (9,))])
case("bzip2_default", short, [(307, ())])
case("shuffle_bzip2_1", smooth, [(2, ()), (307, (1,))])
case("zstd_3", smooth, [(32015, (3,))])
case("zstd_default", short, [(32015, ())])
case("zstd_negative", short, [(32015, (2**32 - 5,))])
case("shuffle_zstd_19", double, [(2, ()), (32015, (19,))])


def integer(base, precision, offset):
    made = base.copy()
    made.set_precision(precision)
    made.set_offset(offset)
    return made


def compound(size, *members):
    made = h5py.h5t.create(h5py.h5t.COMPOUND, size)
    for at, (offset, member) in enumerate(members):
        made.insert(b"m%d" % at, offset, member)
    return made


def significant(name, made, *bits):
    """A chunk of 7 by 9 elements of such a type; `bits`: where it has significant ones, the first of the first byte 0."""
    noise = np.random.default_rng(len(bits)).integers(0, 2, (63, 8 * made.get_size()), dtype="u1")
    keep = np.zeros(noise.shape[1], "u1")
    for first, last in bits:
        keep[first : last + 1] = 1
    packed = np.packbits(noise * keep, axis=1).view(f"V{made.get_size()}")
    case(f"nbit_{name}", (f"nbit_{name}", packed.reshape(7, 9)), [(5, ())], precision=made)


t = h5py.h5t
# In memory a little-endian number has its lowest byte first, and of each byte the highest bit is counted first.
significant("le", integer(t.STD_I32LE, 17, 3), (0, 4), (8, 15), (20, 23))
significant("be", integer(t.STD_I32BE, 17, 3), (12, 28))
significant("full_bytes", integer(t.STD_U64BE, 24, 8), (32, 55))
significant("one_byte", integer(t.STD_U8LE, 5, 2), (1, 5))
significant("all", t.STD_I16BE, (0, 15))
real = t.IEEE_F32BE.copy()
real.set_fields(26, 20, 6, 7, 13)
real.set_offset(7)
real.set_precision(20)
real.set_size(4)
significant("float", real, (5, 24))
text = t.C_S1.copy()
text.set_size(3)
inner = compound(8, (0, integer(t.STD_I16BE, 11, 5)), (3, integer(t.STD_I32BE, 17, 3)))
tens = t.array_create(integer(t.STD_U16BE, 5, 3), (6,))
head = (0, text), (4, inner), (13, tens), (26, t.IEEE_F64LE)
front = (0, 23), (32, 42), (68, 84), *[(104 + 16 * at + 8, 104 + 16 * at + 12) for at in range(6)], (208, 271)
# Last, as libhdf5 loses what follows an array of arrays or compounds.
pairs = t.array_create(t.array_create(integer(t.STD_U16LE, 9, 0), (2,)), (2,))
significant("arrays", compound(45, *head, (36, pairs)), *front, *[
    bits for at in range(288, 352, 16) for bits in ((at, at + 7), (at + 15, at + 15))
])
inners = t.array_create(inner, (2,))
significant("compounds", compound(51, *head, (34, inners)), *front, (272, 282), (308, 324), (336, 346), (372, 388))
(HERE / "index.txt").write_text("".join(index))


def waves(size, slope):
    """A field with structure at all scales, in float32."""
    shape = size, size // 2 + 1
    field = rng.normal(size=shape) + 1j * rng.normal(size=shape)
    scale = np.hypot(np.fft.fftfreq(size)[:, None], np.fft.rfftfreq(size)[None, :])
    scale[0, 0] = 1
    field = np.fft.irfft2(field * scale**-slope, s=(size, size))
    return (280 + 15 * field / field.std()).astype("<f4")


field = waves(150, 2.2)
# A small chunk of a smoother one with eleven bits of mantissa: half of its bytes are zero.
rounded = ((waves(300, 2.6).view("<u4") + 0x800) & 0xFFFFF000).flat[:4096].astype("<u4")
lines = []
for name, values in [("field", field), ("rounded", rounded)]:
    (HERE / f"{name}.raw").write_bytes(values.tobytes())
    shuffled = np.frombuffer(values.tobytes(), "u1").reshape(-1, 4).T.tobytes()
    sizes = [str(len(zlib.compress(shuffled, level))) for level in range(1, 10)]
    lines.append(f"{name}.raw {' '.join(sizes)}\n")
(HERE / "zlib_sizes.txt").write_text("".join(lines))
