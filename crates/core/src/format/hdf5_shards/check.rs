//! Compares the two sides of a hierarchy: each shard is opened as an HDF5 file, whose index of chunks must be that of the shard.

use std::io;
use std::sync::Arc;

use crate::chunk::ChunkGrid;
use crate::error::{Error, Result};
use crate::filter::Registry;
use crate::format::netcdf4::Netcdf4Reader;
use crate::format::{CheckLimits, Fault, Reader, StructureCheck};
use crate::model::VarId;
use crate::store::{ByteRange, GetRange, KeyStore, Object};

/// The first bytes of an HDF5 file.
const SIGNATURE: [u8; 8] = *b"\x89HDF\r\n\x1a\n";

/// Tells what is wrong in shards as HDF5 files. The first shard of a variable decides whether they are to be such files.
pub fn check(store: &dyn KeyStore, reader: &dyn Reader, registry: &Registry, found: &mut dyn FnMut(Fault)) {
    for var in (0..reader.schema().vars.len()).map(VarId) {
        let path = reader.schema().var_path(var);
        let checked = variable(store, reader, var, registry, &mut |fault| {
            found(fault.in_variable(&path));
        });
        if let Err(error) = checked {
            found(Fault::of(&error.in_variable(&path)));
        }
    }
}

fn variable(
    store: &dyn KeyStore,
    reader: &dyn Reader,
    var: VarId,
    registry: &Registry,
    found: &mut dyn FnMut(Fault),
) -> Result<()> {
    let layout = reader.layout(var);
    let Some(shard) = &layout.shard else { return Ok(()) };
    let shards = ChunkGrid::new(&layout.extent, shard)?;
    let path = reader.schema().var_path(var);
    let mut is_first = true;
    for n in 0..shards.len() {
        let key = layout.chunk_keys.key(&shards.coordinates(n));
        let key = format!("{}/{key}", path.trim_start_matches('/'));
        let cannot_read = |e| Error::io("cannot read", e).in_key(&key);
        let first = GetRange::Range(ByteRange {
            offset: 0,
            length: SIGNATURE.len(),
        });
        let Some(first) = store.get(&key, first).map_err(cannot_read)? else {
            continue;
        };
        match (first == SIGNATURE, is_first) {
            (true, _) => one(
                opened(store, &key).map_err(cannot_read)?,
                registry,
                &mut |fault| {
                    found(Fault {
                        key: Some(key.clone()),
                        ..fault
                    });
                },
            ),
            (false, true) => return Ok(()),
            (false, false) => found(Fault {
                key: Some(key),
                ..Fault::new("the shard is no HDF5 file, as others of the variable are")
            }),
        }
        is_first = false;
    }
    Ok(())
}

/// A value as an object.
fn opened(store: &dyn KeyStore, key: &str) -> io::Result<Arc<dyn Object>> {
    let missing = || io::Error::from(io::ErrorKind::NotFound);
    match store.open_value(key) {
        Err(e) if e.kind() == io::ErrorKind::Unsupported => {
            let whole = store.get(key, GetRange::Whole)?;
            Ok(Arc::new(whole.ok_or_else(missing)?))
        }
        opened => opened?.ok_or_else(missing),
    }
}

/// Checks the structures of one shard.
fn one(object: Arc<dyn Object>, registry: &Registry, found: &mut dyn FnMut(Fault)) {
    let limits = CheckLimits::ONE_THREAD;
    let checked = Netcdf4Reader::open_damaged(object, None, registry, false)
        .and_then(|file| file.check_structure(limits, found));
    if let Err(error) = checked {
        found(Fault::of(&error));
    }
}
