use super::*;

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

fn answer(status: u16, headers: &[(&str, &str)], body: &'static str) -> HttpResponse {
    let mut response = HttpResponse::new(HttpResponseBody::from(body.to_owned()));
    *response.status_mut() = StatusCode::from_u16(status).unwrap();
    for (name, value) in headers {
        let name = header::HeaderName::from_bytes(name.as_bytes()).unwrap();
        set(response.headers_mut(), name, value);
    }
    response
}

fn checked(range: Option<&str>, status: u16, headers: &[(&str, &str)]) -> Result<HttpResponse, Fault> {
    let wanted = Wanted {
        method: Method::GET,
        range: range.map(str::to_owned),
    };
    let runtime = crate::store::remote::network::runtime::runtime().unwrap();
    runtime.block_on(wanted.checked(answer(status, headers, "")))
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
        fault(Some("5-9"), 200, &[("content-length", "70")]),
        Fault::Whole { size: Some(70) }
    );
    assert_eq!(fault(Some("0-9"), 200, &[]), Fault::Whole { size: None });
    for headers in [
        &[][..],
        &[("content-range", "bytes 5-8/100")],
        &[("content-range", "bytes 0-4/100")],
        &[("content-range", "bytes 5-9/100"), ("content-length", "6")],
    ] {
        assert!(
            matches!(fault(Some("5-9"), 206, headers), Fault::WrongRange(_)),
            "{headers:?}"
        );
    }
    let gzip = [("content-encoding", "gzip")];
    assert_eq!(fault(None, 200, &gzip), Fault::Encoded("gzip".to_owned()));
    assert!(checked(None, 200, &[("content-encoding", "identity")]).is_ok());
}

#[test]
fn refusals_are_read_in_part() {
    let runtime = crate::store::remote::network::runtime::runtime().unwrap();
    let status = |status, headers: &[(&str, &str)], body| {
        runtime
            .block_on(checked_status(answer(status, headers, body)))
            .map(drop)
    };
    assert!(status(204, &[], "").is_ok());
    let long: &'static str = "x".repeat(1 << 20).leak();
    let Err(Fault::Status { body, .. }) = status(500, &[], long) else {
        panic!();
    };
    assert_eq!(body.len(), MOST_OF_A_REFUSAL);
    let region = [("x-amz-bucket-region", "eu-west-1")];
    let elsewhere = "<Error><Code>AuthorizationHeaderMalformed</Code></Error>";
    assert_eq!(
        status(400, &region, elsewhere),
        Err(Fault::OtherRegion("eu-west-1".to_owned()))
    );
    assert!(matches!(status(403, &region, ""), Err(Fault::Status { .. })));
}
