//! Tests of remote objects, over memory and over a server of their own.

use super::*;
use crate::connect::connect;
use crate::read::download::Download;
use crate::tests::fixtures::parsed;
use crate::tests::test_server::{Answer, TestServer, Variables};
use ncutils_remote_settings::settings::Settings;
use ncutils_store::known_size;
use object_store::ObjectStoreExt;
use object_store::PutPayload;
use object_store::memory::InMemory;
use std::sync::mpsc;

fn data(length: usize) -> Vec<u8> {
    (0..length).map(|n| ((n * 31) >> 3) as u8).collect()
}

fn in_memory(bytes: &[u8]) -> (Arc<InMemory>, Arc<Session>) {
    let store = Arc::new(InMemory::new());
    let session = Session::over(store.clone(), "memory");
    put(&session, bytes);
    (store, session)
}

fn put(session: &Arc<Session>, bytes: &[u8]) {
    let payload = PutPayload::from(bytes.to_vec());
    let path = Path::from("a/x.nc");
    session
        .run(&Task::new("write", ""), |store| {
            let (path, payload) = (path.clone(), payload.clone());
            async move { store.put(&path, payload).await }
        })
        .unwrap();
}

fn opened(session: &Arc<Session>) -> io::Result<Arc<dyn Object>> {
    RemoteObject::open(session, &Path::from("a/x.nc")).map(|opened| opened.object)
}

fn read(object: &dyn Object, offset: u64, length: usize) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; length];
    object.read_exact_at(offset, &mut bytes)?;
    Ok(bytes)
}

#[test]
fn ranges_are_those_of_the_object() {
    let bytes = data(10_000_000);
    let (_, session) = in_memory(&bytes);
    let object = opened(&session).unwrap();
    assert_eq!(known_size(&*object).unwrap(), bytes.len() as u64);
    for (offset, length) in [
        (0, 8),
        (0, 10_000_000),
        (HEAD as usize - 3, 7),
        (9_999_990, 10),
        (600_000, 9_000_000),
    ] {
        let found = read(&*object, offset as u64, length).unwrap();
        assert!(found == bytes[offset..offset + length], "{offset} {length}");
    }
    for (offset, length) in [(9_999_999, 2), (u64::MAX, 1), (10_000_000, 1)] {
        let error = read(&*object, offset, length).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::UnexpectedEof);
    }
    let (tell, told) = mpsc::channel();
    let range = |offset, length| ByteRange { offset, length };
    let ranges = vec![range(5_000_000, 10), range(0, 4), range(5_000_100, 5_000)];
    Arc::clone(&object).fetch(ranges, Box::new(move |found| tell.send(found).unwrap()));
    let found = told.recv().unwrap().unwrap();
    assert_eq!(found[0], bytes[5_000_000..5_000_010]);
    assert_eq!(found[1], bytes[..4]);
    assert_eq!(found[2], bytes[5_000_100..5_005_100]);
}

#[test]
fn small_and_missing_objects() {
    let (_, session) = in_memory(b"abc");
    let object = opened(&session).unwrap();
    assert_eq!(read(&*object, 1, 2).unwrap(), b"bc");
    let missing = RemoteObject::open(&session, &Path::from("b")).err().unwrap();
    assert_eq!(missing.to_string(), "cannot open: no such object");
}

#[test]
fn an_object_that_changes_is_an_error() {
    let (_, session) = in_memory(&data(2_000_000));
    let object = opened(&session).unwrap();
    put(&session, &data(2_000_000));
    let error = read(&*object, 1_500_000, 9).unwrap_err().to_string();
    assert_eq!(
        error,
        "cannot read: the object was replaced or changed while it was read"
    );
    assert!(read(&*object, 0, 9).is_ok(), "the head is in memory");
}

/// A session for a plain server that answers requests for `/x.nc`.
fn served(
    answer: impl Fn(&crate::tests::test_server::Request, usize) -> Answer + Send + Sync + 'static,
) -> (TestServer, Arc<Session>) {
    let server = TestServer::start(answer);
    let session = server.session("/x.nc", &[]);
    (server, session)
}

fn whole(session: &Arc<Session>) -> io::Result<Vec<u8>> {
    let opened = RemoteObject::open(session, &Path::default())?;
    let size = opened.object.size()?.unwrap() as usize;
    read(&*opened.object, 0, size)
}

