//! The files that a local file may refer to: those in the input's folder and below.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::FileSource;
use super::place::{Neighbour, Neighbours, NoNeighbour, Place};

/// The neighbours of a local file. Names are relative to its folder. Nothing outside of the input's folder is
/// ever opened, also not through symbolic links.
#[derive(Debug, Clone)]
pub struct FileNeighbours {
    /// Path of the file, with symbolic links resolved.
    path: PathBuf,
    /// Folder of the input, from which all other files were reached, with symbolic links resolved.
    folder: PathBuf,
}

impl FileNeighbours {
    /// The neighbours of the input `path`. `None` if the file has no path, for example because it was
    /// deleted.
    pub fn of(path: &Path) -> Option<Self> {
        let path = path.canonicalize().ok()?;
        let folder = path.parent()?.to_path_buf();
        Some(Self { path, folder })
    }
}

impl Neighbours for FileNeighbours {
    fn identity(&self) -> &OsStr {
        self.path.as_os_str()
    }

    fn find(&self, name: &str) -> Result<Neighbour, NoNeighbour> {
        let beside = self.path.parent().unwrap_or(&self.folder);
        // An absolute name is tried as it is, then as a file next to the one that contains the name, as
        // libhdf5 does.
        let mut candidates = vec![beside.join(name)];
        if let (true, Some(base)) = (Path::new(name).is_absolute(), Path::new(name).file_name()) {
            candidates.push(beside.join(base));
        }
        let mut why = NoNeighbour::Missing;
        for candidate in candidates {
            let Ok(path) = candidate.canonicalize() else {
                continue;
            };
            if !path.starts_with(&self.folder) {
                why = NoNeighbour::Outside;
            } else if path.is_file() {
                let found = Self {
                    path: path.clone(),
                    folder: self.folder.clone(),
                };
                return Ok(Neighbour::new(path, move || {
                    let source = Arc::new(FileSource::open(&found.path)?);
                    Ok(Place::object(&found.path, source).with_neighbours(Arc::new(found)))
                }));
            }
        }
        Err(why)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::symlink;

    #[test]
    fn only_files_in_the_inputs_folder_are_found() {
        let folder = tempfile::tempdir().unwrap();
        let inside = folder.path().join("data");
        fs::create_dir_all(inside.join("sub")).unwrap();
        for file in ["outside.h5", "data/a.h5", "data/sub/b.h5"] {
            fs::write(folder.path().join(file), "x").unwrap();
        }
        symlink("../outside.h5", inside.join("link.h5")).unwrap();
        symlink("sub/b.h5", inside.join("alias.h5")).unwrap();
        let here = FileNeighbours::of(&inside.join("a.h5")).unwrap();
        let sub = inside.join("sub/b.h5").canonicalize().unwrap();
        let absolute = inside.join("sub/b.h5").display().to_string();
        for name in ["sub/b.h5", "./sub/../sub/b.h5", "alias.h5", &absolute] {
            assert_eq!(
                here.find(name).ok().unwrap().identity(),
                sub.as_os_str(),
                "{name}"
            );
        }
        let own = here.find("/elsewhere/a.h5").ok().unwrap();
        assert_eq!(own.identity(), here.identity());
        for (name, why) in [
            ("../outside.h5", NoNeighbour::Outside),
            ("link.h5", NoNeighbour::Outside),
            ("/etc/passwd", NoNeighbour::Outside),
            ("none.h5", NoNeighbour::Missing),
            ("sub", NoNeighbour::Missing),
            ("", NoNeighbour::Missing),
            ("a\0b", NoNeighbour::Missing),
        ] {
            assert_eq!(here.find(name).err(), Some(why), "{name}");
        }
        // A neighbour's names are relative to its own folder, within the folder of the input.
        let place = here.find("sub/b.h5").ok().unwrap().open().unwrap();
        let below = place.neighbours().unwrap();
        assert_eq!(below.find("../a.h5").ok().unwrap().identity(), here.identity());
        assert_eq!(below.find("../../outside.h5").err(), Some(NoNeighbour::Outside));
    }
}
