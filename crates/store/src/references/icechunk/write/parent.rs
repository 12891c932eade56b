//! [`Parent`]: the snapshot of a branch that a new one is made from, and the file that moves the branch.

use std::collections::HashSet;
use std::io;
use std::sync::Arc;

use super::super::file_reader::{
    FileKind, LARGEST_FILE, LARGEST_TEXT, Specification, damaged, get, get_file, read_file,
};
use super::super::id::{NodeId, ObjectId};
use super::super::keys;
use super::super::manifest_reader::{Manifest, Wanted};
use super::super::nodes::ManifestRef;
use super::super::repository::{LATER, Repository};
use super::super::snapshot_reader::Snapshot;
use super::chunk_list::ChunkList;
use super::manifest_writer::{ChunkRef, OpenManifest};
use crate::references::{Reference, StoredRange};
use crate::{GrowingKeys, KeyStore};

/// The snapshot of a branch that a new one is made from.
pub struct Parent {
    store: Arc<dyn KeyStore>,
    pub branch: String,
    pub specification: Specification,
    pub id: ObjectId,
    /// Its time and its nodes.
    pub snapshot: Snapshot,
}

impl Parent {
    /// The last snapshot of a branch of the repository in `store`.
    ///
    /// # Errors
    /// No such branch; a repository that takes no snapshots; files that are damaged.
    pub fn open(store: Arc<dyn KeyStore>, branch: &str) -> io::Result<Self> {
        let specification = match store.size(keys::REPOSITORY)? {
            Some(_) => Specification::V2,
            None => Specification::V1,
        };
        let (key, most) = Tip::key(specification, branch);
        let tip = Tip::parse(get(&*store, &key, most)?, specification, branch)?;
        let id = tip.id(branch)?;
        let key = keys::snapshot(id);
        let snapshot = Snapshot::parse(&get_file(&*store, &key, FileKind::Snapshot)?);
        let snapshot = snapshot.map_err(|why| damaged(&key, &why))?;
        if snapshot.has_unknown_fields {
            return Err(io::Error::new(io::ErrorKind::Unsupported, LATER));
        }
        Ok(Self {
            branch: branch.to_owned(),
            specification,
            id,
            snapshot,
            store,
        })
    }

    /// The file that moves the branch, as it is now. `store` reads one state of the repository, and fails where that has changed.
    ///
    /// # Errors
    /// Those of reading the file.
    fn tip(&self, output: &dyn GrowingKeys) -> io::Result<Tip> {
        let (key, _) = Tip::key(self.specification, &self.branch);
        Tip::parse(output.staged(&key)?, self.specification, &self.branch)
    }

    /// The file that moves the branch, as it is now.
    ///
    /// # Errors
    /// Another program has added to the branch meanwhile.
    pub fn unmoved(&self, output: &dyn GrowingKeys) -> io::Result<Tip> {
        let tip = self.tip(output)?;
        match tip.id(&self.branch)? == self.id {
            true => Ok(tip),
            false => Err(self.moved()),
        }
    }

    /// True if the branch of specification 2 leads to a snapshot.
    ///
    /// # Errors
    /// Those of reading its file.
    pub fn leads_to(&self, output: &dyn GrowingKeys, id: ObjectId) -> io::Result<bool> {
        let repository = self.tip(output)?.repository;
        Ok(repository.is_some_and(|repository| repository.leads_to(&self.branch, id)))
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

    /// The settings of specification 1; `None` if there are none.
    ///
    /// # Errors
    /// The store fails.
    pub fn settings(&self) -> io::Result<Option<Vec<u8>>> {
        get(&*self.store, keys::SETTINGS, LARGEST_TEXT)
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
        replaced: &ChunkList,
    ) -> io::Result<Option<OpenManifest>> {
        if !replaced.iter().any(|index| manifest.may_have(index)) {
            return Ok(None);
        }
        let key = keys::manifest(manifest.id);
        let buffer = get_file(&*self.store, &key, FileKind::Manifest)?;
        let replaced: HashSet<&[u32]> = replaced.iter().collect();
        let rank = manifest.extents.len();
        let (mut kept, mut has_replaced, mut is_strange) = (OpenManifest::default(), false, false);
        let read = Manifest::new(buffer);
        let references = read.chunks(&node, Wanted::Copies, |index, reference| {
            is_strange |= index.len() != rank;
            match reference {
                Some(reference) if !replaced.contains(index) => kept.add(index, value_of(reference.into())),
                _ => has_replaced = true,
            }
            true
        });
        references.map_err(|why| damaged(&key, &why))?;
        if is_strange {
            return Err(damaged(&key, "a chunk with coordinates of another array"));
        }
        if !has_replaced {
            return Ok(None);
        }
        match read
            .has_unknown_fields(&node)
            .map_err(|why| damaged(&key, &why))?
        {
            true => Err(io::Error::new(io::ErrorKind::Unsupported, LATER)),
            false => Ok(Some(kept)),
        }
    }
}

/// A reference as it is written.
fn value_of(reference: Reference) -> ChunkRef {
    if let Reference::Stored(StoredRange { object, range, .. }) = &reference
        && let Some(id) = keys::id_of_chunk(object)
    {
        let (offset, length) = range.unwrap_or_default();
        return ChunkRef::Native(id, offset, length);
    }
    ChunkRef::Reference(reference)
}

/// The file that moves a branch.
pub struct Tip {
    /// Its bytes.
    pub file: Vec<u8>,
    /// What it tells; `None` in specification 1.
    pub repository: Option<Repository>,
}

impl Tip {
    /// The key of the file, and its most bytes.
    fn key(specification: Specification, branch: &str) -> (String, usize) {
        match specification {
            Specification::V1 => (keys::branch(branch), LARGEST_TEXT),
            Specification::V2 => (keys::REPOSITORY.to_owned(), LARGEST_FILE),
        }
    }

    fn parse(file: Option<Vec<u8>>, specification: Specification, branch: &str) -> io::Result<Self> {
        let file = file.ok_or_else(|| no_branch(branch))?;
        let repository = match specification {
            Specification::V1 => None,
            Specification::V2 => {
                let buffer = read_file(&file, FileKind::Repository);
                let found = buffer.and_then(|buffer| Repository::parse(&buffer));
                Some(found.map_err(|why| damaged(keys::REPOSITORY, &why))?)
            }
        };
        if let Some(repository) = &repository {
            let checked = repository.check_growing();
            checked.map_err(|why| io::Error::new(io::ErrorKind::Unsupported, why))?;
        }
        Ok(Self { file, repository })
    }

    /// The last snapshot of the branch.
    fn id(&self, branch: &str) -> io::Result<ObjectId> {
        match &self.repository {
            Some(repository) => repository.branch(branch).ok_or_else(|| no_branch(branch)),
            None => {
                let id = keys::snapshot_of_ref(&self.file);
                id.ok_or_else(|| damaged(&keys::branch(branch), "it names no snapshot"))
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
