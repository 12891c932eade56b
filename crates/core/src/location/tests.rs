//! Tests of locations.

use super::*;
use crate::model::{Kind, Schema};
use crate::store::DestinationKind;
use std::os::unix::ffi::OsStrExt;

fn path(argument: &str) -> PathBuf {
    Location::parse(argument).unwrap().path().unwrap().to_owned()
}

fn refused(argument: &str) -> String {
    Location::parse(argument).unwrap_err().to_string()
}

#[test]
fn local_files() {
    for plain in [
        "out.nc",
        "/tmp/no such.nc",
        "a#1.nc",
        "a#.nc",
        "x#modest=1",
        "://x",
        "C:\\x",
    ] {
        assert_eq!(path(plain), Path::new(plain));
    }
    assert_eq!(path("file:///tmp/a%20b%23.nc"), Path::new("/tmp/a b#.nc"));
    assert_eq!(path("file://localhost/a.nc"), Path::new("/a.nc"));
    for (url, plain) in [
        ("FILE:///tmp/a.nc", "/tmp/a.nc"),
        ("file:///tmp/a b?c#d\\e\n.nc ", "/tmp/a b?c#d\\e\n.nc "),
        ("file:///tmp/%C3%A4\u{e4}%25.nc", "/tmp/\u{e4}\u{e4}%.nc"),
    ] {
        assert_eq!(path(url), Path::new(plain));
    }
    let raw = Location::parse("file:///tmp/%ff.nc").unwrap();
    assert_eq!(raw.path(), Some(Path::new(OsStr::from_bytes(b"/tmp/\xff.nc"))));
    assert_eq!(raw.file_name().as_deref(), Some(OsStr::from_bytes(b"\xff.nc")));
    let here = std::env::current_dir().unwrap();
    let here = here.file_name().map(OsStr::to_owned);
    assert_eq!(Location::parse(".").unwrap().file_name(), here);
    let odd = OsStr::from_bytes(b"odd\xff#mode=zarr");
    assert_eq!(Location::parse(odd).unwrap().path(), Some(Path::new(odd)));
}

#[test]
fn what_is_not_supported_is_named() {
    for (argument, part) in [
        ("store.zarr#mode=nczarr,s3", "#s3"),
        ("file:///tmp/a.nc#bytes", "#bytes"),
        ("file://elsewhere/a.nc", "elsewhere"),
        ("file:a.nc", "write 'a.nc', or './file:a.nc'"),
        ("file:/tmp/a.nc", "write '/tmp/a.nc', or './file:/tmp/a.nc'"),
        ("s3:/b/a.nc", "write 's3://b/a.nc', or './s3:/b/a.nc'"),
        (
            "FILE:a.zarr#mode=zarr",
            "write 'a.zarr#mode=zarr', or './FILE:a.zarr#mode=zarr'",
        ),
        ("file:///a%2", "hexadecimal"),
        ("#mode=zarr", "no path"),
    ] {
        let message = refused(argument);
        assert!(
            message.starts_with(argument) && message.contains(part),
            "{message}"
        );
    }
}

#[test]
fn a_remote_name_is_told_as_it_was_understood() {
    for (argument, shown, meaning) in [
        (
            "s3://bucket/a/key#bytes",
            "s3://bucket/a/key",
            "S3, bucket 'bucket', key 'a/key'",
        ),
        ("https://h/x.nc#bytes", "https://h/x.nc", "HTTP, server https://h"),
        (
            "[mode=zarr,s3]http://h:1/b/k",
            "http://h:1/b/k",
            "S3, server http://h:1, bucket 'b', key 'k'",
        ),
        (
            "https://u:hunter2@h/x?sig=hunter2",
            "https://***@h/x?***",
            "HTTP, server https://h",
        ),
    ] {
        let location = Location::parse(argument).unwrap().with_requests(7);
        assert_eq!(location.to_string(), shown);
        let lines = location.explanation().unwrap();
        assert_eq!(
            (lines[0].as_str(), lines.last().unwrap().as_str()),
            (meaning, "at most 7 requests at once")
        );
        let printed = format!("{location:?} {lines:?}");
        assert!(!printed.contains("hunter2"), "{printed}");
    }
    for (argument, part) in [
        (
            "s3://b/k#aws.secret_access_key=hunter2",
            "s3://b/k#aws.secret_access_key=***: #aws.secret_access_key: secrets do not belong",
        ),
        ("s3://b/x#dap4", "OPeNDAP is asked by http:// or https://"),
        ("ftp://h/x", "the scheme ftp:// is unknown"),
        ("s3://b//k", "the key has an empty part"),
    ] {
        let message = refused(argument);
        assert!(message.contains(part), "{message}");
        assert!(!message.contains("hunter2"), "{message}");
    }
    let bracketed = Location::parse("[mode=nczarr]file://x.file").unwrap();
    assert_eq!(bracketed.path(), Some(Path::new("x.file")));
    assert_eq!(bracketed.mode().unwrap().format, Some(Kind::Nczarr));
    assert_eq!(path("[a]b.nc"), Path::new("[a]b.nc"));
}

