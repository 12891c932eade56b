//! Reads a buffer whose offsets may lead anywhere.

use super::super::flatbuffer_reader::{CopyLimit, Wrong, little_endian};
use super::{FlexValue, types};

/// Most levels of lists and maps.
const DEEPEST: usize = 32;

/// Most bytes of a buffer. Settings have a few thousand.
const LARGEST: usize = 1 << 20;

/// Bytes in memory of a value.
const VALUE: usize = 32;

/// A value of two bytes is one of [`VALUE`] bytes in memory.
const TIMES: usize = 64;

impl FlexValue {
    /// The value that a buffer has.
    ///
    /// # Errors
    /// What is damaged, or not supported.
    pub fn parse(bytes: &[u8]) -> Result<Self, Wrong> {
        let [.., packed, width] = *bytes else {
            return Err(short());
        };
        if bytes.len() > LARGEST {
            return Err(format!("settings of more than {LARGEST} bytes"));
        }
        let width = usize::from(width);
        if !matches!(width, 1 | 2 | 4 | 8) {
            return Err("settings of a strange form".to_owned());
        }
        let at = (bytes.len() - 2).checked_sub(width).ok_or_else(short)?;
        let limit = CopyLimit::times(TIMES, bytes);
        Reader { bytes, limit }.value(at, width, packed, 0)
    }
}

fn short() -> Wrong {
    "a position past the end of the settings".to_owned()
}

/// A buffer being read, and what may still be copied from it.
struct Reader<'b> {
    bytes: &'b [u8],
    limit: CopyLimit,
}

impl Reader<'_> {
    /// The number of `width` bytes at a place.
    fn number(&self, at: usize, width: usize) -> Result<u64, Wrong> {
        let end = at.checked_add(width).ok_or_else(short)?;
        self.bytes.get(at..end).map(little_endian).ok_or_else(short)
    }

    /// Where the offset at a place leads. The limits end what leads in a circle.
    fn follow(&self, at: usize, width: usize) -> Result<usize, Wrong> {
        let back = usize::try_from(self.number(at, width)?).map_err(|_| short())?;
        at.checked_sub(back).ok_or_else(short)
    }

    /// The length of what begins at a place.
    fn length(&self, at: usize, width: usize) -> Result<usize, Wrong> {
        let place = at.checked_sub(width).ok_or_else(short)?;
        let length = usize::try_from(self.number(place, width)?).map_err(|_| short())?;
        match length <= self.bytes.len() {
            true => Ok(length),
            false => Err(short()),
        }
    }

    /// A text that ends at a NUL.
    fn key(&mut self, at: usize) -> Result<String, Wrong> {
        let rest = self.bytes.get(at..).ok_or_else(short)?;
        let end = rest.iter().position(|byte| *byte == 0).ok_or_else(short)?;
        self.text(at, end)
    }

    fn text(&mut self, at: usize, length: usize) -> Result<String, Wrong> {
        let text = self.blob(at, length)?;
        String::from_utf8(text).map_err(|_| "a text that is not UTF-8".to_owned())
    }

    fn blob(&mut self, at: usize, length: usize) -> Result<Vec<u8>, Wrong> {
        let end = at.checked_add(length).ok_or_else(short)?;
        self.limit.take(VALUE + length)?;
        self.bytes.get(at..end).map(<[u8]>::to_vec).ok_or_else(short)
    }

    /// The value of `width` bytes at a place, by its type and the logarithm of the width of what it leads to.
    fn value(&mut self, at: usize, width: usize, packed: u8, depth: usize) -> Result<FlexValue, Wrong> {
        if depth > DEEPEST {
            return Err(format!("more than {DEEPEST} levels of settings"));
        }
        self.limit.take(VALUE)?;
        let (kind, inner) = (packed >> 2, 1 << (packed & 3));
        Ok(match kind {
            types::NULL => FlexValue::Null,
            types::BOOL => FlexValue::Bool(self.number(at, width)? != 0),
            types::INT | types::UINT | types::FLOAT => self.plain(at, width, kind)?,
            types::INDIRECT..types::MAP => {
                let to = self.follow(at, width)?;
                self.plain(to, inner, kind - types::INDIRECT + types::INT)?
            }
            types::KEY => {
                let to = self.follow(at, width)?;
                FlexValue::Text(self.key(to)?)
            }
            types::TEXT | types::BLOB => {
                let to = self.follow(at, width)?;
                let length = self.length(to, inner)?;
                match kind {
                    types::TEXT => FlexValue::Text(self.text(to, length)?),
                    _ => FlexValue::Blob(self.blob(to, length)?),
                }
            }
            types::LIST | types::TYPED_LIST..=14 | types::LIST_OF_BOOL => {
                let to = self.follow(at, width)?;
                let of = match kind {
                    types::LIST => None,
                    types::LIST_OF_BOOL => Some(types::BOOL),
                    typed => Some(typed - types::TYPED_LIST + types::INT),
                };
                FlexValue::List(self.elements(to, inner, of, depth)?)
            }
            types::MAP => {
                let to = self.follow(at, width)?;
                let before = |n: usize| to.checked_sub(n * inner).ok_or_else(short);
                let keys = self.follow(before(3)?, inner)?;
                let key_width = usize::try_from(self.number(before(2)?, inner)?).map_err(|_| short())?;
                if !matches!(key_width, 1 | 2 | 4 | 8) {
                    return Err("a map with strange keys".to_owned());
                }
                let values = self.elements(to, inner, None, depth)?;
                let mut members = Vec::new();
                for (n, value) in values.into_iter().enumerate() {
                    let place = keys.checked_add(n * key_width).ok_or_else(short)?;
                    let place = self.follow(place, key_width)?;
                    members.push((self.key(place)?, value));
                }
                FlexValue::Map(members)
            }
            other => return Err(format!("a setting of the type {other}, which is not supported")),
        })
    }

    fn plain(&self, at: usize, width: usize, kind: u8) -> Result<FlexValue, Wrong> {
        let number = self.number(at, width)?;
        let unused = 64 - 8 * width as u32;
        Ok(match (kind, width) {
            (types::INT, _) => FlexValue::Int((number << unused).cast_signed() >> unused),
            (types::UINT, _) => FlexValue::UInt(number),
            (_, 4) => FlexValue::Float(f32::from_bits(number as u32).into()),
            (_, 8) => FlexValue::Float(f64::from_bits(number)),
            _ => return Err(format!("a number of {width} bytes with a fraction")),
        })
    }

    /// The elements of the list at a place, which all have the type `of`, or each its own.
    fn elements(
        &mut self,
        at: usize,
        width: usize,
        of: Option<u8>,
        depth: usize,
    ) -> Result<Vec<FlexValue>, Wrong> {
        let count = self.length(at, width)?;
        let types = count
            .checked_mul(width)
            .and_then(|all| all.checked_add(at))
            .ok_or_else(short)?;
        let mut list = Vec::new();
        for n in 0..count {
            let packed = match of {
                Some(kind) => kind << 2,
                None => {
                    let place = types.checked_add(n).ok_or_else(short)?;
                    *self.bytes.get(place).ok_or_else(short)?
                }
            };
            list.push(self.value(at + n * width, width, packed, depth + 1)?);
        }
        Ok(list)
    }
}
