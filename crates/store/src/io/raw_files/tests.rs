use std::os::unix::fs::symlink;

use super::*;
use crate::FileOutput;

fn part(file: &str, offset: u64, size: Option<u64>) -> ExternalPart {
    ExternalPart {
        file: file.to_owned(),
        offset,
        size,
    }
}

fn data<'a>(variable: &'a str, parts: &'a [ExternalPart], bytes: u64) -> RawData<'a> {
    RawData {
        variable,
        parts,
        bytes,
    }
}

fn names(folder: &Path) -> Vec<String> {
    let names = fs::read_dir(folder).unwrap();
    let mut names: Vec<_> = names
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

/// An output with two raw files, one of them in a folder below, not committed.
fn written(folder: &Path) -> (Arc<dyn Output>, Arc<RawFiles>) {
    let path = folder.join("out.nc");
    let parts = [part("a.raw", 2, Some(3)), part("sub/b.raw", 0, None)];
    let raw = Arc::new(RawFiles::create(&path, &[data("/v", &parts, 8)]).unwrap());
    let output = FileOutput::create(&path).unwrap();
    output.write_all_at(0, b"header").unwrap();
    raw.write_all_at(raw.find("a.raw").unwrap(), 2, b"abc").unwrap();
    raw.write_all_at(raw.find("sub/b.raw").unwrap(), 1, b"e").unwrap();
    (raw.beside(Arc::new(output)), raw)
}

#[test]
fn raw_files_appear_with_their_output() {
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir(dir.path().join("sub")).unwrap();
    let (output, raw) = written(dir.path());
    assert!(!dir.path().join("a.raw").exists() && !dir.path().join("out.nc").exists());
    let found = raw.as_ref() as &dyn ExternalFiles;
    let input = found
        .find("a.raw", NamedAs::ExternalData)
        .unwrap()
        .open()
        .unwrap()
        .unwrap();
    assert!(matches!(input.kind(), crate::InputKind::Object(object) if object.size().unwrap() == Some(5)));
    assert!(found.find("a.raw", NamedAs::VirtualSource).is_err());
    output.commit().unwrap();
    drop((output, raw));
    assert_eq!(names(dir.path()), ["a.raw", "out.nc", "sub"]);
    assert_eq!(fs::read(dir.path().join("a.raw")).unwrap(), b"\0\0abc");
    assert_eq!(fs::read(dir.path().join("sub/b.raw")).unwrap(), b"\0e\0\0\0");
}

#[test]
fn nothing_is_left_of_an_output_that_was_not_committed() {
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir(dir.path().join("sub")).unwrap();
    drop(written(dir.path()));
    assert_eq!(names(dir.path()), ["sub"]);
    assert!(names(&dir.path().join("sub")).is_empty());
}

#[test]
fn a_file_that_appears_meanwhile_is_not_replaced() {
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir(dir.path().join("sub")).unwrap();
    let (output, raw) = written(dir.path());
    fs::write(dir.path().join("sub/b.raw"), "someone else's").unwrap();
    let error = output.commit().unwrap_err().to_string();
    assert!(
        error.contains("external file sub/b.raw") && error.contains("exists"),
        "{error}"
    );
    drop((output, raw));
    assert_eq!(names(dir.path()), ["sub"]);
    assert_eq!(fs::read(dir.path().join("sub/b.raw")).unwrap(), b"someone else's");
}

#[test]
fn an_output_that_fails_takes_its_raw_files_along() {
    struct Full;
    impl Output for Full {
        fn write_all_at(&self, _: u64, _: &[u8]) -> io::Result<()> {
            Ok(())
        }
        fn set_size(&self, _: u64) -> io::Result<()> {
            Ok(())
        }
        fn commit(&self) -> io::Result<()> {
            Err(io::ErrorKind::StorageFull.into())
        }
    }
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir(dir.path().join("sub")).unwrap();
    let (_, raw) = written(dir.path());
    let output = raw.beside(Arc::new(Full));
    assert!(output.commit().is_err());
    drop(output);
    assert_eq!(names(dir.path()), ["sub"]);
}

#[test]
fn what_cannot_be_a_raw_file_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let outside = tempfile::tempdir().unwrap();
    let folder = dir.path();
    fs::write(folder.join("old.raw"), "").unwrap();
    symlink("none", folder.join("dangling")).unwrap();
    symlink(outside.path(), folder.join("away")).unwrap();
    fs::create_dir(folder.join("sub")).unwrap();
    symlink("sub", folder.join("link")).unwrap();
    let output = folder.join("out.nc");
    let refused = |parts: &[ExternalPart]| {
        let error = RawFiles::check(&output, &[data("/v", parts, 8)]).unwrap_err();
        let error = error.to_string();
        assert!(error.contains("variable /v"), "{error}");
        error
    };
    for (name, why) in [
        ("old.raw", "exists already"),
        ("dangling", "exists already"),
        ("sub", "exists already"),
        ("out.nc", "is the output itself"),
        ("away/a.raw", "outside of the output's folder"),
        ("none/a.raw", "cannot create external file none/a.raw"),
        ("old.raw/a.raw", "cannot create external file old.raw/a.raw"),
    ] {
        let error = refused(&[part(name, 0, None)]);
        assert!(error.contains(why), "{error}");
    }
    let twice = [part("sub/a", 0, Some(4)), part("link/a", 3, Some(4))];
    assert!(refused(&twice).contains("overlaps at byte 3"));
    let beside = [part("sub/a", 4, Some(4)), part("link/a", 0, Some(4))];
    RawFiles::check(&output, &[data("/v", &beside, 8)]).unwrap();
    let endless = [part("a", 0, None)];
    let later = [part("a", 100, Some(8))];
    let both = [data("/v", &endless, 8), data("/w", &later, 8)];
    let error = RawFiles::check(&output, &both).unwrap_err().to_string();
    assert!(error.contains("/v and /w overlaps at byte 100"), "{error}");
    let error = RawFiles::check(Path::new("/dev/null"), &[data("/v", &later, 8)]).unwrap_err();
    assert!(error.to_string().contains("beside a regular file"), "{error}");
    assert_eq!(names(folder).len(), 5);
}
