//! Checks that a classic file can hold a dataset, before anything is written.

use std::collections::HashSet;

use super::MAX_VARIABLE_RANK;
use super::variable_position::slabs;
use super::version::Version;
use crate::error::{Error, Result};
use crate::model::{Attribute, DimId, Item, Kind, Schema, Type, TypeId, VarId, name_fault};

/// Checks that `schema` can be written as a file of its kind. Kinds that are not classic pass.
///
/// # Errors
/// Names the group, type, dimension, variable or attribute that the kind cannot hold, and a kind that can.
pub fn check(schema: &Schema) -> Result<()> {
    let Some(version) = Version::of(schema.kind) else {
        return Ok(());
    };
    let cannot = |what: String| Error::Usage(format!("a {} file cannot hold {what}", schema.kind.name()));
    if let Some(id) = schema.group(Schema::ROOT).children.first() {
        let path = schema.group_path(*id);
        return Err(cannot(format!("group {path}; use the kind netCDF-4")).about(Item::Group(*id)));
    }
    if let Some(ty) = schema.types.first() {
        let name = &ty.name;
        return Err(
            cannot(format!("the user-defined type {name}; use the kind netCDF-4"))
                .about(Item::Type(TypeId(0))),
        );
    }
    dimensions(schema, version)?;
    attributes(schema, version, &schema.group(Schema::ROOT).attributes, |n| {
        Item::GroupAttribute(Schema::ROOT, n)
    })?;
    let mut names = HashSet::new();
    for id in &schema.group(Schema::ROOT).vars {
        let var = schema.var(*id);
        check_name("variable", &var.name).map_err(|e| e.about(Item::Variable(*id)))?;
        variable(schema, version, *id)
            .and_then(|()| {
                attributes(schema, version, &var.attributes, |n| {
                    Item::VariableAttribute(*id, n)
                })
            })
            .and_then(|()| unique(&mut names, "variable", &var.name))
            .map_err(|e| e.about(Item::Variable(*id)))
            .map_err(|e| e.in_variable(&var.name))?;
    }
    sizes(schema, version)
}

fn dimensions(schema: &Schema, version: Version) -> Result<()> {
    let mut unlimited = None;
    let mut names = HashSet::new();
    for id in &schema.group(Schema::ROOT).dims {
        dimension(schema, version, *id, &mut unlimited, &mut names)
            .map_err(|e| e.about(Item::Dimension(*id)))?;
    }
    Ok(())
}

/// Checks one dimension. `unlimited` and `names` collect those of the dimensions before it.
fn dimension<'s>(
    schema: &'s Schema,
    version: Version,
    id: DimId,
    unlimited: &mut Option<&'s str>,
    names: &mut HashSet<&'s str>,
) -> Result<()> {
    let longest = schema.kind.can().longest_dimension;
    let dim = schema.dim(id);
    let name = dim.name.as_str();
    check_name("dimension", name)?;
    unique(names, "dimension", name)?;
    let kind = schema.kind.name();
    if dim.unlimited {
        if let Some(other) = unlimited.replace(name) {
            return Err(Error::Usage(format!(
                "dimensions {other} and {name} are both unlimited; a {kind} file can hold one unlimited dimension; \
                 use the kind netCDF-4, or give one a fixed length"
            )));
        }
        if dim.length >= version.streaming() {
            return Err(Error::Usage(format!(
                "dimension {name}: {} records are more than a {kind} file can hold; use the kind {}",
                dim.length,
                Kind::Data64.name()
            )));
        }
    } else if dim.length == 0 {
        return Err(Error::Usage(format!(
            "dimension {name} has length 0, which in a {kind} file only the unlimited dimension can have"
        )));
    } else if dim.length > longest {
        return Err(Error::can_be_left_out(format!(
            "dimension {name}: its length {} is over the {longest} of a {kind} file; {}",
            dim.length,
            larger(version)
        )));
    }
    Ok(())
}

/// The advice for sizes that are too large for `version`.
fn larger(version: Version) -> String {
    match version {
        Version::Classic => format!(
            "use the kind {}, {} or netCDF-4",
            Kind::Offset64.name(),
            Kind::Data64.name()
        ),
        Version::Offset64 => format!("use the kind {} or netCDF-4", Kind::Data64.name()),
        Version::Data64 => "use the kind netCDF-4".to_owned(),
    }
}

fn check_type(schema: &Schema, version: Version, ty: Type) -> Result<()> {
    if version.type_code(ty).is_some() {
        return Ok(());
    }
    let kind = schema.kind.name();
    Err(Error::Usage(match ty.cdl_name() {
        Some("string") => format!("its type string cannot be in a {kind} file; use the kind netCDF-4"),
        Some(name) => format!(
            "its type {name} cannot be in a {kind} file; use the kind {} or netCDF-4",
            Kind::Data64.name()
        ),
        None => format!("its user-defined type cannot be in a {kind} file; use the kind netCDF-4"),
    }))
}

