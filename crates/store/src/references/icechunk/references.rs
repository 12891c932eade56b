//! [`IcechunkReferences`]: one snapshot, whose manifests are read as they are asked for.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::io;
use std::sync::{Arc, OnceLock};

use super::chunk_key::{MOST_DIMENSIONS, chunk_of};
use super::containers::Containers;
use super::file_reader::{FileKind, LARGEST_TEXT, damaged, get, get_file};
use super::flexbuffer::FlexValue;
use super::id::ObjectId;
use super::keys::{self, DOCUMENT};
use super::manifest_reader::{ChunkReference, Manifest, Wanted};
use super::nodes::{ArrayNode, Node};
use super::object_url::object_at;
use super::snapshot_reader::Snapshot;
use crate::references::listed_references::ListedReferences;
use crate::references::{Reference, ReferenceSet};
use crate::{BoundedCache, KeyStore, Sought};

/// Most bytes of manifests that stay in memory.
const KEPT: usize = 256 << 20;

/// Most chunks of an array whose keys are listed.
const MOST_LISTED: usize = 4_000_000;

/// The references of one snapshot.
pub struct IcechunkReferences {
    store: Arc<dyn KeyStore>,
    /// What the names of chunks of the repository begin with.
    root: String,
    snapshot: Snapshot,
    /// What the settings tell of places; read when a chunk needs it.
    containers: OnceLock<Containers>,
    /// The settings of specification 2. Those of specification 1 are a file.
    settings: Option<Vec<u8>>,
    manifests: BoundedCache<ObjectId, Arc<Manifest>>,
    listed: ListedReferences,
}

impl IcechunkReferences {
    /// The references of a snapshot of the repository in `store`, which has these settings in specification 2. The names of its own
    /// chunks begin with `root`.
    ///
    /// # Errors
    /// If the snapshot is missing or damaged.
    pub fn open(
        store: Arc<dyn KeyStore>,
        snapshot: ObjectId,
        settings: Option<Vec<u8>>,
        root: &str,
    ) -> io::Result<Self> {
        let key = keys::snapshot(snapshot);
        let buffer = get_file(&*store, &key, FileKind::Snapshot)?;
        Ok(Self {
            snapshot: Snapshot::parse(&buffer).map_err(|why| damaged(&key, &why))?,
            store,
            root: root.to_owned(),
            containers: OnceLock::new(),
            settings,
            manifests: BoundedCache::new(KEPT),
            listed: ListedReferences::default(),
        })
    }

    /// An object that a virtual chunk lies in; `None` if none is found soon.
    ///
    /// # Errors
    /// If a manifest cannot be read.
    pub fn some_object(&self) -> io::Result<Option<String>> {
        for (_, node, array) in self.snapshot.arrays().take(8) {
            let Some(id) = array.manifests.first().map(|manifest| manifest.id) else {
                continue;
            };
            let mut first = None;
            let manifest = self.manifest(id)?;
            let listed = manifest.chunks(&node.id, Wanted::References, |_, reference| {
                first = reference;
                false
            });
            listed.map_err(|why| damaged_manifest(id, &why))?;
            if let Some(ChunkReference::Stored { object, .. }) = first
                && object.contains("://")
                && let Ok(object) = self.object_of(&object)
            {
                return Ok(Some(object.into_owned()));
            }
        }
        Ok(None)
    }

