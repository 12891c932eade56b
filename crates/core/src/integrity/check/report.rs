//! The report of a check, as text and as JSON.

use serde_json::{Value, json};

use super::check_dataset::Checked;
use crate::format::Fault;

/// The report as lines: one for each fault and each note, one for each variable with missing sources, and a last one that tells what was read and what no checksum covers.
pub fn check_text(checked: &Checked) -> String {
    let mut text = String::new();
    for fault in &checked.faults {
        text += &crate::message::one_line(&fault.to_string());
        text.push('\n');
    }
    for line in checked.notes.iter().chain(&checked.missing) {
        text += &crate::message::one_line(line);
        text.push('\n');
    }
    let faults = match checked.faults.len() {
        0 => "no fault".to_owned(),
        n => counted(n as u64, "fault"),
    };
    let covered = match checked.uncovered.is_empty() {
        true => "a checksum covers everything".to_owned(),
        false => format!("no checksum covers {}", checked.uncovered.join("; ")),
    };
    text += &format!(
        "{faults} in {}, {}, {} of data; {covered}\n",
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
    });
    format!("{report}\n")
}

fn fault_json(fault: &Fault) -> Value {
    json!({
        "variable": fault.variable,
        "chunk": fault.chunk,
        "key": fault.key,
        "byte": fault.byte,
        "cause": fault.cause,
        "only_checksum": fault.only_checksum,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

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
