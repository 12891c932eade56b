//! Progress as lines of JSON on standard error, for programs that run ours.

use std::io::{self, Write};
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// Least time between two lines, the first and the last apart.
const INTERVAL: Duration = Duration::from_millis(100);

/// Writes a line whenever the work has moved on and [`INTERVAL`] has passed.
#[derive(Debug)]
pub(super) struct Lines {
    /// Time of the last line, and the bytes it told as done; `None` before the first line.
    last: Mutex<Option<(Instant, u64)>>,
}

impl Lines {
    pub(super) const fn new() -> Self {
        let last = Mutex::new(None);
        Self { last }
    }

    /// Tells that `done` of `total` bytes are done, unless a line was written just now.
    pub(super) fn tell(&self, done: u64, total: u64, files: Option<(u64, u64)>) {
        // The thread that writes a line does not keep the others from work.
        let Ok(mut last) = self.last.try_lock() else {
            return;
        };
        if last.is_none_or(|(at, told)| at.elapsed() >= INTERVAL && done > told) {
            *last = Some((Instant::now(), done));
            write(&line(done, total, files));
        }
    }

    /// Tells the end, if it is not told yet.
    pub(super) fn end(&self, done: u64, total: u64, files: Option<(u64, u64)>) {
        let Ok(last) = self.last.lock() else { return };
        if last.is_none_or(|(_, told)| done > told) {
            write(&line(done, total, files));
        }
    }
}

fn line(done: u64, total: u64, files: Option<(u64, u64)>) -> String {
    let files = files.map(|(copied, all)| format!(r#","files":{copied},"all_files":{all}"#));
    let files = files.unwrap_or_default();
    format!("{{\"type\":\"progress\",\"done\":{done},\"total\":{total}{files}}}\n")
}

/// Writes a line at once, so that it does not mix with messages.
fn write(line: &str) {
    // A reader that is gone does not stop the work.
    let _ = io::stderr().lock().write_all(line.as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_json() {
        let plain = "{\"type\":\"progress\",\"done\":1,\"total\":2}\n";
        assert_eq!(line(1, 2, None), plain);
        let of_files = "{\"type\":\"progress\",\"done\":1,\"total\":2,\"files\":3,\"all_files\":4}\n";
        assert_eq!(line(1, 2, Some((3, 4))), of_files);
    }
}
