//! The documents of a hierarchy: from their keys, or from consolidated metadata, which is one document that has all of them: `.zmetadata`
//! of version 2, a member of `zarr.json` in version 3.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::io;
use std::sync::Arc;

use crate::error::{Error, Result};
use crate::format::zarr::json::Json;
use crate::format::zarr::keys::{
    ARRAY, ATTRIBUTES, CONSOLIDATED, CONSOLIDATED_METADATA, GROUP, NODE, OLD_SUPERBLOCK, PARTIAL, below,
};
use crate::store::{ByteRange, Get, GetRange, KeyStore, awaited};
use crate::threads::try_map;

/// Most groups of a slow store that are listed at once.
const MOST_LISTS: usize = 32;

/// Reads metadata documents.
pub struct MetadataStore {
    store: Arc<dyn KeyStore>,
    /// The documents of the consolidated metadata, by key.
    consolidated: Option<BTreeMap<String, Json>>,
    /// The key of the document that has all others.
    all: &'static str,
    /// True if documents are read from the consolidated metadata alone.
    from_consolidated: bool,
    /// The first key whose document differs from that in the consolidated metadata.
    pub differs: Option<String>,
    /// Why consolidated metadata, which is not needed, cannot be read.
    pub damaged: Option<Error>,
    /// What is wrong with documents that are left out. `None` if a damaged document is an error.
    pub faults: Option<Vec<String>>,
    /// True if the copy in the consolidated metadata stands for a damaged document.
    pub takes_copies: bool,
    /// What is wrong with documents of which another copy was read.
    pub replaced: Vec<String>,
    /// The keys of documents with bytes that are no UTF-8.
    other_bytes: BTreeSet<String>,
    /// The keys that were asked for, if their documents have copies.
    asked: BTreeSet<String>,
}

impl MetadataStore {
    /// The documents of `store`. With `prefer_consolidated`, where requests are slow, or where the store cannot list keys,
    /// those of `.zmetadata` if there is one.
    ///
    /// # Errors
    /// If the store fails, or `.zmetadata` is damaged and needed.
    pub fn open(store: Arc<dyn KeyStore>, prefer_consolidated: bool) -> Result<Self> {
        Self::open_version(store, prefer_consolidated, CONSOLIDATED)
    }

    /// The same for version 3, which has the documents of all nodes in that of the root.
    ///
    /// # Errors
    /// Those of [`open`](Self::open).
    pub fn open_v3(store: Arc<dyn KeyStore>, prefer_consolidated: bool) -> Result<Self> {
        Self::open_version(store, prefer_consolidated, NODE)
    }

    /// Opens a store whose key `all` has all documents.
    fn open_version(store: Arc<dyn KeyStore>, prefer_consolidated: bool, all: &'static str) -> Result<Self> {
        // Where a request is slow, one document is better than a request for each.
        let is_slow = store.requests().ahead;
        let mut has_root = true;
        let (lists, is_partial) = match is_slow {
            true => (None, store.size(PARTIAL).map_err(cannot_read)?.is_some()),
            false => match store.list_children("") {
                Ok(names) => {
                    has_root = names.iter().any(|name| ROOTS.contains(&&**name));
                    (Some(true), names.iter().any(|name| name == PARTIAL))
                }
                Err(e) if e.kind() == io::ErrorKind::Unsupported => {
                    (Some(false), store.size(PARTIAL).map_err(cannot_read)?.is_some())
                }
                Err(e) => return Err(cannot_read(e)),
            },
        };
        if is_partial {
            return Err(Error::Damaged(format!(
                "the dataset was never finished: it has {PARTIAL}, as while it is written or after its writer was killed"
            )));
        }
        let mut opened = Self {
            store,
            consolidated: None,
            all,
            from_consolidated: false,
            differs: None,
            damaged: None,
            faults: None,
            takes_copies: false,
            replaced: Vec::new(),
            other_bytes: BTreeSet::new(),
            asked: BTreeSet::new(),
        };
        let document = opened
            .get_many(vec![all.to_owned()])
            .map(|mut found| found.pop().flatten());
        let has_all = |found: &Option<Json>| match all {
            NODE => found
                .as_ref()
                .is_some_and(|root| root.get(CONSOLIDATED_METADATA).is_some()),
            _ => found.as_ref().is_some_and(|all| all.get("metadata").is_some()),
        };
        // Without a root, other documents may be missing as well.
        let is_better = is_slow || !has_root;
        let prefer_consolidated = prefer_consolidated || (is_better && document.as_ref().is_ok_and(has_all));
        let lists = match lists {
            Some(lists) => lists,
            None if prefer_consolidated => true,
            None => can_list(&*opened.store)?,
        };
        let needed = prefer_consolidated || !lists;
        let document = match document {
            Ok(document) => document,
            Err(e) if needed => return Err(e),
            Err(e) => {
                opened.damaged = Some(e);
                None
            }
        };
        let Some(document) = document else {
            // One array has no folders below it.
            let is_array = needed && !lists && opened.store.size(ARRAY).map_err(cannot_read)?.is_some();
            return match needed && !prefer_consolidated && !is_array {
                true => Err(Error::Usage(match all {
                    NODE => format!("the keys of the store cannot be listed, and it has no {all}"),
                    _ => format!(
                        "the keys of the store cannot be listed, and it has no {all}; nccopy writes that with #mode=nczarr,consolidated or #mode=zarr"
                    ),
                })),
                false => Ok(opened),
            };
        };
        let is_array = document.get("node_type").and_then(Json::as_str) == Some("array");
        opened.consolidated = match all {
            NODE => documents_of_root(document),
            _ => documents_of(document),
        };
        match (needed, &opened.consolidated) {
            (true, None) if all == NODE && (lists || is_array) => {}
            (true, None) if all == NODE => {
                return Err(Error::Unsupported(format!(
                    "a store whose keys cannot be listed, and whose {NODE} has no consolidated_metadata"
                )));
            }
            (true, None) => return Err(Error::Damaged(format!("{all} has no member metadata"))),
            _ => opened.from_consolidated = needed,
        }
        Ok(opened)
    }

