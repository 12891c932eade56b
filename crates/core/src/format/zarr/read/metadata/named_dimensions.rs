//! Dimensions that arrays name: made where they are missing, in the array's own group.

use std::collections::{HashMap, HashSet};

use crate::model::{DimId, Dimension, GroupId, MAX_NAME, Schema};

/// The dimensions of each group, by name.
#[derive(Debug, Default)]
pub struct NamedDimensions {
    named: HashMap<(GroupId, String), DimId>,
    /// The lengths that the arrays of a group give to a name.
    lengths: HashMap<(GroupId, String), u64>,
    /// Names that a group's arrays give to dimensions of different lengths.
    clashing: HashSet<(GroupId, String)>,
}

impl NamedDimensions {
    /// Adds a dimension to the schema.
    pub fn add(
        &mut self,
        schema: &mut Schema,
        group: GroupId,
        name: &str,
        length: u64,
        unlimited: bool,
    ) -> DimId {
        let dim = schema.add_dim(Dimension {
            name: name.to_owned(),
            group,
            length,
            // netCDF has no fixed dimension of length 0.
            unlimited: unlimited || length == 0,
        });
        self.named.insert((group, name.to_owned()), dim);
        dim
    }

    /// The dimension of a group with this name.
    pub fn get(&self, group: GroupId, name: &str) -> Option<DimId> {
        self.named.get(&(group, name.to_owned())).copied()
    }

    /// Notes that an array of a group gives this name to a dimension of this length. To be called for all arrays before
    /// [`by_names`](Self::by_names).
    pub fn expect(&mut self, group: GroupId, name: &str, length: u64) {
        let key = (group, name.to_owned());
        if *self.lengths.entry(key.clone()).or_insert(length) != length {
            self.clashing.insert(key);
        }
    }

    /// Checks the names that an array of `group` gives to dimensions of this shape.
    ///
    /// # Errors
    /// Why they cannot be names, as a clause: "gives the name x to dimensions of different lengths".
    pub fn check(
        &self,
        schema: &Schema,
        group: GroupId,
        names: &[Option<&str>],
        shape: &[u64],
    ) -> Result<(), String> {
        for (name, length) in names.iter().zip(shape) {
            let Some(name) = name else { continue };
            if self.clashing.contains(&(group, (*name).to_owned())) {
                return Err(format!(
                    "gives the name {name} to dimensions of different lengths"
                ));
            }
            if name.is_empty() || name.len() > MAX_NAME || name.contains(['/', '\0']) {
                let shown: String = name.chars().take(40).collect();
                return Err(format!("has {shown:?}, which is no name of netCDF's"));
            }
            if self
                .get(group, name)
                .is_some_and(|dim| schema.dim(dim).length != *length)
            {
                return Err(format!("has {name}, which has another length"));
            }
        }
        Ok(())
    }

    /// The dimensions of `group` with these names. They are made where they do not exist. One without a name is of the root
    /// group, and named for its length.
    ///
    /// # Errors
    /// Those of [`check`](Self::check). Nothing is added then.
    pub fn by_names(
        &mut self,
        schema: &mut Schema,
        group: GroupId,
        names: &[Option<&str>],
        shape: &[u64],
    ) -> Result<Vec<DimId>, String> {
        self.check(schema, group, names, shape)?;
        let dim = |(name, length): (&Option<&str>, &u64)| match name {
            Some(name) => self
                .get(group, name)
                .unwrap_or_else(|| self.add(schema, group, name, *length, false)),
            None => self.anonymous(schema, *length),
        };
        Ok(names.iter().zip(shape).map(dim).collect())
    }

    /// The dimension of `group` with this name and length, which is made where it does not exist. `None` if the name is none of
    /// netCDF's, or is that of a dimension of another length.
    pub fn of_length(
        &mut self,
        schema: &mut Schema,
        group: GroupId,
        name: &str,
        length: u64,
    ) -> Option<DimId> {
        match self.get(group, name) {
            Some(dim) => (schema.dim(dim).length == length).then_some(dim),
            None if name.is_empty() || name.len() > MAX_NAME || name.contains(['/', '\0']) => None,
            None => Some(self.add(schema, group, name, length, false)),
        }
    }

    /// A dimension without a name. Arrays share one for each length. Another name is chosen where a dimension of another
    /// length has that of the form `_Anonymous_Dim_5`.
    pub fn anonymous(&mut self, schema: &mut Schema, length: u64) -> DimId {
        let mut name = format!("_Anonymous_Dim_{length}");
        loop {
            match self.get(Schema::ROOT, &name) {
                Some(dim) if schema.dim(dim).length == length => return dim,
                Some(_) => name.push('_'),
                None => return self.add(schema, Schema::ROOT, &name, length, false),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Kind;

    #[test]
    fn a_dimension_without_a_name_takes_none_that_is_used() {
        let mut schema = Schema::new(Kind::Zarr3);
        let mut named = NamedDimensions::default();
        let own = [Some("_Anonymous_Dim_5")];
        let used = named.by_names(&mut schema, Schema::ROOT, &own, &[3]).unwrap();
        let first = named.anonymous(&mut schema, 5);
        assert_ne!(first, used[0]);
        assert_eq!(named.anonymous(&mut schema, 5), first);
        let names: HashSet<&str> = schema.dims.iter().map(|dim| &*dim.name).collect();
        assert_eq!(names.len(), schema.dims.len());
        assert_eq!(schema.dim(first).length, 5);
    }
}
