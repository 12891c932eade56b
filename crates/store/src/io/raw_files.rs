//! Files of raw data that are written beside a local output, and appear with it.
//!
//! ```text
//! create ─► .NAME.ncutils-partial-XXXX for each file ─► write ─► commit: sync ─► FILE, where there is none
//!                                                                            ─► the output takes its name
//!                                                                                └─ fails: the files are removed
//! ```
//!
//! A file that exists is never replaced: another dataset may have its data there.

use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tracing::debug;

use crate::file::file_output::sync_directory;
use crate::file::symlinks::follow_symlinks;
use crate::file::unfinished::partial::{PartialName, directory_of, partial_beside};
use crate::{ExternalFile, ExternalFiles, FileSource, Input, NamedAs, NoExternalFile, Output};
use ncutils_model::ExternalPart;
use ncutils_model::error::{Error, Result};

/// The parts of files that hold the raw data of one variable.
#[derive(Debug, Clone, Copy)]
pub struct RawData<'a> {
    /// Path of the variable, for messages.
    pub variable: &'a str,
    /// The parts, in order.
    pub parts: &'a [ExternalPart],
    /// Size of the data, in bytes.
    pub bytes: u64,
}

/// Raw data of variables, in files beside an output that is being written. Dropped before the output was committed, nothing is
/// left of them.
#[derive(Debug)]
pub struct RawFiles {
    files: Vec<RawFile>,
    /// The files by their names.
    by_name: HashMap<String, usize>,
    /// Path of the output.
    output: PathBuf,
}

#[derive(Debug)]
struct RawFile {
    name: String,
    file: File,
    target: PathBuf,
    partial: PartialName,
}

/// A file that is to be written.
struct Planned<'a> {
    name: &'a str,
    target: PathBuf,
    /// Bytes that it will have.
    length: u64,
    /// The ranges of bytes that variables have in it.
    taken: Vec<(u64, u64, &'a str)>,
}

impl RawFiles {
    /// Creates the files of some variables below the folder of the output `output`.
    ///
    /// # Errors
    /// Those of [`RawFiles::check`]; a file that cannot be created.
    pub fn create(output: &Path, data: &[RawData<'_>]) -> Result<Self> {
        let (output, planned) = plan(output, data)?;
        let mut files = Vec::with_capacity(planned.len());
        let mut by_target = HashMap::new();
        for (at, planned) in planned.into_iter().enumerate() {
            let cannot = |e| Error::io(format!("cannot create external file {}", planned.name), e);
            let name = planned.target.file_name().unwrap_or_default();
            let made = partial_beside(directory_of(&planned.target), name, |path| {
                OpenOptions::new()
                    .read(true)
                    .write(true)
                    .create_new(true)
                    .open(path)
            });
            let (partial, file) = made.map_err(cannot)?;
            file.set_len(planned.length).map_err(cannot)?;
            by_target.insert(planned.target.clone(), at);
            files.push(RawFile {
                name: planned.name.to_owned(),
                file,
                target: planned.target,
                partial,
            });
        }
        let mut by_name = HashMap::new();
        let folder = directory_of(&output);
        for part in data.iter().flat_map(|data| data.parts) {
            let target = target(folder, &part.file)?;
            if let Some(at) = by_target.get(&target) {
                by_name.insert(part.file.clone(), *at);
            }
        }
        Ok(Self {
            files,
            by_name,
            output,
        })
    }

    /// Checks that the files of some variables can be written beside `output`. Creates nothing.
    ///
    /// # Errors
    /// An output that is no regular file; a file that is outside of its folder once links are resolved, that exists, or that is
    /// the output itself; bytes that two variables have in common.
    pub fn check(output: &Path, data: &[RawData<'_>]) -> Result<()> {
        plan(output, data).map(|_| ())
    }

    /// The output as one that takes its name together with these files: all, or none.
    pub fn beside(self: &Arc<Self>, output: Arc<dyn Output>) -> Arc<dyn Output> {
        Arc::new(BesideRawFiles {
            output,
            raw: Arc::clone(self),
        })
    }

    /// The number of the file with this name.
    pub fn find(&self, name: &str) -> Option<usize> {
        self.by_name.get(name).copied()
    }

    /// Writes all of `data` at byte `offset` of a file.
    ///
    /// # Errors
    /// If the file system fails. The error names the file.
    pub fn write_all_at(&self, file: usize, offset: u64, data: &[u8]) -> Result<()> {
        let file = self.files.get(file);
        let file = file.ok_or_else(|| Error::Internal("no such external file".to_owned()))?;
        let written = file.file.write_all_at(data, offset);
        written.map_err(|e| Error::io(format!("cannot write external file {}", file.name), e))
    }

    /// Gives all files their names. They stay partial: dropping the result removes them.
    fn take_names(&self) -> io::Result<Vec<PartialName>> {
        let mut taken = Vec::with_capacity(self.files.len());
        for file in &self.files {
            let named = |e: io::Error| {
                let why = match e.kind() {
                    io::ErrorKind::AlreadyExists => "it exists already, and is not replaced".to_owned(),
                    _ => e.to_string(),
                };
                io::Error::new(e.kind(), format!("external file {}: {why}", file.name))
            };
            file.file.sync_all().map_err(named)?;
            // An empty file reserves the name. Renaming alone would replace what came there meanwhile.
            let reserve = |path: &Path| OpenOptions::new().write(true).create_new(true).open(path);
            let (name, _) = PartialName::create(file.target.clone(), reserve).map_err(named)?;
            taken.push(name);
            file.partial.rename(&file.target).map_err(named)?;
            debug!(path = ?file.target, "committed raw data");
        }
        for file in &self.files {
            sync_directory(directory_of(&file.target)).map_err(|e| {
                let why = format!(
                    "the folder of external file {} cannot be synchronized: {e}",
                    file.name
                );
                io::Error::new(e.kind(), why)
            })?;
        }
        Ok(taken)
    }
}

/// The output's path without symbolic links, and the files to be written.
fn plan<'a>(output: &Path, data: &[RawData<'a>]) -> Result<(PathBuf, Vec<Planned<'a>>)> {
    let cannot = |e| Error::io("cannot create", e);
    if fs::metadata(output).is_ok_and(|found| !found.is_file()) {
        let why = "raw data of variables can be written only beside a regular file";
        return Err(Error::Usage(why.to_owned()));
    }
    let path = follow_symlinks(output).map_err(cannot)?;
    let folder = directory_of(&path).canonicalize().map_err(cannot)?;
    let output = folder.join(path.file_name().unwrap_or_default());
    let mut files: Vec<Planned<'a>> = Vec::new();
    let mut numbers = HashMap::new();
    for data in data {
        for (part, held) in ExternalPart::filled(data.parts, data.bytes) {
            let refused = |error: Error| error.in_variable(data.variable);
            let target = target(&folder, &part.file).map_err(refused)?;
            let why = match fs::symlink_metadata(&target) {
                _ if target == output => Some("is the output itself"),
                Ok(_) => Some("exists already, and is not replaced"),
                Err(_) => None,
            };
            if let Some(why) = why {
                return Err(refused(Error::Usage(format!(
                    "external file {} {why}",
                    part.file
                ))));
            }
            let number = *numbers.entry(target.clone()).or_insert(files.len());
            if number == files.len() {
                files.push(Planned {
                    name: &part.file,
                    target,
                    length: 0,
                    taken: Vec::new(),
                });
            }
            let Some(file) = files.get_mut(number) else {
                continue;
            };
            if held > 0 {
                file.length = file.length.max(part.offset.saturating_add(held));
            }
            let end = part
                .size
                .map_or(u64::MAX, |size| part.offset.saturating_add(size));
            file.taken.push((part.offset, end, data.variable));
        }
    }
    for file in &mut files {
        file.taken.sort_unstable();
        let pairs = file.taken.iter().zip(file.taken.iter().skip(1));
        for ((_, end, one), (start, _, other)) in pairs {
            if start < end {
                return Err(Error::Usage(format!(
                    "external file {}: the data of {one} and {other} overlaps at byte {start}",
                    file.name
                ))
                .in_variable(other));
            }
        }
    }
    Ok((output, files))
}

