"""The reference's side of `cargo xtask bench filters`: encodes and decodes chunks with the C libraries behind h5py and hdf5plugin,
and with numcodecs.

    python filters.py FOLDER

FOLDER has the files of make.py. Standard input has requests, one a line; each is answered with one line of JSON.

    count               the number of cases
    name NUMBER         the filter of a case
    case NUMBER         begins a case: writes its chunk, the stream made of it, and the decoded stream to FOLDER
    encode SECONDS      [fastest call in seconds, length of the stream]
    decode SECONDS      the same for decoding the stream
    check               decodes the stream in FOLDER/ours.bin to FOLDER/check.bin

A filter of HDF5 is called as libhdf5 calls it, by the address in its H5Z_class2_t, with the parameters that its set_local
stores. Such a function frees its input, so each call gets a copy, which is made before the clock starts.
"""

import ctypes
import json
import os
import pathlib
import sys
import time

os.environ |= {"BLOSC_NTHREADS": "1", "OMP_NUM_THREADS": "1"}
os.environ.pop("HDF5_PLUGIN_PATH", None)

import h5py
import hdf5plugin
import numcodecs
import numpy as np

LIBC = ctypes.CDLL(None)
LIBC.malloc.restype = ctypes.c_void_p
LIBC.malloc.argtypes = [ctypes.c_size_t]
LIBC.free.argtypes = [ctypes.c_void_p]
# Buffers of a chunk come from the heap, which keeps its pages.
M_MMAP_THRESHOLD, M_TRIM_THRESHOLD = -3, -1
LIBC.mallopt(M_MMAP_THRESHOLD, 32 << 20)
LIBC.mallopt(M_TRIM_THRESHOLD, 1 << 30)

FUNCTION = ctypes.CFUNCTYPE(
    ctypes.c_size_t, ctypes.c_uint, ctypes.c_size_t, ctypes.POINTER(ctypes.c_uint), ctypes.c_size_t,
    ctypes.POINTER(ctypes.c_size_t), ctypes.POINTER(ctypes.c_void_p),
)  # fmt: skip
REVERSE = 0x0100


class FilterClass(ctypes.Structure):
    """H5Z_class2_t."""

    _fields_ = [
        ("version", ctypes.c_int), ("id", ctypes.c_int), ("encoder_present", ctypes.c_uint), ("decoder_present", ctypes.c_uint),
        ("name", ctypes.c_char_p), ("can_apply", ctypes.c_void_p), ("set_local", ctypes.c_void_p), ("filter", ctypes.c_void_p),
    ]  # fmt: skip


def libhdf5():
    """The library that h5py has loaded."""
    with open("/proc/self/maps") as maps:
        paths = {line.split()[-1] for line in maps if "/h5py.libs/libhdf5-" in line or "/libhdf5.so" in line}
    return ctypes.CDLL(sorted(paths)[0])


class Hdf5:
    """A filter of HDF5."""

    def __init__(self, array, options, prepare=None):
        """`options` are those of `create_dataset`. Or `prepare` makes the type and the property list."""
        with h5py.File("memory", "w", driver="core", backing_store=False, libver="v108") as file:
            if prepare:
                kind, plist = prepare(array)
                space = h5py.h5s.create_simple(array.shape)
                made = h5py.Dataset(h5py.h5d.create(file.id, b"v", kind, space, plist))
            else:
                made = file.create_dataset("v", shape=array.shape, dtype=array.dtype, chunks=array.shape, **options)
            (self.id, _, self.parameters, _) = made.id.get_create_plist().get_filter(0)
        found = ctypes.POINTER(FilterClass)()
        if LIBRARY.H5Z_find(True, self.id, ctypes.byref(found)) < 0 or not found:
            raise RuntimeError(f"libhdf5 has no filter {self.id}")
        self.filter = FUNCTION(found.contents.filter)
        self.words = (ctypes.c_uint * max(len(self.parameters), 1))(*self.parameters)

    def ours(self):
        return {"id": self.id, "parameters": list(self.parameters)}

    def call(self, flags, data):
        """The time of one call, and what it made."""
        buffer = ctypes.c_void_p(LIBC.malloc(len(data)))
        ctypes.memmove(buffer, data, len(data))
        size, words = ctypes.c_size_t(len(data)), len(self.parameters)
        size_at, buffer_at = ctypes.byref(size), ctypes.byref(buffer)
        begun = time.process_time_ns()
        made = self.filter(flags, words, self.words, len(data), size_at, buffer_at)
        spent = time.process_time_ns() - begun
        if made == 0:
            raise RuntimeError(f"filter {self.id} failed")
        return spent, made, buffer

    def run(self, flags, data):
        _, made, buffer = self.call(flags, data)
        out = ctypes.string_at(buffer, made)
        LIBC.free(buffer)
        return out

    def timed(self, flags, data):
        spent, made, buffer = self.call(flags, data)
        LIBC.free(buffer)
        return spent, made

    def begin(self, array):
        self.data = array.tobytes()
        self.stream = self.run(0, self.data)
        return self.stream, self.run(REVERSE, self.stream)

    def encode(self):
        return self.timed(0, self.data)

    def decode(self):
        return self.timed(REVERSE, self.stream)

    def check(self, stream):
        return self.run(REVERSE, stream)


