//! What became of the inputs: a JSON object for each, and a line for all.

use std::ffi::OsStr;
use std::fmt;
use std::os::unix::ffi::OsStrExt;
use std::sync::atomic::{AtomicU64, Ordering};

use ncutils_core::message::json_line;
use serde_json::json;

/// What became of one input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// Copied, from so many bytes to so many.
    Copied {
        /// Size of the input; `None` if it is not known.
        before: Option<u64>,
        /// Size of the output; `None` if it is not known.
        after: Option<u64>,
    },
    /// Skipped: its output is there.
    Skipped,
    /// Left out: a file of a folder that holds no dataset.
    NoDataset,
    /// Failed.
    Failed,
}

/// Numbers of inputs, and bytes of those that were copied and have known sizes.
#[derive(Debug, Default)]
pub struct Tally {
    copied: AtomicU64,
    skipped: AtomicU64,
    failed: AtomicU64,
    before: AtomicU64,
    after: AtomicU64,
    /// Copied inputs that have no known size, or whose outputs have none.
    unsized_copies: AtomicU64,
    /// `--dry-run`: nothing is written.
    dry_run: bool,
    /// `--in-place`: what is stored as asked is skipped.
    in_place: bool,
}

impl Tally {
    /// No input yet.
    pub fn new(dry_run: bool, in_place: bool) -> Self {
        Self {
            dry_run,
            in_place,
            ..Self::default()
        }
    }

    /// Counts an input.
    pub fn add(&self, fate: Fate) {
        let count = |counter: &AtomicU64, more| {
            counter.fetch_add(more, Ordering::Relaxed);
        };
        match fate {
            Fate::Copied { before, after } => {
                count(&self.copied, 1);
                match (before, after) {
                    (Some(before), Some(after)) => {
                        count(&self.before, before);
                        count(&self.after, after);
                    }
                    _ => count(&self.unsized_copies, 1),
                }
            }
            Fate::Skipped => count(&self.skipped, 1),
            Fate::NoDataset => {}
            Fate::Failed => count(&self.failed, 1),
        }
    }

    /// Number of inputs that failed.
    pub fn failed(&self) -> u64 {
        self.failed.load(Ordering::Relaxed)
    }

    /// The numbers as a JSON object on one line.
    pub fn json(&self) -> String {
        let [copied, skipped, failed, before, after, not_sized] = self.numbers();
        let mut all = json!({
            "type": "total",
            self.copied_name(): copied,
            "skipped": skipped,
            "failed": failed,
            "before": before,
            "after": after,
        });
        if not_sized > 0 {
            all["unknown_sizes"] = not_sized.into();
        }
        json_line(&all)
    }

    /// What is said of inputs that are copied, or would be.
    pub fn copied_name(&self) -> &'static str {
        match self.dry_run {
            true => "planned",
            false => "copied",
        }
    }

    fn numbers(&self) -> [u64; 6] {
        [
            &self.copied,
            &self.skipped,
            &self.failed,
            &self.before,
            &self.after,
            &self.unsized_copies,
        ]
        .map(|counter| counter.load(Ordering::Relaxed))
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [copied, skipped, failed, before, after, not_sized] = self.numbers();
        let will = if self.dry_run { "would be copied" } else { "copied" };
        let why = match self.in_place && skipped > 0 {
            true => " (nothing to change)",
            false => "",
        };
        write!(f, "{copied} {will}, {skipped} skipped{why}, {failed} failed")?;
        if self.dry_run {
            return Ok(());
        }
        if not_sized < copied {
            write!(f, "; {before} bytes became {after}")?;
        }
        match not_sized {
            0 => Ok(()),
            count => write!(f, "; the sizes of {count} are not known"),
        }
    }
}

/// What became of an input, as a JSON object on one line. A name that is not UTF-8 is there in hexadecimal digits, too.
pub fn json((input, output): (&OsStr, &OsStr), fate: Fate, copied: &str, error: Option<&str>) -> String {
    let name = match fate {
        Fate::Copied { .. } => copied,
        Fate::Skipped => "skipped",
        Fate::NoDataset => "no dataset",
        Fate::Failed => "failed",
    };
    let mut object = json!({"type": "file", "status": name});
    for (member, name) in [("input", input), ("output", output)] {
        object[member] = name.to_string_lossy().into();
        if name.to_str().is_none() {
            let digits = name.as_bytes().iter().map(|byte| format!("{byte:02x}"));
            object[format!("{member}_hex")] = digits.collect::<String>().into();
        }
    }
    if let Fate::Copied { before, after } = fate {
        object["before"] = before.into();
        object["after"] = after.into();
    }
    if let Some(error) = error {
        object["error"] = error.into();
    }
    json_line(&object)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inputs_are_counted() {
        let tally = Tally::default();
        let copied = |before, after| Fate::Copied {
            before: Some(before),
            after: Some(after),
        };
        for fate in [
            copied(10, 5),
            copied(20, 7),
            Fate::Skipped,
            Fate::NoDataset,
            Fate::Failed,
        ] {
            tally.add(fate);
        }
        assert_eq!(
            tally.to_string(),
            "2 copied, 1 skipped, 1 failed; 30 bytes became 12"
        );
        assert_eq!(tally.failed(), 1);
        let total = r#"{"type":"total","copied":2,"skipped":1,"failed":1,"before":30,"after":12}"#;
        let parsed = |text: &str| serde_json::from_str::<serde_json::Value>(text).unwrap();
        assert_eq!(parsed(&tally.json()), parsed(total));
        let one = json(("a".as_ref(), "b".as_ref()), Fate::Failed, "copied", Some("why"));
        assert_eq!(
            parsed(&one),
            parsed(r#"{"type":"file","input":"a","output":"b","status":"failed","error":"why"}"#)
        );
        let name = OsStr::from_bytes(b"a\xff");
        let odd = parsed(&json((name, "b".as_ref()), Fate::Skipped, "copied", None));
        assert_eq!(
            (&odd["input"], &odd["input_hex"]),
            (&"a\u{fffd}".into(), &"61ff".into())
        );
        tally.add(Fate::Copied {
            before: None,
            after: Some(5),
        });
        assert_eq!(
            tally.to_string(),
            "3 copied, 1 skipped, 1 failed; 30 bytes became 12; the sizes of 1 are not known"
        );
        let unchanged = Tally::new(false, true);
        unchanged.add(Fate::Skipped);
        assert_eq!(
            unchanged.to_string(),
            "0 copied, 1 skipped (nothing to change), 0 failed"
        );
    }
}
