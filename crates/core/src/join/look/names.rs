//! [`NameMap`]: the items of an input, by the paths of the first input's.

use std::collections::HashMap;
use std::sync::Arc;

use crate::model::{Schema, VarId};

/// For each variable of the first input, that of another input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NameMap {
    /// `None` if both have the same variables in the same order, as inputs of one job mostly do.
    vars: Option<Arc<[Option<VarId>]>>,
}

impl NameMap {
    /// The map from `first` to `other`, by paths.
    pub fn new(first: &Schema, other: &Schema) -> Self {
        let groups = |schema: &Schema| -> Vec<_> {
            let group = |g: &crate::model::Group| (g.name.clone(), g.parent);
            schema.groups.iter().map(group).collect()
        };
        let same = first.vars.len() == other.vars.len()
            && groups(first) == groups(other)
            && (first.vars.iter().zip(&other.vars)).all(|(a, b)| (&a.name, a.group) == (&b.name, b.group));
        if same {
            return Self::same();
        }
        let of = |n| (other.var_path(VarId(n)), VarId(n));
        let theirs: HashMap<String, VarId> = (0..other.vars.len()).map(of).collect();
        let vars = (0..first.vars.len()).map(|n| theirs.get(&first.var_path(VarId(n))).copied());
        Self {
            vars: Some(vars.collect()),
        }
    }

    /// The map to an input with the same variables in the same order.
    pub fn same() -> Self {
        Self { vars: None }
    }

    /// A map: for each variable of the first input, that of the other.
    pub fn of(vars: Arc<[Option<VarId>]>) -> Self {
        Self { vars: Some(vars) }
    }

    /// For each variable of the first input, the number of that of the other. `None` if both have the same variables.
    pub fn listed(&self) -> Option<Vec<Option<usize>>> {
        let vars = self.vars.as_ref()?;
        Some(vars.iter().map(|var| var.map(|var| var.0)).collect())
    }

    /// The other input's variable; `None` if it lacks it.
    pub fn var(&self, var: VarId) -> Option<VarId> {
        match &self.vars {
            None => Some(var),
            Some(vars) => vars.get(var.0).copied().flatten(),
        }
    }

    /// Variables of `other` that the first input lacks, by their paths.
    pub fn extra(&self, other: &Schema) -> Vec<String> {
        let Some(vars) = &self.vars else {
            return Vec::new();
        };
        let known: Vec<VarId> = vars.iter().flatten().copied().collect();
        let unknown = (0..other.vars.len())
            .map(VarId)
            .filter(|var| !known.contains(var));
        unknown.map(|var| other.var_path(var)).collect()
    }
}
