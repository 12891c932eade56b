//! Elements that are stored in another form than [`Values`] has: text of a fixed size, half floats.

use super::super::dtype::{Dtype, Stored};
use super::super::half::half_to_float;
use super::super::json::Json;
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
    /// Fields one behind the other, which together are one element.
    Fields(Box<[Unit]>),
    /// Integers of `size` bytes, each the place of a string in `labels`. The first label has place 1; no label is an empty
    /// string.
    Labels {
        /// The strings.
        labels: Box<[Box<str>]>,
        /// Bytes of an integer.
        size: usize,
        /// The byte order of integers.
        endian: Endian,
    },
    /// Text of this many bytes, with zeros at its end.
    Text(usize),
    /// Text of this many UCS-4 characters, with zeros at its end.
    Wide(usize, Endian),
    /// Strings of different lengths: a count, then each with its length.
    Vlen,
    /// Bytes of different lengths, in the same form.
    VlenBytes,
    /// Lists of different lengths, in the same form, of little-endian numbers of this many bytes.
    VlenNumbers(usize),
    /// Strings in a JSON list, behind which their type and shape follow: numcodecs' `json2`.
    JsonTexts,
}

/// Parts of an element that follow each other, and how each is stored. What has a count is that many times there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unit {
    /// Bytes as [`Values`] has them.
    Bytes(usize),
    /// Bytes that are no part of the element.
    Skip(usize),
    /// Big-endian numbers: their count, and the size of each.
    Reversed(usize, usize),
    /// Floats of 16 bits.
    Half(usize, Endian),
    /// Texts of this many UCS-4 characters, which become UTF-8 with zeros behind it, in as many bytes.
    Wide(usize, usize, Endian),
    /// Elements of several parts.
    Nested(usize, Box<[Unit]>),
}

impl Elements {
    /// The form that a dtype stands for.
    pub fn of(dtype: &Dtype) -> Self {
        match dtype.stored {
            Stored::Number | Stored::Bool | Stored::Char => Self::Plain,
            Stored::Complex if dtype.endian == Endian::Little => Self::Plain,
            Stored::Complex => Self::Fields([Unit::Reversed(2, dtype.ty.atomic_size())].into()),
            Stored::Half => Self::Half(dtype.endian),
            Stored::Bytes => Self::Text(dtype.size),
            Stored::Ucs4 => Self::Wide(dtype.size / 4, dtype.endian),
            Stored::Objects => Self::Vlen,
        }
    }

    /// True if each element has its own length.
    pub fn is_vlen(&self) -> bool {
        matches!(
            self,
            Self::Vlen | Self::VlenBytes | Self::VlenNumbers(_) | Self::JsonTexts
        )
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
            Self::Fields(units) => {
                let mut bytes = Vec::with_capacity(decoded.len());
                let mut rest = decoded;
                for _ in 0..count {
                    push_fields(units, &mut rest, &mut bytes).ok_or_else(|| {
                        Error::Damaged("structures that do not fill their chunk".to_owned())
                    })?;
                }
                Ok(bytes)
            }
            Self::Labels { labels, size, endian } => {
                let place = |number: &[u8]| {
                    let digit = |place: usize, byte: &u8| place.checked_mul(256)?.checked_add((*byte).into());
                    match endian {
                        Endian::Big => number.iter().try_fold(0, digit),
                        Endian::Little => number.iter().rev().try_fold(0, digit),
                    }
                };
                let label = |number: &[u8]| labels.get(place(number)?.checked_sub(1)?);
                Ok(slots(
                    decoded.chunks_exact((*size).max(1)),
                    heap,
                    |number, heap| {
                        heap.extend_from_slice(label(number).map_or(&b""[..], |text| text.as_bytes()));
                    },
                ))
            }
            Self::Text(size) => Ok(slots(decoded.chunks_exact((*size).max(1)), heap, |text, heap| {
                heap.extend_from_slice(without_zeros(text));
            })),
            Self::Wide(characters, endian) => {
                let elements = decoded.chunks_exact((*characters).max(1).saturating_mul(4));
                Ok(slots(elements, heap, |text, heap| {
                    push_wide(without_zeros(text), *endian, heap);
                }))
            }
            Self::Vlen | Self::VlenBytes => vlen(decoded, count, heap),
            Self::VlenNumbers(size) => {
                let mut slots = vlen(decoded, count, heap)?;
                match count_numbers(&mut slots, *size) {
                    true => Ok(slots),
                    false => Err(Error::Damaged(format!(
                        "bytes that are no numbers of {size} bytes"
                    ))),
                }
            }
            Self::JsonTexts => json_texts(decoded, count, heap),
        }
    }
}

/// Adds the next element of these parts. `None` if there are too few bytes. The depth of units is that of the type, which
/// has a limit.
fn push_fields(units: &[Unit], rest: &mut &[u8], out: &mut Vec<u8>) -> Option<()> {
    for unit in units {
        let size = match unit {
            Unit::Bytes(size) | Unit::Skip(size) => *size,
            Unit::Reversed(count, size) => count.checked_mul(*size)?,
            Unit::Half(count, _) => count.checked_mul(2)?,
            Unit::Wide(count, characters, _) => count.checked_mul(*characters)?.checked_mul(4)?,
            Unit::Nested(count, units) => {
                for _ in 0..*count {
                    push_fields(units, rest, out)?;
                }
                continue;
            }
        };
        let (bytes, behind) = rest.split_at_checked(size)?;
        *rest = behind;
        match unit {
            Unit::Bytes(_) => out.extend_from_slice(bytes),
            Unit::Reversed(_, size) => {
                let numbers = bytes.chunks_exact((*size).max(1));
                numbers.for_each(|number| out.extend(number.iter().rev()));
            }
            Unit::Half(_, endian) => {
                let floats = bytes
                    .chunks_exact(2)
                    .map(|two| half_to_float(short(two, *endian)));
                floats.for_each(|float| out.extend(float.to_le_bytes()));
            }
            Unit::Wide(_, characters, endian) => {
                for text in bytes.chunks_exact((*characters).max(1) * 4) {
                    let end = out.len() + text.len();
                    push_wide(without_zeros(text), *endian, out);
                    // UTF-8 takes at most as many bytes.
                    out.resize(end, 0);
                }
            }
            Unit::Skip(_) | Unit::Nested(..) => {}
        }
    }
    Some(())
}

