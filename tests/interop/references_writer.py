"""Writes references of netCDF files by kerchunk, VirtualiZarr or Icechunk.

    python references_writer.py kerchunk-json SOURCE TARGET          also kerchunk-parquet, kerchunk-classic
    python references_writer.py virtualizarr-json SOURCE TARGET      also virtualizarr-parquet
    python references_writer.py parquet-again OPTIONS TARGET         the files of TARGET with other options of fastparquet
    python references_writer.py icechunk SOURCE TARGET               virtual chunks of SOURCE, and native, inline and missing ones
    python references_writer.py icechunk-history - TARGET            branches, a tag and snapshots

Prints JSON: what a test needs to know of the target.
"""

import json
import os
import pathlib
import sys

import numpy as np


def kerchunk_references(source, classic=False):
    if classic:
        from kerchunk.netCDF3 import NetCDF3ToZarr

        return NetCDF3ToZarr(str(source), inline_threshold=30).translate()
    from kerchunk.hdf import SingleHdf5ToZarr

    return SingleHdf5ToZarr(str(source), inline_threshold=100).translate()


def kerchunk_json(source, target):
    target.write_text(json.dumps(kerchunk_references(source)))


def kerchunk_classic(source, target):
    target.write_text(json.dumps(kerchunk_references(source, classic=True)))


def kerchunk_parquet(source, target):
    from kerchunk.df import refs_to_dataframe

    target.mkdir()
    refs_to_dataframe(kerchunk_references(source), str(target), record_size=7)


def parquet_again(options, target):
    """Writes all files of a folder of references again, with other options of fastparquet."""
    if options.pop("pages", 1) == 2:
        os.environ["FASTPARQUET_DATAPAGE_V2"] = "1"
    import fastparquet

    of_category = options.pop("category", False)
    count = 0
    for path in target.rglob("*.parq"):
        table = fastparquet.ParquetFile(str(path)).to_pandas()
        if of_category:
            table["path"] = table["path"].astype("category")
        fastparquet.write(str(path), table, object_encoding={"path": "utf8", "raw": "bytes"}, has_nulls=["path", "raw"], **options)
        count += 1
    return count


def virtual_dataset(source):
    import obstore.store
    from obspec_utils.registry import ObjectStoreRegistry
    from virtualizarr import open_virtual_dataset
    from virtualizarr.parsers import HDFParser

    registry = ObjectStoreRegistry({"file://": obstore.store.LocalStore()})
    return open_virtual_dataset(source.resolve().as_uri(), parser=HDFParser(), registry=registry, loadable_variables=[])


def virtualizarr_json(source, target):
    virtual_dataset(source).vz.to_kerchunk(str(target), format="json")


def virtualizarr_parquet(source, target):
    # It fails on scalars.
    virtual_dataset(source).drop_vars("scalar").vz.to_kerchunk(str(target), format="parquet")


def icechunk_repository(target, source=None):
    import icechunk

    config = icechunk.RepositoryConfig.default()
    config.inline_chunk_threshold_bytes = 64
    access = {}
    if source is not None:
        prefix = source.resolve().parent.as_uri() + "/"
        container = icechunk.VirtualChunkContainer(prefix, icechunk.local_filesystem_store(str(source.resolve().parent)))
        config.set_virtual_chunk_container(container)
        access = {prefix: None}
    storage = icechunk.local_filesystem_storage(str(target))
    return icechunk.Repository.create(storage, config=config, authorize_virtual_chunk_access=access)


def icechunk_virtual(source, target):
    import zarr

    repository = icechunk_repository(target, source)
    session = repository.writable_session("main")
    virtual_dataset(source).vz.to_icechunk(session.store)
    group = zarr.open_group(session.store)
    native = group.create_array("native", shape=(50, 7), chunks=(20, 7), dtype="f8", dimension_names=["n", "m"], fill_value=-1)
    native[:40] = np.arange(280).reshape(40, 7)
    inline = group.create_group("group").create_array("inline", shape=(6,), chunks=(2,), dtype="i2", dimension_names=["i"])
    inline[:] = np.arange(6)
    # Chunks that no key has.
    thin = group.create_array("thin", shape=(4, 4), chunks=(1, 2), dtype="i4", dimension_names=["s", "t"], fill_value=9)
    thin[2, 2:] = 5
    number = group.create_array("number", shape=(), dtype="i4")
    number[...] = 42
    session.commit("all")


def icechunk_history(target):
    import zarr

    repository = icechunk_repository(target)
    snapshots = []
    for value in (1, 2, 3):
        session = repository.writable_session("main")
        array = zarr.open_group(session.store, mode="a").require_array("v", shape=(3,), chunks=(1,), dtype="i4", fill_value=0)
        array[:] = value
        snapshots.append(session.commit(f"value {value}"))
        if value == 2:
            repository.create_tag("second", snapshots[-1])
            repository.create_branch("other", snapshots[0])
    return snapshots


def main():
    what, source, target = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
    os.chdir(target.parent)
    told = None
    if what == "icechunk-history":
        told = icechunk_history(target)
    elif what == "parquet-again":
        told = parquet_again(json.loads(sys.argv[2]), target)
    else:
        writers = {
            "kerchunk-json": kerchunk_json, "kerchunk-parquet": kerchunk_parquet, "kerchunk-classic": kerchunk_classic,
            "virtualizarr-json": virtualizarr_json, "virtualizarr-parquet": virtualizarr_parquet, "icechunk": icechunk_virtual,
        }
        writers[what](source, target)
    print(json.dumps(told))


main()
