//! Tests of remote stores of keys, over memory and over a server of their own.

use super::*;
use crate::requests::RemoteStore;
use crate::tests::test_server::{Answer, TestServer};
use object_store::memory::InMemory;
use object_store::{ObjectStoreExt, PutPayload};
use std::sync::mpsc;

fn in_memory(keys: &[&str]) -> Arc<Session> {
    let session = Session::over(Arc::new(InMemory::new()), "memory");
    for key in keys {
        let path = Path::from(*key);
        let payload = PutPayload::from(key.as_bytes().to_vec());
        let write = |store: Arc<dyn RemoteStore>| {
            let (path, payload) = (path.clone(), payload.clone());
            async move { store.put(&path, payload).await }
        };
        session.run(&Task::new("write", *key), write).unwrap();
    }
    session
}

fn range(offset: u64, length: usize) -> GetRange {
    GetRange::Range(ByteRange { offset, length })
}

#[test]
fn keys_are_those_below_the_prefix() {
    let session = in_memory(&["p/.zgroup", "p/v/.zarray", "p/v/0.0", "p/v/0.1", "pq/x", "y"]);
    let keys = RemoteKeys::open(&session, "p", &[".zgroup", ".zmetadata"]).unwrap();
    assert!(keys.has_known());
    assert_eq!(
        keys.get(".zgroup", GetRange::Whole).unwrap().unwrap(),
        b"p/.zgroup"
    );
    assert_eq!(keys.size(".zmetadata").unwrap(), None);
    assert_eq!(keys.size("v/0.0").unwrap(), Some(7));
    assert_eq!(keys.get("v/9", GetRange::Whole).unwrap(), None);
    for (part, found) in [
        (range(2, 3), "v/0"),
        (range(5, 100), ".0"),
        (range(2, 0), ""),
        (GetRange::Suffix(3), "0.0"),
        (GetRange::Suffix(100), "p/v/0.0"),
    ] {
        let value = keys.get("v/0.0", part).unwrap().unwrap();
        assert_eq!(String::from_utf8(value).unwrap(), found, "{part:?}");
    }
    assert_eq!(keys.list("").unwrap(), [".zgroup", "v/.zarray", "v/0.0", "v/0.1"]);
    assert_eq!(keys.list("v/0").unwrap(), ["v/0.0", "v/0.1"]);
    assert_eq!(keys.list("w/").unwrap(), [""; 0]);
    assert_eq!(keys.list_children("").unwrap(), [".zgroup", "v/"]);
    assert_eq!(keys.list_children("v/").unwrap(), [".zarray", "0.0", "0.1"]);
    let (tell, told) = mpsc::channel();
    let gets = ["v/0.1", "none", ".zgroup"].map(Get::whole).to_vec();
    Arc::clone(&keys).fetch(gets, Box::new(move |found| tell.send(found).unwrap()));
    let found = told.recv().unwrap().unwrap();
    assert_eq!(
        found,
        [Some(b"p/v/0.1".to_vec()), None, Some(b"p/.zgroup".to_vec())]
    );
    let bucket = RemoteKeys::open(&session, "", &["y"]).unwrap();
    assert_eq!(bucket.list("").unwrap().len(), 6);
    assert_eq!(bucket.list_children("").unwrap(), ["p/", "pq/", "y"]);
}

#[test]
fn many_keys_are_listed_in_ranges() {
    let names: Vec<String> = (0..2345).map(|n| format!("p/v/c/{n}/0")).collect();
    let others = ["p/v/zarr.json", "p/a", "p/z/1"];
    let all: Vec<&str> = names.iter().map(String::as_str).chain(others).collect();
    let keys = RemoteKeys::open(&in_memory(&all), "p", &[]).unwrap();
    assert_eq!(keys.list("v/").unwrap().len(), 2346);
    assert_eq!(keys.list("").unwrap().len(), 2348);
    assert_eq!(bounds("p/v/c/0/0", 4, "p/v/c/7/0")[..2], ["p/v/c/75", "p/v/c/8"]);
    assert!(bounds("p/v/x", 4, "p/v/x").is_empty());
}

