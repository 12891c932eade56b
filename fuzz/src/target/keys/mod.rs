//! Targets whose input is a store of keys: Zarr hierarchies, shards, references and zips; answers of a server.

pub(super) mod dap;
pub(super) mod key_list;
pub(super) mod references;
pub(super) mod zarr;
pub(super) mod zarr3;
pub(super) mod zip;
