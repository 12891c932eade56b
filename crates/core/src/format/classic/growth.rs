//! Adds records to a classic file.
//!
//! ```text
//! header, with the number of records │ variables without records │ old records ║ new records
//!            └──────────── written last, when the new records are durable ─────┘
//! ```

use std::sync::Arc;

use super::header::decode::{Header, decode};
use super::header::variable_position::Geometry;
use super::records::Records;
use super::writer::{ClassicWriter, OpenVariable, RECORD_COUNT, target};
use crate::error::{Error, Result};
use crate::format::{Received, VariablePlan};
use crate::model::{Schema, VarId};
use crate::store::{Object, Output};

impl ClassicWriter {
    /// Adds records to the classic file `old`, which is `output` as well. `schema` is that of the new records alone, whose number is
    /// the length of its record dimension. Old records and variables are not touched. [`Writer::finish`](crate::format::Writer::finish)
    /// makes the new ones durable, and then writes their number.
    ///
    /// # Errors
    /// Another file than that of the schema; one that is truncated, or has data behind its records; more records than its kind counts;
    /// the output fails.
    pub fn grow(
        old: &dyn Object,
        output: Arc<dyn Output>,
        schema: &Schema,
        plans: &[VariablePlan],
    ) -> Result<Self> {
        let header = decode(old)?;
        let (before, version) = (header.geometry.records, header.version);
        let added = schema.dims.iter().find(|d| d.unlimited).map_or(0, |d| d.length);
        let same_variables = header.schema.vars.len() == schema.vars.len()
            && header
                .schema
                .vars
                .iter()
                .zip(&schema.vars)
                .all(|(a, b)| a.ty == b.ty);
        if !same_variables || version.kind() != schema.kind || plans.len() != schema.vars.len() {
            return Err(Error::Internal("records of another file".to_owned()));
        }
        let too_many =
            || Error::Unsupported(format!("{added} more records in a {} file", schema.kind.name()));
        let records = before
            .checked_add(added)
            .filter(|records| *records < version.streaming())
            .ok_or_else(too_many)?;
        let geometry = Geometry {
            records: added,
            ..header.geometry
        };
        let shift = before.checked_mul(geometry.record_size);
        let first = header.geometry.first_record(&header.places).unwrap_or(header.end);
        let end = |records: u64| {
            let size = records.checked_mul(geometry.record_size)?.checked_add(first)?;
            i64::try_from(size).is_ok().then_some(size)
        };
        let (Some(shift), Some(old_end), Some(new_end)) = (shift, end(before), end(records)) else {
            return Err(too_many());
        };
        let mut vars = Vec::with_capacity(plans.len());
        for (n, plan) in plans.iter().enumerate() {
            let mut place = header.places[n];
            if place.record {
                place.begin += shift;
            }
            let var = target(schema, VarId(n), plan, place);
            vars.push(var.map_err(|e| e.in_variable(&schema.vars[n].name))?);
        }
        check_data(&header, old, first)?;
        let cannot = |e| Error::io("cannot write", e);
        let count = |records: u64| records.to_be_bytes()[8 - version.count_width()..].to_vec();
        if header.is_streamed {
            // The size of the file tells the number of records until the header does.
            output
                .write_all_at(RECORD_COUNT, &count(before))
                .and_then(|()| output.sync())
                .map_err(cannot)?;
        }
        // Bytes behind the records are what a killed run left.
        output
            .set_size(old_end)
            .and_then(|()| output.set_size(new_end))
            .map_err(cannot)?;
        let records_of = Records::choose(output.as_ref(), &geometry, vars.iter().map(OpenVariable::slabs));
        Ok(Self {
            output,
            geometry,
            vars,
            records: records_of,
            received: Received::new(plans),
            count: Some(count(records)),
        })
    }
}

/// Checks that all data is there, and that nothing lies behind the first record but records.
///
/// # Errors
/// Names a variable.
fn check_data(header: &Header, old: &dyn Object, first: u64) -> Result<()> {
    let size = old.size().map_err(|e| Error::io("cannot read", e))?;
    for (var, place) in header.schema.vars.iter().zip(&header.places) {
        let end = header.geometry.end(place);
        if size.is_some_and(|size| end > size) {
            return Err(Error::Truncated(format!(
                "the file is truncated: its data ends at byte {end}, and the file at byte {}",
                size.unwrap_or_default()
            ))
            .in_variable(&var.name));
        }
        if !place.record && end > first && header.geometry.record_variables > 0 {
            return Err(
                Error::Unsupported("adding to a file with other data behind its records".to_owned())
                    .in_variable(&var.name),
            );
        }
    }
    Ok(())
}
