//! Objects that are put, copied and deleted.

use percent_encoding::percent_decode_str;

use super::objects::Store;
use super::reply::{self, error};
use super::{Answer, Asked};

/// True if `x-goog-if-generation-match` holds: 0 means that there is no object.
pub fn is_expected(store: &Store, asked: &Asked) -> bool {
    let found = store
        .object(&asked.bucket, &asked.key)
        .map_or(0, |object| object.generation);
    let wanted = asked.header("x-goog-if-generation-match");
    wanted.is_none_or(|wanted| wanted == found.to_string())
}

/// True if the body has the checksum that `x-goog-hash` states.
pub fn is_whole(asked: &Asked) -> bool {
    let hashes = asked.header("x-goog-hash").unwrap_or_default().split(',');
    let stated = hashes
        .filter_map(|hash| hash.trim().strip_prefix("crc32c="))
        .next();
    let found = reply::base64(&crc32c::crc32c(&asked.body).to_be_bytes());
    stated.is_none_or(|stated| stated == found)
}

/// Puts or copies an object.
pub fn put(store: &mut Store, asked: &Asked) -> Answer {
    if !is_expected(store, asked) {
        return error(412, "PreconditionFailed");
    }
    if !is_whole(asked) {
        return error(400, "BadDigest");
    }
    let Some(source) = asked.header("x-goog-copy-source") else {
        let object = store.put(&asked.bucket, &asked.key, asked.body.clone());
        let mut answer = reply::empty(200);
        reply::describe(&mut answer, &object);
        return answer;
    };
    let source = percent_decode_str(source.trim_start_matches('/'))
        .decode_utf8_lossy()
        .into_owned();
    let found = source
        .split_once('/')
        .and_then(|(bucket, key)| store.object(bucket, key));
    let Some(bytes) = found.map(|object| object.bytes.clone()) else {
        return error(404, "NoSuchKey");
    };
    let object = store.put(&asked.bucket, &asked.key, bytes);
    let (made, etag) = (reply::time(object.made), reply::escaped(&object.etag));
    reply::xml(
        200,
        &format!(
            "<CopyObjectResult><LastModified>{made}</LastModified><ETag>{etag}</ETag></CopyObjectResult>"
        ),
    )
}

/// Deletes an object.
pub fn delete(store: &mut Store, asked: &Asked) -> Answer {
    if !is_expected(store, asked) {
        return error(412, "PreconditionFailed");
    }
    let objects = store.buckets.get_mut(&asked.bucket);
    match objects.and_then(|objects| objects.remove(&asked.key)) {
        Some(_) => reply::empty(204),
        None => error(404, "NoSuchKey"),
    }
}
