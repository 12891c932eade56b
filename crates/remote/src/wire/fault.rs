//! [`Fault`]: what is wrong with an answer, found before `object_store` looks at it.

use http::StatusCode;
use thiserror::Error;

/// What is wrong with an answer, or why there is none. Its text holds no secret.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub(crate) enum Fault {
    /// A status that is no success, with the beginning of the answer's body, which may hold anything.
    #[error("the server answered {}", status.as_u16())]
    Status {
        /// The status.
        status: StatusCode,
        /// What the server says about it.
        body: String,
    },
    /// The clocks of this machine and of the server differ, and the server refuses the date of a signature.
    #[error("the server refuses the time of this machine's clock (RequestTimeTooSkewed){}; set the clock", difference(*ahead))]
    Skewed {
        /// Seconds that the server's clock is ahead; `None` if its answer tells no time.
        ahead: Option<i64>,
    },
    /// No answer, or a body that broke: the text says why.
    #[error("{0}")]
    Broken(String),
    /// No connection was made: the text says why.
    #[error("no connection: {0}")]
    NoConnection(String),
    /// The server's certificate is not trusted: the text says why.
    #[error(
        "the server's certificate is not trusted: {0}; certificates of other authorities are named by SSL_CERT_FILE or HTTP.SSL.CAINFO"
    )]
    Untrusted(String),
    /// The bucket is in another region.
    #[error("the bucket is in the region {0}")]
    OtherRegion(String),
    /// The whole object came in answer to a request for a range of it. `size` is in bytes, if it is known.
    #[error("the server sends no ranges, only the whole object")]
    Whole {
        /// The object's size.
        size: Option<u64>,
    },
    /// The answer has another range than was asked for.
    #[error("the server sent another range than was asked for: {0}")]
    WrongRange(String),
    /// The body is encoded, as by gzip, and so has other positions than the object.
    #[error(
        "the server sends the object encoded (Content-Encoding: {0}), so that ranges of it cannot be read; download and decode it first"
    )]
    Encoded(String),
    /// The object is not the one that was opened.
    #[error("the object was replaced or changed while it was read")]
    Changed,
    /// The object has another size, in bytes, than the list of keys told.
    #[error(
        "the server sent an object of {size} bytes, and listed {listed}: it was replaced or changed while it was read, or the answer is cut"
    )]
    OtherSize {
        /// The size in the list.
        listed: u64,
        /// The size of the object that came.
        size: u64,
    },
    /// There is no room for a temporary file: the text says why.
    #[error("{0}")]
    NoRoom(String),
    /// A web page came, which is no data: a login, or an error.
    #[error(
        "the server sent a web page (text/html) in place of data; does the URL need a login, or lead to a page about the data?"
    )]
    WebPage,
    /// The list of keys leads in a circle.
    #[error("the server's list of keys has no end: it repeats a page, or has too many pages or keys")]
    EndlessList,
    /// The list has keys of other folders than the one that was asked for. They would be read, or deleted, with the tree.
    #[error("the server lists keys of other folders than the one that was asked for; is the endpoint right?")]
    OtherFolder,
    /// The body is not the document that the request calls for: the text says what is wrong.
    #[error("{0}")]
    NoAnswer(&'static str),
    /// The list of keys is not complete, and nothing says how it goes on.
    #[error(
        "the server's list of keys is cut, and the server does not tell how it goes on; lists of version 2 of S3 are needed"
    )]
    CutList,
    /// An answer that has to be held in memory is longer than any that a server of the protocol sends.
    #[error("the server's answer is too long to be held in memory")]
    TooLong,
    /// The server speaks plain HTTP where TLS was expected.
    #[error(
        "the server speaks no TLS; if it is meant to be asked by http, write http:// in front of its host (for S3: http://host:port/bucket/key#mode=s3, or in AWS_ENDPOINT_URL)"
    )]
    NoTls,
    /// The server sends a range, and not how long the object is.
    #[error("the server does not tell how long the object is (Content-Range: bytes a-b/*)")]
    NoSize,
    /// A redirect that is not followed: the text says why.
    #[error("{0}")]
    Redirect(String),
}

/// The form in which attempts fail.
impl From<Fault> for object_store::Error {
    fn from(fault: Fault) -> Self {
        Self::Generic {
            store: "remote",
            source: Box::new(fault),
        }
    }
}

/// By how much the server's clock differs, for a message.
fn difference(ahead: Option<i64>) -> String {
    match ahead {
        Some(ahead @ 0..) => format!(": the server's clock is {ahead} s ahead of it"),
        Some(ahead) => format!(": the server's clock is {} s behind it", ahead.unsigned_abs()),
        None => String::new(),
    }
}
