//! Fuzzes the HDF5 reader: every object that links lead to, with all its parts.

use std::collections::BTreeSet;
use std::sync::Arc;

use ncutils_hdf5::{Attribute, Class, Dataspace, Datatype, File, Layout, LinkTarget, ObjectKind};

/// Maximum number of objects that are read.
const MAX_OBJECTS: usize = 2000;

/// Maximum number of bytes read of a chunk or block.
const MAX_READ: usize = 1 << 16;

/// Opens the file, and reads all its structures.
pub fn walk(input: &[u8]) {
    let Ok(file) = File::open(Arc::new(input.to_vec())) else {
        return;
    };
    let mut seen = BTreeSet::from([file.root()]);
    let mut pending = vec![file.root()];
    while let Some(address) = pending.pop() {
        let Ok(object) = file.object(address) else {
            continue;
        };
        for attribute in file.attributes(&object).into_iter().flatten().flatten() {
            check_attribute(&attribute);
            for element in sequences(&attribute.datatype, &attribute.data, file.offset_size()) {
                let _ = file.global_heap_object(element.0, element.1);
            }
        }
        match object.kind {
            ObjectKind::Group => {
                for link in file.links(&object).into_iter().flat_map(|links| links.links) {
                    if let LinkTarget::Hard(target) = link.target
                        && seen.len() < MAX_OBJECTS
                        && seen.insert(target)
                    {
                        pending.push(target);
                    }
                }
            }
            ObjectKind::Dataset => dataset(&file, &object),
            ObjectKind::NamedDatatype => {
                let _ = file.named_datatype(&object);
            }
            _ => {}
        }
    }
}

fn check_attribute(attribute: &Attribute) {
    if let Some(size) = attribute
        .dataspace
        .count()
        .and_then(|n| n.checked_mul(attribute.datatype.size.into()))
        && !matches!(attribute.dataspace, Dataspace::Null)
    {
        assert_eq!(
            attribute.data.len() as u64,
            size,
            "an attribute's data is as long as its type and space say"
        );
    }
}

/// Heap addresses and indexes in elements of a variable-length type.
fn sequences(datatype: &Datatype, data: &[u8], offset_size: u8) -> Vec<(u64, u32)> {
    let size = datatype.size as usize;
    if !matches!(
        datatype.class,
        Class::VariableLength { .. } | Class::VariableString { .. }
    ) || size < 8 + usize::from(offset_size)
    {
        return Vec::new();
    }
    let number = |bytes: &[u8]| bytes.iter().rev().fold(0u64, |n, byte| n << 8 | u64::from(*byte));
    data.chunks_exact(size)
        .take(64)
        .map(|element| {
            let (address, index) = element[4..].split_at(offset_size.into());
            (number(address), number(&index[..4]) as u32)
        })
        .collect()
}

fn dataset(file: &File, object: &ncutils_hdf5::Object) {
    let Ok(dataset) = file.dataset(object) else {
        return;
    };
    let mut buffer = vec![0; MAX_READ];
    match &dataset.layout {
        Layout::Contiguous {
            address: Some(address),
            size,
        } => {
            let length = usize::try_from(*size).unwrap_or(MAX_READ).min(MAX_READ);
            let _ = file.read_at(*address, &mut buffer[..length]);
        }
        Layout::Chunked(_) => {
            let Ok(table) = file.chunk_table(&dataset) else {
                return;
            };
            let mut last = None;
            for record in table.iter() {
                let record = record.expect("memory can be read again");
                assert!(last < Some(record.index), "a chunk table is sorted");
                last = Some(record.index);
                let found = table.get(record.index).expect("memory can be read again");
                assert_eq!(found, Some(record));
            }
            assert_eq!(table.iter().count(), table.len());
        }
        Layout::Virtual { .. } => {
            let _ = file.virtual_mappings(&dataset);
        }
        _ => {}
    }
}
