//! Finds the source datasets of virtual datasets, and keeps the files that were used lately open.

use crate::format::netcdf4::hdf5_error::hdf5_error;
use std::ffi::OsString;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use ncutils_hdf5::{Dataset, Followed, Object};
use tracing::debug;

use super::missing::MissingSources;
use crate::error::{Error, Result};
use crate::filter::Registry;
use crate::format::netcdf4::read::object::links::OpenFile;
use crate::model::Unclosed;
use crate::store::{BoundedCache, InputKind, NamedAs, NoExternalFile};

/// Most files whose metadata is kept.
const FILES: usize = 64;

/// Most virtual datasets from one to the next.
const DEPTH: usize = 16;

/// Most external links from one to the next: libhdf5's limit.
const LINKS: usize = 16;

/// Bytes of metadata that are cached of each source file.
const CACHE: usize = 1 << 20;

/// The name of the file that holds the mapping.
const SAME_FILE: &str = ".";

/// The source files of all virtual datasets of an input.
pub struct SourceFiles {
    registry: Registry,
    open: BoundedCache<OsString, OpenFile>,
    /// Names of files that their writers have not closed.
    unfinished: Mutex<Vec<(String, Unclosed)>>,
    /// True if elements that cannot be read are fill values.
    fills: AtomicBool,
}

/// The virtual datasets that lead to a source, the outermost first.
#[derive(Clone)]
pub struct Trail {
    steps: Vec<Step>,
    missing: Arc<MissingSources>,
}

#[derive(Clone)]
struct Step {
    /// Identity of the file; `None` for an input without external files.
    file: Option<OsString>,
    address: u64,
    /// For messages.
    name: String,
}

/// A source dataset that was found.
pub struct FoundSource {
    /// Its file.
    pub file: OpenFile,
    /// Its header, as stored.
    pub dataset: Dataset,
    /// The virtual datasets that lead to it, and itself.
    pub trail: Trail,
}

impl SourceFiles {
    /// No files yet. Their chunks are decoded by the codecs of `registry`.
    pub fn new(registry: Registry) -> Self {
        Self {
            registry,
            open: BoundedCache::new(FILES),
            unfinished: Mutex::default(),
            fills: AtomicBool::new(false),
        }
    }

    /// The codecs of all source files.
    pub fn registry(&self) -> &Registry {
        &self.registry
    }

    /// The files that were opened so far and that their writers have not closed, by name.
    pub fn unfinished(&self) -> Vec<(String, Unclosed)> {
        let found = self.unfinished.lock().unwrap_or_else(PoisonError::into_inner);
        found.clone()
    }

    /// From now on, elements of sources that cannot be read are fill values.
    pub fn fill_unreadable(&self) {
        self.fills.store(true, Ordering::Relaxed);
    }

    /// True if elements of sources that cannot be read are fill values.
    pub fn fills_unreadable(&self) -> bool {
        self.fills.load(Ordering::Relaxed)
    }

    /// The dataset `path` of the file `name`, as a virtual dataset of the file `from` names them. `None` if one of them is
    /// missing.
    ///
    /// # Errors
    /// A file may not be read, is not HDF5 or is damaged; `path` is not a dataset; it leads back to itself; something is
    /// missing and must be there. The error names file and dataset.
    pub fn find(
        &self,
        from: &OpenFile,
        name: &str,
        path: &str,
        trail: &Trail,
    ) -> Result<Option<FoundSource>> {
        let named = |e: Error| in_source(e, name, path);
        let found = self.look_up(from, name, path, trail).map_err(named)?;
        let required = from.external_files.as_ref().is_some_and(|n| n.requires_sources());
        match (found, required) {
            (None, true) => Err(named(Error::Usage("it does not exist".to_owned()))),
            (found, _) => Ok(found),
        }
    }

    fn look_up(&self, from: &OpenFile, name: &str, path: &str, trail: &Trail) -> Result<Option<FoundSource>> {
        let file = match name {
            SAME_FILE => from.clone(),
            _ => match self.open(from, name, NamedAs::VirtualSource)? {
                Some(file) => file,
                None => return Ok(None),
            },
        };
        let Some((file, object)) = self.follow(file, path)? else {
            return Ok(None);
        };
        let dataset = file.file.dataset(&object).map_err(hdf5_error)?;
        let trail = trail.with(&file, dataset.address, &format!("{path} in {name}"))?;
        Ok(Some(FoundSource { file, dataset, trail }))
    }

    /// The object at a path of a file, through external links too; `None` if something on the way is missing.
    fn follow(&self, mut file: OpenFile, path: &str) -> Result<Option<(OpenFile, Object)>> {
        let mut path = path.to_owned();
        for _ in 0..=LINKS {
            let (name, rest) = match file.file.follow_path(&path) {
                Ok(Followed::Object(object)) => return Ok(Some((file, object))),
                Ok(Followed::Elsewhere { file, path }) => (file, path),
                Err(ncutils_hdf5::Error::NotFound(_)) => return Ok(None),
                Err(e) => return Err(hdf5_error(e)),
            };
            let named = |e: Error| Error::Usage(format!("external link to {}: {e}", name.escape_debug()));
            match self.open(&file, &name, NamedAs::ExternalLink).map_err(named)? {
                Some(other) => (file, path) = (other, rest),
                None => return Ok(None),
            }
        }
        Err(Error::Usage(format!(
            "more than {LINKS} external links lead from one to the next"
        )))
    }