/// Checks a list of attributes. `item` identifies the `n`th one.
fn attributes(
    schema: &Schema,
    version: Version,
    attributes: &[Attribute],
    item: impl Fn(usize) -> Item,
) -> Result<()> {
    let mut names = HashSet::new();
    for (n, attribute) in attributes.iter().enumerate() {
        check_attribute(schema, version, attribute)
            .and_then(|()| unique(&mut names, "attribute", &attribute.name))
            .map_err(|e| e.about(item(n)))?;
    }
    Ok(())
}

fn check_attribute(schema: &Schema, version: Version, attribute: &Attribute) -> Result<()> {
    let name = &attribute.name;
    check_name("attribute", name)?;
    check_type(schema, version, attribute.ty).map_err(|e| Error::Usage(format!("attribute {name}: {e}")))?;
    let size = attribute.ty.atomic_size();
    if attribute.length.checked_mul(size) != Some(attribute.values.bytes.len()) {
        return Err(Error::Usage(format!(
            "attribute {name}: {} bytes for {} elements of {size}",
            attribute.values.bytes.len(),
            attribute.length
        )));
    }
    if version != Version::Data64 && attribute.values.bytes.len() > i32::MAX as usize - 3 {
        return Err(Error::Usage(format!(
            "attribute {name}: {} bytes are more than a {} file can hold; use the kind {}",
            attribute.values.bytes.len(),
            schema.kind.name(),
            Kind::Data64.name()
        )));
    }
    Ok(())
}

fn variable(schema: &Schema, version: Version, id: VarId) -> Result<()> {
    let var = schema.var(id);
    check_type(schema, version, var.ty)?;
    if let Some(dim) = var
        .dims
        .iter()
        .skip(1)
        .map(|d| schema.dim(*d))
        .find(|d| d.unlimited)
    {
        return Err(Error::Usage(format!(
            "its unlimited dimension {} is not the first one, as it must be in a {} file; use the kind netCDF-4, or \
             give it a fixed length",
            dim.name,
            schema.kind.name()
        )));
    }
    if var.dims.len() > MAX_VARIABLE_RANK {
        let rank = var.dims.len();
        return Err(Error::Usage(format!(
            "{rank} dimensions; netCDF allows {MAX_VARIABLE_RANK}"
        )));
    }
    Ok(())
}

/// Checks the sizes of variables. CDF-1 and CDF-2 limit the bytes of a variable (in one record for a record
/// variable). Only the last record variable may exceed the limit, or without record variables the last
/// variable.
fn sizes(schema: &Schema, version: Version) -> Result<()> {
    let kind = schema.kind.name();
    let limit = match version {
        Version::Classic => i32::MAX as u64 - 3,
        Version::Offset64 => u64::from(u32::MAX) - 3,
        Version::Data64 => i64::MAX as u64 - 3,
    };
    let named = |i: usize, e: Error| match schema.vars.get(i) {
        Some(var) => e.about(Item::Variable(VarId(i))).in_variable(&var.name),
        None => e,
    };
    let slabs =
        slabs(schema).map_err(|i| named(i, Error::Usage("larger than any file can be".to_owned())))?;
    let order = || schema.group(Schema::ROOT).vars.iter().map(|id| id.0);
    let any_record = slabs.iter().any(|s| s.1);
    let last = order().rfind(|i| slabs[*i].1 == any_record);
    for i in order() {
        let (size, record) = slabs[i];
        if size <= limit || (Some(i) == last && version != Version::Data64) {
            continue;
        }
        let what = if record { "bytes a record" } else { "bytes" };
        let rule = match (version, any_record) {
            (Version::Data64, _) => "",
            (_, true) => ", except in its last record variable",
            (_, false) => ", except in its last variable",
        };
        let e = Error::can_be_left_out(format!(
            "{size} {what}; a {kind} file can hold {limit}{rule}; {}",
            larger(version)
        ));
        return Err(named(i, e));
    }
    Ok(())
}

fn unique<'a>(names: &mut HashSet<&'a str>, what: &str, name: &'a str) -> Result<()> {
    if names.insert(name) {
        return Ok(());
    }
    Err(Error::Usage(format!("two {what}s are named {name}")))
}

