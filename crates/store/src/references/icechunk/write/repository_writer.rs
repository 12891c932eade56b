//! [`RepositoryOutput`]: a Zarr hierarchy that is written as the first snapshot of a repository, or what is added to the last snapshot of
//! a branch as the next one.
//!
//! Names of files are random in other programs. Here they are hashes of the contents, so that the same references give the same
//! repository. The time of a snapshot is that of `SOURCE_DATE_EPOCH`, or else of the last change of the files that are referred to. Only
//! where neither is known, it is the present time. It is always later than that of the snapshot before.
//!
//! A snapshot that is added keeps all manifests that have none of its chunks. Its branch moves last, if no other program moved it.

use std::collections::{BTreeMap, HashMap};
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use super::super::chunk_key::{MOST_DIMENSIONS, chunk_of};
use super::super::file_reader::Specification;
use super::super::id::{FIRST_SNAPSHOT, NodeId, ObjectId, id_of};
use super::super::keys::{self, DOCUMENT};
use super::super::nodes::{ArrayNode, Axis, Chunks, ManifestRef, Node, too_many_chunks};
use super::super::object_url::url_of;
use super::super::repository::Added;
use super::chunk_list::ChunkList;
use super::commit;
use super::manifest_writer::{ChunkRef, OpenManifest};
use super::parent::Parent;
use super::settings_writer::{common_folder, folder_of, server_of};
use super::snapshot_writer::{MAIN, NewSnapshot};
use super::transaction_writer::Changes;
use crate::references::{ObjectVersion, Reference, ReferencedArray, StoredRange};
use crate::{GrowingKeys, KeyOutput, KeyStore, ValueWriter};

/// Most bytes of a value that stands in a manifest. A longer one is a file of its own. Other writers have the same limit.
const MOST_INLINE: usize = 512;

/// A repository that is being written, below another output. The documents of a hierarchy come by
/// [`put_last`](KeyOutput::put_last), its chunks as values or as references.
pub struct RepositoryOutput {
    output: Arc<dyn KeyOutput>,
    specification: Specification,
    /// The snapshot before, and the same output; `None` of a new repository.
    grown: Option<(Parent, Arc<dyn GrowingKeys>)>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// The references of each array that are in no manifest yet.
    open: HashMap<String, OpenManifest>,
    manifests: HashMap<String, Vec<ManifestRef>>,
    arrays: HashMap<String, ReferencedArray>,
    /// The documents, by path.
    documents: BTreeMap<String, Vec<u8>>,
    /// Of each server, the folder that all stored chunks lie in.
    folders: BTreeMap<String, String>,
    /// Time of the last change of what is referred to, in microseconds since 1970.
    newest: u64,
    /// Chunks of the parent snapshot that were written again, by array.
    replaced: HashMap<String, ChunkList>,
    /// All chunks that are added to the parent snapshot, by array.
    added: HashMap<String, ChunkList>,
    /// The last object that was referred to, by its name and by its URL.
    last: Option<(Arc<str>, Arc<str>)>,
}

impl State {
    /// Notes an object that is referred to. Returns its URL.
    fn refer_to(&mut self, stored: &StoredRange) -> io::Result<Arc<str>> {
        // Usually the same object as before.
        if let Some((name, url)) = &self.last
            && *name == stored.object
        {
            return Ok(Arc::clone(url));
        }
        let url: Arc<str> = url_of(&stored.object)?.into();
        let (server, folder) = (server_of(&url), folder_of(&url));
        match self.folders.get_mut(server) {
            Some(known) if folder.starts_with(known.as_str()) => {}
            Some(known) => known.truncate(common_folder(known, folder).len()),
            None => {
                self.folders.insert(server.to_owned(), folder.to_owned());
            }
        }
        if let Some(ObjectVersion::LastModified(time)) = &stored.version {
            let time = time.duration_since(UNIX_EPOCH).map_or(0, |time| time.as_micros());
            self.newest = self.newest.max(u64::try_from(time).unwrap_or(0));
        }
        self.last = Some((Arc::clone(&stored.object), Arc::clone(&url)));
        Ok(url)
    }
}

impl RepositoryOutput {
    /// Begins a repository.
    pub fn new(output: Arc<dyn KeyOutput>, specification: Specification) -> Self {
        Self {
            output,
            specification,
            grown: None,
            state: Mutex::default(),
        }
    }

