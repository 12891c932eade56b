//! Reading a folder as a store of keys: each key is the path of a file below the folder.

use std::fs::{self, DirEntry, File, FileType};
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::file::data_access::DataAccess;
use crate::keys::key::{RESERVED, check_key, folder_of_prefix};
use crate::{FileSource, GetRange, KeyStore, Object};
use ncutils_model::error::{Error, Result};

/// Most levels of nested folders: more than the longest key allows.
const DEEPEST: usize = 512;

/// A folder that is being read. Symbolic links are followed within it, and into folders that the user allows.
#[derive(Debug)]
pub struct DirectoryKeys {
    /// Path of the folder, with symbolic links resolved.
    root: PathBuf,
    /// The folder, from which keys are opened.
    #[cfg_attr(not(target_os = "linux"), allow(dead_code))]
    folder: File,
    access: DataAccess,
}

impl DirectoryKeys {
    /// Opens a folder.
    ///
    /// # Errors
    /// Names the path if it does not exist or is not a folder.
    pub fn open(path: &Path) -> Result<Self> {
        Self::of(path).map_err(|e| Error::io("cannot open", e).in_file(path))
    }

    /// Same as [`open`](Self::open), but errors do not name the path.
    pub fn of(path: &Path) -> io::Result<Self> {
        let root = path.canonicalize()?;
        if !root.is_dir() {
            return Err(io::ErrorKind::NotADirectory.into());
        }
        let folder = File::open(&root)?;
        Ok(Self {
            root,
            folder,
            access: DataAccess::default(),
        })
    }

    /// The same folder, whose links may lead into the folders of `access` too.
    #[must_use]
    pub fn with_access(mut self, access: DataAccess) -> Self {
        self.access = access;
        self
    }

    /// True if a path without symbolic links may be read.
    fn may_read(&self, path: &Path) -> bool {
        path.starts_with(&self.root) || self.access.allows(path)
    }

    /// The error of a link that leads to what may not be read.
    fn leads_out(&self, what: String) -> io::Error {
        let advice = match self.access.advice() {
            "" => String::new(),
            advice => format!("; {advice}"),
        };
        io::Error::new(io::ErrorKind::PermissionDenied, what + &advice)
    }

    /// Opens the regular file of a key. Returns it with its size in bytes.
    fn file(&self, key: &str) -> io::Result<Option<(File, u64)>> {
        check_key(key)?;
        let file = match self.open_beneath(key) {
            Ok(file) => file,
            Err(e) if is_missing(&e) => return self.check_absent(key).map(|()| None),
            // Where the system cannot keep to the folder, or a link is absolute, each step of the path is looked at.
            Err(_) => match self.open_resolved(key)? {
                Some(file) => file,
                None => return Ok(None),
            },
        };
        let found = file.metadata()?;
        Ok(found.is_file().then_some((file, found.len())))
    }

    /// Opens a key by one call of the system, which does not leave the folder. A named pipe does not block.
    #[cfg(target_os = "linux")]
    fn open_beneath(&self, key: &str) -> io::Result<File> {
        use rustix::fs::{Mode, OFlags, ResolveFlags, openat2};
        let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC | OFlags::NOCTTY;
        let beneath = ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS;
        Ok(openat2(&self.folder, key, flags, Mode::empty(), beneath)?.into())
    }

    #[cfg(not(target_os = "linux"))]
    fn open_beneath(&self, _key: &str) -> io::Result<File> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// Refuses a key that is a link to nothing: its value is somewhere else, and must not count as absent.
    fn check_absent(&self, key: &str) -> io::Result<()> {
        match fs::symlink_metadata(self.root.join(key)) {
            Ok(found) if found.is_symlink() => Err(io::Error::new(
                io::ErrorKind::NotFound,
                format!("the key {key:?} is a link to a file that is not there"),
            )),
            _ => Ok(()),
        }
    }

    /// Opens a key by its path with all links resolved, if that is a regular file in the folder.
    fn open_resolved(&self, key: &str) -> io::Result<Option<File>> {
        let path = match self.root.join(key).canonicalize() {
            Ok(path) => path,
            Err(e) if is_missing(&e) => return Ok(None),
            Err(e) => return Err(e),
        };
        if !self.may_read(&path) {
            return Err(self.leads_out(format!("the key {key:?} is a link that leads out of the folder")));
        }
        // Checked before opening, because opening a named pipe would wait for a process that writes to it.
        if !fs::symlink_metadata(&path)?.is_file() {
            return Ok(None);
        }
        File::open(path).map(Some)
    }

