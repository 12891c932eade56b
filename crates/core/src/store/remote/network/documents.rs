//! What answers say in their documents, though their status is success.
//!
//! | document | is |
//! | --- | --- |
//! | `Error`, in place of any other | a refusal: S3 has begun to answer before it knew |
//! | `DeleteResult` with errors | the first refusal |
//! | `ListBucketResult`, truncated and without a token | a list that nobody can complete |
//! | `ListBucketResult` that does not say whether it is truncated, or whose keys are encoded | no list |
//! | `CopyObjectResult` and the like, which is not there | a copy that was not made |

use bytes::Bytes;
use http::{HeaderMap, StatusCode};

use super::failure::element;
use super::fault::Fault;

/// Answers that `object_store` reads as "all are deleted".
const ALL_DELETED: &[u8] = b"<DeleteResult><Deleted><Key>-</Key></Deleted></DeleteResult>";

/// The name of a document's first element; empty if there is none.
pub(super) fn root(body: &[u8]) -> &[u8] {
    let mut rest = body;
    while let Some(at) = rest.iter().position(|byte| *byte == b'<') {
        rest = &rest[at + 1..];
        if !matches!(rest.first(), Some(b'?' | b'!')) {
            let end = rest
                .iter()
                .position(|byte| byte.is_ascii_whitespace() || matches!(byte, b'>' | b'/'));
            return &rest[..end.unwrap_or(rest.len())];
        }
    }
    &[]
}

/// Finds a refusal in an answer whose status is success.
///
/// # Errors
/// The refusal.
pub(super) fn check_refusal(status: StatusCode, body: &[u8]) -> Result<(), Fault> {
    match root(body) {
        b"Error" => Err(refusal(status, body)),
        _ => Ok(()),
    }
}

fn refusal(status: StatusCode, document: &[u8]) -> Fault {
    Fault::Status {
        status,
        body: String::from_utf8_lossy(document).into_owned(),
    }
}

/// True for the method, path and query of a request that deletes many objects.
pub(super) fn is_deletion(method: &http::Method, path_and_query: &str) -> bool {
    let query = path_and_query.split_once('?').map_or("", |(_, query)| query);
    *method == http::Method::POST && query.split('&').any(|pair| matches!(pair, "delete" | "delete="))
}

/// The answer to the deletion of many objects, as `object_store` can read it: its errors have keys that were asked for, and it is
/// not empty. Objects that were not there count as deleted there.
///
/// # Errors
/// The first refusal.
pub(super) fn deleted(status: StatusCode, body: Bytes, asked: &[u8]) -> Result<Bytes, Fault> {
    if !matches!(root(&body), b"" | b"DeleteResult") {
        return Err(Fault::NoAnswer("the server's answer to a deletion is none"));
    }
    let text = String::from_utf8_lossy(&body);
    let mut has_result = text.contains("<Deleted>");
    for error in text.split("<Error>").skip(1) {
        let error = error.split("</Error>").next().unwrap_or_default();
        if element(error, "Code") != Some("NoSuchKey") {
            return Err(refusal(status, error.as_bytes()));
        }
        let key = format!("<Key>{}</Key>", element(error, "Key").unwrap_or_default());
        if !asked.windows(key.len()).any(|window| window == key.as_bytes()) {
            return Err(Fault::NoAnswer(
                "the server's answer to a deletion tells of an object that was not asked for",
            ));
        }
        has_result = true;
    }
    Ok(match has_result {
        true => body,
        false => Bytes::from_static(ALL_DELETED),
    })
}

