//! What `nccopy --summary` prints.

use std::collections::BTreeMap;

use ncutils_core::copy::{Passed, Report, ratio};
use ncutils_core::filter::Tested;
use ncutils_core::format::archive::Packed;
use ncutils_core::location::Location;
use serde_json::{Value, json};

use super::columns::{self, Side};
use super::plan_text::Beside;
use super::report;
use crate::arguments::Arguments;

/// Prints what a copy of bytes to or from an archive did.
///
/// # Errors
/// Failures of standard output.
pub fn print_bytes(
    packed: &Packed,
    locations: (&Location, &Location),
    arguments: &Arguments,
) -> anyhow::Result<()> {
    let Packed {
        original,
        archive,
        sha256,
        ..
    } = packed;
    let sha: String = sha256.iter().map(|byte| format!("{byte:02x}")).collect();
    let text = || {
        let ratio = ratio(*original, *archive).map_or("-".to_owned(), |ratio| format!("{ratio:.2}"));
        format!(
            "original {original} bytes, archive {archive} bytes, ratio {ratio}\nSHA-256 of the original {sha}\n"
        )
    };
    let json = || json!({"original": original, "archive": archive, "sha256": sha});
    report::print("summary", locations, arguments, text, json)
}

/// A table with a row for each variable and one for their sum, and a line about the whole copy.
pub fn text(report: &Report, beside: Option<Beside<'_>>) -> String {
    let row = |name: &str, route: &str, bytes: [u64; 3], seconds: f64| {
        let [decoded, read, written] = bytes;
        [
            name.to_owned(),
            route.to_owned(),
            decoded.to_string(),
            read.to_string(),
            written.to_string(),
            ratio(decoded, written).map_or("-".to_owned(), |ratio| format!("{ratio:.2}")),
            format!("{seconds:.3}"),
        ]
    };
    let head = [
        "variable", "route", "decoded", "read", "written", "ratio", "seconds",
    ];
    let mut rows = vec![head.map(str::to_owned)];
    let (mut all, mut work) = ([0u64; 3], 0.0);
    for var in report.variables() {
        let bytes = [var.decoded, var.read, var.written];
        for (sum, more) in all.iter_mut().zip(bytes) {
            *sum = sum.saturating_add(more);
        }
        let seconds = var.work.as_secs_f64();
        work += seconds;
        rows.push(row(var.name, &var.routes.to_string(), bytes, seconds));
    }
    for dataset in beside.iter().flat_map(|beside| beside.datasets) {
        let mut row: [String; 7] = std::array::from_fn(|_| "-".to_owned());
        row[0].clone_from(&dataset.path);
        row[1] = Beside::route(dataset).to_owned();
        rows.push(row);
    }
    rows.push(row("total", "", all, work));
    let mut text = String::new();
    let mut sides = [Side::Right; 7];
    sides[..2].fill(Side::Left);
    columns::push(&mut text, sides, &rows);
    let (elapsed, peak) = (report.elapsed().as_secs_f64(), report.peak());
    text.push_str(&passed(report.passed()));
    text + &format!("elapsed {elapsed:.3} s, memory for data at most {peak} bytes\n")
}

/// What was tested of a chunk that passed, as text and as a name in JSON.
const TESTED: [(Tested, &str, &str); 4] = [
    (Tested::Decoded, "decoded", "decoded"),
    (Tested::Checksum, "tested by a checksum", "checksum"),
    (Tested::Structure, "tested by lengths and marks", "structure"),
    (Tested::Nothing, "not tested", "untested"),
];

/// A line about encoded chunks that passed; nothing if none did.
fn passed(passed: Passed) -> String {
    let counts = TESTED.map(|(tested, text, _)| (passed.tested(tested), text));
    let parts = counts.iter().filter(|(count, _)| *count > 0);
    let parts: Vec<String> = parts.map(|(count, text)| format!("{count} {text}")).collect();
    match counts.iter().map(|(count, _)| count).sum::<u64>() {
        0 => String::new(),
        1 => format!("1 chunk passed as it is: {}\n", parts.join(", ")),
        all => format!("{all} chunks passed as they are: {}\n", parts.join(", ")),
    }
}

/// The same as a JSON object.
pub fn json(report: &Report, beside: Option<Beside<'_>>) -> Value {
    let variables = report.variables();
    let sum = |bytes: fn(&ncutils_core::copy::VariableReport) -> u64| {
        variables.iter().map(bytes).fold(0, u64::saturating_add)
    };
    let (decoded, read, written) = (sum(|v| v.decoded), sum(|v| v.read), sum(|v| v.written));
    let mut each: Vec<_> = variables
        .iter()
        .map(|var| {
            json!({
                "name": var.name,
                "route": report::route(&var.routes),
                "routes": report::routes(&var.routes),
                "decoded": var.decoded,
                "read": var.read,
                "written": var.written,
                "ratio": var.ratio(),
                "seconds": var.work.as_secs_f64(),
            })
        })
        .collect();
    let others = beside.iter().flat_map(|beside| beside.datasets);
    each.extend(others.map(|dataset| {
        json!({
            "name": dataset.path,
            "route": Beside::route(dataset),
            "routes": null,
            "decoded": null,
            "read": null,
            "written": null,
            "ratio": null,
            "seconds": null,
        })
    }));
    let passed = TESTED.map(|(tested, _, name)| (name, report.passed().tested(tested)));
    let passed: BTreeMap<&str, u64> = passed.into_iter().collect();
    json!({
        "variables": each,
        "decoded": decoded,
        "read": read,
        "written": written,
        "ratio": ratio(decoded, written),
        "seconds": variables.iter().map(|v| v.work.as_secs_f64()).sum::<f64>(),
        "elapsed": report.elapsed().as_secs_f64(),
        "memory": report.peak(),
        "passed": passed,
    })
}
