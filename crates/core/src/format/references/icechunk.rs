//! Snapshots of Icechunk repositories.

use std::io;
use std::sync::Arc;

use crate::error::{Error, Result};
use crate::store::references::icechunk::{
    FileKind, IcechunkReferences, LARGEST_FILE, LARGEST_TEXT, MAGIC, ObjectId, Repository, RepositoryPlaces,
    get, keys, read_file,
};
use crate::store::{ExternalFiles, KeyStore, ReferenceKeys};

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
    let (id, settings) = match get(&**store, keys::REPOSITORY, LARGEST_FILE).map_err(cannot_read)? {
        Some(file) => match (read_file(&file, FileKind::Repository), asked) {
            (Ok(buffer), _) => in_repository(&buffer, name)?,
            // A file of this name may be anything.
            (Err(_), None) if !file.starts_with(MAGIC) => return Ok(None),
            (Err(why), _) => return Err(Error::Damaged(format!("{}: {why}", keys::REPOSITORY))),
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
    let all = ReferenceKeys::new(Box::new(set), Some(Arc::new(places)), some);
    Ok(Some(Arc::new(all)))
}

fn cannot_read(error: io::Error) -> Error {
    match error.kind() {
        io::ErrorKind::InvalidData => Error::Damaged(error.to_string()),
        _ => Error::io("cannot read", error),
    }
}

/// The snapshot that the file of specification 2 tells, and the settings.
fn in_repository(buffer: &[u8], name: &SnapshotName) -> Result<(ObjectId, Option<Vec<u8>>)> {
    let repository = Repository::parse(buffer);
    let repository = repository.map_err(|why| Error::Damaged(format!("{}: {why}", keys::REPOSITORY)))?;
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
fn in_refs(store: &dyn KeyStore, name: &SnapshotName, is_asked: bool) -> Result<Option<ObjectId>> {
    let text = |key: &str| get(store, key, LARGEST_TEXT).map_err(cannot_read);
    let key = match name {
        SnapshotName::Branch(name) => Some(keys::branch(name)),
        SnapshotName::Tag(name) if text(&keys::deleted_tag(name))?.is_some() => None,
        SnapshotName::Tag(name) => Some(keys::tag(name)),
        SnapshotName::Id(id) => return parsed(id).map(Some),
    };
    if let Some(key) = key
        && let Some(file) = text(&key)?
    {
        let id = keys::snapshot_of_ref(&file);
        return id.map_or_else(
            || Err(Error::Damaged(format!("{key}: it names no snapshot"))),
            |id| Ok(Some(id)),
        );
    }
    let refs = match store.list_children(keys::REFS) {
        Err(e) if e.kind() == io::ErrorKind::Unsupported => Vec::new(),
        refs => refs.map_err(cannot_read)?,
    };
    let named = |prefix: &str| -> Vec<String> {
        let names = refs
            .iter()
            .filter_map(|name| name.strip_suffix('/')?.strip_prefix(prefix));
        names.map(str::to_owned).collect()
    };
    let (branches, tags) = (named(keys::OF_BRANCH), named(keys::OF_TAG));
    match (is_asked, branches.is_empty()) {
        (false, true) => Ok(None),
        (true, true) => Err(Error::Usage(
            "the fragment is for an Icechunk repository, and this is none".to_owned(),
        )),
        (_, false) => Err(missing(name, &branches, &tags)),
    }
}

fn parsed(id: &str) -> Result<ObjectId> {
    ObjectId::parse(id).ok_or_else(|| Error::Usage(format!("'{}' is no id of a snapshot", id.escape_debug())))
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
