//! The files that a local file may refer to: those in the input's folder and below, and in folders that the user allows. A pipe
//! has the latter alone.

use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use crate::file::data_access::DataAccess;
use crate::file::file_pool::FilePool;
use crate::{ExternalFile, ExternalFiles, Input, NamedAs, NoExternalFile};

/// Most files that are open at a time, the input included.
const MOST_OPEN: usize = 64;

/// The external files of a local file. Names are relative to its folder. Only regular files are opened, and only those in the
/// input's folder or an allowed one, also not through symbolic links.
#[derive(Debug, Clone)]
pub struct LocalExternalFiles {
    /// Path of a file that was reached from the input, with symbolic links resolved; `None` for the input itself.
    reached: Option<PathBuf>,
    /// What all files that are reached from one input share.
    input: Arc<InputFolder>,
}

#[derive(Debug)]
struct InputFolder {
    /// Path of the input as it was given; `None` for a pipe.
    given: Option<PathBuf>,
    /// The same with symbolic links resolved, which most inputs never need; empty if it leads to no file.
    resolved: OnceLock<PathBuf>,
    access: DataAccess,
    pool: Arc<FilePool>,
}

impl InputFolder {
    fn path(&self) -> &Path {
        self.resolved.get_or_init(|| {
            let path = self.given.as_ref().and_then(|path| path.canonicalize().ok());
            path.unwrap_or_default()
        })
    }
}

impl LocalExternalFiles {
    /// The external files of the input `path`. Names lead nowhere if the file has no path when the first is looked up, for example
    /// because it was deleted.
    pub fn of(path: &Path, access: DataAccess) -> Self {
        Self::with(Some(path.to_owned()), access)
    }

    /// The external files of an input that comes from a pipe. `None` if the user named no folder, so that nobody knows where names
    /// lead.
    pub fn of_pipe(access: DataAccess) -> Option<Self> {
        access.names_folders().then(|| Self::with(None, access))
    }

    fn with(given: Option<PathBuf>, access: DataAccess) -> Self {
        let input = InputFolder {
            given,
            resolved: OnceLock::new(),
            access,
            pool: FilePool::new(MOST_OPEN - 1),
        };
        Self {
            reached: None,
            input: Arc::new(input),
        }
    }

    /// Path of the file, with symbolic links resolved; empty for a pipe.
    fn path(&self) -> &Path {
        match &self.reached {
            Some(path) => path,
            None => self.input.path(),
        }
    }

    /// The folder of the file; `None` for a pipe.
    fn beside(&self) -> Option<&Path> {
        self.path().parent()
    }

    /// The paths that a name may stand for, in order.
    fn candidates(&self, name: &str, named_as: NamedAs) -> Vec<PathBuf> {
        let beside = self.beside();
        let mut folders = self.input.access.prefixes().folders(named_as, beside);
        if folders.is_empty() || named_as != NamedAs::ExternalData {
            match beside {
                Some(beside) => folders.push(beside.to_path_buf()),
                None => folders.extend_from_slice(self.input.access.folders()),
            }
        }
        let name = Path::new(name);
        let mut candidates = Vec::new();
        let mut within = name;
        if name.is_absolute() {
            candidates.push(name.to_path_buf());
            // An absolute name of an HDF5 file also stands for a file that was moved, as in libhdf5.
            match (named_as, name.file_name()) {
                (NamedAs::ExternalData | NamedAs::Reference, _) | (_, None) => return candidates,
                (_, Some(last)) => within = Path::new(last),
            }
        }
        candidates.extend(folders.iter().map(|folder| folder.join(within)));
        candidates
    }

    /// Refuses a file without symbolic links that may not be read under a name that stands for `named_as`. Raw data is
    /// never in a hidden file, such as a key in a home folder, unless the user named a folder around it.
    fn check(&self, path: &Path, named_as: NamedAs) -> Result<(), NoExternalFile> {
        let input = &self.input;
        let prefixes = input.access.prefixes().folders(named_as, self.beside());
        let within = |folder: &PathBuf| folder.canonicalize().is_ok_and(|folder| path.starts_with(folder));
        if input.access.allows(path) || prefixes.iter().any(within) {
            return Ok(());
        }
        let (path, advice) = (path.to_path_buf(), input.access.advice());
        let folder = input.path().parent();
        let below = folder.and_then(|folder| path.strip_prefix(folder).ok());
        let Some(below) = below else {
            return Err(NoExternalFile::Outside { path, advice });
        };
        let is_hidden = |part: &OsStr| part.as_encoded_bytes().starts_with(b".");
        let is_raw = matches!(named_as, NamedAs::ExternalData | NamedAs::Reference);
        match is_raw && below.iter().any(is_hidden) {
            true => Err(NoExternalFile::Hidden { path, advice }),
            false => Ok(()),
        }
    }
}

impl ExternalFiles for LocalExternalFiles {
    fn identity(&self) -> &OsStr {
        self.path().as_os_str()
    }

