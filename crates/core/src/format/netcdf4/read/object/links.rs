//! Follows links to objects, in the same file or, for external links, in a file next to it.
//!
//! ```text
//! Hard ──────────────► object
//! Soft(path) ────────► walk from the group (or the root), at most 16 soft and external links deep
//! External(file, path) ► an external file of the input, opened once ► walk from its root
//! ```

use crate::format::netcdf4::hdf5_error::hdf5_error;
use std::collections::HashMap;
use std::sync::Arc;

use ncutils_hdf5::{File, Limits, LinkTarget, ObjectKind, OpenOptions};
use tracing::debug;

use super::heap_filters::HeapFilters;
use crate::error::{Error, Result};
use crate::filter::Registry;
use crate::format::netcdf4::bytes::ObjectBytes;
use crate::format::netcdf4::read::reference::object_names::ObjectNames;
use crate::model::Unclosed;
use crate::store::{ExternalFiles, Input, InputKind, NamedAs, NoExternalFile, Object, ObjectVersion};

/// Most soft and external links in one resolution: libhdf5's limit.
const TRAVERSALS: u32 = 16;

/// Most other files that external links may open.
const FILES: usize = 64;

/// Identifies an object by its file and the address of its header. Two links lead to the same object if, and
/// only if, these are equal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ObjectId {
    /// Index in [`Linker::files`].
    pub file: usize,
    /// Address of the object header.
    pub address: u64,
}

/// One HDF5 file that belongs to the dataset. The first is the input itself.
#[derive(Clone)]
pub struct OpenFile {
    /// The parsed HDF5 file.
    pub file: File,
    /// The bytes of the file, for requests that do not block.
    pub source: Arc<dyn Object>,
    /// End of the file, in bytes from the start of `source`.
    pub size: u64,
    /// The files that its content may name; `None` if it may name none.
    pub external_files: Option<Arc<dyn ExternalFiles>>,
    /// Absolute path or URL, for messages and references; empty for the input.
    pub name: String,
    /// What tells whether a file that has a name is changed later; `None` if it is not known.
    pub version: Option<ObjectVersion>,
    /// True if elements whose variable-length content cannot be read are NIL, and not errors.
    pub loses_elements: bool,
    /// Paths of its objects, if references are read as paths.
    pub names: Option<Arc<ObjectNames>>,
}

/// What a file must be like.
#[derive(Clone, Copy)]
enum Care {
    /// Whole.
    Whole,
    /// It may be damaged or truncated.
    Damaged,
    /// The same, and what no link leads to is looked for.
    Recovered,
}

/// The reason why a link cannot be followed.
pub enum Unfollowed {
    /// The link is left out, for this reason.
    Left(String),
    /// The link leads to a file that may not be read, for this reason.
    Refused(String),
    /// The file is damaged.
    Failed(Error),
}

impl From<ncutils_hdf5::Error> for Unfollowed {
    fn from(error: ncutils_hdf5::Error) -> Self {
        match error {
            e @ ncutils_hdf5::Error::Unsupported(_) => Self::Left(e.to_string()),
            e => Self::Failed(hdf5_error(e)),
        }
    }
}

/// Follows links, and keeps the files that they lead to open.
pub struct Linker {
    files: Vec<OpenFile>,
    /// True if the input may be damaged.
    damaged: bool,
    registry: Registry,
    /// Links by name, for each group that a path went through.
    tables: HashMap<ObjectId, Arc<HashMap<String, LinkTarget>>>,
}

impl Linker {
    /// Opens the input.
    pub fn open(
        source: Arc<dyn Object>,
        external_files: Option<Arc<dyn ExternalFiles>>,
        registry: &Registry,
    ) -> Result<Self> {
        Ok(Self {
            files: vec![OpenFile::new(source, external_files, registry)?],
            damaged: false,
            registry: registry.clone(),
            tables: HashMap::new(),
        })
    }

    /// Opens an input that may be damaged or truncated. With `recovers`, what no link leads to is looked for.
    pub fn open_damaged(
        source: Arc<dyn Object>,
        external_files: Option<Arc<dyn ExternalFiles>>,
        registry: &Registry,
        recovers: bool,
    ) -> Result<Self> {
        let care = match recovers {
            true => Care::Recovered,
            false => Care::Damaged,
        };
        Ok(Self {
            files: vec![OpenFile::open(source, external_files, registry, None, care)?],
            damaged: true,
            registry: registry.clone(),
            tables: HashMap::new(),
        })
    }

