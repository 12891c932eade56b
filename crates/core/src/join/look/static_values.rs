//! Variables that all inputs must share: whether they have the same values.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use sha2::{Digest as _, Sha256};

use super::difference::{Difference, compacted, same_values};
use crate::chunk::element_count;
use crate::error::Result;
use crate::format::{Reader, Region};
use crate::model::{Schema, Type, Values, VarId};

/// Most bytes of a variable that is read in one piece, and kept for the comparison with the next input.
const PIECE: u64 = 1 << 20;

/// Most bytes that are kept.
const KEPT: usize = 32 << 20;

/// Values of the first input, read once for the comparison with all others.
#[derive(Debug, Default)]
pub struct StaticValues {
    kept: Mutex<Kept>,
}

#[derive(Debug, Default)]
struct Kept {
    values: HashMap<VarId, Arc<Values>>,
    bytes: usize,
    /// Digests of what is too large to be kept, by variable and first element. Equal digests mean equal elements.
    digests: HashMap<(VarId, Vec<u64>), Digest>,
}

/// A SHA-256.
type Digest = [u8; 32];

impl StaticValues {
    /// The first element in which the variable `var` of `first` and one of another input differ, whose regions `read_other` reads. Their
    /// types and shapes are the same.
    ///
    /// # Errors
    /// If reading fails.
    pub fn difference(
        &self,
        (first, var, first_name): (&dyn Reader, VarId, &str),
        read_other: impl Fn(&Region) -> Result<Values>,
    ) -> Result<Option<Difference>> {
        let schema = first.schema();
        let shape = schema.shape(var);
        let size = schema.type_size(schema.var(var).ty).max(1);
        let elements = element_count(&shape).unwrap_or(0);
        let most = (PIECE / size as u64).max(1);
        let mut at = 0;
        while at < elements {
            let count = most.min(elements - at);
            for region in Region::range(&shape, at, count) {
                let ty = schema.var(var).ty;
                let their = read_other(&region)?;
                let known = self.digest_of(var, &region);
                if known.is_some_and(|known| known == digest(schema, ty, &their)) {
                    continue;
                }
                let ours = self.values(first, var, &region, &shape);
                let ours = ours.map_err(|error| error.in_file(first_name))?;
                if !same_values(schema, ty, &ours, &their) {
                    return Ok(Some(Difference::of((schema, ty), &region, &ours, &their)));
                }
            }
            at += count;
        }
        Ok(None)
    }

    fn values(&self, first: &dyn Reader, var: VarId, region: &Region, shape: &[u64]) -> Result<Arc<Values>> {
        let read = || {
            let values = first.read_region(var, region);
            values
                .map(Arc::new)
                .map_err(|error| error.in_variable(&first.schema().var_path(var)))
        };
        let is_whole = region.count == shape;
        let Ok(mut kept) = self.kept.lock() else {
            return read();
        };
        if let Some(values) = kept.values.get(&var).filter(|_| is_whole) {
            return Ok(Arc::clone(values));
        }
        let values = read()?;
        let bytes = values.bytes.len() + values.heap.len();
        if is_whole && kept.bytes + bytes <= KEPT {
            kept.bytes += bytes;
            kept.values.insert(var, Arc::clone(&values));
        } else {
            let schema = first.schema();
            let digest = digest(schema, schema.var(var).ty, &values);
            kept.digests.insert((var, region.start.clone()), digest);
        }
        Ok(values)
    }

    fn digest_of(&self, var: VarId, region: &Region) -> Option<Digest> {
        let kept = self.kept.lock().ok()?;
        match kept.digests.is_empty() {
            true => None,
            false => kept.digests.get(&(var, region.start.clone())).copied(),
        }
    }
}