    /// The path of the folder `key`; `None` if there is none, or a link to it leads to what may not be read.
    fn folder_at(&self, key: &str) -> io::Result<Option<PathBuf>> {
        let at = self.root.join(key);
        match at.canonicalize() {
            Ok(path) => Ok(self.may_read(&path).then_some(at)),
            Err(e) if is_missing(&e) => Ok(None),
            Err(e) => Err(e),
        }
    }

    fn walk(
        &self,
        folder: &Path,
        key: &str,
        prefix: &str,
        depth: usize,
        keys: &mut Vec<String>,
    ) -> io::Result<()> {
        if depth > DEEPEST {
            return Err(io::Error::other("folders lie in each other too deeply"));
        }
        for child in children(folder)? {
            let (entry, name) = child?;
            let key = if key.is_empty() {
                name
            } else {
                format!("{key}/{name}")
            };
            let kind = entry.file_type()?;
            if kind.is_dir() {
                // Keys below a folder start with its name. Such keys can match only if the name or `prefix`
                // starts with the other.
                if key.starts_with(prefix) || prefix.starts_with(&key) {
                    self.walk(&entry.path(), &key, prefix, depth + 1, keys)?;
                }
            } else if key.starts_with(prefix) && self.is_listed(kind, &key)? {
                keys.push(key);
            }
        }
        Ok(())
    }

    /// True if a link in the folder `at` leads to another folder that may be read, and not to one that holds the link, or a link
    /// on the way to it.
    ///
    /// # Errors
    /// A link that leads to what may not be read: that would be missing without a word.
    fn is_linked_below(&self, at: &Path, link: &Path) -> io::Result<bool> {
        let target = link.canonicalize()?;
        let passed = at.ancestors().take_while(|folder| folder.starts_with(&self.root));
        for folder in passed {
            if folder.canonicalize()?.starts_with(&target) {
                return Ok(false);
            }
        }
        match self.may_read(&target) {
            true => Ok(true),
            false => Err(self.leads_out(format!(
                "{:?} is a link to a folder outside, which is not followed",
                link.strip_prefix(&self.root).unwrap_or(link)
            ))),
        }
    }

    /// True if an entry that is no folder counts as a key. A link whose file cannot be read does: whoever gets it is told why.
    fn is_listed(&self, kind: FileType, key: &str) -> io::Result<bool> {
        if !kind.is_symlink() {
            return Ok(kind.is_file());
        }
        if fs::metadata(self.root.join(key)).is_ok_and(|found| found.is_dir()) {
            return Err(io::Error::other(format!(
                "{key:?} is a link to a folder, which is not followed"
            )));
        }
        Ok(true)
    }
}

/// The entries of a folder whose names can be parts of keys, with these names. None for a folder that does not exist.
fn children(folder: &Path) -> io::Result<impl Iterator<Item = io::Result<(DirEntry, String)>>> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => Some(entries),
        Err(e) if is_missing(&e) => None,
        Err(e) => return Err(e),
    };
    Ok(entries.into_iter().flatten().filter_map(|entry| {
        let named = |entry: DirEntry| {
            // A name that is not UTF-8 is no key.
            let name = entry.file_name().into_string().ok()?;
            (!name.starts_with(RESERVED)).then_some((entry, name))
        };
        entry.map(named).transpose()
    }))
}

fn is_missing(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
    )
}

impl KeyStore for DirectoryKeys {
    fn get(&self, key: &str, part: GetRange) -> io::Result<Option<Vec<u8>>> {
        let Some((file, size)) = self.file(key)? else {
            return Ok(None);
        };
        let within = part.within(size);
        let length = usize::try_from(within.end - within.start).map_err(|_| io::ErrorKind::OutOfMemory)?;
        let mut bytes = Vec::new();
        bytes
            .try_reserve_exact(length)
            .map_err(|_| io::ErrorKind::OutOfMemory)?;
        bytes.resize(length, 0);
        file.read_exact_at(&mut bytes, within.start)?;
        Ok(Some(bytes))
    }

    fn open_value(&self, key: &str) -> io::Result<Option<Arc<dyn Object>>> {
        let Some((file, _)) = self.file(key)? else {
            return Ok(None);
        };
        Ok(Some(Arc::new(FileSource::of(file)?)))
    }

