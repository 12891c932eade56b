use super::*;
use crate::wire::Meaning;
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
        let refusal = gone(is_plain).map(drop).unwrap_err();
        assert_eq!(refusal.status.unwrap(), code);
    }
    assert!(status(204, &[], "").is_ok());
    let long: &'static str = "x".repeat(1 << 20).leak();
    assert!(status(500, &[], long).is_err());
    let (mut bytes, body) = (Vec::new(), answer(500, &[], long).into_body());
    let read = runtime.block_on(read(body, MOST_OF_A_REFUSAL, REFUSAL, &mut bytes));
    assert_eq!((read, bytes.len()), (Err(Failure::too_long()), MOST_OF_A_REFUSAL));
    let region = [("x-amz-bucket-region", "eu-west-1")];
    let elsewhere = "<Error><Code>AuthorizationHeaderMalformed</Code></Error>";
    assert_eq!(
        status(400, &region, elsewhere),
        Err(Failure::other_region("eu-west-1"))
    );
    assert_eq!(status(403, &region, "").unwrap_err().meaning, Meaning::Refused);
}
