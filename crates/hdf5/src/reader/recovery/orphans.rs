//! The objects that the scan found and no link leads to.

use std::collections::{BTreeMap, BTreeSet};

use super::old_header::OldHeaders;
use super::raw_data;
use super::reach::Reach;
use super::scan::Scan;
use crate::datatype::Datatype;
use crate::metadata::Extents;
use crate::object_header::message_type;
use crate::reader::dataset::Dataset;
use crate::reader::object::{Object, ObjectKind};

/// Objects without a link.
#[derive(Debug, Default)]
pub(super) struct Orphans {
    /// Those to recover, by address.
    pub(super) kept: BTreeMap<u64, ObjectKind>,
    /// Those that are no objects any more, or never were: datasets whose data overlaps that of others, and what only looks like a
    /// header, within the data of a dataset.
    pub(super) left_out: BTreeSet<u64>,
}

/// Finds the objects that were not met.
pub(super) fn find(reach: &Reach, scan: &Scan) -> Orphans {
    let mut old = OldHeaders::of(reach.reader());
    let old_headers = scan.old_headers.iter().filter(|address| {
        // The check counts what it reads, so headers that are known are not checked.
        !reach.objects.contains_key(address) && old.is_header(**address)
    });
    let mut candidates: Vec<u64> = old_headers.chain(&scan.headers).copied().collect();
    candidates.retain(|address| !reach.objects.contains_key(address));
    candidates.sort_unstable();

    let mut data = Extents::default();
    for (address, kind) in &reach.objects {
        if *kind == ObjectKind::Dataset
            && let Some(dataset) = dataset(reach, *address)
        {
            data.extend(&raw_data::extents(reach.reader(), &dataset));
        }
    }
    data.join();

    let mut orphans = Orphans::default();
    let mut of_orphans = Vec::new();
    for address in candidates {
        let Some((kind, dataset)) = object(reach, address) else {
            continue;
        };
        let own = dataset.map(|dataset| raw_data::extents(reach.reader(), &dataset));
        let own = own.unwrap_or_default();
        if data.contains(address) || data.overlap(&own) {
            orphans.left_out.insert(address);
            continue;
        }
        orphans.kept.insert(address, kind);
        of_orphans.push((address, own));
    }
    let (addresses, extents): (Vec<u64>, Vec<Extents>) = of_orphans.into_iter().unzip();
    let shared = Extents::shared(&extents).into_iter();
    let mut left_out: Vec<u64> = shared.filter_map(|at| addresses.get(at).copied()).collect();
    let mut all = Extents::default();
    extents.iter().for_each(|own| all.extend(own));
    all.join();
    left_out.extend(addresses.iter().filter(|address| all.contains(**address)));
    for address in left_out {
        orphans.kept.remove(&address);
        orphans.left_out.insert(address);
    }
    orphans
}

/// A dataset that was met, if it can be read.
pub(super) fn dataset(reach: &Reach, address: u64) -> Option<Dataset> {
    let (object, _) = reach.object(address).ok()?;
    Dataset::read(&reach.shared, &object).ok()
}

/// The kind of what may be an object, and the dataset that it is; `None` if it is nothing that can be read.
fn object(reach: &Reach, address: u64) -> Option<(ObjectKind, Option<Dataset>)> {
    let (object, _) = reach.object(address).ok()?;
    let dataset = match object.kind {
        ObjectKind::Dataset => Some(Dataset::read(&reach.shared, &object).ok()?),
        ObjectKind::NamedDatatype => {
            named_datatype(reach, &object)?;
            None
        }
        ObjectKind::Group => {
            let table = reach.places(&object).table;
            let end = reach.reader().file_size();
            let is_outside = table.is_some_and(|table| table.btree >= end && table.heap >= end);
            if is_outside && !reach.reader().is_truncated() {
                return None;
            }
            None
        }
        ObjectKind::Unknown => return None,
    };
    Some((object.kind, dataset))
}

fn named_datatype(reach: &Reach, object: &Object) -> Option<Datatype> {
    let message = reach
        .shared
        .resolve(object.header.first(message_type::DATATYPE)?)
        .ok()?;
    Datatype::decode(&mut message.cursor()).ok()
}
