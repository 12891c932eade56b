//! What a new file takes over from the file that it will replace: mode, owner, extended attributes.

use std::ffi::CStr;
use std::fs::{self, File, Metadata};
use std::io;
use std::os::unix::fs::{MetadataExt, PermissionsExt, fchown};
use std::path::Path;

use rustix::fs::{XattrFlags, fsetxattr, getxattr, listxattr, listxattr_query};

/// Most bytes of the names, and of the value, of extended attributes: Linux's own limit.
const MOST_BYTES: usize = 64 << 10;

/// Gives a new file the mode, the access list and the user's extended attributes of the file that it will replace, and its owner if
/// permitted.
///
/// # Errors
/// The mode cannot be set. An attribute that the file system or the user's rights refuse is left out.
pub(crate) fn take_over(file: &File, path: &Path, existing: &Metadata) -> io::Result<()> {
    let new = file.metadata()?;
    if (new.uid(), new.gid()) != (existing.uid(), existing.gid()) {
        // Only root may give files away. For others the file becomes theirs, as with any editor that renames.
        let _ = fchown(file, Some(existing.uid()), Some(existing.gid()));
    }
    file.set_permissions(fs::Permissions::from_mode(existing.mode() & 0o7777))?;
    copy_attributes(file, path);
    Ok(())
}

fn copy_attributes(file: &File, path: &Path) {
    // Most files have none.
    if listxattr_query(path).unwrap_or(0) == 0 {
        return;
    }
    let (mut names, mut value) = (vec![0; MOST_BYTES], vec![0; MOST_BYTES]);
    let Ok(length) = listxattr(path, names.as_mut_slice()) else {
        return;
    };
    for name in names[..length].split_inclusive(|byte| *byte == 0) {
        if let Ok(name) = CStr::from_bytes_with_nul(name)
            && is_of_the_user(name)
            && let Ok(length) = getxattr(path, name, value.as_mut_slice())
        {
            let _ = fsetxattr(file, name, &value[..length], XattrFlags::empty());
        }
    }
}

/// True for attributes that say something of the file, and not of its bytes: a signature would be wrong for new ones.
fn is_of_the_user(name: &CStr) -> bool {
    name.to_bytes().starts_with(b"user.") || name.to_bytes() == b"system.posix_acl_access"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extended_attributes_are_taken_over() {
        let dir = tempfile::tempdir().unwrap();
        let (old, new) = (dir.path().join("old"), dir.path().join("new"));
        let there = File::create(&old).unwrap();
        let long = vec![7; 1000];
        for (name, value) in [("user.empty", &[][..]), ("user.long", &long)] {
            if fsetxattr(&there, name, value, XattrFlags::empty()).is_err() {
                // The file system has no such attributes.
                return;
            }
        }
        take_over(&File::create(&new).unwrap(), &old, &there.metadata().unwrap()).unwrap();
        let mut value = vec![0; MOST_BYTES];
        assert_eq!(getxattr(&new, "user.empty", value.as_mut_slice()), Ok(0));
        assert_eq!(getxattr(&new, "user.long", value.as_mut_slice()), Ok(1000));
        assert_eq!(&value[..1000], &long);
    }
}
