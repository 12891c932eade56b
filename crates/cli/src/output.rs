//! Prints text on standard output.

use std::fs::File;
use std::io::{self, BufWriter, IsTerminal, Write};
use std::os::fd::AsFd;
use std::sync::{Mutex, PoisonError};

use anyhow::{Context, Result};

use crate::terminal::Terminal;

/// Standard output without line buffering, since data comes in large pieces. A terminal gets escapes in place of what steers it.
///
/// # Errors
/// Standard output is closed.
pub fn stdout() -> Result<BufWriter<Box<dyn Write>>> {
    let stdout = io::stdout();
    let file: File = stdout
        .as_fd()
        .try_clone_to_owned()
        .context("cannot write")?
        .into();
    let out: Box<dyn Write> = match stdout.is_terminal() {
        true => Box::new(Terminal::new(file)),
        false => Box::new(file),
    };
    Ok(BufWriter::with_capacity(1 << 16, out))
}

/// Held while a text is printed: texts of several threads do not mix.
static PRINTING: Mutex<()> = Mutex::new(());

/// Prints text as a whole, and flushes it.
///
/// # Errors
/// The failure of writing.
pub fn print(text: impl AsRef<[u8]>) -> Result<()> {
    let _alone = PRINTING.lock().unwrap_or_else(PoisonError::into_inner);
    let mut out = stdout()?;
    out.write_all(text.as_ref())
        .and_then(|()| out.flush())
        .context("cannot write")
}
