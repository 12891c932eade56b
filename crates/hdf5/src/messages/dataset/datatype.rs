//! The Datatype message (specification section IV.A.2.d), versions 1 to 5.

use crate::datatype::{
    ByteOrder, CharacterSet, Class, CompoundMember, Datatype, FloatingPoint, ReferenceKind, StringPadding,
};
use crate::error::{Error, Result};
use crate::metadata::Cursor;
use crate::name::text;

impl Datatype {
    /// Parses the message.
    ///
    /// # Errors
    /// [`Error::Unsupported`] for an unknown class or version; other errors if it is damaged.
    pub(crate) fn decode(message: &mut Cursor<'_>) -> Result<Self> {
        decode(message, message.datatype_depth())
    }
}

fn decode(message: &mut Cursor<'_>, depth: u32) -> Result<Datatype> {
    let Some(depth) = depth.checked_sub(1) else {
        return Err(message.damaged(format!(
            "types nested more than {} deep",
            message.datatype_depth()
        )));
    };
    let class_and_version = message.u8()?;
    let version = class_and_version >> 4;
    let bits = message.uint(3)? as u32;
    let size = message.u32()?;
    if !(1..=5).contains(&version) {
        return Err(Error::Unsupported(format!(
            "version {version} of a datatype message"
        )));
    }
    if size == 0 {
        return Err(message.damaged("an element of no size"));
    }
    let class = match class_and_version & 0x0f {
        0 => fixed_point(message, bits, size)?,
        1 => floating_point(message, bits, size)?,
        2 => Class::Time {
            order: order(bits),
            precision: message.u16()?,
        },
        3 => {
            let (padding, charset) = (
                padding(message, bits & 0x0f)?,
                charset(message, bits >> 4 & 0x0f)?,
            );
            Class::String { padding, charset }
        }
        4 => {
            let (bit_offset, precision) = significant_bits(message, size)?;
            Class::Bitfield {
                order: order(bits),
                bit_offset,
                precision,
            }
        }
        5 => opaque(message, bits)?,
        6 => compound(message, version, bits, size, depth)?,
        7 => Class::Reference {
            kind: match bits & 0x0f {
                0 => ReferenceKind::Object,
                1 => ReferenceKind::DatasetRegion,
                2..=4 if version >= 4 => ReferenceKind::Standard,
                other => return Err(message.damaged(format!("reference type {other}"))),
            },
        },
        8 => enumeration(message, version, bits, size, depth)?,
        9 => {
            let kind = bits & 0x0f;
            // The length, and the global heap id: address and index.
            let expected = 8 + u32::from(message.offset_size());
            if size != expected {
                return Err(message.damaged(format!("a variable-length element of {size} bytes")));
            }
            let padding = padding(message, bits >> 4 & 0x0f);
            let charset = charset(message, bits >> 8 & 0x0f);
            let base = Box::new(decode(message, depth)?);
            match kind {
                0 => Class::VariableLength { base },
                1 if base.size != 1 => {
                    return Err(message.damaged(format!("a string of characters of {} bytes", base.size)));
                }
                1 => Class::VariableString {
                    padding: padding?,
                    charset: charset?,
                },
                other => return Err(message.damaged(format!("variable-length type {other}"))),
            }
        }
        10 => array(message, version, size, depth)?,
        11 => {
            let base = Box::new(decode(message, depth)?);
            if !matches!(base.class, Class::FloatingPoint(_)) || base.size.checked_mul(2) != Some(size) {
                return Err(message.damaged("a complex number that is not two floating-point numbers"));
            }
            Class::Complex { base }
        }
        other => return Err(Error::Unsupported(format!("datatype class {other}"))),
    };
    Ok(Datatype { size, class })
}

fn fixed_point(message: &mut Cursor<'_>, bits: u32, size: u32) -> Result<Class> {
    let (bit_offset, precision) = significant_bits(message, size)?;
    Ok(Class::FixedPoint {
        order: order(bits),
        signed: bits & 8 != 0,
        bit_offset,
        precision,
    })
}

