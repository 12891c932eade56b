//! Prints the plan or the summary of one copy, as text or as a JSON object on one line.

use ncutils_core::copy::{RouteName, Routes};
use ncutils_core::location::Location;
use ncutils_core::message::json_line;
use serde_json::Value;

use crate::arguments::Arguments;

/// Prints what is said of a copy. A JSON object gets its `type`, and the names of the input and the output. Text gets the names
/// above it, if the call has several inputs.
///
/// # Errors
/// Failures of standard output.
pub(crate) fn print(
    kind: &str,
    (input, output): (&Location, &Location),
    arguments: &Arguments,
    text: impl FnOnce() -> String,
    json: impl FnOnce() -> Value,
) -> anyhow::Result<()> {
    ncutils_cli::print(match (arguments.json, arguments.of_several) {
        (true, _) => record(kind, &input.to_string(), &output.to_string(), json()),
        (false, true) => format!("{input} -> {output}\n{}\n", text()),
        (false, false) => text(),
    })
}

/// The route of a variable in JSON.
pub(crate) fn route(routes: &Routes) -> &'static str {
    routes.only().map_or("mixed", RouteName::as_str)
}

/// The number of chunks that go by each route of a variable, in JSON.
pub(crate) fn routes(routes: &Routes) -> Value {
    routes
        .iter()
        .map(|(route, chunks)| (route.as_str().to_owned(), Value::from(chunks)))
        .collect::<serde_json::Map<_, _>>()
        .into()
}

/// A JSON object on one line, with its `type` and the names of an input and its output.
pub(crate) fn record(kind: &str, input: &str, output: &str, mut object: Value) -> String {
    object["type"] = kind.into();
    object["input"] = input.into();
    object["output"] = output.into();
    json_line(&object)
}
