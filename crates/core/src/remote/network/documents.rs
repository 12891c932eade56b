//! What answers say in their documents, though their status is success.
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

use std::collections::HashSet;

use bytes::Bytes;
use http::{HeaderMap, StatusCode};

use super::failure::element;
use super::fault::Fault;

/// The code, in an answer that was made here, for a key that the server does not say it deleted.
pub(super) const NOT_NAMED: &str = "NotNamed";

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

/// The answer to the deletion of many objects, as `object_store` can read it. Keys that the server does not name count as not
/// there: who deletes then looks.
///
/// # Errors
/// The first refusal.
pub(super) fn deleted(status: StatusCode, body: &[u8], asked: &[u8]) -> Result<Bytes, Fault> {
    if !matches!(root(body), b"" | b"DeleteResult") {
        return Err(Fault::NoAnswer("the server's answer to a deletion is none"));
    }
    let (text, asked) = (String::from_utf8_lossy(body), String::from_utf8_lossy(asked));
    let keys = || elements(&asked, "Key");
    let wanted: HashSet<String> = keys().map(unescaped).collect();
    for error in elements(&text, "Error") {
        if element(error, "Code") != Some("NoSuchKey") {
            return Err(refusal(status, error.as_bytes()));
        }
        let key = elements(error, "Key").next().unwrap_or_default();
        if !wanted.contains(&unescaped(key)) {
            return Err(Fault::NoAnswer(
                "the server's answer to a deletion tells of an object that was not asked for",
            ));
        }
    }
    let deleted: HashSet<String> = elements(&text, "Deleted")
        .filter_map(|one| elements(one, "Key").next())
        .map(unescaped)
        .collect();
    let mut answer = "<DeleteResult>".to_owned();
    for key in keys() {
        answer.push_str(&match deleted.contains(&unescaped(key)) {
            true => format!("<Deleted><Key>{key}</Key></Deleted>"),
            false => {
                format!("<Error><Key>{key}</Key><Code>{NOT_NAMED}</Code><Message>-</Message></Error>")
            }
        });
    }
    answer.push_str("</DeleteResult>");
    Ok(answer.into())
}

/// The contents of all elements of a name that has no attributes.
fn elements<'a>(xml: &'a str, name: &str) -> impl Iterator<Item = &'a str> {
    let (begin, end) = (format!("<{name}>"), format!("</{name}>"));
    let mut rest = xml;
    std::iter::from_fn(move || {
        let (_, behind) = rest.split_once(begin.as_str())?;
        let (content, behind) = behind.split_once(end.as_str())?;
        rest = behind;
        Some(content)
    })
}

/// A text of XML without its entities. Servers escape more or fewer characters than clients do.
fn unescaped(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once('&') {
        plain.push_str(before);
        let (name, behind) = behind.split_once(';').unwrap_or((behind, ""));
        let number = name
            .strip_prefix('#')
            .and_then(|digits| match digits.strip_prefix('x') {
                Some(digits) => u32::from_str_radix(digits, 16).ok(),
                None => digits.parse().ok(),
            });
        match (name, number.and_then(char::from_u32)) {
            ("amp", _) => plain.push('&'),
            ("lt", _) => plain.push('<'),
            ("gt", _) => plain.push('>'),
            ("quot", _) => plain.push('"'),
            ("apos", _) => plain.push('\''),
            (_, Some(character)) => plain.push(character),
            (name, None) => plain.push_str(name),
        }
        rest = behind;
    }
    plain.push_str(rest);
    plain
}

