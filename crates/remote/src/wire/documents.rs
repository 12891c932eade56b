//! [`Document`]: what answers say in their documents, though their status is success.
//!
//! | document | is |
//! | --- | --- |
//! | `Error`, in place of any other | a refusal: S3 has begun to answer before it knew |
//! | `DeleteResult` with errors | the first refusal |
//! | `DeleteResult` that does not name a key | the key may still be there |
//! | `ListBucketResult`, truncated and without a token | a list that nobody can complete |
//! | `ListBucketResult` that does not say whether it is truncated, or whose keys are encoded | no list |
//! | `CopyObjectResult` and the like, which is not there | a copy that was not made |
//! | the header `x-ms-copy-status` of Azure, which is not `success` | an object that is not there yet |
//! | a page of HTML | no data: without this a page in place of a list would be a list without keys, and data would read as fill |

use std::collections::HashSet;

use bytes::Bytes;
use http::header::{ETAG, HeaderMap, HeaderValue};
use http::response::Parts;
use http::{Method, StatusCode};
use object_store::client::HttpRequest;
use serde::Deserialize;

use super::failure::{Failure, Meaning, clean};
use super::headers::text;

/// The document that answers a request.
pub(crate) enum Document {
    /// None: bytes of an object.
    Object,
    /// None: the size of an object.
    Head,
    /// A page of a list.
    List,
    /// What was deleted, of these keys.
    Deleted(Bytes),
    /// That a copy was made.
    Copied,
    /// Nothing that matters, of a put of a whole object.
    Put,
    /// Anything else.
    Other,
}

/// A page of a list, of S3 and Google or of Azure.
#[derive(Default, Deserialize)]
#[serde(default, rename_all = "PascalCase")]
struct Page {
    contents: Vec<Empty>,
    common_prefixes: Vec<Empty>,
    key_count: Option<String>,
    is_truncated: Option<String>,
    next_continuation_token: Option<String>,
    next_marker: Option<String>,
    encoding_type: Option<String>,
}

#[derive(Deserialize)]
struct Empty {}

/// A request to delete, and its answer.
#[derive(Default, Deserialize)]
#[serde(default, rename_all = "PascalCase")]
struct Deletion {
    object: Vec<Key>,
    deleted: Vec<Key>,
    error: Vec<Key>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "PascalCase")]
struct Key {
    key: String,
    code: String,
    message: String,
}

impl Document {
    /// What a request calls for.
    pub(crate) fn of(request: &HttpRequest) -> Self {
        let target = request
            .uri()
            .path_and_query()
            .map(ToString::to_string)
            .unwrap_or_default();
        let is_copy = ["x-amz-copy-source", "x-goog-copy-source"];
        match *request.method() {
            Method::HEAD => Self::Head,
            Method::GET if is_list(&target) => Self::List,
            Method::GET => Self::Object,
            Method::POST if is_deletion(&target) => {
                Self::Deleted(request.body().as_bytes().cloned().unwrap_or_default())
            }
            Method::PUT if is_copy.iter().any(|name| request.headers().contains_key(*name)) => Self::Copied,
            Method::PUT if !target.contains("partNumber=") => Self::Put,
            _ => Self::Other,
        }
    }

    /// Checks the document of an answer. Returns it as `object_store` can read it.
    ///
    /// # Errors
    /// What is wrong with it.
    pub(crate) fn checked(self, head: &mut Parts, body: Bytes) -> Result<Bytes, Failure> {
        check_refusal(head.status, &body)?;
        if let Self::Copied = self {
            check_copied(&body)?;
        }
        let is_keys = || matches!(root(&body), b"ListBucketResult" | b"EnumerationResults");
        let is_page = !body.is_empty() && text(&head.headers, "content-type").is_some_and(is_html);
        if is_page || (matches!(self, Self::List) && !is_keys()) {
            return Err(Failure::web_page());
        }
        match self {
            Self::Head => check_copy_status(&head.headers)?,
            Self::List => check_list(head.status, &body)?,
            Self::Deleted(asked) => check_deleted(head.status, &body, &asked)?,
            // `object_store` takes a put without an ETag for a failure. Nobody asks for the ETag of a whole object.
            Self::Put | Self::Copied => {
                head.headers
                    .entry(ETAG)
                    .or_insert(HeaderValue::from_static("\"-\""));
            }
            Self::Object | Self::Other => {}
        }
        Ok(body)
    }
}

/// The name of a document's first element; empty if there is none.
fn root(body: &[u8]) -> &[u8] {
    let tags = body.split(|byte| *byte == b'<').skip(1);
    let mut elements = tags.filter(|tag| !tag.starts_with(b"?") && !tag.starts_with(b"!"));
    let is_end = |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, b'>' | b'/');
    elements
        .next()
        .and_then(|tag| tag.split(is_end).next())
        .unwrap_or_default()
}

/// Finds a refusal in an answer whose status is success.
///
/// # Errors
/// The refusal.
fn check_refusal(status: StatusCode, body: &[u8]) -> Result<(), Failure> {
    match root(body) {
        b"Error" => Err(Failure::of_status(status, &String::from_utf8_lossy(body))),
        _ => Ok(()),
    }
}