/// Checks a page of a list: it is the last one and says so, or says how the list goes on. A key that is missing in a list reads as
/// fill, so nothing is guessed.
///
/// # Errors
/// [`Fault::CutList`], [`Fault::NoAnswer`].
pub(super) fn check_list(status: StatusCode, body: &[u8]) -> Result<(), Fault> {
    let text = String::from_utf8_lossy(body);
    let is_plain = !text.contains("<!DOCTYPE") && element(&text, "EncodingType").is_none();
    if status != StatusCode::OK || !is_plain {
        return Err(Fault::NoAnswer(
            "the server's list of keys is in a form that was not asked for",
        ));
    }
    if root(body) == b"EnumerationResults" {
        return match text.contains("<NextMarker") {
            true => Ok(()),
            false => Err(Fault::CutList),
        };
    }
    let goes_on = || element(&text, "NextContinuationToken").is_some_and(|token| !token.is_empty());
    match element(&text, "IsTruncated") {
        Some("false") => Ok(()),
        Some("true") if goes_on() => Ok(()),
        Some("true") => Err(Fault::CutList),
        _ => Err(Fault::NoAnswer(
            "the server's list of keys does not say whether it is complete",
        )),
    }
}

/// True for the headers of a request that copies an object within a store whose answer is a document.
pub(super) fn is_copy(headers: &HeaderMap) -> bool {
    ["x-amz-copy-source", "x-goog-copy-source"]
        .iter()
        .any(|name| headers.contains_key(*name))
}

/// Checks that an answer tells of a copy.
///
/// # Errors
/// [`Fault::Broken`]: the copy may be made again.
pub(super) fn check_copied(body: &[u8]) -> Result<(), Fault> {
    match root(body) {
        b"CopyObjectResult" | b"CopyPartResult" => Ok(()),
        _ => Err(Fault::Broken(
            "the server does not say that it made a copy".to_owned(),
        )),
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
            assert!(matches!(list(unsure), Err(Fault::NoAnswer(_))), "{unsure}");
        }
        let whole = "<ListBucketResult><IsTruncated>false</IsTruncated></ListBucketResult>";
        assert!(check_list(StatusCode::PARTIAL_CONTENT, whole.as_bytes()).is_err());
        assert!(page(format!("<!DOCTYPE x>{whole}")).is_err());
        let azure = |inside: &str| page(format!("<EnumerationResults>{inside}</EnumerationResults>"));
        assert!(azure("<NextMarker/>").is_ok() && azure("").is_err());
        let token = "<NextContinuationToken>t</NextContinuationToken>";
        assert!(list(&format!("<IsTruncated>true</IsTruncated>{token}")).is_ok());
        assert_eq!(list("<IsTruncated>true</IsTruncated>"), Err(Fault::CutList));
        assert!(
            list("<IsTruncated> true </IsTruncated><NextContinuationToken></NextContinuationToken>").is_err()
        );
    }

    #[test]
    fn copies_are_told() {
        assert!(check_copied(b"<?xml version='1.0'?> <CopyObjectResult/>").is_ok());
        for body in ["", "<html/>"] {
            assert!(
                matches!(check_copied(body.as_bytes()), Err(Fault::Broken(_))),
                "{body}"
            );
        }
    }

    #[test]
    fn answers_to_deletions_are_those_that_were_asked_for() {
        let asked = b"<Delete><Object><Key>a&amp;b</Key></Object></Delete>";
        let answer = |body: &'static str| deleted(StatusCode::OK, Bytes::from_static(body.as_bytes()), asked);
        for empty in ["", "<DeleteResult/>", "<DeleteResult xmlns=\"x\"></DeleteResult>"] {
            assert_eq!(answer(empty).unwrap(), ALL_DELETED, "{empty}");
        }
        assert!(answer("<DeleteResult><Deleted><Key>a&amp;b</Key></Deleted></DeleteResult>").is_ok());
        let error = |key: &str, code: &str| {
            let body =
                format!("<DeleteResult><Error><Key>{key}</Key><Code>{code}</Code></Error></DeleteResult>");
            deleted(StatusCode::OK, Bytes::from(body), asked)
        };
        assert!(error("a&amp;b", "NoSuchKey").is_ok());
        assert!(error("c", "NoSuchKey").is_err());
        assert!(matches!(error("c", "AccessDenied"), Err(Fault::Status { .. })));
        assert!(answer("<html></html>").is_err());
        assert!(is_deletion(&http::Method::POST, "/b?delete"));
        assert!(!is_deletion(&http::Method::POST, "/b/k?uploads"));
    }
}
