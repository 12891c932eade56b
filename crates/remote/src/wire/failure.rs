//! [`Failure`]: what an error of a request means, and its text for the user.
//!
//! `object_store` puts URLs into its errors, and a URL may hold a signature. So none of its texts is passed on: the text
//! is made of the status, the server's code and message, or of what else is wrong with an answer. Whoever finds that puts a
//! [`Failure`] inside the error.

use std::error::Error as StdError;
use std::fmt;
use std::io;

use http::StatusCode;
use object_store::client::{HttpError, HttpErrorKind};

/// Longest text of a server, in characters, that a message shows.
const LONGEST_TEXT: usize = 400;

/// What a failure means to the caller.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Meaning {
    /// There is no such object.
    NoObject,
    /// There is no such bucket or container.
    NoBucket,
    /// The server does not allow it.
    Refused,
    /// The keys or the token have ended.
    Expired,
    /// The clocks of this machine and of the server differ.
    Skewed,
    /// A condition of the request is not met: the object exists already, or is not the one that was asked for.
    Condition,
    /// The range begins behind the object's end.
    PastEnd,
    /// The answer to a deletion does not name all objects. What it does not name may still be there.
    Unconfirmed,
    /// The server or the protocol cannot do it.
    Unsupported,
    /// The bucket is in this region.
    OtherRegion(String),
    /// The whole object came in place of a range. Its size is in bytes, if it is known.
    Whole(Option<u64>),
    /// The server is asked too much. Another try may succeed.
    Busy,
    /// No connection was made. Another try may succeed.
    NoConnection,
    /// Something went wrong on the way. Another try may succeed.
    Passing,
    /// What came is a web page, and no data.
    NoData,
    /// Anything else. No other try helps.
    Final,
}

impl Meaning {
    /// True if the same request may succeed a moment later.
    pub(crate) fn may_pass(&self) -> bool {
        matches!(self, Self::Busy | Self::NoConnection | Self::Passing)
    }

    fn error_kind(&self) -> io::ErrorKind {
        match self {
            Self::NoObject | Self::NoBucket => io::ErrorKind::NotFound,
            Self::Refused | Self::Expired | Self::Skewed => io::ErrorKind::PermissionDenied,
            Self::PastEnd => io::ErrorKind::UnexpectedEof,
            Self::Unsupported => io::ErrorKind::Unsupported,
            Self::NoConnection => io::ErrorKind::NotConnected,
            _ => io::ErrorKind::Other,
        }
    }
}

/// What is wrong with an answer, or why there is none: inside the errors of attempts, and inside the `io::Error` of `Session`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{text}")]
pub struct Failure {
    /// What it means.
    pub meaning: Meaning,
    /// One line, without secrets.
    pub text: String,
    /// The status of the answer; `None` without an answer.
    pub(crate) status: Option<StatusCode>,
    /// True if the server said why in a document, as stores do.
    pub(crate) is_explained: bool,
}

impl Failure {
    pub(crate) fn new(meaning: Meaning, text: impl Into<String>) -> Self {
        Self {
            meaning,
            text: text.into(),
            status: None,
            is_explained: false,
        }
    }

    /// Something that another try may not meet.
    pub(crate) fn passing(text: impl Into<String>) -> Self {
        Self::new(Meaning::Passing, text)
    }

    /// Something that no other try helps against.
    pub(crate) fn last(text: impl Into<String>) -> Self {
        Self::new(Meaning::Final, text)
    }

    /// An object that is not the one that was opened.
    pub(crate) fn changed() -> Self {
        let text = "the object was replaced or changed while it was read";
        Self::new(Meaning::Condition, text)
    }

    /// A web page, which is no data: a login, or an error.
    pub(crate) fn web_page() -> Self {
        let text = "the server sent a web page (text/html) in place of data; does the URL need a login, or lead to a page about the data?";
        Self::new(Meaning::NoData, text)
    }

    /// An answer that has to be held in memory, and is longer than any that a server of the protocol sends.
    pub(crate) fn too_long() -> Self {
        Self::last("the server's answer is too long to be held in memory")
    }

    /// An answer with another range than was asked for.
    pub(crate) fn wrong_range(sent: &str) -> Self {
        Self::passing(format!(
            "the server sent another range than was asked for: {sent}"
        ))
    }

    /// A bucket that is in another region.
    pub(crate) fn other_region(region: &str) -> Self {
        let region = clean(region);
        let text = format!("the bucket is in the region {region}");
        Self::new(Meaning::OtherRegion(region), text)
    }

    /// True if a failed request means that there is no such object.
    pub(crate) fn is_no_object(error: &object_store::Error) -> bool {
        Self::of(error).meaning == Meaning::NoObject
    }

