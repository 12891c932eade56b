//! Gives a complete folder its name: in place of an older one, or as the first of this name.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::file::unfinished::partial::{directory_of, partial_name};

/// Gives `stage` the name of `target`, which nothing has.
///
/// # Errors
/// Something has the name by now.
pub(super) fn rename_to_new(stage: &Path, target: &Path) -> io::Result<()> {
    fs::rename(stage, target).map_err(|error| match error.kind() {
        kind @ (io::ErrorKind::DirectoryNotEmpty | io::ErrorKind::AlreadyExists | io::ErrorKind::NotADirectory) => {
            let why = "another program has made what has this name meanwhile; run the same command again to replace it";
            io::Error::new(kind, why)
        }
        _ => error,
    })
}

/// Puts `stage` in the place of `target`. Returns the new path of the old folder.
pub(super) fn replace(stage: &Path, target: &Path) -> io::Result<PathBuf> {
    replace_by(exchange, stage, target)
}

/// Same as [`replace`], with another exchange of names.
pub(super) fn replace_by(
    exchange: impl Fn(&Path, &Path) -> io::Result<()>,
    stage: &Path,
    target: &Path,
) -> io::Result<PathBuf> {
    match exchange(stage, target) {
        Ok(()) => Ok(stage.to_owned()),
        Err(e) if is_unsupported(&e) => replace_by_renames(stage, target),
        Err(e) => Err(e),
    }
}

/// True if an error of an exchange says that the system or the file system has no such call.
fn is_unsupported(error: &io::Error) -> bool {
    use rustix::io::Errno;
    let of_system = [Errno::NOSYS, Errno::INVAL, Errno::OPNOTSUPP, Errno::NOTSUP];
    match error.raw_os_error() {
        Some(code) => of_system.iter().any(|errno| errno.raw_os_error() == code),
        None => error.kind() == io::ErrorKind::Unsupported,
    }
}

/// Exchanges the names of two folders, so that a complete one is under the target's name at any time.
#[cfg(target_os = "linux")]
fn exchange(a: &Path, b: &Path) -> io::Result<()> {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    Ok(renameat_with(CWD, a, CWD, b, RenameFlags::EXCHANGE)?)
}

#[cfg(not(target_os = "linux"))]
fn exchange(_a: &Path, _b: &Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Same as [`replace`], without an exchange of names: for a moment nothing is under the target's name.
fn replace_by_renames(stage: &Path, target: &Path) -> io::Result<PathBuf> {
    let name: OsString = partial_name(target.file_name().unwrap_or_default());
    let away = directory_of(target).join(name);
    fs::rename(target, &away)?;
    match fs::rename(stage, target) {
        Ok(()) => Ok(away),
        Err(e) => {
            fs::rename(&away, target).map_err(|again| {
                let away = away.display();
                io::Error::new(
                    again.kind(),
                    format!("{e}; the old dataset is left in {away}: {again}"),
                )
            })?;
            Err(e)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::ffi::OsStrExt;

    #[test]
    fn what_has_the_name_by_now_stays() {
        let folder = tempfile::tempdir().unwrap();
        let (new, there) = (folder.path().join("new"), folder.path().join("there"));
        fs::create_dir(&new).unwrap();
        fs::create_dir(&there).unwrap();
        fs::write(there.join("x"), "old").unwrap();
        let told = rename_to_new(&new, &there).unwrap_err().to_string();
        assert!(told.contains("run the same command again"), "{told}");
        assert!(new.is_dir() && there.join("x").is_file());
    }

    #[test]
    fn where_names_cannot_be_exchanged_the_old_one_goes_first() {
        let folder = tempfile::tempdir().unwrap();
        let [old, new] = ["old", "new"].map(|n| folder.path().join(n));
        for at in [&old, &new] {
            fs::create_dir(at).unwrap();
            fs::write(at.join("x"), at.as_os_str().as_bytes()).unwrap();
        }
        let away = replace_by_renames(&new, &old).unwrap();
        assert_eq!(fs::read(old.join("x")).unwrap(), new.as_os_str().as_bytes());
        assert_eq!(fs::read(away.join("x")).unwrap(), old.as_os_str().as_bytes());
        assert!(replace_by_renames(&folder.path().join("none"), &old).is_err());
        assert_eq!(fs::read(old.join("x")).unwrap(), new.as_os_str().as_bytes());
    }

    #[test]
    fn only_a_missing_exchange_is_replaced_by_renames() {
        use rustix::io::Errno;
        let folder = tempfile::tempdir().unwrap();
        let [old, new] = ["old", "new"].map(|n| folder.path().join(n));
        let fill = || {
            for at in [&old, &new] {
                fs::create_dir_all(at).unwrap();
                fs::write(at.join("x"), at.as_os_str().as_bytes()).unwrap();
            }
        };
        fill();
        for errno in [Errno::ACCESS, Errno::IO, Errno::XDEV, Errno::NOENT, Errno::BUSY] {
            let failed = replace_by(|_, _| Err(errno.into()), &new, &old).unwrap_err();
            assert_eq!(failed.raw_os_error(), Some(errno.raw_os_error()));
            assert_eq!(fs::read(old.join("x")).unwrap(), old.as_os_str().as_bytes());
        }
        for errno in [Errno::NOSYS, Errno::INVAL, Errno::OPNOTSUPP] {
            fill();
            replace_by(|_, _| Err(errno.into()), &new, &old).unwrap();
            assert_eq!(fs::read(old.join("x")).unwrap(), new.as_os_str().as_bytes());
        }
        fill();
        replace_by(|_, _| Err(io::ErrorKind::Unsupported.into()), &new, &old).unwrap();
    }
}
