//! The attributes of a group or variable.

use std::collections::BTreeMap;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;

use crate::{Type, Values};

/// An attribute of a group or variable: a one-dimensional list of elements.
#[derive(Debug, Clone, PartialEq)]
pub struct Attribute {
    /// Its name.
    pub name: String,
    /// The type of its elements. Text is `Char` (one value a byte) or `String`.
    pub ty: Type,
    /// Number of elements in `values`.
    pub length: usize,
    /// The elements.
    pub values: Values,
}

/// A list of attributes in their order. Clones share it until one of them changes it, as a copy has the attributes
/// of its input, of very many variables.
#[derive(Debug, Clone, Default)]
pub struct Attributes {
    list: Option<Arc<Vec<Attribute>>>,
    /// See [`Attributes::json`].
    json: Option<Arc<BTreeMap<String, String>>>,
}

/// Compares the attributes, and not the [JSON](Attributes::json) that they were read of.
impl PartialEq for Attributes {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl From<Vec<Attribute>> for Attributes {
    fn from(attributes: Vec<Attribute>) -> Self {
        Self {
            list: (!attributes.is_empty()).then(|| Arc::new(attributes)),
            json: None,
        }
    }
}

impl FromIterator<Attribute> for Attributes {
    fn from_iter<I: IntoIterator<Item = Attribute>>(attributes: I) -> Self {
        Vec::from_iter(attributes).into()
    }
}

impl Deref for Attributes {
    type Target = [Attribute];

    fn deref(&self) -> &[Attribute] {
        self.list.as_deref().map_or(&[], Vec::as_slice)
    }
}

impl DerefMut for Attributes {
    fn deref_mut(&mut self) -> &mut [Attribute] {
        self.list
            .as_mut()
            .map_or(&mut [], |all| Arc::make_mut(all).as_mut_slice())
    }
}

impl<'a> IntoIterator for &'a Attributes {
    type Item = &'a Attribute;
    type IntoIter = std::slice::Iter<'a, Attribute>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<'a> IntoIterator for &'a mut Attributes {
    type Item = &'a mut Attribute;
    type IntoIter = std::slice::IterMut<'a, Attribute>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter_mut()
    }
}

impl Extend<Attribute> for Attributes {
    fn extend<I: IntoIterator<Item = Attribute>>(&mut self, attributes: I) {
        let mut attributes = attributes.into_iter().peekable();
        if attributes.peek().is_some() {
            self.list().extend(attributes);
        }
    }
}

impl Attributes {
    /// The JSON that an attribute was read of, if a format keeps more in it than netCDF does: `true`, which is 1 in netCDF. A
    /// writer of such a format compares it with the attribute, which may have changed since.
    pub fn json(&self, name: &str) -> Option<&str> {
        Some(self.json.as_ref()?.get(name)?)
    }

    /// These attributes, with the JSON of some by their names.
    #[must_use]
    pub fn with_json(self, json: BTreeMap<String, String>) -> Self {
        Self {
            json: (!json.is_empty()).then(|| Arc::new(json)),
            ..self
        }
    }

    /// The list, to change its length.
    fn list(&mut self) -> &mut Vec<Attribute> {
        Arc::make_mut(self.list.get_or_insert_default())
    }

    /// Puts an attribute at the end.
    pub fn push(&mut self, attribute: Attribute) {
        self.list().push(attribute);
    }

    /// Removes all attributes.
    pub fn clear(&mut self) {
        *self = Self::default();
    }

    /// Keeps the attributes for which `keep` holds.
    pub fn retain(&mut self, keep: impl FnMut(&Attribute) -> bool) {
        let mut all = std::mem::take(self.list());
        all.retain(keep);
        self.list = Self::from(all).list;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Type, Values};

    fn named(name: &str) -> Attribute {
        Attribute {
            name: name.into(),
            ty: Type::Byte,
            length: 1,
            values: Values::from_bytes(vec![1]),
        }
    }

    #[test]
    fn a_clone_changes_alone() {
        let first: Attributes = vec![named("a"), named("b")].into();
        let mut second = first.clone();
        second.push(named("c"));
        second[0].name = "z".into();
        let names = |list: &Attributes| list.iter().map(|a| a.name.clone()).collect::<Vec<_>>();
        assert_eq!(names(&first), ["a", "b"]);
        assert_eq!(names(&second), ["z", "b", "c"]);
        let json = BTreeMap::from([("c".to_owned(), "[1]".to_owned())]);
        second = second.with_json(json);
        second.retain(|a| a.name == "c");
        assert_eq!(names(&second), ["c"]);
        assert_eq!((second.json("c"), second.json("a")), (Some("[1]"), None));
        assert_eq!(second, vec![named("c")].into());
        second.clear();
        assert_eq!(second, Attributes::default());
        second.extend([named("d")]);
        assert_eq!(names(&second), ["d"]);
    }
}