#[test]
fn a_refusal_is_no_absence_and_a_refused_list_none() {
    let server = TestServer::start(|request, _| match request.target.contains("list-type") {
        true => Answer::status(403),
        false if request.target.contains("secret") => Answer::status(403),
        false => Answer::status(404),
    });
    let session = server.session("/bucket/p#mode=s3", &[]);
    let keys = RemoteKeys::open(&session, "p", &[]).unwrap();
    assert_eq!(keys.get("v/0", GetRange::Whole).unwrap(), None);
    let error = keys.get("v/secret", GetRange::Whole).unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::PermissionDenied);
    assert!(
        error
            .to_string()
            .starts_with("cannot read v/secret: the server answered 403"),
        "{error}"
    );
    assert_eq!(keys.list("v/").unwrap_err().kind(), io::ErrorKind::Unsupported);
    assert_eq!(
        keys.list_children("").unwrap_err().kind(),
        io::ErrorKind::Unsupported
    );
}

#[test]
fn plain_servers_have_keys_that_cannot_be_listed() {
    let server = TestServer::start(|request, _| match request.target.as_str() {
        "/x.zarr/.zmetadata?key=1" => Answer::of(request, b"{}"),
        "/x.zarr/v/0.1?key=1" => Answer::of(request, b"0123456789"),
        "/x.zarr/v/0.0?key=1" => Answer {
            body: b"0123456789".to_vec(),
            ..Answer::status(200)
        },
        _ => Answer::status(404),
    });
    let keys = RemoteKeys::open(
        &server.session("/x.zarr?key=1", &[]),
        "",
        &[".zmetadata", ".zgroup"],
    )
    .unwrap();
    assert_eq!(keys.get(".zmetadata", GetRange::Whole).unwrap().unwrap(), b"{}");
    assert_eq!(keys.get(".zgroup", GetRange::Whole).unwrap(), None);
    assert_eq!(
        keys.get("v/0.0", GetRange::Whole).unwrap().unwrap(),
        b"0123456789"
    );
    assert_eq!(
        keys.get("v/0.0", range(3, 2)).unwrap().unwrap(),
        b"34",
        "of a server without ranges"
    );
    assert_eq!(keys.get("v/0.1", range(3, 2)).unwrap().unwrap(), b"34");
    assert_eq!(
        keys.get("v/0.1", range(10, 2)).unwrap().unwrap(),
        b"",
        "behind the end"
    );
    assert_eq!(
        keys.list_children("").unwrap_err().kind(),
        io::ErrorKind::Unsupported
    );
}

#[test]
fn keys_of_a_writer_are_in_no_list() {
    let names = [
        ".ncutils-partial",
        ".ncutils-partial-1/.zgroup",
        ".zgroup",
        "v/.ncutils",
    ];
    let session = in_memory(
        &names
            .map(|name| format!("p/{name}"))
            .each_ref()
            .map(String::as_str),
    );
    let keys = RemoteKeys::open(&session, "p", &[".ncutils-partial"]).unwrap();
    assert_eq!(keys.list("").unwrap(), [".zgroup", "v/.ncutils"]);
    assert_eq!(keys.list_children("").unwrap(), [".zgroup", "v/"]);
    assert!(
        keys.size(".ncutils-partial").unwrap().is_some(),
        "who asks for it sees it"
    );
}

#[test]
fn an_object_that_is_being_copied_is_waited_for() {
    let server = TestServer::start(|_, number| {
        let answer = Answer::status(200).with("Content-Length", "7");
        match number {
            0..2 => answer.with("x-ms-copy-status", "pending"),
            _ => answer.with("x-ms-copy-status", "success"),
        }
    });
    let session = server.session("/bucket/p#mode=zarr,s3&aws.profile=no", &[]);
    let keys = RemoteKeys::open(&session, "p", &[]).unwrap();
    assert_eq!(keys.size("v/0").unwrap(), Some(7));
    assert_eq!(server.requests().len(), 3);
}

