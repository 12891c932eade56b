//! The algorithms of quantization, and what a variable's attributes say of them.

use crate::error::{Error, Result};
use crate::model::{Attribute, Type, Values, Variable};

/// An algorithm of quantization.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Algorithm {
    /// BitGroom: bits are set to zeros and to ones in turn, element by element.
    BitGroom,
    /// Granular BitRound: each value keeps as many bits as its own decimal digits need, rounded.
    GranularBitRound,
    /// BitRound: a number of bits of the mantissa, rounded.
    BitRound,
}

impl Algorithm {
    /// All algorithms.
    pub const ALL: [Self; 3] = [Self::BitGroom, Self::GranularBitRound, Self::BitRound];

    /// The name for users.
    pub fn name(self) -> &'static str {
        match self {
            Self::BitGroom => "bitgroom",
            Self::GranularBitRound => "granularbr",
            Self::BitRound => "bitround",
        }
    }

    /// The attribute of quantized variables, as in netCDF-C's `netcdf.h`.
    pub fn attribute(self) -> &'static str {
        match self {
            Self::BitGroom => "_QuantizeBitGroomNumberOfSignificantDigits",
            Self::GranularBitRound => "_QuantizeGranularBitRoundNumberOfSignificantDigits",
            Self::BitRound => "_QuantizeBitRoundNumberOfSignificantBits",
        }
    }

    /// The most digits or bits that a type can keep (`NC_QUANTIZE_MAX_…` of `netcdf.h`); `None` if it is not of floats.
    fn most(self, ty: Type) -> Option<u32> {
        Some(match (self, ty) {
            (Self::BitGroom | Self::GranularBitRound, Type::Float) => 7,
            (Self::BitGroom | Self::GranularBitRound, Type::Double) => 15,
            (Self::BitRound, Type::Float) => 23,
            (Self::BitRound, Type::Double) => 52,
            _ => return None,
        })
    }
}

/// How the values of a variable are quantized.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Quantization {
    /// The algorithm.
    pub algorithm: Algorithm,
    /// The digits or bits that are kept.
    pub keep: u32,
}

impl Quantization {
    /// A quantization of variables of type `ty`.
    ///
    /// # Errors
    /// [`Error::Usage`] if the type is not one of floats, or does not have so many digits or bits.
    pub fn new(algorithm: Algorithm, keep: u32, ty: Type) -> Result<Self> {
        let Some(most) = algorithm.most(ty) else {
            return Err(Error::Usage("only float and double can be quantized".into()));
        };
        if !(1..=most).contains(&keep) {
            let unit = match algorithm {
                Algorithm::BitRound => "bits",
                Algorithm::BitGroom | Algorithm::GranularBitRound => "digits",
            };
            return Err(Error::Usage(format!(
                "{} keeps 1 to {most} significant {unit} of this type, not {keep}",
                algorithm.name()
            )));
        }
        Ok(Self { algorithm, keep })
    }

    /// What the attributes of a variable say; `None` if it has none of quantization.
    ///
    /// # Errors
    /// The same as for [`Quantization::new`], and an attribute that is not one integer. The message names it.
    pub fn of(var: &Variable) -> Result<Option<Self>> {
        let names = Algorithm::ALL.map(Algorithm::attribute);
        let mut given = var.attributes.iter().filter(|a| names.contains(&a.name.as_str()));
        if let (Some(first), Some(second)) = (given.next(), given.next()) {
            return Err(Error::Usage(format!(
                "{} and {} are both given; a variable is quantized in one way",
                first.name, second.name
            )));
        }
        for algorithm in Algorithm::ALL {
            let Some(attribute) = var.attributes.iter().find(|a| a.name == algorithm.attribute()) else {
                continue;
            };
            let named = |why: String| Error::Usage(format!("{}: {why}", attribute.name));
            let keep = integer(attribute).ok_or_else(|| named("should be one positive integer".into()))?;
            return Self::new(algorithm, keep, var.ty)
                .map(Some)
                .map_err(|error| named(error.to_string()));
        }
        Ok(None)
    }

    /// True if a variable's attributes say that its values were quantized.
    pub fn is_done(var: &Variable) -> bool {
        let names = Algorithm::ALL.map(Algorithm::attribute);
        var.attributes.iter().any(|a| names.contains(&a.name.as_str()))
    }

    /// The attribute for a variable that is quantized so.
    pub fn attribute(self) -> Attribute {
        Attribute {
            name: self.algorithm.attribute().into(),
            ty: Type::Int,
            length: 1,
            values: Values::from_bytes(self.keep.to_le_bytes().to_vec()),
        }
    }
}

/// The value of an attribute of one positive integer.
fn integer(attribute: &Attribute) -> Option<u32> {
    let integers = [
        Type::Byte,
        Type::UByte,
        Type::Short,
        Type::UShort,
        Type::Int,
        Type::UInt,
        Type::Int64,
        Type::UInt64,
    ];
    if attribute.length != 1 || !integers.contains(&attribute.ty) {
        return None;
    }
    let mut word = [0; 8];
    word.get_mut(..attribute.values.bytes.len())?
        .copy_from_slice(&attribute.values.bytes);
    u32::try_from(u64::from_le_bytes(word)).ok()
}