    /// True if the input may be damaged or truncated.
    pub fn is_damaged(&self) -> bool {
        self.damaged
    }

    /// The files opened so far.
    pub fn files(&self) -> &[OpenFile] {
        &self.files
    }

    /// Sets the names of the objects of each file, for references to them.
    pub fn name_objects(&mut self, names: Vec<Arc<ObjectNames>>) {
        for (file, names) in self.files.iter_mut().zip(names) {
            file.names = Some(names);
        }
    }

    /// Returns the open files, when all links are followed.
    pub fn into_files(self) -> Vec<OpenFile> {
        self.files
    }

    /// The root group of the input.
    pub fn root(&self) -> ObjectId {
        self.root_of(0)
    }

    fn root_of(&self, file: usize) -> ObjectId {
        ObjectId {
            file,
            address: self.files[file].file.root(),
        }
    }

    /// The object that a link of `group` leads to.
    pub fn follow(&mut self, group: ObjectId, target: &LinkTarget) -> Result<ObjectId, Unfollowed> {
        let mut left = TRAVERSALS;
        self.step(group, target, &mut left)
    }

    fn step(&mut self, group: ObjectId, target: &LinkTarget, left: &mut u32) -> Result<ObjectId, Unfollowed> {
        if let LinkTarget::Hard(address) = target {
            return Ok(ObjectId {
                file: group.file,
                address: *address,
            });
        }
        *left = left.checked_sub(1).ok_or_else(|| {
            Unfollowed::Left(format!(
                "more than {TRAVERSALS} soft links lead from one to the next"
            ))
        })?;
        match target {
            LinkTarget::Soft(path) => self.walk(group, path, left),
            LinkTarget::External { file, path } => {
                let file = self.external(group.file, file)?;
                self.walk(self.root_of(file), path, left)
            }
            LinkTarget::UserDefined { class, .. } => Err(Unfollowed::Left(format!(
                "it is a user-defined link of class {class}"
            ))),
            // Hard links returned above.
            _ => Err(Unfollowed::Left("it is a link of an unknown kind".into())),
        }
    }

    fn walk(&mut self, from: ObjectId, path: &str, left: &mut u32) -> Result<ObjectId, Unfollowed> {
        let mut at = if path.starts_with('/') {
            self.root_of(from.file)
        } else {
            from
        };
        for name in path.split('/').filter(|n| !n.is_empty() && *n != ".") {
            let dangling = || Unfollowed::Left(format!("its target {path} does not exist"));
            let table = self.table(at)?.ok_or_else(dangling)?;
            let target = table.get(name).cloned().ok_or_else(dangling)?;
            at = self.step(at, &target, left)?;
        }
        Ok(at)
    }

    /// The links of a group by name; `None` if the object is not a group.
    fn table(&mut self, id: ObjectId) -> Result<Option<Arc<HashMap<String, LinkTarget>>>, Unfollowed> {
        if let Some(table) = self.tables.get(&id) {
            return Ok(Some(table.clone()));
        }
        let file = &self.files[id.file].file;
        let object = file.object(id.address)?;
        if object.kind != ObjectKind::Group {
            return Ok(None);
        }
        let links = file.links(&object)?.links;
        let table = Arc::new(
            links
                .into_iter()
                .map(|l| (l.name, l.target))
                .collect::<HashMap<_, _>>(),
        );
        self.tables.insert(id, table.clone());
        Ok(Some(table))
    }

