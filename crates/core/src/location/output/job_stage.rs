//! Begins, joins and removes jobs: what several processes write before the output appears.
//!
//! | output | notes and packs | its own keys |
//! | --- | --- | --- |
//! | local | `.NAME.ncutils-partial-RUN/parts/` | Zarr in a folder: `.NAME.ncutils-partial-RUN/d/`, which becomes NAME; a classic file, whose data has known places: `.NAME.ncutils-partial-RUN/file`, which becomes NAME |
//! | Zarr on a remote store | `PREFIX/.ncutils-partial-RUN/parts/` | below the prefix, where one process writes them |
//! | one object | `KEY.ncutils-partial-RUN/` | – |
//!
//! The keys have a mark of their run. In a local stage that has notes, but no keys or file of the run, the output has appeared. Packs
//! have no such sign.

use std::fs;
use std::io;
use std::path::Path;
use std::sync::Arc;

use super::checks::zarr_folder;
use super::destination::CreateOptions;
use super::job::{JobPhase, JobPlace, JobStage, JobTarget, JobWay, RUN_NOTE};
use super::output_kind::is_zarr;
use crate::error::{Error, Result};
use crate::format::{self, VariablePlan, Writer, classic, zarr};
use crate::location::{Location, StoreKind, Target, remote};
use crate::model::{Kind, Schema};
use crate::store::{
    CompletedFile, Destination, DirectoryOutput, FolderCheck, KeyOutput, SharedStage, new_run,
};

/// Folder of the notes in the stage of a local output.
const NOTES: &str = "parts";

/// Folder of the keys in the stage of a local output.
const KEYS: &str = "d";

/// The file in the stage of a local output that all processes write.
const FILE: &str = "file";

/// File in the folder of the keys that names the run. No key of a dataset can have this name.
const MARK: &str = ".ncutils-partial-values/run";

/// Most bytes of the name of a run.
const MOST_BYTES: u64 = 64;

impl Location {
    /// A writer of the keys of a dataset that several processes write. `plans` promise what this one writes.
    ///
    /// # Errors
    /// Those of [`format::create`].
    pub fn create_in(
        &self,
        keys: Arc<dyn KeyOutput>,
        schema: &Schema,
        plans: &[VariablePlan],
    ) -> Result<Box<dyn Writer>> {
        let destination = Destination::keys(self.name(), keys);
        format::create_with(destination, schema, plans, &self.write_options(schema.kind))
            .map_err(self.named())
    }

    /// Writes the metadata of a dataset whose keys several processes have written, and lets it appear. `plans` are those of the whole
    /// dataset.
    ///
    /// # Errors
    /// Those of [`format::create`].
    pub fn complete_in(
        &self,
        keys: Arc<dyn KeyOutput>,
        schema: &Schema,
        plans: &[VariablePlan],
    ) -> Result<()> {
        zarr::complete(keys, schema, plans, self.write_options(schema.kind)).map_err(self.named())
    }

    /// Begins a job that writes a dataset here. What exists is replaced only when the job is completed.
    ///
    /// # Errors
    /// Those of [`Location::destination`](Location::destination).
    pub fn begin_job(
        &self,
        schema: &Schema,
        plans: &[VariablePlan],
        options: &CreateOptions,
    ) -> Result<(JobPlace, JobStage)> {
        self.check_create(schema, plans)?;
        self.check_room(plans)?;
        let way = self.way(schema);
        if way != JobWay::Keys {
            // What one process would find out at its begin.
            drop(self.object_output(options, None)?);
        }
        let size = match way {
            JobWay::Placed => classic::ClassicWriter::size(schema).map_err(self.named())?,
            JobWay::Keys | JobWay::Packs => 0,
        };
        self.begin_stage(way, size, options).map_err(self.named())
    }

    /// How several processes write a dataset of a kind here.
    fn way(&self, schema: &Schema) -> JobWay {
        let kind = schema.kind;
        let is_device = |path: &Path| fs::metadata(path).is_ok_and(|found| !found.is_file());
        match kind {
            _ if is_zarr(kind) && self.store() == StoreKind::Directory => JobWay::Keys,
            Kind::Classic | Kind::Offset64 | Kind::Data64
                if !self.is_remote()
                    && !self.path().is_some_and(is_device)
                    && classic::ClassicWriter::has_long_slabs(schema) =>
            {
                JobWay::Placed
            }
            _ => JobWay::Packs,
        }
    }

    /// Begins a job that writes whole datasets below this folder or prefix.
    ///
    /// # Errors
    /// The folder's own folder cannot be written to; the store fails.
    pub fn begin_job_of_files(&self) -> Result<(JobPlace, JobStage)> {
        self.begin_stage(JobWay::Packs, 0, &CreateOptions::default())
            .map_err(self.named())
    }

