//! [`ObjectNames`]: the paths of the objects of a file by their addresses.

use std::collections::HashMap;
use std::sync::Arc;

use crate::format::netcdf4::conventions::NON_COORDINATE_PREFIX;

/// The objects of one file that the walk through its groups met. Paths are made when they are asked for, because those of
/// deep groups are long.
#[derive(Debug)]
pub struct ObjectNames {
    /// Paths of all groups of the dataset, with a `/` at the end.
    groups: Arc<[Box<str>]>,
    /// Address of an object → its group, and its name there; without a name, the group itself.
    objects: HashMap<u64, (usize, Option<Box<str>>)>,
}

impl ObjectNames {
    /// Names of the objects of each of `count` files. `groups` has the path of each group with a `/` at the end. `objects` has
    /// the file and address of each object, the index of its group, and its name there, or none for the group itself. An
    /// object with several links keeps the first name.
    pub fn of_files<'n>(
        count: usize,
        groups: impl Iterator<Item = &'n str>,
        objects: impl Iterator<Item = ((usize, u64), usize, Option<&'n str>)>,
    ) -> Vec<Arc<Self>> {
        let groups: Arc<[Box<str>]> = groups.map(Box::from).collect();
        let mut files: Vec<_> = (0..count).map(|_| HashMap::new()).collect();
        for ((file, address), group, name) in objects {
            if let Some(objects) = files.get_mut(file) {
                let name = name.map(|name| name.strip_prefix(NON_COORDINATE_PREFIX).unwrap_or(name));
                objects.entry(address).or_insert((group, name.map(Box::from)));
            }
        }
        let named = |objects| {
            Arc::new(Self {
                groups: groups.clone(),
                objects,
            })
        };
        files.into_iter().map(named).collect()
    }

    /// Appends the path of the object at `address`. Returns false, and appends nothing, if no object is known there.
    pub fn push_path(&self, address: u64, out: &mut Vec<u8>) -> bool {
        let Some((group, name)) = self.objects.get(&address) else {
            return false;
        };
        let path = self.groups.get(*group).map_or("/", |path| path);
        out.extend_from_slice(match name {
            None if path.len() > 1 => path.trim_end_matches('/').as_bytes(),
            _ => path.as_bytes(),
        });
        out.extend_from_slice(name.as_deref().unwrap_or_default().as_bytes());
        true
    }
}

#[cfg(test)]
impl ObjectNames {
    /// The group `/g` at address 96, and its dataset `d` at 800.
    pub fn of_test() -> Self {
        Self {
            groups: ["/", "/g/"].map(Box::from).into(),
            objects: HashMap::from([(48, (0, None)), (96, (1, None)), (800, (1, Some("d".into())))]),
        }
    }
}
