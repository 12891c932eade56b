//! Objects and lists of them.

use std::fmt::Write;

use bytes::Bytes;
use http::{HeaderValue, Response, StatusCode};
use http_body_util::Full;

use super::objects::Store;
use super::reply::{self, error};
use super::{Answer, Asked};

/// Most entries of one page.
const PAGE: usize = 1000;

/// An object, or a range of it.
pub fn object(store: &Store, asked: &Asked) -> Answer {
    let Some(object) = store.object(&asked.bucket, &asked.key) else {
        return error(404, "NoSuchKey");
    };
    let wanted = asked.query.get("generation");
    if wanted.is_some_and(|wanted| *wanted != object.generation.to_string()) {
        return error(404, "NoSuchKey");
    }
    if asked
        .header("if-match")
        .is_some_and(|etag| etag != object.etag && etag != "*")
    {
        return error(412, "PreconditionFailed");
    }
    if asked
        .header("if-none-match")
        .is_some_and(|etag| etag == object.etag || etag == "*")
    {
        return reply::empty(304);
    }
    let size = object.bytes.len();
    let range = match asked.header("range") {
        None => None,
        Some(text) => match range(text, size) {
            Some(range) => Some(range),
            None => return error(416, "InvalidRange"),
        },
    };
    let (first, end) = range.unwrap_or((0, size));
    let is_head = asked.method == "HEAD";
    let body = if is_head {
        Bytes::new()
    } else {
        object.bytes.slice(first..end)
    };
    let mut answer = Response::new(Full::new(body));
    reply::describe(&mut answer, object);
    if range.is_some() {
        *answer.status_mut() = StatusCode::PARTIAL_CONTENT;
        let stated = format!("bytes {first}-{}/{size}", end.saturating_sub(1));
        if let Ok(stated) = HeaderValue::from_str(&stated) {
            answer.headers_mut().insert("content-range", stated);
        }
    }
    answer
        .headers_mut()
        .insert("content-length", HeaderValue::from(end - first));
    answer
}

/// The first byte of a range and the one behind its last; `None` if it is not in the object.
fn range(text: &str, size: usize) -> Option<(usize, usize)> {
    let (first, last) = text.strip_prefix("bytes=")?.split_once('-')?;
    let (first, end) = match (first, last) {
        ("", last) => (size.saturating_sub(last.parse().ok()?), size),
        (first, "") => (first.parse().ok()?, size),
        (first, last) => (
            first.parse().ok()?,
            last.parse::<usize>().ok()?.checked_add(1)?.min(size),
        ),
    };
    (first < end).then_some((first, end))
}

/// A page of the keys of a bucket.
pub fn list(store: &Store, asked: &Asked) -> Answer {
    let text = |name: &str| asked.query.get(name).map_or("", String::as_str);
    let (prefix, delimiter) = (text("prefix"), text("delimiter"));
    let after = text("start-after").max(text("continuation-token"));
    let most = text("max-keys")
        .parse()
        .map_or(PAGE, |most: usize| most.min(PAGE));
    let objects = store.buckets.get(&asked.bucket).into_iter().flatten();
    let (mut contents, mut folders) = (String::new(), String::new());
    let (mut count, mut last, mut next) = (0, "", None);
    let mut folder: Option<&str> = None;
    for (key, object) in objects.filter(|(key, _)| key.starts_with(prefix)) {
        let rest = &key[prefix.len()..];
        let cut = rest.find(delimiter).filter(|_| !delimiter.is_empty());
        let entry = cut.map_or(key.as_str(), |at| &key[..prefix.len() + at + delimiter.len()]);
        // The token of a page is its last entry.
        if entry <= after || folder == Some(entry) {
            continue;
        }
        if count == most {
            next = Some(last);
            break;
        }
        count += 1;
        last = entry;
        if cut.is_some() {
            folder = Some(entry);
            let _ = write!(
                folders,
                "<CommonPrefixes><Prefix>{}</Prefix></CommonPrefixes>",
                reply::escaped(entry)
            );
        } else {
            let _ = write!(
                contents,
                "<Contents><Key>{}</Key><Generation>{}</Generation><LastModified>{}</LastModified><ETag>{}</ETag><Size>{}</Size></Contents>",
                reply::escaped(key),
                object.generation,
                reply::time(object.made),
                reply::escaped(&object.etag),
                object.bytes.len()
            );
        }
    }
    let next = next.map_or_else(
        || "<IsTruncated>false</IsTruncated>".to_owned(),
        |token| {
            let token = reply::escaped(token);
            format!("<IsTruncated>true</IsTruncated><NextContinuationToken>{token}</NextContinuationToken>")
        },
    );
    reply::xml(
        200,
        &format!(
            "<ListBucketResult xmlns='http://doc.s3.amazonaws.com/2006-03-01'><Name>{}</Name><Prefix>{}</Prefix>{next}{contents}{folders}</ListBucketResult>",
            reply::escaped(&asked.bucket),
            reply::escaped(prefix)
        ),
    )
}

#[cfg(test)]
mod tests {
    use super::range;

    #[test]
    fn ranges_are_cut_to_the_object() {
        assert_eq!(range("bytes=0-9", 100), Some((0, 10)));
        assert_eq!(range("bytes=90-999", 100), Some((90, 100)));
        assert_eq!(range("bytes=90-", 100), Some((90, 100)));
        assert_eq!(range("bytes=-7", 100), Some((93, 100)));
        assert_eq!(range("bytes=100-", 100), None);
        assert_eq!(range("bytes=0-0", 0), None);
    }
}
