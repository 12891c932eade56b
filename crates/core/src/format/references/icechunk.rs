//! Snapshots of Icechunk repositories.

use std::io;
use std::sync::Arc;

use crate::error::{Error, Result};
use crate::format::zarr::json::Json;
use crate::store::references::icechunk::{
    FileKind, IcechunkReferences, Repository, RepositoryPlaces, SnapshotId, read_file,
};
use crate::store::{ByteRange, ExternalFiles, GetRange, KeyStore, ReferenceKeys};

/// The file of branches and tags of specification 2.
const REPOSITORY: &str = "repo";

/// Most bytes of a file of names.
const LARGEST: usize = 256 << 20;

/// The snapshot of a repository that is asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SnapshotName {
    /// The last one of a branch.
    Branch(String),
    /// That of a tag.
    Tag(String),
    /// The one with this id.
    Id(String),
}

/// The keys of a snapshot of the repository in `store`, with their values there and in the objects of `places`. The branch `main`
/// counts if nothing is `asked` for. `None` for a store that is no repository.
///
/// # Errors
/// If there is no such snapshot, or what is wrong with it.
pub fn open_icechunk(
    store: &Arc<dyn KeyStore>,
    places: Option<&Arc<dyn ExternalFiles>>,
    asked: Option<&SnapshotName>,
) -> Result<Option<Arc<dyn KeyStore>>> {
    let main = SnapshotName::Branch("main".to_owned());
    let name = asked.unwrap_or(&main);
    let (id, settings) = match value(&**store, REPOSITORY)? {
        Some(file) => match (read_file(&file, FileKind::Repository), asked) {
            (Ok(buffer), _) => in_repository(&buffer, name)?,
            // A file of this name may be anything.
            (Err(_), None) => return Ok(None),
            (Err(why), Some(_)) => return Err(Error::Damaged(format!("{REPOSITORY}: {why}"))),
        },
        None => match in_refs(&**store, name, asked.is_some())? {
            Some(id) => (id, None),
            None => return Ok(None),
        },
    };
    let places = RepositoryPlaces::new(Arc::clone(store), places.cloned());
    let set =
        IcechunkReferences::open(Arc::clone(store), id, settings, places.root()).map_err(cannot_read)?;
    let some = set.some_object().map_err(cannot_read)?;
    let some = some.as_deref().or(Some(""));
    let keys = ReferenceKeys::new(Box::new(set), Some(Arc::new(places)), some);
    Ok(Some(Arc::new(keys)))
}

fn cannot_read(error: io::Error) -> Error {
    match error.kind() {
        io::ErrorKind::InvalidData => Error::Damaged(error.to_string()),
        _ => Error::io("cannot read", error),
    }
}

fn value(store: &dyn KeyStore, key: &str) -> Result<Option<Vec<u8>>> {
    let part = GetRange::Range(ByteRange {
        offset: 0,
        length: LARGEST + 1,
    });
    match store.get(key, part).map_err(cannot_read)? {
        Some(file) if file.len() > LARGEST => {
            Err(Error::Unsupported(format!("{key} has more than {LARGEST} bytes")))
        }
        found => Ok(found),
    }
}

/// The snapshot that the file of specification 2 tells, and the settings.
fn in_repository(buffer: &[u8], name: &SnapshotName) -> Result<(SnapshotId, Option<Vec<u8>>)> {
    let repository = Repository::parse(buffer);
    let repository = repository.map_err(|why| Error::Damaged(format!("{REPOSITORY}: {why}")))?;
    let found = match name {
        SnapshotName::Branch(name) => repository.branch(name),
        SnapshotName::Tag(name) => repository.tag(name),
        SnapshotName::Id(id) => Some(parsed(id)?),
    };
    let [branches, tags] = repository.names();
    let found = found.ok_or_else(|| missing(name, &branches, &tags))?;
    Ok((found, repository.settings().map(<[u8]>::to_vec)))
}

/// The snapshot that the files of specification 1 tell; `None` for a store that is no repository.
fn in_refs(store: &dyn KeyStore, name: &SnapshotName, is_asked: bool) -> Result<Option<SnapshotId>> {
    let key = match name {
        SnapshotName::Branch(name) => format!("refs/branch.{name}/ref.json"),
        SnapshotName::Tag(name) => format!("refs/tag.{name}/ref.json"),
        SnapshotName::Id(id) => return parsed(id).map(Some),
    };
    // A tag that was deleted keeps its file.
    let is_deleted =
        matches!(name, SnapshotName::Tag(_)) && value(store, &format!("{key}.deleted"))?.is_some();
    if let Some(file) = value(store, &key)?.filter(|_| !is_deleted) {
        let json = Json::parse(&file).ok();
        let id = json.as_ref().and_then(|json| json.get("snapshot")?.as_str());
        let id = id.ok_or_else(|| Error::Damaged(format!("{key}: it names no snapshot")))?;
        return parsed(id).map(Some);
    }
    let refs = match store.list_children("refs/") {
        Err(e) if e.kind() == io::ErrorKind::Unsupported => Vec::new(),
        refs => refs.map_err(cannot_read)?,
    };
    let named = |prefix: &str| -> Vec<String> {
        let names = refs
            .iter()
            .filter_map(|name| name.strip_suffix('/')?.strip_prefix(prefix));
        names.map(str::to_owned).collect()
    };
    let (branches, tags) = (named("branch."), named("tag."));
    match (is_asked, branches.is_empty()) {
        (false, true) => Ok(None),
        (true, true) => Err(Error::Usage(
            "the fragment is for an Icechunk repository, and this is none".to_owned(),
        )),
        (_, false) => Err(missing(name, &branches, &tags)),
    }
}

fn parsed(id: &str) -> Result<SnapshotId> {
    SnapshotId::parse(id)
        .ok_or_else(|| Error::Usage(format!("'{}' is no id of a snapshot", id.escape_debug())))
}

fn missing(name: &SnapshotName, branches: &[impl AsRef<str>], tags: &[impl AsRef<str>]) -> Error {
    let list = |what: &str, names: &[&str]| match names {
        [] => format!("no {what}"),
        names => format!("the {what} {}", names.join(", ").escape_debug()),
    };
    let branches: Vec<&str> = branches.iter().map(AsRef::as_ref).collect();
    let tags: Vec<&str> = tags.iter().map(AsRef::as_ref).collect();
    let asked = match name {
        SnapshotName::Branch(name) => format!("branch {}", name.escape_debug()),
        SnapshotName::Tag(name) => format!("tag {}", name.escape_debug()),
        SnapshotName::Id(id) => format!("snapshot {}", id.escape_debug()),
    };
    Error::Usage(format!(
        "the repository has no {asked}; it has {} and {}",
        list("branches", &branches),
        list("tags", &tags)
    ))
}
