//! [`Rows`]: sequences, which are read whole, as a server gives no range of rows.

use std::collections::HashMap;
use std::sync::Arc;

use super::leaf::Leaf;
use super::request::question;
use super::xdr::{Answer, Elements};
use crate::chunk::byte_count;
use crate::error::{Error, Result};
use crate::format::dap::limits::MOST_OF_OPEN_DATA;
use crate::format::dap::server::Server;
use crate::format::dap::slice::{Slice, element_count};
use crate::format::dap::taken::taken;
use crate::store::BoundedCache;

/// Bytes of fields that are kept, because each is read whole.
const KEPT: usize = 64 << 20;

/// The fields of sequences.
pub struct Rows {
    /// The selections of the URL, escaped.
    selections: String,
    /// Whole fields, by the number of their variable.
    fields: BoundedCache<usize, Arc<Vec<u8>>>,
}

impl Rows {
    /// The rows that pass these selections.
    pub fn new(selections: String) -> Self {
        Self {
            selections,
            fields: BoundedCache::new(KEPT),
        }
    }

    /// Finds the numbers of rows of sequences, by one field of each.
    ///
    /// # Errors
    /// Those of the server; answers that are malformed.
    pub fn find_lengths(&self, server: &Server, leaves: &mut [Leaf]) -> Result<()> {
        let mut known: HashMap<Vec<String>, u64> = HashMap::new();
        for n in 0..leaves.len() {
            let Some(path) = sequence_path(&leaves[n]) else {
                continue;
            };
            let rows = match known.get(&path) {
                Some(rows) => *rows,
                None => {
                    // Numbers are shorter than texts.
                    let beside = leaves
                        .iter()
                        .filter(|leaf| sequence_path(leaf).as_ref() == Some(&path));
                    let Some(first) = beside.min_by_key(|leaf| leaf.atom.is_text()) else {
                        continue;
                    };
                    // Texts of any length count.
                    let field = self.field(server, first, usize::MAX >> 1);
                    field.map_err(|e| e.in_variable(&first.name))?.rows
                }
            };
            known.insert(path, rows);
            for dim in leaves[n].dims.iter_mut().filter(|dim| dim.is_rows) {
                dim.length = rows;
                dim.slice = Slice::whole(rows);
            }
        }
        Ok(())
    }

    /// The elements of a box of a field.
    ///
    /// # Errors
    /// Those of the server; another number of rows than before.
    pub fn elements(&self, server: &Server, var: usize, leaf: &Leaf, slices: &[Slice]) -> Result<Vec<u8>> {
        let lengths: Vec<u64> = leaf.dims.iter().map(|dim| dim.length).collect();
        let all = match self.fields.get(&var) {
            Some(all) => all,
            None => {
                let found = self.field(server, leaf, leaf.width)?;
                let bytes = found.bytes.len();
                if byte_count(&lengths, leaf.size()) != Some(bytes) {
                    return Err(Error::Damaged(format!(
                        "the sequence has {} rows, and another number when the dataset was opened",
                        found.rows
                    )));
                }
                let all = Arc::new(found.bytes);
                self.fields.keep(var, Arc::clone(&all), bytes);
                all
            }
        };
        taken(&all, &lengths, slices, leaf.size())
    }

    /// All rows of a field. A text gets `width` bytes.
    fn field(&self, server: &Server, leaf: &Leaf, width: usize) -> Result<Elements> {
        let inner = leaf.dims.iter().filter(|dim| !dim.is_rows);
        let inner: Vec<Slice> = inner.map(|dim| Slice::whole(dim.length)).collect();
        let count = element_count(&inner);
        let question = question(
            &leaf.projection(&leaf.whole()),
            &self.selections,
            MOST_OF_OPEN_DATA,
        );
        let mut found = None;
        server.answers(vec![question], |answer| {
            found =
                Some(Answer::parse(answer)?.elements(leaf.atom, count, width, MOST_OF_OPEN_DATA as usize)?);
            Ok(())
        })?;
        found.ok_or_else(|| Error::Internal("a question has no answer".to_owned()))
    }
}

/// The names of the nodes down to the sequence that a variable is in.
fn sequence_path(leaf: &Leaf) -> Option<Vec<String>> {
    let path = &leaf.path[..=leaf.sequence()?];
    Some(path.iter().map(|step| step.raw.clone()).collect())
}
