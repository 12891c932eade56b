//! Uploads in parts.

use std::collections::BTreeMap;
use std::fmt::Write;

use bytes::Bytes;
use http::HeaderValue;

use super::objects::{Store, Upload, etag};
use super::reply::{self, error, escaped};
use super::{Answer, Asked, write};

/// Smallest size of all parts but the last, in bytes, as Google has it.
const SMALLEST: usize = 5 << 20;

/// Begins an upload.
pub fn begin(store: &mut Store, asked: &Asked) -> Answer {
    let id = format!("upload-{}", store.next());
    let upload = Upload {
        bucket: asked.bucket.clone(),
        key: asked.key.clone(),
        parts: BTreeMap::new(),
    };
    store.uploads.insert(id.clone(), upload);
    reply::xml(
        200,
        &format!(
            "<InitiateMultipartUploadResult><Bucket>{}</Bucket><Key>{}</Key><UploadId>{id}</UploadId></InitiateMultipartUploadResult>",
            escaped(&asked.bucket),
            escaped(&asked.key)
        ),
    )
}

/// Takes a part.
pub fn part(store: &mut Store, asked: &Asked) -> Answer {
    let number = asked
        .query
        .get("partNumber")
        .and_then(|number| number.parse().ok());
    let Some(number) = number.filter(|number| (1..=10_000).contains(number)) else {
        return error(400, "InvalidArgument");
    };
    if !write::is_whole(asked) {
        return error(400, "BadDigest");
    }
    let tag = etag(&asked.body, store.next());
    let Some(upload) = named(store, asked) else {
        return error(404, "NoSuchUpload");
    };
    upload.parts.insert(number, (asked.body.clone(), tag.clone()));
    let mut answer = reply::empty(200);
    if let Ok(tag) = HeaderValue::from_str(&tag) {
        answer.headers_mut().insert("etag", tag);
    }
    answer
}

/// Makes the object of the parts that the body lists.
pub fn complete(store: &mut Store, asked: &Asked) -> Answer {
    if !write::is_expected(store, asked) {
        return error(412, "PreconditionFailed");
    }
    let Some(upload) = named(store, asked) else {
        return error(404, "NoSuchUpload");
    };
    let text = String::from_utf8_lossy(&asked.body).replace("&quot;", "\"");
    let mut pieces: Vec<Bytes> = Vec::new();
    let mut last = 0;
    for element in text.split("<Part>").skip(1) {
        let number = inside(element, "PartNumber").and_then(|number| number.parse().ok());
        let found = number.and_then(|number: u32| upload.parts.get(&number));
        match (number, found, inside(element, "ETag")) {
            (Some(number), Some((bytes, tag)), Some(stated))
                if tag.trim_matches('"') == stated.trim_matches('"') =>
            {
                if number <= last {
                    return error(400, "InvalidPartOrder");
                }
                last = number;
                pieces.push(bytes.clone());
            }
            _ => return error(400, "InvalidPart"),
        }
    }
    if pieces.is_empty() {
        return error(400, "MalformedCompleteMultipartUploadRequest");
    }
    if pieces.iter().rev().skip(1).any(|piece| piece.len() < SMALLEST) {
        return error(400, "EntityTooSmall");
    }
    store
        .uploads
        .remove(asked.query.get("uploadId").map_or("", String::as_str));
    let object = store.put(&asked.bucket, &asked.key, pieces.concat().into());
    let mut answer = reply::xml(
        200,
        &format!(
            "<CompleteMultipartUploadResult><Bucket>{}</Bucket><Key>{}</Key><ETag>{}</ETag></CompleteMultipartUploadResult>",
            escaped(&asked.bucket),
            escaped(&asked.key),
            escaped(&object.etag)
        ),
    );
    reply::describe(&mut answer, &object);
    answer
}

/// Ends an upload without an object.
pub fn abort(store: &mut Store, asked: &Asked) -> Answer {
    match named(store, asked).is_some() {
        true => {
            store
                .uploads
                .remove(asked.query.get("uploadId").map_or("", String::as_str));
            reply::empty(204)
        }
        false => error(404, "NoSuchUpload"),
    }
}

/// Lists the uploads of a bucket.
pub fn list(store: &Store, asked: &Asked) -> Answer {
    let prefix = asked.query.get("prefix").map_or("", String::as_str);
    let mut elements = String::new();
    for (id, upload) in &store.uploads {
        if upload.bucket == asked.bucket && upload.key.starts_with(prefix) {
            let key = escaped(&upload.key);
            let _ = write!(
                elements,
                "<Upload><Key>{key}</Key><UploadId>{id}</UploadId></Upload>"
            );
        }
    }
    reply::xml(
        200,
        &format!(
            "<ListMultipartUploadsResult><IsTruncated>false</IsTruncated>{elements}</ListMultipartUploadsResult>"
        ),
    )
}

/// The upload that a request names, if it is of the same object.
fn named<'a>(store: &'a mut Store, asked: &Asked) -> Option<&'a mut Upload> {
    let upload = store.uploads.get_mut(asked.query.get("uploadId")?)?;
    (upload.bucket == asked.bucket && upload.key == asked.key).then_some(upload)
}

/// The text of an element.
fn inside<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let (_, rest) = text.split_once(&format!("<{name}>"))?;
    Some(rest.split_once(&format!("</{name}>"))?.0.trim())
}
