//! [`Body`]: the bytes of an answer, piece by piece.

use std::time::{Duration, Instant};

use bytes::Bytes;
use futures_util::StreamExt;
use futures_util::stream::BoxStream;
use object_store::{Attribute, GetResult, Result};

use crate::wire::Failure;

/// Bytes that count as progress.
const PROGRESS: usize = 16 << 10;

/// Longest time for so many bytes.
const SLOWEST: Duration = Duration::from_secs(60);

/// Longest wait for the end of an answer that has brought all its bytes.
const END: Duration = Duration::from_secs(1);

/// The bytes of an answer. One that is slow, is a web page or ends too early is an error. One that is longer than told is for its
/// caller to refuse.
pub(super) struct Body {
    pieces: BoxStream<'static, Result<Bytes>>,
    /// Bytes that are still to come; `None` if the server does not tell.
    left: Option<u64>,
    /// True while an answer that says it is a web page has brought nothing but white space.
    may_be_page: bool,
    /// When the current [`PROGRESS`] bytes began to come, and how many of them are there.
    since: Instant,
    came: usize,
}

impl Body {
    pub(super) fn of(result: GetResult) -> Self {
        let kind = result.attributes.get(&Attribute::ContentType);
        let is_page = kind.is_some_and(|kind| kind.to_ascii_lowercase().starts_with("text/html"));
        let range = result.range.clone();
        Self {
            left: (range.end != u64::MAX).then(|| range.end.saturating_sub(range.start)),
            may_be_page: is_page && range.start == 0,
            since: Instant::now(),
            came: 0,
            pieces: result.into_stream(),
        }
    }

    /// Bytes that are still to come; `None` if the server does not tell.
    pub(super) fn left(&self) -> Option<u64> {
        self.left
    }

    /// The next piece; `None` at the end. The second value is true each time another [`PROGRESS`] bytes have come.
    pub(super) async fn next(&mut self) -> Result<Option<(Bytes, bool)>> {
        let piece = match self.left {
            // A body whose bytes are all there needs no end.
            Some(0) => match tokio::time::timeout(END, self.pieces.next()).await {
                Ok(Some(Ok(more))) => Some(more),
                _ => None,
            },
            _ => self.pieces.next().await.transpose()?,
        };
        let Some(piece) = piece else {
            return match self.left {
                None | Some(0) => Ok(None),
                Some(left) => {
                    Err(Failure::passing(format!("the answer ended {left} bytes too early")).into())
                }
            };
        };
        if self.may_be_page && piece.iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b'<') {
            return Err(Failure::web_page().into());
        }
        self.may_be_page &= piece.trim_ascii().is_empty();
        self.left = self.left.map(|left| left.saturating_sub(piece.len() as u64));
        self.came += piece.len();
        let has_moved = self.came >= PROGRESS;
        if has_moved {
            (self.since, self.came) = (Instant::now(), 0);
        } else if self.since.elapsed() > SLOWEST {
            let (kib, seconds) = (PROGRESS >> 10, SLOWEST.as_secs());
            let why = format!("the server sends less than {kib} KiB in {seconds} s");
            return Err(Failure::passing(why).into());
        }
        Ok(Some((piece, has_moved)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::requests::runtime;
    use crate::tests::fixtures::answer;

    /// The bytes that come from an answer, or why not.
    fn got(pieces: &[&'static str], told: Option<u64>, ends: bool) -> Result<Vec<u8>, String> {
        let all = async {
            let (mut body, mut bytes) = (Body::of(answer(pieces, told, ends)), Vec::new());
            while let Some((piece, _)) = body.next().await? {
                bytes.extend_from_slice(&piece);
            }
            Ok(bytes)
        };
        let all = runtime().unwrap().block_on(all);
        all.map_err(|e: object_store::Error| Failure::of(&e).text)
    }

    #[test]
    fn a_page_behind_white_space_is_no_data() {
        for pieces in [&["<html>"][..], &["", " \r\n\t<html>"], &["\r\n", "<html>"]] {
            let error = got(pieces, None, true).unwrap_err();
            assert!(error.contains("a web page"), "{error}");
        }
        assert_eq!(got(&["a", "<html>"], None, true).unwrap(), b"a<html>");
    }

    #[test]
    fn an_answer_that_ends_too_early_fails() {
        let error = got(&["abc"], Some(5), true).unwrap_err();
        assert_eq!(error, "the answer ended 2 bytes too early");
    }

    #[test]
    fn an_answer_whose_bytes_are_there_needs_no_end() {
        assert_eq!(got(&["abc"], Some(3), false).unwrap(), b"abc");
    }

    #[test]
    fn bytes_behind_the_told_end_come_too() {
        assert_eq!(got(&["abc", "d"], Some(3), true).unwrap(), b"abcd");
    }
}
