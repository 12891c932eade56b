//! Compares two datasets of any formats: structure, then values, on all cores.
//!
//! ```text
//! groups, attributes, types, dimensions ─► lines
//! two variables ─► compare_values ───────► a line
//! ```

use super::elements::{self, Difference, Equality};
use super::options::CompareOptions;
use super::values::{compare_sides, resolve_sources};
use crate::chunk::Region;
use crate::error::Result;
use crate::filter::Registry;
use crate::format::Reader;
use crate::integrity::chosen::chosen;
use crate::integrity::digest::absolute;
use crate::integrity::digest::type_text;
use crate::model::{Attribute, Attributes, GroupId, NamePattern, Schema, Type, VarId};
use crate::print::{attribute_excerpt, number_excerpt};
use crate::stream::position;

/// A dataset to compare, and its name in messages.
#[derive(Clone, Copy)]
pub struct Named<'a> {
    /// The dataset.
    pub reader: &'a dyn Reader,
    /// The name, as the user typed it.
    pub name: &'a str,
}

/// Compares two datasets, and tells each difference to `found` as a line. Returns the number of differences.
/// Where a line has something of both datasets, that of `a` comes first.
/// With names in `only`, these variables alone are compared.
///
/// # Errors
/// A name that neither dataset has. If a value cannot be read. The error names the dataset.
pub fn compare(
    a: Named,
    b: Named,
    only: &[NamePattern],
    registry: &Registry,
    options: &CompareOptions,
    found: &mut dyn FnMut(String),
) -> Result<u64> {
    compare_with_values_of(a, b, only, &|_| true, registry, options, found)
}

/// Like [`compare`], with the values of those variables of `a` alone for which `has_values` is true.
///
/// # Errors
/// Those of [`compare`].
pub fn compare_with_values_of(
    a: Named,
    b: Named,
    only: &[NamePattern],
    has_values: &dyn Fn(VarId) -> bool,
    registry: &Registry,
    options: &CompareOptions,
    found: &mut dyn FnMut(String),
) -> Result<u64> {
    let mut count = 0;
    let mut tell = |line: String| {
        count += 1;
        found(line);
    };
    let (first, second) = (a.reader.schema(), b.reader.schema());
    let [firsts, seconds] = chosen([first, second], only)?;
    if only.is_empty() {
        compare_groups(a, b, options.equality, &mut tell);
    }
    for id in seconds {
        if first.var_at(&second.var_path(id)).is_none() {
            let path = absolute(second, id);
            tell(format!("{path}: only in {}", b.name));
        }
    }
    for id in firsts {
        let (var, path) = (first.var(id), absolute(first, id));
        let Some(other_id) = second.var_at(&first.var_path(id)) else {
            tell(format!("{path}: only in {}", a.name));
            continue;
        };
        let other = second.var(other_id);
        compare_attributes(
            (a, &var.attributes),
            (b, &other.attributes),
            &path,
            options.equality,
            &mut tell,
        );
        let types = (type_text(first, var.ty), type_text(second, other.ty));
        if types.0 != types.1 {
            tell(format!("{path}: type {} and {}", types.0, types.1));
        }
        let dims = (dims_text(first, id), dims_text(second, other_id));
        if dims.0 != dims.1 {
            tell(format!("{path}: dimensions ({}) and ({})", dims.0, dims.1));
        }
        if types.0 != types.1 || first.shape(id) != second.shape(other_id) {
            // Sources that cannot be read may be why the lengths differ.
            resolve_sources((a.reader, id), Some(a.name))?;
            resolve_sources((b.reader, other_id), Some(b.name))?;
            continue;
        }
        if !has_values(id) {
            continue;
        }
        let (difference, _) = compare_sides(
            (a.reader, id),
            (b.reader, other_id),
            [Some(a.name), Some(b.name)],
            registry,
            options,
        )?;
        if let Some(text) = difference_text(&difference, &first.shape(id)) {
            tell(format!("{path}: {text}"));
        }
    }
    Ok(count)
}

fn compare_groups(a: Named, b: Named, equality: Equality, tell: &mut dyn FnMut(String)) {
    let (first, second) = (a.reader.schema(), b.reader.schema());
    for (n, group) in first.groups.iter().enumerate() {
        let path = first.group_path(GroupId(n));
        match second.group_at(&path) {
            None => tell(format!("group {path}: only in {}", a.name)),
            Some(other) => {
                let other = &second.group(other).attributes;
                compare_attributes((a, &group.attributes), (b, other), &path, equality, tell);
            }
        }
    }
    for n in 0..second.groups.len() {
        let path = second.group_path(GroupId(n));
        if first.group_at(&path).is_none() {
            tell(format!("group {path}: only in {}", b.name));
        }
    }
}