#[test]
fn opening_is_one_request_and_the_rest_comes_in_pieces() {
    let bytes = data(12_000_000);
    let (expected, tagged) = (bytes.clone(), bytes);
    let (server, session) = served(move |request, _| Answer::of(request, &tagged).with("ETag", "\"1\""));
    assert!(whole(&session).unwrap() == expected);
    let requests = server.requests();
    assert_eq!(requests.len(), 3, "the head, and two pieces");
    assert_eq!(requests[0].header("range"), Some("bytes=0-1048575"));
    assert!(
        requests[1..]
            .iter()
            .all(|request| request.header("if-match") == Some("\"1\""))
    );
    assert!(requests.iter().all(|request| request.target == "/x.nc"));
}

#[test]
fn what_breaks_goes_on_from_there() {
    let bytes = data(1_700_000);
    let served_bytes = bytes.clone();
    let (server, session) = served(move |request, n| {
        let answer = Answer::of(request, &served_bytes).with("ETag", "\"1\"");
        match n {
            0 => Answer::status(503),
            1 => Answer {
                cut: Some(1000),
                ..answer
            },
            2 => Answer {
                cut: Some(0),
                ..answer
            },
            3 => Answer::status(500),
            // Another range than the one that was asked for.
            5 => Answer::status(206)
                .with("Content-Range", "bytes 0-9/1700000")
                .with("Content-Length", "10"),
            _ => answer,
        }
    });
    assert!(whole(&session).unwrap() == bytes);
    let ranges: Vec<_> = server
        .requests()
        .iter()
        .map(|request| request.range().unwrap().0)
        .collect();
    assert_eq!(ranges[..2], [0, 0]);
    assert!((1..=1000).contains(&ranges[2]), "{ranges:?}");
}

#[test]
fn a_body_that_breaks_and_is_another_one_then_is_no_mixture() {
    let (a, b) = (data(1_700_000), vec![7; 1_700_000]);
    let (_, session) = served(move |request, n| match n {
        0 => Answer {
            cut: Some(1000),
            ..Answer::of(request, &a)
        }
        .with("ETag", "\"1\""),
        _ => Answer::of(request, &b).with("ETag", "\"2\""),
    });
    let error = whole(&session).unwrap_err().to_string();
    assert!(
        error.contains("was replaced or changed while it was read"),
        "{error}"
    );
    // Without an ETag, the date tells.
    let (a, b) = (data(1_700_000), vec![7; 1_700_000]);
    let (_, session) = served(move |request, n| match n {
        0 => Answer::of(request, &a).with("Last-Modified", "Sun, 06 Nov 1994 08:49:37 GMT"),
        _ => Answer::of(request, &b).with("Last-Modified", "Sun, 06 Nov 1994 08:49:38 GMT"),
    });
    let error = whole(&session).unwrap_err().to_string();
    assert!(
        error.contains("was replaced or changed while it was read"),
        "{error}"
    );
}

#[test]
fn a_server_without_ranges_is_read_once() {
    let bytes = data(1_700_000);
    let all = bytes.clone();
    let (server, session) = served(move |_, _| Answer {
        body: all.clone(),
        ..Answer::status(200)
    });
    let opened = RemoteObject::open(&session, &Path::default()).unwrap();
    assert!(
        opened
            .warning
            .unwrap()
            .contains("no ranges, so all of it, 1700000 bytes")
    );
    assert!(read(&*opened.object, 0, 1_700_000).unwrap() == bytes);
    assert_eq!(server.requests().len(), 2);
    // All of a small object is in the answer to the first request.
    let (server, session) = served(move |_, _| Answer {
        body: b"CDF\x01".to_vec(),
        ..Answer::status(200)
    });
    assert_eq!(whole(&session).unwrap(), b"CDF\x01");
    assert_eq!(server.requests().len(), 1);
}

#[test]
fn what_is_no_data_is_said() {
    let page = || {
        Answer {
            body: b" <html>login".to_vec(),
            ..Answer::status(200)
        }
        .with("Content-Type", "text/html; charset=utf-8")
    };
    for (answer, says) in [
        (page(), "a web page (text/html) in place of data"),
        (Answer::status(404), "cannot open: no such object"),
        (
            Answer::status(403),
            "the server answered 403; credentials: none, anonymous",
        ),
        (Answer::status(401), "the server answered 401; credentials"),
        (
            Answer {
                body: vec![0; 9],
                ..Answer::status(200)
            }
            .with("Content-Encoding", "gzip"),
            "encoded (Content-Encoding: gzip)",
        ),
        (
            Answer::status(302).with("Location", "ftp://h/x"),
            "redirects to ftp:",
        ),
        (Answer::status(302), "does not say where"),
        (Answer::status(400), "the server answered 400"),
    ] {
        let (server, session) = served(move |_, _| answer.clone());
        let error = whole(&session).unwrap_err().to_string();
        assert!(error.contains(says), "{error}");
        assert_eq!(server.requests().len(), 1, "{says}");
    }
    let (_, session) = served(|request, _| Answer::of(request, b""));
    assert_eq!(whole(&session).unwrap(), b"");
    // Not all that has no first byte, as the server says, is empty.
    let (_, session) = served(|request, number| match number {
        0 => Answer::status(416).with("Content-Range", "bytes */0"),
        _ => Answer::of(request, b"data"),
    });
    assert!(whole(&session).unwrap_err().to_string().contains("416"));
}