    fn begin_stage(&self, way: JobWay, size: u64, options: &CreateOptions) -> Result<(JobPlace, JobStage)> {
        if let Target::Remote(url) = &self.target {
            let (session, memory) = self.session(url, options)?;
            return remote::begin_job(session, url, memory, way, options.replaces);
        }
        let place = JobPlace {
            run: new_run(),
            is_beside: false,
            way,
        };
        let stage = begin_local_stage(self.local_path()?, &place, size);
        Ok((place, stage.map_err(|e| Error::io("cannot create", e))?))
    }

    /// Joins a job that [`begin_job`](Self::begin_job) began, maybe in another process.
    ///
    /// # Errors
    /// The store fails; a stage that this user may not enter.
    pub fn join_job(&self, place: &JobPlace, options: &CreateOptions) -> Result<JobPhase> {
        if let Target::Remote(url) = &self.target {
            let (session, memory) = self.session(url, options).map_err(self.named())?;
            return remote::join_job(session, url, memory, place).map_err(self.named());
        }
        let joined = join_local_stage(self.local_path()?, place);
        joined.map_err(|e| self.named()(Error::io("cannot join the job", e)))
    }

    /// Removes what a job has left, whatever its phase. A dataset that has appeared stays.
    ///
    /// # Errors
    /// The store fails.
    pub fn remove_job(&self, place: &JobPlace) -> Result<()> {
        let cannot = |e| self.named()(Error::io("cannot remove what the job has written", e));
        if let Target::Remote(url) = &self.target {
            let (session, memory) = self
                .session(url, &CreateOptions::default())
                .map_err(self.named())?;
            return remote::remove_job(session, url, memory, place).map_err(cannot);
        }
        let path = self.local_path()?;
        // Left by a process that was killed when the dataset had its name already.
        let mark = path.join(MARK);
        if place.way == JobWay::Keys
            && is_marked(&mark, place).map_err(cannot)?
            && let Some(folder) = mark.parent()
        {
            fs::remove_dir_all(folder).map_err(cannot)?;
        }
        SharedStage::remove(path, &place.run).map_err(cannot)
    }
}

/// Creates the stage of a local output.
fn begin_local_stage(path: &Path, place: &JobPlace, size: u64) -> io::Result<JobStage> {
    let folder = SharedStage::create(path, &place.run)?;
    let root = SharedStage::path(path, &place.run)?.canonicalize()?;
    fs::create_dir(root.join(NOTES))?;
    match place.way {
        JobWay::Packs => {}
        JobWay::Placed => CompletedFile::create(&root.join(FILE), size)?,
        JobWay::Keys => {
            let keys = root.join(KEYS);
            DirectoryOutput::create_shared(path, &keys, &folder_check())?;
            let mark = keys.join(MARK);
            fs::create_dir(mark.parent().unwrap_or(&mark))?;
            fs::write(&mark, &place.run)?;
        }
    }
    let notes = DirectoryOutput::in_place(&root.join(NOTES))?;
    notes.put(RUN_NOTE, place.run.as_bytes())?;
    Ok(JobStage {
        notes: Arc::new(notes),
        target: local_target(path, &root, place)?,
        keep: Some(Box::new(move || folder.keep())),
    })
}

/// What the processes of a job write in the stage of a local output.
fn local_target(path: &Path, root: &Path, place: &JobPlace) -> io::Result<JobTarget> {
    Ok(match place.way {
        JobWay::Packs => JobTarget::Packs,
        JobWay::Placed => JobTarget::File(root.join(FILE)),
        JobWay::Keys => {
            let keys = DirectoryOutput::join_shared(path, &root.join(KEYS), folder_check())?;
            JobTarget::Keys(Arc::new(keys))
        }
    })
}

/// Joins the stage of a local output.
fn join_local_stage(path: &Path, place: &JobPlace) -> io::Result<JobPhase> {
    let root = SharedStage::path(path, &place.run)?;
    match fs::symlink_metadata(&root) {
        Ok(found) if found.is_dir() => {}
        Ok(_) => return Ok(JobPhase::Over),
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(JobPhase::Over),
        Err(e) => return Err(e),
    }
    let root = root.canonicalize()?;
    if !is_marked(&root.join(NOTES).join(RUN_NOTE), place)? {
        return Ok(JobPhase::Over);
    }
    let is_there = match place.way {
        JobWay::Packs => true,
        JobWay::Placed => root.join(FILE).exists(),
        // The folder there may be the older dataset, which is removed last.
        JobWay::Keys => is_marked(&root.join(KEYS).join(MARK), place)?,
    };
    if !is_there {
        return Ok(JobPhase::Published);
    }
    Ok(JobPhase::Open(JobStage {
        notes: Arc::new(DirectoryOutput::in_place(&root.join(NOTES))?),
        target: local_target(path, &root, place)?,
        keep: None,
    }))
}

/// True if a file names the run of a job.
fn is_marked(file: &Path, place: &JobPlace) -> io::Result<bool> {
    match fs::metadata(file) {
        Ok(found) if found.len() > MOST_BYTES => Ok(false),
        Ok(_) => Ok(fs::read(file)? == place.run.as_bytes()),
        Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(e) => Err(e),
    }
}

fn folder_check() -> FolderCheck {
    Arc::new(zarr_folder::check_replaceable)
}
