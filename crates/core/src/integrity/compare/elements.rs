//! Compares elements: which differ, and by how much.

use crate::model::{Field, Schema, Slot, Type, TypeClass, Values, for_number_type};
use crate::print::element_excerpt;

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

/// The difference of two numbers with other bits, and true if they count as different.
macro_rules! number_differs {
    ($number:ty, $x:expr, $y:expr, $equality:expr) => {{
        let read = |bytes: &[u8]| <$number>::from_le_bytes(bytes.try_into().unwrap_or_default());
        let (x, y) = (read($x), read($y));
        let by = x.apart(y);
        let (large, small) = ((x as f64).abs(), (y as f64).abs());
        let both_nan = x != x && y != y;
        (by, counts(x == y, both_nan, by, large.max(small), $equality))
    }};
}

/// The distance of two numbers.
trait Apart {
    fn apart(self, other: Self) -> f64;
}

macro_rules! integers_apart {
    ($($number:ty)*) => {
        $(impl Apart for $number {
            fn apart(self, other: Self) -> f64 {
                self.abs_diff(other) as f64
            }
        })*
    };
}

integers_apart!(i8 i16 i32 i64 u8 u16 u32 u64);

impl Apart for f32 {
    fn apart(self, other: Self) -> f64 {
        f64::from(self).apart(f64::from(other))
    }
}

impl Apart for f64 {
    fn apart(self, other: Self) -> f64 {
        (self - other).abs()
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
    let size = |schema: &Schema, ty| schema.type_size(ty).max(1);
    let sizes = (size(a.0, ty), size(b.0, b.1));
    let texts = |n: usize| {
        let text = |(schema, ty, values): (&Schema, Type, &Values), size| {
            let element = values.bytes.get(n * size..(n + 1) * size).unwrap_or_default();
            match element.len() == size {
                true => element_excerpt(schema, ty, element, values),
                false => String::new(),
            }
        };
        (text(a, sizes.0), text(b, sizes.1))
    };
    macro_rules! numbers {
        ($number:ty) => {{
            const SIZE: usize = size_of::<$number>();
            let pairs = x.chunks_exact(SIZE).zip(y.chunks_exact(SIZE)).enumerate();
            for (n, (x, y)) in pairs {
                if x == y {
                    continue;
                }
                let (by, differ) = number_differs!($number, x, y, equality);
                if differ {
                    found.note(n as u64, || texts(n), Some(by));
                }
            }
        }};
    }
    for_number_type!(base, numbers, numbers, else {
        let pairs = x.chunks_exact(sizes.0).zip(y.chunks_exact(sizes.1)).enumerate();
        let bytes_tell = !a.0.has_heap(ty) && !b.0.has_heap(b.1);
        for (n, (x, y)) in pairs {
            if bytes_tell && x == y {
                continue;
            }
            let mut by = None;
            let one = Element { schema: a.0, ty, bytes: x, values: a.2 };
            let other = Element { schema: b.0, ty: b.1, bytes: y, values: b.2 };
            if one.differs(other, equality, &mut by) {
                found.note(n as u64, || texts(n), by);
            }
        }
    });
    found
}

/// One element, or a member of one.
#[derive(Clone, Copy)]
struct Element<'a> {
    schema: &'a Schema,
    ty: Type,
    bytes: &'a [u8],
    values: &'a Values,
}

impl<'a> Element<'a> {
    /// True if two elements of one structure differ in any number, text or length. `largest` grows to the largest difference
    /// of numbers that differ.
    fn differs(self, other: Self, equality: Equality, largest: &mut Option<f64>) -> bool {
        macro_rules! numbers {
            ($number:ty) => {{
                if self.bytes == other.bytes {
                    return false;
                }
                let (by, differ) = number_differs!($number, self.bytes, other.bytes, equality);
                if differ && !by.is_nan() {
                    *largest = Some(largest.map_or(by, |mine| mine.max(by)));
                }
                differ
            }};
        }
        for_number_type!(base(self.schema, self.ty), numbers, numbers, else {
            match (self.members(), other.members()) {
                (Some(mine), Some(others)) => {
                    let pairs = mine.iter().zip(&others);
                    let differ = pairs.fold(false, |differ, (mine, others)| {
                        mine.differs(*others, equality, largest) || differ
                    });
                    differ || mine.len() != others.len()
                }
                _ => self.text(other.ty) != other.text(self.ty),
            }
        })
    }