    fn size(&self, key: &str) -> io::Result<Option<u64>> {
        Ok(self.file(key)?.map(|(_, size)| size))
    }

    fn list(&self, prefix: &str) -> io::Result<Vec<String>> {
        let folder = folder_of_prefix(prefix)?;
        let Some(at) = self.folder_at(folder)? else {
            return Ok(Vec::new());
        };
        let mut keys = Vec::new();
        self.walk(&at, folder, prefix, 0, &mut keys)?;
        keys.sort_unstable();
        Ok(keys)
    }

    fn list_children(&self, folder: &str) -> io::Result<Vec<String>> {
        let key = folder_of_prefix(folder)?;
        let Some(at) = self.folder_at(key)? else {
            return Ok(Vec::new());
        };
        let mut names = Vec::new();
        for child in children(&at)? {
            let (entry, name) = child?;
            let kind = entry.file_type()?;
            if kind.is_dir() {
                names.push(name + "/");
            } else if kind.is_symlink() && entry.path().is_dir() {
                if self.is_linked_below(&at, &entry.path())? {
                    names.push(name + "/");
                }
            } else if kind.is_file() || kind.is_symlink() {
                names.push(name);
            }
        }
        names.sort_unstable();
        Ok(names)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ByteRange;
    use crate::keys::key::HOSTILE;
    use std::os::unix::fs::symlink;

    #[test]
    fn files_below_the_folder_are_keys() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("d.zarr");
        fs::create_dir_all(root.join("v/c/0")).unwrap();
        fs::create_dir_all(root.join("vv")).unwrap();
        for (key, value) in [
            ("zarr.json", "{}"),
            ("v/c/0/1", "0123456789"),
            ("v/c/0/0", ""),
            ("vv/x", "y"),
        ] {
            fs::write(root.join(key), value).unwrap();
        }
        let store = DirectoryKeys::open(&root).unwrap();
        assert_eq!(
            store.list("").unwrap(),
            ["v/c/0/0", "v/c/0/1", "vv/x", "zarr.json"]
        );
        assert_eq!(store.list("v/").unwrap(), ["v/c/0/0", "v/c/0/1"]);
        assert_eq!(store.list("v").unwrap().len(), 3);
        assert_eq!(store.list("v/c/0/1").unwrap(), ["v/c/0/1"]);
        assert_eq!(store.list("none/x").unwrap(), [""; 0]);
        let part = |part| store.get("v/c/0/1", part).unwrap().unwrap();
        let range = |offset, length| part(GetRange::Range(ByteRange { offset, length }));
        assert_eq!(part(GetRange::Whole), b"0123456789");
        assert_eq!(range(8, 9), b"89");
        assert_eq!(range(u64::MAX, usize::MAX), b"");
        assert_eq!(part(GetRange::Suffix(3)), b"789");
        assert_eq!(store.size("v/c/0/1").unwrap(), Some(10));
        for absent in ["v", "none", "v/c/0/1/2", "zarr.json/x"] {
            assert_eq!(store.get(absent, GetRange::Whole).unwrap(), None, "{absent}");
        }
        for key in HOSTILE {
            assert!(store.get(key, GetRange::Whole).is_err(), "{key:?}");
        }
        assert!(store.list("../").is_err());
        let error = DirectoryKeys::open(&root.join("zarr.json"))
            .unwrap_err()
            .to_string();
        assert!(error.contains("cannot open"), "{error}");
    }

