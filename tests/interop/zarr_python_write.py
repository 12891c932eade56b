"""Writes Zarr version 2 hierarchies through zarr-python (2 or 3, by `PYTHONPATH`) or xarray.

    python zarr_python_write.py NAME PATH

`NAME` is a function below that makes a hierarchy at `PATH`: a folder, or a zip if the path ends so.
"""

import lzma
import pathlib
import sys
import warnings

import numcodecs
import numpy as np

warnings.simplefilter("ignore")

LZMA_RAW = [{"id": lzma.FILTER_DELTA, "dist": 4}, {"id": lzma.FILTER_LZMA2, "preset": 1}]

# Name: dtype, filters, compressor.
CODECS = {
    "none": ("<i4", [], None),
    "zlib": ("<i4", [], numcodecs.Zlib(6)),
    "gzip": ("<i4", [], numcodecs.GZip(5)),
    "bz2": ("<i4", [], numcodecs.BZ2(5)),
    "lzma": ("<i4", [], numcodecs.LZMA()),
    "lzma_raw": ("<i4", [], numcodecs.LZMA(format=lzma.FORMAT_RAW, filters=LZMA_RAW)),
    "lz4": ("<i4", [], numcodecs.LZ4()),
    "zstd": ("<f8", [], numcodecs.Zstd(3)),
    "zstd_checked": ("<f8", [], numcodecs.Zstd(3, checksum=True)),
    **{
        f"blosc_{name}_{shuffle}": ("<f4", [], numcodecs.Blosc(name, 5, shuffle))
        for name in ("blosclz", "lz4", "lz4hc", "zlib", "zstd")
        for shuffle in (0, 1, 2)
    },
    "blosc_auto": ("|u1", [], numcodecs.Blosc("lz4", 5, numcodecs.Blosc.AUTOSHUFFLE)),
    "blosc_blocks": (">i8", [], numcodecs.Blosc("zstd", 3, 1, blocksize=256)),
    "shuffle": ("<i2", [numcodecs.Shuffle(2)], None),
    "shuffle_zlib": (">f8", [numcodecs.Shuffle(8)], numcodecs.Zlib(1)),
    "fletcher32": ("<i4", [numcodecs.Fletcher32()], None),
    "shuffle_fletcher32_zlib": ("<i4", [numcodecs.Shuffle(4), numcodecs.Fletcher32()], numcodecs.Zlib(1)),
    "delta": ("<i4", [numcodecs.Delta("<i4")], None),
    "delta_narrow": ("<i4", [numcodecs.Delta("<i4", "<i2")], numcodecs.Zstd(1)),
    "fixedscaleoffset": ("<f8", [numcodecs.FixedScaleOffset(10, 10, "<f8", "<i2")], numcodecs.Zlib(1)),
    "quantize": ("<f4", [numcodecs.Quantize(2, "<f4")], numcodecs.Zlib(1)),
    "bitround": ("<f4", [numcodecs.BitRound(7)], numcodecs.Zlib(1)),
    "astype": ("<i8", [numcodecs.AsType("<i2", "<i8")], None),
    "packbits": ("|b1", [numcodecs.PackBits()], None),
    "crc32": ("<i4", [numcodecs.CRC32()], None),
    "crc32_end": ("<i4", [], numcodecs.CRC32(location="end")),
    "adler32": ("<i4", [numcodecs.Adler32()], None),
}
if hasattr(numcodecs.checksum32, "CRC32C"):
    CODECS["crc32c"] = ("<i4", [numcodecs.checksum32.CRC32C()], None)

TEXTS = ["alpha", "", "größe 温度", "a longer text of many words", "e"]


def values(dtype, *shape):
    count = int(np.prod(shape))
    numbers = np.arange(count) * 7 % 113
    if np.dtype(dtype).kind == "f":
        numbers = numbers / 8
    if np.dtype(dtype).kind == "b":
        numbers = numbers % 3 == 0
    return numbers.astype(dtype).reshape(shape)