    /// The members of a compound or of a sequence; `None` for any other element.
    fn members(self) -> Option<Vec<Self>> {
        let Type::User(id) = self.ty else {
            return None;
        };
        let all = |ty, bytes: &'a [u8]| {
            let size = self.schema.type_size(ty).max(1);
            bytes
                .chunks_exact(size)
                .map(move |bytes| Self { ty, bytes, ..self })
        };
        match &self.schema.user_type(id).class {
            TypeClass::Vlen { base } => {
                let size = self.schema.type_size(*base);
                let content = self.values.slot_content(Slot::read(self.bytes), size);
                Some(all(*base, content.unwrap_or_default()).collect())
            }
            TypeClass::Compound { fields, .. } => {
                let of_field = |field: &'a Field| {
                    let bytes = self.bytes.get(field.offset..).unwrap_or_default();
                    all(field.ty, bytes).take(field.dims.iter().product())
                };
                Some(fields.iter().flat_map(of_field).collect())
            }
            _ => None,
        }
    }

    /// The bytes of text, and of an opaque element. A string without a value is an empty one, and so is a character NUL beside
    /// a string of a format without characters.
    fn text(self, beside: Type) -> &'a [u8] {
        match self.ty {
            Type::Char if beside == Type::String && self.bytes == [0] => &[],
            Type::String => self
                .values
                .slot_content(Slot::read(self.bytes), 1)
                .unwrap_or_default(),
            _ => self.bytes,
        }
    }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Kind, UserType};

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
    fn numbers_in_compounds_and_sequences_are_compared_as_asked() {
        let mut schema = Schema::new(Kind::Netcdf4);
        let mut add = |name: &str, class| {
            Type::User(schema.add_type(UserType {
                name: name.into(),
                group: Schema::ROOT,
                class,
            }))
        };
        let list = add("list", TypeClass::Vlen { base: Type::Float });
        let field = |name: &str, offset, ty, dims: &[usize]| Field {
            name: name.into(),
            offset,
            ty,
            dims: dims.to_vec(),
        };
        let fields = vec![
            field("a", 0, Type::Int, &[]),
            field("b", 8, Type::Double, &[2]),
            field("c", 24, list, &[]),
        ];
        let compound = add("compound", TypeClass::Compound { size: 40, fields });
        // One element: the padding is `pad`, the list has the numbers `c`.
        let values = |a: i32, pad: u8, b: [f64; 2], c: &[f32]| {
            let mut values = Values::default();
            let content: Vec<u8> = c.iter().flat_map(|n| n.to_le_bytes()).collect();
            let slot = values.push_heap(c.len() as u64, &content);
            values.bytes.extend(a.to_le_bytes());
            values.bytes.extend([pad; 4]);
            values.bytes.extend(b.iter().flat_map(|n| n.to_le_bytes()));
            values.bytes.extend(slot.to_bytes());
            values
        };
        let compare = |a: &Values, b: &Values, equality| {
            super::compare((&schema, compound, a), (&schema, compound, b), equality)
        };
        let nan = f64::from_bits(0x7ff8_0000_0000_0001);
        let a = values(1, 0, [f64::NAN, 2.0], &[1.0]);
        let same = values(1, 9, [nan, 2.0], &[1.0]);
        assert_eq!(compare(&a, &same, Equality::Values).count, 0);
        assert_eq!(compare(&a, &same, Equality::Bits).count, 1);
        let near = values(1, 0, [f64::NAN, 2.25], &[1.5]);
        let found = compare(&a, &near, Equality::Values);
        assert_eq!((found.count, found.largest), (1, Some(0.5)));
        assert_eq!(
            found.first,
            Some((0, "{1, {NaN, 2}, {1}}".into(), "{1, {NaN, 2.25}, {1.5}}".into()))
        );
        let within = |absolute| Equality::Within {
            absolute,
            relative: 0.0,
        };
        assert_eq!(compare(&a, &near, within(0.5)).count, 0);
        assert_eq!(compare(&a, &near, within(0.3)).largest, Some(0.5));
        let longer = values(1, 0, [nan, 2.0], &[1.0, 1.0]);
        assert_eq!(compare(&a, &longer, within(9.0)).count, 1);
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
        let letters = Values::from_bytes(b"a\0".to_vec());
        let characters = (&schema, Type::Char, &letters);
        assert_eq!(
            compare(characters, (&schema, Type::String, &b), Equality::Values).count,
            0
        );
        assert_eq!(
            compare((&schema, Type::String, &a), characters, Equality::Values).count,
            0
        );
        let other = Values::from_bytes(b"\0a".to_vec());
        assert_eq!(
            compare(
                (&schema, Type::Char, &other),
                (&schema, Type::String, &a),
                Equality::Values
            )
            .count,
            2
        );
    }
}
