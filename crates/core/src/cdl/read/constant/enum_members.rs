//! Resolves names of enum members in lists: `Clear`, `cloud.Clear`, `/g/cloud.Clear`.
//!
//! The list expects values of one enum, so a name need not include the enum. If it does, it must be that enum.

use std::collections::HashMap;
use std::sync::OnceLock;

use crate::model::{Schema, Type, TypeClass, TypeId};

use crate::cdl::read::syntax::names;
use crate::cdl::read::syntax::similar::question;

/// The name that ncdump prints for a value without a member. It is taken as zero, the fill value of enums.
const UNDEFINED: &str = "_UNDEFINED";

/// Maximum number of members listed in a message.
const FEW: usize = 8;

/// Enum members of a schema by name. The map of each enum is made at its first use.
#[derive(Debug)]
pub struct EnumConstants {
    enums: Vec<OnceLock<HashMap<String, i64>>>,
}

impl EnumConstants {
    /// The members of all enums of a schema.
    pub fn new(schema: &Schema) -> Self {
        let mut enums = Vec::new();
        enums.resize_with(schema.types.len(), OnceLock::new);
        Self { enums }
    }

    /// No members.
    pub fn none() -> Self {
        Self { enums: Vec::new() }
    }

    /// The value of the name `spelled`, and its type, where a value of the enum `id` is expected. `schema` must be the
    /// one that this was made from.
    ///
    /// # Errors
    /// The message that the enum has no such member.
    pub fn value(&self, schema: &Schema, id: TypeId, spelled: &[u8]) -> Result<(i64, Type), String> {
        let ty = schema.user_type(id);
        let TypeClass::Enum { base, members } = &ty.class else {
            return Err(format!("'{}' is not an enum", ty.name));
        };
        let sorted = || members.iter().cloned().collect();
        let Some(by_name) = self.enums.get(id.0).map(|e| e.get_or_init(sorted)) else {
            return Err("a type of another schema".into());
        };
        let latin: String = last_of_path(spelled).iter().map(|b| char::from(*b)).collect();
        let name = names::inner_name(&latin)?;
        let member = name
            .strip_prefix(ty.name.as_str())
            .and_then(|n| n.strip_prefix('.'));
        let value = by_name
            .get(&name)
            .or_else(|| member.and_then(|member| by_name.get(member)))
            .copied()
            .or_else(|| (member.unwrap_or(&name) == UNDEFINED).then_some(0));
        value.map(|value| (value, *base)).ok_or_else(|| {
            let name = member.unwrap_or(&name);
            let names = || members.iter().map(|(name, _)| name.as_str());
            let few = match members.len() <= FEW {
                true => format!(": it has {}", names().collect::<Vec<_>>().join(", ")),
                false => question(name, names()),
            };
            format!("the enum '{}' has no member '{name}'{few}", ty.name)
        })
    }
}

/// The part after the last `/` that is not escaped.
fn last_of_path(spelled: &[u8]) -> &[u8] {
    let mut start = 0;
    let mut at = 0;
    while at < spelled.len() {
        match spelled[at] {
            b'\\' => at += 1,
            b'/' => start = at + 1,
            _ => {}
        }
        at += 1;
    }
    &spelled[start..]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Kind, UserType};

    #[test]
    fn names_are_of_the_expected_enum() {
        let mut schema = Schema::new(Kind::Netcdf4);
        let mut add = |name: &str, members: &[(&str, i64)]| {
            schema.add_type(UserType {
                name: name.into(),
                group: Schema::ROOT,
                class: TypeClass::Enum {
                    base: Type::Byte,
                    members: members.iter().map(|(n, v)| ((*n).to_owned(), *v)).collect(),
                },
            })
        };
        let a = add("a.b", &[("x", 1), ("a.b.y", 2), ("z w", 3), ("é", 4)]);
        let b = add("b", &[("x", 7), ("_UNDEFINED", 9)]);
        let constants = EnumConstants::new(&schema);
        for (id, spelled, expected) in [
            (a, "x", Some(1)),
            (a, "a.b.x", Some(1)),
            (a, "/g/h/a.b.x", Some(1)),
            (a, "a.b.y", Some(2)),
            (a, "z\\ w", Some(3)),
            (a, "é", Some(4)),
            (a, "e\u{301}", Some(4)),
            (a, "b.x", None),
            (a, "a.b.", None),
            (a, "_UNDEFINED", Some(0)),
            (a, "a.b._UNDEFINED", Some(0)),
            (b, "_UNDEFINED", Some(9)),
            (b, "x", Some(7)),
            (b, "y", None),
        ] {
            let found = constants.value(&schema, id, spelled.as_bytes());
            assert_eq!(found.ok().map(|f| f.0), expected, "{spelled}");
        }
        assert!(
            constants
                .value(&schema, b, b"q")
                .unwrap_err()
                .contains("no member 'q'")
        );
    }
}