#[test]
fn many_threads_list_one_folder() {
    let page = |keys: std::ops::Range<usize>, more: &str| {
        let entry = |n| {
            format!(
                "<Contents><Key>p/{n:04}</Key><LastModified>2020-01-01T00:00:00Z</LastModified><ETag>1</ETag><Size>1</Size></Contents>"
            )
        };
        let entries: String = keys.map(entry).collect();
        format!("<ListBucketResult>{more}{entries}</ListBucketResult>")
    };
    let more = "<IsTruncated>true</IsTruncated><NextContinuationToken>more</NextContinuationToken>";
    let (first, last) = (
        page(0..500, more),
        page(500..900, "<IsTruncated>false</IsTruncated>"),
    );
    let server = TestServer::start(move |request, _| Answer {
        body: match request.target.contains("continuation-token") {
            true => last.clone().into(),
            false => first.clone().into(),
        },
        ..Answer::status(200)
    });
    let session = server.session("/bucket/p#mode=zarr,s3&aws.profile=no", &[]);
    let keys = RemoteKeys::open(&session, "p", &[]).unwrap();
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                for _ in 0..20 {
                    assert_eq!(keys.list("").unwrap().len(), 900);
                }
            });
        }
    });
}

#[test]
fn a_list_that_has_no_end_is_an_error() {
    let page = |names: &str| {
        format!(
            "<ListBucketResult><IsTruncated>true</IsTruncated><NextContinuationToken>more</NextContinuationToken>{names}</ListBucketResult>"
        )
    };
    let entry = "<Contents><Key>p/a</Key><LastModified>2020-01-01T00:00:00Z</LastModified><ETag>1</ETag><Size>1</Size></Contents>";
    for names in ["", entry] {
        let body = page(names);
        let server = TestServer::start(move |request, _| match request.target.contains("list-type") {
            true => Answer {
                body: body.clone().into(),
                ..Answer::status(200)
            },
            false => Answer::status(404),
        });
        let session = server.session("/bucket/p#mode=zarr,s3&aws.profile=no", &[]);
        let keys = RemoteKeys::open(&session, "p", &[]).unwrap();
        for error in [keys.list("").unwrap_err(), keys.list_children("").unwrap_err()] {
            assert!(error.to_string().contains("no end"), "{error}");
        }
        assert!(server.requests().len() <= 6, "{}", server.requests().len());
    }
}

fn put(session: &Arc<Session>, key: &str, value: &[u8]) {
    let payload = PutPayload::from(value.to_vec());
    let write = |store: Arc<dyn RemoteStore>| {
        let payload = payload.clone();
        async move { store.put(&Path::from(key), payload).await }
    };
    session.run(&Task::new("write", key), write).unwrap();
}

#[test]
fn bytes_of_two_versions_of_a_value_are_never_given() {
    for (first, second) in [
        (GetRange::Suffix(2), range(0, 2)),
        (range(0, 2), range(3, 2)),
        (GetRange::Whole, GetRange::Whole),
        (GetRange::Whole, range(0, 2)),
        (range(0, 2), GetRange::Whole),
    ] {
        let session = in_memory(&["p/v/0"]);
        let keys = RemoteKeys::open(&session, "p", &[]).unwrap();
        keys.get("v/0", first).unwrap();
        keys.get("v/0", second).unwrap();
        put(&session, "p/v/0", b"P/V/0");
        let error = keys.get("v/0", second).unwrap_err();
        assert_eq!(
            error.to_string(),
            "cannot read v/0: the object was replaced or changed while it was read",
            "{first:?} {second:?}"
        );
        assert!(keys.size("v/0").is_err());
    }
}

#[test]
fn values_are_as_long_as_the_list_said_and_are_there() {
    let session = in_memory(&["p/v/0", "p/v/1"]);
    let keys = RemoteKeys::open(&session, "p", &[]).unwrap();
    assert_eq!(keys.list("v/").unwrap(), ["v/0", "v/1"]);
    assert_eq!(keys.get("v/0", GetRange::Whole).unwrap().unwrap(), b"p/v/0");
    for value in [b"".as_slice(), b"p/v", b"p/v/1 and more"] {
        put(&session, "p/v/1", value);
        let error = keys.get("v/1", GetRange::Whole).unwrap_err().to_string();
        let said = format!(
            "cannot read v/1: the server sent an object of {} bytes, and listed 5",
            value.len()
        );
        assert!(error.starts_with(&said), "{error}");
    }
    let delete = |store: Arc<dyn RemoteStore>| async move { store.delete(&Path::from("p/v/0")).await };
    session.run(&Task::new("delete", ""), delete).unwrap();
    for part in [GetRange::Whole, range(0, 2)] {
        let error = keys.get("v/0", part).unwrap_err().to_string();
        assert_eq!(
            error,
            "cannot read v/0: no such object, though the server listed it"
        );
    }
}
