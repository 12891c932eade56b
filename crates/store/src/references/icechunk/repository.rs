//! [`Repository`]: the file `repo` of specification 2, which has all branches, tags, snapshots and settings.

use super::flatbuffer_reader::{Table, Wrong};
use super::flatbuffer_writer::FlatBuffer;
use super::id::ObjectId;
use super::record::{FieldType, Record, RecordReader, Value};

/// Most updates that the file tells. Older ones are in a file that it replaced.
const MOST_UPDATES: usize = 1000;

/// Metadata of a snapshot or of the repository: a name and its value.
const METADATA: &[FieldType] = &[FieldType::Text, FieldType::Elements(1)];

/// A branch or tag: its name, and the number of its snapshot.
const REF: &[FieldType] = &[FieldType::Text, FieldType::Plain(4)];

/// A snapshot: its id, the number of its parent, its time, message, metadata and the logs of snapshots that are gone.
const SNAPSHOT: &[FieldType] = &[
    FieldType::Plain(12),
    FieldType::Plain(4),
    FieldType::Plain(8),
    FieldType::Text,
    FieldType::Tables(METADATA),
    FieldType::Elements(12),
];

/// Whether the repository takes snapshots, since when, and why not.
const STATUS: &[FieldType] = &[FieldType::Plain(1), FieldType::Plain(8), FieldType::Text];

/// What happens to a branch or tag: its name, and a snapshot.
const OF_BRANCH: &[FieldType] = &[FieldType::Text, FieldType::Plain(12)];

/// What can happen to a repository, in the order of its numbers.
const EVENTS: &[&[FieldType]] = &[
    // It is begun.
    &[],
    // It gets another specification.
    &[FieldType::Plain(1), FieldType::Plain(1)],
    // Its settings change.
    &[],
    // Its metadata changes.
    &[],
    // Tags and branches: created, deleted, set.
    &[FieldType::Text],
    OF_BRANCH,
    &[FieldType::Text],
    OF_BRANCH,
    OF_BRANCH,
    // A snapshot is added.
    OF_BRANCH,
    // A snapshot is replaced.
    &[FieldType::Text, FieldType::Plain(12), FieldType::Plain(12)],
    // A snapshot without a branch is added.
    &[FieldType::Plain(12)],
    // Files are removed that nothing leads to.
    &[],
    // Old snapshots are removed.
    &[],
    // A feature is allowed or forbidden.
    &[FieldType::Plain(2), FieldType::Plain(1), FieldType::Plain(1)],
    // The status changes.
    &[FieldType::Table(STATUS)],
];

/// Numbers of events.
const BEGUN: u8 = 1;
const RESET: u8 = 9;
const ADDED: u8 = 10;

/// An event, its time, and the file that it replaced.
const UPDATE: &[FieldType] = &[
    FieldType::Plain(1),
    FieldType::Union(EVENTS),
    FieldType::Plain(8),
    FieldType::Text,
];

/// The root table.
const ROOT: &[FieldType] = &[
    FieldType::Plain(1),
    FieldType::Tables(REF),
    FieldType::Tables(REF),
    // Tags that were deleted.
    FieldType::Texts,
    FieldType::Tables(SNAPSHOT),
    FieldType::Table(STATUS),
    FieldType::Tables(METADATA),
    FieldType::Tables(UPDATE),
    // The file that has older updates.
    FieldType::Text,
    FieldType::Elements(1),
    // Features.
    FieldType::Elements(2),
    FieldType::Elements(2),
    FieldType::Elements(1),
];

/// Numbers of fields.
mod field {
    pub const SPECIFICATION: usize = 0;
    pub const TAGS: usize = 1;
    pub const BRANCHES: usize = 2;
    pub const DELETED_TAGS: usize = 3;
    pub const SNAPSHOTS: usize = 4;
    pub const STATUS: usize = 5;
    pub const METADATA: usize = 6;
    pub const UPDATES: usize = 7;
    pub const OLDER_UPDATES: usize = 8;
    pub const SETTINGS: usize = 9;
}

/// Why nothing is added where something would be lost.
pub const LATER: &str =
    "the repository has what a later version of Icechunk added, which would be lost; add to it by icechunk";

