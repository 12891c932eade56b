//! [`Difference`]: the first element in which two lists of elements differ.

use crate::format::Region;
use crate::model::{SLOT_SIZE, Schema, Type, Values, move_heap};
use crate::subset::value::{Cell, stored};

/// An element that differs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// Its index.
    pub at: Vec<u64>,
    /// The value of each, for a message; `None` if a message cannot show it.
    values: Option<(String, String)>,
}

impl Difference {
    /// The first of the elements of a region that differ.
    pub fn of((schema, ty): (&Schema, Type), region: &Region, ours: &Values, theirs: &Values) -> Self {
        let size = schema.type_size(ty).max(1);
        let element = |values: &Values, n: usize| {
            let end = values.bytes.len().min(n * size + size);
            Values {
                bytes: values.bytes.get(n * size..end).unwrap_or_default().to_vec(),
                heap: values.heap.clone(),
            }
        };
        let count = ours.bytes.len() / size;
        let first = (0..count).find(|n| !same_values(schema, ty, &element(ours, *n), &element(theirs, *n)));
        let n = first.unwrap_or(0);
        let values = shown(ty, &element(ours, n)).zip(shown(ty, &element(theirs, n)));
        let mut at = region.start.clone();
        let mut rest = n as u64;
        for (at, count) in at.iter_mut().zip(&region.count).rev() {
            *at += rest % (*count).max(1);
            rest /= (*count).max(1);
        }
        Self { at, values }
    }

    /// The difference from the input `first`, as a part of a message.
    pub fn told(&self, first: &str) -> String {
        let at = self.at.iter().map(u64::to_string).collect::<Vec<_>>().join(",");
        let at = if at.is_empty() {
            "its value".to_owned()
        } else {
            format!("[{at}]")
        };
        match &self.values {
            Some((ours, theirs)) => format!("{at} is {theirs}, and {ours} in {first}"),
            None => format!("{at} is another value than in {first}"),
        }
    }
}

/// One element, for a message.
fn shown(ty: Type, element: &Values) -> Option<String> {
    match (ty, stored(ty, &element.bytes)) {
        (Type::String, _) => {
            let text = element.string(0).unwrap_or_default();
            Some(format!("'{}'", String::from_utf8_lossy(text).escape_debug()))
        }
        (Type::Char, _) => Some(format!("'{}'", element.bytes.escape_ascii())),
        (_, Some(Cell::Integer(number))) => Some(number.to_string()),
        (_, Some(Cell::Number(number))) => Some(number.to_string()),
        (Type::Float | Type::Double, _) => Some("NaN".to_owned()),
        _ => None,
    }
}

/// True if two lists of elements are the same. Elements with strings or sequences are compared by what they hold.
pub fn same_values(schema: &Schema, ty: Type, a: &Values, b: &Values) -> bool {
    if a.bytes.len() != b.bytes.len() {
        return false;
    }
    match ty {
        Type::String => (0..a.bytes.len())
            .step_by(SLOT_SIZE)
            .all(|at| a.string(at) == b.string(at)),
        Type::User(_) if schema.has_heap(ty) => compacted(schema, ty, a) == compacted(schema, ty, b),
        _ => a.bytes == b.bytes,
    }
}

/// The elements with a heap in the order of the elements, so that equal values have equal bytes.
pub fn compacted(schema: &Schema, ty: Type, values: &Values) -> Values {
    let mut moved = Values::from_bytes(values.bytes.clone());
    let size = schema.type_size(ty).max(1);
    for element in moved.bytes.chunks_exact_mut(size) {
        move_heap(schema, ty, element, &values.heap, &mut moved.heap);
    }
    moved
}
