use super::*;
use crate::wire::service::tests::answer;

#[test]
fn ranges_are_compared() {
    for (range, size, expected) in [
        ("5-9", 100, Some((5, 9))),
        ("5-9", 8, Some((5, 7))),
        ("5-9", 5, None),
        ("0-", 5, Some((0, 4))),
        ("-3", 5, Some((2, 4))),
        ("-9", 5, Some((0, 4))),
        ("0-0", 0, None),
        ("x-1", 5, None),
    ] {
        assert_eq!(within(range, size), expected, "{range} of {size}");
    }
    assert_eq!(content_range("bytes 5-9/100"), Some((5, 9, 100)));
    for text in [
        "bytes 9-5/100",
        "bytes 5-100/100",
        "bytes 5-9/*",
        "bytes */7",
        "5-9/100",
        "bytes 5-9",
    ] {
        assert_eq!(content_range(text), None, "{text}");
    }
}

fn checked(range: Option<&str>, status: u16, headers: &[(&str, &str)]) -> Result<HttpResponse, Failure> {
    super::checked(range, answer(status, headers, ""))
}

#[test]
fn answers_are_compared_with_what_was_asked_for() {
    assert!(checked(None, 200, &[]).is_ok());
    let right = [("content-range", "bytes 5-9/100"), ("content-length", "5")];
    assert!(checked(Some("5-9"), 206, &right).is_ok());
    let alone = checked(Some("5-9"), 206, &right[..1]).unwrap();
    assert_eq!(text(alone.headers(), "content-length"), Some("5"));
    let small = checked(Some("0-99"), 200, &[("content-length", "7")]).unwrap();
    assert_eq!(text(small.headers(), "content-range"), Some("bytes 0-6/7"));
    let fault =
        |range, status, headers: &[(&str, &str)]| checked(range, status, headers).map(drop).unwrap_err();
    assert_eq!(
        fault(Some("5-9"), 200, &[("content-length", "70")]).meaning,
        Meaning::Whole(Some(70))
    );
    assert_eq!(fault(Some("0-9"), 200, &[]).meaning, Meaning::Whole(None));
    for headers in [
        &[][..],
        &[("content-range", "bytes 5-8/100")],
        &[("content-range", "bytes 0-4/100")],
        &[("content-range", "bytes 5-9/100"), ("content-length", "6")],
    ] {
        assert!(
            fault(Some("5-9"), 206, headers).text.contains("another range"),
            "{headers:?}"
        );
    }
    let gzip = [("content-encoding", "gzip")];
    assert!(fault(None, 200, &gzip).text.contains("Content-Encoding: gzip"));
    assert!(checked(None, 200, &[("content-encoding", "identity")]).is_ok());
}
