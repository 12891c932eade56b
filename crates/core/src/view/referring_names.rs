//! Attributes that name variables and dimensions, whose text follows when these are renamed.

use crate::model::{Attribute, Attributes, GroupId, Referring, Schema, Type, Values};

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
    fn in_text(&self, group: GroupId, text: &str, referring: Referring) -> Option<String> {
        let mut changed = false;
        let words = text.split(' ').map(|word| {
            let name = referring.name_in(word);
            let new = name.and_then(|name| Some((name, self.of(group, name)?)));
            match new.filter(|(name, new)| name != new) {
                Some((name, new)) => {
                    changed = true;
                    format!("{new}{}", &word[name.len()..])
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
        let referring = Referring::named(&attribute.name)?;
        let mut texts = attribute.texts();
        let text = texts
            .next()
            .filter(|_| attribute.ty == Type::Char || attribute.length == 1)?;
        let text = names.in_text(group, text, referring)?;
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