    fn find(&self, name: &str, named_as: NamedAs) -> Result<ExternalFile, NoExternalFile> {
        let mut why = NoExternalFile::Missing;
        for candidate in self.candidates(name, named_as) {
            let path = match candidate.canonicalize() {
                Ok(path) => path,
                Err(e) if is_missing(&e) => continue,
                Err(e) => {
                    why = NoExternalFile::Unreadable(e.to_string());
                    continue;
                }
            };
            if let Err(refused) = self.check(&path, named_as) {
                why = refused;
            } else if !path.is_file() {
                why = NoExternalFile::NotRegular;
            } else {
                let found = Self {
                    reached: Some(path.clone()),
                    input: Arc::clone(&self.input),
                };
                return Ok(ExternalFile::new(path, move || {
                    let source = Arc::new(found.input.pool.open(found.path())?);
                    let opened = Input::object(found.path(), source);
                    Ok(Some(opened.with_external_files(Arc::new(found))))
                }));
            }
        }
        // libhdf5 takes names of raw data from the working directory.
        if why == NoExternalFile::Missing && named_as == NamedAs::ExternalData && Path::new(name).is_file() {
            why = NoExternalFile::InWorkingDirectory;
        }
        Err(why)
    }

    fn check_unchanged(&self) -> ncutils_model::error::Result<()> {
        self.input.pool.check_unchanged()
    }

    fn requires_sources(&self) -> bool {
        self.input.access.requires_sources()
    }
}