    /// Opens the file of an external link in the file `from`, unless it is already open.
    fn external(&mut self, from: usize, name: &str) -> Result<usize, Unfollowed> {
        let left = |why: &str| Unfollowed::Left(format!("its file {name} {why}"));
        let Some(external_files) = &self.files[from].external_files else {
            return Err(Unfollowed::Refused(format!(
                "its file {name} is not followed, as it is not known what lies beside the input"
            )));
        };
        let found = external_files
            .find(name, NamedAs::ExternalLink)
            .map_err(|why| match why {
                NoExternalFile::Outside { .. }
                | NoExternalFile::Hidden { .. }
                | NoExternalFile::NotRegular => Unfollowed::Refused(format!("its file {name} {why}")),
                why => left(&why.to_string()),
            })?;
        let is_open = |file: &OpenFile| {
            let own = file.external_files.as_ref().map(|n| n.identity());
            own == Some(found.identity())
        };
        if let Some(known) = self.files.iter().position(is_open) {
            return Ok(known);
        }
        if self.files.len() > FILES {
            return Err(left("is one of too many"));
        }
        let cannot = |e: Error| left(&format!("cannot be opened: {e}"));
        let place = match found.open() {
            Ok(Some(place)) => place,
            Ok(None) => return Err(left(&NoExternalFile::Missing.to_string())),
            // A store that does not answer says nothing about its objects.
            Err(e) if matches!(&e, Error::File { cause, .. } if matches!(**cause, Error::Remote(_))) => {
                return Err(Unfollowed::Failed(e));
            }
            Err(Error::Usage(why)) => return Err(Unfollowed::Refused(format!("its file {name} {why}"))),
            Err(e) => return Err(cannot(e)),
        };
        let opened = match place.kind() {
            InputKind::Object(object) => {
                OpenFile::new(object.clone(), place.external_files().cloned(), &self.registry)
            }
            InputKind::Keys(_) | InputKind::Queries(_) => Err(Error::UnknownFormat),
        };
        let mut file = opened.map_err(|e| match e.is_failure() {
            true => Unfollowed::Failed(e.in_file(place.name())),
            false => cannot(e),
        })?;
        debug!(name, "opened the file of an external link");
        file.set_name(&place);
        self.files.push(file);
        Ok(self.files.len() - 1)
    }
}

impl OpenFile {
    /// Names the file by its place.
    pub fn set_name(&mut self, place: &Input) {
        self.name = place.name().to_string_lossy().into_owned();
        self.version = ObjectVersion::of(&*self.source);
    }

    /// Why the file may lack what its writer meant to write. Its lock is tried only if its flags say that it is open.
    pub fn unfinished(&self) -> Option<Unclosed> {
        let flags = self.file.consistency();
        flags
            .is_open_for_writing()
            .then(|| match self.source.is_locked_for_writing() {
                Some(true) => Unclosed::BeingWritten,
                Some(false) if !flags.is_open_for_swmr() => Unclosed::NotClosed,
                _ => Unclosed::Open,
            })
    }

    /// Opens the HDF5 file in `source`.
    ///
    /// # Errors
    /// It is not HDF5, or damaged.
    pub fn new(
        source: Arc<dyn Object>,
        external_files: Option<Arc<dyn ExternalFiles>>,
        registry: &Registry,
    ) -> Result<Self> {
        Self::with_cache(source, external_files, registry, None)
    }

    /// The same with a cache of at most `cache` bytes of metadata; `None` for the default.
    pub fn with_cache(
        source: Arc<dyn Object>,
        external_files: Option<Arc<dyn ExternalFiles>>,
        registry: &Registry,
        cache: Option<usize>,
    ) -> Result<Self> {
        Self::open(source, external_files, registry, cache, Care::Whole)
    }

    /// Opens an HDF5 file that may be damaged or truncated, whose structures are read as far as they go.
    ///
    /// # Errors
    /// It is not HDF5, or its superblock is damaged.
    pub fn of_damaged(source: Arc<dyn Object>, registry: &Registry) -> Result<Self> {
        Ok(Self::open(source, None, registry, None, Care::Damaged)?.tolerating())
    }

    /// The same, with what no link leads to any more.
    ///
    /// # Errors
    /// The source fails.
    pub fn recovered(source: Arc<dyn Object>, registry: &Registry) -> Result<Self> {
        Ok(Self::open(source, None, registry, None, Care::Recovered)?.tolerating())
    }

    fn tolerating(self) -> Self {
        let (file, _) = self.file.tolerating();
        Self { file, ..self }
    }

    /// Opens an HDF5 file with a cache of at most `cache` bytes of metadata.
    fn open(
        source: Arc<dyn Object>,
        external_files: Option<Arc<dyn ExternalFiles>>,
        registry: &Registry,
        cache: Option<usize>,
        care: Care,
    ) -> Result<Self> {
        let mut limits = Limits::default();
        limits.cache_bytes = cache;
        let options = match care {
            Care::Whole => OpenOptions::new(),
            Care::Damaged => OpenOptions::new().truncated(true),
            Care::Recovered => OpenOptions::new().recovering(),
        };
        let file = options
            .limits(limits)
            .decoder(HeapFilters(registry.clone()))
            .open(Arc::new(ObjectBytes(source.clone())))
            .map_err(hdf5_error)?;
        Ok(Self {
            size: file.end(),
            file,
            source,
            external_files,
            name: String::new(),
            version: None,
            loses_elements: false,
            names: None,
        })
    }
}
