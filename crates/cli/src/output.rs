//! Prints text on standard output.

use std::io::{self, Write};

use anyhow::{Context, Result};

/// Prints text, and flushes it.
///
/// # Errors
/// The failure of writing.
pub fn print(text: impl AsRef<[u8]>) -> Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_ref())
        .and_then(|()| out.flush())
        .context("cannot write")
}
