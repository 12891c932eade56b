//! Strings as arrays of characters: the schema, and the values.

use std::collections::HashMap;

use super::request::ViewRequest;
use crate::chunk::{Region, byte_count, resize};
use crate::copy::plan::char_length;
use crate::copy::strings::cut_strings;
use crate::error::{Error, Result};
use crate::format::Reader;
use crate::model::{
    Attribute, DimId, Dimension, Encoding, SLOT_SIZE, Schema, Slot, Type, Values, VarId, VariableLayout,
};

/// The attribute that tells Python's netCDF4 and xarray how characters make text.
const ENCODING: &str = "_Encoding";

/// The attribute of fill values.
const FILL_VALUE: &str = "_FillValue";

/// A variable of strings that is read as characters.
pub struct CharVariable {
    /// Its layout: it is read by regions.
    pub layout: VariableLayout,
    /// Bytes of each string.
    pub length: u64,
    /// True if longer strings are cut.
    cuts: bool,
    /// True if what was never written is empty text.
    pub fill_is_empty: bool,
}

/// Makes variables and attributes of strings in `schema`, which presents `input`, ones of characters. Each variable has one more
/// dimension, `string5` for strings of 5 bytes, which variables share. Also returns a warning about attributes of several strings.
///
/// # Errors
/// A string that is longer than asked for; the errors of reading, as all strings are read to find the longest.
pub fn make_chars(
    input: &dyn Reader,
    schema: &mut Schema,
    request: &ViewRequest,
) -> Result<(HashMap<VarId, CharVariable>, Option<String>)> {
    let mut chars = HashMap::new();
    let mut dims = HashMap::new();
    for var in (0..schema.vars.len()).map(VarId) {
        if schema.var(var).ty != Type::String {
            continue;
        }
        input.resolve_sources(var)?;
        let layout = input.layout(var);
        let fill = layout.fill.value.as_ref();
        let length = char_length(input, var, fill, request.string_length)
            .map_err(|error| error.in_variable(&input.schema().var_path(var)))?;
        let dim = *dims.entry(length).or_insert_with(|| add_dim(schema, length));
        let mut extent = layout.extent.clone();
        extent.push(length);
        chars.insert(
            var,
            CharVariable {
                layout: VariableLayout::contiguous(extent, 1, Encoding::Structured),
                length,
                cuts: request.string_length.is_some_and(|asked| asked.cut),
                fill_is_empty: fill.is_none_or(|fill| fill.string(0).is_none_or(<[u8]>::is_empty)),
            },
        );
        let var = &mut schema.vars[var.0];
        var.ty = Type::Char;
        var.dims.push(dim);
        // Its value is one string, and that of characters is one of these. Values that were never written are read as text.
        var.attributes.retain(|attribute| attribute.name != FILL_VALUE);
        if var.attributes.iter().all(|attribute| attribute.name != ENCODING) {
            var.attributes.push(Attribute {
                name: ENCODING.to_owned(),
                ty: Type::Char,
                length: "utf-8".len(),
                values: Values::from_text("utf-8"),
            });
        }
    }
    let mut joined = Vec::new();
    let lists = schema
        .groups
        .iter_mut()
        .map(|group| (None, &mut group.attributes));
    let of_vars = schema
        .vars
        .iter_mut()
        .map(|var| (Some(&var.name), &mut var.attributes));
    for (name, list) in lists.chain(of_vars) {
        if list.iter().all(|attribute| attribute.ty != Type::String) {
            continue;
        }
        for attribute in list.iter_mut().filter(|attribute| attribute.ty == Type::String) {
            if attribute.length > 1 {
                joined.push(format!("{}:{}", name.map_or("", |name| name), attribute.name));
            }
            let text = joined_text(&attribute.values);
            *attribute = Attribute {
                name: std::mem::take(&mut attribute.name),
                ty: Type::Char,
                length: text.len(),
                values: Values::from_bytes(text),
            };
        }
    }
    let warning = (!joined.is_empty()).then(|| {
        format!(
            "attributes of several strings became text with a line for each: {}",
            joined.join(", ")
        )
    });
    Ok((chars, warning))
}

/// The dimension for strings of `length` bytes. Its name is no other dimension's.
fn add_dim(schema: &mut Schema, length: u64) -> DimId {
    let mut name = format!("string{length}");
    while schema.dims.iter().any(|dim| dim.name == name) {
        name.push('_');
    }
    schema.add_dim(Dimension {
        name,
        group: Schema::ROOT,
        length,
        unlimited: false,
    })
}

/// The strings of an attribute, a line each.
fn joined_text(values: &Values) -> Vec<u8> {
    let slots = 0..values.bytes.len() / SLOT_SIZE;
    let strings: Vec<&[u8]> = slots
        .map(|n| values.string(n * SLOT_SIZE).unwrap_or_default())
        .collect();
    strings.join(&b'\n')
}

impl CharVariable {
    /// The characters of a region. `input` is the variable of strings.
    ///
    /// # Errors
    /// The errors of reading, and a region larger than memory.
    pub fn read_region(&self, input: &dyn Reader, var: VarId, region: &Region) -> Result<Values> {
        let (Some((&from, start)), Some((&count, counts))) =
            (region.start.split_last(), region.count.split_last())
        else {
            return Err(Error::Internal(
                "a region of characters without a dimension".into(),
            ));
        };
        let of_strings = Region {
            start: start.to_vec(),
            count: counts.to_vec(),
        };
        let mut strings = input.read_region(var, &of_strings)?;
        if self.cuts {
            cut_strings(&mut strings, self.length);
        }
        let too_large = || Error::Unsupported("a region larger than memory".into());
        let length = byte_count(&region.count, 1).ok_or_else(too_large)?;
        let mut bytes = Vec::new();
        resize(&mut bytes, length)?;
        let (from, count) = (from as usize, count as usize);
        for (slot, chars) in strings
            .bytes
            .chunks_exact(SLOT_SIZE)
            .zip(bytes.chunks_exact_mut(count.max(1)))
        {
            let text = strings.slot_content(Slot::read(slot), 1).unwrap_or_default();
            let shown = text.get(from..).unwrap_or_default();
            let shown = &shown[..shown.len().min(count)];
            chars[..shown.len()].copy_from_slice(shown);
        }
        Ok(Values::from_bytes(bytes))
    }
}
