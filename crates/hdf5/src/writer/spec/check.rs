//! Checks the objects of a file before they are laid out.

use std::collections::HashSet;

use super::data::{Data, Payload};
use super::object_id::ObjectId;
use super::objects::{
    AttributeSpec, DatasetSpec, DatatypeSpec, FillSpec, LayoutSpec, LinkSpec, ObjectSource, ObjectSpec,
    ObjectSpecKind,
};
use crate::{Dataspace, Error, MAX_COMPACT_BYTES, Result, is_link_name};

/// Maximum size of a chunk that the library reads, in bytes.
const MAX_CHUNK: u64 = u32::MAX as u64;

/// Fails if an HDF5 file cannot hold object `id` of `source`.
pub(crate) fn check<S: ObjectSource + ?Sized>(source: &S, id: ObjectId, object: &ObjectSpec) -> Result<()> {
    let checked = match &object.kind {
        ObjectSpecKind::Group { links } => check_links(source, links),
        _ if id.0 == 0 => return Err(Error::CannotWrite("the first object is not a group".into())),
        ObjectSpecKind::NamedDatatype(_) | ObjectSpecKind::EncodedDatatype(..) => Ok(()),
        ObjectSpecKind::Dataset(dataset) => check_dataset(source, dataset),
    };
    checked
        .and_then(|()| check_attributes(source, &object.attributes))
        .map_err(|why| Error::CannotWrite(format!("{}: {why}", path(source, id))))
}

/// A path to an object, for messages.
pub(crate) fn path<S: ObjectSource + ?Sized>(source: &S, id: ObjectId) -> String {
    let mut names = Vec::new();
    let mut at = id;
    // Links may form cycles, but a path has no more steps than there are objects.
    for _ in 0..source.object_count() {
        if at.0 == 0 {
            break;
        }
        let parent = (0..source.object_count()).map(ObjectId).find_map(|group| {
            match &source.object(group).ok()?.kind {
                ObjectSpecKind::Group { links } => links
                    .iter()
                    .find(|(_, target)| target.object() == Some(at))
                    .map(|(name, _)| (group, name.clone())),
                _ => None,
            }
        });
        let Some((parent, name)) = parent else { break };
        names.push(name);
        at = parent;
    }
    names.reverse();
    format!("/{}", names.join("/"))
}

fn check_links<S: ObjectSource + ?Sized>(source: &S, links: &[(String, LinkSpec)]) -> Result<(), String> {
    let mut names = HashSet::with_capacity(links.len());
    for (name, target) in links {
        if !is_link_name(name) {
            return Err(format!(
                "`{}` cannot be the name of an object",
                name.escape_default()
            ));
        }
        if !names.insert(name.as_str()) {
            return Err(format!("two objects have the name `{name}`"));
        }
        if target
            .object()
            .is_some_and(|target| target.0 >= source.object_count())
        {
            return Err(format!("`{name}` links to no object"));
        }
    }
    Ok(())
}

fn check_attributes<S: ObjectSource + ?Sized>(
    source: &S,
    attributes: &[AttributeSpec],
) -> Result<(), String> {
    if attributes.len() > usize::from(u16::MAX) {
        return Err(format!("{} attributes; the limit is 65535", attributes.len()));
    }
    let mut names = HashSet::with_capacity(attributes.len());
    for attribute in attributes {
        let name = &attribute.name;
        if name.is_empty() || name.contains('\0') {
            return Err(format!(
                "`{}` cannot be the name of an attribute",
                name.escape_default()
            ));
        }
        if !names.insert(name.as_str()) {
            return Err(format!("two attributes have the name `{name}`"));
        }
        check_datatype(source, &attribute.datatype)
            .and_then(|()| check_data(source, &attribute.data, 0))
            .map_err(|why| format!("attribute `{name}`: {why}"))?;
        let element = u64::from(attribute.datatype.datatype().size);
        let size = attribute.dataspace.count().and_then(|n| n.checked_mul(element));
        if size != Some(attribute.data.bytes.len() as u64) {
            return Err(format!(
                "attribute `{name}` has {} bytes, which its shape and type do not account for",
                attribute.data.bytes.len()
            ));
        }
    }
    Ok(())
}

