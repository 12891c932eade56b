//! Reading a dataset of DAP2.
//!
//! ```text
//! .dds, .das ─► schema          region ─► pieces ─► .dods?name[a:s:b] ─► XDR ─► elements
//! ```

use std::sync::Arc;

use super::constraint::Constraint;
use super::leaf::Leaf;
use super::leaves::leaves;
use super::names::sent;
use super::schema::{Described, described};
use super::xdr::{Answer, Elements, no_data};
use super::{das, dds};
use crate::chunk::{Region, byte_count};
use crate::error::{Error, Result};
use crate::format::dap::limits::{LARGEST_REQUEST, MOST_OF_A_HEADER, MOST_OF_OPEN_DATA};
use crate::format::dap::pieces::pieces;
use crate::format::dap::reader::ServedDataset;
use crate::format::dap::server::Server;
use crate::format::dap::slice::Slice;
use crate::model::{Schema, Values, VarId};
use crate::store::{BoundedCache, QueryServer, Question};

/// Bytes of sequences that are kept, because each is read whole.
const KEPT: usize = 64 << 20;

/// A dataset on a server of DAP2.
pub struct Dap2Dataset {
    server: Server,
    /// The selections of the URL, escaped.
    selections: String,
    dataset: Described,
    sequences: BoundedCache<usize, Arc<Vec<u8>>>,
}

impl Dap2Dataset {
    /// Opens the dataset of a server whose DDS is `dds`.
    ///
    /// # Errors
    /// Descriptions that are malformed, a constraint that does not fit, those of the server.
    pub fn open(server: &Arc<dyn QueryServer>, dds: &str, string_length: Option<u64>) -> Result<Self> {
        let server = Server::new(server);
        let constraint = Constraint::parse(server.typed_query())?;
        let structure = match dds.trim_start().get(..7) {
            Some(word) if word.eq_ignore_ascii_case("dataset") => dds::parse(dds)?,
            _ => return Err(no_data(dds)),
        };
        let das = server.text(".das", String::new())?;
        let das = match das.trim_start().get(..10) {
            Some(word) if word.eq_ignore_ascii_case("attributes") => das::parse(&das)?,
            _ if das.trim().is_empty() => das::AttributeSet::default(),
            _ => return Err(no_data(&das)),
        };
        let mut found = leaves(&structure, &constraint)?;
        let selections = sent(&constraint.selections);
        find_rows(&server, &selections, &mut found.all)?;
        let mut dataset = described(found.all, &found.names, &das, string_length);
        dataset.schema.warnings.extend(found.left_out);
        Ok(Self {
            server,
            selections,
            dataset,
            sequences: BoundedCache::new(KEPT),
        })
    }

