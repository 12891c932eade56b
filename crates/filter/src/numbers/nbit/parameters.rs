//! The parameters of n-bit: their number, a flag for unchanged chunks, the number of elements in a chunk, and a
//! description of the elements' type (see [`crate::numbers::nbit::type_tree`]).

use crate::ChunkType;
use crate::numbers::nbit::type_tree::{ATOMIC, BIG_ENDIAN, LITTLE_ENDIAN, Type};
use ncutils_model::Endian;

/// Parsed parameters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Parameters {
    /// Every bit of an element is significant: chunks are stored unchanged.
    AsIs,
    /// Some bits are left out.
    Packed {
        /// Number of elements in a chunk.
        elements: u32,
        /// Type of the elements.
        element: Type,
    },
}

impl Parameters {
    /// Parses stored parameters. As in libhdf5, the type's description is ignored if all bits are significant.
    ///
    /// # Errors
    /// The reason that they are invalid.
    pub fn parse(parameters: &[u32]) -> Result<Self, String> {
        let [count, need_not_compress, elements, description @ ..] = parameters else {
            return Err(format!("{} parameters, too few", parameters.len()));
        };
        if usize::try_from(*count) != Ok(parameters.len()) {
            return Err(format!(
                "{} parameters, of which the first counts {count}",
                parameters.len()
            ));
        }
        if *need_not_compress != 0 {
            return Ok(Self::AsIs);
        }
        Ok(Self::Packed {
            elements: *elements,
            element: Type::parse(description)?,
        })
    }
}

/// The parameters that libhdf5 stores for elements that use all their bits. Only numbers get a description. (libhdf5
/// does not describe an enum either, but it cannot be told from a number here, and no reader uses the description.)
///
/// # Errors
/// The reason for the user that `visible` does not fit.
pub(super) fn working(visible: &[u32], chunk: &ChunkType) -> Result<Vec<u32>, String> {
    let stored = |count: u32| usize::try_from(count) == Ok(visible.len());
    if visible.first().is_some_and(|count| !stored(*count)) {
        return Err("takes no parameters".to_owned());
    }
    let elements = chunk
        .shape
        .iter()
        .try_fold(1u64, |product, length| product.checked_mul(*length))
        .and_then(|product| u32::try_from(product).ok())
        .ok_or("cannot take chunks of more than 4294967295 elements")?;
    let size = u32::try_from(chunk.element_size)
        .ok()
        .filter(|size| *size > 0)
        .ok_or("cannot take elements of this size")?;
    let description = match (chunk.byte_order(), size.checked_mul(8)) {
        (Some(order), Some(precision)) => {
            let order = match order {
                Endian::Little => LITTLE_ENDIAN,
                Endian::Big => BIG_ENDIAN,
            };
            vec![ATOMIC, size, order, precision, 0]
        }
        _ => Vec::new(),
    };
    let mut parameters = vec![3 + description.len() as u32, 1, elements];
    parameters.extend(description);
    Ok(parameters)
}