    /// What a failed request means.
    pub(crate) fn of(error: &object_store::Error) -> Self {
        let mut source: Option<&(dyn StdError + 'static)> = Some(error);
        let mut innermost = String::new();
        let mut transport: Option<&HttpError> = None;
        while let Some(cause) = source {
            if let Some(failure) = cause.downcast_ref::<Self>() {
                return failure.clone();
            }
            transport = transport.or_else(|| cause.downcast_ref::<HttpError>());
            innermost = cause.to_string();
            source = cause.source();
        }
        let text = clean(&innermost);
        if let Some(transport) = transport {
            return Self::of_transport(transport.kind(), &text);
        }
        use object_store::Error;
        let (meaning, text) = match error {
            Error::NotFound { .. } => (Meaning::NoObject, "no such object"),
            Error::AlreadyExists { .. } => (Meaning::Condition, "the object exists already"),
            Error::Precondition { .. } | Error::NotModified { .. } => {
                (Meaning::Condition, "the object is not the one that was asked for")
            }
            Error::NotSupported { .. } | Error::NotImplemented { .. } => {
                (Meaning::Unsupported, "the store cannot do this")
            }
            Error::PermissionDenied { .. } | Error::Unauthenticated { .. } => {
                return Self::new(Meaning::Refused, format!("refused: {text}"));
            }
            _ => (Meaning::Final, text.as_str()),
        };
        Self::new(meaning, text)
    }

    /// The failure of a connection.
    pub(crate) fn of_transport(kind: HttpErrorKind, text: &str) -> Self {
        match kind {
            HttpErrorKind::Connect => Self::new(Meaning::NoConnection, format!("no connection: {text}")),
            HttpErrorKind::Timeout => Self::new(Meaning::Passing, "the server does not answer"),
            _ => Self::new(Meaning::Passing, format!("the connection broke: {text}")),
        }
    }

    /// The failure of a status, with what the server says about it.
    pub(crate) fn of_status(status: StatusCode, body: &str) -> Self {
        if let Some(message) = opendap_message(body) {
            let failure = Self::of_refusal(status, "", &clean(message));
            // A server that explains itself would say the same again.
            return match failure.meaning {
                Meaning::Passing => Self {
                    meaning: Meaning::Final,
                    ..failure
                },
                _ => failure,
            };
        }
        let text = |name| element(body, name).map(clean).unwrap_or_default();
        let code = text("Code");
        let failure = Self::of_refusal(status, &code, &text("Message"));
        match element(body, "Region") {
            Some(region) if code == "AuthorizationHeaderMalformed" => Self {
                meaning: Meaning::OtherRegion(region.to_owned()),
                ..failure
            },
            _ => failure,
        }
    }

    /// The failure of a status, with a code and a message, each of which may be empty.
    pub(super) fn of_refusal(status: StatusCode, code: &str, message: &str) -> Self {
        let said = match (code, message) {
            ("", "") => String::new(),
            ("", message) => format!(" ({message})"),
            (code, "") => format!(" ({code})"),
            (code, message) => format!(" ({code}: {message})"),
        };
        let answered = format!("the server answered {}{said}", status.as_u16());
        let meaning = match code {
            "NoSuchBucket" | "ContainerNotFound" => Meaning::NoBucket,
            "ExpiredToken" | "TokenRefreshRequired" => Meaning::Expired,
            "RequestTimeTooSkewed" => Meaning::Skewed,
            "SlowDown" | "ServiceUnavailable" | "Throttling" | "RequestLimitExceeded" => Meaning::Busy,
            // Also sent with status 200.
            "InternalError" => Meaning::Passing,
            // S3, status 400: the body came too slowly.
            "RequestTimeout" => Meaning::Passing,
            // Status 400: the body changed on the way.
            "BadDigest" | "Md5Mismatch" | "Crc64Mismatch" | "XAmzContentSHA256Mismatch" => Meaning::Passing,
            "AccessDenied" => Meaning::Refused,
            _ => match status.as_u16() {
                404 => Meaning::NoObject,
                401 | 403 | 407 => Meaning::Refused,
                304 | 409 | 412 => Meaning::Condition,
                416 => Meaning::PastEnd,
                405 | 501 => Meaning::Unsupported,
                429 | 503 => Meaning::Busy,
                408 | 500..=599 => Meaning::Passing,
                _ => Meaning::Final,
            },
        };
        let text = match meaning {
            Meaning::NoBucket => "no such bucket".to_owned(),
            Meaning::NoObject => format!("no such object{said}"),
            _ => answered,
        };
        Self {
            status: Some(status),
            is_explained: !said.is_empty(),
            ..Self::new(meaning, text)
        }
    }

    /// The error that callers get.
    pub(crate) fn into_error(self) -> io::Error {
        io::Error::new(self.meaning.error_kind(), self)
    }

    /// The error that callers get of a task.
    pub(crate) fn of_task(self, task: impl fmt::Display) -> io::Error {
        let text = format!("{task}: {}", self.text);
        Self { text, ..self }.into_error()
    }

    /// The failure inside an error of a session.
    pub fn inside(error: &io::Error) -> Option<&Self> {
        error.get_ref()?.downcast_ref()
    }

    /// True if an error of a session means that there is no such object.
    pub(crate) fn is_missing(error: &io::Error) -> bool {
        Self::meaning(error) == Some(&Meaning::NoObject)
    }

    /// What an error of a session means.
    pub(crate) fn meaning(error: &io::Error) -> Option<&Meaning> {
        Self::inside(error).map(|failure| &failure.meaning)
    }
}

/// The form in which attempts fail.
impl From<Failure> for object_store::Error {
    fn from(failure: Failure) -> Self {
        Self::Generic {
            store: "remote",
            source: Box::new(failure),
        }
    }
}

/// The message of a refusal by a server of OPeNDAP: `Error { code = 404; message = "why"; };`.
fn opendap_message(body: &str) -> Option<&str> {
    let inside = body.trim_start().strip_prefix("Error")?;
    let (_, message) = inside.trim_start().strip_prefix('{')?.split_once("message")?;
    let message = message.trim_start().strip_prefix('=')?.trim_start();
    Some(message.strip_prefix('"')?.rsplit_once('"')?.0)
}

/// The text of an element of XML, such as `<Code>SlowDown</Code>`.
pub(crate) fn element<'a>(xml: &'a str, name: &str) -> Option<&'a str> {
    let (_, rest) = xml.split_once(&format!("<{name}>"))?;
    let (text, _) = rest.split_once("</")?;
    Some(text.trim()).filter(|text| !text.is_empty())
}