/// True for the path and query of a request that deletes many objects.
fn is_deletion(path_and_query: &str) -> bool {
    let query = path_and_query.split_once('?').map_or("", |(_, query)| query);
    query.split('&').any(|pair| matches!(pair, "delete" | "delete="))
}

/// True for the path and query of a page of a list.
fn is_list(path_and_query: &str) -> bool {
    let query = path_and_query.split_once('?').map_or("", |(_, query)| query);
    let is_it = |pair: &str| pair.starts_with("list-type=") || pair.starts_with("comp=list");
    query.split('&').any(is_it)
}

fn is_html(content_type: &str) -> bool {
    content_type.to_ascii_lowercase().starts_with("text/html")
}

/// Checks the answer to the deletion of many objects.
///
/// # Errors
/// The first refusal; [`Meaning::Unconfirmed`] for keys that the server does not name. They may not have been there.
fn check_deleted(status: StatusCode, body: &[u8], asked: &[u8]) -> Result<(), Failure> {
    let parsed = |xml: &[u8]| quick_xml::de::from_str::<Deletion>(&String::from_utf8_lossy(xml));
    let answer = match root(body) {
        b"" => Deletion::default(),
        b"DeleteResult" => parsed(body).unwrap_or_default(),
        _ => return Err(Failure::last("the server's answer to a deletion is none")),
    };
    let asked = parsed(asked).unwrap_or_default().object;
    let wanted: HashSet<&str> = asked.iter().map(|object| object.key.as_str()).collect();
    for Key { key, code, message } in &answer.error {
        if code != "NoSuchKey" {
            return Err(Failure::of_refusal(status, &clean(code), &clean(message)));
        }
        if !wanted.contains(key.as_str()) {
            return Err(Failure::last(
                "the server's answer to a deletion tells of an object that was not asked for",
            ));
        }
    }
    let deleted: HashSet<&str> = answer.deleted.iter().map(|object| object.key.as_str()).collect();
    match wanted.is_subset(&deleted) {
        true => Ok(()),
        false => Err(Failure::new(
            Meaning::Unconfirmed,
            "the server does not say that it deleted all objects",
        )),
    }
}

/// Checks a page of a list: it is the last one and says so, or says how the list goes on. A key that is missing in a list reads as
/// fill, so nothing is guessed.
///
/// # Errors
/// A page that is cut, or is none.
fn check_list(status: StatusCode, body: &[u8]) -> Result<(), Failure> {
    let cut = || {
        Failure::last(
            "the server's list of keys is cut, and the server does not tell how it goes on; lists of version 2 of S3 are needed",
        )
    };
    let text = String::from_utf8_lossy(body);
    let root = String::from_utf8_lossy(root(body));
    let end = format!("</{root}>");
    // Parsers treat comments and the like differently, so a list with one of them is refused.
    let is_plain = !text.contains("<!") && text.trim_end().ends_with(&end) && text.matches(&end).count() == 1;
    let page = quick_xml::de::from_str::<Page>(&text).ok();
    let page = page.filter(|page| status == StatusCode::OK && is_plain && page.encoding_type.is_none());
    let Some(page) = page else {
        return Err(Failure::last(
            "the server's list of keys is in a form that was not asked for",
        ));
    };
    if root == "EnumerationResults" {
        return page.next_marker.map(drop).ok_or_else(cut);
    }
    let came = page.contents.len() + page.common_prefixes.len();
    let told: Option<usize> = page.key_count.and_then(|count| count.trim().parse().ok());
    if told.is_some_and(|told| told > came) {
        return Err(Failure::last("the server's list has fewer keys than it tells"));
    }
    let goes_on = page
        .next_continuation_token
        .is_some_and(|token| !token.trim().is_empty());
    match page.is_truncated.as_deref().map(str::trim) {
        Some("false") => Ok(()),
        Some("true") if goes_on => Ok(()),
        Some("true") => Err(cut()),
        _ => Err(Failure::last(
            "the server's list of keys does not say whether it is complete",
        )),
    }
}

/// Checks that an object is not one that Azure is still copying. Such an object has another content, or none.
///
/// # Errors
/// [`Meaning::Passing`]: the copy may be there a moment later.
fn check_copy_status(headers: &HeaderMap) -> Result<(), Failure> {
    match text(headers, "x-ms-copy-status") {
        None | Some("success") => Ok(()),
        Some("pending") => Err(Failure::passing("the store is still copying the object")),
        Some(_) => Err(Failure::passing("the store did not copy the object")),
    }
}

