//! The lists of `nccopy -v -V --exclude -g -G`: which variables are copied, only defined, or left out.

use super::needed::needed;
use crate::copy::plan::request::{CopyOptions, Listed};
use crate::error::{Error, Result};
use crate::model::similar::question;
use crate::model::{DimId, GroupId, NamePattern, Schema, Type, TypeClass, TypeId, VarId};

/// What happens to a variable of the input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Use {
    /// Defined, and its data copied.
    Copy,
    /// Defined without data; reads as fill.
    Define,
    /// Not in the output.
    Omit,
}

/// The variables and groups of the input that the output has.
#[derive(Debug, Clone)]
pub struct Selected {
    /// The use of each variable of the schema.
    pub vars: Vec<Use>,
    /// For each group of the schema, true if it is defined.
    pub groups: Vec<bool>,
    /// For each dimension of the schema, true if it is defined where its group is. All that are in use are.
    pub dims: Vec<bool>,
    /// For each type of the schema, true if it is defined where its group is.
    pub types: Vec<bool>,
    /// Variables that the copied ones need and the input lacks, each with where it is named.
    pub missing: Vec<String>,
}

/// Applies the lists of `options` to the input.
///
/// # Errors
/// [`Error::Usage`] for a name that the input does not have.
pub fn select(input: &Schema, options: &CopyOptions) -> Result<Selected> {
    let mut selected = Selected {
        vars: vec![Use::Copy; input.vars.len()],
        groups: vec![true; input.groups.len()],
        dims: vec![true; input.dims.len()],
        types: vec![true; input.types.len()],
        missing: Vec::new(),
    };
    let named_vars = |names: &[NamePattern]| {
        let means = |name: &NamePattern| input.vars_matching(name).iter().map(|id| id.0).collect();
        let all = input.vars.iter().map(|var| var.name.as_str());
        find(names, "variable", input.vars.len(), means, all)
    };
    if let Some(listed) = &options.variables {
        let wanted = named_vars(&listed.names)?;
        selected.restrict_vars(listed, |var| wanted[var]);
    }
    let mut wanted_groups = None;
    if let Some(listed) = &options.groups {
        let means = |name: &NamePattern| input.groups_matching(name).iter().map(|id| id.0).collect();
        let all = input.groups.iter().map(|group| group.name.as_str());
        let wanted = find(&listed.names, "group", input.groups.len(), means, all)?;
        selected.restrict_vars(listed, |var| wanted[input.vars[var].group.0]);
        wanted_groups = (!listed.define_others).then_some(wanted);
    }
    let left_out = named_vars(&options.excluded)?;
    selected.leave_out(&left_out);
    if options.with_coordinates {
        let needed = needed(input, selected.copied());
        for var in needed.vars {
            selected.vars[var.0] = Use::Copy;
        }
        selected.missing = needed.missing;
        selected.leave_out(&left_out);
    }
    if let Some(wanted) = wanted_groups {
        selected.keep_groups(input, wanted);
    }
    Ok(selected)
}

/// The variables of the input whose data `options` copy.
///
/// # Errors
/// [`Error::Usage`] for a name that the input does not have.
pub fn copied(input: &Schema, options: &CopyOptions) -> Result<Vec<VarId>> {
    Ok(select(input, options)?.copied().collect())
}

impl Selected {
    fn copied(&self) -> impl Iterator<Item = VarId> {
        let vars = self.vars.iter().enumerate();
        vars.filter(|(_, used)| **used == Use::Copy)
            .map(|(n, _)| VarId(n))
    }

    fn leave_out(&mut self, left_out: &[bool]) {
        for (used, _) in self.vars.iter_mut().zip(left_out).filter(|(_, out)| **out) {
            *used = Use::Omit;
        }
    }

    fn restrict_vars(&mut self, listed: &Listed, wanted: impl Fn(usize) -> bool) {
        let other = if listed.define_others {
            Use::Define
        } else {
            Use::Omit
        };
        for (at, used) in self.vars.iter_mut().enumerate() {
            if !wanted(at) && *used != Use::Omit {
                *used = other;
            }
        }
    }

    /// Keeps the wanted groups and those of copied variables, their parents, and every group that defines a dimension or type
    /// that a kept item needs.
    fn keep_groups(&mut self, input: &Schema, mut wanted: Vec<bool>) {
        for var in self.copied() {
            wanted[input.var(var).group.0] = true;
        }
        self.groups.fill(false);
        self.groups[0] = true;
        for (at, _) in wanted.iter().enumerate().filter(|(_, wanted)| **wanted) {
            self.keep_with_parents(input, GroupId(at));
        }
        for dim in self.dims_needed(input) {
            self.keep_with_parents(input, input.dim(dim).group);
        }
        // Types may be used across groups. Keeping a type's group may add attributes that need yet another
        // type.
        loop {
            let before = self.groups.iter().filter(|kept| **kept).count();
            for ty in self.types_needed(input) {
                self.keep_with_parents(input, input.user_type(ty).group);
            }
            if self.groups.iter().filter(|kept| **kept).count() == before {
                return;
            }
        }
    }

    fn keep_with_parents(&mut self, input: &Schema, group: GroupId) {
        for id in input.around(group) {
            self.groups[id.0] = true;
        }
    }

    /// A variable's dimensions may belong to any group.
    fn dims_needed(&self, input: &Schema) -> Vec<DimId> {
        let vars = input.vars.iter().zip(&self.vars);
        vars.filter(|(_, used)| **used != Use::Omit)
            .flat_map(|(var, _)| var.dims.iter().copied())
            .collect()
    }

    fn types_needed(&self, input: &Schema) -> Vec<TypeId> {
        let mut needed = Vec::new();
        let vars = input
            .vars
            .iter()
            .enumerate()
            .filter(|(at, _)| self.vars[*at] != Use::Omit);
        let groups = input.groups.iter().enumerate().filter(|(at, _)| self.groups[*at]);
        needed.extend(vars.flat_map(|(_, v)| v.attributes.iter().map(|a| a.ty).chain([v.ty])));
        needed.extend(
            groups
                .clone()
                .flat_map(|(_, g)| g.attributes.iter().map(|a| a.ty)),
        );
        let kept_types = groups.flat_map(|(_, g)| g.types.iter());
        for ty in kept_types {
            match &input.user_type(*ty).class {
                TypeClass::Vlen { base } => needed.push(*base),
                TypeClass::Compound { fields, .. } => needed.extend(fields.iter().map(|f| f.ty)),
                _ => {}
            }
        }
        needed
            .into_iter()
            .filter_map(|ty| if let Type::User(id) = ty { Some(id) } else { None })
            .collect()
    }
}

/// Marks the items that a list names. `means` returns the positions that a name stands for; `all` are the names that there are.
fn find<'n>(
    names: &[NamePattern],
    what: &str,
    count: usize,
    means: impl Fn(&NamePattern) -> Vec<usize>,
    all: impl Iterator<Item = &'n str> + Clone,
) -> Result<Vec<bool>> {
    let mut wanted = vec![false; count];
    for name in names {
        let found = means(name);
        if found.is_empty() && name.is_glob() && !name.is_all() {
            return Err(Error::Usage(format!(
                "no {what} of the input matches '{}'",
                name.as_str()
            )));
        }
        if found.is_empty() && !name.is_glob() {
            let name = name.as_str();
            let meant = question(name, all.clone());
            return Err(Error::Usage(format!(
                "the input has no {what} named '{name}'{meant}"
            )));
        }
        for at in found {
            wanted[at] = true;
        }
    }
    Ok(wanted)
}
