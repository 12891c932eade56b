//! The error of an answer without data.

use crate::error::Error;
use crate::format::dap::limits::shown;

/// The error of an answer without data.
pub fn no_data(text: &str) -> Error {
    let text = text.trim_start();
    if text.starts_with('<') {
        return Error::Damaged("the server's answer is a web page, and no data".to_owned());
    }
    match text.strip_prefix("Error").and_then(|rest| rest.split_once('"')) {
        Some((_, message)) => {
            let message = message.rsplit_once('"').map_or(message, |(front, _)| front);
            Error::Remote(format!("the server says: {}", shown(message)))
        }
        None => Error::Damaged(format!(
            "the server's answer is no data of DAP2: '{}'",
            shown(text)
        )),
    }
}