    /// The documents under these keys; `None` for a key that does not exist, and for a damaged document where those are left out.
    ///
    /// # Errors
    /// If the store fails, or a document is not JSON and must be; the error names the key.
    pub fn get_many(&mut self, keys: Vec<String>) -> Result<Vec<Option<Json>>> {
        if self.faults.is_none() {
            let documents = self.get_each(keys)?;
            return documents.into_iter().map(Option::transpose).collect();
        }
        let documents = self.get_each(keys.clone())?;
        let readable = |(key, document): (String, Option<Result<Json>>)| match document.transpose() {
            Ok(document) => document,
            Err(error) => {
                let copies = self.consolidated.as_ref().filter(|_| self.takes_copies);
                let copy = copies.and_then(|all| all.get(&key)).cloned();
                match &copy {
                    Some(_) => self.replaced.push(error.to_string()),
                    None => self.faults.get_or_insert_default().push(fault(error)),
                }
                copy
            }
        };
        Ok(keys.into_iter().zip(documents).map(readable).collect())
    }

    /// The same, with an error for each document that is not JSON.
    ///
    /// # Errors
    /// If the store fails.
    pub fn get_each(&mut self, keys: Vec<String>) -> Result<Vec<Option<Result<Json>>>> {
        if let (true, Some(documents)) = (self.from_consolidated, &self.consolidated) {
            return Ok(keys
                .iter()
                .map(|key| documents.get(key).cloned().map(Ok))
                .collect());
        }
        if self.consolidated.is_some() {
            self.asked.extend(keys.iter().cloned());
        }
        let get = |key: &String| Get {
            key: key.clone(),
            part: GetRange::Range(ByteRange {
                offset: 0,
                // One byte more, so that a document which is too long is found.
                length: longest(key) + 1,
            }),
        };
        let gets: Vec<Get> = keys.iter().map(get).collect();
        let found = awaited(|done| Arc::clone(&self.store).fetch(gets.clone(), done));
        let found = found.ok_or_else(|| Error::Internal("a store gave no answer".into()))?;
        let found: Vec<Result<Option<Vec<u8>>>> = match found {
            Ok(found) => found.into_iter().map(Ok).collect(),
            // One value may be damaged, as an entry of a zip that was truncated.
            Err(e) if self.faults.is_some() && e.kind() == io::ErrorKind::InvalidData => {
                self.read_alone(gets)?
            }
            Err(e) => return Err(cannot_read(e)),
        };
        let mut documents = Vec::with_capacity(found.len());
        for (key, bytes) in keys.into_iter().zip(found) {
            let mut parsed = |bytes: Vec<u8>| {
                let document = parse(&key, &bytes)?;
                if std::str::from_utf8(&bytes).is_err() {
                    self.other_bytes.insert(key.clone());
                }
                Ok(document)
            };
            let document = bytes.transpose().map(|bytes| bytes.and_then(&mut parsed));
            if self.differs.is_none()
                && key != CONSOLIDATED
                && let Some(all) = &self.consolidated
                && !matches!(document, Some(Err(_)))
                && !is_same(
                    all.get(&key),
                    document.as_ref().and_then(|found| found.as_ref().ok()),
                )
            {
                self.differs = Some(key);
            }
            documents.push(document);
        }
        Ok(documents)
    }

