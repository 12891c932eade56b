//! [`IcechunkReferences`]: one snapshot, whose manifests are read as they are asked for.

use std::io;
use std::sync::Arc;

use super::file_reader::{FileKind, read_file};
use super::id::SnapshotId;
use super::manifest_reader::Manifest;
use super::snapshot_reader::{Array, Snapshot};
use crate::references::{Reference, ReferenceSet};
use crate::{BoundedCache, ByteRange, GetRange, KeyStore};

/// Most bytes of manifests that stay in memory.
const KEPT: usize = 256 << 20;

/// Most bytes of a file of metadata.
const LARGEST: usize = 1 << 30;

/// Most chunks of an array whose keys are listed.
const MOST_LISTED: usize = 4_000_000;

/// The name of the document of a node.
const DOCUMENT: &str = "zarr.json";

/// The references of one snapshot.
pub struct IcechunkReferences {
    store: Arc<dyn KeyStore>,
    /// What the names of chunks of the repository begin with.
    root: String,
    snapshot: Snapshot,
    manifests: BoundedCache<SnapshotId, Arc<Manifest>>,
}

/// The value of a key that must be there.
fn file(store: &dyn KeyStore, key: &str, kind: FileKind) -> io::Result<Vec<u8>> {
    let wrong = |why: String| io::Error::new(io::ErrorKind::InvalidData, format!("{key}: {why}"));
    let part = GetRange::Range(ByteRange {
        offset: 0,
        length: LARGEST + 1,
    });
    match store.get(key, part)? {
        None => Err(wrong("the repository has no such file".to_owned())),
        Some(bytes) if bytes.len() > LARGEST => Err(wrong(format!("it has more than {LARGEST} bytes"))),
        Some(bytes) => read_file(&bytes, kind).map_err(wrong),
    }
}

impl IcechunkReferences {
    /// The references of a snapshot of the repository in `store`. The names of its own chunks begin with `root`.
    ///
    /// # Errors
    /// If the snapshot is missing or damaged.
    pub fn open(store: Arc<dyn KeyStore>, snapshot: SnapshotId, root: &str) -> io::Result<Self> {
        let key = format!("snapshots/{snapshot}");
        let buffer = file(&*store, &key, FileKind::Snapshot)?;
        let wrong = |why| io::Error::new(io::ErrorKind::InvalidData, format!("{key}: {why}"));
        Ok(Self {
            snapshot: Snapshot::parse(&buffer).map_err(wrong)?,
            store,
            root: root.to_owned(),
            manifests: BoundedCache::new(KEPT),
        })
    }

    /// An object that a virtual chunk lies in; `None` if none is found soon.
    ///
    /// # Errors
    /// If a manifest cannot be read.
    pub fn some_object(&self) -> io::Result<Option<String>> {
        for array in self.snapshot.arrays.values().take(8) {
            let Some((id, _)) = array.manifests.first() else {
                continue;
            };
            let mut first = None;
            let manifest = self.manifest(*id)?;
            let listed = manifest.positions(&array.node, |position| {
                first.get_or_insert(position);
            });
            listed.map_err(|why| damaged(*id, &why))?;
            let Some(first) = first else {
                continue;
            };
            let found = manifest.find(&array.node, &first);
            if let Some(Reference::Stored(stored)) = found.map_err(|why| damaged(*id, &why))?
                && stored.object.contains("://")
            {
                return Ok(Some(stored.object.to_string()));
            }
        }
        Ok(None)
    }

    fn manifest(&self, id: SnapshotId) -> io::Result<Arc<Manifest>> {
        if let Some(manifest) = self.manifests.get(&id) {
            return Ok(manifest);
        }
        let buffer = file(&*self.store, &format!("manifests/{id}"), FileKind::Manifest)?;
        let manifest = Arc::new(Manifest::new(buffer));
        self.manifests.keep(id, Arc::clone(&manifest), manifest.cost());
        Ok(manifest)
    }

