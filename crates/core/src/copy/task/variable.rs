//! One variable that has data to copy.

use std::sync::Arc;

use super::route::Route;
use crate::copy::geometry::{ChunksToWrite, InputMapping, InputMappings};
use crate::copy::quantization::Quantizer;
use crate::model::VarId;

/// Chunks of one variable that are copied by one route. A variable whose chunks go by several routes has an entry for each.
#[derive(Debug, Clone)]
pub struct Variable {
    /// The variable of the output.
    pub out: VarId,
    /// Its path.
    pub name: String,
    /// Where its data comes from, at least one.
    pub inputs: Arc<InputMappings>,
    /// How it is copied.
    pub route: Route,
    /// The chunks that will be written (slabs of a contiguous output count as chunks).
    pub to_write: ChunksToWrite,
    /// The sequence number of the first.
    pub first_sequence: u64,
    /// Decoded bytes to copy, for the progress bar and the report alone.
    pub progress: u64,
    /// True if chunks that hold only fill values are left out.
    pub skips_fill: bool,
    /// True if chunks that pass become references.
    pub referenced: bool,
    /// True if strings that are too long are cut.
    pub cuts_strings: bool,
    /// Quantizes its values before they are encoded. Most variables have none.
    pub quantizer: Option<Box<Quantizer>>,
}

impl Variable {
    /// The first input, which is the only one unless parts are selected.
    pub fn input(&self) -> &InputMapping {
        &self.inputs[0]
    }

    /// Quantizes bytes of contiguous storage from byte `offset` on, if the variable is quantized. Ranges end between
    /// elements.
    pub fn quantize_range(&self, bytes: &mut [u8], offset: u64) {
        if let Some(quantizer) = &self.quantizer {
            quantizer.run(bytes, offset / quantizer.element_size());
        }
    }

    /// The input variable, where each of its elements keeps its position.
    pub fn whole(&self) -> Option<VarId> {
        match &self.inputs[..] {
            [input] if input.selection.is_none() => Some(input.var),
            _ => None,
        }
    }
}
