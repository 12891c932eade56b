//! [`Recovery`]: what was found of a damaged file, as additions to its hierarchy.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::OnceLock;

use super::array_blocks;
use super::attribute_nodes;
use super::base::USUAL_ROOTS;
use super::chunk_nodes;
use super::names::{self, FoundLink};
use super::orphans::{self, Orphans};
use super::reach::Reach;
use super::record_nodes;
use super::scan::Scan;
use crate::attribute::Attribute;
use crate::error::Result;
use crate::group::{Link, LinkTarget};
use crate::messages::group::symbol_table::SymbolTable;
use crate::object_header::{ObjectHeader, SharedMessages};
use crate::reader::object::ObjectKind;
use crate::superblock::Superblock;

/// Name of the group of objects whose own group is lost.
const GROUP: &str = "recovered";

/// What was found of a damaged file.
pub(in crate::reader) struct Recovery {
    /// The root group, where it is not that of the superblock.
    pub(in crate::reader) root: Option<u64>,
    /// Links to add to groups.
    links: HashMap<u64, Vec<Link>>,
    /// Groups without a header.
    groups: HashSet<u64>,
    /// Objects that links must not lead to.
    left_out: BTreeSet<u64>,
    /// What to tell of it.
    pub(in crate::reader) found: Recovered,
    /// Addresses of all datasets.
    datasets: Vec<u64>,
    /// True if no header can be lost, so that no other dataset can own a node.
    is_certain: bool,
    shared: SharedMessages,
    scan: OnceLock<Scan>,
    /// Blocks of chunk indexes, by the address of their dataset. They are looked for when an index cannot be read.
    index_blocks: OnceLock<HashMap<u64, Vec<u64>>>,
}

/// What a scan found that no way from the root leads to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Recovered {
    /// Number of groups, datasets and committed datatypes.
    pub objects: usize,
    /// Those of them whose own group is not known, which are links of the group `recovered`.
    pub without_group: usize,
    /// Those of the latter whose name is not known, by address. They have names such as `dataset_0x1a2b`.
    pub unnamed: BTreeSet<u64>,
    /// Number of headers that are left out, as they lie in the data of others, or their data does.
    pub left_out: usize,
}

impl Recovery {
    /// Looks for what the file of `shared` has besides what its links lead to.
    ///
    /// # Errors
    /// The source failed.
    pub(in crate::reader) fn of(shared: &SharedMessages, superblock: &Superblock) -> Result<Self> {
        let mut reach = Reach::new(shared);
        let is_cut = superblock.length > shared.reader.file_size();
        reach.follow(superblock.root)?;
        let has_root = reach.objects.get(&superblock.root) == Some(&ObjectKind::Group);
        if has_root && !reach.has_faults {
            let found = RecoveryParts {
                datasets: datasets(&reach),
                is_certain: !is_cut,
                ..RecoveryParts::default()
            };
            return Ok(found.recovery(shared, None));
        }
        let scan = Scan::of(reach.reader())?;
        let orphans = orphans::find(&reach, &scan);
        let mut recovering = Recovering {
            linked: reach.objects.keys().copied().collect(),
            reach,
            superblock,
            has_root,
            found: RecoveryParts::default(),
        };
        recovering.recover(&scan, orphans)?;
        let lost = recovering.reach.lost.iter();
        let is_certain = !is_cut
            && superblock.root != u64::MAX
            && lost
                .into_iter()
                .all(|address| recovering.found.groups.contains(address));
        let found = RecoveryParts {
            datasets: datasets(&recovering.reach),
            is_certain,
            ..recovering.found
        };
        Ok(found.recovery(shared, Some(scan)))
    }

    /// True if there is a group at this address whose header is lost.
    pub(in crate::reader) fn has_group(&self, address: u64) -> bool {
        self.groups.contains(&address)
    }

    /// Changes the links of a group that were read to those that it has.
    pub(in crate::reader) fn complete(&self, group: u64, links: &mut Vec<Link>) {
        let is_kept = |link: &Link| {
            link.target
                .address()
                .is_none_or(|to| !self.left_out.contains(&to))
        };
        links.retain(is_kept);
        links.extend(self.links.get(&group).into_iter().flatten().cloned());
    }

    /// Blocks of the chunk index of a dataset that the index, which cannot be read as a whole, does not lead to.
    ///
    /// # Errors
    /// The source failed.
    pub(in crate::reader) fn index_blocks(&self, dataset: u64) -> Result<&[u64]> {
        let blocks = match self.index_blocks.get() {
            Some(blocks) => blocks,
            None => {
                let reach = Reach::new(&self.shared);
                let scan = self.scan()?;
                let mut blocks = chunk_nodes::find(&reach, scan, &self.datasets, self.is_certain);
                blocks.extend(array_blocks::find(&reach, scan, &self.datasets));
                if self.is_certain {
                    blocks.extend(record_nodes::find(&reach, scan, &self.datasets));
                }
                self.index_blocks.get_or_init(|| blocks)
            }
        };
        Ok(blocks.get(&dataset).map_or(&[], Vec::as_slice))
    }

