//! What checksums cover of a hierarchy besides its codecs.

use crate::format::{Fault, OwnCheck, Reader};
use crate::model::VarId;
use crate::store::KeyStore;

/// Tells the faults of the schema to `found`. Entries of a zip file have checksums, which are compared where a value is
/// read whole: chunks of shards are not.
pub(super) fn check(reader: &dyn Reader, store: &dyn KeyStore, found: &mut dyn FnMut(Fault)) -> OwnCheck {
    let schema = reader.schema();
    for fault in &schema.faults {
        found(Fault::new(fault));
    }
    for cause in &schema.replaced {
        found(Fault {
            is_replaced: true,
            ..Fault::new(cause)
        });
    }
    let mut vars = (0..schema.vars.len()).map(VarId);
    OwnCheck {
        covers_values: store.verifies() && vars.all(|var| reader.layout(var).shard.is_none()),
        uncovered: match store.verifies() {
            true => Vec::new(),
            false => vec!["the metadata".to_owned()],
        },
        ..OwnCheck::default()
    }
}
