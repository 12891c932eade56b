use super::*;
use http::header;

pub(crate) fn answer(status: u16, headers: &[(&str, &str)], body: &'static str) -> HttpResponse {
    let mut response = HttpResponse::new(HttpResponseBody::from(body.to_owned()));
    *response.status_mut() = StatusCode::from_u16(status).unwrap();
    for (name, value) in headers {
        let name = header::HeaderName::from_bytes(name.as_bytes()).unwrap();
        response
            .headers_mut()
            .insert(name, HeaderValue::from_str(value).unwrap());
    }
    response
}

#[test]
fn refusals_are_read_in_part() {
    let runtime = crate::requests::runtime().unwrap();
    let status = |status, headers: &[(&str, &str)], body| {
        runtime
            .block_on(checked_status(answer(status, headers, body), false, None))
            .map(drop)
    };
    let gone = |is_plain| runtime.block_on(checked_status(answer(410, &[], ""), is_plain, None));
    for (is_plain, code) in [(true, 404), (false, 410)] {
        let Err(Fault::Status { status, .. }) = gone(is_plain) else {
            panic!();
        };
        assert_eq!(status, code);
    }
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
