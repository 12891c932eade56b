//! What `--salvage` tells: one line for each variable that has lost something, and one for the whole.
//!
//! ```text
//! faults ─► Report: by variable, in the order in which they come ─► lines
//! losses ─► Tally: how many variables are whole, in part, lost ─► the last line
//! ```

use std::collections::HashMap;

use ncutils_core::format::Fault;

/// What becomes of a chunk whose codec is not known.
const UNCHECKED: &str = " (kept as it is, not checked)";

/// The faults of one variable, or one fault of no single variable.
struct Lines<'f> {
    faults: Vec<&'f Fault>,
    /// Why nothing is lost for these faults.
    kept: &'static str,
}

/// What is wrong, by variable.
#[derive(Default)]
pub(super) struct Report<'f> {
    lines: Vec<Lines<'f>>,
    /// True if something is lost.
    pub(super) is_lost: bool,
}

impl<'f> Report<'f> {
    /// The report of `faults`. `keeps_suspect` keeps chunks whose only fault is a checksum.
    pub(super) fn of(faults: impl IntoIterator<Item = &'f Fault>, keeps_suspect: bool) -> Self {
        let mut report = Self::default();
        let mut known: HashMap<(&String, &str), usize> = HashMap::new();
        for fault in faults {
            let is_kept = fault.only_checksum && keeps_suspect;
            let kept = match (fault.is_replaced, is_kept, fault.is_unchecked) {
                (true, ..) => " (another copy of it was read)",
                (_, true, _) => " (kept)",
                (.., true) => UNCHECKED,
                _ => "",
            };
            report.is_lost |= kept.is_empty() && !fault.is_summary;
            let at = fault.variable.as_ref().map(|variable| (variable, kept));
            match at.and_then(|at| known.get(&at)) {
                Some(line) => report.lines[*line].faults.push(fault),
                None => {
                    if let Some(at) = at {
                        known.insert(at, report.lines.len());
                    }
                    report.lines.push(Lines {
                        faults: vec![fault],
                        kept,
                    });
                }
            }
        }
        report
    }

    /// The lines. `chunks` tells how many chunks a variable had, by its path, if that is known.
    pub(super) fn lines(&self, chunks: impl Fn(&str) -> Option<u64>) -> impl Iterator<Item = String> {
        self.lines.iter().map(move |Lines { faults, kept }| {
            let (first, count) = (&faults[0], faults.len());
            let Some(variable) = first.variable.as_ref().filter(|_| count > 1) else {
                return format!("{first}{kept}");
            };
            let of_chunks = faults.iter().filter(|fault| fault.chunk.is_some()).count();
            let rest = Fault {
                variable: None,
                ..Fault::clone(first)
            };
            if of_chunks < count {
                return format!("variable {variable}: {rest}; and {} more{kept}", count - 1);
            }
            let all = chunks(variable).map_or(String::new(), |all| format!(" of {all}"));
            let (what, kept) = match *kept {
                "" => ("are lost, the first", ""),
                UNCHECKED => ("are kept as they are, not checked, the first", ""),
                kept => ("have a fault, the first", kept),
            };
            format!("variable {variable}: {of_chunks}{all} chunks {what}: {rest}{kept}")
        })
    }
}

/// How much is left of the variables.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    pub(super) whole: u64,
    pub(super) in_part: u64,
    pub(super) lost: u64,
    pub(super) unchecked: u64,
}

impl Tally {
    /// Adds those of other variables.
    pub(crate) fn add(&mut self, other: Self) {
        self.whole += other.whole;
        self.in_part += other.in_part;
        self.lost += other.lost;
        self.unchecked += other.unchecked;
    }

    /// True if a variable was not checked.
    pub(crate) fn is_unchecked(&self) -> bool {
        self.unchecked > 0
    }

    /// The line for the whole.
    pub(crate) fn line(&self) -> String {
        let Self {
            whole,
            in_part,
            lost,
            unchecked,
        } = self;
        let all = whole + in_part + lost + unchecked;
        let noun = if all == 1 { "variable" } else { "variables" };
        let mut line = format!("of {all} {noun}, {whole} are whole, {in_part} in part, {lost} lost");
        if *unchecked > 0 {
            line += &format!(", {unchecked} not checked");
        }
        line
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(faults: &[Fault]) -> Vec<String> {
        Report::of(faults, false).lines(|_| Some(9)).collect()
    }

    #[test]
    fn a_variable_has_one_line() {
        let fault = |chunk: u64| Fault::new("damaged").in_variable("v").in_chunk(&[chunk, 0]);
        let other = Fault::new("no header").in_variable("w");
        assert_eq!(lines(&[fault(3)]), ["variable v: chunk [3, 0]: damaged"]);
        assert_eq!(
            lines(&[fault(3), other.clone(), fault(4)]),
            [
                "variable v: 2 of 9 chunks are lost, the first: chunk [3, 0]: damaged",
                "variable w: no header",
            ]
        );
        assert_eq!(
            lines(&[other.clone(), other.clone(), other]),
            ["variable w: no header; and 2 more"]
        );
        assert_eq!(lines(&[Fault::new("a"), Fault::new("b")]), ["a", "b"]);
    }

    #[test]
    fn what_is_kept_is_told_by_itself() {
        let mut faults = [Fault::new("x").in_variable("v"), Fault::new("y").in_variable("v")];
        faults[1].is_replaced = true;
        let report = Report::of(&faults, false);
        assert!(report.is_lost);
        assert_eq!(
            report.lines(|_| None).collect::<Vec<_>>(),
            ["variable v: x", "variable v: y (another copy of it was read)"]
        );
        assert!(!Report::of(&faults[1..], false).is_lost);
    }

    #[test]
    fn the_whole_is_one_line() {
        let mut tally = Tally {
            whole: 3,
            ..Tally::default()
        };
        tally.add(Tally {
            lost: 1,
            unchecked: 2,
            ..Tally::default()
        });
        assert_eq!(
            tally.line(),
            "of 6 variables, 3 are whole, 0 in part, 1 lost, 2 not checked"
        );
    }
}
