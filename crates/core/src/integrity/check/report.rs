//! The report of a check, as text and as JSON.

use std::collections::HashMap;

use serde_json::{Value, json};

use super::check_dataset::Checked;
use crate::format::Fault;
use crate::message::json_line;

/// The report as lines: one for each fault and each note, one for each variable with missing sources, and a last one that tells what
/// was read and what no checksum covers. The chunks of a variable that could not be decoded for want of a filter or of memory have one
/// line. They are no faults, and the last line has their number.
pub fn check_text(checked: &Checked) -> String {
    let mut text = String::new();
    let mut unchecked: HashMap<&Option<String>, usize> = HashMap::new();
    for fault in checked.faults.iter().filter(|fault| fault.is_unchecked) {
        *unchecked.entry(&fault.variable).or_default() += 1;
    }
    for fault in &checked.faults {
        let line = match unchecked.get_mut(&fault.variable).filter(|_| fault.is_unchecked) {
            None => fault.to_string(),
            Some(0) => continue,
            Some(count) => {
                let more = match std::mem::take(count) {
                    1 => String::new(),
                    all => format!(" (and so in {} of its other chunks)", all - 1),
                };
                format!("not checked: {fault}{more}")
            }
        };
        text += &crate::message::one_line(&line);
        text.push('\n');
    }
    for line in checked.notes.iter().chain(&checked.missing) {
        text += &crate::message::one_line(line);
        text.push('\n');
    }
    let not_checked: usize = checked.faults.iter().filter(|fault| fault.is_unchecked).count();
    let faults = match checked.faults.len() - not_checked {
        0 => "no fault".to_owned(),
        n => counted(n as u64, "fault"),
    };
    let covered = match checked.uncovered.is_empty() {
        true => "a checksum covers everything".to_owned(),
        false => format!("no checksum covers {}", checked.uncovered.join("; ")),
    };
    let not_checked = match not_checked as u64 {
        0 => String::new(),
        n => format!("{} not checked; ", counted(n, "chunk")),
    };
    text += &format!(
        "{faults} in {}, {}, {} of data; {not_checked}{covered}\n",
        counted(checked.variables, "variable"),
        counted(checked.chunks, "chunk"),
        counted(checked.bytes, "byte"),
    );
    text
}

/// A number with its noun, in the singular or the plural.
fn counted(number: u64, noun: &str) -> String {
    match number {
        1 => format!("1 {noun}"),
        n => format!("{n} {noun}s"),
    }
}

/// The report about `input` as one JSON object of the type `check`, followed by a newline.
pub fn check_json(input: &str, checked: &Checked) -> String {
    let faults: Vec<Value> = checked.faults.iter().map(fault_json).collect();
    let report = json!({
        "type": "check",
        "input": input,
        "faults": faults,
        "variables": checked.variables,
        "chunks": checked.chunks,
        "bytes": checked.bytes,
        "uncovered": checked.uncovered,
        "notes": checked.notes,
        "missing": checked.missing,
        "unreferenced": checked.unreferenced,
    });
    json_line(&report)
}

/// The same for an input that could not be checked.
pub fn failed_check_json(input: &str, error: &str) -> String {
    json_line(&json!({"type": "check", "input": input, "error": error}))
}

fn fault_json(fault: &Fault) -> Value {
    json!({
        "variable": fault.variable,
        "chunk": fault.chunk,
        "key": fault.key,
        "byte": fault.byte,
        "cause": fault.cause,
        "only_checksum": fault.only_checksum,
        "not_checked": fault.is_unchecked,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_filter_that_lacks_is_told_once_a_variable() {
        let fault = |variable: &str, chunk, is_unchecked| Fault {
            variable: Some(variable.to_owned()),
            chunk: Some(vec![chunk]),
            cause: "no filter".to_owned(),
            is_unchecked,
            ..Fault::default()
        };
        let checked = Checked {
            faults: vec![
                fault("a", 0, true),
                fault("a", 1, false),
                fault("a", 2, true),
                fault("b", 0, true),
            ],
            ..Checked::default()
        };
        let text = check_text(&checked);
        let lines: Vec<&str> = text.lines().collect();
        let expected = [
            "not checked: variable a: chunk [0]: no filter (and so in 1 of its other chunks)",
            "variable a: chunk [1]: no filter",
            "not checked: variable b: chunk [0]: no filter",
        ];
        assert_eq!(lines[..3], expected);
        assert!(lines[3].starts_with("1 fault in "), "{text}");
        assert!(lines[3].contains("; 3 chunks not checked; "), "{text}");
    }

    #[test]
    fn nouns_agree_with_their_numbers() {
        let mut checked = Checked {
            variables: 1,
            chunks: 1,
            bytes: 1,
            ..Checked::default()
        };
        let all = "a checksum covers everything\n";
        assert_eq!(
            check_text(&checked),
            format!("no fault in 1 variable, 1 chunk, 1 byte of data; {all}")
        );
        checked
            .missing
            .push("variable v: 1 of 2 sources is missing".to_owned());
        (checked.variables, checked.chunks, checked.bytes) = (2, 0, 2);
        assert_eq!(
            check_text(&checked),
            format!(
                "variable v: 1 of 2 sources is missing\nno fault in 2 variables, 0 chunks, 2 bytes of data; {all}"
            )
        );
    }
}