#[test]
fn redirects_are_followed_and_credentials_stay() {
    let bytes = data(1000);
    let other = TestServer::start(move |request, _| Answer::of(request, &bytes));
    let target = format!("{}/data?sig=1", other.url);
    let first = TestServer::start(move |_, _| Answer::status(307).with("Location", target.clone()));
    let url = first.url.replace("http://", "http://user:hunter2@");
    let url = parsed(&format!("{url}/x.nc?a=b"));
    let settings = Settings::of(&url, &Variables(&[])).unwrap();
    let session = connect(&url, settings, 8).unwrap();
    assert_eq!(whole(&session).unwrap(), data(1000));
    assert_eq!(
        first.requests()[0].header("authorization"),
        Some("Basic dXNlcjpodW50ZXIy")
    );
    assert_eq!(first.requests()[0].target, "/x.nc?a=b");
    assert_eq!(other.requests()[0].header("authorization"), None);
    assert_eq!(other.requests()[0].header("range"), Some("bytes=0-1048575"));
    assert_eq!(other.requests()[0].target, "/data?sig=1");
    let (server, session) = served(|_, _| Answer::status(302).with("Location", "/x.nc"));
    let error = whole(&session).unwrap_err().to_string();
    assert!(error.contains("more than 5 times"), "{error}");
    assert_eq!(server.requests().len(), 6);
}

#[test]
fn a_redirect_is_followed_once_as_long_as_it_leads_somewhere() {
    for ends in [false, true] {
        let bytes = data(1_700_000);
        let other = TestServer::start(move |request, n| match (ends, n) {
            (true, 1) => Answer::status(403),
            _ => Answer::of(request, &bytes).with("ETag", "\"1\""),
        });
        let target = format!("{}/data?sig=1", other.url);
        let (first, session) = served(move |_, _| Answer::status(307).with("Location", target.clone()));
        assert!(whole(&session).unwrap() == data(1_700_000));
        assert_eq!(first.requests().len(), if ends { 2 } else { 1 });
        assert_eq!(other.requests().len(), if ends { 3 } else { 2 });
        assert!(
            other
                .requests()
                .iter()
                .all(|request| request.target == "/data?sig=1")
        );
    }
}

#[test]
fn what_a_server_says_shows_no_secret() {
    let body = "<Error><Code>Denied</Code><Message>sig hunter2hunter2 is wrong</Message></Error>";
    let server = TestServer::start(move |_, _| Answer {
        body: body.into(),
        ..Answer::status(403)
    });
    let session = server.session("/x.nc?sig=hunter2hunter2", &[]);
    let error = whole(&session).unwrap_err().to_string();
    assert!(error.contains("403 (Denied: sig *** is wrong)"), "{error}");
}

#[test]
fn a_host_that_is_not_there_is_said_soon() {
    let url = parsed("http://127.0.0.1:1/x.nc");
    let settings = Settings::of(&url, &Variables(&[])).unwrap();
    let session = connect(&url, settings, 8).unwrap();
    let error = whole(&session).unwrap_err().to_string();
    assert!(
        error.starts_with("cannot open: no connection: ") && error.ends_with("; tried 4 times"),
        "{error}"
    );
}

/// The variables of a user of S3.
const KEYS: &[(&str, &str)] = &[
    ("AWS_ACCESS_KEY_ID", "AKIATEST"),
    ("AWS_SECRET_ACCESS_KEY", "hunter2hunter2"),
    ("AWS_SESSION_TOKEN", "token2token2"),
];

#[test]
fn requests_to_s3_are_signed_and_go_where_the_bucket_is() {
    let bytes = data(1000);
    let elsewhere = "<Error><Code>AuthorizationHeaderMalformed</Code><Region>eu-west-1</Region></Error>";
    let server = TestServer::start(move |request, _| {
        let signature = request.header("authorization").unwrap_or_default();
        match signature.contains("/eu-west-1/s3/aws4_request") {
            true => Answer::of(request, &bytes).with("ETag", "\"1\""),
            false => Answer {
                body: elsewhere.into(),
                ..Answer::status(400)
            },
        }
    });
    let session = server.session("/bucket/a/x.nc#mode=s3", KEYS);
    let object = opened(&session).unwrap();
    assert_eq!(read(&*object, 0, 1000).unwrap(), data(1000));
    let requests = server.requests();
    assert_eq!(requests.len(), 2);
    assert!(
        requests[0]
            .header("authorization")
            .unwrap()
            .contains("Credential=AKIATEST/")
    );
    assert_eq!(requests[1].header("x-amz-security-token"), Some("token2token2"));
    assert_eq!(requests[1].target, "/bucket/a/x.nc");
}

