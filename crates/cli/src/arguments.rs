//! The arguments of the program that runs.
//!
//! They are the process's, unless `ncutils` runs a program by a command: `ncutils copy a.nc b.nc` runs `nccopy a.nc b.nc`.

use std::env;
use std::ffi::OsString;
use std::sync::OnceLock;

/// The arguments that [`replace`] gave.
static REPLACED: OnceLock<Vec<OsString>> = OnceLock::new();

/// The arguments of the program that runs, its name first.
pub fn given() -> impl Iterator<Item = OsString> {
    let replaced = REPLACED.get();
    let own = replaced.is_none().then(env::args_os);
    replaced
        .into_iter()
        .flatten()
        .cloned()
        .chain(own.into_iter().flatten())
}

/// Lets the program that runs next have these arguments in place of the process's. Has no effect the second time.
pub fn replace(arguments: Vec<OsString>) {
    // A process runs one program, so nothing that was set is lost.
    let _ = REPLACED.set(arguments);
}
