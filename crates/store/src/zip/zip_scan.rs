//! The entries of a zip file without its directory, by their local headers: what is left of a file that is truncated.
//!
//! ```text
//! local header ─┬─ tells the length of its data ──────────► the next local header
//!               └─ a descriptor follows, or it is damaged ─► the next signature
//! ```
//!
//! APPNOTE 6.3.10, sections 4.3.7 and 4.3.9.

use crate::Object;
use crate::zip::zip_directory::{ZipDirectory, read};
use crate::zip::zip_records::{CentralHeader, DESCRIPTOR, Descriptor, LOCAL, LocalHeader, is_local_header};
use ncutils_model::error::Result;

/// Bytes in which signatures are looked for at a time.
const PIECE: u64 = 1 << 20;

/// Finds the entries in the first `size` bytes of a zip file. Left out are folders, and names that cannot be keys.
///
/// # Errors
/// If the object cannot be read.
pub(crate) fn scan(object: &dyn Object, size: u64) -> Result<ZipDirectory> {
    let mut found = ZipDirectory::default();
    let mut headers = Vec::new();
    let mut at = 0;
    while let Some(header) = next_header(object, at, size)? {
        headers.push(header);
        at = take(object, header, size, &mut found)?.unwrap_or(header + 1);
    }
    found.finish(headers, size);
    found.mark_last(size);
    Ok(found)
}

/// Adds the entry whose local header is at `header`. Returns where its data ends; `None` if that is not known.
fn take(object: &dyn Object, header: u64, size: u64, found: &mut ZipDirectory) -> Result<Option<u64>> {
    if size - header < LOCAL as u64 {
        return Ok(None);
    }
    let Some(mut local) = LocalHeader::parse(&read(object, header, LOCAL)?) else {
        return Ok(None);
    };
    let data = header + local.length() as u64;
    if data > size {
        return Ok(None);
    }
    let rest = read(object, header + LOCAL as u64, local.length() - LOCAL)?;
    let (name, extra) = rest.split_at(local.name.into());
    if !local.complete(extra) {
        return Ok(None);
    }
    let mut end = Some(data.saturating_add(local.compressed));
    if local.has_descriptor() && local.compressed == 0 {
        let descriptor = descriptor(object, data, size)?;
        end = descriptor.map(|(_, next)| next);
        // Without a descriptor the length is one that cannot be read, so that the entry is known to be lost.
        let lost = size - data + 1;
        (local.crc, local.compressed, local.size) = match descriptor {
            Some((found, _)) => (found.crc, found.compressed, found.size),
            None => (0, lost, lost),
        };
    }
    found.add(
        std::str::from_utf8(name).unwrap_or_default(),
        &CentralHeader {
            flags: local.flags,
            method: local.method,
            crc: local.crc,
            compressed: local.compressed,
            size: local.size,
            name: local.name,
            extra: local.extra,
            comment: 0,
            disk: 0,
            offset: header,
        },
    );
    // A damaged length must not hide the entries behind.
    match end {
        Some(end) if end <= size && is_end(object, end, size)? => Ok(Some(end)),
        _ => Ok(None),
    }
}

/// The first local header from `at` on.
fn next_header(object: &dyn Object, at: u64, size: u64) -> Result<Option<u64>> {
    find(object, at, size, LOCAL, |bytes| {
        is_local_header(bytes).then_some(())
    })
    .map(|found| found.map(|(at, ())| at))
}

/// The descriptor of data that begins at `data`, and where it ends: the first one that states the length of what lies before
/// it. No other local header may lie before it, so that no byte is searched for two entries.
fn descriptor(object: &dyn Object, data: u64, size: u64) -> Result<Option<(Descriptor, u64)>> {
    let parse = |bytes: &[u8]| match is_local_header(bytes) {
        true => Some(None),
        false => Descriptor::parse(bytes).map(Some),
    };
    let mut at = data;
    while let Some((place, Some(found))) = find(object, at, size, DESCRIPTOR, parse)? {
        for descriptor in found {
            let end = place + descriptor.length;
            if descriptor.compressed == place - data && is_end(object, end, size)? {
                return Ok(Some((descriptor, end)));
            }
        }
        at = place + 1;
    }
    Ok(None)
}

/// True if an entry may end at `at`: the file ends too, or another record begins.
fn is_end(object: &dyn Object, at: u64, size: u64) -> Result<bool> {
    Ok(at == size || (at + 2 <= size && read(object, at, 2)? == b"PK"))
}