def as_bytes(data):
    return data.tobytes() if isinstance(data, np.ndarray) else bytes(data)


class Numcodecs:
    """A codec of numcodecs, by Python calls. Where decoding returns its own input, it is told to fill an array instead."""

    def __init__(self, codec, fills=False, config=None):
        self.codec, self.fills, self.config = codec, fills, config

    def ours(self):
        config = self.config or self.codec.get_config()
        return {"codec": {name: value for name, value in config.items() if value is not None}}

    def typed(self, stream):
        # What bytes are does not tell the type to a codec without a type in its configuration.
        return np.frombuffer(stream, self.array.dtype) if self.codec.codec_id == "bitround" else stream

    def begin(self, array):
        self.array, self.out = array.ravel(), np.empty_like(array).ravel()
        self.stream = self.typed(as_bytes(self.codec.encode(self.array)))
        return as_bytes(self.stream), as_bytes(self.codec.decode(self.stream))

    def encode(self):
        begun = time.process_time_ns()
        made = self.codec.encode(self.array)
        return time.process_time_ns() - begun, memoryview(made).nbytes

    def decode(self):
        begun = time.process_time_ns()
        if self.fills:
            self.codec.decode(self.stream, out=self.out)
        else:
            self.codec.decode(self.stream)
        return time.process_time_ns() - begun, self.array.nbytes

    def check(self, stream):
        return as_bytes(self.codec.decode(self.typed(stream)))


class Transpose:
    """zarr-python has numpy do it."""

    def ours(self):
        return {"codec": {"name": "transpose", "configuration": {"order": [1, 0]}}}

    def begin(self, array):
        self.array, self.turned = array, np.ascontiguousarray(array.T)
        return self.turned.tobytes(), array.tobytes()

    def timed(self, array):
        begun = time.process_time_ns()
        made = np.ascontiguousarray(array.T)
        return time.process_time_ns() - begun, made.nbytes

    def encode(self):
        return self.timed(self.array)

    def decode(self):
        return self.timed(self.turned)

    def check(self, stream):
        return np.ascontiguousarray(np.frombuffer(stream, self.array.dtype).reshape(self.turned.shape).T).tobytes()


def field(folder, name, rows):
    with h5py.File(folder / name) as file:
        return file["t2m"][0, :rows]


def chunks(folder):
    """The chunks, each of about 1 MB."""
    lat, lon = np.mgrid[0:361, 0:720]
    smooth = 280 + 20 * np.sin(lat / 40) * np.cos(lon / 60) + 3 * np.sin(lat * lon / 5000)
    noisy = field(folder, "noisy4.nc", 361)
    made = {
        "noisy f4": noisy,
        "smooth f4": (np.round(smooth * 64) / 64).astype("<f4"),
        "noisy f8": field(folder, "noisy8.nc", 180),
        "i4": np.round(smooth * 1000).astype("<i4"),
        "i2": np.round(np.repeat(smooth, 2, 0) * 100 - 28000).astype("<i2"),
        "u1": np.round(np.repeat(smooth, 4, 0) - 200).astype("u1"),
        "12 bytes": noisy.reshape(-1, 3).view([("a", "<f4"), ("b", "<f4"), ("c", "<f4")]).reshape(361, 240),
        "bool": np.repeat(smooth, 4, 0) > 280,
    }
    for name in "noisy f4", "smooth f4":
        made[f"{name} shuffled"] = np.ascontiguousarray(made[name].reshape(-1, 1).view("u1").T).reshape(361, -1)
    return made


def n_bit(array):
    """The n-bit filter on integers of 20 bits."""
    kind = h5py.h5t.NATIVE_INT32.copy()
    kind.set_precision(20)
    plist = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    plist.set_chunk(array.shape)
    plist.set_filter(h5py.h5z.FILTER_NBIT, h5py.h5z.FLAG_OPTIONAL)
    return kind, plist