    /// The attributes of an object that its indexes, which cannot be read, do not lead to any more.
    ///
    /// # Errors
    /// The source failed, or the attributes are not in a heap that can be read.
    pub(in crate::reader) fn attributes(
        &self,
        shared: &SharedMessages,
        header: &ObjectHeader,
    ) -> Result<Vec<Attribute>> {
        attribute_nodes::find(shared, header, || self.scan())
    }

    fn scan(&self) -> Result<&Scan> {
        match self.scan.get() {
            Some(scan) => Ok(scan),
            None => {
                let scan = Scan::of(&self.shared.reader)?;
                Ok(self.scan.get_or_init(|| scan))
            }
        }
    }
}

fn datasets(reach: &Reach) -> Vec<u64> {
    let datasets = reach
        .objects
        .iter()
        .filter(|(_, kind)| **kind == ObjectKind::Dataset);
    datasets.map(|(address, _)| *address).collect()
}

/// The parts of a [`Recovery`].
#[derive(Default)]
struct RecoveryParts {
    root: Option<u64>,
    links: HashMap<u64, Vec<Link>>,
    groups: HashSet<u64>,
    left_out: BTreeSet<u64>,
    told: Recovered,
    datasets: Vec<u64>,
    is_certain: bool,
}

impl RecoveryParts {
    fn recovery(self, shared: &SharedMessages, scan: Option<Scan>) -> Recovery {
        Recovery {
            root: self.root,
            links: self.links,
            groups: self.groups,
            left_out: self.left_out,
            found: self.told,
            datasets: self.datasets,
            is_certain: self.is_certain,
            shared: shared.anew(shared.reader.unnoted()),
            scan: scan.map(OnceLock::from).unwrap_or_default(),
            index_blocks: OnceLock::new(),
        }
    }
}

struct Recovering<'a> {
    reach: Reach,
    superblock: &'a Superblock,
    /// True if the root group can be read.
    has_root: bool,
    /// The objects that ways from the root lead to, with what was added.
    linked: BTreeSet<u64>,
    found: RecoveryParts,
}

