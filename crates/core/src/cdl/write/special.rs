//! The special attributes of `ncdump -s`: how variables and file are stored.

use std::io::Write;

use super::lines::Lines;
use super::names::{push_name, push_quoted};
use crate::model::{Encoding, Endian, FilterSpec, Kind, Schema, Storage, Type, VarId, VariableLayout};

const DEFLATE: u32 = 1;
const SHUFFLE: u32 = 2;
const FLETCHER32: u32 = 3;
const SZIP: u32 = 4;
/// The bits of szip's option mask that say entropy coding (4) or nearest neighbour (32).
const SZIP_CODING: u32 = 36;

/// Writes the special attributes of a variable, in ncdump's order. With `filters`, the whole pipeline stands in
/// `_Filter`, in the file's order, instead of in an attribute for each filter that netCDF-C has one for.
pub fn variable(lines: &mut Lines, schema: &Schema, var: VarId, layout: &VariableLayout, filters: bool) {
    let name = schema.var(var).name.as_str();
    let mut attribute = |attribute: &str, value: &[u8]| {
        lines.margin();
        lines.text("\t\t");
        push_name(lines.raw(), name);
        lines.text(format!(":{attribute} = "));
        lines.text(value);
        lines.text(" ;\n");
    };
    let storage: &[u8] = match &layout.storage {
        Storage::Compact => b"\"compact\"",
        Storage::Contiguous => b"\"contiguous\"",
        Storage::Chunked { .. } => b"\"chunked\"",
    };
    attribute("_Storage", storage);
    if let Storage::Chunked { shape } = &layout.storage {
        attribute(
            "_ChunkSizes",
            shape
                .iter()
                .map(u64::to_string)
                .collect::<Vec<_>>()
                .join(", ")
                .as_bytes(),
        );
    }
    let has = |id: u32| layout.filters.iter().find(|f| f.id == id);
    let mut own_attribute = |f: &&FilterSpec| filters || !matches!(f.id, DEFLATE | SHUFFLE | FLETCHER32);
    if !filters {
        if has(FLETCHER32).is_some() {
            attribute("_Fletcher32", b"\"true\"");
        }
        if has(SHUFFLE).is_some() {
            attribute("_Shuffle", b"\"true\"");
        }
        if let Some(deflate) = has(DEFLATE) {
            let level = deflate.parameters.first().copied().unwrap_or(0);
            attribute("_DeflateLevel", level.to_string().as_bytes());
        }
    }
    let pipeline: Vec<String> = layout
        .filters
        .iter()
        .filter(&mut own_attribute)
        .map(filter_text)
        .collect();
    if !pipeline.is_empty() {
        let mut text = Vec::new();
        push_quoted(&mut text, pipeline.join("|").as_bytes());
        attribute("_Filter", &text);
    }
    let number = !matches!(schema.var(var).ty, Type::String | Type::User(_) | Type::Char);
    let wide = matches!(layout.encoding, Encoding::Numbers { unit } if unit > 1);
    if number && (wide || (layout.encoding == Encoding::Structured && layout.element_size > 1)) {
        let order: &[u8] = if layout.endian == Endian::Little {
            b"\"little\""
        } else {
            b"\"big\""
        };
        attribute("_Endianness", order);
    }
    if layout.fill.no_fill {
        attribute("_NoFill", b"\"true\"");
    }
}

/// `id,p1,p2`, as `nccopy -F` takes it. Of szip's stored parameters, those that a user gives: coding and pixels per block.
fn filter_text(filter: &FilterSpec) -> String {
    let parameters: Vec<u32> = match filter.parameters.as_slice() {
        [mask, pixels, _, _] if filter.id == SZIP => vec![mask & SZIP_CODING, *pixels],
        stored => stored.to_vec(),
    };
    let parameters = parameters.iter().map(|p| format!(",{p}"));
    std::iter::once(filter.id.to_string()).chain(parameters).collect()
}

/// Writes the special attributes of the file.
pub fn global(lines: &mut Lines, schema: &Schema) {
    let mut attribute = |name: &str, value: &str, quoted: bool| {
        let _ = write!(lines.raw(), "\t\t:{name} = ");
        if quoted {
            push_quoted(lines.raw(), value.as_bytes());
        } else {
            lines.text(value);
        }
        lines.text(" ;\n");
    };
    if let (true, Some(provenance)) = (schema.kind.is_hdf5(), &schema.provenance) {
        if let Some(properties) = &provenance.nc_properties {
            attribute("_NCProperties", properties, true);
        }
        attribute(
            "_SuperblockVersion",
            &provenance.superblock_version.to_string(),
            false,
        );
        attribute("_IsNetcdf4", if provenance.is_netcdf4 { "1" } else { "0" }, false);
    }
    attribute("_Format", Kind::name(schema.kind), true);
}
