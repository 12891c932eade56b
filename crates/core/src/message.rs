//! Messages to the user.

use std::fmt::Display;
use std::io::{self, Write};

/// Writes a line to standard error: `program: text`. Where that cannot be written there is no one to tell, and the work
/// goes on.
pub fn tell(program: &str, text: impl Display) {
    let _ = writeln!(io::stderr().lock(), "{program}: {text}");
}
