//! Attributes that name variables and dimensions, whose text follows when these are renamed.

use crate::model::{Attribute, Attributes, GroupId, Schema, Type, Values};

/// The words of an attribute that are names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Names {
    /// Those that end in a colon: `time: mean`.
    Keys,
    /// The others: `area: areacella`.
    Values,
    /// All: `crs: lat lon`.
    All,
}

/// The attributes of the CF conventions (1.11, appendix A) that name variables or dimensions.
const REFERRING: [(&str, Names); 16] = [
    ("ancillary_variables", Names::Values),
    ("bounds", Names::Values),
    ("cell_measures", Names::Values),
    ("cell_methods", Names::Keys),
    ("climatology", Names::Values),
    ("compress", Names::Values),
    ("coordinates", Names::Values),
    ("formula_terms", Names::Values),
    ("geometry", Names::Values),
    ("grid_mapping", Names::All),
    ("instance_dimension", Names::Values),
    ("interior_ring", Names::Values),
    ("node_coordinates", Names::Values),
    ("node_count", Names::Values),
    ("part_node_count", Names::Values),
    ("sample_dimension", Names::Values),
];

/// A schema before and after its items were renamed. Items have equal numbers in both.
pub struct NewNames<'a> {
    /// The schema whose names the attributes hold.
    pub before: &'a Schema,
    /// The schema with the names to put in their place.
    pub after: &'a Schema,
}

impl NewNames<'_> {
    /// The new name of what `name` means in `group`: a path, or a variable or dimension of the group or the nearest one
    /// around it. `None` if it means nothing.
    fn of(&self, group: GroupId, name: &str) -> Option<&str> {
        let schema = self.before;
        if name.contains('/') {
            let path = match name.starts_with('/') {
                true => name.to_owned(),
                false => schema.path_in(group, name),
            };
            return schema.var_at(&path).map(|var| &*self.after.var(var).name);
        }
        schema.around(group).find_map(|group| {
            let group = schema.group(group);
            let var = group.vars.iter().find(|var| schema.var(**var).name == name);
            let dim = group.dims.iter().find(|dim| schema.dim(**dim).name == name);
            let var = var.map(|var| &*self.after.var(*var).name);
            var.or_else(|| dim.map(|dim| &*self.after.dim(*dim).name))
        })
    }

    /// `text`, an attribute's in `group`, with new names; `None` if none of its words has one.
    fn in_text(&self, group: GroupId, text: &str, names: Names) -> Option<String> {
        let mut changed = false;
        let words = text.split(' ').map(|word| {
            let (name, colon) = match word.strip_suffix(':') {
                Some(name) => (name, ":"),
                None => (word, ""),
            };
            let is_meant = match names {
                Names::Keys => colon == ":",
                Names::Values => colon.is_empty(),
                Names::All => true,
            };
            match self.of(group, name).filter(|new| is_meant && *new != name) {
                Some(new) => {
                    changed = true;
                    format!("{new}{colon}")
                }
                None => word.to_owned(),
            }
        });
        let words: Vec<_> = words.collect();
        changed.then(|| words.join(" "))
    }
}

/// The attributes of a variable in `group`, with the new names of what they refer to.
pub fn rename_in(attributes: &Attributes, group: GroupId, names: &NewNames<'_>) -> Attributes {
    let renamed = |attribute: &Attribute| {
        let (_, words) = REFERRING.iter().find(|(name, _)| *name == attribute.name)?;
        let text = match attribute.ty {
            Type::Char => std::str::from_utf8(&attribute.values.bytes).ok()?,
            Type::String if attribute.length == 1 => std::str::from_utf8(attribute.values.string(0)?).ok()?,
            _ => return None,
        };
        let text = names.in_text(group, text, *words)?;
        Some(match attribute.ty {
            Type::Char => Attribute {
                length: text.len(),
                values: Values::from_text(&text),
                ..attribute.clone()
            },
            _ => Attribute {
                values: Values::from_strings([Some(text.as_bytes())]),
                ..attribute.clone()
            },
        })
    };
    if attributes.iter().all(|attribute| renamed(attribute).is_none()) {
        return attributes.clone();
    }
    let new = |attribute: &Attribute| renamed(attribute).unwrap_or_else(|| attribute.clone());
    attributes.iter().map(new).collect()
}
