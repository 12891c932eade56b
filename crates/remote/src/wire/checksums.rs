//! [`Checksum`]: what the body of a put must be, for stores that compare it with what came.
//!
//! | store | header | reference |
//! | --- | --- | --- |
//! | Google | `x-goog-hash: crc32c=…` | XML API, "x-goog-hash" |
//! | Azure | `Content-MD5` | Put Blob, Put Block, Put Block List |
//!
//! `object_store` sends the SHA-256 of a body to S3. Here the other two get theirs, after it has made the request.

use std::pin::Pin;
use std::task::{Context, Poll, Waker};

use base64::prelude::{BASE64_STANDARD, Engine};
use bytes::Bytes;
use http::Method;
use http::header::{AUTHORIZATION, HeaderName, HeaderValue};
use http_body::Body;
use md5::{Digest, Md5};
use object_store::azure::{AzureAccessKey, AzureAuthorizer, AzureCredential};
use object_store::client::{HttpRequest, HttpRequestBody};

/// The checksum that a store compares.
pub(crate) enum Checksum {
    /// None here.
    Unsent,
    /// CRC-32C, for Google.
    Crc32c,
    /// MD5, for Azure.
    Md5 {
        /// The account.
        account: String,
        /// The key that signs requests, their checksum included; `None` if tokens are sent.
        key: Option<AzureCredential>,
    },
}

impl Checksum {
    /// The checksum for Azure. `key` is the account's key in base 64, if it signs.
    pub(crate) fn azure(account: &str, key: Option<&str>) -> Self {
        // `object_store` refuses a key that is malformed.
        let key = key.and_then(|key| AzureAccessKey::try_new(key).ok());
        Self::Md5 {
            account: account.to_owned(),
            key: key.map(AzureCredential::AccessKey),
        }
    }

    /// Adds the checksum of the body to a put. Copies and other requests without a body stay as they are.
    pub(crate) fn add(&self, request: &mut HttpRequest) {
        if matches!(self, Self::Unsent) || request.method() != Method::PUT {
            return;
        }
        let pieces = pieces(request.body());
        if pieces.iter().all(Bytes::is_empty) {
            return;
        }
        let (name, text) = match self {
            Self::Unsent => return,
            Self::Crc32c => {
                let sum = pieces
                    .iter()
                    .fold(0, |sum, piece| crc32c::crc32c_append(sum, piece));
                let sum = BASE64_STANDARD.encode(sum.to_be_bytes());
                ("x-goog-hash", format!("crc32c={sum}"))
            }
            Self::Md5 { .. } => {
                let mut sum = Md5::new();
                pieces.iter().for_each(|piece| sum.update(piece));
                ("content-md5", BASE64_STANDARD.encode(sum.finalize()))
            }
        };
        let Ok(value) = HeaderValue::from_str(&text) else {
            return;
        };
        request.headers_mut().insert(HeaderName::from_static(name), value);
        if let Self::Md5 {
            account,
            key: Some(key),
        } = self
        {
            let before = request.headers_mut().remove(AUTHORIZATION);
            let signed = AzureAuthorizer::new(key, account).try_authorize(request);
            // A request that cannot be signed again goes as it was.
            if let (Err(_), Some(before)) = (signed, before) {
                request.headers_mut().remove(name);
                request.headers_mut().insert(AUTHORIZATION, before);
            }
        }
    }
}

/// The pieces of a body, without a copy of their bytes.
fn pieces(body: &HttpRequestBody) -> Vec<Bytes> {
    let mut body = body.clone();
    let mut context = Context::from_waker(Waker::noop());
    let mut pieces = Vec::new();
    // A body in memory is always ready.
    while let Poll::Ready(Some(Ok(frame))) = Pin::new(&mut body).poll_frame(&mut context) {
        pieces.extend(frame.into_data());
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;
    use object_store::PutPayload;

    fn put(body: impl Into<HttpRequestBody>) -> HttpRequest {
        let mut request = HttpRequest::new(body.into());
        *request.method_mut() = Method::PUT;
        *request.uri_mut() = "http://account.host/container/key".parse().unwrap();
        request
    }

    fn header<'a>(request: &'a HttpRequest, name: &str) -> Option<&'a str> {
        request.headers().get(name)?.to_str().ok()
    }

    #[test]
    fn sums_are_those_of_the_whole_body() {
        // RFC 3720, appendix B.4, and RFC 1321, appendix A.5.
        let zeros = [Bytes::from(vec![0; 20]), Bytes::from(vec![0; 12])];
        let mut request = put(zeros.into_iter().collect::<PutPayload>());
        Checksum::Crc32c.add(&mut request);
        let sum = BASE64_STANDARD.encode(0x8a91_36aa_u32.to_be_bytes());
        assert_eq!(header(&request, "x-goog-hash"), Some(&*format!("crc32c={sum}")));

        let mut request = put(PutPayload::from_iter([
            Bytes::from_static(b"message "),
            Bytes::from_static(b"digest"),
        ]));
        Checksum::azure("account", None).add(&mut request);
        let sum = BASE64_STANDARD.encode([
            0xf9, 0x6b, 0x69, 0x7d, 0x7c, 0xb7, 0x93, 0x8d, 0x52, 0x5a, 0x2f, 0x31, 0xaa, 0xf1, 0x61, 0xd0,
        ]);
        assert_eq!(header(&request, "content-md5"), Some(&*sum));
        assert_eq!(header(&request, "authorization"), None);
    }

    #[test]
    fn requests_without_a_body_stay_as_they_are() {
        for checksum in [Checksum::Crc32c, Checksum::azure("account", None)] {
            let mut copy = put(HttpRequestBody::empty());
            checksum.add(&mut copy);
            assert!(copy.headers().is_empty());
            let mut other = put(Bytes::from_static(b"text"));
            *other.method_mut() = Method::POST;
            checksum.add(&mut other);
            assert!(other.headers().is_empty());
        }
    }

    #[test]
    fn a_shared_key_signs_the_sum() {
        let key = BASE64_STANDARD.encode(b"hunter2hunter2");
        let credential = AzureCredential::AccessKey(AzureAccessKey::try_new(&key).unwrap());
        let mut request = put(Bytes::from_static(b"text"));
        AzureAuthorizer::new(&credential, "account")
            .try_authorize(&mut request)
            .unwrap();
        let before = header(&request, "authorization").unwrap().to_owned();
        Checksum::azure("account", Some(&key)).add(&mut request);
        assert_eq!(request.headers().get_all(AUTHORIZATION).iter().count(), 1);
        let after = header(&request, "authorization").unwrap().to_owned();
        assert!(after.starts_with("SharedKey account:"));
        assert_ne!(after, before);
    }
}