/// A digest of elements. Those with strings or sequences are equal if their digests are, but not always the other way round.
fn digest(schema: &Schema, ty: Type, values: &Values) -> Digest {
    let mut digest = Sha256::new();
    match schema.has_heap(ty) {
        false => digest.update(&values.bytes),
        true => {
            let values = compacted(schema, ty, values);
            digest.update((values.bytes.len() as u64).to_le_bytes());
            digest.update(&values.bytes);
            digest.update(&values.heap);
        }
    }
    digest.finalize().into()
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;
    use crate::format::in_memory::InMemoryReader;
    use crate::format::{Extensions, Written};
    use crate::model::{Dimension, Kind, Variable, VariableLayout};

    /// A dataset that counts how many regions are read of it.
    struct Counted(InMemoryReader, AtomicUsize);

    impl Reader for Counted {
        fn schema(&self) -> &Schema {
            self.0.schema()
        }
        fn layout(&self, var: VarId) -> &VariableLayout {
            self.0.layout(var)
        }
        fn written(&self, var: VarId) -> Result<Written> {
            self.0.written(var)
        }
        fn read_range(&self, var: VarId, offset: u64, buf: &mut [u8]) -> Result<()> {
            self.0.read_range(var, offset, buf)
        }
        fn read_region(&self, var: VarId, region: &Region) -> Result<Values> {
            self.1.fetch_add(1, Ordering::Relaxed);
            self.0.read_region(var, region)
        }
        fn extensions(&self) -> Extensions<'_> {
            Extensions::NONE
        }
    }

    fn dataset(ty: Type, shape: &[u64], values: Values) -> Counted {
        let mut schema = Schema::new(Kind::Netcdf4);
        let dims = shape.iter().enumerate().map(|(n, length)| {
            schema.add_dim(Dimension {
                name: format!("d{n}"),
                group: Schema::ROOT,
                length: *length,
                unlimited: false,
            })
        });
        let dims = dims.collect();
        schema.add_var(Variable {
            name: "v".into(),
            group: Schema::ROOT,
            ty,
            dims,
            attributes: Vec::new().into(),
        });
        Counted(InMemoryReader::new(schema, vec![values]), AtomicUsize::new(0))
    }

    fn difference(values: &StaticValues, first: &Counted, other: &Counted) -> Option<String> {
        let found = values.difference((first, VarId(0), "a.nc"), |region| {
            other.read_region(VarId(0), region)
        });
        found.unwrap().map(|found| found.told("a.nc"))
    }

    #[test]
    fn the_first_element_that_differs_is_told() {
        let ints = |of: [i32; 6]| Values::from_bytes(of.iter().flat_map(|n| n.to_le_bytes()).collect());
        let first = dataset(Type::Int, &[2, 3], ints([0, 1, 2, 3, 4, 5]));
        let same = dataset(Type::Int, &[2, 3], ints([0, 1, 2, 3, 4, 5]));
        let other = dataset(Type::Int, &[2, 3], ints([0, 1, 2, 3, 9, 5]));
        let values = StaticValues::default();
        assert_eq!(difference(&values, &first, &same), None);
        assert_eq!(
            difference(&values, &first, &other).unwrap(),
            "[1,1] is 9, and 4 in a.nc"
        );
        assert_eq!(first.1.load(Ordering::Relaxed), 1, "its values are kept");
        let strings = |of: [&str; 2]| Values::from_strings(of.iter().map(|text| Some(text.as_bytes())));
        let (first, other) = (
            dataset(Type::String, &[2], strings(["a", "b"])),
            dataset(Type::String, &[2], strings(["a", "c"])),
        );
        let told = difference(&StaticValues::default(), &first, &other);
        assert_eq!(told.unwrap(), "[1] is 'c', and 'b' in a.nc");
    }

    #[test]
    fn large_variables_of_the_first_input_are_read_once() {
        let count = 3 * PIECE as usize / 4 + 5;
        let floats = |last: f32| {
            let all = (0..count).map(|n| if n + 1 == count { last } else { n as f32 });
            Values::from_bytes(all.flat_map(f32::to_le_bytes).collect())
        };
        let first = dataset(Type::Float, &[count as u64], floats(1.0));
        let same = dataset(Type::Float, &[count as u64], floats(1.0));
        let values = StaticValues::default();
        for _ in 0..3 {
            assert_eq!(difference(&values, &first, &same), None);
        }
        let read = first.1.load(Ordering::Relaxed);
        assert_eq!(same.1.load(Ordering::Relaxed), 3 * read);
        let other = dataset(Type::Float, &[count as u64], floats(2.0));
        let told = difference(&values, &first, &other).unwrap();
        assert_eq!(told, format!("[{}] is 2, and 1 in a.nc", count - 1));
    }
}
