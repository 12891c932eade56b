//! [`JobStage`]: where the processes of a job write, before the output appears.
//!
//! | output | its own keys | notes and packs |
//! | --- | --- | --- |
//! | Zarr in a folder | `.NAME.ncutils-partial-XXXX/` | `job/` among the unfinished values of that folder |
//! | one local file | – | `.NAME.ncutils-partial-XXXX/` |
//! | Zarr on a remote store | below the prefix, as one process writes them | `PREFIX/.ncutils-partial-RUN/parts/` |
//! | one object | – | `KEY.ncutils-partial-RUN/` |

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::destination::CreateOptions;
use super::output_kind::is_zarr;
use super::zarr_folder;
use crate::error::{Error, Result};
use crate::format::{self, VariablePlan, Writer, zarr};
use crate::location::{Location, StoreKind};
#[cfg(feature = "remote")]
use crate::location::{Target, remote_destination};
use crate::model::Schema;
#[cfg(feature = "remote")]
use crate::remote::{RemoteUrl, Run, SharedKeys, TreeOutput};
use crate::store::{
    Destination, DirectoryOutput, FolderCheck, KeyOutput, create_stage, find_stage, new_run, remove_stage,
};

/// Folder of the notes in the stage of a folder of keys. No key of the dataset can have this name.
const NOTES: &str = ".ncutils-partial-values/job";

/// The place of a job, as the process that plans it tells the others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JobPlace {
    /// Name of the run: hexadecimal digits.
    pub run: String,
    /// Name of the folder beside a local output; `None` on a remote store.
    pub folder: Option<OsString>,
    /// True if a dataset on a remote store is built beside an older one.
    pub is_beside: bool,
    /// True if the output is a tree of keys, each of which any process can write.
    pub has_keys: bool,
}

/// Where the processes of a job write.
pub struct JobStage {
    /// Notes and packs.
    pub notes: Arc<dyn KeyOutput>,
    /// The dataset's own keys; `None` for an output that is one object.
    pub keys: Option<Arc<dyn KeyOutput>>,
    holder: Holder,
}

/// What is removed when the job ends.
enum Holder {
    Folder(PathBuf),
    #[cfg(feature = "remote")]
    Tree(Arc<TreeOutput>),
    #[cfg(feature = "remote")]
    Object(Arc<SharedKeys>),
}

impl JobStage {
    /// Removes the notes and packs of an output that has appeared.
    ///
    /// # Errors
    /// The store fails.
    pub fn end(&self) -> Result<()> {
        match self.keys {
            // They went when the dataset was published.
            Some(_) => Ok(()),
            None => self.remove(),
        }
    }

    /// Removes everything that was written. A dataset of keys that was published is no part of it.
    ///
    /// # Errors
    /// The store fails.
    pub fn remove(&self) -> Result<()> {
        match &self.holder {
            Holder::Folder(folder) => {
                remove_stage(folder);
                Ok(())
            }
            #[cfg(feature = "remote")]
            Holder::Tree(tree) => tree.abandon().map_err(cannot_remove),
            #[cfg(feature = "remote")]
            Holder::Object(keys) => keys.remove().map_err(cannot_remove),
        }
    }
}

