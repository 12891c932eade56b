//! The 20 parameters of scale-offset.
//!
//! | position | meaning |
//! | --- | --- |
//! | 0 | scale type: 0 D-scaling of floats, 1 E-scaling (nobody implements it), 2 integers |
//! | 1 | factor: decimals that floats keep, signed; bits of an integer's code, 0 for as many as are needed |
//! | 2 | number of elements in a chunk |
//! | 3 | class of the elements: 0 integers, 1 floats |
//! | 4 | bytes of an element |
//! | 5 | 1 for signed integers |
//! | 6 | byte order: 0 little-endian, 1 big-endian |
//! | 7 | 1 if a fill value is defined |
//! | 8–19 | the fill value, least significant word first |

use crate::{ChunkType, NumberClass};
use ncutils_model::Endian;

/// Number of stored parameters.
const COUNT: usize = 20;

/// Scale type: D-scaling of floats.
const DECIMAL: u32 = 0;
/// Scale type: integers.
const INTEGER: u32 = 2;

/// What makes codes of numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Scale {
    /// Integers.
    Integer {
        /// True for two's complement.
        signed: bool,
        /// Bits of a code; 0 for as many as are needed.
        bits: u32,
    },
    /// Floats, of which this many decimals are kept.
    Decimal(i32),
}

/// Parsed parameters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Parameters {
    pub scale: Scale,
    /// Number of elements in a full chunk.
    pub elements: u32,
    /// Bytes of an element: 1, 2, 4 or 8.
    pub size: usize,
    pub order: Endian,
    /// The bits of the fill value; `None` if it is not defined.
    pub fill: Option<u64>,
}

impl Parameters {
    /// Parses stored parameters.
    ///
    /// # Errors
    /// The reason that they are invalid.
    pub fn parse(stored: &[u32]) -> Result<Self, String> {
        let [
            scale,
            factor,
            elements,
            class,
            size,
            sign,
            order,
            fill_defined,
            low,
            high,
            ..,
        ] = *stored
        else {
            return Err(format!("{} parameters instead of {COUNT}", stored.len()));
        };
        if stored.len() != COUNT {
            return Err(format!("{} parameters instead of {COUNT}", stored.len()));
        }
        let full = match (class, size) {
            (0, 1 | 2 | 4 | 8) | (1, 4 | 8) => size * 8,
            _ => return Err(format!("elements of class {class} with {size} bytes")),
        };
        let scale = match (scale, class, sign) {
            (INTEGER, 0, 0 | 1) if factor <= full => Scale::Integer {
                signed: sign == 1,
                bits: factor,
            },
            (INTEGER, 0, 0 | 1) => return Err(format!("{factor} bits for elements of {full}")),
            (DECIMAL, 1, _) => Scale::Decimal(factor as i32),
            _ => {
                return Err(format!(
                    "scale type {scale} for elements of class {class} and sign {sign}"
                ));
            }
        };
        let order = match order {
            0 => Endian::Little,
            1 => Endian::Big,
            _ => return Err(format!("byte order {order}")),
        };
        let fill = u64::from(low) | u64::from(high) << 32;
        Ok(Self {
            scale,
            elements,
            size: size as usize,
            order,
            fill: match fill_defined {
                0 => None,
                1 => Some(fill & u64::MAX >> (64 - full)),
                _ => return Err(format!("{fill_defined} as flag of the fill value")),
            },
        })
    }

    /// Bits of an element.
    pub fn full_bits(&self) -> u32 {
        self.size as u32 * 8
    }
}

/// The parameters that libhdf5 stores if a user gives scale type and factor.
///
/// # Errors
/// The reason for the user that `visible` does not fit.
pub(super) fn working(visible: &[u32], chunk: &ChunkType) -> Result<Vec<u32>, String> {
    let [scale, factor] = match *visible {
        [scale, factor] => [scale, factor],
        [scale, factor, ..] if visible.len() == COUNT => [scale, factor],
        _ => {
            return Err(
                "takes two parameters: 2 and a number of bits for integers (0: as many as needed), 0 and a number \
                 of decimals for floats"
                    .to_owned(),
            );
        }
    };
    let full = chunk.element_size.saturating_mul(8);
    match (scale, chunk.number) {
        (INTEGER, Some(NumberClass::Signed | NumberClass::Unsigned)) if factor as usize > full => {
            Err(format!("cannot make {factor} bits of integers of {full}"))
        }
        (INTEGER, Some(NumberClass::Signed | NumberClass::Unsigned))
        | (DECIMAL, Some(NumberClass::Float)) => described(scale, factor, chunk),
        (_, Some(NumberClass::Float)) => Err("takes scale type 0 for floats".to_owned()),
        (_, Some(_)) => Err("takes scale type 2 for integers".to_owned()),
        (_, None) => Err("takes integers and floats only".to_owned()),
    }
}

/// The parameters for chunks of another type or shape. A number of bits that does not fit is replaced by 0, and a class
/// of numbers that changed gets the scale type of lossless codes where there is one.
///
/// # Errors
/// The reason that such chunks cannot be encoded.
pub(super) fn adapted(stored: &[u32], chunk: &ChunkType) -> Result<Vec<u32>, String> {
    let (scale, factor) = match *stored {
        [scale, factor, ..] => (scale, factor),
        _ => return Err(format!("has {} parameters instead of {COUNT}", stored.len())),
    };
    match chunk.number {
        Some(NumberClass::Float) if scale == DECIMAL => described(scale, factor, chunk),
        Some(NumberClass::Float) => {
            Err("was made for integers: choose other filters for these floats".to_owned())
        }
        Some(_) => {
            let fits = scale == INTEGER && factor as usize <= chunk.element_size.saturating_mul(8);
            described(INTEGER, if fits { factor } else { 0 }, chunk)
        }
        None => Err("takes integers and floats only".to_owned()),
    }
}

/// All parameters, for a scale type that fits the chunk's elements.
fn described(scale: u32, factor: u32, chunk: &ChunkType) -> Result<Vec<u32>, String> {
    let elements = chunk
        .shape
        .iter()
        .try_fold(1u64, |product, length| product.checked_mul(*length))
        .and_then(|product| u32::try_from(product).ok())
        .ok_or("cannot take chunks of more than 4294967295 elements")?;
    let float = chunk.number == Some(NumberClass::Float);
    let size = match (float, chunk.element_size) {
        (false, size @ (1 | 2 | 4 | 8)) | (true, size @ (4 | 8)) => size as u32,
        (_, size) => return Err(format!("cannot take numbers of {size} bytes")),
    };
    let mut parameters = vec![
        scale,
        factor,
        elements,
        u32::from(float),
        size,
        u32::from(chunk.number == Some(NumberClass::Signed)),
        u32::from(chunk.byte_order() == Some(Endian::Big)),
        1,
    ];
    // Where no value is given, HDF5's default is zero, and counts as defined.
    let fill = chunk.fill.as_deref().unwrap_or_default();
    parameters.extend(fill.chunks(4).map(|word| {
        let mut bytes = [0; 4];
        bytes[..word.len()].copy_from_slice(word);
        u32::from_le_bytes(bytes)
    }));
    parameters.resize(COUNT, 0);
    Ok(parameters)
}
