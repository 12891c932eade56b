//! `--with-parent`: a process that ends with the one that began it.

use std::io::{self, Read};
use std::thread;

/// Ends this process, as a signal would, when standard input ends.
///
/// # Errors
/// The system starts no thread.
pub fn end_with_parent() -> io::Result<()> {
    ncutils_cli::signals::handle("nccopy");
    let wait = || {
        let mut input = io::stdin();
        let mut bytes = [0; 512];
        while !matches!(input.read(&mut bytes), Ok(0) | Err(_)) {}
        ncutils_cli::signals::raise();
    };
    thread::Builder::new()
        .name("parent".to_owned())
        .spawn(wait)
        .map(drop)
}