/// The first place from `at` on where `parse` finds something in the bytes, of which it needs `length` where there are as
/// many, and what it finds.
fn find<T>(
    object: &dyn Object,
    mut at: u64,
    size: u64,
    length: usize,
    parse: impl Fn(&[u8]) -> Option<T>,
) -> Result<Option<(u64, T)>> {
    // Most often the place is where it is expected. Pieces grow, so that places close together cost no long reads.
    let mut piece = length as u64;
    while at < size {
        let count = (size - at).min(piece + length as u64);
        let bytes = read(object, at, count as usize)?;
        let tried = match at + count == size {
            true => bytes.len(),
            false => bytes.len() - length,
        };
        let signatures = (0..tried).filter(|start| bytes[*start] == b'P');
        for start in signatures {
            if let Some(found) = parse(&bytes[start..]) {
                return Ok(Some((at + start as u64, found)));
            }
        }
        at += tried as u64;
        piece = (piece * 4).min(PIECE);
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::sync::Arc;

    use crate::{GetRange, KeyStore, ZipKeys};

    fn fixture(name: &str) -> Vec<u8> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/zip");
        std::fs::read(folder.join(name)).unwrap()
    }

    fn values(keys: &ZipKeys) -> Vec<(String, Option<Vec<u8>>)> {
        let names = keys.list("").unwrap().into_iter();
        let value = |name: String| (name.clone(), keys.get(&name, GetRange::Whole).ok().flatten());
        names.map(value).collect()
    }

    #[test]
    fn all_entries_are_found_without_the_directory() {
        for name in [
            "stored.zip",
            "deflated.zip",
            "streamed.zip",
            "zip64.zip",
            "duplicates.zip",
            "top-folder.zip",
        ] {
            let data = fixture(name);
            let whole = values(&ZipKeys::open(Arc::new(data.clone())).unwrap());
            let directory = data.windows(4).position(|four| four == b"PK\x01\x02").unwrap();
            for end in [directory, directory + 20, data.len() - 1] {
                let truncated = Arc::new(data[..end].to_vec());
                assert!(ZipKeys::open(truncated.clone()).is_err_and(|error| error.is_truncated()));
                let (left, damage) = ZipKeys::open_damaged(truncated).unwrap();
                assert!(values(&left) == whole, "{name} truncated at {end}");
                assert!(
                    damage
                        .unwrap()
                        .starts_with("the zip's directory cannot be read: ")
                );
            }
            let (_, damage) = ZipKeys::open_damaged(Arc::new(data)).unwrap();
            assert_eq!(damage, None);
        }
    }

    #[test]
    fn entries_before_the_end_are_whole_and_the_one_that_it_meets_is_not() {
        for name in ["stored.zip", "streamed.zip"] {
            let data = fixture(name);
            let whole = values(&ZipKeys::open(Arc::new(data.clone())).unwrap());
            for end in 30..data.len() {
                let Ok((left, _)) = ZipKeys::open_damaged(Arc::new(data[..end].to_vec())) else {
                    assert!(end < 60);
                    continue;
                };
                let unread = values(&left).into_iter().filter(|entry| !whole.contains(entry));
                let unread: Vec<_> = unread.collect();
                assert!(unread.len() <= 1 && unread.iter().all(|(_, value)| value.is_none()));
            }
        }
    }

    #[test]
    fn what_follows_a_damaged_header_is_found() {
        let mut data = fixture("stored.zip");
        let second = data[4..]
            .windows(4)
            .position(|four| four == b"PK\x03\x04")
            .unwrap()
            + 4;
        data[second] = b'Q';
        let end = data.len() - 10;
        let (left, _) = ZipKeys::open_damaged(Arc::new(data[..end].to_vec())).unwrap();
        assert_eq!(values(&left).len(), 5);
        assert!(values(&left).iter().all(|(_, value)| value.is_some()));
    }

    #[test]
    fn what_follows_a_damaged_length_is_found() {
        let data = fixture("stored.zip");
        let starts: Vec<usize> = data
            .windows(4)
            .enumerate()
            .filter(|(_, four)| four == b"PK\x03\x04")
            .map(|(at, _)| at)
            .collect();
        let whole = values(&ZipKeys::open(Arc::new(data.clone())).unwrap());
        for (number, start) in starts.iter().enumerate() {
            for length in [[0; 4], [5, 0, 0, 0], [0, 0, 0, 0x7f]] {
                let mut data = data[..data.len() - 10].to_vec();
                data[start + 18..start + 22].copy_from_slice(&length);
                let (left, _) = ZipKeys::open_damaged(Arc::new(data)).unwrap();
                let lost: Vec<_> = values(&left)
                    .into_iter()
                    .filter(|entry| !whole.contains(entry))
                    .collect();
                assert!(values(&left).len() == whole.len() && lost.len() <= 1, "{number}");
                assert!(lost.iter().all(|(_, value)| value.is_none()));
            }
        }
    }

    #[test]
    fn many_headers_of_unknown_length_are_searched_once() {
        let header = [&b"PK\x03\x04\x14\0\x08\0"[..], &[0; 18], &[1, 0, 0, 0], b"x"].concat();
        let many = header.repeat(200_000);
        let (keys, _) = ZipKeys::open_damaged(Arc::new(many)).unwrap();
        assert_eq!(values(&keys), [("x".to_owned(), None)]);
    }
}
