//! Tests of outputs that are folders of keys.

use super::*;
use crate::file::unfinished::partial::is_partial_name;
use crate::keys::key::HOSTILE;
use crate::{ByteRange, StagedKeys};
use std::os::unix::fs::{PermissionsExt, symlink};

const KNOWN_BY: &[&str] = &["meta"];

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<_> = entries
        .map(|e| e.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

fn read(folder: &Path, key: &str) -> Option<Vec<u8>> {
    DirectoryKeys::open(folder)
        .unwrap()
        .get(key, GetRange::Whole)
        .unwrap()
}

#[test]
fn a_dataset_appears_when_it_is_published() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("d.zarr");
    let out = DirectoryOutput::create(&path.join(""), KNOWN_BY).unwrap();
    out.put("v/c/0/0", b"chunk").unwrap();
    out.put("v/c/0/0", b"again").unwrap();
    let long = out.create("v/c/1").unwrap();
    long.write_at(4, b"4567").unwrap();
    long.write_at(0, b"0123").unwrap();
    long.set_size(8).unwrap();
    assert_eq!(out.staged("v/c/1").unwrap(), None);
    long.finish().unwrap();
    drop(out.create("never").unwrap());
    out.put_last("meta", b"{}").unwrap();
    assert!(!path.exists());
    assert_eq!(out.staged_keys("v/").unwrap(), ["v/c/0/0", "v/c/1"]);
    out.publish().unwrap();
    assert!(out.publish().is_err());
    drop(out);
    assert_eq!(names(folder.path()), ["d.zarr"]);
    assert_eq!(names(&path), ["meta", "v"]);
    assert_eq!(read(&path, "v/c/0/0").unwrap(), b"again");
    assert_eq!(read(&path, "v/c/1").unwrap(), b"01234567");
}

/// A range of a large value is read alone, and not out of the whole value.
#[test]
fn parts_of_what_is_staged_are_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("d.zarr");
    let out = Arc::new(DirectoryOutput::create(&path, KNOWN_BY).unwrap());
    let long = out.create("v/c/1").unwrap();
    long.write_at(0, b"0123").unwrap();
    // A hole that is larger than any memory.
    long.write_at(1 << 42, b"4567").unwrap();
    long.finish().unwrap();
    let held = Arc::new(StagedKeys::new(out));
    held.put_last("meta", b"{}").unwrap();
    let written = held.written().unwrap();
    let range = GetRange::Range(ByteRange {
        offset: 1 << 42,
        length: 4,
    });
    assert_eq!(written.get("v/c/1", range).unwrap().unwrap(), b"4567");
    assert_eq!(written.size("v/c/1").unwrap(), Some((1 << 42) + 4));
    assert_eq!(written.list("").unwrap(), ["meta", "v/c/1"]);
    assert_eq!(written.list_children("").unwrap(), ["meta", "v/"]);
    assert!(!path.exists());
    held.release().unwrap();
    assert_eq!(names(&path), ["meta", "v"]);
}

#[test]
fn a_dataset_is_replaced_as_a_whole_and_nothing_else_is() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("d");
    fs::create_dir(&path).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o750)).unwrap();
    for n in 0..3 {
        let out = DirectoryOutput::create(&path, KNOWN_BY).unwrap();
        out.put(&format!("k{n}"), b"x").unwrap();
        out.put_last("meta", b"{}").unwrap();
        if n == 2 {
            drop(out);
        } else {
            out.publish().unwrap();
        }
    }
    assert_eq!(names(&path), ["k1", "meta"]);
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o750);
    assert_eq!(names(folder.path()), ["d"]);

    let home = folder.path().join("home");
    fs::create_dir(&home).unwrap();
    let out = DirectoryOutput::create(&home, KNOWN_BY).unwrap();
    fs::write(home.join("thesis.tex"), "").unwrap();
    assert!(out.publish().is_err());
    drop(out);
    fs::write(folder.path().join("file"), "").unwrap();
    for kept in ["home", "file", "no/such/d", "..", "/"] {
        let error = DirectoryOutput::create(&folder.path().join(kept), KNOWN_BY).unwrap_err();
        assert!(error.to_string().contains("cannot create"), "{error}");
    }
    assert_eq!(names(folder.path()), ["d", "file", "home"]);
    assert_eq!(names(&home), ["thesis.tex"]);
}

/// A stage of several processes for the folder `path`.
fn shared(path: &Path) -> PathBuf {
    let stage = path.with_extension("shared");
    DirectoryOutput::create_shared(path, &stage, &marked_by(KNOWN_BY)).unwrap();
    stage
}

fn join(path: &Path, stage: &Path) -> DirectoryOutput {
    DirectoryOutput::join_shared(path, stage, marked_by(KNOWN_BY)).unwrap()
}