    /// The elements of a region of the server's variable: texts whole.
    fn elements(&self, var: usize, region: &Region) -> Result<Vec<u8>> {
        let leaf = &self.dataset.leaves[var];
        let width = self.dataset.widths[var].unwrap_or(0);
        if leaf.sequence().is_some() {
            return self.rows(var, region);
        }
        let size = bytes_sent(leaf, width);
        let parts = pieces(region, size)?;
        let questions = parts.iter().map(|part| {
            let count = part.element_count().unwrap_or(u64::MAX);
            let most = match leaf.atom.is_text() {
                true => MOST_OF_OPEN_DATA,
                // Arrays of structures have lengths of their own in between.
                false => count.saturating_mul(size.max(4) * 3).saturating_add(64),
            };
            question(&leaf.projection(part), "", most)
        });
        let kept = byte_count(&region.count, leaf_size(leaf, width));
        let kept = kept.ok_or_else(|| Error::Unsupported("a region larger than memory".to_owned()))?;
        let mut bytes = Vec::new();
        let mut counts = parts.iter().map(Region::element_count);
        self.server.answers(questions.collect(), |answer| {
            let count = counts.next().flatten();
            let found = Answer::parse(answer)?.elements(leaf.atom, count, width, kept)?;
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

    /// The same of a sequence, which is read whole and kept.
    fn rows(&self, var: usize, region: &Region) -> Result<Vec<u8>> {
        let leaf = &self.dataset.leaves[var];
        let width = self.dataset.widths[var].unwrap_or(0);
        let lengths: Vec<u64> = leaf.dims.iter().map(|dim| dim.length).collect();
        let all = match self.sequences.get(&var) {
            Some(all) => all,
            None => {
                let found = sequence(&self.server, &self.selections, leaf, width)?;
                if Some(found.bytes.len()) != byte_count(&lengths, leaf_size(leaf, width)) {
                    return Err(Error::Damaged(format!(
                        "the sequence has {} rows, and another number when the dataset was opened",
                        found.rows
                    )));
                }
                let (all, cost) = (
                    Arc::new(found.bytes),
                    byte_count(&lengths, leaf_size(leaf, width)),
                );
                self.sequences
                    .keep(var, Arc::clone(&all), cost.unwrap_or(usize::MAX));
                all
            }
        };
        part(&all, &lengths, region, leaf_size(leaf, width))
    }
}

/// Finds the numbers of rows of sequences, by the first field of each.
fn find_rows(server: &Server, selections: &str, leaves: &mut [Leaf]) -> Result<()> {
    let mut known: std::collections::HashMap<Vec<String>, u64> = std::collections::HashMap::new();
    for n in 0..leaves.len() {
        let Some(depth) = leaves[n].sequence() else {
            continue;
        };
        let path: Vec<String> = leaves[n].path[..=depth]
            .iter()
            .map(|step| step.raw.clone())
            .collect();
        let rows = match known.get(&path) {
            Some(rows) => *rows,
            None => {
                // Numbers are shorter than texts.
                let is_beside = |leaf: &&Leaf| {
                    leaf.sequence() == Some(depth)
                        && leaf.path.iter().zip(&path).all(|(step, name)| step.raw == *name)
                };
                let first = leaves
                    .iter()
                    .filter(is_beside)
                    .min_by_key(|leaf| leaf.atom.is_text());
                let Some(first) = first else { continue };
                sequence(server, selections, first, usize::MAX >> 1)
                    .map_err(|e| e.in_variable(&first.name))?
                    .rows
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

/// All rows of a field of a sequence.
fn sequence(server: &Server, selections: &str, leaf: &Leaf, width: usize) -> Result<Elements> {
    let inner: Vec<u64> = leaf
        .dims
        .iter()
        .filter(|dim| !dim.is_rows)
        .map(|dim| dim.length)
        .collect();
    let count = Region::whole(&inner).element_count();
    let whole: Vec<u64> = leaf.dims.iter().map(|dim| dim.length).collect();
    let question = question(
        &leaf.projection(&Region::whole(&whole)),
        selections,
        MOST_OF_OPEN_DATA,
    );
    let mut found = None;
    server.answers(vec![question], |answer| {
        found = Some(Answer::parse(answer)?.elements(leaf.atom, count, width, MOST_OF_OPEN_DATA as usize)?);
        Ok(())
    })?;
    found.ok_or_else(|| Error::Internal("a question has no answer".to_owned()))
}

fn question(projection: &str, selections: &str, most: u64) -> Question {
    Question {
        suffix: ".dods",
        query: sent(projection) + selections,
        most: most.saturating_add(MOST_OF_A_HEADER),
    }
}

/// Bytes of an element as it is sent; a guess for text.
fn bytes_sent(leaf: &Leaf, width: usize) -> u64 {
    match leaf_size(leaf, width) {
        1 if !leaf.atom.is_text() => 1,
        size => (size as u64).clamp(4, LARGEST_REQUEST),
    }
}

/// Bytes of an element in netCDF: of a text all its characters.
fn leaf_size(leaf: &Leaf, width: usize) -> usize {
    match leaf.atom.is_text() {
        true => width,
        false => super::attribute_values::classic_type(leaf.atom).atomic_size(),
    }
}

/// A region of elements in C order.
fn part(all: &[u8], lengths: &[u64], region: &Region, size: usize) -> Result<Vec<u8>> {
    let bytes = byte_count(&region.count, size)
        .ok_or_else(|| Error::Unsupported("a region larger than memory".to_owned()))?;
    let mut out = vec![0; bytes];
    let origin = vec![0; lengths.len()];
    crate::chunk::copy_region(
        all,
        lengths,
        &region.start,
        &mut out,
        &region.count,
        &origin,
        &region.count,
        size,
        1,
    )?;
    Ok(out)
}

impl ServedDataset for Dap2Dataset {
    fn schema(&self) -> &Schema {
        &self.dataset.schema
    }

    fn elements_of(&self, var: VarId, region: &Region) -> Result<Values> {
        let Some(width) = self.dataset.widths[var.0] else {
            return self.elements(var.0, region).map(Values::from_bytes);
        };
        // The last dimension is that of characters, which the server does not have.
        let rank = region.rank() - 1;
        let texts = self.elements(var.0, &Region::new(&region.start[..rank], &region.count[..rank]))?;
        let (start, count) = (region.start[rank] as usize, region.count[rank] as usize);
        let chosen = texts
            .chunks_exact(width)
            .flat_map(|text| &text[start..start + count]);
        Ok(Values::from_bytes(chosen.copied().collect()))
    }
}