    /// The array that a key is of, and the position of its chunk.
    fn chunk(&self, key: &str) -> Option<(&Array, Vec<u32>)> {
        let (path, numbers) = match key.strip_suffix("/c").or((key == "c").then_some("")) {
            // The one chunk of a scalar.
            Some(path) => (path, ""),
            None => {
                let at = key
                    .rfind("/c/")
                    .map(|at| (at, at + 3))
                    .or(key.starts_with("c/").then_some((0, 2)))?;
                (&key[..at.0], &key[at.1..])
            }
        };
        let array = self.snapshot.arrays.get(path)?;
        let number = |text: &str| {
            let is_plain = text == "0" || !text.starts_with(['0', '+']);
            text.parse().ok().filter(|_: &u32| is_plain)
        };
        let position = match numbers {
            "" => Some(Vec::new()),
            numbers => numbers.split('/').map(number).collect(),
        };
        Some((array, position?))
    }

    /// Adds the keys of the chunks of an array to `keys`.
    fn list_chunks(&self, path: &str, array: &Array, keys: &mut Vec<String>) -> io::Result<()> {
        let folder = if path.is_empty() {
            "c".to_owned()
        } else {
            format!("{path}/c")
        };
        for (id, _) in &array.manifests {
            let manifest = self.manifest(*id)?;
            let wrong = |why: String| damaged(*id, &why);
            if manifest.len(&array.node).map_err(wrong)? + keys.len() > MOST_LISTED {
                return Err(io::ErrorKind::Unsupported.into());
            }
            let listed = manifest.positions(&array.node, |position| {
                let mut key = folder.clone();
                for number in position {
                    key.push('/');
                    key.push_str(&number.to_string());
                }
                keys.push(key);
            });
            listed.map_err(wrong)?;
        }
        Ok(())
    }

    /// The keys of documents.
    fn documents(&self) -> impl Iterator<Item = String> {
        self.snapshot.documents.keys().map(|path| key_of(path))
    }
}

/// The key of the document of a node.
fn key_of(path: &str) -> String {
    match path {
        "" => DOCUMENT.to_owned(),
        path => format!("{path}/{DOCUMENT}"),
    }
}

fn damaged(id: SnapshotId, why: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("manifests/{id}: {why}"))
}

impl ReferenceSet for IcechunkReferences {
    fn find(&self, key: &str) -> io::Result<Option<Reference>> {
        if let Some(path) = key.strip_suffix(DOCUMENT) {
            let path = path.strip_suffix('/').unwrap_or(path);
            let document = self.snapshot.documents.get(path);
            return Ok(document.cloned().map(Reference::Inline));
        }
        let Some((array, position)) = self.chunk(key) else {
            return Ok(None);
        };
        for (id, ranges) in &array.manifests {
            let is_within = ranges.len() == position.len()
                && ranges
                    .iter()
                    .zip(&position)
                    .all(|([from, to], at)| from <= at && at < to);
            if is_within
                && let Some(found) = self
                    .manifest(*id)?
                    .find(&array.node, &position)
                    .map_err(|why| damaged(*id, &why))?
            {
                return Ok(Some(match found {
                    Reference::Stored(mut stored) if !stored.object.contains("://") => {
                        stored.object = format!("{}{}", self.root, stored.object).into();
                        Reference::Stored(stored)
                    }
                    found => found,
                }));
            }
        }
        Ok(None)
    }

    fn list(&self, prefix: &str) -> io::Result<Vec<String>> {
        let mut keys: Vec<String> = self.documents().collect();
        for (path, array) in &self.snapshot.arrays {
            let folder = format!("{path}/");
            if folder.starts_with(prefix) || prefix.starts_with(&folder) || path.is_empty() {
                self.list_chunks(path, array, &mut keys)?;
            }
        }
        keys.retain(|key| key.starts_with(prefix));
        keys.sort_unstable();
        keys.dedup();
        Ok(keys)
    }

    /// Chunks are left out: nobody looks for them one level at a time.
    fn list_children(&self, folder: &str) -> io::Result<Vec<String>> {
        let name = |key: String| {
            let rest = key.strip_prefix(folder)?;
            rest.split_inclusive('/').next().map(str::to_owned)
        };
        // Only documents of the folder and of what is below it.
        let folders = self
            .snapshot
            .documents
            .range(folder.trim_end_matches('/').to_owned()..);
        let below = folders.take_while(|(path, _)| path.starts_with(folder.trim_end_matches('/')));
        let mut names: Vec<String> = below.filter_map(|(path, _)| name(key_of(path))).collect();
        names.sort_unstable();
        names.dedup();
        Ok(names)
    }
}