    /// Begins a snapshot behind the last one of a branch of the repository in `store`. `output` is the same store.
    ///
    /// # Errors
    /// No such branch; a repository that takes no snapshots; files that are damaged.
    pub fn growing(store: Arc<dyn KeyStore>, output: Arc<dyn GrowingKeys>, branch: &str) -> io::Result<Self> {
        let parent = Parent::open(store, branch)?;
        Ok(Self {
            output: Arc::clone(&output) as Arc<dyn KeyOutput>,
            specification: parent.specification,
            grown: Some((parent, output)),
            state: Mutex::default(),
        })
    }

    /// The specification by which the repository is written.
    pub fn specification(&self) -> Specification {
        self.specification
    }

    /// The identifier of the node with a path.
    fn node_id(&self, path: &str) -> NodeId {
        let parent = self.grown.as_ref().map(|(parent, _)| &parent.snapshot);
        let known = parent.and_then(|parent| parent.nodes.get(path));
        known.map_or_else(|| id_of("node", path.as_bytes()), |node| node.id)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a reference to the chunk of a key.
    fn add(&self, key: &str, value: ChunkRef) -> io::Result<()> {
        let mut index = [0; MOST_DIMENSIONS];
        let (array, rank) = chunk_of(key, &mut index).ok_or_else(|| {
            io::Error::new(
                io::ErrorKind::InvalidInput,
                format!("the key {key:?} is none of a chunk"),
            )
        })?;
        let index = &index[..rank];
        let mut state = self.state();
        let open = match state.open.get_mut(array) {
            Some(open) => open,
            None => state.open.entry(array.to_owned()).or_default(),
        };
        let full = open.is_full(index).then(|| std::mem::take(open));
        open.add(index, value);
        if let Some((parent, _)) = &self.grown
            && parent.may_have_chunk(array, index)
        {
            match state.replaced.get_mut(array) {
                Some(replaced) => replaced.push(index),
                None => state.replaced.entry(array.to_owned()).or_default().push(index),
            }
        }
        match full {
            None => Ok(()),
            Some(full) => self.write_manifest(&mut state, array, full),
        }
    }

    fn write_manifest(&self, state: &mut State, array: &str, manifest: OpenManifest) -> io::Result<()> {
        if manifest.is_empty() {
            return Ok(());
        }
        if self.grown.is_some() {
            let added = state.added.entry(array.to_owned()).or_default();
            added.extend(manifest.chunks());
        }
        let (manifest, bytes) = manifest.write(self.specification, self.node_id(array))?;
        self.output.put(&keys::manifest(manifest.id), &bytes)?;
        state
            .manifests
            .entry(array.to_owned())
            .or_default()
            .push(manifest);
        Ok(())
    }

    /// Writes what the documents and references make.
    pub(super) fn complete(&self) -> io::Result<()> {
        let mut state = self.state();
        let mut open: Vec<_> = std::mem::take(&mut state.open).into_iter().collect();
        open.sort_by(|a, b| a.0.cmp(&b.0));
        for (array, manifest) in open {
            self.write_manifest(&mut state, &array, manifest)?;
        }
        match &self.grown {
            None => self.complete_first(&mut state),
            Some((parent, output)) => self.complete_next(&mut state, parent, &**output),
        }
    }

    /// Writes the first snapshot with content.
    fn complete_first(&self, state: &mut State) -> io::Result<()> {
        let (mut nodes, mut changes) = (BTreeMap::new(), Changes::default());
        for (path, document) in std::mem::take(&mut state.documents) {
            let array = match state.arrays.remove(&path) {
                Some(array) => Some(ArrayNode {
                    shape: axes(&array)?,
                    dimensions: Some(array.dimensions.into_iter().map(Some).collect()),
                    manifests: state.manifests.remove(&path).unwrap_or_default(),
                }),
                None => None,
            };
            let node = Node {
                id: self.node_id(&path),
                document,
                array,
                extra: None,
            };
            changes.add(&node);
            nodes.insert(path, node);
        }
        let flushed_at = time(state.newest);
        let first = NewSnapshot::first(self.specification, flushed_at)?;
        self.output.put(&keys::snapshot(FIRST_SNAPSHOT), &first)?;
        if self.specification == Specification::V2 {
            let log = Changes::default().log(self.specification, FIRST_SNAPSHOT)?;
            self.output.put(&keys::transaction_log(FIRST_SNAPSHOT), &log)?;
        }
        let snapshot = NewSnapshot {
            specification: self.specification,
            nodes: &nodes,
            message: "written by nccopy",
            flushed_at,
            branch: MAIN,
            parent: FIRST_SNAPSHOT,
        };
        let added = self.write_snapshot(&snapshot, changes)?;
        commit::begin(&*self.output, self.specification, &added, state.folders.values())
    }

    /// Writes a snapshot, and the log of it.
    fn write_snapshot<'a>(&self, snapshot: &NewSnapshot<'a>, changes: Changes) -> io::Result<Added<'a>> {
        let (id, bytes) = snapshot.write()?;
        self.output.put(&keys::snapshot(id), &bytes)?;
        let log = changes.log(self.specification, id)?;
        self.output.put(&keys::transaction_log(id), &log)?;
        Ok(Added {
            id,
            flushed_at: snapshot.flushed_at,
            message: snapshot.message,
        })
    }

    /// Writes a snapshot behind another one.
    fn complete_next(&self, state: &mut State, parent: &Parent, output: &dyn GrowingKeys) -> io::Result<()> {
        let mut nodes = parent.snapshot.nodes.clone();
        for (path, document) in std::mem::take(&mut state.documents) {
            let node = nodes.get_mut(&path).ok_or_else(|| {
                let why = format!("the repository has no group or array {}", path.escape_debug());
                io::Error::new(io::ErrorKind::InvalidInput, why)
            })?;
            node.document = document;
        }
        let mut changes = Changes::default();
        for (path, node) in &mut nodes {
            let (before, id) = (parent.snapshot.nodes.get(path), node.id);
            let is_updated = before.is_none_or(|before| before.document != node.document);
            if is_updated {
                changes.update(node);
            }
            let chunks = state.added.remove(path);
            if chunks.is_none() && !is_updated {
                continue;
            }
            let (Some(array), Some(grown)) = (&mut node.array, state.arrays.remove(path)) else {
                continue;
            };
            array.shape = axes(&grown)?;
            let replaced = state.replaced.remove(path).unwrap_or_default();
            let mut manifests = Vec::new();
            for manifest in std::mem::take(&mut array.manifests) {
                match parent.without(&manifest, id, &replaced)? {
                    None => manifests.push(manifest),
                    Some(kept) if kept.is_empty() => {}
                    Some(kept) => {
                        let (manifest, bytes) = kept.write(self.specification, id)?;
                        self.output.put(&keys::manifest(manifest.id), &bytes)?;
                        manifests.push(manifest);
                    }
                }
            }
            manifests.extend(state.manifests.remove(path).unwrap_or_default());
            array.manifests = manifests;
            if let Some(chunks) = chunks {
                changes.add_chunks(id, chunks);
            }
        }
        let snapshot = NewSnapshot {
            specification: self.specification,
            nodes: &nodes,
            message: "added by nccopy",
            flushed_at: time(state.newest).max(parent.snapshot.flushed_at.saturating_add(1)),
            branch: &parent.branch,
            parent: parent.id,
        };
        let added = self.write_snapshot(&snapshot, changes)?;
        commit::add(output, parent, &added, state.folders.values())
    }
}