impl Recovering<'_> {
    fn recover(&mut self, scan: &Scan, orphans: Orphans) -> Result<()> {
        self.found.told.left_out = orphans.left_out.len();
        self.found.left_out = orphans.left_out;
        let end = self.reach.reader().file_size();
        let reached = self.linked.clone();
        for address in orphans.kept.keys() {
            self.reach.follow(*address)?;
        }
        // What was deleted may still have links.
        for left_out in &self.found.left_out {
            self.reach.objects.remove(left_out);
        }
        self.read_tables()?;
        let targets: BTreeSet<u64> = self.reach.objects.keys().copied().collect();
        let links = names::find(&self.reach, scan, &targets);
        let root = self.root(&orphans.kept, end);
        let nameless = self.add_links(links, root);
        self.link(root);
        self.adopt(root, &orphans.kept, &nameless, end.saturating_add(1));
        let added = self.linked.iter().filter(|address| !reached.contains(address));
        self.found.told.objects = added.filter(|address| **address < end).count();
        Ok(())
    }

    /// Reads the symbol tables of groups whose headers are lost.
    fn read_tables(&mut self) -> Result<()> {
        if let Some(table) = self.superblock.root_table {
            self.reach.tables.insert(self.superblock.root, table);
        }
        // A table may lead to further groups.
        while let Some((group, table)) = self.lost_table() {
            self.found.groups.insert(group);
            let links = self.reach.read_table(group, table)?;
            for address in links.iter().filter_map(|link| link.target.address()) {
                self.reach.follow(address)?;
            }
            self.found.links.insert(group, links);
        }
        Ok(())
    }

    fn lost_table(&self) -> Option<(u64, SymbolTable)> {
        let lost = self.reach.lost.iter();
        let mut lost = lost.filter(|group| !self.found.groups.contains(group));
        lost.find_map(|group| Some((*group, *self.reach.tables.get(group)?)))
    }

    /// The address of the root group: that of the superblock, that of a group which nothing leads to, or one past the end of the
    /// file, for a group without a header.
    fn root(&mut self, orphans: &BTreeMap<u64, ObjectKind>, end: u64) -> u64 {
        let own = self.superblock.root;
        if self.has_root {
            return own;
        }
        if self.reach.lost.contains(&own) && own < end {
            self.found.groups.insert(own);
            return own;
        }
        let children: BTreeSet<u64> = self.reach.children.values().flatten().copied().collect();
        let groups: Vec<u64> = orphans
            .iter()
            .filter(|(address, kind)| **kind == ObjectKind::Group && !children.contains(address))
            .map(|(address, _)| *address)
            .collect();
        let usual = groups.iter().find(|address| USUAL_ROOTS.contains(address));
        let root = match (usual, groups.as_slice()) {
            (Some(root), _) => *root,
            (None, [root]) => *root,
            _ => {
                self.found.groups.insert(end);
                end
            }
        };
        self.found.root = Some(root);
        root
    }

    /// Adds links to their groups. Returns the names of objects whose group is not known.
    fn add_links(&mut self, links: Vec<FoundLink>, root: u64) -> HashMap<u64, String> {
        // With a single header that is lost, the group without a header is the one there.
        let mut lost: BTreeSet<u64> = self.reach.lost.iter().copied().collect();
        if self.found.groups.contains(&root) {
            lost.insert(root);
        }
        lost.retain(|group| !self.found.links.contains_key(group));
        let alone = match (lost.pop_first(), lost.is_empty()) {
            (Some(group), true) if group == root || !links.is_empty() => Some(group),
            _ => None,
        };
        let mut nameless = HashMap::new();
        let own = self.found.links.iter();
        let mut taken: HashSet<(u64, String)> = own
            .flat_map(|(group, links)| links.iter().map(|link| (*group, link.name.clone())))
            .collect();
        let mut led: HashSet<(u64, u64)> = HashSet::new();
        // Of two links with one name or target, the later one in the file is the newer one as a rule.
        for FoundLink { group, link } in links.into_iter().rev() {
            let Some(target) = link.target.address() else {
                continue;
            };
            let Some(group) = group.or(alone) else {
                nameless.entry(target).or_insert(link.name);
                continue;
            };
            let children = self.reach.children.get(&group);
            let is_known = children.is_some_and(|children| children.contains(&target));
            if is_known
                || self.reach.has_name(group, &link.name)
                || !led.insert((group, target))
                || !taken.insert((group, link.name.clone()))
            {
                continue;
            }
            if self.reach.lost.contains(&group) {
                self.found.groups.insert(group);
            }
            self.found.links.entry(group).or_default().push(link);
        }
        nameless
    }

    /// Notes all that ways from `address` lead to.
    fn link(&mut self, address: u64) {
        let mut pending = vec![address];
        let mut met = HashSet::new();
        while let Some(address) = pending.pop() {
            if self.found.left_out.contains(&address) || !met.insert(address) {
                continue;
            }
            let is_object = self.reach.objects.contains_key(&address);
            if is_object || self.found.groups.contains(&address) {
                self.linked.insert(address);
            }
            pending.extend(self.reach.children.get(&address).into_iter().flatten());
            let added = self.found.links.get(&address).into_iter().flatten();
            pending.extend(added.filter_map(|link| link.target.address()));
        }
    }

    /// Links the objects that nothing leads to below a group of their own, which is at the address `group`.
    fn adopt(
        &mut self,
        root: u64,
        orphans: &BTreeMap<u64, ObjectKind>,
        names: &HashMap<u64, String>,
        group: u64,
    ) {
        let children = |unmet: &BTreeSet<u64>| -> BTreeSet<u64> {
            let groups = self.reach.children.iter();
            let of_others = groups.filter(|(parent, _)| unmet.contains(parent));
            of_others
                .flat_map(|(parent, targets)| targets.iter().filter(move |target| *target != parent))
                .copied()
                .collect()
        };
        let unmet: BTreeSet<u64> = orphans
            .keys()
            .copied()
            .filter(|address| !self.linked.contains(address))
            .collect();
        let children = children(&unmet);
        // What another one leads to comes last, as it is met before, unless they lead to each other.
        let (inner, outer): (Vec<u64>, Vec<u64>) =
            unmet.iter().partition(|address| children.contains(address));
        let mut links = Vec::new();
        let mut taken = HashSet::new();
        for address in outer.into_iter().chain(inner) {
            let Some(kind) = orphans.get(&address).filter(|_| !self.linked.contains(&address)) else {
                continue;
            };
            let kind = match kind {
                ObjectKind::Group => "group",
                ObjectKind::NamedDatatype => "type",
                _ => "dataset",
            };
            let known = names.get(&address);
            let name = match known {
                Some(name) if !taken.contains(name) => name.clone(),
                Some(name) => format!("{name}_{address:#x}"),
                None => format!("{kind}_{address:#x}"),
            };
            if known.is_none() {
                self.found.told.unnamed.insert(address);
            }
            taken.insert(name.clone());
            links.push(Link {
                name,
                creation_order: None,
                target: LinkTarget::Hard(address),
            });
            self.link(address);
        }
        if links.is_empty() {
            return;
        }
        self.found.told.without_group = links.len();
        self.found.groups.insert(group);
        self.found.links.insert(group, links);
        let name = (0..)
            .map(|n| match n {
                0 => GROUP.to_owned(),
                n => format!("{GROUP}_{n}"),
            })
            .find(|name| !self.reach.has_name(root, name));
        self.found.links.entry(root).or_default().push(Link {
            name: name.unwrap_or_default(),
            creation_order: Some(u64::MAX),
            target: LinkTarget::Hard(group),
        });
    }
}

impl std::fmt::Debug for Recovery {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Recovery")
            .field("found", &self.found)
            .finish_non_exhaustive()
    }
}
