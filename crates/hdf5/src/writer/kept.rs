//! What is kept of each object between the layout of a file and its end.

use super::spec::{DatatypeSpec, LayoutSpec, ObjectId, ObjectSpec, ObjectSpecKind};

/// Properties of a dataset that are kept until the end.
#[derive(Debug)]
pub(super) struct Stored {
    pub(super) layout: LayoutSpec,
    /// Its present extent, if it is chunked.
    pub(super) extent: Box<[u64]>,
    /// Size of an element, in bytes.
    pub(super) element_size: u32,
}

/// Properties of an object that are kept until the end.
#[derive(Debug, Default)]
pub(super) struct Kept {
    /// The group that links to it, and its name there.
    pub(super) link: Option<(ObjectId, Box<str>)>,
    /// Set for datasets.
    pub(super) stored: Option<Stored>,
}

/// Counts the references of an object: links, and committed datatypes.
pub(super) fn count_references(object: &ObjectSpec, counts: &mut [u32]) {
    let mut count = |id: ObjectId| {
        if let Some(count) = counts.get_mut(id.0) {
            *count = count.saturating_add(1);
        }
    };
    let datatype = match &object.kind {
        ObjectSpecKind::Group { links } => {
            links
                .iter()
                .filter_map(|(_, target)| target.object())
                .for_each(&mut count);
            None
        }
        ObjectSpecKind::NamedDatatype(_) | ObjectSpecKind::EncodedDatatype(..) => None,
        ObjectSpecKind::Dataset(dataset) => Some(&dataset.datatype),
    };
    let of_attributes = object.attributes.iter().map(|a| &a.datatype);
    for datatype in datatype.into_iter().chain(of_attributes) {
        if let DatatypeSpec::Committed(id, _) = datatype {
            count(*id);
        }
    }
}

/// Records the properties of an object that are needed until the end.
pub(super) fn keep(id: ObjectId, object: &ObjectSpec, kept: &mut [Kept]) {
    match &object.kind {
        ObjectSpecKind::Group { links } => {
            for (name, target) in links
                .iter()
                .filter_map(|(name, target)| Some((name, target.object()?)))
            {
                if let Some(kept) = kept.get_mut(target.0) {
                    kept.link.get_or_insert_with(|| (id, name.as_str().into()));
                }
            }
        }
        ObjectSpecKind::NamedDatatype(_) | ObjectSpecKind::EncodedDatatype(..) => {}
        ObjectSpecKind::Dataset(dataset) => {
            let extent: &[u64] = match &dataset.layout {
                LayoutSpec::Chunked { .. } => dataset.dataspace.dims(),
                _ => &[],
            };
            if let Some(kept) = kept.get_mut(id.0) {
                kept.stored = Some(Stored {
                    layout: dataset.layout.clone(),
                    extent: extent.into(),
                    element_size: dataset.datatype.datatype().size,
                });
            }
        }
    }
}