/// The dimensions of an array.
///
/// # Errors
/// A dimension with more chunks than a repository can tell.
fn axes(array: &ReferencedArray) -> io::Result<Vec<Axis>> {
    let axis = |(n, (length, chunk)): (usize, &(u64, u64))| {
        let axis = Axis {
            length: *length,
            chunks: Chunks::Length(*chunk),
        };
        let name = array.dimensions.get(n).map(String::as_str);
        match axis.count() {
            Some(_) => Ok(axis),
            None => Err(too_many_chunks(&array.path, n, name)),
        }
    };
    array.shape.iter().enumerate().map(axis).collect()
}

/// The time of a snapshot, in microseconds since 1970: `SOURCE_DATE_EPOCH`, else that of its newest object, else now if `newest` is 0.
fn time(newest: u64) -> u64 {
    let epoch = std::env::var("SOURCE_DATE_EPOCH").ok();
    let epoch: Option<u64> = epoch.and_then(|seconds| seconds.parse().ok());
    match (epoch, newest) {
        (Some(seconds), _) => seconds.saturating_mul(1_000_000),
        (None, 0) => {
            let now = SystemTime::now().duration_since(UNIX_EPOCH);
            now.map_or(0, |now| u64::try_from(now.as_micros()).unwrap_or(0))
        }
        (None, newest) => newest,
    }
}