#[test]
fn a_value_in_a_shared_stage_appears_as_a_whole() {
    let folder = tempfile::tempdir().unwrap();
    let out = DirectoryOutput::create(&folder.path().join("d"), KNOWN_BY).unwrap();
    // Only values of a shared stage are renamed.
    let beside = names(&out.stage.join(UNFINISHED));
    out.put("alone", b"1").unwrap();
    assert_eq!(names(&out.stage), [UNFINISHED, "alone"]);
    assert_eq!(names(&out.stage.join(UNFINISHED)), beside);
    let path = folder.path().join("e");
    let stage = shared(&path);
    let (first, second) = (join(&path, &stage), join(&path, &stage));
    first.put("shared", b"2").unwrap();
    second.put("too", b"3").unwrap();
    assert_eq!(names(&stage), [UNFINISHED, "shared", "too"]);
    assert_eq!(names(&stage.join(UNFINISHED)), [""; 0]);
}

#[test]
fn what_is_left_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("no folder");
    fs::write(&file, "x").unwrap();
    let error = remove_old(&file).unwrap_err().to_string();
    assert!(
        error.contains("is complete") && error.contains(file.to_str().unwrap()),
        "{error}"
    );
}

#[test]
fn a_check_decides_when_the_stage_is_made_and_when_it_is_published() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("d");
    fs::create_dir(&path).unwrap();
    let check: FolderCheck = Arc::new(|folder| match folder.join("foreign").exists() {
        true => Err(io::Error::other("it holds foreign")),
        false => Ok(()),
    });
    let out = DirectoryOutput::create_over(&path, check.clone()).unwrap();
    out.put("k", b"x").unwrap();
    fs::write(path.join("foreign"), "x").unwrap();
    let error = out.publish().unwrap_err().to_string();
    assert!(error.contains("it holds foreign"), "{error}");
    assert!(DirectoryOutput::create_over(&path, check).is_err());
    drop(out);
    assert_eq!(names(folder.path()), ["d"]);
    assert_eq!(names(&path), ["foreign"]);
}

#[test]
fn others_join_and_publish() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("d");
    let stage = shared(&path);
    let first = join(&path, &stage);
    first.put("a", b"1").unwrap();
    let second = join(&path, &stage);
    second.put("b", b"2").unwrap();
    drop(second);
    assert_eq!(first.staged_keys("").unwrap(), ["a", "b"]);
    drop(first);
    let third = join(&path, &stage);
    assert_eq!(third.staged("b").unwrap().unwrap(), b"2");
    third.publish().unwrap();
    assert_eq!(names(&path), ["a", "b"]);
    assert_eq!(names(folder.path()), ["d"]);
    let late = DirectoryOutput::join_shared(&path, &stage, marked_by(KNOWN_BY));
    assert!(late.is_err(), "the stage has taken its name");
}

#[test]
fn a_late_process_writes_nothing_into_what_was_published() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("d");
    let stage = shared(&path);
    let (late, last) = (join(&path, &stage), join(&path, &stage));
    last.put("a", b"1").unwrap();
    let value = late.create("b").unwrap();
    last.publish().unwrap();
    assert!(late.put("c", b"2").is_err());
    assert!(value.finish().is_err());
    assert_eq!(names(&path), ["a"]);
    assert_eq!(names(folder.path()), ["d"]);
}

#[test]
fn a_stage_belongs_to_one_folder() {
    let folder = tempfile::tempdir().unwrap();
    let long = "n".repeat(255);
    let names = ["d", "d.zarr", "e", &long];
    let stages = names.map(|name| DirectoryOutput::create(&folder.path().join(name), KNOWN_BY).unwrap());
    for (name, own) in names.iter().zip(&stages) {
        for other in &stages {
            let is_own = is_partial_name(other.stage.file_name().unwrap(), name.as_ref());
            assert_eq!(is_own, other.stage == own.stage, "{name}: {other:?}");
        }
    }
}

#[test]
fn keys_stay_in_the_stage() {
    let folder = tempfile::tempdir().unwrap();
    let out = DirectoryOutput::create(&folder.path().join("d"), KNOWN_BY).unwrap();
    for key in HOSTILE.into_iter().chain([UNFINISHED, &"x".repeat(256)]) {
        assert!(out.put(key, b"x").is_err(), "{key:?}");
        assert!(out.create(key).is_err(), "{key:?}");
    }
    symlink("../..", out.stage.join("up")).unwrap();
    assert!(out.put("up/x", b"x").is_err());
    assert!(out.put("up/y/x", b"x").is_err());
    out.put("a", b"x").unwrap();
    assert!(out.put("a/b", b"x").is_err(), "a file is no folder");
    drop(out);
    assert_eq!(names(folder.path()), [""; 0]);
}

#[test]
fn many_threads_put_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let out = DirectoryOutput::create(&folder.path().join("d"), KNOWN_BY).unwrap();
    std::thread::scope(|scope| {
        for thread in 0..8 {
            let out = &out;
            scope.spawn(move || {
                for n in 0..50 {
                    out.put(&format!("{}/{thread}/c", n % 7), b"x").unwrap();
                }
            });
        }
    });
    assert_eq!(out.staged_keys("").unwrap().len(), 7 * 8);
}
