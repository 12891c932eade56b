//! What is taken from a server. Everything it sends is hostile.

/// Most bytes of a text that describes a dataset.
pub const MOST_OF_A_TEXT: u64 = 64 << 20;

/// Most bytes of the description in front of the data of an answer.
pub const MOST_OF_A_HEADER: u64 = 1 << 20;

/// Most bytes of data that one request asks for. Servers refuse longer answers: some from 50 MB on.
pub const LARGEST_REQUEST: u64 = 32 << 20;

/// Bytes from which on a region is asked for by several requests at once. Each request costs a server some milliseconds, so that
/// many small ones are slower.
pub const SPLIT_FROM: u64 = 8 << 20;

/// Most bytes of an answer whose length depends on its content: strings, sequences.
pub const MOST_OF_OPEN_DATA: u64 = 256 << 20;

/// Deepest nesting of a description.
pub const DEEPEST: usize = 64;

/// Most dimensions of a variable. netCDF-C has as many.
pub const MOST_DIMENSIONS: usize = 1024;

/// Most characters of a server's text in a message.
const MOST_SHOWN: usize = 200;

/// A text of a server for a message: one line, cut and escaped.
pub fn shown(text: &str) -> String {
    let mut line: String = text
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
        .chars()
        .take(MOST_SHOWN + 1)
        .collect();
    if line.chars().count() > MOST_SHOWN {
        line.pop();
        line.push('…');
    }
    line.escape_debug()
        .to_string()
        .replace("\\\"", "\"")
        .replace("\\'", "'")
}