/// What the file tells.
#[derive(Debug)]
pub struct Repository {
    root: Record,
    /// True if it has fields that are not known here.
    has_unknown_fields: bool,
}

/// A snapshot that is added.
#[derive(Debug)]
pub struct Added<'a> {
    pub id: ObjectId,
    /// Microseconds since 1970.
    pub flushed_at: u64,
    pub message: &'a str,
}

impl Added<'_> {
    /// The table, without a parent.
    fn record(&self) -> Record {
        Record::default()
            .with(0, Value::plain(self.id.0))
            .with(1, Value::plain((-1i32).to_le_bytes()))
            .with(2, Value::plain(self.flushed_at.to_le_bytes()))
            .with(3, Value::text(self.message))
            .with(4, Value::Records(Vec::new()))
    }
}

fn update(event: u8, what: Record, at: u64) -> Record {
    Record::default()
        .with(0, Value::plain([event]))
        .with(1, Value::record(what))
        .with(2, Value::plain(at.to_le_bytes()))
}

/// The number of the snapshot that a branch, tag or snapshot has in a field; `None` for -1.
fn number_in(record: &Record, field: usize) -> Option<u64> {
    match record.number(field) {
        0xffff_ffff => None,
        number => Some(number),
    }
}

impl Repository {
    /// What the flatbuffer of the file says.
    ///
    /// # Errors
    /// What is damaged.
    pub fn parse(buffer: &[u8]) -> Result<Self, Wrong> {
        let mut reader = RecordReader::of(buffer);
        let root = reader.record(Table::root(buffer)?, ROOT)?;
        let has_unknown_fields = reader.has_unknown_fields;
        let found = Self {
            root,
            has_unknown_fields,
        };
        let snapshots = found.root.records(field::SNAPSHOTS);
        let is_wrong = |name: &Record| {
            let place = usize::try_from(name.number(1)).ok();
            name.text(0).is_none() || place.is_none_or(|at| at >= snapshots.len())
        };
        if snapshots
            .iter()
            .any(|snapshot| snapshot.bytes(0).is_none_or(|id| id.len() != 12))
        {
            return Err("a snapshot without an id".to_owned());
        }
        match found
            .root
            .records(field::TAGS)
            .iter()
            .chain(found.root.records(field::BRANCHES))
            .any(is_wrong)
        {
            true => Err("a branch or tag without a name or a snapshot".to_owned()),
            false => Ok(found),
        }
    }

    /// A repository with its first snapshot alone, and these settings.
    pub fn new(first: &Added<'_>, settings: Vec<u8>) -> Self {
        let main = Record::default()
            .with(0, Value::text("main"))
            .with(1, Value::plain([0; 4]));
        let status = Record::default()
            .with(0, Value::plain([0]))
            .with(1, Value::plain(first.flushed_at.to_le_bytes()));
        let begun = update(BEGUN, Record::default(), first.flushed_at);
        let root = Record::default()
            .with(field::SPECIFICATION, Value::plain([2]))
            .with(field::TAGS, Value::Records(Vec::new()))
            .with(field::BRANCHES, Value::Records(vec![main]))
            .with(field::DELETED_TAGS, Value::Texts(Vec::new()))
            .with(field::SNAPSHOTS, Value::Records(vec![first.record()]))
            .with(field::STATUS, Value::record(status))
            .with(field::METADATA, Value::Records(Vec::new()))
            .with(field::UPDATES, Value::Records(vec![begun]))
            .with(field::SETTINGS, Value::Bytes(settings));
        Self {
            root,
            has_unknown_fields: false,
        }
    }

    fn find(&self, list: usize, name: &str) -> Option<ObjectId> {
        let found = self
            .root
            .records(list)
            .iter()
            .find(|found| found.text(0) == Some(name))?;
        let at = usize::try_from(found.number(1)).ok()?;
        let id = self.root.records(field::SNAPSHOTS).get(at)?.bytes(0)?;
        id.first_chunk().copied().map(ObjectId)
    }

    /// The snapshot of a branch.
    pub fn branch(&self, name: &str) -> Option<ObjectId> {
        self.find(field::BRANCHES, name)
    }

