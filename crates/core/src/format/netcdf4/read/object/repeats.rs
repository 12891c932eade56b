//! Limits on objects that are read again through further links.
//!
//! A link takes bytes of the file. So an object with n links from different groups is read n times, which
//! needs no limit. But a single link can lead to many objects that were read before:
//!
//! - A group, with all its members. Groups that are linked in a net, even without a cycle, repeat their
//!   members exponentially often. Each time the group has another path.
//! - An object with its attributes, which take memory each time.

use std::collections::HashSet;

use ncutils_hdf5::Attribute;

use super::links::ObjectId;
use crate::error::{Error, Result};

/// Most links in groups that were read before.
const LINKS: usize = 1 << 18;

/// Most bytes of paths and attributes of objects that were read before.
const BYTES: usize = 1 << 30;

/// About how many bytes an attribute takes besides its name and value.
const ATTRIBUTE: usize = 256;

/// The objects that were read, and the amount that was read again.
#[derive(Default)]
pub struct Repeats {
    groups: HashSet<ObjectId>,
    objects: HashSet<ObjectId>,
    links: usize,
    bytes: usize,
}

impl Repeats {
    /// Counts the links of `group`, which has the path `path`, before they are followed.
    ///
    /// # Errors
    /// If groups that were read before have too many links.
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

    /// Counts an object with these attributes.
    ///
    /// # Errors
    /// If the attributes of objects that were read before take too many bytes.
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
    use ncutils_hdf5::{Class, Dataspace, Datatype, ShortBytes};

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
            encoded_datatype: ShortBytes::default(),
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
