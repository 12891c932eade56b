//! Writing the header, and placing the data after it.

use super::variable_position::{Geometry, VariablePosition, record_size, slabs};
use super::version::{NC_ATTRIBUTE, NC_DIMENSION, NC_VARIABLE, VSIZE_TOO_LARGE, Version, padded};
use crate::chunk::swap_units;
use crate::error::{Error, Result};
use crate::model::{Attribute, Item, Schema};

/// Highest file position that CDF-1 can store.
const MAX_OFFSET_32: u64 = i32::MAX as u64;

/// The layout of a whole file: its header, and the place of each variable.
#[derive(Debug)]
pub struct ClassicLayout {
    pub header: Vec<u8>,
    /// The place of each of [`Schema::vars`].
    pub places: Vec<VariablePosition>,
    pub geometry: Geometry,
    /// Size of the whole file, in bytes.
    pub size: u64,
}

/// Lays out a dataset that passed [`check`](super::write_check::check): the header, then the variables of fixed size, then the
/// record variables. Variables are in the order of their definition.
///
/// # Errors
/// Names a variable that starts past the highest position that the format can store.
pub fn lay_out(schema: &Schema, version: Version) -> Result<ClassicLayout> {
    let too_large = || Error::Usage("the dataset is larger than any file can be".to_owned());
    let slabs = slabs(schema).map_err(|_| too_large())?;
    let (record_size, record_variables) = record_size(&slabs).ok_or_else(too_large)?;
    let records = schema.dims.iter().find(|d| d.unlimited).map_or(0, |d| d.length);
    let geometry = Geometry {
        records,
        record_size,
        record_variables,
    };
    let mut places: Vec<_> = slabs
        .iter()
        .map(|(slab, record)| VariablePosition {
            begin: 0,
            slab: *slab,
            record: *record,
        })
        .collect();

    // Positions have a fixed width, so the header's length does not depend on them.
    let header_size = encode(schema, version, records, &places).len() as u64;
    let mut end = header_size;
    for records in [false, true] {
        for id in &schema.group(Schema::ROOT).vars {
            let place = &mut places[id.0];
            if place.record != records {
                continue;
            }
            if version == Version::Classic && end > MAX_OFFSET_32 {
                return Err(Error::can_be_left_out(format!(
                    "its data begins beyond the 2 GiB that a {} file can address; \
                     use the kind {}, {} or netCDF-4",
                    version.kind().name(),
                    Version::Offset64.kind().name(),
                    Version::Data64.kind().name(),
                ))
                .about(Item::Variable(*id))
                .in_variable(&schema.var_path(*id)));
            }
            place.begin = end;
            end = padded(place.slab)
                .and_then(|n| end.checked_add(n))
                .ok_or_else(too_large)?;
        }
    }
    let first_record = places.iter().filter(|p| p.record).map(|p| p.begin).min();
    let size = match first_record {
        None => Some(end),
        Some(first) => records
            .checked_mul(record_size)
            .and_then(|n| n.checked_add(first)),
    };
    let size = size.filter(|n| i64::try_from(*n).is_ok()).ok_or_else(too_large)?;
    Ok(ClassicLayout {
        header: encode(schema, version, records, &places),
        places,
        geometry,
        size,
    })
}

fn encode(schema: &Schema, version: Version, records: u64, places: &[VariablePosition]) -> Vec<u8> {
    let root = schema.group(Schema::ROOT);
    let mut out = Header {
        bytes: b"CDF".to_vec(),
        version,
    };
    out.bytes.push(version.byte());
    out.count(records);
    out.list(NC_DIMENSION, root.dims.len());
    for id in &root.dims {
        let dim = schema.dim(*id);
        out.name(&dim.name);
        out.count(if dim.unlimited { 0 } else { dim.length });
    }
    out.attributes(&root.attributes);
    let mut dim_ids = vec![0; schema.dims.len()];
    for (position, id) in root.dims.iter().enumerate() {
        dim_ids[id.0] = position as u64;
    }
    out.list(NC_VARIABLE, root.vars.len());
    for id in &root.vars {
        let (var, place) = (schema.var(*id), &places[id.0]);
        out.name(&var.name);
        out.count(var.dims.len() as u64);
        for dim in &var.dims {
            out.count(dim_ids[dim.0]);
        }
        out.attributes(&var.attributes);
        out.tag(version.type_code(var.ty).unwrap_or(0));
        out.vsize(padded(place.slab).unwrap_or(place.slab));
        out.number(place.begin, version.offset_width());
    }
    out.bytes
}

struct Header {
    bytes: Vec<u8>,
    version: Version,
}

impl Header {
    /// Writes the low `width` bytes of a number, big-endian.
    fn number(&mut self, n: u64, width: usize) {
        self.bytes.extend_from_slice(&n.to_be_bytes()[8 - width..]);
    }

    fn count(&mut self, n: u64) {
        self.number(n, self.version.count_width());
    }

    fn tag(&mut self, tag: u32) {
        self.number(u64::from(tag), 4);
    }

    fn vsize(&mut self, size: u64) {
        match (self.version, u32::try_from(size)) {
            (Version::Data64, _) | (_, Ok(_)) => self.count(size),
            (_, Err(_)) => self.tag(VSIZE_TOO_LARGE),
        }
    }

    fn list(&mut self, tag: u32, count: usize) {
        self.tag(if count == 0 { 0 } else { tag });
        self.count(count as u64);
    }

    fn name(&mut self, name: &str) {
        self.count(name.len() as u64);
        self.bytes.extend_from_slice(name.as_bytes());
        self.pad();
    }

    fn attributes(&mut self, attributes: &[Attribute]) {
        self.list(NC_ATTRIBUTE, attributes.len());
        for attribute in attributes {
            self.name(&attribute.name);
            self.tag(self.version.type_code(attribute.ty).unwrap_or(0));
            self.count(attribute.length as u64);
            let start = self.bytes.len();
            self.bytes.extend_from_slice(&attribute.values.bytes);
            swap_units(&mut self.bytes[start..], attribute.ty.atomic_size());
            self.pad();
        }
    }

    /// Every part of a header is a multiple of 4 bytes.
    fn pad(&mut self) {
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
    }
}
