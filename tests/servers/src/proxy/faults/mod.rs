//! [`Fault`]: what can go wrong with a request.
//!
//! A fault comes in instead of the server (`instead`), changes what the server is asked (`change_request`), the head of its answer
//! (`change_head`) or the body (`change_body`), or ends the body early (`ending`).

mod cut;
mod encoding;
mod object_changed;
mod page;
mod range;
mod redirect;
mod status;

use bytes::Bytes;
use http::{HeaderMap, Response, request, response};
use serde::Deserialize;

use super::body::{Body, Dropped};

pub use cut::Ending;

/// A fault.
#[derive(Debug, Clone, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Fault {
    /// An error of the server, with a document as S3 sends it.
    Status {
        /// The status, such as 503.
        status: u16,
        /// The code in the document, such as `SlowDown`.
        #[serde(default)]
        code: String,
        /// The header `Retry-After`, in seconds.
        retry_after: Option<u64>,
    },
    /// The clock of the client is said to be wrong: 403 `RequestTimeTooSkewed`, with the server's time an hour ahead.
    Skewed,
    /// The connection ends before the answer.
    Drop,
    /// The connection is reset before the answer.
    Reset,
    /// No answer comes, and the server is not asked.
    Stall,
    /// The request is carried out, and no answer comes.
    Unanswered,
    /// The body ends by a reset in its middle.
    ResetBody,
    /// The connection ends in the middle of the body, whose length was stated in full.
    ShortBody,
    /// The body stops in its middle, and nothing follows.
    StallBody,
    /// A well-formed answer with half of the bytes that its range says. Without a range nobody could tell.
    HalfBody,
    /// `Content-Range` begins one byte later than the body.
    WrongRange,
    /// Status 200 and the whole object to a request for a range.
    Whole {
        /// Host and port of a server with the same objects that takes requests without signatures; a signature is for the range.
        open: Option<String>,
    },
    /// Status 416.
    Unsatisfiable,
    /// The body is compressed.
    Gzip,
    /// A page in HTML instead of data.
    Html,
    /// Any answer.
    Answer {
        /// The status.
        status: u16,
        /// The header `Content-Type`.
        content_type: String,
        /// The body.
        body: String,
    },
    /// A redirect.
    Redirect {
        /// The new place. `{path}` stands for the path and query.
        to: String,
    },
    /// The object has another ETag, for `If-Match` too.
    Changed,
    /// The object has another ETag, and `If-Match` is ignored.
    ChangedUnasked,
    /// The request is carried out, and its answer is lost.
    LostAnswer,
    /// One bit of the request's body is another when it comes to the server.
    DamagedRequest,
}

impl Fault {
    /// The name in counts and logs.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Status { .. } => "status",
            Self::Skewed => "skewed",
            Self::Drop => "drop",
            Self::Reset => "reset",
            Self::Stall => "stall",
            Self::Unanswered => "unanswered",
            Self::ResetBody => "reset-body",
            Self::ShortBody => "short-body",
            Self::StallBody => "stall-body",
            Self::HalfBody => "half-body",
            Self::WrongRange => "wrong-range",
            Self::Whole { .. } => "whole",
            Self::Unsatisfiable => "unsatisfiable",
            Self::Gzip => "gzip",
            Self::Html => "html",
            Self::Answer { .. } => "answer",
            Self::Redirect { .. } => "redirect",
            Self::Changed => "changed",
            Self::ChangedUnasked => "changed-unasked",
            Self::LostAnswer => "lost-answer",
            Self::DamagedRequest => "damaged-request",
        }
    }

    /// True if the request can have the fault.
    pub fn applies_to(&self, request: &request::Parts) -> bool {
        match self {
            Self::WrongRange | Self::HalfBody | Self::Whole { .. } | Self::Unsatisfiable => {
                range::is_asked(request)
            }
            Self::ResetBody | Self::ShortBody | Self::StallBody | Self::Gzip => request.method == "GET",
            _ => true,
        }
    }

    /// What happens instead of asking the server; `None` if it is asked.
    pub fn instead(&self, request: &request::Parts) -> Option<Result<Response<Body>, Dropped>> {
        Some(match self {
            Self::Status {
                status,
                code,
                retry_after,
            } => Ok(status::answer(*status, code, *retry_after)),
            Self::Skewed => Ok(status::skewed()),
            Self::Unsatisfiable => Ok(status::answer(416, "InvalidRange", None)),
            Self::Html => Ok(page::answer(
                request,
                200,
                "text/html; charset=utf-8",
                page::LOGIN,
            )),
            Self::Answer {
                status,
                content_type,
                body,
            } => Ok(page::answer(request, *status, content_type, body)),
            Self::Redirect { to } => Ok(redirect::answer(request, to)),
            Self::Drop | Self::Reset => Err(Dropped),
            _ => return None,
        })
    }

    /// The server that is asked instead of the usual one.
    pub fn other_server(&self) -> Option<&str> {
        match self {
            Self::Whole { open } => open.as_deref(),
            _ => None,
        }
    }

    /// Changes what the server is asked.
    pub fn change_request(&self, request: &mut request::Parts) {
        match self {
            Self::Whole { .. } => range::forget(request),
            Self::Changed | Self::ChangedUnasked => object_changed::forget(request),
            _ => {}
        }
    }

    /// The body that comes to the server.
    pub fn sent_body(&self, body: Bytes) -> Bytes {
        match self {
            Self::DamagedRequest => flipped(&body),
            _ => body,
        }
    }

    /// Changes the head of an answer. Returns an answer that takes its place.
    pub fn change_head(&self, asked: &request::Parts, head: &mut response::Parts) -> Option<Response<Body>> {
        match self {
            Self::WrongRange => range::shift(head),
            Self::Changed => return object_changed::change(asked, head, true),
            Self::ChangedUnasked => return object_changed::change(asked, head, false),
            _ => {}
        }
        None
    }

    /// True if the body is read whole and changed.
    pub fn changes_body(&self) -> bool {
        matches!(self, Self::Gzip | Self::HalfBody)
    }

    /// The body instead of the server's, and what the head says of it.
    pub fn change_body(&self, head: &mut response::Parts, body: &Bytes) -> Bytes {
        match self {
            Self::Gzip => encoding::compressed(head, body),
            Self::HalfBody => cut::halved(head, body),
            _ => body.clone(),
        }
    }

    /// The length, in bytes, after which the body ends, and how.
    pub fn ending(&self, head: &HeaderMap) -> Option<(usize, Ending)> {
        let ending = match self {
            Self::ResetBody => Ending::Reset,
            Self::ShortBody => Ending::End,
            Self::StallBody => Ending::Silence,
            _ => return None,
        };
        Some((cut::middle(head), ending))
    }
}

/// A body with another bit in its middle.
fn flipped(body: &Bytes) -> Bytes {
    let mut body = body.to_vec();
    let middle = body.len() / 2;
    if let Some(byte) = body.get_mut(middle) {
        *byte ^= 1;
    }
    body.into()
}
