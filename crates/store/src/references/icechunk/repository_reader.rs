//! [`Repository`]: the branches and tags of specification 2.

use super::flatbuffer_reader::{Table, Vector, Wrong};
use super::id::SnapshotId;

/// Names of snapshots.
#[derive(Debug)]
pub struct Repository {
    branches: Vec<(String, SnapshotId)>,
    tags: Vec<(String, SnapshotId)>,
}

impl Repository {
    /// What the flatbuffer of the file `repo` says.
    ///
    /// # Errors
    /// What is damaged.
    pub fn parse(buffer: &[u8]) -> Result<Self, Wrong> {
        let root = Table::root(buffer)?;
        let snapshots = root.vector(4, 4)?.ok_or("it has no snapshots")?;
        Ok(Self {
            tags: names(root.vector(1, 4)?, snapshots)?,
            branches: names(root.vector(2, 4)?, snapshots)?,
        })
    }

    /// The snapshot of a branch.
    pub fn branch(&self, name: &str) -> Option<SnapshotId> {
        find(&self.branches, name)
    }

    /// The snapshot of a tag.
    pub fn tag(&self, name: &str) -> Option<SnapshotId> {
        find(&self.tags, name)
    }

    /// The names of branches and of tags.
    pub fn names(&self) -> [Vec<&str>; 2] {
        [&self.branches, &self.tags].map(|names| names.iter().map(|(name, _)| name.as_str()).collect())
    }
}

fn find(names: &[(String, SnapshotId)], name: &str) -> Option<SnapshotId> {
    let found = names.iter().find(|(other, _)| other == name);
    found.map(|(_, id)| *id)
}

fn names(refs: Option<Vector<'_>>, snapshots: Vector<'_>) -> Result<Vec<(String, SnapshotId)>, Wrong> {
    let Some(refs) = refs else {
        return Ok(Vec::new());
    };
    let name = |found: Result<Table<'_>, Wrong>| {
        let found = found?;
        let name = found.text(0)?.ok_or("a branch or tag without a name")?;
        let snapshot = snapshots.table(found.short_number(1)? as usize)?;
        let id = snapshot.plain(0)?.ok_or("a snapshot without an id")?;
        Ok((name.to_owned(), SnapshotId(id)))
    };
    refs.tables().map(name).collect()
}
