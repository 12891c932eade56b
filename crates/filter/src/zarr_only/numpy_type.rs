//! Types of numbers as numpy names them, and converting numbers between them.

use std::fmt;

use serde_json::Value;

use crate::{ChunkType, NumberClass, Outcome};
use ncutils_model::chunk::swap_units;
use ncutils_model::{Endian, ZarrVersion};

/// A type of numbers, as in `"<f4"` or `"int16"`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct NumpyType {
    pub class: NumberClass,
    /// Bytes of a number: 1, 2, 4 or 8; of a float 4 or 8.
    pub size: usize,
    pub endian: Endian,
}

impl NumpyType {
    /// The type of a chunk's elements.
    ///
    /// # Errors
    /// Elements that are not numbers.
    pub fn of(chunk: &ChunkType) -> Outcome<Self> {
        let class = chunk.number.ok_or("its elements are not numbers")?;
        Self::checked(class, chunk.element_size, chunk.endian)
            .ok_or_else(|| format!("it cannot take numbers of {} bytes", chunk.element_size))
    }

    /// The type that a member of a configuration names; `chunk`'s if it is missing. In version 3 of Zarr the byte order is
    /// not the filter's, but that of the chunk, whatever the name says.
    ///
    /// # Errors
    /// A type that is not one of numbers.
    pub fn named(value: Option<&Value>, version: ZarrVersion, chunk: &ChunkType) -> Outcome<Self> {
        let Some(value) = value else {
            return Self::of(chunk);
        };
        let order = (version == ZarrVersion::V3).then_some(chunk.endian);
        value
            .as_str()
            .and_then(|text| Self::parse(text, order))
            .ok_or_else(|| format!("it cannot take the type {value}"))
    }

    /// Parses `<f4`, `f4` or `float32`. A name without an order is little-endian, the order of the machines that wrote it.
    fn parse(text: &str, order: Option<Endian>) -> Option<Self> {
        let (named, rest) = match text.as_bytes().first()? {
            b'>' => (Endian::Big, &text[1..]),
            b'<' | b'|' | b'=' => (Endian::Little, &text[1..]),
            _ => (Endian::Little, text),
        };
        let (class, size) = match rest {
            "i1" | "int8" => (NumberClass::Signed, 1),
            "i2" | "int16" => (NumberClass::Signed, 2),
            "i4" | "int32" => (NumberClass::Signed, 4),
            "i8" | "int64" => (NumberClass::Signed, 8),
            "u1" | "uint8" => (NumberClass::Unsigned, 1),
            "u2" | "uint16" => (NumberClass::Unsigned, 2),
            "u4" | "uint32" => (NumberClass::Unsigned, 4),
            "u8" | "uint64" => (NumberClass::Unsigned, 8),
            "f4" | "float32" => (NumberClass::Float, 4),
            "f8" | "float64" => (NumberClass::Float, 8),
            _ => return None,
        };
        Self::checked(class, size, order.unwrap_or(named))
    }

    fn checked(class: NumberClass, size: usize, endian: Endian) -> Option<Self> {
        let known = match class {
            NumberClass::Float => matches!(size, 4 | 8),
            _ => matches!(size, 1 | 2 | 4 | 8),
        };
        // The order of single bytes is never told.
        let endian = if size == 1 { Endian::Little } else { endian };
        known.then_some(Self { class, size, endian })
    }

    /// The same numbers in the machine's order, or rather in the one that calculations here take.
    pub fn little(self) -> Self {
        Self {
            endian: Endian::Little,
            ..self
        }
    }

    /// Chunks of the shape of `chunk` with numbers of this type.
    pub fn chunk(self, chunk: &ChunkType) -> ChunkType {
        let mut of_type = ChunkType::of_numbers(self.class, self.size, self.endian, &chunk.shape);
        of_type.row = chunk.row;
        of_type
    }

    /// Number of elements in `bytes` bytes.
    ///
    /// # Errors
    /// A part of an element remains.
    pub fn count(self, bytes: usize) -> Outcome<usize> {
        match bytes % self.size {
            0 => Ok(bytes / self.size),
            _ => Err(format!("{bytes} bytes for elements of {}", self.size)),
        }
    }
}

/// The name in version 2 of Zarr, such as `<f4`.
impl fmt::Display for NumpyType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let order = match (self.size, self.endian) {
            (1, _) => '|',
            (_, Endian::Little) => '<',
            (_, Endian::Big) => '>',
        };
        let class = match self.class {
            NumberClass::Signed => 'i',
            NumberClass::Unsigned => 'u',
            NumberClass::Float => 'f',
        };
        write!(f, "{order}{class}{}", self.size)
    }
}