/// Checks that an answer tells of a copy.
///
/// # Errors
/// [`Meaning::Passing`]: the copy may be made again.
fn check_copied(body: &[u8]) -> Result<(), Failure> {
    match root(body) {
        b"CopyObjectResult" | b"CopyPartResult" => Ok(()),
        _ => Err(Failure::passing("the server does not say that it made a copy")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_element_is_the_root() {
        for (body, name) in [
            ("", ""),
            (
                "<?xml version=\"1.0\"?>\n<!-- c --><Error><Code>x</Code>",
                "Error",
            ),
            ("<ListBucketResult xmlns=\"a\">", "ListBucketResult"),
            ("<DeleteResult/>", "DeleteResult"),
            ("text", ""),
        ] {
            assert_eq!(root(body.as_bytes()), name.as_bytes(), "{body}");
        }
        assert!(check_refusal(StatusCode::OK, b"<Error><Code>InternalError</Code></Error>").is_err());
        assert!(check_refusal(StatusCode::OK, b"<CopyObjectResult/>").is_ok());
    }

    #[test]
    fn lists_that_are_cut_are_refused() {
        let page = |text: String| check_list(StatusCode::OK, text.as_bytes());
        let list = |inside: &str| page(format!("<ListBucketResult>{inside}</ListBucketResult>"));
        assert!(list("<IsTruncated>false</IsTruncated>").is_ok());
        for unsure in [
            "",
            "<IsTruncated>False</IsTruncated>",
            "<IsTruncated>maybe</IsTruncated>",
            "<IsTruncated>false</IsTruncated><EncodingType>url</EncodingType>",
        ] {
            assert!(list(unsure).is_err(), "{unsure}");
        }
        let whole = "<ListBucketResult><IsTruncated>false</IsTruncated></ListBucketResult>";
        assert!(check_list(StatusCode::PARTIAL_CONTENT, whole.as_bytes()).is_err());
        for twisted in [
            format!("<!DOCTYPE x>{whole}"),
            format!("{whole}<Contents><Key>k</Key></Contents>"),
            format!("{whole}{whole}"),
            "<ListBucketResult><IsTruncated>false</IsTruncated>".to_owned(),
        ] {
            assert!(page(twisted.clone()).is_err(), "{twisted}");
        }
        let end = "<IsTruncated>false</IsTruncated>";
        let keys = "<Contents><Key>k</Key></Contents><CommonPrefixes><Prefix>p/</Prefix></CommonPrefixes>";
        for (count, is_right) in [("2", true), ("1", true), ("3", false)] {
            let found = list(&format!("<KeyCount>{count}</KeyCount>{keys}{end}"));
            assert_eq!(found.is_ok(), is_right, "{count}");
        }
        assert!(list(&format!("<!-- {end} --><IsTruncated>true</IsTruncated>")).is_err());
        let azure = |inside: &str| page(format!("<EnumerationResults>{inside}</EnumerationResults>"));
        assert!(azure("<NextMarker/>").is_ok() && azure("").is_err());
        let token = "<NextContinuationToken>t</NextContinuationToken>";
        assert!(list(&format!("<IsTruncated>true</IsTruncated>{token}")).is_ok());
        let cut = list("<IsTruncated>true</IsTruncated>").unwrap_err();
        assert!(cut.text.contains("is cut"), "{cut}");
        assert!(
            list("<IsTruncated> true </IsTruncated><NextContinuationToken></NextContinuationToken>").is_err()
        );
    }

    #[test]
    fn copies_are_told() {
        assert!(check_copied(b"<?xml version='1.0'?> <CopyObjectResult/>").is_ok());
        for body in ["", "<html/>"] {
            assert!(
                check_copied(body.as_bytes()).unwrap_err().meaning.may_pass(),
                "{body}"
            );
        }
    }

    #[test]
    fn answers_to_deletions_are_those_that_were_asked_for() {
        let asked = b"<Delete><Object><Key>a&amp;b</Key></Object><Object><Key>c'd</Key></Object></Delete>";
        let answer = |body: &str| check_deleted(StatusCode::OK, body.as_bytes(), asked);
        let gone = |key: &str| format!("<Deleted><Key>{key}</Key></Deleted>");
        let all = gone("a&#x26;b") + &gone("c&apos;d");
        assert!(answer(&format!("<DeleteResult>{all}</DeleteResult>")).is_ok());
        for said in [
            String::new(),
            gone("other"),
            gone("a&#38;b"),
            "<Deleted><VersionId>1</VersionId><Key>c'd</Key></Deleted>".to_owned(),
            "<Error><Key>a&amp;b</Key><Code>NoSuchKey</Code></Error>".to_owned() + &gone("c'd"),
        ] {
            let unconfirmed = answer(&format!("<DeleteResult>{said}</DeleteResult>")).unwrap_err();
            assert_eq!(unconfirmed.meaning, Meaning::Unconfirmed, "{said}");
        }
        assert_eq!(answer("").unwrap_err().meaning, Meaning::Unconfirmed);
        let error = |key: &str, code: &str| {
            let body =
                format!("<DeleteResult><Error><Key>{key}</Key><Code>{code}</Code></Error></DeleteResult>");
            check_deleted(StatusCode::OK, body.as_bytes(), asked).unwrap_err()
        };
        assert_eq!(error("a&amp;b", "NoSuchKey").meaning, Meaning::Unconfirmed);
        assert_eq!(error("c", "NoSuchKey").meaning, Meaning::Final);
        assert_eq!(error("c", "AccessDenied").status, Some(StatusCode::OK));
        assert!(answer("<html></html>").is_err());
        assert!(is_deletion("/b?delete"));
        assert!(!is_deletion("/b/k?uploads"));
    }
}