    /// The snapshot of a tag.
    pub fn tag(&self, name: &str) -> Option<ObjectId> {
        self.find(field::TAGS, name)
    }

    /// The names of branches and of tags.
    pub fn names(&self) -> [Vec<&str>; 2] {
        [field::BRANCHES, field::TAGS].map(|field| {
            self.root
                .records(field)
                .iter()
                .filter_map(|found| found.text(0))
                .collect()
        })
    }

    /// True if a branch leads to a snapshot: its last one, or one before that.
    pub fn leads_to(&self, branch: &str, id: ObjectId) -> bool {
        let snapshots = self.root.records(field::SNAPSHOTS);
        let mut names = self.root.records(field::BRANCHES).iter();
        let mut next = names
            .find(|name| name.text(0) == Some(branch))
            .map(|name| name.number(1));
        // Damaged parents may lead in a circle.
        for _ in 0..snapshots.len() {
            let at = next.and_then(|at| usize::try_from(at).ok());
            let Some(snapshot) = at.and_then(|at| snapshots.get(at)) else {
                return false;
            };
            if snapshot.bytes(0) == Some(&id.0[..]) {
                return true;
            }
            next = number_in(snapshot, 1);
        }
        false
    }

    /// The settings.
    pub fn settings(&self) -> Option<&[u8]> {
        self.root.bytes(field::SETTINGS)
    }

    /// Sets the settings.
    pub fn set_settings(&mut self, settings: Vec<u8>) {
        self.root.set(field::SETTINGS, Value::Bytes(settings));
    }

    /// Checks that snapshots may be added.
    ///
    /// # Errors
    /// A repository that takes none; one of which something would be lost.
    pub fn check_growing(&self) -> Result<(), Wrong> {
        let status = self.root.records(field::STATUS).first();
        if let Some(status) = status.filter(|status| status.number(0) != 0) {
            let why = status.text(2).unwrap_or("no reason is told");
            return Err(format!(
                "the repository is read-only: {}; icechunk can set it online",
                why.escape_debug()
            ));
        }
        match self.has_unknown_fields {
            true => Err(LATER.to_owned()),
            false => Ok(()),
        }
    }

    /// A time, in microseconds since 1970, that is `wanted` or later, and later than the last update.
    pub fn time_of_update(&self, wanted: u64) -> u64 {
        let last = self.root.records(field::UPDATES).first();
        wanted.max(last.map_or(0, |last| last.number(2).saturating_add(1)))
    }

    /// Moves a branch to a snapshot, which is added behind the branch's last one unless it is there. `replaced` names the copy of the
    /// file as it was.
    pub fn add(&mut self, branch: &str, added: &Added<'_>, at: u64, replaced: Option<&str>) {
        let parent = self.branch(branch);
        let (place, event, id) = match self.place_of(added.id) {
            // The branch led to it before, and was set back.
            Some(place) => (place, RESET, parent.unwrap_or(added.id)),
            None => (self.insert(added, parent), ADDED, added.id),
        };
        let mut branches = self.root.take_records(field::BRANCHES);
        for name in branches.iter_mut().filter(|name| name.text(0) == Some(branch)) {
            name.set(1, Value::plain((place as u32).to_le_bytes()));
        }
        self.root.set(field::BRANCHES, Value::Records(branches));
        let what = Record::default()
            .with(0, Value::text(branch))
            .with(1, Value::plain(id.0));
        self.push_update(update(event, what, at), replaced);
    }

    /// The number of a snapshot.
    fn place_of(&self, id: ObjectId) -> Option<usize> {
        let mut snapshots = self.root.records(field::SNAPSHOTS).iter();
        snapshots.position(|snapshot| snapshot.bytes(0) == Some(&id.0[..]))
    }

