//! Whether what another machine writes appears at once.

use std::path::Path;
use std::time::Duration;

/// How long a file of another machine may seem to be missing: the longest time that NFS keeps what it knows of a folder, if it is mounted as usual.
pub const LATEST_LISTING: Duration = Duration::from_secs(60);

/// True on a network file system that keeps what it knows of a folder for a while: a file of another machine may seem to be missing for
/// up to [`LATEST_LISTING`]. False where the system does not tell.
pub fn lists_late(path: &Path) -> bool {
    #[cfg(target_os = "linux")]
    {
        /// NFS, SMB, and CIFS, by their numbers in `linux/magic.h`.
        const LATE: [u64; 3] = [0x6969, 0xfe53_4d42, 0xff53_4d42];
        rustix::fs::statfs(path).is_ok_and(|found| LATE.contains(&(found.f_type as u64 & 0xffff_ffff)))
    }
    #[cfg(not(target_os = "linux"))]
    {
        let _ = path;
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn local_and_missing_folders_are_not_late() {
        let folder = tempfile::tempdir().unwrap();
        assert!(!lists_late(folder.path()));
        assert!(!lists_late(&folder.path().join("missing")));
    }
}