    /// The values of keys, each by a request of its own, with an error for each that is damaged.
    ///
    /// # Errors
    /// If the store fails.
    fn read_alone(&self, gets: Vec<Get>) -> Result<Vec<Result<Option<Vec<u8>>>>> {
        let read = |get: Get| match self.store.get(&get.key, get.part) {
            Err(e) if e.kind() == io::ErrorKind::InvalidData => {
                Ok(Err(Error::Damaged(e.to_string()).in_key(&get.key)))
            }
            found => Ok(Ok(found.map_err(cannot_read)?)),
        };
        gets.into_iter().map(read).collect()
    }

    /// The first group or array that only `.zmetadata` tells of, once all others were read. The folder of any other was seen.
    pub fn only_in_copy(&self) -> Option<&str> {
        let copies = self.consolidated.iter().filter(|_| !self.from_consolidated);
        let is_node = |key: &&String| {
            let name = key.rsplit('/').next().unwrap_or_default();
            [ARRAY, GROUP, NODE].contains(&name)
        };
        let mut nodes = copies.flat_map(BTreeMap::keys).filter(is_node);
        nodes.find(|key| !self.asked.contains(*key)).map(String::as_str)
    }

    /// True if the document under this key has bytes that are no UTF-8. Its strings hold them as names do.
    pub fn has_other_bytes(&self, key: &str) -> bool {
        let read = if self.from_consolidated { self.all } else { key };
        self.other_bytes.contains(read)
    }

    /// A warning for each document with bytes that are no UTF-8.
    pub fn other_bytes_warnings(&self) -> Vec<String> {
        let warning = |key: &String| format!("{key} has bytes that are no UTF-8; text attributes keep them");
        self.other_bytes.iter().map(warning).collect()
    }

    /// True if a request takes long.
    pub fn is_slow(&self) -> bool {
        self.store.requests().ahead
    }

    /// The names of the folders directly below each of these groups, ascending. A slow store is asked for several groups at
    /// once.
    ///
    /// # Errors
    /// If the store fails.
    pub fn folders_of(&self, paths: &[&str]) -> Result<Vec<Vec<String>>> {
        let folders = |names: Result<Vec<String>>| {
            let folder = |name: &String| name.strip_suffix('/').map(str::to_owned);
            Ok(names?.iter().filter_map(folder).collect())
        };
        self.names_of(paths)?.into_iter().map(folders).collect()
    }

    /// The names directly below each of these folders, ascending. Those of folders end with `/`.
    ///
    /// # Errors
    /// If threads fail. The store may fail for each folder.
    pub fn names_of(&self, paths: &[&str]) -> Result<Vec<Result<Vec<String>>>> {
        let requests = self.store.requests();
        let threads = match requests.ahead && !self.from_consolidated {
            true => requests.in_flight.min(MOST_LISTS),
            false => 1,
        };
        try_map(threads, 1, paths, |path| Ok(self.names(path)))
    }

    fn names(&self, path: &str) -> Result<Vec<String>> {
        let prefix = match path {
            "" => String::new(),
            _ => format!("{path}/"),
        };
        if let (true, Some(documents)) = (self.from_consolidated, &self.consolidated) {
            let below = documents
                .range(prefix.clone()..)
                .take_while(|(key, _)| key.starts_with(&prefix));
            let name = |key: &String| {
                let key = &key[prefix.len()..];
                let end = key.find('/').map_or(key.len(), |at| at + 1);
                key[..end].to_owned()
            };
            let names: BTreeSet<String> = below.map(|(key, _)| name(key)).collect();
            return Ok(names.into_iter().collect());
        }
        let mut names = self.store.list_children(&prefix).map_err(cannot_read)?;
        // What is built beside a dataset is no part of it.
        names.retain(|name| !name.starts_with(PARTIAL));
        Ok(names)
    }
}

/// What is wrong with a document that is left out, in the words of its error.
pub fn fault(error: Error) -> String {
    match error {
        Error::Damaged(why) => why,
        other => other.to_string(),
    }
}

/// The keys that a root has.
const ROOTS: [&str; 4] = [GROUP, ARRAY, OLD_SUPERBLOCK, NODE];