/// The number in two bytes.
fn short(two: &[u8], endian: Endian) -> u16 {
    let two = [two[0], two[1]];
    match endian {
        Endian::Little => u16::from_le_bytes(two),
        Endian::Big => u16::from_be_bytes(two),
    }
}

/// An element without the zeros at its end.
fn without_zeros(element: &[u8]) -> &[u8] {
    let length = element.iter().rposition(|b| *b != 0).map_or(0, |last| last + 1);
    &element[..length]
}

/// The slots of elements whose text `push` adds to the heap. Empty text is NIL, as netCDF-C
/// reads it.
fn slots<'a>(
    elements: impl Iterator<Item = &'a [u8]>,
    heap: &mut Vec<u8>,
    push: impl Fn(&[u8], &mut Vec<u8>),
) -> Vec<u8> {
    let mut out = Vec::with_capacity(elements.size_hint().0.saturating_mul(SLOT_SIZE));
    for element in elements {
        let from = heap.len();
        push(element, heap);
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

/// Makes numbers of `size` bytes the unit of the lengths of slots, which are in bytes. False if one is no multiple.
pub fn count_numbers(slots: &mut [u8], size: usize) -> bool {
    slots.chunks_exact_mut(SLOT_SIZE).all(|bytes| {
        let mut slot = Slot::read(bytes);
        let is_whole = slot.length.is_multiple_of(size.max(1) as u64);
        slot.length /= size.max(1) as u64;
        bytes.copy_from_slice(&slot.to_bytes());
        is_whole
    })
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

/// The strings of numcodecs' `json2`: nested lists in the shape of the chunk, then the type and that shape. What is no string
/// is JSON as text, and `null` is NIL.
fn json_texts(decoded: &[u8], count: usize, heap: &mut Vec<u8>) -> Result<Vec<u8>> {
    let damaged = || Error::Damaged("JSON that does not fill its chunk".to_owned());
    let json = Json::parse(decoded).map_err(|e| Error::Damaged(format!("a chunk of JSON: {e}")))?;
    let (items, shape) = match json.as_array() {
        Some([items @ .., _, shape]) => (items, shape.as_array().ok_or_else(damaged)?),
        _ => return Err(damaged()),
    };
    let mut level: Vec<&Json> = items.iter().collect();
    for _ in 1..shape.len() {
        let lists = level.into_iter().map(|list| list.as_array().ok_or_else(damaged));
        level = lists.collect::<Result<Vec<_>>>()?.into_iter().flatten().collect();
    }
    if level.len() != count {
        return Err(damaged());
    }
    let mut out = Vec::with_capacity(count.saturating_mul(SLOT_SIZE));
    for item in level {
        let offset = heap.len() as u64;
        let own = match item {
            Json::Null => Slot::NIL,
            _ => {
                match item {
                    Json::String(text) => heap.extend_from_slice(text.as_bytes()),
                    other => heap.extend_from_slice(other.to_string().as_bytes()),
                }
                Slot {
                    length: heap.len() as u64 - offset,
                    offset,
                }
            }
        };
        out.extend_from_slice(&own.to_bytes());
    }
    Ok(out)
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
        let units = [Unit::Bytes(3), Unit::Reversed(2, 2), Unit::Reversed(1, 4)];
        let reversed = Elements::Fields(units.into()).convert(b"abcBAdcHGFE1234567890A", 2, &mut Vec::new());
        assert_eq!(reversed.unwrap(), b"abcABcdEFGH1235476A098");
    }

    /// `JSON().encode(np.array([['a', ''], [None, 7]], dtype=object))` of numcodecs.
    #[test]
    fn strings_in_json() {
        let found = strings(Elements::JsonTexts, br#"[["a",""],[null,7],"|O",[2,2]]"#, 4);
        assert_eq!(
            found,
            [Some("a"), Some(""), None, Some("7")].map(|s| s.map(str::to_owned))
        );
        for wrong in [
            &b"[\"a\",\"|O\",[1]]"[..],
            b"{}",
            b"[\"a\",\"b\",\"c\",\"d\"]",
            b"[",
            b"[1,2,3,4,\"|O\",[2,2]]",
        ] {
            assert!(Elements::JsonTexts.convert(wrong, 4, &mut Vec::new()).is_err());
        }
    }

    #[test]
    fn numbers_are_places_of_labels() {
        let labels = Elements::Labels {
            labels: ["x", "yy"].map(Into::into).into(),
            size: 2,
            endian: Endian::Big,
        };
        let found = strings(labels, &[0, 1, 0, 2, 0, 0, 1, 2], 4);
        assert_eq!(
            found,
            [Some("x"), Some("yy"), None, None].map(|s| s.map(str::to_owned))
        );
    }

    #[test]
    fn half_floats_are_widened() {
        let mut heap = Vec::new();
        let two = [0x3c00u16, 0xc000].map(u16::to_be_bytes).concat();
        let floats = Elements::Half(Endian::Big).convert(&two, 2, &mut heap).unwrap();
        assert_eq!(floats, [1f32, -2.0].map(f32::to_le_bytes).concat());
    }
}
