//! The Datatype message (specification section IV.A.2.d): version 1 for atomic types, 3 for others.

use crate::name;
use crate::writer::bytes::{PutBytes, bytes_for};
use crate::{ByteOrder, CharacterSet, Class, Datatype, Error, ReferenceKind, Result, StringPadding};

/// Maximum nesting of types. The reader's limit is lower.
const MAX_DEPTH: usize = 64;

/// The encoded datatype.
pub(crate) fn datatype(datatype: &Datatype) -> Result<Vec<u8>> {
    let mut out = Vec::new();
    encode(datatype, &mut out, 0)?;
    Ok(out)
}

fn order_bit(order: ByteOrder) -> Result<u32> {
    match order {
        ByteOrder::Little => Ok(0),
        ByteOrder::Big => Ok(1),
        ByteOrder::Vax => Err(Error::CannotWrite(
            "VAX byte order is for floating-point types only".into(),
        )),
    }
}

fn padding_bits(padding: StringPadding) -> u32 {
    match padding {
        StringPadding::NullTerminate => 0,
        StringPadding::NullPad => 1,
        StringPadding::SpacePad => 2,
    }
}

fn charset_bits(charset: CharacterSet) -> u32 {
    match charset {
        CharacterSet::Ascii => 0,
        CharacterSet::Utf8 => 1,
    }
}

/// Appends version and class, the 24 class bits, and the size.
fn head(out: &mut Vec<u8>, version: u8, class: u8, bits: u32, size: u32) {
    out.put_u8(version << 4 | class);
    out.put_uint(bits.into(), 3);
    out.put_u32(size);
}

fn encode(datatype: &Datatype, out: &mut Vec<u8>, depth: usize) -> Result<()> {
    if depth > MAX_DEPTH {
        return Err(Error::CannotWrite(format!(
            "a datatype nested deeper than {MAX_DEPTH} levels"
        )));
    }
    let size = datatype.size;
    match &datatype.class {
        Class::FixedPoint {
            order,
            signed,
            bit_offset,
            precision,
        } => {
            head(out, 1, 0, order_bit(*order)? | u32::from(*signed) << 3, size);
            out.put_u16(*bit_offset);
            out.put_u16(*precision);
        }
        Class::FloatingPoint(float) => {
            // VAX order, with both bits 0 and 6 set, needs version 3.
            let (version, order) = match float.order {
                ByteOrder::Vax => (3, 0x41),
                order => (1, order_bit(order)?),
            };
            let bits = order | u32::from(float.normalization & 3) << 4 | u32::from(float.sign_location) << 8;
            head(out, version, 1, bits, size);
            out.put_u16(float.bit_offset);
            out.put_u16(float.precision);
            out.put_u8(float.exponent_location);
            out.put_u8(float.exponent_size);
            out.put_u8(float.mantissa_location);
            out.put_u8(float.mantissa_size);
            out.put_u32(float.exponent_bias);
        }
        Class::Time { order, precision } => {
            head(out, 1, 2, order_bit(*order)?, size);
            out.put_u16(*precision);
        }
        Class::String { padding, charset } => {
            head(
                out,
                1,
                3,
                padding_bits(*padding) | charset_bits(*charset) << 4,
                size,
            );
        }
        Class::Bitfield {
            order,
            bit_offset,
            precision,
        } => {
            head(out, 1, 4, order_bit(*order)?, size);
            out.put_u16(*bit_offset);
            out.put_u16(*precision);
        }
        Class::Opaque { tag } => {
            let tag = name::bytes(tag);
            let length = tag.len().next_multiple_of(8);
            if length > 248 {
                return Err(Error::CannotWrite(
                    "the tag of an opaque type is longer than 248 bytes".into(),
                ));
            }
            head(out, 1, 5, length as u32, size);
            out.put(&tag);
            out.put_zeros(length - tag.len());
        }
        Class::Compound { members } => {
            head(out, 3, 6, count(members.len(), "members of a compound")?, size);
            for member in members {
                member_name(out, &member.name)?;
                out.put_uint(member.offset.into(), bytes_for(size.into()));
                encode(&member.datatype, out, depth + 1)?;
            }
        }
        Class::Reference { kind } => {
            let bits = match kind {
                ReferenceKind::Object => 0,
                ReferenceKind::DatasetRegion => 1,
                ReferenceKind::Standard => {
                    return Err(Error::Unsupported("writing references of HDF5 1.12".into()));
                }
            };
            head(out, 1, 7, bits, size);
        }
        Class::Enumeration { base, members } => {
            head(
                out,
                3,
                8,
                count(members.len(), "members of an enumeration")?,
                size,
            );
            encode(base, out, depth + 1)?;
            for (member, _) in members {
                member_name(out, member)?;
            }
            for (member, value) in members {
                if value.len() != base.size as usize {
                    return Err(Error::CannotWrite(format!(
                        "member `{member}` of an enumeration has a value of {} bytes instead of {}",
                        value.len(),
                        base.size
                    )));
                }
                out.put(value);
            }
        }
        Class::VariableLength { base } => {
            head(out, 3, 9, 0, size);
            encode(base, out, depth + 1)?;
        }
        Class::VariableString { padding, charset } => {
            head(
                out,
                1,
                9,
                1 | padding_bits(*padding) << 4 | charset_bits(*charset) << 8,
                size,
            );
            encode(&Datatype::integer(1, false, ByteOrder::Little), out, depth + 1)?;
        }
        Class::Array { dims, base } => {
            let rank = u8::try_from(dims.len())
                .ok()
                .filter(|rank| *rank <= 32)
                .ok_or_else(|| Error::CannotWrite("an array type of more than 32 dimensions".into()))?;
            head(out, 3, 10, 0, size);
            out.put_u8(rank);
            for length in dims {
                out.put_u32(*length);
            }
            encode(base, out, depth + 1)?;
        }
        Class::Complex { .. } => {
            return Err(Error::Unsupported("writing complex numbers of HDF5 2.0".into()));
        }
    }
    Ok(())
}

