//! Prints everything that a reader gives of a file, one line each, in a form that other programs can print too
//! (`tests/interop/netcdf_c_dump.py` does it over netCDF-C), so that the two can be compared line by line.
//!
//! ```text
//! kind, provenance, group, dim, type, var, storage, filters, endian, fill, att, data, warning, refused
//! ```
//! Names are percent-encoded. Values are the CRC-32 of their elements one after another, without padding: numbers
//! little-endian, a string or sequence as its length in 8 bytes and its content (all ones for NIL).

use std::fmt::Write;
use std::path::Path;
use std::process::ExitCode;

use ncutils_core::Result;
use ncutils_core::chunk::{Region, element_count};
use ncutils_core::filter::Registry;
use ncutils_core::format;
use ncutils_core::location::Location;
use ncutils_core::model::{Endian, GroupId, Schema, Slot, Storage, Type, TypeClass, Values, VarId};

/// Adds a line.
macro_rules! line {
    ($out:expr, $($arg:tt)*) => {
        writeln!($out, $($arg)*).expect("a string takes any text")
    };
}

/// Variables of more elements than this are not read.
const MOST: u64 = 20_000_000;

#[allow(dead_code, reason = "tests use this file as a module")]
fn main() -> ExitCode {
    for path in std::env::args_os().skip(1) {
        match open(Path::new(&path)) {
            Ok(reader) => print!("{}", dump(reader.as_ref(), MOST)),
            Err(e) => {
                println!("error {e}");
                return ExitCode::FAILURE;
            }
        }
    }
    ExitCode::SUCCESS
}

/// Opens a local file.
pub fn open(path: &Path) -> Result<Box<dyn format::Reader>> {
    format::open(Location::parse(path)?.input()?, &Registry::builtin())
}

/// The lines of a dataset.
pub fn dump(reader: &dyn format::Reader, most: u64) -> String {
    let mut text = String::new();
    let out = &mut text;
    let schema = reader.schema();
    line!(out, "kind {}", schema.kind.name());
    if let Some(p) = &schema.provenance {
        line!(
            out,
            "provenance {} {} {}",
            encode(p.nc_properties.as_deref().unwrap_or("")),
            p.superblock_version,
            u8::from(p.is_netcdf4)
        );
    }
    for (id, group) in schema.groups.iter().enumerate() {
        let path = encode_path(&schema.group_path(GroupId(id)));
        line!(out, "group {path}");
        for ty in &group.types {
            let ty = schema.user_type(*ty);
            line!(
                out,
                "type {path} {} {}",
                encode(&ty.name),
                class(schema, &ty.class)
            );
        }
        for dim in &group.dims {
            let dim = schema.dim(*dim);
            line!(
                out,
                "dim {path} {} {} {}",
                encode(&dim.name),
                dim.length,
                u8::from(dim.unlimited)
            );
        }
        for attribute in &group.attributes {
            print_attribute(out, schema, &path, "", attribute);
        }
        for var in &group.vars {
            print_variable(out, reader, &path, *var, most);
        }
    }
    for warning in &schema.warnings {
        line!(out, "warning {warning}");
    }
    for refused in &schema.refused {
        line!(out, "refused {refused}");
    }
    text
}

fn print_variable(out: &mut String, reader: &dyn format::Reader, path: &str, id: VarId, most: u64) {
    let schema = reader.schema();
    let var = schema.var(id);
    let name = encode(&var.name);
    let dims: Vec<_> = var
        .dims
        .iter()
        .map(|d| {
            let dim = schema.dim(*d);
            format!(
                "{}:{}",
                encode_path(&schema.group_path(dim.group)),
                encode(&dim.name)
            )
        })
        .collect();
    line!(
        out,
        "var {path} {name} {} {}",
        type_name(schema, var.ty),
        dims.join(",")
    );
    let layout = reader.layout(id);
    if schema.kind.can().storage_attributes {
        let storage = match &layout.storage {
            Storage::Compact => "compact".into(),
            Storage::Contiguous | Storage::Blocks { .. } => "contiguous".into(),
            Storage::Chunked { shape } => format!(
                "chunked {}",
                shape.iter().map(u64::to_string).collect::<Vec<_>>().join(",")
            ),
        };
        line!(out, "storage {path} {name} {storage}");
        let filters: Vec<_> = layout
            .filters
            .iter()
            .map(|f| {
                let parameters = f.parameters().iter().map(|p| format!(",{p}"));
                let id = f.hdf5_id().unwrap_or_default();
                format!("{id}{}", parameters.collect::<String>())
            })
            .collect();
        line!(out, "filters {path} {name} {}", filters.join("|"));
        let endian = match layout.endian {
            Endian::Little => "little",
            Endian::Big => "big",
        };
        line!(out, "endian {path} {name} {endian}");
        let value = match &layout.fill.value {
            Some(value) => crc(schema, var.ty, value),
            None => "-".into(),
        };
        line!(
            out,
            "fill {path} {name} {} {value}",
            u8::from(layout.fill.no_fill)
        );
    }
    for attribute in &var.attributes {
        print_attribute(out, schema, path, &name, attribute);
    }
    let shape = schema.shape(id);
    if element_count(&shape).is_none_or(|n| n > most) {
        line!(out, "data {path} {name} large");
        return;
    }
    match reader.read_region(id, &Region::whole(&shape)) {
        Ok(values) => line!(out, "data {path} {name} {}", crc(schema, var.ty, &values)),
        Err(e) => line!(out, "data {path} {name} error {e}"),
    }
}

