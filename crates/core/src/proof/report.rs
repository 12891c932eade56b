//! The report of a check, as text and as JSON.

use serde_json::{Value, json};

use super::check::Checked;
use crate::format::Fault;

/// The report as lines: one for each fault, and a last one that tells what was read and what no checksum covers.
pub fn check_text(checked: &Checked) -> String {
    let mut text = String::new();
    for fault in &checked.faults {
        text += &crate::message::one_line(&fault.to_string());
        text.push('\n');
    }
    let faults = match checked.faults.len() {
        0 => "no fault".to_owned(),
        1 => "1 fault".to_owned(),
        n => format!("{n} faults"),
    };
    let covered = match checked.uncovered.is_empty() {
        true => "a checksum covers everything".to_owned(),
        false => format!("no checksum covers {}", checked.uncovered.join("; ")),
    };
    text += &format!(
        "{faults} in {} variables, {} chunks, {} bytes of data; {covered}\n",
        checked.variables, checked.chunks, checked.bytes
    );
    text
}

/// The report as one JSON object, followed by a newline.
pub fn check_json(checked: &Checked) -> String {
    let faults: Vec<Value> = checked.faults.iter().map(fault_json).collect();
    let report = json!({
        "faults": faults,
        "variables": checked.variables,
        "chunks": checked.chunks,
        "bytes": checked.bytes,
        "uncovered": checked.uncovered,
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
