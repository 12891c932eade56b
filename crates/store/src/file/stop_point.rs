//! Points at which a test stops the program, so that it is killed or interrupted at a known moment.
//!
//! `NCUTILS_STOP_AT=write:7` stops the thread that is about to make the seventh write to a local output file. The thread
//! prints `stopped at write` on standard error, and goes on when a line comes on standard input. Only builds with debug assertions
//! read the variable.

use std::env;
use std::io::{self, Write};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

/// The environment variable: a point, a colon, and which of the times that the point is reached, from 1.
const VARIABLE: &str = "NCUTILS_STOP_AT";

/// Before a write to a local output file.
pub(crate) const WRITE: &str = "write";

/// Before what was added to a file is made durable.
pub(crate) const SYNC: &str = "sync";

/// Before an output file gets its name.
pub(crate) const COMMIT: &str = "commit";

/// Before a partial file, which is complete and has a partial name, replaces the target.
pub(crate) const RENAME: &str = "rename";

/// After an output file got its name.
pub(crate) const COMMITTED: &str = "committed";

struct Stop {
    point: String,
    /// How many times the point is still passed, counting the stop.
    left: AtomicU64,
}

/// Stops this thread if a test asked for it, until a line comes on standard input.
pub(crate) fn reach(point: &str) {
    static STOP: OnceLock<Option<Stop>> = OnceLock::new();
    if !cfg!(debug_assertions) {
        return;
    }
    let Some(stop) = STOP.get_or_init(asked) else {
        return;
    };
    if stop.point == point && stop.left.fetch_sub(1, Ordering::SeqCst) == 1 {
        let _ = writeln!(io::stderr(), "stopped at {point}");
        while !matches!(io::stdin().read_line(&mut String::new()), Ok(1..)) {
            thread::park();
        }
    }
}

fn asked() -> Option<Stop> {
    let text = env::var(VARIABLE).ok()?;
    let (point, times) = text.split_once(':')?;
    Some(Stop {
        point: point.to_owned(),
        left: AtomicU64::new(times.parse().ok()?),
    })
}
