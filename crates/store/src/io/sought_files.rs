//! [`Sought`] among the files that names of an input lead to.

use std::path::Path;

use crate::{ExternalFile, ExternalFiles, NamedAs, NoExternalFile, Sought};

impl Sought<'_> {
    /// True if a name that was looked up leads to the place, whether or not the file there may be read.
    pub fn is_found(&self, found: &Result<ExternalFile, NoExternalFile>) -> bool {
        match found {
            Ok(file) => (self.is_at)(file.identity()),
            Err(NoExternalFile::Outside { path, .. } | NoExternalFile::Hidden { path, .. }) => {
                (self.is_at)(path.as_os_str())
            }
            Err(_) => false,
        }
    }

    /// False if no file that names in `places` may lead to is at the place.
    pub fn may_be_among(&self, places: &dyn ExternalFiles, named_as: NamedAs) -> bool {
        let Some(within) = self.within else {
            return true;
        };
        let is_around = || Path::new(places.identity()).starts_with(within);
        matches!(
            places.find(within, named_as),
            Ok(_) | Err(NoExternalFile::NotRegular)
        ) || is_around()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{DataAccess, LocalExternalFiles};
    use std::fs;
    use std::os::unix::fs::symlink;

    #[test]
    fn places_that_names_lead_to() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        fs::create_dir_all(root.join("in/sub")).unwrap();
        fs::create_dir(root.join("beside")).unwrap();
        symlink("in", root.join("link")).unwrap();
        for name in ["in/a.json", "in/sub/b.nc", "beside/c.nc"] {
            fs::write(root.join(name), "x").unwrap();
        }
        let places = LocalExternalFiles::of(&root.join("in/a.json"), DataAccess::default());
        let path = |name: &str| root.join(name).display().to_string();
        let may_be = |within: Option<&str>| {
            let sought = Sought {
                within,
                is_at: &|_| false,
            };
            let among = sought.may_be_among(&places, NamedAs::Reference);
            assert_eq!(among, sought.may_be_below(&path("link/")), "{within:?}");
            among
        };
        assert!(may_be(None), "a file with hard links may be anywhere");
        for (name, expected) in [
            ("in/sub/b.nc", true),
            ("in/sub", true),
            ("in", true),
            ("beside/c.nc", false),
            ("beside", false),
        ] {
            assert_eq!(may_be(Some(&path(name))), expected, "{name}");
        }
    }

    #[test]
    fn files_that_may_not_be_read_are_found() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        fs::create_dir(root.join("in")).unwrap();
        for name in ["in/a.json", "in/.hidden", "in/b.nc", "outside.nc"] {
            fs::write(root.join(name), "x").unwrap();
        }
        let places = LocalExternalFiles::of(&root.join("in/a.json"), DataAccess::default());
        for name in ["b.nc", "../outside.nc", ".hidden"] {
            let target = root.join("in").join(name).canonicalize().unwrap();
            let sought = Sought {
                within: None,
                is_at: &|at| at == target,
            };
            assert!(sought.is_found(&places.find(name, NamedAs::Reference)), "{name}");
            assert!(
                !sought.is_found(&places.find("a.json", NamedAs::Reference)),
                "{name}"
            );
        }
    }
}