fn print_attribute(
    out: &mut String,
    schema: &Schema,
    path: &str,
    var: &str,
    attribute: &ncutils_core::model::Attribute,
) {
    line!(
        out,
        "att {path} {var}:{} {} {} {}",
        encode(&attribute.name),
        type_name(schema, attribute.ty),
        attribute.length,
        crc(schema, attribute.ty, &attribute.values)
    );
}

fn type_name(schema: &Schema, ty: Type) -> String {
    match ty {
        Type::User(id) => {
            let user = schema.user_type(id);
            format!(
                "{}:{}",
                encode_path(&schema.group_path(user.group)),
                encode(&user.name)
            )
        }
        atomic => atomic.cdl_name().unwrap_or_default().into(),
    }
}

fn class(schema: &Schema, class: &TypeClass) -> String {
    match class {
        TypeClass::Enum { base, members } => {
            let members = members.iter().map(|(n, v)| format!(" {}={v}", encode(n)));
            format!("enum {}{}", type_name(schema, *base), members.collect::<String>())
        }
        TypeClass::Opaque { size } => format!("opaque {size}"),
        TypeClass::Vlen { base } => format!("vlen {}", type_name(schema, *base)),
        TypeClass::Compound { fields, .. } => {
            let fields = fields.iter().map(|f| {
                let dims = f.dims.iter().map(usize::to_string).collect::<Vec<_>>().join(",");
                format!(" {}={}[{dims}]", encode(&f.name), type_name(schema, f.ty))
            });
            format!("compound{}", fields.collect::<String>())
        }
    }
}

/// The length, the CRC-32 and the first bytes of elements.
pub fn crc(schema: &Schema, ty: Type, values: &Values) -> String {
    let size = schema.type_size(ty);
    let mut out = Vec::new();
    for element in values.bytes.chunks_exact(size) {
        flatten(schema, ty, element, values, &mut out);
    }
    let head: String = out.iter().take(24).map(|b| format!("{b:02x}")).collect();
    format!("{} {:08x} {head}", out.len(), libdeflater::crc32(&out))
}

fn flatten(schema: &Schema, ty: Type, element: &[u8], values: &Values, out: &mut Vec<u8>) {
    let class = match ty {
        Type::String => {
            match values.slot_content(Slot::read(element), 1) {
                None => out.extend(u64::MAX.to_le_bytes()),
                Some(text) => {
                    out.extend((text.len() as u64).to_le_bytes());
                    out.extend(text);
                }
            }
            return;
        }
        Type::User(id) => &schema.user_type(id).class,
        _ => return out.extend(element),
    };
    match class {
        TypeClass::Enum { .. } | TypeClass::Opaque { .. } => out.extend(element),
        TypeClass::Vlen { base } => {
            let slot = Slot::read(element);
            let size = schema.type_size(*base);
            out.extend(slot.length.to_le_bytes());
            for member in values
                .slot_content(slot, size)
                .unwrap_or_default()
                .chunks_exact(size)
            {
                flatten(schema, *base, member, values, out);
            }
        }
        TypeClass::Compound { fields, .. } => {
            for field in fields {
                let size = schema.type_size(field.ty);
                let count: usize = field.dims.iter().product();
                for i in 0..count {
                    let at = field.offset + i * size;
                    flatten(schema, field.ty, &element[at..at + size], values, out);
                }
            }
        }
    }
}

/// Percent-encodes all but letters, digits, `_`, `-` and `.`.
fn encode(name: &str) -> String {
    name.bytes()
        .map(|b| match b {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'_' | b'-' | b'.' => char::from(b).to_string(),
            _ => format!("%{b:02X}"),
        })
        .collect()
}

fn encode_path(path: &str) -> String {
    path.split('/').map(encode).collect::<Vec<_>>().join("/")
}
