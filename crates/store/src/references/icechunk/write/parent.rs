//! [`Parent`]: the snapshot of a branch that a new one is made from, and the file that moves the branch.

use std::collections::HashSet;
use std::io;
use std::sync::Arc;

use super::super::file_reader::{FileKind, Specification, read_file};
use super::super::id::{NodeId, SnapshotId};
use super::super::manifest_reader::Manifest;
use super::super::nodes::ManifestRef;
use super::super::repository::Repository;
use super::super::snapshot_reader::Snapshot;
use super::manifest_writer::{OpenManifest, Value};
use crate::references::{Reference, StoredRange};
use crate::{GetRange, KeyStore};

/// The file of all branches of specification 2.
pub const REPOSITORY: &str = "repo";

/// What the names of chunks of a repository begin with.
const CHUNKS: &str = "chunks/";

/// The snapshot of a branch that a new one is made from.
pub struct Parent {
    store: Arc<dyn KeyStore>,
    pub branch: String,
    pub specification: Specification,
    pub id: SnapshotId,
    /// Its time and its nodes.
    pub snapshot: Snapshot,
}

/// The error of a file that is damaged.
pub fn damaged(key: &str, why: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("{key}: {why}"))
}

impl Parent {
    /// The last snapshot of a branch of the repository in `store`.
    ///
    /// # Errors
    /// No such branch; a repository that takes no snapshots; files that are damaged.
    pub fn open(store: Arc<dyn KeyStore>, branch: &str) -> io::Result<Self> {
        let specification = match store.size(REPOSITORY)? {
            Some(_) => Specification::V2,
            None => Specification::V1,
        };
        let id = Tip::read(&*store, specification, branch)?.id(branch)?;
        let buffer = read(&*store, &format!("snapshots/{id}"), FileKind::Snapshot)?;
        let snapshot = Snapshot::parse(&buffer);
        Ok(Self {
            branch: branch.to_owned(),
            specification,
            id,
            snapshot: snapshot.map_err(|why| damaged(&format!("snapshots/{id}"), &why))?,
            store,
        })
    }

    /// The file that moves the branch, as it is now.
    ///
    /// # Errors
    /// Another program has added to the branch meanwhile.
    pub fn unmoved(&self) -> io::Result<Tip> {
        let tip = Tip::read(&*self.store, self.specification, &self.branch)?;
        match tip.id(&self.branch)? == self.id {
            true => Ok(tip),
            false => Err(self.moved()),
        }
    }

    /// True if the branch of specification 2 leads to a snapshot.
    ///
    /// # Errors
    /// Those of reading its file.
    pub fn leads_to(&self, id: SnapshotId) -> io::Result<bool> {
        let tip = Tip::read(&*self.store, self.specification, &self.branch)?;
        let mut repository = tip.repository.into_iter();
        Ok(repository.any(|repository| repository.leads_to(&self.branch, id)))
    }

    /// The error of a branch that another program has moved.
    pub fn moved(&self) -> io::Error {
        io::Error::new(
            io::ErrorKind::ResourceBusy,
            format!(
                "another program has added a snapshot to the branch {} meanwhile: run nccopy --append again",
                self.branch
            ),
        )
    }

    /// The value of a key; `None` if there is none.
    ///
    /// # Errors
    /// The store fails.
    pub fn get(&self, key: &str) -> io::Result<Option<Vec<u8>>> {
        self.store.get(key, GetRange::Whole)
    }

    /// True if a manifest of the array may have the chunk.
    pub fn may_have_chunk(&self, array: &str, index: &[u32]) -> bool {
        let array = self
            .snapshot
            .nodes
            .get(array)
            .and_then(|node| node.array.as_ref());
        array.is_some_and(|array| array.manifests.iter().any(|manifest| manifest.may_have(index)))
    }

