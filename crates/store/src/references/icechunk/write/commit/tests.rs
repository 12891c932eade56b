use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use super::super::super::file_reader::read_file;
use super::*;
use crate::references::{ObjectVersion, Reference, StoredRange};
use crate::{DirectoryKeys, GrowingFolder, KeyStore, RepositoryOutput, ValueWriter};

/// A repository in a new folder.
fn repository(specification: Specification) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let output = Arc::new(crate::DirectoryOutput::in_place(folder.path()).unwrap());
    let output = RepositoryOutput::new(output, specification);
    output.put_last("zarr.json", b"{}").unwrap();
    output.complete().unwrap();
    folder
}

fn growing(folder: &Path, branch: &str) -> io::Result<RepositoryOutput> {
    let store: Arc<dyn KeyStore> = Arc::new(DirectoryKeys::of(folder)?);
    let (keys, _) = GrowingFolder::open(folder)?;
    RepositoryOutput::growing(store, Arc::new(keys), branch)
}

/// Adds a chunk of an object, so that the snapshot has the object's time, to a branch.
fn append(folder: &Path, branch: &str) {
    let output = growing(folder, branch).unwrap();
    let time = SystemTime::UNIX_EPOCH + Duration::from_secs(1_700_000_000);
    let stored = StoredRange {
        object: "s3://b/k".into(),
        range: Some((0, 1)),
        version: Some(ObjectVersion::LastModified(time)),
    };
    let reference = Reference::Stored(stored);
    output.put_reference("v/c/0", &reference).unwrap();
    output.complete().unwrap();
}

/// The file `repo` with a change that another program has made.
fn change(folder: &Path, change: impl Fn(&mut Repository)) {
    let path = folder.join(keys::REPOSITORY);
    let buffer = read_file(&fs::read(&path).unwrap(), FileKind::Repository).unwrap();
    let mut found = Repository::parse(&buffer).unwrap();
    change(&mut found);
    fs::write(path, file_of(&found).unwrap()).unwrap();
}

#[test]
fn a_branch_that_another_program_moved_is_refused() {
    for specification in [Specification::V1, Specification::V2] {
        let folder = repository(specification);
        let output = growing(folder.path(), "main").unwrap();
        assert_eq!(output.specification(), specification);
        match specification {
            Specification::V1 => {
                let moved = keys::ref_to(FIRST_SNAPSHOT);
                fs::write(folder.path().join(keys::branch("main")), moved).unwrap();
            }
            Specification::V2 => change(folder.path(), |found| {
                let added = Added {
                    id: ObjectId([7; 12]),
                    flushed_at: 1,
                    message: "other",
                };
                found.add("main", &added, 1, None);
            }),
        }
        let error = output.complete().unwrap_err();
        assert!(error.to_string().contains("the branch main"), "{error}");
        drop(output);
        assert!(growing(folder.path(), "dev").is_err());
    }
}

#[test]
fn a_second_append_waits_for_the_lock() {
    for specification in [Specification::V1, Specification::V2] {
        let folder = repository(specification);
        let output = growing(folder.path(), "main").unwrap();
        // What goes by the mark of the folder is told at once.
        assert!(growing(folder.path(), "main").is_err());
        output.complete().unwrap();
        drop(output);
        let again = growing(folder.path(), "main").unwrap();
        again.complete().unwrap();
    }
}

#[test]
fn what_another_program_changed_beside_the_branch_stays() {
    let folder = repository(Specification::V2);
    let output = growing(folder.path(), "main").unwrap();
    change(folder.path(), |found| {
        found.set_settings(FlexValue::UInt(7).write())
    });
    output.complete().unwrap();
    change(folder.path(), |found| {
        assert_eq!(
            found.settings().map(FlexValue::parse),
            Some(Ok(FlexValue::UInt(7)))
        );
        assert_ne!(found.branch("main"), Some(FIRST_SNAPSHOT));
    });
    let copies = fs::read_dir(folder.path().join("overwritten")).unwrap();
    assert_eq!(copies.count(), 1);
}

#[test]
fn the_same_snapshot_on_two_branches_is_two_and_after_a_reset_it_is_one() {
    let folder = repository(Specification::V2);
    append(folder.path(), "main");
    let tip = Mutex::new(None);
    change(folder.path(), |found| {
        let main = found.branch("main").unwrap();
        found.set_branch("dev", main);
        *tip.lock().unwrap() = Some(main);
    });
    append(folder.path(), "main");
    append(folder.path(), "dev");
    let before = Mutex::new(Vec::new());
    change(folder.path(), |found| {
        let tips = ["main", "dev"].map(|branch| found.branch(branch).unwrap());
        assert_ne!(tips[0], tips[1]);
        let ids = found.ids();
        assert_eq!(ids.len(), 5);
        assert!(ids.is_sorted_by(|a, b| a.0 < b.0));
        *before.lock().unwrap() = ids;
        found.set_branch("main", tip.lock().unwrap().unwrap());
    });
    append(folder.path(), "main");
    change(folder.path(), |found| {
        assert_eq!(found.ids(), *before.lock().unwrap());
        assert_ne!(found.branch("main"), *tip.lock().unwrap());
    });
}

/// A folder in which another program changes `repo` whenever it is about to be replaced, as often as `left` says.
struct Contended {
    keys: GrowingFolder,
    folder: PathBuf,
    left: Mutex<usize>,
}

impl GrowingKeys for Contended {
    fn note(&self, note: &[u8]) -> io::Result<()> {
        self.keys.note(note)
    }
    fn replace(&self, key: &str, old: &[u8], new: &[u8]) -> io::Result<bool> {
        let mut left = self.left.lock().unwrap();
        if key == keys::REPOSITORY && *left > 0 {
            *left -= 1;
            change(&self.folder, |found| {
                found.set_settings(FlexValue::UInt(*left as u64).write())
            });
        }
        self.keys.replace(key, old, new)
    }
    fn remove(&self, key: &str) -> io::Result<()> {
        self.keys.remove(key)
    }
    fn end(&self) -> io::Result<()> {
        self.keys.end()
    }
}

impl KeyOutput for Contended {
    fn put(&self, key: &str, value: &[u8]) -> io::Result<()> {
        self.keys.put(key, value)
    }
    fn put_last(&self, key: &str, value: &[u8]) -> io::Result<()> {
        self.keys.put_last(key, value)
    }
    fn create(&self, key: &str) -> io::Result<Box<dyn ValueWriter>> {
        self.keys.create(key)
    }
    fn staged(&self, key: &str) -> io::Result<Option<Vec<u8>>> {
        self.keys.staged(key)
    }
    fn staged_keys(&self, prefix: &str) -> io::Result<Vec<String>> {
        self.keys.staged_keys(prefix)
    }
    fn publish(&self) -> io::Result<()> {
        self.keys.publish()
    }
}

#[test]
fn lost_turns_leave_no_copies() {
    for (turns, copies) in [(0, 1), (3, 1), (TRIED + 1, 0)] {
        let folder = repository(Specification::V2);
        let store: Arc<dyn KeyStore> = Arc::new(DirectoryKeys::of(folder.path()).unwrap());
        let keys = Contended {
            keys: GrowingFolder::open(folder.path()).unwrap().0,
            folder: folder.path().to_owned(),
            left: Mutex::new(turns),
        };
        let output = RepositoryOutput::growing(store, Arc::new(keys), "main").unwrap();
        let done = output.complete();
        assert_eq!(done.is_ok(), copies == 1, "{done:?}");
        let found = fs::read_dir(folder.path().join("overwritten")).unwrap();
        assert_eq!(found.count(), copies, "{turns}");
    }
}
