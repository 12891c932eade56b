//! [`JobStage`]: where the processes of a job write, before the output appears.
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
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::destination::CreateOptions;
use super::output_kind::is_zarr;
use super::zarr_folder;
use crate::error::{Error, Result};
use crate::format::{self, VariablePlan, Writer, classic, zarr};
use crate::location::{Location, StoreKind};
#[cfg(feature = "remote")]
use crate::location::{Target, remote_destination};
use crate::model::{Kind, Schema};
#[cfg(feature = "remote")]
use crate::remote::{Run, SharedKeys, TreeOutput};
#[cfg(feature = "remote")]
use crate::remote_settings::RemoteUrl;
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

/// Key of the note that names the run. Without it the job is over.
pub const RUN_NOTE: &str = "run";

/// Most bytes of the name of a run.
const MOST_BYTES: u64 = 64;

/// The place of a job, as the process that plans it tells the others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JobPlace {
    /// Name of the run: hexadecimal digits.
    pub run: String,
    /// True if a dataset on a remote store is built beside an older one.
    pub is_beside: bool,
    /// How the processes write.
    pub way: JobWay,
}

/// How the processes of a job write its output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JobWay {
    /// A tree of keys, each of which any process can write.
    Keys,
    /// One file, each byte of which has a known place.
    Placed,
    /// Packs, of which the output is made when all are there.
    Packs,
}

/// Where the processes of a job write.
pub struct JobStage {
    /// Notes and packs.
    pub notes: Arc<dyn KeyOutput>,
    /// What all processes write beside them.
    pub target: JobTarget,
    begun: Begun,
}

/// What all processes of a job write, beside notes and packs.
pub enum JobTarget {
    /// The dataset's own keys.
    Keys(Arc<dyn KeyOutput>),
    /// One file, at the places of its data.
    File(PathBuf),
    /// Nothing.
    Packs,
}

/// What the process that plans a job has begun. It is undone when it is dropped.
enum Begun {
    /// Another process has begun it, or it is left to others.
    Nothing,
    Folder(SharedStage),
    #[cfg(feature = "remote")]
    Tree(Arc<TreeOutput>),
}

/// What there is of a job.
pub enum JobPhase {
    /// Parts are made, or can be.
    Open(JobStage),
    /// The output has appeared. Notes are left.
    Published,
    /// Nothing: the job was finished or abandoned.
    Over,
}