    /// The references of a manifest but those of `replaced` chunks; `None` if it has none of these.
    ///
    /// # Errors
    /// The manifest is missing or damaged.
    pub fn without(
        &self,
        manifest: &ManifestRef,
        node: NodeId,
        replaced: &[Vec<u32>],
    ) -> io::Result<Option<OpenManifest>> {
        if !replaced.iter().any(|index| manifest.may_have(index)) {
            return Ok(None);
        }
        let key = format!("manifests/{}", manifest.id);
        let buffer = read(&*self.store, &key, FileKind::Manifest)?;
        let replaced: HashSet<&[u32]> = replaced.iter().map(Vec::as_slice).collect();
        let rank = manifest.extents.len();
        let (mut kept, mut has_replaced, mut is_strange) = (OpenManifest::default(), false, false);
        let read = Manifest::new(buffer).references(&node, |index, reference| {
            is_strange |= index.len() != rank;
            match replaced.contains(index.as_slice()) {
                true => has_replaced = true,
                false => kept.add(&index, value_of(reference)),
            }
        });
        read.map_err(|why| damaged(&key, &why))?;
        if is_strange {
            return Err(damaged(&key, "a chunk with coordinates of another array"));
        }
        Ok(has_replaced.then_some(kept))
    }
}

/// The flatbuffer of a file that must be there.
fn read(store: &dyn KeyStore, key: &str, kind: FileKind) -> io::Result<Vec<u8>> {
    let file = store.get(key, GetRange::Whole)?;
    let file = file.ok_or_else(|| damaged(key, "the repository has no such file"))?;
    read_file(&file, kind).map_err(|why| damaged(key, &why))
}

/// A reference as it is written.
fn value_of(reference: Reference) -> Value {
    if let Reference::Stored(StoredRange { object, range, .. }) = &reference
        && let Some(id) = object.strip_prefix(CHUNKS).and_then(SnapshotId::parse)
    {
        let (offset, length) = range.unwrap_or_default();
        return Value::Native(id, offset, length);
    }
    Value::Reference(reference)
}

/// The key of the file of a branch of specification 1.
pub fn branch_key(branch: &str) -> String {
    format!("refs/branch.{branch}/ref.json")
}

/// The file that moves a branch.
pub struct Tip {
    /// Its bytes.
    pub file: Vec<u8>,
    /// What it tells; `None` in specification 1.
    pub repository: Option<Repository>,
}

impl Tip {
    fn read(store: &dyn KeyStore, specification: Specification, branch: &str) -> io::Result<Self> {
        let key = match specification {
            Specification::V1 => branch_key(branch),
            Specification::V2 => REPOSITORY.to_owned(),
        };
        let file = store.get(&key, GetRange::Whole)?;
        let file = file.ok_or_else(|| no_branch(branch))?;
        let repository = match specification {
            Specification::V1 => None,
            Specification::V2 => {
                let buffer = read_file(&file, FileKind::Repository);
                let found = buffer.and_then(|buffer| Repository::parse(&buffer));
                Some(found.map_err(|why| damaged(&key, &why))?)
            }
        };
        if let Some(repository) = &repository {
            let checked = repository.check_growing();
            checked.map_err(|why| io::Error::new(io::ErrorKind::Unsupported, why))?;
        }
        Ok(Self { file, repository })
    }

    /// The last snapshot of the branch.
    fn id(&self, branch: &str) -> io::Result<SnapshotId> {
        match &self.repository {
            Some(repository) => repository.branch(branch).ok_or_else(|| no_branch(branch)),
            None => {
                let text = String::from_utf8_lossy(&self.file);
                // The only string of 20 digits.
                let id = text.split('"').find_map(SnapshotId::parse);
                id.ok_or_else(|| damaged(&branch_key(branch), "it names no snapshot"))
            }
        }
    }
}

fn no_branch(branch: &str) -> io::Error {
    io::Error::new(
        io::ErrorKind::InvalidInput,
        format!("the repository has no branch {}", branch.escape_debug()),
    )
}