    /// The file `name`; `None` if there is none.
    fn open(&self, from: &OpenFile, name: &str, named_as: NamedAs) -> Result<Option<OpenFile>> {
        let Some(external_files) = &from.external_files else {
            return Err(Error::Usage(
                "it is not known what lies beside the input".to_owned(),
            ));
        };
        let found = match external_files.find(name, named_as) {
            Ok(found) => found,
            Err(NoExternalFile::Missing) => return Ok(None),
            Err(why) => return Err(Error::Usage(format!("the file {why}"))),
        };
        if let Some(file) = self.open.get(found.identity()) {
            return Ok(Some(file));
        }
        let identity = found.identity().to_owned();
        let refused = |e| match e {
            Error::Usage(why) => Error::Usage(format!("the file {why}")),
            e => e,
        };
        let Some(place) = found.open().map_err(refused)? else {
            return Ok(None);
        };
        let InputKind::Object(object) = place.kind() else {
            return Err(Error::Usage("it is a store of keys, not an HDF5 file".to_owned()));
        };
        let external_files = place.external_files().cloned();
        let mut file = OpenFile::with_cache(object.clone(), external_files, &self.registry, Some(CACHE))?;
        file.set_name(&place);
        debug!(name, "opened the file of a source");
        if let Some(unfinished) = file.unfinished() {
            let name = file.name.clone();
            let mut found = self.unfinished.lock().unwrap_or_else(PoisonError::into_inner);
            // A file that was opened before may have been closed since.
            if found.iter().all(|(known, _)| *known != name) {
                found.push((name, unfinished));
            }
        }
        self.open.keep(identity, file.clone(), 1);
        Ok(Some(file))
    }
}

impl Trail {
    /// The trail of a virtual dataset with this name that the input itself has.
    pub fn of(file: &OpenFile, address: u64, name: &str) -> Self {
        Self {
            steps: vec![Step {
                file: identity(file),
                address,
                name: name.to_owned(),
            }],
            missing: Arc::default(),
        }
    }

    /// The sources that were missing anywhere on the way.
    pub fn missing(&self) -> &MissingSources {
        &self.missing
    }

    /// The same trail, which notes missing sources apart.
    pub fn apart(&self) -> Self {
        Self {
            steps: self.steps.clone(),
            missing: Arc::default(),
        }
    }

    /// The trail with another dataset at its end.
    fn with(&self, file: &OpenFile, address: u64, name: &str) -> Result<Self> {
        let step = Step {
            file: identity(file),
            address,
            name: name.to_owned(),
        };
        let is_here = |known: &Step| (&known.file, known.address) == (&step.file, step.address);
        let begin = self.steps.iter().position(is_here);
        let mut steps = self.steps.clone();
        steps.push(step);
        if let Some(begin) = begin {
            let names: Vec<_> = steps[begin..]
                .iter()
                .map(|step| step.name.escape_debug().to_string())
                .collect();
            return Err(Error::Damaged(format!("{LEAD_BACK}: {}", names.join(" ─► "))));
        }
        if steps.len() > DEPTH + 1 {
            return Err(Error::Unsupported(format!(
                "a virtual dataset of virtual datasets, more than {DEPTH} deep,"
            )));
        }
        Ok(Self {
            steps,
            missing: Arc::clone(&self.missing),
        })
    }
}

/// How the error of a circle of virtual datasets begins. It names all of them.
const LEAD_BACK: &str = "virtual datasets lead back to the first";

/// Adds the source at fault to an error: the dataset `path` of the file `name`.
pub(crate) fn in_source(error: Error, name: &str, path: &str) -> Error {
    let error = match error {
        // A source that is read as a dataset of its own is a variable without a name there.
        Error::Variable { name, cause } if name.is_empty() => *cause,
        other => other,
    };
    match error {
        Error::Damaged(why) if why.starts_with(LEAD_BACK) => Error::Damaged(why),
        error => Error::Source {
            dataset: path.to_owned(),
            file: name.to_owned(),
            cause: Arc::new(error),
        },
    }
}

/// The same error of a source once more.
pub(crate) fn again(error: &Error) -> Error {
    match error {
        Error::Source { dataset, file, cause } => Error::Source {
            dataset: dataset.clone(),
            file: file.clone(),
            cause: Arc::clone(cause),
        },
        Error::Damaged(why) => Error::Damaged(why.clone()),
        other => Error::Usage(other.to_string()),
    }
}

fn identity(file: &OpenFile) -> Option<OsString> {
    file.external_files.as_ref().map(|n| n.identity().to_owned())
}
