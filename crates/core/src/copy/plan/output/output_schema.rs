//! The output's schema: the selected items of the input, renumbered.

use crate::copy::plan::notices::Notices;
use crate::copy::plan::select::{Selected, Use};
use crate::model::{
    Attribute, Attributes, DimId, GroupId, Kind, Schema, Type, TypeClass, UserType, VarId, Variable,
};

/// The output's schema, and the source of each of its variables.
#[derive(Debug)]
pub struct OutputSchema {
    /// The schema of the output.
    pub schema: Schema,
    /// For each variable of the output: the input's variable, and how it is used.
    pub sources: Vec<(VarId, Use)>,
}

/// Builds the schema of a copy of kind `kind`. With `fix_unlimited`, every dimension is fixed at its present
/// length. Booleans become bytes where the kind has none, and `notices` tell it.
pub fn build(
    input: &Schema,
    selected: &Selected,
    kind: Kind,
    fix_unlimited: bool,
    notices: &mut Notices,
) -> OutputSchema {
    let mut schema = Schema::new(kind);
    let mut ids = Renumbering {
        groups: vec![None; input.groups.len()],
        dims: vec![None; input.dims.len()],
        types: vec![None; input.types.len()],
    };
    ids.groups[0] = Some(Schema::ROOT);
    for (at, group) in input.groups.iter().enumerate().skip(1) {
        let parent = group.parent.and_then(|p| ids.groups[p.0]);
        if let (true, Some(parent)) = (selected.groups[at], parent) {
            ids.groups[at] = Some(schema.add_group(parent, group.name.clone()));
        }
    }
    for (at, dim) in input.dims.iter().enumerate() {
        if let (Some(group), true) = (ids.groups[dim.group.0], selected.dims[at]) {
            let mut dim = dim.clone();
            dim.group = group;
            dim.unlimited &= !fix_unlimited;
            ids.dims[at] = Some(schema.add_dim(dim));
        }
    }
    let can = kind.can();
    let has_booleans = can.user_types || can.booleans_and_complex;
    for (at, ty) in input.types.iter().enumerate() {
        if ty.is_boolean() && !has_booleans {
            ids.types[at] = Some(Type::Byte);
            continue;
        }
        if let (Some(group), true) = (ids.groups[ty.group.0], selected.types[at]) {
            let class = ids.class(&ty.class);
            ids.types[at] = Some(Type::User(schema.add_type(UserType {
                name: ty.name.clone(),
                group,
                class,
            })));
        }
    }
    let mut sources = Vec::with_capacity(input.vars.len());
    schema
        .vars
        .reserve_exact(selected.vars.iter().filter(|used| **used != Use::Omit).count());
    for (at, var) in input.vars.iter().enumerate() {
        let used = selected.vars[at];
        if let (true, Some(group)) = (used != Use::Omit, ids.groups[var.group.0]) {
            schema.add_var(Variable {
                name: var.name.clone(),
                group,
                ty: ids.ty(var.ty),
                dims: var.dims.iter().map(|d| ids.dim(*d)).collect(),
                attributes: ids.attributes(&var.attributes),
            });
            sources.push((VarId(at), used));
        }
    }
    for (at, group) in input.groups.iter().enumerate() {
        if let Some(id) = ids.groups[at] {
            schema.groups[id.0].attributes = ids.attributes(&group.attributes);
        }
    }
    if !has_booleans {
        tell_booleans(input, &sources, kind, notices);
    }
    restore_order(input, &mut schema, &ids, &sources);
    OutputSchema { schema, sources }
}

/// Tells the variables and attributes whose booleans become bytes.
fn tell_booleans(input: &Schema, sources: &[(VarId, Use)], kind: Kind, notices: &mut Notices) {
    let mut tell = |item: String| {
        notices.add(
            format!("{} has no booleans, so they become bytes, 0 and 1", kind.name()),
            item,
        );
    };
    let booleans = |all: &[Attribute]| -> Vec<String> {
        let all = all.iter().filter(|attribute| input.is_boolean(attribute.ty));
        all.map(|attribute| attribute.name.clone()).collect()
    };
    for (source, _) in sources {
        let (var, path) = (input.var(*source), input.var_path(*source));
        if input.is_boolean(var.ty) {
            tell(path.clone());
        }
        booleans(&var.attributes)
            .iter()
            .for_each(|name| tell(format!("{path}:{name}")));
    }
    for (n, group) in input.groups.iter().enumerate() {
        booleans(&group.attributes)
            .iter()
            .for_each(|name| tell(input.path_in(GroupId(n), name)));
    }
}

/// Restores the order of each group's lists in the input, which may differ from the order of the flat lists.
fn restore_order(input: &Schema, schema: &mut Schema, ids: &Renumbering, sources: &[(VarId, Use)]) {
    let mut new_vars = vec![None; input.vars.len()];
    for (at, (source, _)) in sources.iter().enumerate() {
        new_vars[source.0] = Some(VarId(at));
    }
    for (at, group) in input.groups.iter().enumerate() {
        if let Some(id) = ids.groups[at] {
            let new = &mut schema.groups[id.0];
            new.children = group.children.iter().filter_map(|c| ids.groups[c.0]).collect();
            new.dims = group.dims.iter().filter_map(|d| ids.dims[d.0]).collect();
            let types = group.types.iter().filter_map(|t| ids.types[t.0]);
            new.types = types
                .filter_map(|ty| match ty {
                    Type::User(id) => Some(id),
                    _ => None,
                })
                .collect();
            new.vars = group.vars.iter().filter_map(|v| new_vars[v.0]).collect();
        }
    }
}

/// Maps old ids to new ones; `None` for an item that is left out.
struct Renumbering {
    groups: Vec<Option<GroupId>>,
    dims: Vec<Option<DimId>>,
    types: Vec<Option<Type>>,
}

impl Renumbering {
    fn dim(&self, old: DimId) -> DimId {
        self.dims[old.0].expect("dimensions in use and their groups are kept")
    }

    fn ty(&self, old: Type) -> Type {
        match old {
            Type::User(id) => self.types[id.0].expect("groups of the types in use are kept"),
            atomic => atomic,
        }
    }

    fn class(&self, old: &TypeClass) -> TypeClass {
        let mut class = old.clone();
        match &mut class {
            TypeClass::Vlen { base } => *base = self.ty(*base),
            TypeClass::Compound { fields, .. } => fields.iter_mut().for_each(|f| f.ty = self.ty(f.ty)),
            TypeClass::Enum { .. } | TypeClass::Opaque { .. } => {}
        }
        class
    }

    fn attributes(&self, old: &Attributes) -> Attributes {
        if old.iter().all(|a| self.ty(a.ty) == a.ty) {
            return old.clone();
        }
        let mut new = old.clone();
        for attribute in &mut new {
            attribute.ty = self.ty(attribute.ty);
        }
        new
    }
}
