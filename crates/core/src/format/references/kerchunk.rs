//! kerchunk's references in one file of JSON.

use std::io;
use std::sync::Arc;

use crate::error::Result;
use crate::store::{
    ExternalFiles, KeyStore, Object, ReferenceKeys, ReferenceSet, ReferenceTable, Sought, object_stream,
    read_kerchunk,
};

/// Most bytes at the beginning of a file that are searched.
const SEARCHED: u64 = 64 << 10;

/// What the beginning of a file of references has: a member of version 1, or a document of Zarr.
const SIGNS: [&str; 6] = [
    "\"refs\"",
    ".zgroup\"",
    ".zarray\"",
    ".zattrs\"",
    ".zmetadata\"",
    "zarr.json\"",
];

/// Members of version 1 that may come first.
const FIRST: [&str; 2] = ["\"templates\"", "\"gen\""];

/// True for a JSON file whose beginning looks like kerchunk's. `size` is that of the file.
pub fn has_references(object: &dyn Object, size: u64) -> bool {
    let mut first = [0; 16];
    let first = &mut first[..size.min(16) as usize];
    if object.read_exact_at(0, first).is_err() || !first.trim_ascii_start().starts_with(b"{") {
        return false;
    }
    let mut start = vec![0; size.min(SEARCHED) as usize];
    let is_read = object.read_exact_at(0, &mut start).is_ok();
    let text = String::from_utf8_lossy(&start);
    // Version 1 may have long members before its references.
    let begins = text.contains("\"version\"") && FIRST.iter().any(|sign| text.contains(sign));
    is_read && (begins || SIGNS.iter().any(|sign| text.contains(sign)))
}

/// The keys that a file of JSON has, with their values in the objects of `places`.
///
/// # Errors
/// What is wrong with the file.
pub fn open_json(
    object: &Arc<dyn Object>,
    places: Option<Arc<dyn ExternalFiles>>,
) -> Result<Arc<dyn KeyStore>> {
    let table = read_kerchunk(&mut object_stream(Arc::clone(object))?)?;
    let is_remote = |name: &&Arc<str>| name.contains("://") && !name.starts_with("file:");
    let first_remote = table.objects().find(is_remote);
    let some = first_remote.or(table.objects().next()).cloned();
    let set = JsonReferences {
        table,
        object: Arc::clone(object),
    };
    Ok(Arc::new(ReferenceKeys::new(
        Box::new(set),
        places,
        some.as_deref(),
    )))
}

/// References that were read from a file.
struct JsonReferences {
    table: ReferenceTable,
    object: Arc<dyn Object>,
}

impl ReferenceSet for JsonReferences {
    fn find(&self, key: &str) -> io::Result<Option<crate::store::Reference>> {
        self.table.find(key)
    }

    fn list(&self, prefix: &str) -> io::Result<Vec<String>> {
        self.table.list(prefix)
    }

    fn list_handles(&self, prefix: &str, each: &mut dyn FnMut(&str, u32)) -> io::Result<bool> {
        self.table.list_handles(prefix, each)
    }

    fn by_handle(&self, handle: u32) -> Option<crate::store::Reference> {
        self.table.by_handle(handle)
    }

    fn list_children(&self, folder: &str) -> io::Result<Vec<String>> {
        self.table.list_children(folder)
    }

    fn objects(&self, each: &mut dyn FnMut(&str)) -> io::Result<()> {
        ReferenceSet::objects(&self.table, each)
    }

    fn may_lead_to(&self, sought: &Sought<'_>) -> io::Result<Option<bool>> {
        self.table.may_lead_to(sought)
    }

    fn check_unchanged(&self) -> io::Result<()> {
        self.object.check_unchanged()
    }
}
