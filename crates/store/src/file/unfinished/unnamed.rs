//! Files without a name, and giving them one.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::Path;

use crate::file::stop_point::{self, reach};
use crate::file::unfinished::partial::{directory_of, partial_beside};

/// Creates a file without a name; only a later link makes it visible. `None` if the file system does not
/// support this.
#[cfg(target_os = "linux")]
pub(crate) fn open_unnamed(directory: &Path) -> Option<File> {
    use rustix::fs::{Mode, OFlags, open};
    // Linking the file later goes through `/proc`.
    fs::symlink_metadata("/proc/self/fd").ok()?;
    let flags = OFlags::TMPFILE | OFlags::RDWR | OFlags::CLOEXEC;
    open(directory, flags, Mode::from_raw_mode(0o666))
        .ok()
        .map(File::from)
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn open_unnamed(_directory: &Path) -> Option<File> {
    None
}

/// Gives the name `target` to an unnamed file.
pub(crate) fn give_name(file: &File, target: &Path) -> io::Result<()> {
    // A link never replaces a file. So if the target exists, the file is linked to another name and renamed
    // over it.
    if link(file, target).is_ok() {
        return Ok(());
    }
    let name = target.file_name().ok_or(io::ErrorKind::InvalidFilename)?;
    let (name, ()) = match partial_beside(directory_of(target), name, |p| link(file, p)) {
        Ok(linked) => linked,
        // Some sandboxes allow unnamed files but not the link. The file is copied then, so that the work is
        // not lost.
        Err(_) => partial_beside(directory_of(target), name, |p| copy(file, p))?,
    };
    reach(stop_point::RENAME);
    name.rename(target)
}

#[cfg(target_os = "linux")]
fn link(file: &File, path: &Path) -> io::Result<()> {
    use rustix::fs::{AtFlags, CWD, linkat};
    use std::os::fd::AsRawFd;
    let from = format!("/proc/self/fd/{}", file.as_raw_fd());
    Ok(linkat(CWD, from.as_str(), CWD, path, AtFlags::SYMLINK_FOLLOW)?)
}

#[cfg(not(target_os = "linux"))]
fn link(_file: &File, _path: &Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

fn copy(mut file: &File, path: &Path) -> io::Result<()> {
    use std::io::Seek;
    let mut to = OpenOptions::new().write(true).create_new(true).open(path)?;
    let copied = (|| {
        to.set_permissions(file.metadata()?.permissions())?;
        file.rewind()?;
        io::copy(&mut file, &mut to)?;
        to.sync_all()
    })();
    if copied.is_err() {
        let _ = fs::remove_file(path);
    }
    copied
}