/// A number that calculations can be done with.
pub(crate) trait Number: Copy {
    /// Bytes of a number.
    const SIZE: usize;
    const CLASS: NumberClass;
    fn from_slice(bytes: &[u8], endian: Endian) -> Self;
    fn to_slice(self, endian: Endian, bytes: &mut [u8]);
    /// The sum; integers wrap.
    fn plus(self, other: Self) -> Self;
    /// The difference; integers wrap.
    fn minus(self, other: Self) -> Self;
    /// The product; integers wrap.
    fn times(self, other: Self) -> Self;
}

/// Conversion between numbers. Floats lose their fraction, and integers their high bits. A float that an integer cannot
/// hold becomes the nearest one that it can; numpy leaves that open.
pub(crate) trait To<T> {
    fn to(self) -> T;
}

macro_rules! number {
    ($ty:ident, $class:ident, $plus:expr, $minus:expr, $times:expr) => {
        impl Number for $ty {
            const SIZE: usize = size_of::<Self>();
            const CLASS: NumberClass = NumberClass::$class;
            #[inline(always)]
            fn from_slice(bytes: &[u8], endian: Endian) -> Self {
                let mut number = [0; size_of::<Self>()];
                number.copy_from_slice(bytes);
                match endian {
                    Endian::Little => Self::from_le_bytes(number),
                    Endian::Big => Self::from_be_bytes(number),
                }
            }
            #[inline(always)]
            fn to_slice(self, endian: Endian, bytes: &mut [u8]) {
                bytes.copy_from_slice(&match endian {
                    Endian::Little => self.to_le_bytes(),
                    Endian::Big => self.to_be_bytes(),
                });
            }
            #[inline(always)]
            fn plus(self, other: Self) -> Self {
                $plus(self, other)
            }
            #[inline(always)]
            fn minus(self, other: Self) -> Self {
                $minus(self, other)
            }
            #[inline(always)]
            fn times(self, other: Self) -> Self {
                $times(self, other)
            }
        }
    };
}

/// Conversion of a type to others.
macro_rules! conversions {
    ($ty:ident to $($other:ident)*) => {
        $(impl To<$other> for $ty {
            #[inline(always)]
            fn to(self) -> $other {
                self as $other
            }
        })*
    };
    // The same by way of 32 bits, as processors have it for vectors.
    ($ty:ident by i32 to $($small:ident)*) => {
        $(impl To<$small> for $ty {
            #[inline(always)]
            fn to(self) -> $small {
                (self as i32).clamp($small::MIN.into(), $small::MAX.into()) as $small
            }
        })*
    };
}

macro_rules! numbers {
    (integers $($integer:ident $class:ident)*; floats $($float:ident)*; all $all:tt) => {
        $(number!($integer, $class, $integer::wrapping_add, $integer::wrapping_sub, $integer::wrapping_mul);)*
        $(number!($float, Float, std::ops::Add::add, std::ops::Sub::sub, std::ops::Mul::mul);)*
        $(numbers!(@to $integer $all);)*
        $(conversions!($float to i32 i64 u32 u64 f32 f64);)*
        $(conversions!($float by i32 to i8 i16 u8 u16);)*
    };
    (@to $ty:ident ($($other:ident)*)) => {
        conversions!($ty to $($other)*);
    };
}

numbers!(
    integers i8 Signed i16 Signed i32 Signed i64 Signed u8 Unsigned u16 Unsigned u32 Unsigned u64 Unsigned;
    floats f32 f64;
    all (i8 i16 i32 i64 u8 u16 u32 u64 f32 f64)
);

/// Evaluates an expression in which `$T` is the Rust type of a [`NumpyType`].
macro_rules! with_number {
    ($ty:expr, $T:ident => $body:expr) => {{
        use $crate::NumberClass::{Float, Signed, Unsigned};
        macro_rules! of {
            ($rust:ty) => {{
                type $T = $rust;
                $body
            }};
        }
        match ($ty.class, $ty.size) {
            (Signed, 1) => of!(i8),
            (Signed, 2) => of!(i16),
            (Signed, 4) => of!(i32),
            (Signed, _) => of!(i64),
            (Unsigned, 1) => of!(u8),
            (Unsigned, 2) => of!(u16),
            (Unsigned, 4) => of!(u32),
            (Unsigned, _) => of!(u64),
            (Float, 4) => of!(f32),
            (Float, _) => of!(f64),
        }
    }};
}

pub(crate) use with_number;

/// Bytes that are worked on at once where numbers are not little-endian.
const BLOCK: usize = 4096;

