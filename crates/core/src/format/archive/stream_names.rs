//! The names of streams, for messages: those of the variables in the original's header.

use std::sync::Arc;

use super::random_access::opened::OriginalHeader;
use super::structure::front::Front;
use crate::error::Error;
use crate::format::Reader;
use crate::format::classic::ClassicReader;
use crate::store::Object;

/// The names of all variables; none if the header cannot be read.
pub(super) fn names(front: &Front) -> Vec<String> {
    let nothing: Arc<dyn Object> = Arc::new(Vec::new());
    let names = |reader: ClassicReader| {
        let vars = &reader.schema().vars;
        vars.iter().map(|var| var.name.to_string()).collect()
    };
    let reader = ClassicReader::open_by_header(nothing, &OriginalHeader(front));
    reader.map(names).unwrap_or_default()
}

/// An error of a stream, with the name of its variable.
pub(super) fn in_variable(front: &Front, stream: usize, error: Error) -> Error {
    match names(front).get(stream) {
        Some(name) => error.in_variable(name),
        None => error,
    }
}
