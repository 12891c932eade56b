//! Signing a request of S3 again, for the time of a server whose clock differs from this machine's.
//!
//! `object_store` signs by this machine's clock. The date, and the signature over it, are replaced here: version 4 of AWS's
//! signatures.

use std::fmt::Write;

use http::HeaderValue;
use http::header::{AUTHORIZATION, HOST};
use object_store::aws::AwsCredential;
use object_store::client::HttpRequest;
use sha2::{Digest, Sha256};
use url::Url;

use super::date::stamp;

const ALGORITHM: &str = "AWS4-HMAC-SHA256";

/// Bytes of a block of SHA-256 (FIPS 180-4).
const BLOCK: usize = 64;

/// Dates a signed request anew, as of `now` in seconds since 1970, and signs it by the same key. Returns false, and changes
/// nothing, if the request is not signed by this key.
pub(super) fn sign_again(request: &mut HttpRequest, key: &AwsCredential, now: i64) -> bool {
    let signed = again(request, key, now);
    let Some((date, signature)) = signed else {
        return false;
    };
    request.headers_mut().insert("x-amz-date", date);
    request.headers_mut().insert(AUTHORIZATION, signature);
    true
}

/// The date, and the header `Authorization`.
fn again(request: &HttpRequest, key: &AwsCredential, now: i64) -> Option<(HeaderValue, HeaderValue)> {
    let text = |name: &str| request.headers().get(name)?.to_str().ok();
    let fields = text("authorization")?.strip_prefix(ALGORITHM)?;
    let field = |name: &str| {
        fields
            .split(',')
            .find_map(|field| field.trim().strip_prefix(name)?.strip_prefix('='))
    };
    let mut scope = field("Credential")?
        .strip_prefix(key.key_id.as_str())?
        .strip_prefix('/')?
        .split('/');
    let (_, region, service) = (scope.next()?, scope.next()?, scope.next()?);
    let names = field("SignedHeaders")?;
    let url = Url::parse(&request.uri().to_string()).ok()?;
    let date = stamp(now)?;
    let day = date.get(..8)?;

    let mut canonical = format!("{}\n{}\n{}\n", request.method(), url.path(), query(&url));
    for name in names.split(';') {
        let value = match name {
            "x-amz-date" => date.clone(),
            // The client sets it.
            "host" if !request.headers().contains_key(HOST) => {
                url[url::Position::BeforeHost..url::Position::AfterPort].to_owned()
            }
            name => {
                let values: Option<Vec<String>> = request
                    .headers()
                    .get_all(name)
                    .iter()
                    .map(|value| {
                        Some(
                            value
                                .to_str()
                                .ok()?
                                .split_whitespace()
                                .collect::<Vec<_>>()
                                .join(" "),
                        )
                    })
                    .collect();
                values?.join(",")
            }
        };
        writeln!(canonical, "{name}:{value}").ok()?;
    }
    write!(canonical, "\n{names}\n{}", text("x-amz-content-sha256")?).ok()?;

    let scope = format!("{day}/{region}/{service}/aws4_request");
    let to_sign = format!(
        "{ALGORITHM}\n{date}\n{scope}\n{}",
        hex(&Sha256::digest(canonical.as_bytes()))
    );
    let mut signing = format!("AWS4{}", key.secret_key).into_bytes();
    for part in [day, region, service, "aws4_request", &to_sign] {
        signing = hmac(&signing, part.as_bytes());
    }
    let header = format!(
        "{ALGORITHM} Credential={}/{scope}, SignedHeaders={names}, Signature={}",
        key.key_id,
        hex(&signing)
    );
    Some((date.parse().ok()?, header.parse().ok()?))
}

/// The query, with its pairs escaped and sorted.
fn query(url: &Url) -> String {
    let mut pairs: Vec<(String, String)> = url
        .query_pairs()
        .map(|(name, value)| (escaped(&name), escaped(&value)))
        .collect();
    pairs.sort_unstable();
    let pairs: Vec<String> = pairs
        .into_iter()
        .map(|(name, value)| format!("{name}={value}"))
        .collect();
    pairs.join("&")
}

fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' => {
                escaped.push(char::from(byte))
            }

            byte => {
                let _ = write!(escaped, "%{byte:02X}");
            }
        }
    }
    escaped
}

fn hex(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len() * 2);
    for byte in bytes {
        let _ = write!(text, "{byte:02x}");
    }
    text
}

/// HMAC with SHA-256: RFC 2104, section 2.
fn hmac(key: &[u8], message: &[u8]) -> Vec<u8> {
    let mut block = [0; BLOCK];
    match key.len() > BLOCK {
        true => block[..32].copy_from_slice(&Sha256::digest(key)),
        false => block[..key.len()].copy_from_slice(key),
    }
    let pad = |with: u8| block.map(|byte| byte ^ with);
    let inner = Sha256::new()
        .chain_update(pad(0x36))
        .chain_update(message)
        .finalize();
    let outer = Sha256::new()
        .chain_update(pad(0x5c))
        .chain_update(inner)
        .finalize();
    outer.to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_of_messages() {
        // RFC 4231, sections 4.3 and 4.7.
        assert_eq!(
            hex(&hmac(b"Jefe", b"what do ya want for nothing?")),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        );
        assert_eq!(
            hex(&hmac(
                &[0xaa; 131],
                b"Test Using Larger Than Block-Size Key - Hash Key First"
            )),
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
        );
    }

    #[test]
    fn the_same_time_gives_the_same_signature() {
        use object_store::aws::AwsAuthorizer;
        use object_store::client::HttpRequestBody;

        let key = AwsCredential {
            key_id: "AKIATEST".to_owned(),
            secret_key: "hunter2hunter2".to_owned(),
            token: Some("token".to_owned()),
        };
        let mut request = HttpRequest::new(HttpRequestBody::empty());
        *request.uri_mut() = "http://h:9000/bucket/a%20b?prefix=x%2Fy&list-type=2&delimiter=%2F"
            .parse()
            .unwrap();
        request
            .headers_mut()
            .insert("range", "bytes=0-5".parse().unwrap());
        AwsAuthorizer::new(&key, "s3", "eu-west-1")
            .try_authorize(&mut request, None)
            .unwrap();
        let (date, signature) = (
            request.headers()["x-amz-date"].clone(),
            request.headers()[AUTHORIZATION].clone(),
        );
        let text = date.to_str().unwrap();
        let readable = format!(
            "{}-{}-{}T{}:{}:{}Z",
            &text[..4],
            &text[4..6],
            &text[6..8],
            &text[9..11],
            &text[11..13],
            &text[13..15]
        );
        let now = super::super::date::parse(&readable).unwrap();
        assert!(sign_again(&mut request, &key, now + 3600));
        assert_ne!(request.headers()[AUTHORIZATION], signature);
        assert!(sign_again(&mut request, &key, now));
        assert_eq!(request.headers()["x-amz-date"], date);
        assert_eq!(request.headers()[AUTHORIZATION], signature);
        let other = AwsCredential {
            key_id: "AKIAOTHER".to_owned(),
            ..key
        };
        assert!(!sign_again(&mut request, &other, now));
    }
}
