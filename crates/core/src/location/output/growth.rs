//! Adds to a dataset where it is.

use std::io;
use std::sync::Arc;

use super::destination::CreateOptions;
use crate::error::{Error, Result};
use crate::filter::Registry;
use crate::format::{
    self, Growing, SnapshotName, VariablePlan, Writer, kind_of_references, open_icechunk, zarr,
};
use crate::location::{Location, StoreKind, Target, remote};
use crate::model::{Growth, Kind, Schema};
use crate::store::{
    FileSource, GrowingFile, GrowingFolder, GrowingKeys, HeldLock, InputKind, RepositoryOutput,
};

/// A dataset that this process alone may add to, until the value is dropped.
pub enum GrowthLock {
    /// The lock of a file.
    File(HeldLock),
    /// The mark of a dataset of many keys.
    Keys(Arc<dyn GrowingKeys>),
    /// The dataset is written anew.
    None,
}

impl Location {
    /// True if cells can be added to a dataset of a kind where it is. Otherwise a new dataset takes its place.
    pub fn grows_in_place(&self, kind: Kind) -> bool {
        let is_there = match kind.can().keys {
            true => self.store() == StoreKind::Directory,
            false => self.path().is_some(),
        };
        is_there && !self.is_standard_input() && kind.can().grows != Growth::Anew
    }

    /// The kind of the dataset here as one that grows, where it reads as one of kind `found`: a snapshot reads as Zarr.
    pub fn grown_kind(&self, found: Kind) -> Kind {
        match self.snapshot() {
            Some(_) => Kind::Icechunk,
            None => found,
        }
    }

    /// The same location, where a dataset grows. A repository that the name does not say to be one grows on its branch main.
    ///
    /// # Errors
    /// The location's name; references of kerchunk, to which nothing is added; what is there cannot be read.
    pub fn growing(mut self) -> Result<Self> {
        // What else is there cannot grow, and a pipe is read but once.
        let is_readable = self.path().is_none_or(|path| path.is_file() || path.is_dir());
        if self.snapshot().is_some() || !is_readable || self.is_standard_input() {
            return Ok(self);
        }
        match kind_of_references(&self.input()?).map_err(self.named())? {
            Some(Kind::Kerchunk) => Err(self.named()(Error::Usage(format!(
                "nothing is added to references of kerchunk; make new ones of these and the others: nccopy --join DIM {self} INPUT NEW"
            )))),
            Some(_) => {
                let main = SnapshotName::Branch("main".to_owned());
                self.mode.get_or_insert_default().snapshot = Some(main);
                Ok(self)
            }
            None => Ok(self),
        }
    }

    /// The snapshot that the name asks for.
    fn snapshot(&self) -> Option<&SnapshotName> {
        self.mode.as_ref()?.snapshot.as_ref()
    }

    /// The branch that snapshots are added to; `None` if this is no repository.
    fn branch(&self) -> Result<Option<&str>> {
        match self.snapshot() {
            None => Ok(None),
            Some(SnapshotName::Branch(branch)) => Ok(Some(branch)),
            Some(_) => Err(self.named()(Error::Usage(
                "a snapshot is added to a branch; name one by branch= in place of tag= or snapshot="
                    .to_owned(),
            ))),
        }
    }

    /// Keeps others from adding to the dataset here. What a killed run has added to keys is undone. `takes_over` says that a run whose
    /// mark is on a remote store is dead.
    ///
    /// # Errors
    /// The location's name; another program has the lock of the file, or adds to the folder; the store fails.
    pub fn lock_for_growth(&self, takes_over: bool) -> Result<GrowthLock> {
        let cannot = |e| self.named()(Error::io("cannot add to it", e));
        if let Some(path) = self.path().filter(|path| path.is_file()) {
            return HeldLock::take(path).map(GrowthLock::File).map_err(cannot);
        }
        let found = self.path().and_then(|path| std::fs::metadata(path).ok());
        if found.is_some_and(|found| !found.is_dir()) {
            let why = "only files and folders grow";
            return Err(cannot(io::Error::new(io::ErrorKind::InvalidInput, why)));
        }
        if self.is_standard_input() || self.store() != StoreKind::Directory {
            return Ok(GrowthLock::None);
        }
        if let Some(branch) = self.branch()? {
            let input = self.input()?;
            let InputKind::Keys(store) = input.kind() else {
                return Err(self.named()(Error::UnknownFormat));
            };
            let (keys, _) = self.growing_keys(takes_over).map_err(self.named())?;
            let growing = RepositoryOutput::growing(Arc::clone(store), keys, branch).map_err(cannot)?;
            let (found, asked) = (
                growing.specification(),
                self.mode.as_ref().and_then(|mode| mode.specification),
            );
            if asked.is_some_and(|asked| asked != found) {
                let why = format!(
                    "the repository is of specification {}; leave out spec=",
                    found as u8
                );
                return Err(self.named()(Error::Usage(why)));
            }
            return Ok(GrowthLock::Keys(Arc::new(growing)));
        }
        // What is no dataset gets no mark.
        let input = self.input()?;
        let InputKind::Keys(store) = input.kind() else {
            return Ok(GrowthLock::None);
        };
        if !zarr::is_zarr(&**store).map_err(self.named())? {
            return Ok(GrowthLock::None);
        }
        let (keys, note) = self.growing_keys(takes_over).map_err(self.named())?;
        if !note.is_empty() {
            zarr::undo(store, &*keys, &note).map_err(self.named())?;
        }
        Ok(GrowthLock::Keys(keys))
    }

    fn growing_keys(&self, takes_over: bool) -> Result<(Arc<dyn GrowingKeys>, Vec<u8>)> {
        if let Target::Remote(url) = &self.target {
            let (session, memory) = self.session(url, &CreateOptions::default())?;
            return remote::growing_tree(session, url, memory, takes_over);
        }
        let path = self.local_path()?;
        let (folder, note) = GrowingFolder::open(path).map_err(|e| Error::io("cannot add to it", e))?;
        Ok((Arc::new(folder), note))
    }

    /// A writer that adds cells to the dataset here. `schema` has their number, and `plans` what is written: see
    /// [`plan_grown`](crate::copy::plan::plan_grown).
    ///
    /// # Errors
    /// The location's name, and what cannot grow; the store fails.
    pub fn grow(
        &self,
        lock: &GrowthLock,
        schema: &Schema,
        plans: &[VariablePlan],
        registry: &Registry,
    ) -> Result<Box<dyn Writer>> {
        let cannot = |e| self.named()(Error::io("cannot add to it", e));
        let growing = match lock {
            GrowthLock::Keys(output) => {
                let input = self.input()?;
                let InputKind::Keys(old) = input.kind() else {
                    return Err(self.named()(Error::UnknownFormat));
                };
                let snapshot = match self.snapshot() {
                    None => None,
                    snapshot => open_icechunk(old, None, snapshot).map_err(self.named())?,
                };
                Growing::Keys {
                    old: snapshot.unwrap_or_else(|| Arc::clone(old)),
                    output: Arc::clone(output),
                }
            }
            GrowthLock::File(_) | GrowthLock::None => {
                let path = self.local_path()?;
                let output = Arc::new(GrowingFile::open(path).map_err(cannot)?);
                let old = Arc::new(FileSource::open(path).map_err(self.named())?);
                // They are the file that is locked.
                self.check_not_open()?;
                Growing::File { old, output }
            }
        };
        format::grow(growing, schema, plans, registry).map_err(self.named())
    }
}
