//! [`ChunkShapeRequest`]: the chunk shapes that a copy asks for of variables without chunks, so that its own chunks are contiguous in the input.

use crate::model::{NamePattern, Schema, VarId};

/// Smallest chunk, in bytes, that a subset may ask for. Copying fewer bytes is faster than a reference.
const LEAST: u64 = 128;

/// The chunk shapes that a copy asks for of variables without chunks.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ChunkShapeRequest {
    /// The dimension along which inputs are joined. Chunks have length 1 along it, of variables whose first dimension it is.
    pub joined: Option<String>,
    /// Names or paths of dimensions of which cells are chosen. Chunks have length 1 along them, unless they become too small.
    pub cut: Vec<String>,
    /// Lengths by names or paths of dimensions; `None` for the whole dimension. The last one of a dimension counts.
    pub lengths: Vec<(String, Option<u64>)>,
    /// Shapes by variable. The first one of a variable counts.
    pub shapes: Vec<(NamePattern, Vec<u64>)>,
}

impl ChunkShapeRequest {
    /// The lengths that chunks of a variable should have, the best first, each with the fewest bytes of such a chunk.
    pub(super) fn lengths(
        &self,
        schema: &Schema,
        var: VarId,
        extent: &[u64],
    ) -> Vec<(u64, Vec<Option<u64>>)> {
        let dims = &schema.var(var).dims;
        let free = vec![None; extent.len()];
        if dims.len() != extent.len() {
            return vec![(0, free)];
        }
        let set = |lengths: &mut Vec<Option<u64>>, name: &str, length: Option<u64>| {
            let named = schema.dims_named(name);
            let has = |d: &usize| named.contains(&dims[*d]);
            for d in (0..dims.len()).filter(has) {
                let whole = extent[d];
                lengths[d] = Some(length.unwrap_or(whole).clamp(1, whole));
            }
        };
        let mut joined = free.clone();
        if let (Some(first), Some(name)) = (dims.first(), &self.joined)
            && schema.dim(*first).name == *name
        {
            joined[0] = Some(1);
        }
        let mut asked = joined.clone();
        for (name, length) in &self.lengths {
            set(&mut asked, name, *length);
        }
        let shape = self
            .shapes
            .iter()
            .find(|(name, _)| schema.vars_matching(name).contains(&var));
        if let Some((_, shape)) = shape.filter(|(_, shape)| shape.len() == extent.len()) {
            let whole = shape.iter().zip(extent);
            asked = whole
                .map(|(length, whole)| Some((*length).clamp(1, *whole)))
                .collect();
        }
        let mut cut = free.clone();
        for name in &self.cut {
            set(&mut cut, name, Some(1));
        }
        for (cut, asked) in cut.iter_mut().zip(&asked) {
            *cut = asked.or(*cut);
        }
        let mut all = vec![(LEAST, cut), (0, asked), (0, joined), (0, free)];
        all.dedup_by(|later, before| {
            let same = later.1 == before.1;
            if same {
                before.0 = later.0;
            }
            same
        });
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Attributes, Dimension, Kind, Type, Variable};

    #[test]
    fn what_the_user_asks_for_comes_first() {
        let mut schema = Schema::new(Kind::Netcdf4);
        let dims = ["time", "y", "x"].map(|name| {
            schema.add_dim(Dimension {
                name: name.to_owned(),
                group: Schema::ROOT,
                length: 60,
                unlimited: false,
            })
        });
        let var = schema.add_var(Variable {
            name: "v".to_owned(),
            group: Schema::ROOT,
            ty: Type::Float,
            dims: dims.to_vec(),
            attributes: Attributes::default(),
        });
        let of = |wanted: ChunkShapeRequest| wanted.lengths(&schema, var, &[60, 40, 50]);
        assert_eq!(of(ChunkShapeRequest::default()), [(0, vec![None; 3])]);
        let asked = ChunkShapeRequest {
            joined: Some("time".to_owned()),
            cut: vec!["y".to_owned()],
            lengths: vec![("x".to_owned(), None), ("/time".to_owned(), Some(10))],
            ..ChunkShapeRequest::default()
        };
        let expected = [
            (LEAST, vec![Some(10), Some(1), Some(50)]),
            (0, vec![Some(10), None, Some(50)]),
            (0, vec![Some(1), None, None]),
            (0, vec![None; 3]),
        ];
        assert_eq!(of(asked.clone()), expected);
        let shaped = ChunkShapeRequest {
            shapes: vec![("v".into(), vec![1, 40, 90])],
            cut: Vec::new(),
            ..asked
        };
        assert_eq!(of(shaped)[0], (0, vec![Some(1), Some(40), Some(50)]));
    }
}