/// The first significant bit of a number of `size` bytes, and how many follow.
fn significant_bits(message: &mut Cursor<'_>, size: u32) -> Result<(u16, u16)> {
    let (offset, precision) = (message.u16()?, message.u16()?);
    if precision == 0 || u64::from(offset) + u64::from(precision) > u64::from(size) * 8 {
        return Err(message.damaged(format!(
            "{precision} significant bits from bit {offset} of a number of {size} bytes"
        )));
    }
    Ok((offset, precision))
}

fn floating_point(message: &mut Cursor<'_>, bits: u32, size: u32) -> Result<Class> {
    let order = match (bits & 1, bits >> 6 & 1) {
        (0, 0) => ByteOrder::Little,
        (1, 0) => ByteOrder::Big,
        (1, 1) => ByteOrder::Vax,
        _ => return Err(message.damaged("a byte order that is not defined")),
    };
    let (bit_offset, precision) = significant_bits(message, size)?;
    let number = FloatingPoint {
        order,
        normalization: (bits >> 4 & 3) as u8,
        sign_location: (bits >> 8) as u8,
        bit_offset,
        precision,
        exponent_location: message.u8()?,
        exponent_size: message.u8()?,
        mantissa_location: message.u8()?,
        mantissa_size: message.u8()?,
        exponent_bias: message.u32()?,
    };
    let fits = |first: u8, count: u8| count > 0 && u16::from(first) + u16::from(count) <= precision;
    let parts = [
        (number.sign_location, 1),
        (number.exponent_location, number.exponent_size),
        (number.mantissa_location, number.mantissa_size),
    ];
    match parts.iter().all(|(first, count)| fits(*first, *count)) {
        true => Ok(Class::FloatingPoint(number)),
        false => {
            Err(message.damaged("a floating-point number whose parts reach out of its significant bits"))
        }
    }
}

fn opaque(message: &mut Cursor<'_>, bits: u32) -> Result<Class> {
    let tag = message.bytes((bits & 0xff) as usize)?;
    let end = tag.iter().position(|byte| *byte == 0).unwrap_or(tag.len());
    Ok(Class::Opaque {
        tag: text(tag.get(..end).unwrap_or_default()),
    })
}

fn compound(message: &mut Cursor<'_>, version: u8, bits: u32, size: u32, depth: u32) -> Result<Class> {
    let count = bits & 0xffff;
    if count == 0 {
        return Err(message.damaged("a compound without members"));
    }
    let mut members = Vec::new();
    for _ in 0..count {
        let name = name(message, version)?;
        let offset = match version {
            1 | 2 => message.u32()?,
            // The offset has as many bytes as the compound's size needs.
            _ => message.uint(size.ilog2() as usize / 8 + 1)? as u32,
        };
        let dims = if version == 1 {
            old_member_dims(message)?
        } else {
            Vec::new()
        };
        let mut datatype = decode(message, depth)?;
        if !dims.is_empty() {
            let Some(size) = dims
                .iter()
                .try_fold(datatype.size, |size, dim| size.checked_mul(*dim))
            else {
                return Err(message.damaged("an array that is too large"));
            };
            datatype = Datatype {
                size,
                class: Class::Array {
                    dims,
                    base: Box::new(datatype),
                },
            };
        }
        if offset.checked_add(datatype.size).is_none_or(|end| end > size) {
            return Err(message.damaged(format!("member {name} does not fit in its compound")));
        }
        members.push(CompoundMember {
            name,
            offset,
            datatype,
        });
    }
    let mut places: Vec<(u32, u32)> = members.iter().map(|m| (m.offset, m.datatype.size)).collect();
    places.sort_unstable();
    if places.windows(2).any(|pair| pair[0].0 + pair[0].1 > pair[1].0) {
        return Err(message.damaged("members of a compound that overlap"));
    }
    Ok(Class::Compound { members })
}