    #[test]
    fn links_do_not_lead_out_of_the_folder() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("d");
        fs::create_dir_all(root.join("in")).unwrap();
        fs::write(folder.path().join("secret"), "s").unwrap();
        fs::write(root.join("in/x"), "x").unwrap();
        symlink("../secret", root.join("out")).unwrap();
        symlink("..", root.join("up")).unwrap();
        symlink(".", root.join("loop")).unwrap();
        symlink("in/x", root.join("alias")).unwrap();
        rustix::fs::mknodat(
            rustix::fs::CWD,
            root.join("pipe"),
            rustix::fs::FileType::Fifo,
            rustix::fs::Mode::from_raw_mode(0o600),
            0,
        )
        .unwrap();
        let store = DirectoryKeys::open(&root).unwrap();
        for key in ["out", "up/secret", "up/d/../secret"] {
            assert!(store.get(key, GetRange::Whole).is_err(), "{key}");
        }
        assert_eq!(store.get("pipe", GetRange::Whole).unwrap(), None);
        assert_eq!(store.get("alias", GetRange::Whole).unwrap().unwrap(), b"x");
        assert_eq!(store.list("in/").unwrap(), ["in/x"]);
        assert_eq!(store.list("up/").unwrap(), [""; 0]);
        // What a link hides must not count as absent.
        let error = store.list("").unwrap_err().to_string();
        assert!(error.contains("a link to a folder"), "{error}");
        for link in ["up", "loop"] {
            fs::remove_file(root.join(link)).unwrap();
        }
        symlink("gone", root.join("nothing")).unwrap();
        assert_eq!(store.list("").unwrap(), ["alias", "in/x", "nothing", "out"]);
        for key in ["nothing", "out"] {
            let error = store.get(key, GetRange::Whole).unwrap_err().to_string();
            assert!(error.contains("is a link"), "{error}");
        }
        symlink("in", root.join("again")).unwrap();
        symlink("..", root.join("up")).unwrap();
        symlink(".", root.join("loop")).unwrap();
        assert_eq!(
            store.list_children("").unwrap(),
            ["again/", "alias", "in/", "nothing", "out"]
        );
        assert_eq!(store.list_children("up/").unwrap(), [""; 0]);
        fs::create_dir(folder.path().join("other")).unwrap();
        symlink("../other", root.join("outside")).unwrap();
        let error = store.list_children("").unwrap_err().to_string();
        assert!(
            error.contains("\"outside\" is a link to a folder outside"),
            "{error}"
        );
    }

    #[test]
    fn links_may_lead_into_allowed_folders() {
        let folder = tempfile::tempdir().unwrap();
        let (root, other) = (folder.path().join("d"), folder.path().join("other"));
        for (path, value) in [(&root, "d"), (&other.join("in"), "o")] {
            fs::create_dir_all(path).unwrap();
            fs::write(path.join("x"), value).unwrap();
        }
        symlink("../other", root.join("outside")).unwrap();
        symlink("../other/in/x", root.join("value")).unwrap();
        // Folders without end: to the link's own folder, to that of the link before, and around the store.
        symlink("..", other.join("in/round")).unwrap();
        symlink("../d", other.join("back")).unwrap();
        symlink("..", root.join("up")).unwrap();
        let mut access = DataAccess::default().with_advice("allow DIR");
        let error = DirectoryKeys::open(&root)
            .unwrap()
            .with_access(access.clone())
            .list_children("")
            .unwrap_err()
            .to_string();
        assert!(error.ends_with("which is not followed; allow DIR"), "{error}");
        access.allow(&other).unwrap();
        let store = DirectoryKeys::open(&root).unwrap().with_access(access);
        assert_eq!(store.list_children("").unwrap(), ["outside/", "value", "x"]);
        assert_eq!(store.list_children("outside/").unwrap(), ["in/"]);
        assert_eq!(store.list_children("outside/in/").unwrap(), ["x"]);
        assert_eq!(store.list("outside/in/x").unwrap(), ["outside/in/x"]);
        for (key, value) in [("value", "o"), ("outside/in/x", "o"), ("x", "d")] {
            assert_eq!(
                store.get(key, GetRange::Whole).unwrap().unwrap(),
                value.as_bytes(),
                "{key}"
            );
        }
    }

    #[test]
    fn the_folders_below_a_folder_are_not_opened() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        // More levels than a walk goes down, so that a walk fails.
        let deep = "d/".repeat(DEEPEST + 2);
        fs::create_dir_all(root.join("g").join(deep)).unwrap();
        fs::create_dir_all(root.join("g/.ncutils-partial-values")).unwrap();
        fs::write(root.join("g/x"), "").unwrap();
        fs::write(root.join("g.x"), "").unwrap();
        let store = DirectoryKeys::open(root).unwrap();
        assert!(store.list("").is_err());
        assert_eq!(store.list_children("").unwrap(), ["g.x", "g/"]);
        assert_eq!(store.list_children("g/").unwrap(), ["d/", "x"]);
        for none in ["none/", "g/x/"] {
            assert_eq!(store.list_children(none).unwrap(), [""; 0], "{none}");
        }
        for hostile in ["../", "/", "g/../"] {
            assert!(store.list_children(hostile).is_err(), "{hostile}");
        }
    }
}
