//! Follows hard links, and notes what cannot be read on the way.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};

use crate::error::{Error, Result};
use crate::group;
use crate::group::Link;
use crate::group::symbol_table::{self, EntryTarget};
use crate::messages::dense_storage::DenseStorage;
use crate::messages::group::symbol_table::SymbolTable;
use crate::metadata::MetadataReader;
use crate::metadata::Walk;
use crate::object_header::SharedMessages;
use crate::object_header::message_type;
use crate::reader::object::{Object, ObjectKind};

/// The objects of a damaged file that were met.
pub(super) struct Reach {
    /// Reads structures as far as they go.
    pub(super) shared: SharedMessages,
    faults: Arc<Mutex<Vec<Error>>>,
    /// The objects whose header can be read, by address.
    pub(super) objects: BTreeMap<u64, ObjectKind>,
    /// Addresses that links lead to, where no header can be read.
    pub(super) lost: BTreeSet<u64>,
    /// Symbol tables of groups, as the links to them repeat.
    pub(super) tables: BTreeMap<u64, SymbolTable>,
    /// What the links of each group lead to.
    pub(super) children: BTreeMap<u64, BTreeSet<u64>>,
    /// The names of the links of each group whose links can be read in part only.
    names: BTreeMap<u64, BTreeSet<String>>,
    /// The groups whose links can be read in part only.
    pub(super) broken: BTreeMap<u64, LinkPlaces>,
    /// Symbol table nodes of the groups that were met.
    pub(super) symbol_nodes: BTreeSet<u64>,
    /// Fractal heaps of links, and their groups.
    pub(super) heaps: BTreeMap<u64, u64>,
    /// True if anything could not be read.
    pub(super) has_faults: bool,
}

/// Where a group has its links.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct LinkPlaces {
    /// Its symbol table.
    pub(super) table: Option<SymbolTable>,
    /// Address of its fractal heap.
    pub(super) heap: Option<u64>,
}

impl Reach {
    /// Nothing was met yet of the file of `shared`.
    pub(super) fn new(shared: &SharedMessages) -> Self {
        let faults = Arc::default();
        let reader = shared.reader.unnoted().tolerating(Arc::clone(&faults));
        Self {
            shared: shared.anew(reader),
            faults,
            objects: BTreeMap::new(),
            lost: BTreeSet::new(),
            tables: BTreeMap::new(),
            children: BTreeMap::new(),
            names: BTreeMap::new(),
            broken: BTreeMap::new(),
            symbol_nodes: BTreeSet::new(),
            heaps: BTreeMap::new(),
            has_faults: false,
        }
    }

    pub(super) fn reader(&self) -> &MetadataReader {
        &self.shared.reader
    }

    /// The object at an address, if its header can be read and it is of a known kind. Also, whether all of its header can be.
    pub(super) fn object(&self, address: u64) -> Result<(Object, bool)> {
        self.take_faults();
        let object = Object::new(address, self.shared.header(address)?);
        Ok((object, self.take_faults() == 0))
    }

    /// Meets the object at `address`, and all that its links lead to.
    ///
    /// # Errors
    /// The source failed.
    pub(super) fn follow(&mut self, address: u64) -> Result<()> {
        let mut pending = vec![address];
        while let Some(address) = pending.pop() {
            if self.objects.contains_key(&address) || self.lost.contains(&address) {
                continue;
            }
            match self.object(address) {
                Ok((object, is_whole)) => {
                    self.objects.insert(address, object.kind);
                    self.has_faults |= !is_whole;
                    if object.kind == ObjectKind::Group {
                        pending.extend(self.links(&object, is_whole)?);
                    }
                }
                Err(error) if error.is_failure() => return Err(error),
                Err(_) => {
                    self.has_faults = true;
                    self.lost.insert(address);
                }
            }
        }
        Ok(())
    }

    /// Addresses that the links of a group lead to.
    fn links(&mut self, group: &Object, is_whole: bool) -> Result<Vec<u64>> {
        let links = match group::read(&self.shared, &group.header) {
            Ok(links) => links.links,
            Err(error) if error.is_failure() => return Err(error),
            Err(_) => Vec::new(),
        };
        let is_broken = self.take_faults() > 0 || !is_whole;
        let places = self.places(group);
        if let Some(table) = places.table {
            self.meet_table(table);
        }
        if let Some(heap) = places.heap {
            self.heaps.insert(heap, group.address);
        }
        if is_broken {
            self.has_faults = true;
            self.broken.insert(group.address, places);
        }
        Ok(self.meet_links(group.address, is_broken, &links))
    }

    /// Notes the links of a group. Returns what they lead to.
    fn meet_links(&mut self, group: u64, is_broken: bool, links: &[Link]) -> Vec<u64> {
        let children: Vec<u64> = links.iter().filter_map(|link| link.target.address()).collect();
        self.children.insert(group, children.iter().copied().collect());
        if is_broken {
            let names = links.iter().map(|link| link.name.clone());
            self.names.insert(group, names.collect());
        }
        children
    }

    /// True if a group whose links can be read in part only has a link with this name.
    pub(super) fn has_name(&self, group: u64, name: &str) -> bool {
        self.names.get(&group).is_some_and(|names| names.contains(name))
    }

    /// The links of a group whose header is lost, from its symbol table.
    ///
    /// # Errors
    /// The source failed.
    pub(super) fn read_table(&mut self, group: u64, table: SymbolTable) -> Result<Vec<Link>> {
        self.take_faults();
        let mut links = Vec::new();
        match symbol_table::read(&self.shared.reader, table, &mut links) {
            Err(error) if error.is_failure() => return Err(error),
            _ => {}
        }
        self.meet_table(table);
        let place = LinkPlaces {
            table: Some(table),
            heap: None,
        };
        self.broken.insert(group, place);
        self.meet_links(group, true, &links);
        Ok(links)
    }

    /// Where the links of a group are.
    pub(super) fn places(&self, group: &Object) -> LinkPlaces {
        let message = |kind| {
            let found = self.shared.resolve(group.header.first(kind)?).ok()?;
            Some(found)
        };
        let table = message(message_type::SYMBOL_TABLE);
        let info = message(message_type::LINK_INFO);
        LinkPlaces {
            table: table.and_then(|table| SymbolTable::decode(&mut table.cursor()).ok()),
            heap: info.and_then(|info| DenseStorage::of_links(&mut info.cursor()).ok()?.heap),
        }
    }

    /// Notes the nodes of a symbol table, and the symbol tables that they repeat.
    fn meet_table(&mut self, table: SymbolTable) {
        let reader = self.reader().clone();
        let nodes = crate::btree::v1::group_nodes(&reader, table.btree).unwrap_or_default();
        let mut walk = Walk::new(&reader);
        for node in nodes {
            // A node that cannot be read makes the group a broken one, which was told.
            let _ = symbol_table::entries(&reader, node, &mut walk, |entry| {
                if let (EntryTarget::Object(object), Some(table)) = (entry.target, entry.table) {
                    self.tables.insert(object, table);
                }
                Ok(())
            });
            self.symbol_nodes.insert(node);
        }
        self.take_faults();
    }

    /// The number of faults since the last call.
    fn take_faults(&self) -> usize {
        let mut faults = self.faults.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut *faults).len()
    }
}