#[cfg(feature = "remote")]
fn cannot_remove(error: io::Error) -> Error {
    Error::io("cannot remove what was written", error)
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
        let kind = schema.kind;
        let cannot = |e| self.named()(Error::io("cannot create", e));
        let has_keys = is_zarr(kind) && self.store() == StoreKind::Directory;
        let local = |folder: &Path| JobPlace {
            run: new_run(),
            folder: folder.file_name().map(OsStr::to_owned),
            is_beside: false,
            has_keys,
        };
        if !has_keys {
            // What one process would find out at its begin.
            drop(self.object_output(options, None)?);
        }
        #[cfg(feature = "remote")]
        if let Target::Remote(url) = &self.target {
            return self
                .begin_remote_job(url, has_keys, options)
                .map_err(self.named());
        }
        let path = self.local_path()?;
        if !has_keys {
            let stage = create_stage(path).map_err(cannot)?;
            let place = local(&stage);
            return Ok((place, folder_stage(stage).map_err(cannot)?));
        }
        let keys = DirectoryOutput::create_over(path, folder_check()).map_err(cannot)?;
        let stage = keys.stage().to_owned();
        fs::create_dir_all(stage.join(NOTES)).map_err(cannot)?;
        keys.hand_over();
        let place = local(&stage);
        Ok((place, keys_stage(keys, stage).map_err(cannot)?))
    }

    /// Begins a job that writes whole datasets below this folder or prefix.
    ///
    /// # Errors
    /// The folder's own folder cannot be written to; the store fails.
    pub fn begin_job_of_files(&self) -> Result<(JobPlace, JobStage)> {
        let cannot = |e| self.named()(Error::io("cannot create", e));
        #[cfg(feature = "remote")]
        if let Target::Remote(url) = &self.target {
            let options = CreateOptions::default();
            return self.begin_remote_job(url, false, &options).map_err(self.named());
        }
        let stage = create_stage(self.local_path()?).map_err(cannot)?;
        let place = JobPlace {
            run: new_run(),
            folder: stage.file_name().map(OsStr::to_owned),
            is_beside: false,
            has_keys: false,
        };
        Ok((place, folder_stage(stage).map_err(cannot)?))
    }

    /// Joins a job that [`begin_job`](Self::begin_job) began, maybe in another process.
    ///
    /// # Errors
    /// The job is over: its output appeared, or it was abandoned.
    pub fn join_job(&self, place: &JobPlace, options: &CreateOptions) -> Result<JobStage> {
        let cannot = |e: io::Error| match e.kind() {
            io::ErrorKind::NotFound => {
                self.named()(Error::Usage("the job was finished or abandoned".to_owned()))
            }
            _ => self.named()(Error::io("cannot join the job", e)),
        };
        #[cfg(feature = "remote")]
        if let Target::Remote(url) = &self.target {
            return self.join_remote_job(url, place, options).map_err(self.named());
        }
        let _ = options;
        let path = self.local_path()?;
        let name = place.folder.as_deref().unwrap_or_default();
        let stage = find_stage(path, Path::new(name)).map_err(cannot)?;
        if !place.has_keys {
            return folder_stage(stage).map_err(cannot);
        }
        let keys = DirectoryOutput::join_over(path, &stage, folder_check()).map_err(cannot)?;
        keys_stage(keys, stage).map_err(cannot)
    }

    #[cfg(feature = "remote")]
    fn begin_remote_job(
        &self,
        url: &RemoteUrl,
        has_keys: bool,
        options: &CreateOptions,
    ) -> Result<(JobPlace, JobStage)> {
        let (session, memory) = self.session(url, options)?;
        if !has_keys {
            let run = new_run();
            let keys = SharedKeys::of_object(session, url.key.trim_end_matches('/'), memory, &run);
            let place = JobPlace {
                run,
                folder: None,
                is_beside: false,
                has_keys,
            };
            return Ok((place, object_stage(keys)));
        }
        let tree = remote_destination::begun_tree(session.clone(), url, memory, options.replaces)?;
        let run = tree.hand_over();
        let place = JobPlace {
            run: run.name.clone(),
            folder: None,
            is_beside: run.is_beside,
            has_keys,
        };
        drop(tree);
        Ok((place.clone(), self.join_remote_job(url, &place, options)?))
    }

    #[cfg(feature = "remote")]
    fn join_remote_job(
        &self,
        url: &RemoteUrl,
        place: &JobPlace,
        options: &CreateOptions,
    ) -> Result<JobStage> {
        let (session, memory) = self.session(url, options)?;
        if !place.has_keys {
            let keys = SharedKeys::of_object(session, url.key.trim_end_matches('/'), memory, &place.run);
            return Ok(object_stage(keys));
        }
        let run = Run {
            name: place.run.clone(),
            is_beside: place.is_beside,
        };
        let notes = SharedKeys::of_tree(session.clone(), url.key.trim_end_matches('/'), memory, &run);
        let tree = TreeOutput::join(session, url.key.trim_end_matches('/'), memory, &run);
        let tree = Arc::new(tree.map_err(|e| Error::io("cannot join the job", e))?);
        Ok(JobStage {
            notes: Arc::new(notes),
            keys: Some(tree.clone()),
            holder: Holder::Tree(tree),
        })
    }
}

fn folder_check() -> FolderCheck {
    Arc::new(zarr_folder::check_replaceable)
}

/// The stage of an output that is one local file.
fn folder_stage(stage: PathBuf) -> io::Result<JobStage> {
    Ok(JobStage {
        notes: Arc::new(DirectoryOutput::in_place(&stage)?),
        keys: None,
        holder: Holder::Folder(stage),
    })
}

/// The stage of a local folder of keys.
fn keys_stage(keys: DirectoryOutput, stage: PathBuf) -> io::Result<JobStage> {
    Ok(JobStage {
        notes: Arc::new(DirectoryOutput::in_place(&stage.join(NOTES))?),
        keys: Some(Arc::new(keys)),
        holder: Holder::Folder(stage),
    })
}

/// The stage of an object of a remote store.
#[cfg(feature = "remote")]
fn object_stage(keys: SharedKeys) -> JobStage {
    let keys = Arc::new(keys);
    JobStage {
        notes: keys.clone(),
        keys: None,
        holder: Holder::Object(keys),
    }
}