    /// Adds a snapshot behind its parent. Returns its number. Snapshots are sorted by id, so those behind it have the next number now.
    fn insert(&mut self, added: &Added<'_>, parent: Option<ObjectId>) -> usize {
        let mut new = added.record();
        if let Some(parent) = parent.and_then(|parent| self.place_of(parent)) {
            new.set(1, Value::plain((parent as u32).to_le_bytes()));
        }
        let mut snapshots = self.root.take_records(field::SNAPSHOTS);
        let place = snapshots.partition_point(|other| other.bytes(0) < Some(&added.id.0[..]));
        let move_up = |record: &mut Record| {
            if let Some(number) = number_in(record, 1).filter(|number| *number >= place as u64) {
                record.set(1, Value::plain((number as u32).saturating_add(1).to_le_bytes()));
            }
        };
        snapshots.insert(place, new);
        snapshots.iter_mut().for_each(move_up);
        self.root.set(field::SNAPSHOTS, Value::Records(snapshots));
        for field in [field::TAGS, field::BRANCHES] {
            let mut names = self.root.take_records(field);
            names.iter_mut().for_each(move_up);
            self.root.set(field, Value::Records(names));
        }
        place
    }

    fn push_update(&mut self, new: Record, replaced: Option<&str>) {
        let mut updates = self.root.take_records(field::UPDATES);
        if let (Some(last), Some(replaced)) = (updates.first_mut(), replaced) {
            last.set(3, Value::text(replaced));
        }
        updates.insert(0, new);
        // The file that an update replaced has all older ones.
        let older = updates.iter().enumerate().skip(MOST_UPDATES);
        let older = older
            .filter_map(|(n, update)| Some((n, update.text(3)?.to_owned())))
            .next();
        if let Some((n, file)) = older {
            updates.truncate(n);
            self.root.set(field::OLDER_UPDATES, Value::text(&file));
        }
        self.root.set(field::UPDATES, Value::Records(updates));
    }

    /// The flatbuffer of the file.
    pub fn flatbuffer(&self) -> Vec<u8> {
        let mut buffer = FlatBuffer::new();
        self.root.write(&mut buffer, None, ROOT);
        buffer.finish()
    }
}

#[cfg(test)]
impl Repository {
    /// Adds a branch that leads to a snapshot, or sets it back.
    pub fn set_branch(&mut self, branch: &str, id: ObjectId) {
        let place = self.place_of(id).unwrap() as u32;
        let mut branches = self.root.take_records(field::BRANCHES);
        branches.retain(|name| name.text(0) != Some(branch));
        let at = branches.partition_point(|name| name.text(0) < Some(branch));
        let name = Record::default()
            .with(0, Value::text(branch))
            .with(1, Value::plain(place.to_le_bytes()));
        branches.insert(at, name);
        self.root.set(field::BRANCHES, Value::Records(branches));
    }

    /// The ids of all snapshots.
    pub fn ids(&self) -> Vec<ObjectId> {
        let ids = self.root.records(field::SNAPSHOTS).iter();
        ids.map(|snapshot| ObjectId(*snapshot.bytes(0).unwrap().first_chunk().unwrap()))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn added(id: u8, at: u64) -> Added<'static> {
        Added {
            id: ObjectId([id; 12]),
            flushed_at: at,
            message: "m",
        }
    }

    #[test]
    fn snapshots_are_added_in_the_order_of_ids() {
        let mut all = Repository::new(&added(5, 100), vec![1]);
        for (id, parent) in [(7, 5), (3, 7), (6, 3), (4, 6)] {
            assert_eq!(all.branch("main"), Some(ObjectId([parent; 12])));
            let at = all.time_of_update(100);
            all.add("main", &added(id, 100), at, Some(&format!("repo.{id}")));
        }
        let found = Repository::parse(&all.flatbuffer()).unwrap();
        assert_eq!(found.root.number(field::SPECIFICATION), 2);
        let snapshots = found.root.records(field::SNAPSHOTS);
        let told = snapshots
            .iter()
            .map(|one| (one.number(0) as u8, number_in(one, 1)));
        // 3, 4, 5, 6, 7 with the parents 7, 6, none, 3, 5.
        let expected = [(3, Some(4)), (4, Some(3)), (5, None), (6, Some(0)), (7, Some(2))];
        assert_eq!(told.collect::<Vec<_>>(), expected);
        assert_eq!(found.branch("main"), Some(ObjectId([4; 12])));
        let updates = found.root.records(field::UPDATES);
        let told = updates
            .iter()
            .map(|one| (one.number(0), one.number(2), one.text(3)));
        let expected = [
            (10, 104, None),
            (10, 103, Some("repo.4")),
            (10, 102, Some("repo.6")),
            (10, 101, Some("repo.3")),
            (1, 100, Some("repo.7")),
        ];
        assert_eq!(told.collect::<Vec<_>>(), expected);
        assert_eq!(found.settings(), Some(&[1][..]));
        found.check_growing().unwrap();
    }

