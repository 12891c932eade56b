//! [`SourceReader`]: a source dataset as values of the virtual dataset's type.

use super::cast::cast;
use crate::chunk::Region;
use crate::error::Result;
use crate::format::Reader;
use crate::model::{Type, Values, VarId, VariableLayout};

/// The only variable of a source's reader.
const SOURCE: VarId = VarId(0);

/// An open source.
pub struct SourceReader {
    reader: Box<dyn Reader>,
    ty: Type,
    same_type: bool,
}

impl SourceReader {
    /// A source that `reader` has as its only variable. Its elements are of type `ty`; `same_type` is true if they have the
    /// same bytes in the virtual dataset.
    pub fn new(reader: Box<dyn Reader>, ty: Type, same_type: bool) -> Self {
        Self {
            reader,
            ty,
            same_type,
        }
    }

    /// True if elements have the same bytes in the source and in the virtual dataset.
    pub fn is_same_type(&self) -> bool {
        self.same_type
    }

    /// True if the source is virtual itself.
    pub fn is_virtual(&self) -> bool {
        self.reader.is_virtual(SOURCE)
    }

    /// The source's storage.
    pub fn layout(&self) -> &VariableLayout {
        self.reader.layout(SOURCE)
    }

    /// The source as the only variable of a dataset.
    pub fn reader(&self) -> (&dyn Reader, VarId) {
        (&*self.reader, SOURCE)
    }

    /// The elements of a region of the source, in the type of the virtual dataset. `fill` is one element of that type.
    ///
    /// # Errors
    /// Reading or decoding fails.
    pub fn read(&self, region: &Region, to: Type, fill: &[u8]) -> Result<Values> {
        let values = self.reader.read_region(SOURCE, region)?;
        match self.ty == to {
            true => Ok(values),
            false => Ok(Values::from_bytes(cast(&values.bytes, self.ty, to, fill)?)),
        }
    }
}
