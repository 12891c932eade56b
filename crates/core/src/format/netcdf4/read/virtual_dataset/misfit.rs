//! Which source of a virtual variable is stored otherwise than the others.

use super::presented::{Passed, VirtualVariable, chunk_shape, pairs};
use super::source::source_facts::Facts;
use super::source::virtual_storage::VirtualStorage;
use crate::chunk::Region;
use crate::error::Result;
use crate::model::Storage;

impl VirtualVariable {
    /// The first source that a region needs, or the variable, whose data is stored otherwise than that of the first source. The text is a
    /// clause that names both. Without such a source, it says what else splits the region. `None` if nothing is known to.
    ///
    /// # Errors
    /// A source cannot be read, or may not be.
    pub fn misfit(&self, target: &VirtualStorage<'_>, region: Option<&Region>) -> Result<Option<String>> {
        let numbers = match region {
            Some(region) => self.data.needed(target, region, false)?,
            None => (0..self.data.mappings.len()).collect(),
        };
        let mut model = None;
        for mapping in &self.data.mappings {
            if let Some(facts) = self.data.facts(target, mapping.source)? {
                model = Some((mapping, facts));
                break;
            }
        }
        let Some((model, like)) = model else {
            return Ok(None);
        };
        let from = self.data.from(model, like)?;
        let shape_of_model = chunk_shape(&model.to, &from, like);
        for number in &numbers {
            let mapping = &self.data.mappings[*number];
            let Some(facts) = self.data.facts(target, mapping.source)? else {
                continue;
            };
            let from = self.data.from(mapping, facts)?;
            let told = |why: String| Ok(Some(format!("{} {why}", self.source_name(mapping.source))));
            if pairs(&mapping.to, &from).is_none() {
                return told(match mapping.to.is_box() && from.is_box() {
                    true => format!(
                        "fills {} cells by {}",
                        list(&mapping.to.bounds().count),
                        list(&from.bounds().count)
                    ),
                    false => "fills cells that are no box, or fills them by such cells".to_owned(),
                });
            }
            let first = self.source_name(model.source);
            let shape = chunk_shape(&mapping.to, &from, facts);
            if let Some(why) = unlike(facts, like, (shape, &shape_of_model), &first) {
                return told(why);
            }
        }
        Ok(match (region, &numbers[..]) {
            (None, _) => None,
            (Some(_), []) => Some("no source has all its cells".to_owned()),
            (Some(region), [number]) => {
                let name = self.source_name(self.data.mappings[*number].source);
                let layout = self.layout();
                let passed = layout.map(|layout| self.passed(target, layout, region, &numbers));
                Some(match passed.transpose()? {
                    Some(Passed::Chunk(..)) => {
                        format!("{name} has no such chunk, and another fill value than the dataset")
                    }
                    _ => format!("{name} has no chunk of the same cells"),
                })
            }
            (Some(_), [one, other, ..]) => {
                let name = |number: &usize| self.source_name(self.data.mappings[*number].source);
                Some(format!("{} and {} share it", name(one), name(other)))
            }
        })
    }

    /// The dataset and the file of a source.
    fn source_name(&self, number: usize) -> String {
        let (file, dataset) = &self.data.sources()[number];
        format!("{} in {}", dataset.escape_debug(), file.escape_debug())
    }
}

/// What a source has that another one of this name has not, as a clause. `shapes` are those of their chunks.
fn unlike(
    own: &Facts,
    other: &Facts,
    shapes: (Option<Vec<u64>>, &Option<Vec<u64>>),
    name: &str,
) -> Option<String> {
    let is_chunked = |facts: &Facts| matches!(facts.layout.storage, Storage::Chunked { .. });
    if !own.same_type {
        return Some("has another type than the dataset".to_owned());
    }
    match (is_chunked(own), is_chunked(other)) {
        (true, false) => return Some(format!("has chunks, unlike {name}")),
        (false, true) => return Some(format!("has no chunks, unlike {name}")),
        _ => {}
    }
    if own.layout.filters != other.layout.filters {
        return Some(format!("has other filters than {name}"));
    }
    match shapes {
        (Some(own), Some(other)) if own != *other => {
            let (own, other) = (list(&own), list(other));
            Some(format!("has chunks of {own}, not of {other} as {name}"))
        }
        _ => None,
    }
}

fn list(lengths: &[u64]) -> String {
    lengths.iter().map(u64::to_string).collect::<Vec<_>>().join(",")
}