/// Checks a page of a list: it is the last one and says so, or says how the list goes on. A key that is missing in a list reads as
/// fill, so nothing is guessed.
///
/// # Errors
/// [`Fault::CutList`], [`Fault::NoAnswer`].
pub(super) fn check_list(status: StatusCode, body: &[u8]) -> Result<(), Fault> {
    let text = String::from_utf8_lossy(body);
    // Parsers treat these constructs differently, so a list with one of them is refused.
    let root = String::from_utf8_lossy(root(body)).into_owned();
    let ends = text.trim_end().ends_with(&format!("</{root}>"));
    let is_plain = !text.contains("<!DOCTYPE")
        && !text.contains("<!--")
        && !text.contains("<![CDATA[")
        && element(&text, "EncodingType").is_none();
    if status != StatusCode::OK || !is_plain || !ends || text.matches(&format!("</{root}>")).count() != 1 {
        return Err(Fault::NoAnswer(
            "the server's list of keys is in a form that was not asked for",
        ));
    }
    if root == "EnumerationResults" {
        return match text.contains("<NextMarker") {
            true => Ok(()),
            false => Err(Fault::CutList),
        };
    }
    let told = element(&text, "KeyCount").and_then(|count| count.parse::<usize>().ok());
    let came = elements(&text, "Contents").count() + elements(&text, "CommonPrefixes").count();
    if told.is_some_and(|told| told > came) {
        return Err(Fault::NoAnswer("the server's list has fewer keys than it tells"));
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

/// Checks that an object is not one that Azure is still copying. Such an object has another content, or none.
///
/// # Errors
/// [`Fault::Broken`]: the copy may be there a moment later.
pub(super) fn check_copy_status(headers: &HeaderMap) -> Result<(), Fault> {
    match super::service::text(headers, "x-ms-copy-status") {
        None | Some("success") => Ok(()),
        Some("pending") => Err(Fault::Broken("the store is still copying the object".to_owned())),
        Some(_) => Err(Fault::Broken("the store did not copy the object".to_owned())),
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
        let asked = b"<Delete><Object><Key>a&amp;b</Key></Object><Object><Key>c'd</Key></Object></Delete>";
        let answer = |body: &str| deleted(StatusCode::OK, body.as_bytes(), asked);
        let made = |body: &str| String::from_utf8(answer(body).unwrap().to_vec()).unwrap();
        let gone = |key: &str| format!("<Deleted><Key>{key}</Key></Deleted>");
        let missing = |key: &str| {
            format!("<Error><Key>{key}</Key><Code>{NOT_NAMED}</Code><Message>-</Message></Error>")
        };
        for (said, first, second) in [
            ("".to_owned(), false, false),
            ("<DeleteResult/>".to_owned(), false, false),
            (gone("other"), false, false),
            (gone("a&#38;b"), true, false),
            (gone("a&#x26;b") + &gone("c&apos;d"), true, true),
            (
                "<Deleted><VersionId>1</VersionId><Key>c'd</Key></Deleted>".to_owned(),
                false,
                true,
            ),
            (
                "<Error><Key>a&amp;b</Key><Code>NoSuchKey</Code></Error>".to_owned() + &gone("c'd"),
                false,
                true,
            ),
        ] {
            let one = |key: &str, is_gone: bool| if is_gone { gone(key) } else { missing(key) };
            let wanted = one("a&amp;b", first) + &one("c'd", second);
            let said = match said.starts_with("<Del") && !said.starts_with("<DeleteResult")
                || said.contains("<Err")
            {
                true => format!("<DeleteResult>{said}</DeleteResult>"),
                false => said,
            };
            assert_eq!(
                made(&said),
                format!("<DeleteResult>{wanted}</DeleteResult>"),
                "{said}"
            );
        }
        let error = |key: &str, code: &str| {
            let body =
                format!("<DeleteResult><Error><Key>{key}</Key><Code>{code}</Code></Error></DeleteResult>");
            deleted(StatusCode::OK, body.as_bytes(), asked)
        };
        assert!(error("a&amp;b", "NoSuchKey").is_ok());
        assert!(error("c", "NoSuchKey").is_err());
        assert!(matches!(error("c", "AccessDenied"), Err(Fault::Status { .. })));
        assert!(answer("<html></html>").is_err());
        assert!(is_deletion(&http::Method::POST, "/b?delete"));
        assert!(!is_deletion(&http::Method::POST, "/b/k?uploads"));
    }
}
