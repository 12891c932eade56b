//! Options of running a copy.

use std::ffi::OsStr;
use std::path::Path;

use super::progress::Progress;
use crate::threads;

/// Options of running a copy.
#[derive(Clone, Copy, Default)]
pub struct RunOptions<'a> {
    /// Number of threads; `None` for [`threads::count`](crate::threads::count).
    pub threads: Option<usize>,
    /// Bytes of memory for data; `None` for [`default_budget`](crate::copy::default_budget).
    pub memory: Option<u64>,
    /// The output's name, for errors about the output. Errors about the input have no name.
    pub output: Option<&'a OsStr>,
    /// The folder for temporary files, which a copy with little memory may need. `None` for `$TMPDIR`, or
    /// else `/var/tmp`.
    pub folder: Option<&'a Path>,
    /// True if the input may change while it is copied. Otherwise a change is an error.
    pub input_may_change: bool,
    /// True to pass encoded chunks without a test: see [`Pipeline::test`](crate::filter::Pipeline::test). Otherwise a damaged
    /// one is an error.
    pub untested: bool,
    /// Receives progress reports.
    pub progress: Option<&'a dyn Progress>,
}

impl RunOptions<'_> {
    /// Number of threads to use.
    pub(in crate::copy) fn thread_count(&self) -> usize {
        self.threads.unwrap_or_else(threads::count).max(1)
    }
}