class Writer:
    """What both versions of zarr-python share."""

    def __init__(self, path):
        import zarr

        self.zarr = zarr
        self.three = int(zarr.__version__.split(".")[0]) >= 3
        zipped = path.endswith(".zip")
        if self.three:
            self.store = zarr.storage.ZipStore(path, mode="w") if zipped else zarr.storage.LocalStore(path)
        else:
            self.store = zarr.ZipStore(path, mode="w") if zipped else zarr.DirectoryStore(path)

    def group(self, name="", **attributes):
        options = {"zarr_format": 2} if self.three else {}
        made = self.zarr.open_group(self.store, path=name, mode="a", **options)
        made.attrs.update(attributes)
        return made

    def array(self, name, data, chunks, filters=(), compressor=None, separator=None, object_codec=None, **options):
        data = np.asarray(data)
        dims = options.pop("dims", None)
        fill = options.pop("fill_value", 0 if data.dtype.kind in "iufb" else None)
        write = options.pop("write", ...)
        if self.three:
            array = self.zarr.create_array(
                self.store, name=name or None, shape=data.shape, dtype=options.pop("dtype", data.dtype), chunks=chunks, zarr_format=2,
                filters=list(filters) or None, compressors=compressor, fill_value=fill, order=options.pop("order", "C"),
                chunk_key_encoding={"name": "v2", "separator": separator or "."},
            )
        else:
            array = self.zarr.create(
                data.shape, store=self.store, path=name, dtype=options.pop("dtype", data.dtype), chunks=chunks, filters=list(filters) or None,
                compressor=compressor, fill_value=fill, order=options.pop("order", "C"), dimension_separator=separator,
                object_codec=object_codec,
            )
        assert not options, options
        if data.size:
            array[write] = data[write]
        if dims is not None:
            array.attrs["_ARRAY_DIMENSIONS"] = dims
        return array

    def close(self):
        if hasattr(self.store, "close"):
            self.store.close()


def writes(function):
    def make(path):
        writer = Writer(path)
        function(writer)
        writer.close()

    return make


@writes
def codecs(w):
    w.group()
    for name, (dtype, filters, compressor) in CODECS.items():
        w.array(name, values(dtype, 50, 9), (20, 4), filters, compressor)


@writes
def dtypes(w):
    w.group()
    for order in "<>":
        for kind in "i2", "i4", "i8", "u2", "u4", "u8", "f4", "f8":
            w.array(f"{kind}_{'little' if order == '<' else 'big'}", values(order + kind, 5, 7), (2, 3), compressor=numcodecs.Zlib(1))
    for dtype in "|i1", "|u1":
        w.array(dtype[1:], values(dtype, 5, 7), (2, 3))
    w.array("bool", values("|b1", 5, 7), (2, 3))
    w.array("half", np.array([0, 0.5, -2, 65504, np.nan, np.inf], "<f2"), (4,))
    w.array("half_big", np.array([0, 0.5, -2, 65504, np.nan, np.inf], ">f2"), (4,))
    texts = np.array(TEXTS)
    w.array("unicode", texts.astype("<U30"), (2,), fill_value="")
    w.array("unicode_big", texts.astype(">U30"), (2,), fill_value="")
    w.array("bytes", np.array([t.encode() for t in TEXTS], "S40"), (2,), fill_value=b"")
    if w.three:
        w.array("objects", np.array(TEXTS, object), (2,), [numcodecs.VLenUTF8()], dtype=str, fill_value="")
    else:
        w.array("objects", np.array(TEXTS, object), (2,), dtype=object, object_codec=numcodecs.VLenUTF8(), compressor=numcodecs.Zstd(1))
    for name, value in ("nan", np.nan), ("inf", np.inf), ("minus_inf", -np.inf), ("tenth", 0.1):
        w.array(f"fill_{name}", np.zeros(5), (2,), fill_value=value, write=slice(0, 2))
    w.array("fill_large", np.zeros(5, "u8"), (2,), fill_value=2**64 - 1, write=slice(0, 2))
    w.array("fill_none", np.arange(5), (2,), fill_value=None)


