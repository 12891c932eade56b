//! Pieces of a slow object that are requested before they are needed.
//!
//! ```text
//! object │ taken │ held by the caller │ under way: requests in the order of the object │ not yet asked for │
//!                └───────────── at most `most` bytes ───────────────────────────────────┘
//! ```

use std::collections::VecDeque;
use std::io;
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver};

use crate::Object;
use crate::requests::requests::{ByteRange, FailedRequest};

/// Limits, in bytes, of the length of a piece.
const PIECE: std::ops::RangeInclusive<u64> = 128 << 10..=1 << 20;

/// Consecutive pieces of an object, of which many are requested at once.
pub struct PiecesAhead {
    object: Arc<dyn Object>,
    /// Where the last piece ends.
    end: u64,
    /// Where the next request begins.
    asked: u64,
    piece: u64,
    most: u64,
    coming: VecDeque<Coming>,
    /// Bytes that are under way.
    under_way: u64,
}

struct Coming {
    range: ByteRange,
    told: Receiver<io::Result<Vec<Vec<u8>>>>,
}

impl PiecesAhead {
    /// The pieces from `start` to `end`, of which at most `most` bytes are in memory or under way, unless that is less than
    /// one piece. Nothing is requested yet.
    pub fn new(object: Arc<dyn Object>, start: u64, end: u64, most: u64) -> Self {
        let in_flight = object.requests().in_flight.max(1) as u64;
        Self {
            object,
            end,
            asked: start,
            piece: (most / in_flight).clamp(*PIECE.start(), *PIECE.end()),
            most,
            coming: VecDeque::new(),
            under_way: 0,
        }
    }

    /// Where the next piece begins.
    pub(crate) fn position(&self) -> u64 {
        self.coming.front().map_or(self.asked, |first| first.range.offset)
    }

    /// Where the pieces end that were requested.
    pub(crate) fn requested(&self) -> u64 {
        self.asked
    }

    /// The next piece, after more were requested. `None` at the end.
    ///
    /// # Errors
    /// That of the object. The next call requests the same piece again.
    pub fn next(&mut self) -> io::Result<Option<Vec<u8>>> {
        self.ask();
        let Some(Coming { range, told }) = self.coming.pop_front() else {
            return Ok(None);
        };
        self.under_way -= range.length as u64;
        let lost = || io::Error::other("a store gave no answer");
        let found = told.recv().unwrap_or_else(|_| Err(lost()));
        let piece = found.and_then(|mut found| found.pop().ok_or_else(lost));
        match piece {
            Ok(piece) => Ok(Some(piece)),
            Err(error) => {
                self.coming.clear();
                (self.asked, self.under_way) = (range.offset, 0);
                Err(FailedRequest::split(error).1)
            }
        }
    }

    /// Requests pieces as far as there is room beside the one that the caller holds.
    fn ask(&mut self) {
        while self.asked < self.end {
            let length = self.piece.min(self.end - self.asked);
            if !self.coming.is_empty() && self.under_way + length + self.piece > self.most {
                return;
            }
            let range = ByteRange {
                offset: self.asked,
                length: length as usize,
            };
            let (tell, told) = mpsc::channel();
            let done = move |found| {
                // Fails only if nobody waits any more.
                let _ = tell.send(found);
            };
            Arc::clone(&self.object).fetch(vec![range], Box::new(done));
            self.coming.push_back(Coming { range, told });
            self.asked += length;
            self.under_way += length;
        }
    }
}
