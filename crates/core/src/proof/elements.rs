//! Compares elements: which differ, and by how much.

use std::ops::Range;

use super::canonical::canonical;
use crate::model::{Schema, Type, TypeClass, Values};

/// When two numbers count as equal.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub enum Equality {
    /// Equal values; NaN equals NaN, and zeros are equal.
    #[default]
    Values,
    /// Equal bits.
    Bits,
    /// A difference of at most `absolute`, or at most `relative` times the larger magnitude.
    Within {
        /// In the units of the variable.
        absolute: f64,
        /// A factor.
        relative: f64,
    },
}

/// What differs between two lists of elements.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Difference {
    /// Number of elements that differ.
    pub count: u64,
    /// Position of the first one, in C order, and both values as text.
    pub first: Option<(u64, String, String)>,
    /// The largest difference of numbers.
    pub largest: Option<f64>,
}

impl Difference {
    /// Adds what differs in another part. Of both first elements, the one with the lower position stays.
    pub fn add(&mut self, other: Self) {
        self.count = self.count.saturating_add(other.count);
        if let Some(first) = other.first
            && self.first.as_ref().is_none_or(|mine| first.0 < mine.0)
        {
            self.first = Some(first);
        }
        if let Some(largest) = other.largest {
            self.largest = Some(self.largest.map_or(largest, |mine| mine.max(largest)));
        }
    }

    fn note(&mut self, at: u64, texts: impl FnOnce() -> (String, String), by: Option<f64>) {
        self.count += 1;
        if self.first.is_none() {
            let (a, b) = texts();
            self.first = Some((at, a, b));
        }
        if let Some(by) = by.filter(|by| !by.is_nan()) {
            self.largest = Some(self.largest.map_or(by, |mine| mine.max(by)));
        }
    }
}

/// Compares elements of one type. Each side has its own schema, for user-defined types.
pub fn compare(a: (&Schema, Type, &Values), b: (&Schema, Type, &Values), equality: Equality) -> Difference {
    let mut found = Difference::default();
    let (ty, base) = (a.1, base(a.0, a.1));
    let (x, y) = (&a.2.bytes, &b.2.bytes);
    if !a.0.has_heap(ty) && !b.0.has_heap(b.1) && x == y {
        return found;
    }
    macro_rules! numbers {
        ($number:ty, $integer:expr) => {{
            const SIZE: usize = size_of::<$number>();
            let pairs = x.chunks_exact(SIZE).zip(y.chunks_exact(SIZE)).enumerate();
            for (n, (x, y)) in pairs {
                if x == y {
                    continue;
                }
                let read = |bytes: &[u8]| <$number>::from_le_bytes(bytes.try_into().unwrap_or_default());
                let (x, y) = (read(x), read(y));
                let by = $integer(x, y);
                let (large, small) = ((x as f64).abs(), (y as f64).abs());
                if !counts(x == y, x != x && y != y, by, large.max(small), equality) {
                    continue;
                }
                found.note(n as u64, || (x.to_string(), y.to_string()), Some(by));
            }
        }};
    }
    let float = |x: f64, y: f64| (x - y).abs();
    match base {
        Type::Byte => numbers!(i8, |x: i8, y: i8| f64::from(x.abs_diff(y))),
        Type::Short => numbers!(i16, |x: i16, y: i16| f64::from(x.abs_diff(y))),
        Type::Int => numbers!(i32, |x: i32, y: i32| f64::from(x.abs_diff(y))),
        Type::Int64 => numbers!(i64, |x: i64, y: i64| x.abs_diff(y) as f64),
        Type::UByte => numbers!(u8, |x: u8, y: u8| f64::from(x.abs_diff(y))),
        Type::UShort => numbers!(u16, |x: u16, y: u16| f64::from(x.abs_diff(y))),
        Type::UInt => numbers!(u32, |x: u32, y: u32| f64::from(x.abs_diff(y))),
        Type::UInt64 => numbers!(u64, |x: u64, y: u64| x.abs_diff(y) as f64),
        Type::Float => numbers!(f32, |x: f32, y: f32| float(x.into(), y.into())),
        Type::Double => numbers!(f64, float),
        Type::Char | Type::String | Type::User(_) => {
            let size = |schema: &Schema, ty| schema.type_size(ty).max(1);
            let count = (x.len() / size(a.0, ty)).min(y.len() / size(b.0, b.1));
            for n in 0..count {
                let one = |(schema, ty, values): (&Schema, Type, &Values), range: Range<usize>| {
                    canonical(schema, ty, values, range).into_owned()
                };
                let (x, y) = (one(a, n..n + 1), one(b, n..n + 1));
                if x != y {
                    found.note(n as u64, || (text(ty, &x), text(ty, &y)), None);
                }
            }
        }
    }
    found
}