fn check_name(what: &str, name: &str) -> Result<()> {
    match name_fault(name) {
        None => Ok(()),
        Some(why) => Err(Error::Usage(format!("{what} {name:?}: {why}"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Dimension, Group, TypeClass, UserType, Values, Variable};

    fn schema(kind: Kind, dims: &[(&str, u64, bool)], vars: &[(&str, Type, &[usize])]) -> Schema {
        let mut schema = Schema::new(kind);
        for (name, length, unlimited) in dims {
            schema.add_dim(Dimension {
                name: (*name).to_owned(),
                group: Schema::ROOT,
                length: *length,
                unlimited: *unlimited,
            });
        }
        for (name, ty, dims) in vars {
            schema.add_var(Variable {
                name: (*name).to_owned(),
                group: Schema::ROOT,
                ty: *ty,
                dims: dims.iter().map(|d| crate::model::DimId(*d)).collect(),
                attributes: Vec::new().into(),
            });
        }
        schema
    }

    fn refused(schema: &Schema) -> String {
        check(schema).unwrap_err().to_string()
    }

    #[test]
    fn what_is_missing_from_the_classic_model_is_named() {
        let mut s = schema(Kind::Classic, &[], &[]);
        s.add_group(Schema::ROOT, "forecast");
        assert!(refused(&s).contains("group /forecast"));
        s.kind = Kind::Netcdf4;
        check(&s).unwrap();

        let mut s = schema(Kind::Data64, &[], &[]);
        s.add_type(UserType {
            name: "cell".into(),
            group: Schema::ROOT,
            class: TypeClass::Opaque { size: 4 },
        });
        assert!(refused(&s).contains("type cell"));

        let s = schema(Kind::Offset64, &[("t", 3, true), ("u", 0, true)], &[]);
        assert!(refused(&s).contains("t and u"));
        let s = schema(
            Kind::Classic,
            &[("t", 3, true), ("x", 2, false)],
            &[("v", Type::Int, &[1, 0])],
        );
        assert!(refused(&s).starts_with("variable v: its unlimited dimension t"));
        let s = schema(Kind::Classic, &[("x", 0, false)], &[]);
        assert!(refused(&s).contains("dimension x has length 0"));
    }

    #[test]
    fn types_depend_on_the_kind() {
        let of = |kind, ty| check(&schema(kind, &[], &[("v", ty, &[])]));
        assert!(
            of(Kind::Offset64, Type::UByte)
                .unwrap_err()
                .to_string()
                .contains("cdf5")
        );
        of(Kind::Data64, Type::UByte).unwrap();
        of(Kind::Data64, Type::UInt64).unwrap();
        assert!(
            of(Kind::Data64, Type::String)
                .unwrap_err()
                .to_string()
                .contains("string")
        );

        let mut s = schema(Kind::Classic, &[], &[("v", Type::Int, &[])]);
        s.vars[0].attributes.push(Attribute {
            name: "history".into(),
            ty: Type::String,
            length: 1,
            values: Values::from_strings([Some(&b"x"[..])]),
        });
        assert!(refused(&s).starts_with("variable v: attribute history: its type string"));
    }

    #[test]
    fn only_the_last_variable_may_be_too_large() {
        let dims = [
            ("t", 2, true),
            ("x", 1 << 29, false),
            ("y", 1 << 30, false),
            ("s", 2, false),
        ];
        let of = |kind, vars: &[(&str, Type, &[usize])]| {
            check(&schema(kind, &dims, vars)).map_err(|e| e.to_string())
        };
        let (small, large, huge): (&[_], &[_], &[_]) = (&[3], &[1], &[2]);
        // 2 GiB each.
        of(Kind::Classic, &[("a", Type::Int, small), ("b", Type::Int, large)]).unwrap();
        let e = of(Kind::Classic, &[("b", Type::Int, large), ("a", Type::Int, small)]).unwrap_err();
        assert!(e.starts_with("variable b: 2147483648 bytes;"), "{e}");
        of(
            Kind::Offset64,
            &[("b", Type::Int, large), ("a", Type::Int, small)],
        )
        .unwrap();
        // 4 GiB.
        let e = of(Kind::Offset64, &[("b", Type::Int, huge), ("a", Type::Int, small)]).unwrap_err();
        assert!(e.contains("cdf5"), "{e}");
        of(Kind::Data64, &[("b", Type::Int, huge), ("a", Type::Int, small)]).unwrap();
        // With record variables, a variable of fixed size is never the last one.
        let e = of(Kind::Classic, &[("r", Type::Int, &[0]), ("b", Type::Int, large)]).unwrap_err();
        assert!(e.contains("last record variable"), "{e}");
        of(
            Kind::Classic,
            &[("r", Type::Int, &[0]), ("b", Type::Int, &[0, 1])],
        )
        .unwrap();
        let e = of(
            Kind::Classic,
            &[("b", Type::Int, &[0, 1]), ("r", Type::Int, &[0])],
        )
        .unwrap_err();
        assert!(e.contains("bytes a record"), "{e}");
    }

    #[test]
    fn names() {
        for name in [
            "a",
            "_x",
            "9lives",
            "Größe",
            "日本",
            "a b+c.d@e",
            &"n".repeat(256),
        ] {
            check_name("variable", name).unwrap();
        }
        for name in ["", " a", "a ", "a/b", ".a", "a\n", "\u{7f}a", &"n".repeat(257)] {
            assert!(check_name("variable", name).is_err(), "{name:?}");
        }
        let s = schema(
            Kind::Classic,
            &[],
            &[("v", Type::Int, &[]), ("v", Type::Int, &[])],
        );
        assert!(refused(&s).contains("two variables are named v"));
        let mut s = schema(Kind::Classic, &[], &[]);
        s.groups[0] = Group::default();
        check(&s).unwrap();
    }
}