/// Replaces the content of `out` by `each` of the numbers of type `A` in `input`, as numbers of type `B`.
pub(crate) fn map<A: Number, B: Number>(
    (input, from): (&[u8], Endian),
    (out, to): (&mut Vec<u8>, Endian),
    mut each: impl FnMut(A) -> B,
) {
    // Do not clear `out` first: all of it is overwritten.
    out.resize(input.len() / A::SIZE * B::SIZE, 0);
    // Compilers make vector operations of a loop that does not ask for the order.
    in_little_order((input, from, A::SIZE), (out, to, B::SIZE), &mut |numbers, out| {
        let numbers = numbers.chunks_exact(A::SIZE);
        for (number, made) in numbers.zip(out.chunks_exact_mut(B::SIZE)) {
            each(A::from_slice(number, Endian::Little)).to_slice(Endian::Little, made);
        }
    });
}

/// Calls `work` with numbers of two sizes, input and output, in little-endian order: with all of them, or block by block.
///
/// Not inlined, as every loop would then be there twice.
#[inline(never)]
fn in_little_order(
    (input, from, size): (&[u8], Endian, usize),
    (out, to, out_size): (&mut [u8], Endian, usize),
    work: &mut dyn FnMut(&[u8], &mut [u8]),
) {
    if (from, to) == (Endian::Little, Endian::Little) {
        return work(input, out);
    }
    let mut block = [0; BLOCK];
    for (numbers, made) in input.chunks(BLOCK).zip(out.chunks_mut(BLOCK / size * out_size)) {
        let block = &mut block[..numbers.len()];
        block.copy_from_slice(numbers);
        if from == Endian::Big {
            swap_units(block, size);
        }
        work(block, made);
        if to == Endian::Big {
            swap_units(made, out_size);
        }
    }
}

/// Converts numbers of one type to another, replacing the content of `out`.
///
/// # Errors
/// Input that ends within a number, and more output than `limit` bytes.
pub(crate) fn convert(
    from: NumpyType,
    to: NumpyType,
    input: &[u8],
    limit: usize,
    out: &mut Vec<u8>,
) -> Outcome {
    check_converted(from, to, input, limit)?;
    let both_are_integers = from.class != NumberClass::Float && to.class != NumberClass::Float;
    if from.size == to.size && (from.class == to.class || both_are_integers) {
        out.clear();
        out.extend_from_slice(input);
        if from.endian != to.endian {
            swap_units(out, to.size);
        }
        return Ok(());
    }
    // The sign of an integer's type extends it, and plays no other part.
    let class = match (both_are_integers, from.size > to.size) {
        (true, true) => [NumberClass::Unsigned; 2],
        (true, false) => [from.class; 2],
        _ => [from.class, to.class],
    };
    let (input, output) = ((input, from.endian), (out, to.endian));
    /// Calls [`map`] for the output type among `$B`. `$last` is the one that is left.
    macro_rules! to {
        ($A:ident: $($B:ident)*; $last:ident) => {
            match () {
                $(() if (class[1], to.size) == ($B::CLASS, $B::SIZE) => map::<$A, $B>(input, output, To::to),)*
                () => {
                    debug_assert_eq!((class[1], to.size), ($last::CLASS, $last::SIZE));
                    map::<$A, $last>(input, output, To::to);
                }
            }
        };
    }
    match (class[0], from.size) {
        (NumberClass::Signed, 1) => to!(i8: i16 i32 i64 f32; f64),
        (NumberClass::Signed, 2) => to!(i16: i32 i64 f32; f64),
        (NumberClass::Signed, 4) => to!(i32: i64 f32; f64),
        (NumberClass::Signed, _) => to!(i64: f32; f64),
        (NumberClass::Unsigned, 1) => to!(u8: u16 u32 u64 f32; f64),
        (NumberClass::Unsigned, 2) => to!(u16: u8 u32 u64 f32; f64),
        (NumberClass::Unsigned, 4) => to!(u32: u8 u16 u64 f32; f64),
        (NumberClass::Unsigned, _) => to!(u64: u8 u16 u32 f32; f64),
        (NumberClass::Float, 4) => to!(f32: i8 i16 i32 i64 u8 u16 u32 u64; f64),
        (NumberClass::Float, _) => to!(f64: i8 i16 i32 i64 u8 u16 u32 u64; f32),
    }
    Ok(())
}

/// Checks that numbers of one type can become numbers of another within `limit` bytes.
///
/// # Errors
/// Input that ends within a number, and more output than that.
pub(crate) fn check_converted(from: NumpyType, to: NumpyType, input: &[u8], limit: usize) -> Outcome {
    match from.count(input.len())?.checked_mul(to.size) {
        Some(size) if size <= limit => Ok(()),
        _ => Err(format!("more than the {limit} bytes expected")),
    }
}

/// Length, in bytes, of numbers of type `to` made of `len` bytes of type `from`.
pub(crate) fn converted_len(from: NumpyType, to: NumpyType, len: usize) -> usize {
    len.div_ceil(from.size).saturating_mul(to.size)
}

#[cfg(test)]
mod tests;