/// True if two numbers of other bits count as different.
fn counts(same: bool, both_nan: bool, by: f64, magnitude: f64, equality: Equality) -> bool {
    match equality {
        Equality::Bits => true,
        Equality::Values => !same && !both_nan,
        Equality::Within { absolute, relative } => {
            !(same || both_nan || by <= absolute || by <= relative * magnitude)
        }
    }
}

/// The type whose numbers an element is: that of an enum is its base.
fn base(schema: &Schema, ty: Type) -> Type {
    match ty {
        Type::User(id) => match &schema.user_type(id).class {
            TypeClass::Enum { base, .. } => *base,
            _ => ty,
        },
        ty => ty,
    }
}

/// Most bytes of a value that are shown.
const SHOWN: usize = 40;

fn text(ty: Type, canonical: &[u8]) -> String {
    let content = match ty {
        Type::String => canonical.get(8..).unwrap_or_default(),
        _ => canonical,
    };
    let shown = &content[..content.len().min(SHOWN)];
    let more = if shown.len() < content.len() { "…" } else { "" };
    match ty {
        Type::String | Type::Char => format!("{:?}{more}", String::from_utf8_lossy(shown)),
        _ => format!(
            "0x{}{more}",
            shown.iter().map(|b| format!("{b:02x}")).collect::<String>()
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Kind;

    fn floats(a: &[f32], b: &[f32], equality: Equality) -> Difference {
        let schema = Schema::new(Kind::Classic);
        let values = |list: &[f32]| Values::from_bytes(list.iter().flat_map(|x| x.to_le_bytes()).collect());
        compare(
            (&schema, Type::Float, &values(a)),
            (&schema, Type::Float, &values(b)),
            equality,
        )
    }

    #[test]
    fn numbers_are_compared_as_asked() {
        let nan = f32::from_bits(0x7fc0_0001);
        let (a, b) = ([1.0, f32::NAN, 0.0, 100.0], [1.5, nan, -0.0, 101.0]);
        let found = floats(&a, &b, Equality::Values);
        assert_eq!((found.count, found.largest), (2, Some(1.0)));
        assert_eq!(found.first, Some((0, "1".into(), "1.5".into())));
        assert_eq!(floats(&a, &b, Equality::Bits).count, 4);
        let within = |absolute, relative| floats(&a, &b, Equality::Within { absolute, relative }).count;
        assert_eq!((within(0.5, 0.0), within(1.0, 0.0), within(0.0, 0.02)), (1, 0, 1));
    }

    #[test]
    fn strings_are_compared_by_content() {
        let schema = Schema::new(Kind::Netcdf4);
        let a = Values::from_strings([Some(&b"a"[..]), None]);
        let mut b = Values::default();
        b.push_heap(2, b"xx");
        b.push_string(Some(b"a"));
        b.push_string(Some(b""));
        let found = compare(
            (&schema, Type::String, &a),
            (&schema, Type::String, &b),
            Equality::Values,
        );
        assert_eq!(found.count, 0, "NIL is an empty string");
    }
}