/// A difference as a clause; `None` if nothing differs.
pub fn difference_text(difference: &Difference, shape: &[u64]) -> Option<String> {
    let (at, x, y) = difference.first.as_ref()?;
    let total = shape.iter().fold(1u64, |n, length| n.saturating_mul(*length));
    let at = position(&Region::whole(shape), usize::try_from(*at).ok()?);
    let at: Vec<String> = at.iter().map(u64::to_string).collect();
    let largest = match difference.largest {
        Some(largest) => format!("; largest difference {}", number_excerpt(largest)),
        None => String::new(),
    };
    Some(format!(
        "{} of {total} elements differ; first [{}]: {x} and {y}{largest}",
        difference.count,
        at.join(", ")
    ))
}

fn dims_text(schema: &Schema, id: VarId) -> String {
    let dims = schema.var(id).dims.iter().map(|dim| schema.dim(*dim));
    let texts: Vec<String> = dims.map(|dim| format!("{}={}", dim.name, dim.length)).collect();
    texts.join(", ")
}

fn compare_attributes(
    (first, a): (Named, &Attributes),
    (second, b): (Named, &Attributes),
    path: &str,
    equality: Equality,
    tell: &mut dyn FnMut(String),
) {
    for one in a.iter() {
        let name = &one.name;
        match b.iter().find(|other| other.name == *name) {
            None => tell(format!("{path}: attribute {name}: only in {}", first.name)),
            Some(other) => {
                let one = (first.reader.schema(), one);
                if let Some(text) = attribute_difference(one, (second.reader.schema(), other), equality) {
                    tell(format!("{path}: attribute {name}: {text}"));
                }
            }
        }
    }
    for other in b.iter() {
        if !a.iter().any(|one| one.name == other.name) {
            tell(format!(
                "{path}: attribute {}: only in {}",
                other.name, second.name
            ));
        }
    }
}

/// Both values of two attributes that differ, with their types where these differ; `None` if the attributes are the same.
fn attribute_difference(
    (first, a): (&Schema, &Attribute),
    (second, b): (&Schema, &Attribute),
    equality: Equality,
) -> Option<String> {
    let types = (type_text(first, a.ty), type_text(second, b.ty));
    let (x, y) = (attribute_excerpt(first, a), attribute_excerpt(second, b));
    if types.0 != types.1 {
        return Some(format!("{} {x} and {} {y}", types.0, types.1));
    }
    // NCZarr has one form for a text without bytes and a text of one NUL.
    if [a, b]
        .iter()
        .all(|one| one.ty == Type::Char && matches!(&one.values.bytes[..], [] | [0]))
    {
        return None;
    }
    let compared = elements::compare((first, a.ty, &a.values), (second, b.ty, &b.values), equality);
    match a.length != b.length || compared.count > 0 {
        true => Some(format!("{x} and {y}")),
        false => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Kind, Values};

    #[test]
    fn attributes_are_told_with_both_values() {
        let schema = Schema::new(Kind::Netcdf4);
        let attribute = |ty, length, bytes: &[u8]| Attribute {
            name: "a".into(),
            ty,
            length,
            values: Values::from_bytes(bytes.to_vec()),
        };
        let told = |a: &Attribute, b: &Attribute, equality| {
            attribute_difference((&schema, a), (&schema, b), equality).unwrap_or_default()
        };
        let (kelvin, celsius) = (attribute(Type::Char, 1, b"K"), attribute(Type::Char, 5, b"deg C"));
        assert_eq!(told(&kelvin, &celsius, Equality::Values), "\"K\" and \"deg C\"");
        let (none, nul) = (attribute(Type::Char, 0, b""), attribute(Type::Char, 1, b"\0"));
        assert_eq!(told(&none, &nul, Equality::Bits), "");
        let double = |n: f64| attribute(Type::Double, 1, &n.to_le_bytes());
        let nan = f64::from_bits(0x7ff8_0000_0000_0001);
        assert_eq!(told(&double(1.0), &double(1.5), Equality::Values), "1. and 1.5");
        assert_eq!(told(&double(f64::NAN), &double(nan), Equality::Values), "");
        assert_eq!(
            told(&double(f64::NAN), &double(nan), Equality::Bits),
            "NaN and NaN"
        );
        let within = Equality::Within {
            absolute: 0.5,
            relative: 0.0,
        };
        assert_eq!(told(&double(1.0), &double(1.5), within), "");
        let int = attribute(Type::Int, 1, &1i32.to_le_bytes());
        assert_eq!(told(&double(1.0), &int, within), "double 1. and int 1");
    }
}