#[test]
fn a_wrong_clock_is_an_error_that_names_the_difference() {
    for (date, says) in [
        (
            Some("Fri, 01 Jan 2100 00:00:00 GMT"),
            "s ahead of it; set the clock",
        ),
        (
            Some("Fri, 01 Jan 1999 00:00:00 GMT"),
            "s behind it; set the clock",
        ),
        (None, "(RequestTimeTooSkewed); set the clock"),
    ] {
        let server = TestServer::start(move |_, _| {
            let body = b"<Error><Code>RequestTimeTooSkewed</Code></Error>".to_vec();
            let answer = Answer {
                body,
                ..Answer::status(403)
            };
            date.map_or(answer.clone(), |date| answer.with("Date", date))
        });
        let session = server.session("/bucket/a/x.nc#mode=s3", KEYS);
        let error = opened(&session).err().unwrap().to_string();
        assert!(
            error.contains("this machine's clock") && error.ends_with(says),
            "{error}"
        );
        assert_eq!(server.requests().len(), 1, "no other try helps");
    }
}

#[test]
fn refusals_of_s3_name_credentials_and_bucket() {
    for (status, code, says) in [
        (
            403,
            "AccessDenied",
            "credentials: temporary access key AKIATEST (from AWS_ACCESS_KEY_ID)",
        ),
        (404, "NoSuchBucket", "no such bucket: bucket at http://127.0.0.1"),
        (404, "NoSuchKey", "no such object (NoSuchKey: token *** hunter)"),
        (400, "ExpiredToken", "ExpiredToken"),
        (403, "RequestTimeTooSkewed", "s ahead of it; set the clock"),
    ] {
        let body = format!("<Error><Code>{code}</Code><Message>token token2token2 hunter</Message></Error>");
        let server = TestServer::start(move |_, _| {
            let answer = Answer {
                body: body.clone().into(),
                ..Answer::status(status)
            };
            answer.with("Date", "Fri, 01 Jan 2100 00:00:00 GMT")
        });
        let error = opened(&server.session("/bucket/a/x.nc#mode=s3", KEYS))
            .err()
            .unwrap()
            .to_string();
        assert!(error.contains(says), "{error}");
        assert!(
            !error.contains("token2token2") && !error.contains("hunter2"),
            "{error}"
        );
    }
}

#[test]
fn a_value_that_breaks_and_begins_anew_each_time_is_given_up() {
    let server = TestServer::start(|_, _| Answer {
        body: b"0123456789".to_vec(),
        cut: Some(4),
        ..Answer::status(200)
    });
    let session = Session::over(server.session("/x", &[]).store(), "test");
    let task = Task::new("read", "x");
    let download = Download::new(Path::default(), None, None, None, false);
    let tried = session.run(&task, |store| download.tried(store, &task));
    let error = tried.unwrap_err().to_string();
    assert!(error.contains("tried 10 times"), "{error}");
    assert_eq!(server.requests().len(), 10);
}

#[test]
fn an_object_that_is_opened_again_is_the_one_that_it_was() {
    let (_, session) = in_memory(&data(100));
    opened(&session).unwrap();
    opened(&session).unwrap();
    put(&session, &data(101));
    let error = opened(&session).err().unwrap().to_string();
    assert!(
        error.ends_with("the object was replaced or changed while it was read"),
        "{error}"
    );
}

#[test]
fn a_range_that_came_whole_needs_no_end() {
    let data: Vec<u8> = (0..3_000_000u32).map(|n| (n >> 2) as u8).collect();
    let served = data.clone();
    let server = TestServer::start(move |request, _| {
        let answer = Answer::of(request, &served);
        // Chunks without the last one, which is empty.
        let mut body = format!("{:x}\r\n", answer.body.len()).into_bytes();
        body.extend_from_slice(&answer.body);
        body.extend_from_slice(b"\r\n");
        Answer { body, ..answer }.with("Transfer-Encoding", "chunked")
    });
    let session = server.session("/x", &[]);
    let opened = RemoteObject::open(&session, &Path::default()).unwrap();
    let mut found = vec![0; data.len()];
    opened.object.read_exact_at(0, &mut found).unwrap();
    assert!(found == data);
    assert!(server.requests().len() <= 4, "{}", server.requests().len());
}
