//! Datatypes that netCDF lacks, as types that hold the same bytes.
//!
//! | datatype | presented as |
//! | --- | --- |
//! | bit field | unsigned integer |
//! | complex number of HDF5 2.0 | compound {r, i}, as h5py writes complex numbers for older versions |

use ncutils_hdf5::{Class, CompoundMember, Datatype};

/// Most levels of nested types that are looked into. Deeper types are refused when they are resolved.
const DEPTH: usize = 64;

/// A datatype for another one.
pub struct Presented {
    /// The datatype.
    pub datatype: Datatype,
    /// True if it stands for bit fields.
    pub has_bits: bool,
}

impl Presented {
    /// The datatype that `datatype` is presented as; `None` if it stays as it is, which is nearly always so.
    pub fn of(datatype: &Datatype) -> Option<Self> {
        Self::nested(datatype, 0)
    }

    fn nested(datatype: &Datatype, depth: usize) -> Option<Self> {
        if depth > DEPTH {
            return None;
        }
        let inner = |base: &Datatype| Self::nested(base, depth + 1);
        let (class, has_bits) = match &datatype.class {
            Class::Bitfield {
                order,
                bit_offset,
                precision,
            } => {
                let class = Class::FixedPoint {
                    order: *order,
                    signed: false,
                    bit_offset: *bit_offset,
                    precision: *precision,
                };
                (class, true)
            }
            Class::Complex { base } => {
                let part = |name: &str, offset| CompoundMember {
                    name: name.to_owned(),
                    offset,
                    datatype: (**base).clone(),
                };
                let members = vec![part("r", 0), part("i", base.size)];
                (Class::Compound { members }, false)
            }
            Class::Array { dims, base } => {
                let base = inner(base)?;
                let class = Class::Array {
                    dims: dims.clone(),
                    base: Box::new(base.datatype),
                };
                (class, base.has_bits)
            }
            Class::VariableLength { base } => {
                let base = inner(base)?;
                let class = Class::VariableLength {
                    base: Box::new(base.datatype),
                };
                (class, base.has_bits)
            }
            Class::Compound { members } => {
                let presented: Vec<Option<Self>> = members.iter().map(|one| inner(&one.datatype)).collect();
                if presented.iter().all(Option::is_none) {
                    return None;
                }
                let has_bits = presented.iter().flatten().any(|one| one.has_bits);
                let member = |(one, presented): (&CompoundMember, Option<Self>)| CompoundMember {
                    datatype: presented.map_or_else(|| one.datatype.clone(), |one| one.datatype),
                    ..one.clone()
                };
                let members = members.iter().zip(presented).map(member).collect();
                (Class::Compound { members }, has_bits)
            }
            _ => return None,
        };
        Some(Self {
            datatype: Datatype {
                size: datatype.size,
                class,
            },
            has_bits,
        })
    }
}