impl KeyOutput for RepositoryOutput {
    fn put(&self, key: &str, value: &[u8]) -> io::Result<()> {
        if value.len() <= MOST_INLINE {
            return self.add(key, ChunkRef::Reference(Reference::Inline(value.to_vec())));
        }
        let id = ObjectId(id_of(key, value));
        self.output.put(&keys::chunk(id), value)?;
        self.add(key, ChunkRef::Native(id, 0, value.len() as u64))
    }

    fn needs_lengths(&self) -> bool {
        true
    }

    fn takes_references(&self) -> bool {
        true
    }

    fn begin_arrays(&self, arrays: Vec<ReferencedArray>) -> io::Result<()> {
        // What cannot be written is told before references are made.
        for array in &arrays {
            axes(array)?;
        }
        let arrays = arrays.into_iter().map(|array| (array.path.clone(), array));
        self.state().arrays = arrays.collect();
        Ok(())
    }

    fn put_reference(&self, key: &str, reference: &Reference) -> io::Result<()> {
        let stored = match reference {
            Reference::Inline(value) => return self.put(key, value),
            Reference::Stored(stored) => stored,
        };
        if stored.range.is_none() {
            let told = "the length of a whole object is not known, which a repository must tell";
            return Err(io::Error::new(io::ErrorKind::InvalidInput, told));
        }
        let object = self.state().refer_to(stored)?;
        let stored = StoredRange {
            object,
            ..stored.clone()
        };
        self.add(key, ChunkRef::Reference(Reference::Stored(stored)))
    }

    fn put_last(&self, key: &str, value: &[u8]) -> io::Result<()> {
        let folder = match key.strip_suffix(DOCUMENT) {
            Some("") => Some(""),
            Some(folder) => folder.strip_suffix('/'),
            None => None,
        };
        let folder = folder.ok_or_else(|| {
            io::Error::new(
                io::ErrorKind::InvalidInput,
                format!("the key {key:?} is none of Zarr, version 3"),
            )
        })?;
        self.state().documents.insert(folder.to_owned(), value.to_vec());
        Ok(())
    }

    /// There are no shards in a repository: a chunk is a part of an object anyway.
    fn create(&self, _: &str) -> io::Result<Box<dyn ValueWriter>> {
        Err(io::ErrorKind::Unsupported.into())
    }

    fn staged(&self, _: &str) -> io::Result<Option<Vec<u8>>> {
        Ok(None)
    }

    fn staged_keys(&self, _: &str) -> io::Result<Vec<String>> {
        Ok(Vec::new())
    }

    fn wait(&self) -> io::Result<()> {
        self.output.wait()
    }

    fn publish(&self) -> io::Result<()> {
        self.complete()?;
        self.output.publish()
    }
}

impl GrowingKeys for RepositoryOutput {
    /// Nothing is to be undone: no snapshot leads to what a killed run has written.
    fn note(&self, _: &[u8]) -> io::Result<()> {
        Ok(())
    }

    /// Nobody replaces what is in a repository but the repository.
    fn replace(&self, _: &str, _: &[u8], _: &[u8]) -> io::Result<bool> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// A snapshot has no chunks but those of its manifests.
    fn remove(&self, _: &str) -> io::Result<()> {
        Ok(())
    }

    fn end(&self) -> io::Result<()> {
        match &self.grown {
            Some((_, output)) => output.end(),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::MemoryKeys;

    #[test]
    fn an_array_with_too_many_chunks_is_refused() {
        let keys = MemoryKeys::new();
        let array = |length| ReferencedArray {
            path: "g/v".to_owned(),
            shape: vec![(4, 2), (length, 3)],
            dimensions: vec!["y".to_owned(), "x".to_owned()],
            counts: Vec::new(),
            fill: Box::new(|| Ok(Vec::new())),
        };
        let most = 3 * u64::from(u32::MAX);
        for specification in [Specification::V1, Specification::V2] {
            let output = RepositoryOutput::new(Arc::new(keys.output()), specification);
            output.begin_arrays(vec![array(most)]).unwrap();
            let error = output
                .begin_arrays(vec![array(most + 1)])
                .unwrap_err()
                .to_string();
            assert!(
                error.starts_with("g/v has more chunks along x than Icechunk can hold"),
                "{error}"
            );
        }
    }
}