/// Appends a name and its NUL, without padding, as in version 3.
fn member_name(out: &mut Vec<u8>, name: &str) -> Result<()> {
    if name.contains('\0') {
        return Err(Error::CannotWrite(format!(
            "the member name {name:?} holds a NUL"
        )));
    }
    out.put(&name::bytes(name));
    out.put_u8(0);
    Ok(())
}

fn count(count: usize, what: &str) -> Result<u32> {
    u16::try_from(count)
        .map(u32::from)
        .map_err(|_| Error::CannotWrite(format!("more than 65535 {what}")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::CompoundMember;

    #[track_caller]
    fn check(datatype: &Datatype, hex: &str) {
        let bytes: Vec<String> = super::datatype(datatype)
            .unwrap()
            .iter()
            .map(|b| format!("{b:02x}"))
            .collect();
        assert_eq!(bytes.join(" "), hex);
    }

    /// Messages that libhdf5 2.0 writes with 1.8 as its lower bound.
    #[test]
    fn equals_libhdf5() {
        check(
            &Datatype::ieee(2, ByteOrder::Little),
            "11 20 0f 00 02 00 00 00 00 00 10 00 0a 05 00 0a 0f 00 00 00",
        );
        check(
            &Datatype::ieee(4, ByteOrder::Big),
            "11 21 1f 00 04 00 00 00 00 00 20 00 17 08 00 17 7f 00 00 00",
        );
        check(
            &Datatype::string(5, StringPadding::NullPad, CharacterSet::Ascii),
            "13 01 00 00 05 00 00 00",
        );
        check(
            &Datatype::variable_string(CharacterSet::Utf8),
            "19 01 01 00 10 00 00 00 10 00 00 00 01 00 00 00 00 00 08 00",
        );
        let byte = Datatype::integer(1, false, ByteOrder::Little);
        let int = Datatype::integer(4, true, ByteOrder::Little);
        check(
            &Datatype {
                size: 1,
                class: Class::Enumeration {
                    base: Box::new(byte),
                    members: vec![("a".into(), vec![1]), ("bb".into(), vec![2])],
                },
            },
            "38 02 00 00 01 00 00 00 10 00 00 00 01 00 00 00 00 00 08 00 61 00 62 62 00 01 02",
        );
        check(
            &Datatype {
                size: 24,
                class: Class::Array {
                    dims: vec![2, 3],
                    base: Box::new(int.clone()),
                },
            },
            "3a 00 00 00 18 00 00 00 02 02 00 00 00 03 00 00 00 10 08 00 00 04 00 00 00 00 00 20 00",
        );
        let member = |name: &str, offset, datatype| CompoundMember {
            name: name.into(),
            offset,
            datatype,
        };
        check(
            &Datatype {
                size: 16,
                class: Class::Compound {
                    members: vec![
                        member("a", 0, int),
                        member("b", 8, Datatype::ieee(8, ByteOrder::Little)),
                    ],
                },
            },
            "36 02 00 00 10 00 00 00 61 00 00 10 08 00 00 04 00 00 00 00 00 20 00 62 00 08 11 20 3f 00 08 00 00 00 \
             00 00 40 00 34 0b 00 34 ff 03 00 00",
        );
    }

    #[test]
    fn offsets_in_compounds_widen_with_their_size() {
        let wide = |size| Datatype {
            size,
            class: Class::Compound {
                members: vec![CompoundMember {
                    name: "m".into(),
                    offset: size - 1,
                    datatype: Datatype::integer(1, true, ByteOrder::Little),
                }],
            },
        };
        let length = |size| datatype(&wide(size)).unwrap().len();
        assert_eq!(length(256), length(255) + 1);
        assert_eq!(length(65_536), length(255) + 2);
    }

    #[test]
    fn what_cannot_be_written_is_an_error() {
        let nested = (0..100).fold(Datatype::integer(1, true, ByteOrder::Little), |base, _| {
            Datatype::variable_length(base)
        });
        assert!(datatype(&nested).is_err());
        let complex = Datatype {
            size: 8,
            class: Class::Complex {
                base: Box::new(Datatype::ieee(4, ByteOrder::Little)),
            },
        };
        assert!(matches!(datatype(&complex), Err(Error::Unsupported(_))));
    }
}
