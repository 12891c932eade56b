//! The mappings of a virtual dataset as boxes, as they are written: see [`MappedBox`].

use ncutils_hdf5::MappedBox;

use super::mappings::{FromSource, Mapping};
use super::virtual_data::VirtualData;

impl VirtualData {
    /// The boxes of the sources, in the file's order; `None` for a mapping whose elements are no box.
    pub fn boxes(&self) -> Vec<Option<MappedBox>> {
        self.mappings
            .iter()
            .map(|mapping| self.mapped_box(mapping))
            .collect()
    }

    fn mapped_box(&self, mapping: &Mapping) -> Option<MappedBox> {
        let target = mapping.to.is_box().then(|| mapping.to.bounds())?;
        let (source, shape) = match &mapping.from {
            // As many elements as in the target.
            FromSource::All => (vec![0; target.start.len()], target.count.clone()),
            FromSource::Some(elements) => {
                let from = elements.is_box().then(|| elements.bounds())?;
                (from.start.clone(), from.count.clone())
            }
        };
        let (file, dataset) = self.sources().get(mapping.source)?;
        (shape == target.count).then(|| MappedBox {
            file: file.to_string(),
            dataset: dataset.to_string(),
            shape,
            source,
            target: target.start.clone(),
        })
    }
}