#[test]
fn fragments_are_no_part_of_the_path() {
    for (argument, plain, file_name) in [
        ("a/x.zarr#mode=nczarr,file", "a/x.zarr", "x.zarr"),
        ("x.zarr/#zarr", "x.zarr/", "x.zarr"),
        ("file:///tmp/x.zip#mode=nczarr,zip", "/tmp/x.zip", "x.zip"),
        (
            "file://results/x.file#mode=nczarr,file",
            "results/x.file",
            "x.file",
        ),
        ("file://x.file#nczarr", "x.file", "x.file"),
    ] {
        let location = Location::parse(argument).unwrap();
        assert_eq!(location.path().unwrap(), Path::new(plain));
        assert_eq!(location.file_name().as_deref(), Some(OsStr::new(file_name)));
        assert!(location.zarr_mode().is_some() && location.warnings().is_empty());
        assert_eq!(location.to_string(), argument);
    }
    let odd = Location::parse("a.nc#mode=fast").unwrap();
    assert_eq!((odd.path(), odd.zarr_mode()), (Some(Path::new("a.nc")), None));
    assert_eq!(odd.warnings().len(), 1);
    let plain = Location::from_path("file://x#zarr");
    assert_eq!(
        (plain.path(), plain.mode()),
        (Some(Path::new("file://x#zarr")), None)
    );
}

#[test]
fn what_is_there_is_found_with_or_without_a_fragment() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name).to_str().unwrap().to_owned();
    fs::create_dir(at("folder")).unwrap();
    fs::write(at("a.nc"), [&b"CDF\x01"[..], &[0; 28]].concat()).unwrap();
    fs::write(at("a.zip"), b"PK\x03\x04").unwrap();
    fs::write(at("text"), b"PK").unwrap();
    let error = |name: &str| {
        Location::parse(at(name))
            .unwrap()
            .open()
            .err()
            .unwrap()
            .to_string()
    };
    for name in ["folder", "folder/", "folder#mode=zarr", "folder#mode=nczarr,file"] {
        let error = error(name);
        assert!(
            error.starts_with(&at(name))
                && error.contains("no Zarr dataset: no .zgroup, .zarray or zarr.json"),
            "{error}"
        );
    }
    for (name, says) in [
        (
            "folder#mode=zarr,zip",
            "mode=zip stands for a zip file, but this is a folder",
        ),
        (
            "a.zip#mode=zarr,file",
            "mode=file stands for a folder, but this is a zip file",
        ),
        (
            "a.nc#mode=zarr,file",
            "mode=file stands for a folder, but this is a file that",
        ),
        (
            "a.nc#mode=zip",
            "mode=zip stands for a zip file, but this is a file that is no",
        ),
        ("a.nc#mode=zarr", "but this one is of the kind 'classic'"),
        ("a.nc#nczarr", "but this one is of the kind 'classic'"),
        ("text", "not a netCDF file"),
    ] {
        let error = error(name);
        assert!(error.starts_with(&at(name)) && error.contains(says), "{error}");
    }
    assert!(Location::parse(at("a.nc#mode=fast")).unwrap().open().is_ok());
    let text = Location::parse(at("text#mode=zarr"))
        .unwrap()
        .text(9)
        .err()
        .unwrap();
    assert!(text.to_string().contains("a text is read here"), "{text}");
}

#[test]
fn the_kind_decides_what_is_made() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name).to_str().unwrap().to_owned();
    fs::create_dir(at("folder")).unwrap();
    fs::write(at("folder/README"), "mine").unwrap();
    fs::write(at("a.nc"), "x").unwrap();
    let made = |name: &str, kind| Location::parse(at(name)).unwrap().destination(kind);
    for (name, kind) in [
        ("out.zarr", Kind::Nczarr),
        ("out#mode=zarr", Kind::Zarr2),
        ("out#mode=v3", Kind::Zarr3),
        ("a.zip#mode=nczarr,file", Kind::Nczarr),
    ] {
        let destination = made(name, kind).unwrap();
        assert!(matches!(destination.kind(), DestinationKind::Keys(_)));
        assert_eq!(destination.name().to_str().unwrap(), at(name));
    }
    assert!(matches!(
        made("out.nc", Kind::Netcdf4).unwrap().kind(),
        DestinationKind::Object(_)
    ));
    for (name, kind, says) in [
        (
            "folder#mode=zarr",
            Kind::Zarr2,
            "cannot create: the folder is neither",
        ),
        ("a.nc#mode=zarr", Kind::Zarr2, "a file has this name"),
        ("folder", Kind::Netcdf4, "a folder has this name"),
        ("folder#mode=zarr,zip", Kind::Zarr2, "a folder has this name"),
    ] {
        let error = made(name, kind).err().unwrap().to_string();
        assert!(error.starts_with(&at(name)) && error.contains(says), "{error}");
    }
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 2);
}