/// The shape of a member of a version 1 compound, an array of at most 4 dimensions.
fn old_member_dims(message: &mut Cursor<'_>) -> Result<Vec<u32>> {
    let rank = message.u8()?;
    message.skip(3 + 4 + 4)?; // reserved, permutation, reserved
    if rank > 4 {
        return Err(message.damaged(format!("a member of {rank} dimensions")));
    }
    let dims = (0..4).map(|_| message.u32()).collect::<Result<Vec<_>>>()?;
    let dims: Vec<u32> = dims.into_iter().take(rank.into()).collect();
    if dims.contains(&0) {
        return Err(message.damaged("an array of no elements"));
    }
    Ok(dims)
}

fn enumeration(message: &mut Cursor<'_>, version: u8, bits: u32, size: u32, depth: u32) -> Result<Class> {
    let count = (bits & 0xffff) as usize;
    let base = Box::new(decode(message, depth)?);
    if !matches!(base.class, Class::FixedPoint { .. }) || base.size != size {
        return Err(message.damaged("an enumeration whose base is not an integer of its size"));
    }
    let mut names = Vec::new();
    for _ in 0..count {
        names.push(name(message, version)?);
    }
    let mut members = Vec::with_capacity(names.len());
    for name in names {
        members.push((name, message.bytes(size as usize)?.to_vec()));
    }
    Ok(Class::Enumeration { base, members })
}

fn array(message: &mut Cursor<'_>, version: u8, size: u32, depth: u32) -> Result<Class> {
    // Versions 2 and 3 define this class. PyTables wrote it in messages of version 1, as version 2 lays it out.
    let padded = version < 3;
    let rank = message.u8()?;
    if padded {
        message.skip(3)?;
    }
    if rank == 0 || rank > super::dataspace::MAX_RANK {
        return Err(message.damaged(format!("an array of {rank} dimensions")));
    }
    let dims = (0..rank).map(|_| message.u32()).collect::<Result<Vec<_>>>()?;
    if padded {
        message.skip(4 * usize::from(rank))?; // permutation
    }
    let base = Box::new(decode(message, depth)?);
    if dims.iter().try_fold(base.size, |n, dim| n.checked_mul(*dim)) != Some(size) {
        return Err(message.damaged(format!(
            "an array of {size} bytes, which is not the size of its elements"
        )));
    }
    Ok(Class::Array { dims, base })
}

/// The name of a member. Before version 3, it is padded to a multiple of 8 bytes.
fn name(message: &mut Cursor<'_>, version: u8) -> Result<String> {
    let start = message.position();
    let name = message.nul_terminated()?;
    if version < 3 {
        let len = message.position() - start;
        message.skip(len.next_multiple_of(8) - len)?;
    }
    Ok(text(name))
}

fn order(bits: u32) -> ByteOrder {
    if bits & 1 == 0 {
        ByteOrder::Little
    } else {
        ByteOrder::Big
    }
}

fn padding(message: &Cursor<'_>, bits: u32) -> Result<StringPadding> {
    match bits {
        0 => Ok(StringPadding::NullTerminate),
        1 => Ok(StringPadding::NullPad),
        2 => Ok(StringPadding::SpacePad),
        other => Err(message.damaged(format!("string padding {other}"))),
    }
}

