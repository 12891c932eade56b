//! Elements that are stored in another form than [`Values`] has: text of a fixed size, half floats.

use super::super::dtype::{Dtype, Stored};
use super::super::half::half_to_float;
use crate::error::{Error, Result};
use crate::model::{Encoding, Endian, SLOT_SIZE, Slot, Values};

/// How the elements of an array are stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Elements {
    /// As [`Values`] has them, but for the byte order of numbers.
    Plain,
    /// Floats of 16 bits.
    Half(Endian),
    /// The upper half of floats of 32 bits.
    BFloat16(Endian),
    /// Big-endian numbers, which together are one element: how many of them follow each other, and the size of each.
    BigEndian(Box<[(usize, usize)]>),
    /// Text of this many bytes, with zeros at its end.
    Text(usize),
    /// Text of this many UCS-4 characters, with zeros at its end.
    Wide(usize, Endian),
    /// Strings of different lengths: a count, then each with its length.
    Vlen,
    /// Bytes of different lengths, in the same form.
    VlenBytes,
}

impl Elements {
    /// The form that a dtype stands for.
    pub fn of(dtype: &Dtype) -> Self {
        match dtype.stored {
            Stored::Number | Stored::Bool | Stored::Char => Self::Plain,
            Stored::Complex if dtype.endian == Endian::Little => Self::Plain,
            Stored::Complex => Self::BigEndian([(2, dtype.ty.atomic_size())].into()),
            Stored::Half => Self::Half(dtype.endian),
            Stored::Bytes => Self::Text(dtype.size),
            Stored::Ucs4 => Self::Wide(dtype.size / 4, dtype.endian),
            Stored::Objects => Self::Vlen,
        }
    }

    /// The encoding of a layout; `plain` is that of elements which are stored as [`Values`] has them.
    pub fn encoding(&self, plain: Encoding) -> Encoding {
        match self {
            Self::Plain => plain,
            _ => Encoding::Structured,
        }
    }

    /// Converts a decoded chunk of `count` elements. Returns elements as in [`Values::bytes`]; their content is added to
    /// `heap`.
    ///
    /// # Errors
    /// Elements of another count, or text that is no text.
    pub fn convert(&self, decoded: &[u8], count: usize, heap: &mut Vec<u8>) -> Result<Vec<u8>> {
        match self {
            Self::Plain => Ok(decoded.to_vec()),
            Self::Half(endian) => Ok(decoded
                .chunks_exact(2)
                .flat_map(|two| half_to_float(short(two, *endian)).to_le_bytes())
                .collect()),
            Self::BFloat16(endian) => Ok(decoded
                .chunks_exact(2)
                .flat_map(|two| (u32::from(short(two, *endian)) << 16).to_le_bytes())
                .collect()),
            Self::BigEndian(units) => {
                let mut bytes = decoded.to_vec();
                let size: usize = units.iter().map(|(count, unit)| count * unit).sum();
                for element in bytes.chunks_exact_mut(size.max(1)) {
                    let mut rest = element;
                    for (count, unit) in units {
                        let (numbers, behind) = rest.split_at_mut(count * unit);
                        if *unit > 1 {
                            numbers.chunks_exact_mut(*unit).for_each(<[u8]>::reverse);
                        }
                        rest = behind;
                    }
                }
                Ok(bytes)
            }
            Self::Text(size) => Ok(slots(decoded.chunks_exact((*size).max(1)), heap, |text, heap| {
                heap.extend_from_slice(text);
            })),
            Self::Wide(characters, endian) => {
                let elements = decoded.chunks_exact((*characters).max(1).saturating_mul(4));
                Ok(slots(elements, heap, |text, heap| push_wide(text, *endian, heap)))
            }
            Self::Vlen | Self::VlenBytes => vlen(decoded, count, heap),
        }
    }
}

/// The number in two bytes.
fn short(two: &[u8], endian: Endian) -> u16 {
    let two = [two[0], two[1]];
    match endian {
        Endian::Little => u16::from_le_bytes(two),
        Endian::Big => u16::from_be_bytes(two),
    }
}

/// The slots of elements whose text, without the zeros at its end, `push` adds to the heap. Empty text is NIL, as netCDF-C
/// reads it.
fn slots<'a>(
    elements: impl Iterator<Item = &'a [u8]>,
    heap: &mut Vec<u8>,
    push: impl Fn(&[u8], &mut Vec<u8>),
) -> Vec<u8> {
    let mut out = Vec::with_capacity(elements.size_hint().0.saturating_mul(SLOT_SIZE));
    for element in elements {
        let length = element.iter().rposition(|b| *b != 0).map_or(0, |last| last + 1);
        let from = heap.len();
        push(&element[..length], heap);
        out.extend_from_slice(&slot(from, heap.len()).to_bytes());
    }
    out
}

fn slot(from: usize, to: usize) -> Slot {
    if from == to {
        return Slot::NIL;
    }
    Slot {
        length: (to - from) as u64,
        offset: from as u64,
    }
}