fn check_datatype<S: ObjectSource + ?Sized>(source: &S, datatype: &DatatypeSpec) -> Result<(), String> {
    if datatype.datatype().size == 0 {
        return Err("a datatype of no bytes".into());
    }
    match datatype {
        DatatypeSpec::Inline(_) | DatatypeSpec::Encoded(..) => Ok(()),
        DatatypeSpec::Committed(id, datatype) => {
            let there = id.0 < source.object_count();
            let object = there.then(|| source.object(*id).ok()).flatten();
            match object.as_ref().map(|object| &object.kind) {
                Some(
                    ObjectSpecKind::NamedDatatype(committed) | ObjectSpecKind::EncodedDatatype(committed, _),
                ) if committed == datatype => Ok(()),
                _ => Err("its datatype is not the committed one that it refers to".into()),
            }
        }
    }
}

fn check_data<S: ObjectSource + ?Sized>(source: &S, data: &Data, depth: usize) -> Result<(), String> {
    let length = data.bytes.len();
    let fits = |offset: usize, size: usize| offset.checked_add(size).is_some_and(|end| end <= length);
    if depth > 64 {
        return Err("variable-length data nested deeper than 64 levels".into());
    }
    for (offset, target) in &data.references {
        if !fits(*offset, 8) || target.0 >= source.object_count() {
            return Err("a reference lies outside the data or refers to no object".into());
        }
    }
    for (offset, target, _) in &data.regions {
        if !fits(*offset, 12) || target.0 >= source.object_count() {
            return Err("a region reference lies outside the data or refers to no object".into());
        }
    }
    for (offset, _, payload) in data.sequences.iter() {
        if !fits(offset, 16) {
            return Err("a variable-length element lies outside the data".into());
        }
        if let Payload::Nested(payload) = payload {
            check_data(source, payload, depth + 1)?;
        }
    }
    Ok(())
}

fn check_dataset<S: ObjectSource + ?Sized>(source: &S, dataset: &DatasetSpec) -> Result<(), String> {
    check_datatype(source, &dataset.datatype)?;
    let element = u64::from(dataset.datatype.datatype().size);
    if let FillSpec::Defined(value) = &dataset.fill {
        check_data(source, value, 0)?;
        if value.bytes.len() as u64 != element {
            return Err(format!(
                "a fill value of {} bytes for elements of {element}",
                value.bytes.len()
            ));
        }
    }
    let size = dataset.dataspace.count().and_then(|n| n.checked_mul(element));
    match &dataset.layout {
        LayoutSpec::Compact { size: given } | LayoutSpec::Contiguous { size: given, .. } => {
            if size != Some(*given) {
                return Err(format!(
                    "{given} bytes of storage do not agree with its shape and type"
                ));
            }
            if matches!(dataset.layout, LayoutSpec::Compact { .. }) && *given > MAX_COMPACT_BYTES {
                return Err(format!(
                    "{given} bytes of compact storage; the limit is {MAX_COMPACT_BYTES}"
                ));
            }
            if !dataset.filters.is_empty() {
                return Err("only chunked data can go through filters".into());
            }
            if let Dataspace::Simple { dims, max_dims } = &dataset.dataspace {
                let fixed = dims.iter().zip(max_dims).all(|(now, max)| Some(*now) == *max);
                if !fixed {
                    return Err("only chunked data can grow".into());
                }
            }
        }
        LayoutSpec::Kept(_) => {}
        LayoutSpec::External(_) | LayoutSpec::Virtual(_) => {
            if !dataset.filters.is_empty() {
                return Err("only chunked data can go through filters".into());
            }
        }
        LayoutSpec::Chunked { shape, chunk_count } => {
            let dims = dataset.dataspace.dims();
            if shape.is_empty() || shape.len() != dims.len() || shape.contains(&0) {
                return Err(format!("chunks of shape {shape:?} for data of shape {dims:?}"));
            }
            let bytes = shape.iter().try_fold(element, |n, s| n.checked_mul(*s));
            if bytes.is_none_or(|n| n > MAX_CHUNK) {
                return Err(format!("chunks of shape {shape:?} exceed 4 GiB"));
            }
            let grid = crate::writer::btree_v1::ChunkGrid::new(dims, shape, 1).len();
            if *chunk_count > grid {
                return Err(format!("{chunk_count} chunks in a grid of {grid}"));
            }
        }
    }
    Ok(())
}