/// True if a store can list its keys.
fn can_list(store: &dyn KeyStore) -> Result<bool> {
    match store.list_children("") {
        Ok(_) => Ok(true),
        Err(e) if e.kind() == io::ErrorKind::Unsupported => Ok(false),
        Err(e) => Err(cannot_read(e)),
    }
}

/// Most bytes of a document. A parsed document takes many times its bytes.
const LONGEST: usize = 16 << 20;

/// Most bytes of `.zmetadata`, and of the root's document in version 3, which hold many documents.
const LONGEST_CONSOLIDATED: usize = 256 << 20;

fn longest(key: &str) -> usize {
    match key {
        // The root of version 3 has all documents in its own.
        CONSOLIDATED | NODE => LONGEST_CONSOLIDATED,
        _ => LONGEST,
    }
}

/// A failure of the store.
pub fn cannot_read(error: io::Error) -> Error {
    Error::io("cannot read", error)
}

/// True if two documents hold the same. The order of members and the spelling of numbers do not matter.
fn is_same(a: Option<&Json>, b: Option<&Json>) -> bool {
    match (a, b) {
        (Some(a), Some(b)) => holds_same(a, b),
        (a, b) => a.is_none() && b.is_none(),
    }
}

/// The same for two values. The recursion is bounded, because the parser limits the depth of documents.
fn holds_same(a: &Json, b: &Json) -> bool {
    match (&*a.plain(), &*b.plain()) {
        (Json::Array(a), Json::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| holds_same(a, b))
        }
        (Json::Object(a), Json::Object(b)) => {
            // A copy of a group may have copies of what is below it, or not.
            let own = |(name, _): &&(String, Json)| name != CONSOLIDATED_METADATA;
            let members: HashMap<&str, &Json> = b
                .iter()
                .filter(own)
                .map(|(name, value)| (&**name, value))
                .collect();
            let same = |(name, value): &(String, Json)| {
                members.get(&**name).is_some_and(|other| holds_same(value, other))
            };
            a.iter().filter(own).count() == members.len() && a.iter().filter(own).all(same)
        }
        (a, b) => match (a.as_f64(), b.as_f64()) {
            (Some(a), Some(b)) => a == b || a.is_nan() && b.is_nan(),
            _ => a == b,
        },
    }
}

/// Parses a document. Attributes keep the spelling of their numbers, as netCDF-C writes text without quotes where it looks
/// like a number.
fn parse(key: &str, bytes: &[u8]) -> Result<Json> {
    if bytes.len() > longest(key) {
        return Err(Error::Unsupported(format!(
            "{key}: a document of more than {} bytes",
            longest(key)
        )));
    }
    let has_attributes = key.ends_with(ATTRIBUTES) || key == CONSOLIDATED;
    // One byte that is no UTF-8 in an attribute hides nothing else.
    let bytes = match std::str::from_utf8(bytes) {
        Ok(_) => Cow::Borrowed(bytes),
        Err(_) => Cow::Owned(ncutils_hdf5::text_of_bytes(bytes).into_bytes()),
    };
    let parsed = match has_attributes {
        true => Json::parse_spelled(&bytes),
        false => Json::parse(&bytes),
    };
    parsed.map_err(|e| Error::Damaged(format!("{key}: {e}")))
}

/// The documents in the root's document, and the root's own without them.
fn documents_of_root(root: Json) -> Option<BTreeMap<String, Json>> {
    let Json::Object(mut members) = root else {
        return None;
    };
    let at = members
        .iter()
        .position(|(name, _)| name == CONSOLIDATED_METADATA)?;
    let Json::Object(consolidated) = members.remove(at).1 else {
        return None;
    };
    let (_, metadata) = consolidated.into_iter().find(|(name, _)| name == "metadata")?;
    let Json::Object(all) = metadata else {
        return None;
    };
    let documents = all
        .into_iter()
        .map(|(path, document)| (below(&path, NODE), document));
    let mut documents: BTreeMap<String, Json> = documents.collect();
    documents.insert(NODE.to_owned(), Json::Object(members));
    Some(documents)
}

/// The documents in `.zmetadata`.
fn documents_of(document: Json) -> Option<BTreeMap<String, Json>> {
    let Json::Object(members) = document else {
        return None;
    };
    let (_, metadata) = members.into_iter().find(|(name, _)| name == "metadata")?;
    match metadata {
        Json::Object(documents) => Some(documents.into_iter().collect()),
        _ => None,
    }
}