@writes
def unsupported(w):
    w.group(title="records, complex numbers and times")
    w.array("records", np.zeros(3, [("a", "<i4"), ("b", "<f8")]), (3,), fill_value=None)
    w.array("complex", np.arange(3).astype("<c16"), (3,), fill_value=0)
    w.array("times", np.arange(3).astype("<M8[s]"), (3,), fill_value=None)
    w.array("numbers", np.arange(3), (3,))


@writes
def layouts(w):
    w.group(title="layouts", numbers=[1, 2], nested={"a": [1, None]}, flag=True, nothing=None, large=2**63, mixed=[1, "a"], strings=["a", "b"])
    w.array("order_f", values("<i4", 5, 6, 7), (2, 4, 3), order="F", compressor=numcodecs.Zlib(1))
    w.array("order_f_shuffled", values("<i4", 5, 6), (2, 4), [numcodecs.Shuffle(4)], order="F")
    w.array("slashes", values("<i4", 5, 6, 7), (2, 4, 3), separator="/")
    w.array("dots", values("<i4", 5, 6, 7), (2, 4, 3), separator=".")
    w.array("scalar", np.array(42, "<i4"), ())
    w.array("empty", np.zeros((0, 4), "<i4"), (1, 4))
    w.array("missing", values("<i4", 50, 4), (10, 4), fill_value=-5, write=slice(20, 25))
    w.array("long_chunks", values("<i4", 3, 4), (10, 10), compressor=numcodecs.Blosc())
    w.group("one", note="group of one")
    w.array("one/x", values("<f4", 4), (4,), dims=["x"])
    w.array("one/two/field", values("<f4", 3, 4), (3, 4), dims=["y", "x"])
    w.array("one/two/other", values("<f4", 3, 4), (3, 4), dims=["y", "x"])
    w.array("one/two/wrong", values("<f4", 2, 4), (2, 4), dims=["y", "x"])


@writes
def root_array(w):
    w.array("", values("<i4", 6, 4), (4, 4), dims=["y", "x"], compressor=numcodecs.Zlib(1))


def no_root(path):
    layouts(path)
    (pathlib.Path(path) / ".zgroup").unlink()
    (pathlib.Path(path) / ".zattrs").unlink()


def dataset():
    import xarray

    times = np.array("2020-01-01", "M8[ns]") + np.arange(4) * np.timedelta64(6, "h")
    data = xarray.Dataset(
        {
            "packed": (("time", "x"), np.array([[1.5, np.nan, 3.5], [0, 0.5, 1]] * 2), {"units": "K"}),
            "plain": (("time", "x"), np.arange(12, dtype="i4").reshape(4, 3)),
            "names": (("x",), np.array(["one", "größe", ""], object)),
            "fixed": (("x",), np.array([b"ab", b"c", b""], "S2")),
            "flags": (("x",), np.array([True, False, True])),
            "scalar": ((), 3.25),
        },
        coords={"time": times, "x": [10.0, 20.0, 30.0]},
        attrs={"title": "made by xarray", "levels": [1, 2, 3], "ratio": 0.25},
    )
    data["packed"].encoding = {"dtype": "int16", "scale_factor": 0.5, "add_offset": 10.0, "_FillValue": -999, "chunks": (2, 3)}
    data["time"].encoding = {"units": "hours since 2020-01-01", "dtype": "int64"}
    return data


def by_xarray(path, consolidated=True):
    if path.endswith(".zip"):
        import zarr

        with zarr.storage.ZipStore(path, mode="w") as store:
            dataset().to_zarr(store, mode="w", zarr_format=2, consolidated=consolidated)
    else:
        dataset().to_zarr(path, mode="w", zarr_format=2, consolidated=consolidated)
        dataset().isel(time=slice(0, 2)).to_zarr(path, group="inner/deep", mode="a", zarr_format=2, consolidated=False)


def by_xarray_unconsolidated(path):
    by_xarray(path, consolidated=False)


if __name__ == "__main__":
    globals()[sys.argv[1]](sys.argv[2])