fn charset(message: &Cursor<'_>, bits: u32) -> Result<CharacterSet> {
    match bits {
        0 => Ok(CharacterSet::Ascii),
        1 => Ok(CharacterSet::Utf8),
        other => Err(message.damaged(format!("character set {other}"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decode(bytes: &[u8]) -> Result<Datatype> {
        Datatype::decode(&mut Cursor::over(bytes))
    }

    /// A message's first 8 bytes.
    fn head(version: u8, class: u8, bits: u32, size: u32) -> Vec<u8> {
        let mut head = vec![version << 4 | class];
        head.extend(&bits.to_le_bytes()[..3]);
        head.extend(size.to_le_bytes());
        head
    }

    fn int32() -> Vec<u8> {
        [head(1, 0, 8, 4), vec![0, 0, 32, 0]].concat()
    }

    #[test]
    fn members_of_version_1_compounds_may_be_arrays() {
        let mut message = head(1, 6, 1, 28);
        message.extend(b"abcdefgh\0\0\0\0\0\0\0\0"); // the NUL makes 9 bytes: padded to 16
        message.extend(4u32.to_le_bytes()); // offset
        message.extend([2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]); // rank, reserved, permutation, reserved
        for dim in [2u32, 3, 0, 0] {
            message.extend(dim.to_le_bytes());
        }
        message.extend(int32());
        let Class::Compound { members } = decode(&message).unwrap().class else {
            panic!("no compound")
        };
        assert_eq!((members[0].name.as_str(), members[0].offset), ("abcdefgh", 4));
        let int32 = Datatype::integer(4, true, ByteOrder::Little);
        let array = Class::Array {
            dims: vec![2, 3],
            base: Box::new(int32),
        };
        assert_eq!(
            members[0].datatype,
            Datatype {
                size: 24,
                class: array
            }
        );
        // One byte less, and the member does not fit.
        message[4] = 27;
        assert!(matches!(decode(&message), Err(Error::Damaged { .. })));
    }

    #[test]
    fn arrays_before_version_3_have_permutations() {
        for version in [1, 2] {
            let mut message = head(version, 10, 0, 24);
            message.extend([2, 0, 0, 0]);
            for number in [2u32, 3, 0, 1] {
                message.extend(number.to_le_bytes());
            }
            message.extend(int32());
            assert!(matches!(decode(&message).unwrap().class, Class::Array { dims, .. } if dims == [2, 3]));
        }
    }

    #[test]
    fn what_is_not_known_is_unsupported() {
        assert!(matches!(decode(&head(3, 12, 0, 8)), Err(Error::Unsupported(_))));
        assert!(matches!(decode(&head(6, 0, 0, 8)), Err(Error::Unsupported(_))));
    }

    #[test]
    fn what_cannot_be_is_damaged() {
        let nested: Vec<u8> = (0..100).flat_map(|_| head(3, 9, 0, 16)).collect();
        let member = |name: &[u8], offset: u8| [name, &[0, offset], &int32()].concat();
        let overlapping = [head(3, 6, 2, 8), member(b"a", 4), member(b"b", 1)].concat();
        let float = |exponent, mantissa| {
            let parts = vec![0, 0, 32, 0, 23, exponent, 0, mantissa, 127, 0, 0, 0];
            [head(1, 1, 0x1f20, 4), parts].concat()
        };
        assert!(decode(&float(8, 23)).is_ok());
        let numbers = [
            head(1, 0, 8, 0),                               // no size
            head(1, 3, 9, 4),                               // padding 9
            head(3, 6, 0xffff, 4),                          // members are missing
            head(3, 10, 0, 4),                              // dimensions are missing
            [head(3, 11, 0, 8), int32()].concat(),          // a complex number of integers
            [head(3, 9, 0, 12), int32()].concat(),          // narrow for an address
            [head(3, 9, 1, 16), int32()].concat(),          // a string of wide characters
            [head(1, 0, 8, 4), vec![1, 0, 32, 0]].concat(), // bits out of the number
            [head(1, 4, 0, 4), vec![0, 0, 0, 0]].concat(),  // no bits
            overlapping,
            float(10, 23),
            float(8, 0),
            nested,
        ];
        for message in numbers {
            assert!(
                matches!(decode(&message), Err(Error::Damaged { .. })),
                "{message:?}"
            );
        }
    }
}
