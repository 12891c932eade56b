//! [`Rows`]: sequences, which are read whole, as a server gives no range of rows.

use std::collections::HashMap;
use std::sync::Arc;

use super::data::{Answer, Asked, Elements, question};
use super::leaf::Leaf;
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
                    self.count(server, first)
                        .map_err(|e| e.in_variable(&first.name))?
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
                let found = self.field(server, leaf)?;
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

    /// All rows of a field.
    fn field(&self, server: &Server, leaf: &Leaf) -> Result<Elements> {
        let inner = leaf.dims.iter().filter(|dim| !dim.is_rows);
        let inner: Vec<Slice> = inner.map(|dim| Slice::whole(dim.length)).collect();
        let asked = Asked {
            leaf,
            count: element_count(&inner),
            width: leaf.width,
            most: MOST_OF_OPEN_DATA as usize,
        };
        self.answer(server, leaf, |answer| answer.elements(&asked))
    }

    /// The number of rows of a field.
    fn count(&self, server: &Server, leaf: &Leaf) -> Result<u64> {
        self.answer(server, leaf, |answer| answer.rows(leaf))
    }

    /// What `read` gives of the answer with all rows of a field.
    fn answer<T>(&self, server: &Server, leaf: &Leaf, read: impl Fn(&Answer<'_>) -> Result<T>) -> Result<T> {
        let projection = leaf.projection(&leaf.whole());
        let question = question(&projection, &self.selections, MOST_OF_OPEN_DATA);
        let mut found = None;
        server.answers(vec![question], |answer| {
            found = Some(read(&Answer::parse(answer)?)?);
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
