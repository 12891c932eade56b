//! How much may be met again through further links.
//!
//! A link takes bytes of the file, so an object that n links of different groups lead to is met n times, and no limit is
//! needed. What one link can meet again multiplies:
//!
//! - a group with all its members: groups linked in a net, even without a cycle, meet theirs exponentially often, and each
//!   time the group has a path of its own;
//! - an object with its attributes, which take memory each time.

use std::collections::HashSet;

use ncutils_hdf5::Attribute;

use super::links::ObjectId;
use crate::error::{Error, Result};

/// How many links may be met again, in groups that were met before.
const LINKS: usize = 1 << 18;

/// How many bytes the paths of groups and the attributes of objects that were met before may take.
const BYTES: usize = 1 << 30;

/// What an attribute takes besides its name and value, about.
const ATTRIBUTE: usize = 256;

/// What was met, and what of it again.
#[derive(Default)]
pub struct Repeats {
    groups: HashSet<ObjectId>,
    objects: HashSet<ObjectId>,
    links: usize,
    bytes: usize,
}

impl Repeats {
    /// The links of `group`, which was met as `path`, are about to be followed.
    ///
    /// # Errors
    /// Where groups that were met before have had too many.
    pub fn meet_links(&mut self, group: ObjectId, path: &str, links: usize) -> Result<()> {
        if self.groups.insert(group) {
            return Ok(());
        }
        self.links = self.links.saturating_add(links);
        if self.links > LINKS {
            return Err(Error::Unsupported(format!(
                "a file whose groups have several links each, through which more than {LINKS} links are met again,"
            )));
        }
        self.take(path.len())
    }

    /// An object with these attributes is kept.
    ///
    /// # Errors
    /// Where the attributes of objects that were met before take too much.
    pub fn meet_object(&mut self, object: ObjectId, attributes: &[Attribute]) -> Result<()> {
        if self.objects.insert(object) {
            return Ok(());
        }
        for attribute in attributes {
            let bytes = ATTRIBUTE + attribute.name.len();
            self.take(bytes.saturating_add(attribute.data.len()))?;
        }
        Ok(())
    }

    fn take(&mut self, bytes: usize) -> Result<()> {
        self.bytes = self.bytes.saturating_add(bytes);
        if self.bytes > BYTES {
            return Err(Error::Unsupported(format!(
                "a file whose objects have several links each, through which more than {} MiB of paths and attributes are met again,",
                BYTES >> 20
            )));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use ncutils_hdf5::{Class, Dataspace, Datatype};

    use super::*;

    fn id(address: u64) -> ObjectId {
        ObjectId { file: 0, address }
    }

    #[test]
    fn only_links_of_groups_met_before_count() {
        let mut repeats = Repeats::default();
        for group in 0..3 {
            repeats.meet_links(id(group), "/", LINKS * 9).unwrap();
        }
        repeats.meet_links(id(0), "/", LINKS - 1).unwrap();
        repeats.meet_links(id(1), "/", 1).unwrap();
        repeats.meet_links(id(2), "/", 0).unwrap();
        let error = repeats.meet_links(id(2), "/", 1).unwrap_err();
        assert!(matches!(error, Error::Unsupported(_)), "{error}");
    }

    #[test]
    fn attributes_of_objects_met_before_take_memory() {
        let attribute = |size: usize| Attribute {
            name: "a".into(),
            datatype: Datatype {
                size: 1,
                class: Class::Opaque { tag: String::new() },
            },
            committed: None,
            dataspace: Dataspace::Scalar,
            data: vec![0; size],
        };
        let mut repeats = Repeats::default();
        let large = [attribute(1 << 20)];
        for object in 0..2000 {
            repeats.meet_object(id(object), &large).unwrap();
        }
        let met = (0..2000).take_while(|o| repeats.meet_object(id(*o), &large).is_ok());
        assert!((1000..1024).contains(&met.count()));
        let mut repeats = Repeats::default();
        for _ in 0..1_000_000 {
            repeats.meet_object(id(1), &[]).unwrap();
        }
    }
}
