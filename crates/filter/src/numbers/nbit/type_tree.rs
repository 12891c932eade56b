//! Types in n-bit's parameters: the positions of the significant bits in an element. A description consists of a class
//! and the numbers after it:
//!
//! | class | what follows |
//! | --- | --- |
//! | 1, atomic: an integer or a float | size in bytes; byte order (0 little, 1 big); precision and offset of the significant bits |
//! | 2, array | total size in bytes; the description of its base type |
//! | 3, compound | size in bytes; number of members; for each member, its offset in bytes and its description |
//! | 4, no-op: any other type | size in bytes |
//!
//! The bytes of a no-op keep their order. That equals a big-endian number whose bits are all significant.
//!
//! libhdf5 (up to 2.0) loses its place in the description after an array of arrays or of compounds. It then uses the
//! wrong numbers, and leaves the later members of a compound out of the chunks that it writes. No chunk of such a type
//! can be trusted, so the type is refused. An optional filter is then skipped.

pub(super) const ATOMIC: u32 = 1;
const ARRAY: u32 = 2;
const COMPOUND: u32 = 3;
const NO_OP: u32 = 4;

pub(super) const LITTLE_ENDIAN: u32 = 0;
pub(super) const BIG_ENDIAN: u32 = 1;

/// Maximum nesting of arrays and compounds.
const MAX_DEPTH: usize = 32;

/// A type or a part of one. Every part has at least one byte and one significant bit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Type {
    /// Size in bytes.
    pub size: u32,
    /// Number of significant bits.
    pub bits: u64,
    /// Structure of the type.
    pub class: Class,
}

/// Structure of a type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Class {
    /// One number, or bytes treated as one.
    Number {
        /// True if its first byte is the most significant.
        big_endian: bool,
        /// Lowest significant bit.
        offset: u32,
        /// Number of significant bits from `offset` on.
        precision: u32,
    },
    /// As many elements of one type as fit in its size.
    Array(Box<Type>),
    /// Members, each with the offset of its first byte. They lie inside the compound, and together have at most its
    /// size.
    Compound(Vec<(u32, Type)>),
}

impl Type {
    /// Parses a complete description.
    ///
    /// # Errors
    /// The reason that it is invalid.
    pub fn parse(description: &[u32]) -> Result<Self, String> {
        let mut left = description.iter();
        let ty = Self::next(&mut left, 0)?;
        match left.len() {
            0 => Ok(ty),
            more => Err(format!("{more} parameters after the description of the type")),
        }
    }

    fn next(left: &mut std::slice::Iter<u32>, depth: usize) -> Result<Self, String> {
        if depth > MAX_DEPTH {
            return Err(format!("a type nested more than {MAX_DEPTH} deep"));
        }
        let class = take(left)?;
        let size = take(left)?;
        if size == 0 {
            return Err("a type of 0 bytes".into());
        }
        let all_bits = u64::from(size) * 8;
        let (bits, class) = match class {
            ATOMIC => {
                let (order, precision, offset) = (take(left)?, take(left)?, take(left)?);
                if precision == 0 || u64::from(precision) + u64::from(offset) > all_bits {
                    return Err(format!(
                        "{precision} significant bits from bit {offset} on in a number of {size} bytes"
                    ));
                }
                let big_endian = match order {
                    LITTLE_ENDIAN => false,
                    BIG_ENDIAN => true,
                    _ => return Err(format!("byte order {order}")),
                };
                let number = Class::Number {
                    big_endian,
                    offset,
                    precision,
                };
                (u64::from(precision), number)
            }
            ARRAY => {
                let base = Self::next(left, depth + 1)?;
                if size % base.size != 0 {
                    return Err(format!(
                        "an array of {size} bytes whose elements have {}",
                        base.size
                    ));
                }
                if left.len() > 0 && !matches!(base.class, Class::Number { .. }) {
                    return Err("members after an array of arrays or compounds: libhdf5 loses them".into());
                }
                let count = u64::from(size / base.size);
                (product(base.bits, count)?, Class::Array(Box::new(base)))
            }
            COMPOUND => compound(left, size, depth)?,
            NO_OP => {
                let precision = u32::try_from(all_bits).map_err(|_| format!("a type of {size} bytes"))?;
                let bytes = Class::Number {
                    big_endian: true,
                    offset: 0,
                    precision,
                };
                (all_bits, bytes)
            }
            _ => return Err(format!("class {class} of a type")),
        };
        Ok(Self { size, bits, class })
    }
}

/// Parses the members of a compound. Returns also their total number of bits.
fn compound(left: &mut std::slice::Iter<u32>, size: u32, depth: usize) -> Result<(u64, Class), String> {
    let count = take(left)?;
    if count == 0 {
        return Err("a compound without members".into());
    }
    let (mut bits, mut used) = (0u64, 0u64);
    let mut members = Vec::new();
    for _ in 0..count {
        let offset = take(left)?;
        let member = Type::next(left, depth + 1)?;
        if u64::from(offset) + u64::from(member.size) > u64::from(size) {
            return Err(format!(
                "a member of {} bytes at {offset} in a compound of {size}",
                member.size
            ));
        }
        used += u64::from(member.size);
        if used > u64::from(size) {
            return Err(format!("members that overlap in a compound of {size} bytes"));
        }
        bits = bits.checked_add(member.bits).ok_or_else(too_large)?;
        members.push((offset, member));
    }
    Ok((bits, Class::Compound(members)))
}

fn take(left: &mut std::slice::Iter<u32>) -> Result<u32, String> {
    left.next()
        .copied()
        .ok_or_else(|| "the description of the type is cut off".to_owned())
}

/// The product of two numbers of bits or bytes, checked for overflow.
pub(super) fn product(a: u64, b: u64) -> Result<u64, String> {
    a.checked_mul(b).ok_or_else(too_large)
}

fn too_large() -> String {
    "a type of too many bits".to_owned()
}