    /// The URL of an object, or its path: of a local file, or in the repository with the root before it.
    fn object_of<'a>(&self, location: &'a str) -> io::Result<Cow<'a, str>> {
        if !location.contains("://") && !self.root.is_empty() {
            return Ok(format!("{}{location}", self.root).into());
        }
        match Containers::is_container_location(location) {
            true => {
                let url = self.containers()?.url_of(location).map_err(io::Error::other)?;
                Ok(object_at(&url).into_owned().into())
            }
            false => Ok(object_at(location)),
        }
    }

    fn containers(&self) -> io::Result<&Containers> {
        if let Some(known) = self.containers.get() {
            return Ok(known);
        }
        let found = match &self.settings {
            Some(settings) => {
                let settings = FlexValue::parse(settings);
                Containers::of(&settings.map_err(|why| damaged(keys::REPOSITORY, &why))?)
            }
            None => {
                let text = get(&*self.store, keys::SETTINGS, LARGEST_TEXT)?.unwrap_or_default();
                Containers::of_yaml(&String::from_utf8_lossy(&text))
            }
        };
        Ok(self.containers.get_or_init(|| found))
    }

    fn manifest(&self, id: ObjectId) -> io::Result<Arc<Manifest>> {
        if let Some(manifest) = self.manifests.get(&id) {
            return Ok(manifest);
        }
        let buffer = get_file(&*self.store, &keys::manifest(id), FileKind::Manifest)?;
        let manifest = Arc::new(Manifest::new(buffer));
        self.manifests.keep(id, Arc::clone(&manifest), manifest.cost());
        Ok(manifest)
    }

    /// The array that a key is of, and the position of its chunk.
    fn chunk(&self, key: &str) -> Option<(&Node, &ArrayNode, Vec<u32>)> {
        let mut index = [0; MOST_DIMENSIONS];
        let (path, rank) = chunk_of(key, &mut index)?;
        let node = self.snapshot.nodes.get(path)?;
        Some((node, node.array.as_ref()?, index[..rank].to_vec()))
    }

    /// Passes the key of each chunk of an array to `each`, as long as it returns true.
    fn list_chunks(
        &self,
        path: &str,
        node: &Node,
        array: &ArrayNode,
        each: &mut EachChunk<'_>,
    ) -> io::Result<bool> {
        let mut key = match path {
            "" => "c".to_owned(),
            path => format!("{path}/c"),
        };
        let folder = key.len();
        for named in &array.manifests {
            let manifest = self.manifest(named.id)?;
            let mut goes_on = Ok(true);
            let listed = manifest.chunks(&node.id, each.wanted, |index, reference| {
                if !named.may_have(index) {
                    return true;
                }
                key.truncate(folder);
                for number in index {
                    // Writing to a `String` never fails.
                    let _ = write!(key, "/{number}");
                }
                goes_on = (each.take)(&key, reference);
                matches!(goes_on, Ok(true))
            });
            match listed {
                // Keys lead to the references that can be read.
                Err(_) if each.wanted == Wanted::References => return Ok(false),
                listed => listed.map_err(|why| damaged_manifest(named.id, &why))?,
            }
            if !goes_on? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Passes the keys of chunks that start with `prefix` to `each`, as long as it returns true.
    ///
    /// # Errors
    /// `Unsupported`, before any key, if they are too many.
    fn list_all_chunks(&self, prefix: &str, each: &mut EachChunk<'_>) -> io::Result<bool> {
        let may_have = |path: &str| {
            let folder = format!("{path}/");
            folder.starts_with(prefix) || prefix.starts_with(&folder) || path.is_empty()
        };
        let arrays = || self.snapshot.arrays().filter(|(path, ..)| may_have(path));
        let mut count = 0usize;
        for (_, node, array) in arrays() {
            for id in array.manifests.iter().map(|manifest| manifest.id) {
                let more = self.manifest(id)?.len(&node.id);
                count = count.saturating_add(more.map_err(|why| damaged_manifest(id, &why))?);
            }
        }
        if count > MOST_LISTED {
            return Err(io::ErrorKind::Unsupported.into());
        }
        for (path, node, array) in arrays() {
            let mut with_prefix = EachChunk {
                wanted: each.wanted,
                take: &mut |key, found| match key.starts_with(prefix) {
                    true => (each.take)(key, found),
                    false => Ok(true),
                },
            };
            if !self.list_chunks(path, node, array, &mut with_prefix)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The keys of documents.
    fn documents(&self) -> impl Iterator<Item = String> {
        self.snapshot.nodes.keys().map(|path| key_of(path))
    }
}

/// Takes the keys of chunks.
struct EachChunk<'e> {
    /// What is wanted beside the keys.
    wanted: Wanted,
    /// Takes a key. Returns false if it needs no more of them.
    take: &'e mut (dyn FnMut(&str, Option<ChunkReference<'_>>) -> io::Result<bool> + 'e),
}

/// The key of the document of a node.
fn key_of(path: &str) -> String {
    match path {
        "" => DOCUMENT.to_owned(),
        path => format!("{path}/{DOCUMENT}"),
    }
}

fn damaged_manifest(id: ObjectId, why: &str) -> io::Error {
    damaged(&keys::manifest(id), why)
}

impl ReferenceSet for IcechunkReferences {
    fn find(&self, key: &str) -> io::Result<Option<Reference>> {
        if let Some(path) = key.strip_suffix(DOCUMENT) {
            let path = path.strip_suffix('/').unwrap_or(path);
            let node = self.snapshot.nodes.get(path);
            return Ok(node.map(|node| Reference::Inline(node.document.clone())));
        }
        let Some((node, array, position)) = self.chunk(key) else {
            return Ok(None);
        };
        for manifest in array
            .manifests
            .iter()
            .filter(|manifest| manifest.may_have(&position))
        {
            let read = self.manifest(manifest.id)?;
            let found = read.find(&node.id, &position);
            if let Some(mut found) = found.map_err(|why| damaged_manifest(manifest.id, &why))? {
                if let ChunkReference::Stored { object, .. } = &mut found {
                    *object = self.object_of(object)?.into_owned().into();
                }
                return Ok(Some(found.into()));
            }
        }
        Ok(None)
    }

    fn objects(&self, each: &mut dyn FnMut(&str)) -> io::Result<()> {
        for (_, node, array) in self.snapshot.arrays() {
            for manifest in &array.manifests {
                let mut named = Ok(());
                let read = self.manifest(manifest.id)?;
                let listed = read.chunks(&node.id, Wanted::References, |_, reference| {
                    // Others are chunks of the repository.
                    if let Some(ChunkReference::Stored { object, .. }) = reference
                        && object.contains("://")
                    {
                        match self.object_of(&object) {
                            Ok(object) => each(&object),
                            Err(e) => named = Err(e),
                        }
                    }
                    named.is_ok()
                });
                listed.map_err(|why| damaged_manifest(manifest.id, &why))?;
                named?;
            }
        }
        Ok(())
    }

    /// Icechunk reads virtual chunks in containers alone. Repositories of old programs have none.
    fn may_lead_to(&self, sought: &Sought<'_>) -> io::Result<Option<bool>> {
        let mut prefixes = self.containers()?.prefixes().peekable();
        let is_known = prefixes.peek().is_some();
        Ok(is_known.then(|| prefixes.any(|prefix| sought.may_be_below(&object_at(prefix)))))
    }

    fn list(&self, prefix: &str) -> io::Result<Vec<String>> {
        let mut all: Vec<String> = self.documents().collect();
        let mut chunks = EachChunk {
            wanted: Wanted::Positions,
            take: &mut |key, _| {
                all.push(key.to_owned());
                Ok(true)
            },
        };
        self.list_all_chunks(prefix, &mut chunks)?;
        all.retain(|key| key.starts_with(prefix));
        all.sort_unstable();
        all.dedup();
        Ok(all)
    }

    fn list_handles(&self, prefix: &str, each: &mut dyn FnMut(&str, u32)) -> io::Result<bool> {
        // Usually the same location as before.
        let mut last: Option<(String, String)> = None;
        let mut take = |key: &str, found: Option<ChunkReference<'_>>| {
            let handle = match found {
                None => None,
                Some(ChunkReference::Inline(value)) => self.listed.inline(value)?,
                Some(ChunkReference::Stored {
                    object,
                    range,
                    version,
                }) => {
                    if last.as_ref().is_none_or(|(location, _)| *location != *object) {
                        // The reader finds this chunk by its key, and its error names it.
                        let Ok(found) = self.object_of(&object) else {
                            return Ok(false);
                        };
                        last = Some((object.to_string(), found.into_owned()));
                    }
                    let object = last.as_ref().map_or("", |(_, object)| object);
                    self.listed.stored(object, Some(range), version.as_ref())?
                }
            };
            Ok(handle.map(|handle| each(key, handle)).is_some())
        };
        let mut chunks = EachChunk {
            wanted: Wanted::References,
            take: &mut take,
        };
        self.list_all_chunks(prefix, &mut chunks)
    }

    fn by_handle(&self, handle: u32) -> Option<Reference> {
        self.listed.get(handle)
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
            .nodes
            .range(folder.trim_end_matches('/').to_owned()..);
        let below = folders.take_while(|(path, _)| path.starts_with(folder.trim_end_matches('/')));
        let mut names: Vec<String> = below.filter_map(|(path, _)| name(key_of(path))).collect();
        names.sort_unstable();
        names.dedup();
        Ok(names)
    }
}