/// The path of a file below `folder`, without symbolic links.
fn target(folder: &Path, name: &str) -> Result<PathBuf> {
    let cannot = |e| Error::io(format!("cannot create external file {name}"), e);
    let path = folder.join(name);
    let beside = directory_of(&path).canonicalize().map_err(cannot)?;
    if !beside.is_dir() {
        return Err(cannot(io::ErrorKind::NotADirectory.into()));
    }
    match path.file_name() {
        Some(last) if beside.starts_with(folder) => Ok(beside.join(last)),
        _ => Err(Error::Usage(format!(
            "external file {name} would be in {}, which is outside of the output's folder",
            beside.display()
        ))),
    }
}

/// An output that appears together with its raw files.
struct BesideRawFiles {
    output: Arc<dyn Output>,
    raw: Arc<RawFiles>,
}

impl Output for BesideRawFiles {
    fn write_all_at(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        self.output.write_all_at(offset, data)
    }

    fn set_size(&self, size: u64) -> io::Result<()> {
        self.output.set_size(size)
    }

    fn sync(&self) -> io::Result<()> {
        self.output.sync()
    }

    fn commit(&self) -> io::Result<()> {
        let taken = self.raw.take_names()?;
        // What takes long is done while the raw files are still partial, so that a signal removes them.
        self.output.sync()?;
        for name in &taken {
            name.complete(|_| Ok(()))?;
        }
        let done = self.output.commit();
        if done.is_err() {
            for name in &taken {
                let _ = fs::remove_file(name.path());
            }
        }
        done
    }

    fn read_back_at(&self, offset: u64, buf: &mut [u8]) -> io::Result<()> {
        self.output.read_back_at(offset, buf)
    }

    fn room(&self) -> Option<u64> {
        self.output.room()
    }
}

/// The raw files as what an output that has no name yet refers to.
impl ExternalFiles for RawFiles {
    fn identity(&self) -> &OsStr {
        self.output.as_os_str()
    }

    fn find(&self, name: &str, named_as: NamedAs) -> Result<ExternalFile, NoExternalFile> {
        let file = match named_as {
            NamedAs::ExternalData => self.find(name).and_then(|at| self.files.get(at)),
            _ => None,
        };
        let file = file.ok_or(NoExternalFile::Missing)?;
        let path = file.partial.path().to_owned();
        let identity: OsString = file.target.clone().into();
        Ok(ExternalFile::new(identity, move || {
            Ok(Some(Input::object(&path, Arc::new(FileSource::open(&path)?))))
        }))
    }
}

#[cfg(test)]
mod tests;
