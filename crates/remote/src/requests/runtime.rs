//! The runtime that asynchronous requests run on. Only this folder knows it.

use std::io;
use std::sync::OnceLock;

use tokio::runtime::{Builder, Runtime};

/// Threads that move bytes between sockets and memory, and decrypt them.
const THREADS: usize = 2;

/// The runtime of this process. It starts with the first request.
///
/// # Errors
/// If its threads cannot be started.
pub(crate) fn runtime() -> io::Result<&'static Runtime> {
    static RUNTIME: OnceLock<Result<Runtime, String>> = OnceLock::new();
    let started = RUNTIME.get_or_init(|| {
        Builder::new_multi_thread()
            .worker_threads(THREADS)
            .thread_name("remote")
            .enable_io()
            .enable_time()
            .build()
            .map_err(|e| e.to_string())
    });
    started
        .as_ref()
        .map_err(|e| io::Error::other(format!("cannot start the threads for requests: {e}")))
}