/// True if an error says that there is no file, or that no file can have such a name.
fn is_missing(error: &io::Error) -> bool {
    use io::ErrorKind::{InvalidFilename, InvalidInput, NotADirectory, NotFound};
    matches!(
        error.kind(),
        NotFound | NotADirectory | InvalidInput | InvalidFilename
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Prefixes;
    use std::ffi::OsString;
    use std::fs;
    use std::os::unix::fs::symlink;

    const ANY: [NamedAs; 3] = [
        NamedAs::ExternalLink,
        NamedAs::ExternalData,
        NamedAs::VirtualSource,
    ];

    fn folder() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        let inside = folder.path().join("data");
        fs::create_dir_all(inside.join("sub")).unwrap();
        fs::create_dir_all(folder.path().join("more")).unwrap();
        for file in ["outside.h5", "data/a.h5", "data/sub/b.h5", "more/m.h5"] {
            fs::write(folder.path().join(file), "x").unwrap();
        }
        symlink("../outside.h5", inside.join("link.h5")).unwrap();
        symlink("sub/b.h5", inside.join("alias.h5")).unwrap();
        folder
    }

    /// The reason why a name leads nowhere, without what a path or a system says.
    fn refusal(here: &LocalExternalFiles, name: &str, named_as: NamedAs) -> Option<&'static str> {
        here.find(name, named_as).err().map(|why| match why {
            NoExternalFile::Missing => "missing",
            NoExternalFile::Outside { .. } => "outside",
            NoExternalFile::Hidden { .. } => "hidden",
            NoExternalFile::NotRegular => "not regular",
            NoExternalFile::Unreadable(_) => "unreadable",
            NoExternalFile::InWorkingDirectory => "in the working directory",
            other => panic!("{other}"),
        })
    }

    #[test]
    fn only_files_in_the_inputs_folder_are_found() {
        let folder = folder();
        let inside = folder.path().join("data");
        rustix::fs::mkfifoat(rustix::fs::CWD, inside.join("pipe"), rustix::fs::Mode::RUSR).unwrap();
        symlink("loop", inside.join("loop")).unwrap();
        let here = LocalExternalFiles::of(&inside.join("a.h5"), DataAccess::default());
        let sub = inside.join("sub/b.h5").canonicalize().unwrap();
        let absolute = inside.join("sub/b.h5").display().to_string();
        for named_as in ANY {
            for name in ["sub/b.h5", "./sub/../sub/b.h5", "alias.h5", &absolute] {
                let found = here.find(name, named_as).ok().unwrap();
                assert_eq!(found.identity(), sub.as_os_str(), "{name}");
            }
            for (name, why) in [
                ("../outside.h5", "outside"),
                ("link.h5", "outside"),
                ("/etc/passwd", "outside"),
                ("/dev/zero", "outside"),
                ("none.h5", "missing"),
                ("a.h5/x", "missing"),
                ("sub", "not regular"),
                ("", "not regular"),
                ("pipe", "not regular"),
                ("loop", "unreadable"),
                ("a\0b", "missing"),
            ] {
                assert_eq!(refusal(&here, name, named_as), Some(why), "{name} {named_as:?}");
            }
        }
        for (named_as, found) in ANY.iter().zip([true, false, true]) {
            let own = here.find("/elsewhere/a.h5", *named_as);
            assert_eq!(own.is_ok_and(|own| own.identity() == here.identity()), found);
        }
        // An external file's names are relative to its own folder, within the folder of the input.
        let found = here.find("sub/b.h5", ANY[0]).ok().unwrap();
        let opened = found.open().unwrap().unwrap();
        let below = opened.external_files().unwrap();
        let up = below.find("../a.h5", ANY[0]).ok().unwrap();
        assert_eq!(up.identity(), here.identity());
        assert!(below.find("../../outside.h5", ANY[0]).is_err());
    }

    #[test]
    fn raw_data_is_in_no_hidden_file() {
        let folder = folder();
        let inside = folder.path().join("data");
        fs::create_dir(inside.join(".ssh")).unwrap();
        for file in [".ssh/id_rsa", ".raw"] {
            fs::write(inside.join(file), "x").unwrap();
        }
        symlink(".raw", inside.join("shown")).unwrap();
        let of = |access| LocalExternalFiles::of(&inside.join("a.h5"), access);
        let here = of(DataAccess::default());
        let mut access = DataAccess::default();
        access.allow(&inside).unwrap();
        let allowed = of(access);
        for name in [".ssh/id_rsa", ".raw", "shown"] {
            assert_eq!(
                refusal(&here, name, NamedAs::ExternalData),
                Some("hidden"),
                "{name}"
            );
            assert_eq!(refusal(&here, name, NamedAs::VirtualSource), None, "{name}");
            assert_eq!(refusal(&allowed, name, NamedAs::ExternalData), None, "{name}");
        }
        // The folder of the input may itself lie in a hidden one.
        let hidden = LocalExternalFiles::of(&inside.join(".ssh/id_rsa"), DataAccess::default());
        assert_eq!(refusal(&hidden, "id_rsa", NamedAs::ExternalData), None);
    }

    #[test]
    fn names_in_a_pipe_lead_to_named_folders_alone() {
        let folder = folder();
        let more = folder.path().join("more");
        assert!(LocalExternalFiles::of_pipe(DataAccess::default()).is_none());
        let prefixes = |value: OsString| Prefixes {
            virtual_sources: vec!["${ORIGIN}".into(), value],
            ..Prefixes::default()
        };
        let prefixed = DataAccess::default().with_prefixes(prefixes(more.clone().into()));
        let mut allowed = DataAccess::default();
        allowed.allow(&more).unwrap();
        for access in [prefixed, allowed] {
            let pipe = LocalExternalFiles::of_pipe(access).unwrap();
            let found = pipe.find("m.h5", NamedAs::VirtualSource).ok().unwrap();
            assert_eq!(found.identity(), more.join("m.h5").canonicalize().unwrap());
            let moved = pipe.find("/gone/m.h5", NamedAs::VirtualSource).ok().unwrap();
            assert_eq!(moved.identity(), found.identity());
            assert_eq!(refusal(&pipe, "a.h5", NamedAs::VirtualSource), Some("missing"));
            for name in ["../outside.h5", "/etc/passwd"] {
                assert_eq!(refusal(&pipe, name, NamedAs::VirtualSource), Some("outside"));
            }
            // The names of a file that was found are relative to its own folder.
            let opened = found.open().unwrap().unwrap();
            let again = opened
                .external_files()
                .unwrap()
                .find("./m.h5", NamedAs::VirtualSource);
            assert!(again.is_ok());
        }
    }

    #[test]
    fn folders_are_added_by_users_and_variables() {
        let folder = folder();
        let input = folder.path().join("data/a.h5");
        let more = folder.path().join("more");
        let of = |access| LocalExternalFiles::of(&input, access);
        let plain = of(DataAccess::default());
        assert_eq!(
            refusal(&plain, "../more/m.h5", NamedAs::ExternalLink),
            Some("outside")
        );
        let mut access = DataAccess::default();
        access.allow(&more).unwrap();
        assert_eq!(
            refusal(&of(access.clone()), "../more/m.h5", NamedAs::ExternalLink),
            None
        );
        assert!(access.allow(&input).is_err());
        assert!(access.allow(&folder.path().join("none")).is_err());

        let prefixed = |value: &str| {
            of(DataAccess::default().with_prefixes(Prefixes {
                external_data: Some(value.into()),
                virtual_sources: vec!["/none".into(), value.into()],
                external_links: vec![value.into()],
            }))
        };
        for value in [more.to_str().unwrap(), "${ORIGIN}/../more"] {
            let here = prefixed(value);
            for named_as in ANY {
                assert_eq!(refusal(&here, "m.h5", named_as), None, "{value}");
            }
            // Raw data is nowhere else then.
            assert_eq!(refusal(&here, "a.h5", NamedAs::ExternalData), Some("missing"));
            assert_eq!(refusal(&here, "a.h5", NamedAs::VirtualSource), None);
            assert_eq!(refusal(&here, "/gone/m.h5", NamedAs::VirtualSource), None);
            assert_eq!(
                refusal(&here, "../outside.h5", NamedAs::VirtualSource),
                Some("outside")
            );
        }
        // In names as stored, `${ORIGIN}` is a folder like any other.
        assert_eq!(
            refusal(&plain, "${ORIGIN}/a.h5", NamedAs::ExternalData),
            Some("missing")
        );
    }
}