impl JobStage {
    /// Leaves the job to all processes. Without this call, dropping the stage removes it.
    pub fn keep(&mut self) {
        match std::mem::replace(&mut self.begun, Begun::Nothing) {
            Begun::Nothing => {}
            Begun::Folder(folder) => folder.keep(),
            #[cfg(feature = "remote")]
            Begun::Tree(tree) => tree.hand_over(),
        }
    }
}

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
        #[cfg(feature = "remote")]
        if let Target::Remote(url) = &self.target {
            return self.begin_remote_stage(url, way, options);
        }
        let _ = options;
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
        #[cfg(feature = "remote")]
        if let Target::Remote(url) = &self.target {
            return self.join_remote_stage(url, place, options).map_err(self.named());
        }
        let _ = options;
        let joined = join_local_stage(self.local_path()?, place);
        joined.map_err(|e| self.named()(Error::io("cannot join the job", e)))
    }

    /// Removes what a job has left, whatever its phase. A dataset that has appeared stays.
    ///
    /// # Errors
    /// The store fails.
    pub fn remove_job(&self, place: &JobPlace) -> Result<()> {
        let cannot = |e| self.named()(Error::io("cannot remove what the job has written", e));
        #[cfg(feature = "remote")]
        if let Target::Remote(url) = &self.target {
            let (session, memory) = self
                .session(url, &CreateOptions::default())
                .map_err(self.named())?;
            let run = run_of(place);
            if place.way != JobWay::Keys {
                let key = url.key.trim_end_matches('/');
                return SharedKeys::of_object(session, key, memory, &place.run)
                    .remove()
                    .map_err(cannot);
            }
            let tree = TreeOutput::join(session, &url.key, memory, &run);
            if tree.is_open().map_err(cannot)? {
                tree.abandon().map_err(cannot)?;
            }
            return tree.tidy().map_err(cannot);
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

    #[cfg(feature = "remote")]
    fn begin_remote_stage(
        &self,
        url: &RemoteUrl,
        way: JobWay,
        options: &CreateOptions,
    ) -> Result<(JobPlace, JobStage)> {
        let (session, memory) = self.session(url, options)?;
        let mut place = JobPlace {
            run: new_run(),
            is_beside: false,
            way,
        };
        if way != JobWay::Keys {
            let key = url.key.trim_end_matches('/');
            let keys = SharedKeys::of_object(session, key, memory, &place.run);
            begin_notes(&keys, &place)?;
            return Ok((place, object_stage(keys)));
        }
        let tree = Arc::new(remote_destination::begun_tree(
            session.clone(),
            url,
            memory,
            options.replaces,
        )?);
        let run = tree.run();
        (place.run, place.is_beside) = (run.name.clone(), run.is_beside);
        let notes = SharedKeys::of_tree(session, &url.key, memory, run);
        begin_notes(&notes, &place)?;
        let stage = JobStage {
            notes: Arc::new(notes),
            target: JobTarget::Keys(tree.clone()),
            begun: Begun::Tree(tree),
        };
        Ok((place, stage))
    }

    #[cfg(feature = "remote")]
    fn join_remote_stage(
        &self,
        url: &RemoteUrl,
        place: &JobPlace,
        options: &CreateOptions,
    ) -> Result<JobPhase> {
        let cannot = |e| Error::io("cannot join the job", e);
        let (session, memory) = self.session(url, options)?;
        if place.way != JobWay::Keys {
            let key = url.key.trim_end_matches('/');
            let keys = SharedKeys::of_object(session, key, memory, &place.run);
            return Ok(match has_begun(&keys, place).map_err(cannot)? {
                true => JobPhase::Open(object_stage(keys)),
                false => JobPhase::Over,
            });
        }
        let run = run_of(place);
        let notes = SharedKeys::of_tree(session.clone(), &url.key, memory, &run);
        if !has_begun(&notes, place).map_err(cannot)? {
            return Ok(JobPhase::Over);
        }
        let tree = Arc::new(TreeOutput::join(session, &url.key, memory, &run));
        if !tree.is_open().map_err(cannot)? {
            return Ok(JobPhase::Published);
        }
        Ok(JobPhase::Open(JobStage {
            notes: Arc::new(notes),
            target: JobTarget::Keys(tree),
            begun: Begun::Nothing,
        }))
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
        begun: Begun::Folder(folder),
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
        begun: Begun::Nothing,
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

#[cfg(feature = "remote")]
fn run_of(place: &JobPlace) -> Run {
    Run {
        name: place.run.clone(),
        is_beside: place.is_beside,
    }
}

#[cfg(feature = "remote")]
fn begin_notes(keys: &SharedKeys, place: &JobPlace) -> Result<()> {
    keys.put(RUN_NOTE, place.run.as_bytes())
        .map_err(|e| Error::io("cannot create", e))
}

#[cfg(feature = "remote")]
fn has_begun(keys: &SharedKeys, place: &JobPlace) -> io::Result<bool> {
    Ok(keys
        .staged(RUN_NOTE)?
        .is_some_and(|run| run == place.run.as_bytes()))
}

/// The stage of an object of a remote store.
#[cfg(feature = "remote")]
fn object_stage(keys: SharedKeys) -> JobStage {
    JobStage {
        notes: Arc::new(keys),
        target: JobTarget::Packs,
        begun: Begun::Nothing,
    }
}
