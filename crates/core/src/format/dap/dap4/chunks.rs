//! Answers of DAP4: chunks, of which the first holds the DMR (DAP 4.0, volume 1, section 7).
//!
//! ```text
//! flags (1 byte), length (3 bytes, big-endian), bytes ─► … ─► the last chunk
//! ```

use crate::error::{Error, Result};
use crate::format::dap::limits::shown;

/// Flags of a chunk.
const LAST: u8 = 1;
const ERROR: u8 = 2;
const LITTLE: u8 = 4;

/// The data of an answer.
#[derive(Debug, PartialEq, Eq)]
pub struct Data {
    /// The bytes of the chunks behind the DMR, without their heads.
    pub bytes: Vec<u8>,
    /// True for little-endian numbers.
    pub is_little: bool,
}

/// Joins the chunks of an answer.
///
/// # Errors
/// What the server says in place of data; an answer that is none, or that ends before its last chunk.
pub fn data(mut answer: &[u8]) -> Result<Data> {
    let Some((first, mut is_last)) = next(&mut answer)? else {
        return Err(no_data(answer));
    };
    let is_little = first.flags & LITTLE != 0;
    if first.bytes.iter().find(|byte| !byte.is_ascii_whitespace()) != Some(&b'<') {
        return Err(no_data(first.bytes));
    }
    let mut bytes = Vec::new();
    while !is_last {
        let chunk = next(&mut answer)?;
        let Some((chunk, last)) = chunk else {
            return Err(Error::Truncated(
                "the server's answer ends before its last chunk".to_owned(),
            ));
        };
        let room = bytes.try_reserve(chunk.bytes.len());
        room.map_err(|_| Error::Damaged("there is no memory for the server's answer".to_owned()))?;
        bytes.extend_from_slice(chunk.bytes);
        is_last = last;
    }
    Ok(Data { bytes, is_little })
}

struct Chunk<'a> {
    flags: u8,
    bytes: &'a [u8],
}

/// The next chunk, and whether it is the last. `None` at the end.
fn next<'a>(answer: &mut &'a [u8]) -> Result<Option<(Chunk<'a>, bool)>> {
    let Some((head, rest)) = answer.split_first_chunk::<4>() else {
        return Ok(None);
    };
    let [flags, length @ ..] = *head;
    let length = length
        .iter()
        .fold(0, |length, byte| length << 8 | usize::from(*byte));
    if flags & !0x0f != 0 {
        return Err(no_data(answer));
    }
    let Some((bytes, rest)) = rest.split_at_checked(length) else {
        return Err(Error::Truncated(
            "the server's answer ends within a chunk".to_owned(),
        ));
    };
    if flags & ERROR != 0 {
        let text = String::from_utf8_lossy(bytes);
        let message = text
            .split_once("<Message>")
            .and_then(|(_, rest)| rest.split_once("</Message>"));
        let message = message.map_or(&*text, |(message, _)| message);
        return Err(Error::Remote(format!("the server says: {}", shown(message))));
    }
    *answer = rest;
    Ok(Some((Chunk { flags, bytes }, flags & LAST != 0)))
}

fn no_data(answer: &[u8]) -> Error {
    let text = String::from_utf8_lossy(&answer[..answer.len().min(1 << 10)]);
    Error::Damaged(
        match text.trim_start().starts_with("<html") || text.trim_start().starts_with("<!DOCTYPE") {
            true => "the server's answer is a web page, and no data".to_owned(),
            false => format!("the server's answer is no data of DAP4: '{}'", shown(&text)),
        },
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chunk(flags: u8, bytes: &[u8]) -> Vec<u8> {
        let length = (bytes.len() as u32).to_be_bytes();
        [&[flags, length[1], length[2], length[3]][..], bytes].concat()
    }

    #[test]
    fn chunks_are_joined() {
        let answer = [chunk(4, b"<Dataset/>"), chunk(4, b"ab"), chunk(5, b"c")].concat();
        let wanted = Data {
            bytes: b"abc".to_vec(),
            is_little: true,
        };
        assert_eq!(data(&answer).unwrap(), wanted);
        for end in 0..answer.len() {
            assert!(data(&answer[..end]).is_err(), "{end}");
        }
        assert!(data(&chunk(1, b"<Dataset/>")).unwrap().bytes.is_empty());
        let refused = [
            chunk(0, b"<Dataset/>"),
            chunk(3, b"<Error><Message>no disk</Message></Error>"),
        ]
        .concat();
        assert_eq!(
            data(&refused).unwrap_err().to_string(),
            "the server says: no disk"
        );
        assert!(
            data(b"<html>no</html>")
                .unwrap_err()
                .to_string()
                .contains("a web page")
        );
    }
}
