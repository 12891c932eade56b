//! [`Fault`]: what is wrong with an answer, found before `object_store` looks at it.

use std::fmt;

use http::StatusCode;

/// What is wrong with an answer, or why there is none. Its text holds no secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Fault {
    /// A status that is no success, with the beginning of the answer's body, which may hold anything.
    Status {
        /// The status.
        status: StatusCode,
        /// What the server says about it.
        body: String,
    },
    /// No answer, or a body that broke: the text says why.
    Broken(String),
    /// No connection was made: the text says why.
    NoConnection(String),
    /// The server's certificate is not trusted: the text says why.
    Untrusted(String),
    /// The bucket is in another region.
    OtherRegion(String),
    /// The whole object came in answer to a request for a range of it. `size` is in bytes, if it is known.
    Whole {
        /// The object's size.
        size: Option<u64>,
    },
    /// The answer has another range than was asked for.
    WrongRange(String),
    /// The body is encoded, as by gzip, and so has other positions than the object.
    Encoded(String),
    /// The object is not the one that was opened.
    Changed,
    /// The object has another size, in bytes, than the list of keys told.
    OtherSize {
        /// The size in the list.
        listed: u64,
        /// The size of the object that came.
        size: u64,
    },
    /// There is no room for a temporary file: the text says why.
    NoRoom(String),
    /// A web page came, which is no data: a login, or an error.
    WebPage,
    /// The list of keys leads in a circle.
    EndlessList,
    /// The list has keys of other folders than the one that was asked for. They would be read, or deleted, with the tree.
    OtherFolder,
    /// The body is not the document that the request calls for: the text says what is wrong.
    NoAnswer(&'static str),
    /// The list of keys is not complete, and nothing says how it goes on.
    CutList,
    /// An answer that has to be held in memory is longer than any that a server of the protocol sends.
    TooLong,
    /// The server speaks plain HTTP where TLS was expected.
    NoTls,
    /// The server sends a range, and not how long the object is.
    NoSize,
    /// A redirect that is not followed: the text says why.
    Redirect(String),
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Status { status, .. } => write!(f, "the server answered {}", status.as_u16()),
            Self::Broken(why) => f.write_str(why),
            Self::NoConnection(why) => write!(f, "no connection: {why}"),
            Self::Untrusted(why) => write!(
                f,
                "the server's certificate is not trusted: {why}; certificates of other authorities are named by SSL_CERT_FILE or HTTP.SSL.CAINFO"
            ),
            Self::OtherRegion(region) => write!(f, "the bucket is in the region {region}"),
            Self::Whole { .. } => f.write_str("the server sends no ranges, only the whole object"),
            Self::WrongRange(why) => write!(f, "the server sent another range than was asked for: {why}"),
            Self::Encoded(coding) => write!(
                f,
                "the server sends the object encoded (Content-Encoding: {coding}), so that ranges of it cannot be read; download and decode it first"
            ),
            Self::Changed => f.write_str("the object was replaced or changed while it was read"),
            Self::OtherSize { listed, size } => write!(
                f,
                "the server sent an object of {size} bytes, and listed {listed}: it was replaced or changed while it was read, or the answer is cut"
            ),
            Self::NoRoom(why) => f.write_str(why),
            Self::WebPage => f.write_str(
                "the server sent a web page (text/html) in place of data; does the URL need a login, or lead to a page about the data?",
            ),
            Self::EndlessList => f.write_str("the server's list of keys has no end: it repeats a page, or has too many pages or keys"),
            Self::OtherFolder => f.write_str("the server lists keys of other folders than the one that was asked for; is the endpoint right?"),
            Self::NoAnswer(why) => f.write_str(why),
            Self::CutList => f.write_str("the server's list of keys is cut, and the server does not tell how it goes on; lists of version 2 of S3 are needed"),
            Self::TooLong => f.write_str("the server's answer is too long to be held in memory"),
            Self::NoTls => f.write_str(
                "the server speaks no TLS; if it is meant to be asked by http, write http:// in front of its host (for S3: http://host:port/bucket/key#mode=s3, or in AWS_ENDPOINT_URL)",
            ),
            Self::NoSize => f.write_str("the server does not tell how long the object is (Content-Range: bytes a-b/*)"),
            Self::Redirect(why) => f.write_str(why),
        }
    }
}

impl std::error::Error for Fault {}