#[test]
fn the_folder_in_a_zip_is_what_its_reader_expects() {
    for (name, kind, folder) in [
        ("a/x.zip#mode=nczarr,zip", Kind::Nczarr, Some("x")),
        ("x.zarr.zip", Kind::Nczarr, Some("x.zarr")),
        ("x.zip#mode=zarr,zip", Kind::Zarr2, None),
        ("x.zip#mode=zarr,v3,zip", Kind::Zarr3, None),
        ("x.zip#mode=v3,zip&key=/a", Kind::Zarr3, Some("a")),
        ("x.zip#mode=nczarr,zip&key=/", Kind::Nczarr, None),
        ("x.zip#mode=zarr,zip&key=/a/b", Kind::Zarr2, Some("a/b")),
    ] {
        let location = Location::parse(name).unwrap();
        assert_eq!(location.store(), StoreKind::Zip, "{name}");
        assert_eq!(location.top_folder(kind).as_deref(), folder, "{name}");
    }
}

#[test]
fn messages_name_what_was_typed() {
    let location = Location::parse("file:///no/such%20file.nc").unwrap();
    for error in [
        location.open().err().unwrap(),
        location.destination(Kind::Netcdf4).err().unwrap(),
    ] {
        let error = error.to_string();
        assert!(error.starts_with("file:///no/such%20file.nc: cannot"), "{error}");
    }
    let location = Location::parse_input(Some("-".as_ref())).unwrap();
    assert_eq!(
        (location.to_string().as_str(), location.file_name()),
        ("stdin", None)
    );
    assert_eq!(location, Location::parse_input(None).unwrap());
}

#[test]
fn pipes_are_read_to_their_end() {
    let dir = tempfile::tempdir().unwrap();
    let pipe = dir.path().join("pipe");
    let mode = rustix::fs::Mode::from_raw_mode(0o600);
    rustix::fs::mknodat(rustix::fs::CWD, &pipe, rustix::fs::FileType::Fifo, mode, 0).unwrap();
    let url = format!("file://{}", pipe.display());
    for name in [pipe.to_str().unwrap(), &url] {
        let error = std::thread::scope(|scope| {
            scope.spawn(|| fs::write(&pipe, "no netCDF").unwrap());
            Location::parse(name).unwrap().open().err().unwrap().to_string()
        });
        assert_eq!(error, format!("{name}: not a netCDF file: text"));
    }
}

#[test]
fn a_file_that_is_there_is_a_file() {
    let dir = tempfile::tempdir().unwrap();
    let odd = dir.path().join("store#mode=zarr");
    fs::write(&odd, "CDF").unwrap();
    let location = Location::parse(&odd).unwrap();
    assert_eq!(location.path(), Some(odd.as_path()));
    let error = location.open().err().unwrap().to_string();
    assert!(
        error.contains("store#mode=zarr: damaged file: magic number at byte 0"),
        "{error}"
    );
    fs::write(&odd, "no netCDF").unwrap();
    let error = location.open().err().unwrap().to_string();
    assert!(
        error.ends_with("store#mode=zarr: not a netCDF file: text"),
        "{error}"
    );
    let same = Location::parse(dir.path().join("./store#mode=zarr")).unwrap();
    let error = location.check_output(&same).unwrap_err().to_string();
    assert!(error.contains("are the same file"), "{error}");
    let other = Location::parse(dir.path().join("other")).unwrap();
    assert!(location.check_output(&other).is_ok());
}

#[test]
fn what_a_kind_cannot_hold_is_found_before_anything_is_created() {
    let dir = tempfile::tempdir().unwrap();
    let location = Location::parse(dir.path().join("no/such/directory.nc")).unwrap();
    let mut schema = Schema::new(Kind::Classic);
    let error = location.create(&schema, &[]).err().unwrap().to_string();
    assert!(error.contains("cannot create"), "{error}");
    schema.add_group(Schema::ROOT, "g");
    let error = location.create(&schema, &[]).err().unwrap().to_string();
    assert!(error.contains("group /g"), "{error}");
}
