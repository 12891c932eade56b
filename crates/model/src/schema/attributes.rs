//! The attributes of a group or variable.

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
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Attributes(Option<Arc<Vec<Attribute>>>);

impl From<Vec<Attribute>> for Attributes {
    fn from(attributes: Vec<Attribute>) -> Self {
        Self((!attributes.is_empty()).then(|| Arc::new(attributes)))
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
        self.0.as_deref().map_or(&[], Vec::as_slice)
    }
}

impl DerefMut for Attributes {
    fn deref_mut(&mut self) -> &mut [Attribute] {
        self.0
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
    /// The list, to change its length.
    fn list(&mut self) -> &mut Vec<Attribute> {
        Arc::make_mut(self.0.get_or_insert_default())
    }

    /// Puts an attribute at the end.
    pub fn push(&mut self, attribute: Attribute) {
        self.list().push(attribute);
    }

    /// Removes all attributes.
    pub fn clear(&mut self) {
        self.0 = None;
    }

    /// Keeps the attributes for which `keep` holds.
    pub fn retain(&mut self, keep: impl FnMut(&Attribute) -> bool) {
        let mut all = std::mem::take(self.list());
        all.retain(keep);
        *self = all.into();
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
        second.retain(|a| a.name == "c");
        assert_eq!(names(&second), ["c"]);
        second.clear();
        assert_eq!(second, Attributes::default());
        second.extend([named("d")]);
        assert_eq!(names(&second), ["d"]);
    }
}