    #[test]
    fn a_branch_that_was_set_back_moves_to_a_snapshot_that_is_there() {
        let id = |n| ObjectId([n; 12]);
        let mut all = Repository::new(&added(5, 100), Vec::new());
        all.add("main", &added(7, 100), 101, None);
        all.set_branch("dev", id(5));
        all.set_branch("main", id(5));
        assert!(!all.leads_to("main", id(7)));
        all.add("main", &added(7, 100), 102, None);
        assert_eq!(all.ids(), [id(5), id(7)]);
        assert_eq!(all.branch("main"), Some(id(7)));
        let last = &all.root.records(field::UPDATES)[0];
        assert_eq!(
            (last.number(0), last.records(1)[0].bytes(1)),
            (9, Some(&[5; 12][..]))
        );
        // What another branch leads to says nothing.
        assert!(all.leads_to("main", id(7)) && all.leads_to("main", id(5)));
        assert!(all.leads_to("dev", id(5)) && !all.leads_to("dev", id(7)) && !all.leads_to("no", id(5)));
        // Parents in a circle.
        let mut snapshots = all.root.take_records(field::SNAPSHOTS);
        snapshots[0].set(1, Value::plain([1, 0, 0, 0]));
        all.root.set(field::SNAPSHOTS, Value::Records(snapshots));
        assert!(!all.leads_to("main", id(9)));
    }

    #[test]
    fn old_updates_stay_in_the_file_that_was_replaced() {
        let mut all = Repository::new(&added(0, 0), Vec::new());
        for n in 1..=MOST_UPDATES + 5 {
            let mut id = [0; 12];
            id[..8].copy_from_slice(&(n as u64).to_be_bytes());
            let added = Added {
                id: ObjectId(id),
                ..added(0, n as u64)
            };
            all.add("main", &added, n as u64, Some(&format!("repo.{n}")));
        }
        assert_eq!(all.root.records(field::UPDATES).len(), MOST_UPDATES);
        // The last update that is told is number 6. The file that number 6 replaced ends with number 5.
        assert_eq!(all.root.text(field::OLDER_UPDATES), Some("repo.6"));
        assert_eq!(all.root.records(field::UPDATES)[MOST_UPDATES - 1].number(2), 6);
    }

    /// Other writers share empty lists and messages among snapshots.
    #[test]
    fn many_snapshots_are_read() {
        let mut all = Repository::new(&added(0, 0), Vec::new());
        let short = |n: u32| {
            let id = [[0; 8].as_slice(), &n.to_be_bytes()].concat();
            Record::default()
                .with(0, Value::Bytes(id))
                .with(1, Value::plain(n.to_le_bytes()))
                .with(2, Value::plain([1; 8]))
                .with(3, Value::text(""))
        };
        let snapshots: Vec<Record> = (0..20_000).map(short).collect();
        all.root.set(field::SNAPSHOTS, Value::Records(snapshots));
        let found = Repository::parse(&all.flatbuffer()).unwrap();
        assert_eq!(found.ids().len(), 20_000);
    }

    #[test]
    fn what_is_not_known_is_not_lost() {
        let all = Repository::new(&added(0, 0), Vec::new());
        let mut buffer = FlatBuffer::new();
        let record = all.root.clone().with(13, Value::Bytes(vec![1]));
        let types = [ROOT, &[FieldType::Elements(1)]].concat();
        record.write(&mut buffer, None, &types);
        let found = Repository::parse(&buffer.finish()).unwrap();
        assert!(found.branch("main").is_some());
        assert!(found.check_growing().unwrap_err().contains("a later version"));
    }
}
