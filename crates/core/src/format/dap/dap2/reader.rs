//! Reading a dataset of DAP2.
//!
//! ```text
//! .dds, .das ─► schema          box ─┬─► pieces ─► .dods?name[a:s:b] ─► XDR ─► elements
//!                                    ├─► together: small variables
//!                                    ├─► rows: fields of sequences
//!                                    └─► computed: results of functions
//! ```

use std::collections::HashSet;
use std::sync::Arc;

use super::computed::Computed;
use super::constraint::Constraint;
use super::data::{Answer, Asked, most_bytes, no_data, question};
use super::leaves::leaves;
use super::names::sent;
use super::rows::Rows;
use super::schema::{Described, described};
use super::together::Together;
use super::{attributes, dds};
use crate::chunk::byte_count;
use crate::error::{Error, Result};
use crate::format::dap::limits::MOST_OF_OPEN_DATA;
use crate::format::dap::pieces::pieces;
use crate::format::dap::reader::ServedDataset;
use crate::format::dap::server::Server;
use crate::format::dap::slice::{Slice, element_count};
use crate::format::dap::taken::taken;
use crate::model::{Schema, Values, VarId};
use crate::store::QueryServer;

/// A dataset on a server of DAP2.
pub struct Dap2Dataset {
    server: Server,
    dataset: Described,
    rows: Rows,
    together: Together,
    /// Of a constraint with functions, what the server gives for it.
    computed: Option<Computed>,
}

impl Dap2Dataset {
    /// Opens the dataset of a server whose DDS is `dds`.
    ///
    /// # Errors
    /// Descriptions that are malformed, a constraint that does not fit, those of the server.
    pub fn open(server: &Arc<dyn QueryServer>, dds: &str, string_length: Option<u64>) -> Result<Self> {
        let server = Server::new(server);
        let mut constraint = Constraint::parse(server.typed_query())?;
        let mut structure = structure_of(dds)?;
        let mut computed = None;
        let mut names = HashSet::new();
        if let Some(called) = constraint.called.take() {
            // The results are variables of a dataset of their own. Attributes are described for the whole one.
            names = leaves(&structure, &constraint)?.names;
            structure = structure_of(&server.text(".dds", sent(&called))?)?;
            computed = Some(Computed::new(called));
        }
        let das = server.text(".das", String::new())?;
        let das = match das.trim_start().get(..10) {
            Some(word) if word.eq_ignore_ascii_case("attributes") => attributes::parse(&das)?,
            _ if das.trim().is_empty() => attributes::AttributeSet::default(),
            _ => return Err(no_data(&das)),
        };
        let mut found = leaves(&structure, &constraint)?;
        found.names.extend(names);
        // Some servers answer in the order of the dataset, others in that of the constraint.
        if let Some(several) = constraint.several()
            && let Ok(text) = server.text(".dds", sent(&several))
            && let Ok(answered) = structure_of(&text).and_then(|all| leaves(&all, &Constraint::default()))
        {
            found.order_as(&answered);
        }
        let rows = Rows::new(sent(&constraint.selections));
        match computed.is_some() {
            true if found.all.iter().any(|leaf| leaf.sequence().is_some()) => {
                let why = "a function of the server that gives sequences".to_owned();
                return Err(Error::Unsupported(why));
            }
            true => {}
            false => rows.find_lengths(&server, &mut found.all)?,
        }
        let mut dataset = described(found.all, &found.names, &das, string_length);
        dataset.schema.warnings.extend(found.left_out);
        Ok(Self {
            together: Together::new(&dataset.leaves),
            server,
            dataset,
            rows,
            computed,
        })
    }

    /// The elements of a box of the server's variable: texts whole.
    fn elements(&self, var: usize, slices: &[Slice]) -> Result<Vec<u8>> {
        let leaf = &self.dataset.leaves[var];
        let leaves = &self.dataset.leaves;
        if let Some(computed) = &self.computed {
            return computed.elements(&self.server, leaves, var, slices);
        }
        if leaf.sequence().is_some() {
            return self.rows.elements(&self.server, var, leaf, slices);
        }
        if let Some(all) = self.together.elements(&self.server, leaves, var) {
            let lengths: Vec<u64> = leaf.dims.iter().map(|dim| dim.length).collect();
            return taken(&all, &lengths, slices, leaf.size());
        }
        let parts = pieces(slices, leaf.size_sent())?;
        let questions = parts.iter().map(|part| {
            let count = element_count(part).unwrap_or(u64::MAX);
            let most = match leaf.atom.is_text() {
                true => MOST_OF_OPEN_DATA,
                false => most_bytes(count, leaf.size_sent()),
            };
            question(&leaf.projection(part), "", most)
        });
        let counts: Vec<u64> = slices.iter().map(|slice| slice.count).collect();
        let kept = byte_count(&counts, leaf.size());
        let kept = kept.ok_or_else(|| Error::Unsupported("a region larger than memory".to_owned()))?;
        let mut bytes = Vec::new();
        let mut counts = parts.iter().map(|part| element_count(part));
        self.server.answers(questions.collect(), |answer| {
            let count = counts.next().flatten();
            let found = Answer::parse(answer)?.elements(&Asked {
                leaf,
                count,
                width: leaf.width,
                most: kept,
            })?;
            match bytes.is_empty() {
                true => bytes = found.bytes,
                false => bytes.extend_from_slice(&found.bytes),
            }
            Ok(())
        })?;
        match bytes.len() == kept {
            true => Ok(bytes),
            false => Err(Error::Damaged(format!(
                "the server's answers have {} bytes of data, and {kept} were asked for",
                bytes.len()
            ))),
        }
    }
}

/// The variables that a DDS describes.
fn structure_of(text: &str) -> Result<dds::Dataset> {
    match text.trim_start().get(..7) {
        Some(word) if word.eq_ignore_ascii_case("dataset") => dds::parse(text),
        _ => Err(no_data(text)),
    }
}

impl ServedDataset for Dap2Dataset {
    fn schema(&self) -> &Schema {
        &self.dataset.schema
    }

    fn elements_of(&self, var: VarId, slices: &[Slice]) -> Result<Values> {
        let leaf = &self.dataset.leaves[var.0];
        let bytes = match slices.split_last() {
            // The last dimension is that of characters, which the server does not have.
            Some((characters, slices)) if leaf.atom.is_text() => {
                let texts = self.elements(var.0, slices)?;
                let count = (texts.len() / leaf.width) as u64;
                taken(
                    &texts,
                    &[count, leaf.width as u64],
                    &[Slice::whole(count), *characters],
                    1,
                )?
            }
            _ => self.elements(var.0, slices)?,
        };
        Ok(Values::from_bytes(bytes))
    }
}