/// A foreign text in one line: cut, and escaped.
pub(crate) fn clean(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut cut: String = line
        .chars()
        .take(LONGEST_TEXT)
        .flat_map(char::escape_debug)
        .collect();
    if line.chars().count() > LONGEST_TEXT {
        cut.push('…');
    }
    cut.replace("\\'", "'").replace("\\\"", "\"")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statuses_have_meanings() {
        let said =
            |code: &str| format!("<?xml?><Error><Code>{code}</Code><Message>Why\n not</Message></Error>");
        for (status, body, meaning, text) in [
            (404, String::new(), Meaning::NoObject, "no such object"),
            (
                404,
                said("NoSuchKey"),
                Meaning::NoObject,
                "no such object (NoSuchKey: Why not)",
            ),
            (404, said("NoSuchBucket"), Meaning::NoBucket, "no such bucket"),
            (
                403,
                said("AccessDenied"),
                Meaning::Refused,
                "the server answered 403 (AccessDenied: Why not)",
            ),
            (
                400,
                said("ExpiredToken"),
                Meaning::Expired,
                "the server answered 400 (ExpiredToken: Why not)",
            ),
            (
                403,
                said("RequestTimeTooSkewed"),
                Meaning::Skewed,
                "the server answered 403 (Req",
            ),
            (
                400,
                said("XAmzContentSHA256Mismatch"),
                Meaning::Passing,
                "the server answered 400 (XAmzC",
            ),
            (503, String::new(), Meaning::Busy, "the server answered 503"),
            (429, String::new(), Meaning::Busy, "the server answered 429"),
            (500, String::new(), Meaning::Passing, "the server answered 500"),
            (408, String::new(), Meaning::Passing, "the server answered 408"),
            (
                501,
                String::new(),
                Meaning::Unsupported,
                "the server answered 501",
            ),
            (410, String::new(), Meaning::Final, "the server answered 410"),
            (416, String::new(), Meaning::PastEnd, "the server answered 416"),
            (412, String::new(), Meaning::Condition, "the server answered 412"),
            (
                400,
                "<Message>x".to_owned(),
                Meaning::Final,
                "the server answered 400",
            ),
            (
                400,
                "<Code>AuthorizationHeaderMalformed</Code><Region>eu-west-1</Region>".to_owned(),
                Meaning::OtherRegion("eu-west-1".to_owned()),
                "the server answered 400 (Auth",
            ),
        ] {
            let failure = Failure::of_status(StatusCode::from_u16(status).unwrap(), &body);
            assert_eq!(failure.meaning, meaning, "{status} {body}");
            assert!(failure.text.starts_with(text), "{failure}");
        }
    }

    #[test]
    fn refusals_of_opendap_are_told() {
        let body = "Error {\n    code = 400;\n    message = \"no \"x\" here\";\n};\n";
        let failure = Failure::of_status(StatusCode::INTERNAL_SERVER_ERROR, body);
        assert_eq!(
            (failure.meaning, failure.text.as_str()),
            (Meaning::Final, "the server answered 500 (no \"x\" here)")
        );
        let failure = Failure::of_status(StatusCode::SERVICE_UNAVAILABLE, body);
        assert_eq!(failure.meaning, Meaning::Busy);
        assert_eq!(opendap_message("Errors { message"), None);
    }

    #[test]
    fn foreign_texts_are_cut_and_escaped() {
        assert_eq!(clean("a\u{1b}[31m\r\n b 'c' \"d\""), "a\\u{1b}[31m b 'c' \"d\"");
        assert_eq!(clean(&"x".repeat(1000)).chars().count(), LONGEST_TEXT + 1);
    }
}