/// Adds characters of four bytes as UTF-8. The last character may lack zeros at its end.
fn push_wide(text: &[u8], endian: Endian, heap: &mut Vec<u8>) {
    for unit in text.chunks(4) {
        let mut four = [0; 4];
        four[..unit.len()].copy_from_slice(unit);
        let code = match endian {
            Endian::Little => u32::from_le_bytes(four),
            Endian::Big => u32::from_be_bytes(four),
        };
        let c = char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER);
        heap.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
    }
}

/// The strings of numcodecs' `vlen-utf8`: the number of strings, then each with its length in bytes, all little-endian
/// 32 bits.
fn vlen(decoded: &[u8], count: usize, heap: &mut Vec<u8>) -> Result<Vec<u8>> {
    let damaged = || Error::Damaged("strings that do not fill their chunk".to_owned());
    let mut rest = decoded;
    let number = |bytes: &mut &[u8]| -> Option<usize> {
        let (four, behind) = bytes.split_at_checked(4)?;
        *bytes = behind;
        usize::try_from(u32::from_le_bytes(four.try_into().ok()?)).ok()
    };
    if number(&mut rest) != Some(count) {
        return Err(damaged());
    }
    let mut out = Vec::with_capacity(count.min(decoded.len()).saturating_mul(SLOT_SIZE));
    for _ in 0..count {
        let length = number(&mut rest).ok_or_else(damaged)?;
        let (text, behind) = rest.split_at_checked(length).ok_or_else(damaged)?;
        rest = behind;
        // Unlike text of a fixed size, an empty string is one, and not NIL.
        let own = Slot {
            length: length as u64,
            offset: heap.len() as u64,
        };
        heap.extend_from_slice(text);
        out.extend_from_slice(&own.to_bytes());
    }
    match rest.is_empty() {
        true => Ok(out),
        false => Err(damaged()),
    }
}

/// The element that unwritten parts hold, as in [`Values`].
pub fn fill_of(fill: Option<&Values>, size: usize) -> Values {
    match fill {
        Some(value) if value.bytes.len() == size => value.clone(),
        _ if size == SLOT_SIZE => Values::from_bytes(Slot::NIL.to_bytes().to_vec()),
        _ => Values::from_bytes(vec![0; size]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn strings(elements: Elements, bytes: &[u8], count: usize) -> Vec<Option<String>> {
        let mut heap = Vec::new();
        let bytes = elements.convert(bytes, count, &mut heap).unwrap();
        let values = Values { bytes, heap };
        (0..count)
            .map(|n| {
                values
                    .string(n * SLOT_SIZE)
                    .map(|s| String::from_utf8_lossy(s).into_owned())
            })
            .collect()
    }

    #[test]
    fn text_ends_before_its_zeros() {
        let found = strings(Elements::Text(4), b"ab\0\0abcd\0\0\0\0a\0b\0", 4);
        let wanted = [Some("ab"), Some("abcd"), None, Some("a\0b")];
        assert_eq!(found, wanted.map(|s| s.map(str::to_owned)));
    }

    #[test]
    fn wide_text_becomes_utf_8() {
        let little: Vec<u8> = "ä€\0𝄞\0\0"
            .chars()
            .flat_map(|c| (c as u32).to_le_bytes())
            .collect();
        let found = strings(Elements::Wide(3, Endian::Little), &little, 2);
        assert_eq!(found, [Some("ä€".to_owned()), Some("𝄞".to_owned())]);
        let big: Vec<u8> = "Ā\0\u{100}"
            .chars()
            .flat_map(|c| (c as u32).to_be_bytes())
            .collect();
        assert_eq!(
            strings(Elements::Wide(3, Endian::Big), &big, 1),
            [Some("Ā\0Ā".to_owned())]
        );
    }

    /// `VLenUTF8().encode(['a', '', 'bc'])` of numcodecs.
    #[test]
    fn strings_of_different_lengths() {
        let bytes = b"\x03\0\0\0\x01\0\0\0a\0\0\0\0\x02\0\0\0bc";
        let found = strings(Elements::Vlen, bytes, 3);
        assert_eq!(found, ["a", "", "bc"].map(|text| Some(text.to_owned())));
        for cut in 0..bytes.len() {
            assert!(
                Elements::Vlen.convert(&bytes[..cut], 3, &mut Vec::new()).is_err(),
                "{cut}"
            );
        }
        assert!(Elements::Vlen.convert(bytes, 2, &mut Vec::new()).is_err());
    }

    #[test]
    fn big_endian_numbers_are_reversed_one_by_one() {
        let units = Elements::BigEndian([(3, 1), (2, 2), (1, 4)].into());
        let reversed = units.convert(b"abcBAdcHGFE1234567890A", 2, &mut Vec::new());
        assert_eq!(reversed.unwrap(), b"abcABcdEFGH1235476A098");
    }

    #[test]
    fn half_floats_are_widened() {
        let mut heap = Vec::new();
        let two = [0x3c00u16, 0xc000].map(u16::to_be_bytes).concat();
        let floats = Elements::Half(Endian::Big).convert(&two, 2, &mut heap).unwrap();
        assert_eq!(floats, [1f32, -2.0].map(f32::to_le_bytes).concat());
    }
}