def cases():
    """Name, chunk, and how the reference is made for the chunk."""
    both, pairs = ["noisy f4 shuffled", "smooth f4 shuffled"], []

    def hdf5(name, data, **options):
        for chunk in data:
            pairs.append((name, chunk, lambda array: Hdf5(array, options)))

    def zarr(name, data, codec, **how):
        for chunk in data:
            pairs.append((name, chunk, lambda array: Numcodecs(codec, **how)))

    for level in 1, 5, 9:
        hdf5(f"deflate {level}", both, compression="gzip", compression_opts=level)
    hdf5("deflate 5", ["smooth f4"], compression="gzip", compression_opts=5)
    hdf5("shuffle", ["noisy f4", "noisy f8", "i2", "12 bytes"], shuffle=True)
    hdf5("fletcher32", ["noisy f4"], fletcher32=True)
    hdf5("szip nn 16", ["noisy f4", "smooth f4", "i4", "i2"], compression="szip", compression_opts=("nn", 16))
    hdf5("szip ec 16", ["smooth f4", "i4"], compression="szip", compression_opts=("ec", 16))
    pairs.append(("nbit 20", "i4", lambda array: Hdf5(array, {}, n_bit)))
    hdf5("scaleoffset", ["i4", "i2"], scaleoffset=0)
    hdf5("scaleoffset 2", ["noisy f4", "noisy f8"], scaleoffset=2)
    hdf5("bzip2 9", both, **hdf5plugin.BZip2(9))
    hdf5("lzf", [*both, "smooth f4"], compression="lzf")
    for compressor in "blosclz", "lz4", "lz4hc", "zlib", "zstd":
        hdf5(f"blosc {compressor} 5 shuffle", ["noisy f4", "smooth f4"], **hdf5plugin.Blosc(compressor, 5, 1))
    hdf5("blosc lz4 5 bitshuffle", ["noisy f4", "smooth f4"], **hdf5plugin.Blosc("lz4", 5, 2))
    hdf5("lz4", [*both, "smooth f4"], **hdf5plugin.LZ4())
    hdf5("bitshuffle", ["noisy f4", "noisy f8", "i2", "u1", "12 bytes"], **hdf5plugin.Bitshuffle(cname="none"))
    hdf5("bitshuffle lz4", ["noisy f4", "smooth f4"], **hdf5plugin.Bitshuffle(cname="lz4"))
    hdf5("bitshuffle zstd 3", ["noisy f4", "smooth f4"], **hdf5plugin.Bitshuffle(cname="zstd", clevel=3))
    for precision in {"rate": 8}, {"accuracy": 0.01}:
        hdf5("zfp " + " ".join(precision), ["noisy f4", "smooth f4"], **hdf5plugin.Zfp(**precision))
    for level in 1, 3, 9:
        hdf5(f"zstd {level}", both, **hdf5plugin.Zstd(level))
    zarr("adler32", ["noisy f4"], numcodecs.Adler32(), fills=True)
    zarr("crc32", ["noisy f4"], numcodecs.CRC32(), fills=True)
    zarr("crc32c", ["noisy f4"], numcodecs.checksum32.CRC32C(), fills=True)
    zarr("astype f4", ["noisy f8"], numcodecs.AsType("<f4", "<f8"))
    zarr("bitround 10", ["noisy f4"], numcodecs.BitRound(10), fills=True)
    zarr("bitround 10", ["noisy f8"], numcodecs.BitRound(10), fills=True)
    zarr("delta", ["i4"], numcodecs.Delta("<i4"))
    zarr("delta", ["i2"], numcodecs.Delta("<i2"))
    zarr("fixedscaleoffset i2", ["noisy f4"], numcodecs.FixedScaleOffset(280, 100, "<f4", "<i2"))
    zarr("gzip 5", both, numcodecs.GZip(5))
    zarr("lz4 of Zarr", both, numcodecs.LZ4())
    zarr("lzma 1", both, numcodecs.LZMA(preset=1))
    zarr("packbits", ["bool"], numcodecs.PackBits())
    zarr("quantize 3", ["noisy f4"], numcodecs.Quantize(3, "<f4"), fills=True)
    zarr("quantize 3", ["noisy f8"], numcodecs.Quantize(3, "<f8"), fills=True)
    pairs.append(("transpose", "noisy f4", lambda array: Transpose()))
    return pairs


def fastest(call, seconds):
    """The fastest of as many calls as begin within some seconds, at least two."""
    times, end = [], time.monotonic() + seconds
    while len(times) < 2 or time.monotonic() < end:
        spent, length = call()
        times.append(spent)
    return [min(times) / 1e9, length]


def main():
    folder = pathlib.Path(sys.argv[1])
    made, all_cases, reference = chunks(folder), cases(), None
    for line in sys.stdin:
        match line.split():
            case ["count"]:
                answer = len(all_cases)
            case ["name", number]:
                answer = all_cases[int(number)][0]
            case ["case", number]:
                name, chunk, make = all_cases[int(number)]
                array = made[chunk]
                reference = make(array)
                stream, decoded = reference.begin(array)
                for file, content in ("chunk", array.tobytes()), ("theirs", stream), ("decoded", decoded):
                    (folder / f"{file}.bin").write_bytes(content)
                kind = array.dtype.kind, array.dtype.itemsize
                answer = {"name": name, "chunk": chunk, "kind": kind, "shape": array.shape, **reference.ours()}
            case ["encode", seconds]:
                answer = fastest(reference.encode, float(seconds))
            case ["decode", seconds]:
                answer = fastest(reference.decode, float(seconds))
            case ["check"]:
                (folder / "check.bin").write_bytes(reference.check((folder / "ours.bin").read_bytes()))
                answer = True
        print(json.dumps(answer), flush=True)


LIBRARY = libhdf5()
numcodecs.blosc.use_threads = False
if __name__ == "__main__":
    main()
