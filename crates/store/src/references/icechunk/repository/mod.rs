//! [`Repository`]: the file `repo` of specification 2, which has all branches, tags, snapshots and settings.

mod layouts;

use self::layouts::{ADDED, BEGUN, RESET, ROOT, field};
use super::flatbuffer_reader::{Table, Wrong};
use super::flatbuffer_writer::FlatBuffer;
use super::id::ObjectId;
use super::record::{Record, RecordReader, Value};

/// Most updates that the file tells. Older ones are in a file that it replaced.
const MOST_UPDATES: usize = 1000;

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
mod tests;
