//! Names in Unicode's normalization form C, which netCDF-C gives to every name that it is asked for. It finds no other.

use std::collections::HashSet;

use unicode_normalization::{UnicodeNormalization, is_nfc};

use crate::error::{Error, Result};
use crate::message::{MOST_NAMED, some_of};
use crate::model::{Attributes, Schema, TypeClass};

/// A name in form C; `None` if it is that already.
pub fn normalized(name: &str) -> Option<String> {
    (!name.is_ascii() && !is_nfc(name)).then(|| name.nfc().collect())
}

/// Normalizes all names of a schema, and adds a warning if any was not.
///
/// # Errors
/// Two items of one sort that would have the same name.
pub fn normalize(schema: &mut Schema) -> Result<()> {
    let mut names = NormalizedNames::default();
    for group in &mut schema.groups {
        let parent = group.parent.map_or(0, |parent| parent.0);
        names.normalize("group", parent, &mut group.name)?;
    }
    for dim in &mut schema.dims {
        names.normalize("dimension", dim.group.0, &mut dim.name)?;
    }
    for (n, ty) in schema.types.iter_mut().enumerate() {
        names.normalize("type", ty.group.0, &mut ty.name)?;
        match &mut ty.class {
            TypeClass::Compound { fields, .. } => {
                for field in fields {
                    names.normalize("field", n, &mut field.name)?;
                }
            }
            TypeClass::Enum { members, .. } => {
                for (name, _) in members {
                    names.normalize("member", n, name)?;
                }
            }
            TypeClass::Vlen { .. } | TypeClass::Opaque { .. } => {}
        }
    }
    for (n, group) in schema.groups.iter_mut().enumerate() {
        names.attributes("attribute of a group", n, &mut group.attributes)?;
    }
    for (n, var) in schema.vars.iter_mut().enumerate() {
        names.normalize("variable", var.group.0, &mut var.name)?;
        names.attributes("attribute of a variable", n, &mut var.attributes)?;
    }
    schema.warnings.extend(names.into_warning());
    Ok(())
}

/// Names that are no ASCII, and those that were changed.
#[derive(Default)]
struct NormalizedNames {
    /// Each name with the sort of its item, and the number of what the item belongs to.
    seen: HashSet<(&'static str, usize, String)>,
    told: Vec<String>,
    count: usize,
}

impl NormalizedNames {
    fn attributes(&mut self, sort: &'static str, owner: usize, attributes: &mut Attributes) -> Result<()> {
        // Attributes that variables share stay so.
        if attributes.iter().any(|attribute| !attribute.name.is_ascii()) {
            for attribute in attributes.iter_mut() {
                self.normalize(sort, owner, &mut attribute.name)?;
            }
        }
        Ok(())
    }

    fn normalize(&mut self, sort: &'static str, owner: usize, name: &mut String) -> Result<()> {
        if name.is_ascii() {
            return Ok(());
        }
        if let Some(normal) = normalized(name) {
            self.count += 1;
            if self.told.len() < MOST_NAMED {
                self.told.push(normal.escape_debug().to_string());
            }
            *name = normal;
        }
        match self.seen.insert((sort, owner, name.clone())) {
            true => Ok(()),
            false => Err(Error::Usage(format!(
                "two names are one to netCDF-C, which normalizes them: {sort} {name}; rename one"
            ))),
        }
    }

    fn into_warning(self) -> Option<String> {
        (self.count > 0).then(|| {
            format!(
                "names are normalized (Unicode NFC), as netCDF-C finds no others: {}",
                some_of(&self.told, self.count)
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Dimension, Kind};

    #[test]
    fn names_are_normalized_and_stay_different() {
        let named = |names: &[&str]| {
            let mut schema = Schema::new(Kind::Nczarr);
            for name in names {
                schema.add_dim(Dimension {
                    name: (*name).to_owned(),
                    group: Schema::ROOT,
                    length: 1,
                    unlimited: false,
                });
            }
            schema
        };
        let mut schema = named(&["cafe\u{301}", "caf\u{e9}s", "x"]);
        normalize(&mut schema).unwrap();
        assert_eq!(schema.dims[0].name, "caf\u{e9}");
        assert!(
            schema.warnings[0].ends_with(": caf\u{e9}"),
            "{:?}",
            schema.warnings
        );
        let mut schema = named(&["caf\u{e9}", "x"]);
        normalize(&mut schema).unwrap();
        assert!(schema.warnings.is_empty());
        let error = normalize(&mut named(&["e\u{301}", "\u{e9}"]))
            .unwrap_err()
            .to_string();
        assert!(error.contains("two names are one to netCDF-C"), "{error}");
    }
}
