//! Leaves out of a copy what the output's kind cannot hold (`--drop-unsupported`), or names all of it in a refusal.
//!
//! ```text
//! input's schema, selection ─► output_schema ─► kind: what is not held? ─► format: what has no name or type there?
//!          ▲                                         │                          │
//!          └──────── without it, and told ◄──────────┴──────────────────────────┘
//! ```

use super::kind;
use super::output_schema::{self, OutputSchema};
use crate::copy::plan::notices::Notices;
use crate::copy::plan::select::{Selected, Use};
use crate::error::{Alternative, Error, Result};
use crate::format;
use crate::model::{Attributes, DimId, GroupId, Item, Kind, Schema, Type, TypeClass, TypeId};

/// What is left of the input.
pub struct Left {
    /// The input's schema, without attributes that are left out.
    pub input: Schema,
    /// The selection, without variables, groups and types that are left out.
    pub selected: Selected,
    /// True if unlimited dimensions must become fixed.
    pub fixes_unlimited: bool,
}

/// The sort of unlimited dimensions, which become fixed. All other sorts are left out.
const FIXED: &str = "unlimited dimensions";

/// Most times that a refusal looks for further items. Each finds one or more.
const MOST_ROUNDS: usize = 100;

/// Leaves out what a dataset of `kind` cannot hold, and tells it. Unlimited dimensions that the kind does not have become fixed.
///
/// # Errors
/// Names an item that cannot be left out, such as an unlimited dimension of length 0.
pub fn leave_out(
    input: &Schema,
    selected: Selected,
    kind: Kind,
    fixed: bool,
    notices: &mut Notices,
) -> Result<Left> {
    let mut left = Left::new(input, selected, fixed);
    let mut found = Notices::default();
    while left.leave_found(kind, &mut found)? {}
    let kind = kind.name();
    notices.extend(found, |sort| match sort {
        FIXED => format!("the kind '{kind}' does not hold these {sort}, so they are fixed"),
        _ => format!("left out, as the kind '{kind}' cannot hold these {sort}"),
    });
    Ok(left)
}

/// Checks that `kind` can hold the schema of an output, which is made of the selected items of `input`.
///
/// # Errors
/// Tells why the first item that it finds cannot be held, and names all others.
pub fn check(built: &Schema, input: &Schema, selected: &Selected, kind: Kind, fixed: bool) -> Result<()> {
    let refused = kind::check(built, kind).and_then(|()| match format::unheld(built).into_iter().next() {
        Some(error) => Err(error),
        None => Ok(()),
    });
    let Err(error) = refused else { return Ok(()) };
    let mut left = Left::new(input, selected.clone(), fixed);
    let mut found = Notices::default();
    let mut rounds = 0..MOST_ROUNDS;
    while rounds.next().is_some() && left.leave_found(kind, &mut found).unwrap_or(false) {}
    let count = found.count();
    if count < 2 || found.sorts().all(|sort| sort == FIXED) {
        return Err(error);
    }
    let least = if rounds.is_empty() { "at least " } else { "" };
    let named: Vec<String> = found.lines().collect();
    let all = format!("; it cannot hold {least}{count} items: {}", named.join("; "));
    Err(error.map_bare(|mut error| {
        match &mut error {
            Error::NotHeld {
                held_by, all: told, ..
            } => {
                held_by.retain(|other| kind::unheld(built, *other).is_none());
                *told = all;
            }
            Error::Alternative { why, alternative } if *alternative == Alternative::LeavingOut => {
                let items = &all["; it cannot hold ".len()..];
                *why = format!("{why}; the kind '{}' cannot hold {items}", kind.name());
                *alternative = Alternative::LeavingAllOut;
            }
            _ => {}
        }
        error
    }))
}

/// The item that an error is about.
fn item_of(error: &Error) -> Option<Item> {
    match error {
        Error::About { item, .. } => Some(*item),
        Error::Variable { cause, .. } => item_of(cause),
        _ => None,
    }
}

impl Left {
    fn new(input: &Schema, selected: Selected, fixed: bool) -> Self {
        Self {
            input: input.clone(),
            selected,
            fixes_unlimited: fixed,
        }
    }

    /// Leaves out what is found that cannot be held, and adds it to `notices`. Returns false if nothing is found.
    fn leave_found(&mut self, kind: Kind, notices: &mut Notices) -> Result<bool> {
        let built = output_schema::build(
            &self.input,
            &self.selected,
            kind,
            self.fixes_unlimited,
            &mut Notices::default(),
        );
        let mut found = kind::all_unheld(&built.schema, kind);
        if found.is_empty() {
            for error in format::unheld(&built.schema) {
                match item_of(&error) {
                    Some(item) => found.push(item),
                    None => return Err(error),
                }
            }
        }
        if found.is_empty() {
            return Ok(false);
        }
        let mut told = Vec::with_capacity(found.len());
        // Of several attributes in a list, the last goes first, so that the positions of the others stay.
        for item in found.into_iter().rev() {
            let Some(lines) = self.leave(&built, item, kind) else {
                kind::check(&built.schema, kind)?;
                format::check(&built.schema)?;
                return Err(Error::Internal(
                    "an item that is held cannot be left out".to_owned(),
                ));
            };
            told.push(lines);
        }
        for (sort, item) in told.into_iter().rev().flatten() {
            notices.add(sort.to_owned(), item);
        }
        Ok(true)
    }

    /// Leaves out an item of the output's schema. Returns what is left out and its sort, or `None` if that is not possible.
    fn leave(&mut self, built: &OutputSchema, item: Item, kind: Kind) -> Option<Vec<(&'static str, String)>> {
        let schema = &built.schema;
        let typed = |ty: Type| match ty {
            Type::User(id) => schema.user_type(id).name.clone(),
            ty => ty.cdl_name().unwrap_or_default().to_owned(),
        };
        let (sort, told) = match item {
            Item::Variable(id) => {
                self.selected.vars[built.sources[id.0].0.0] = Use::Omit;
                let path = schema.var_path(id);
                ("variables", format!("{path} ({})", typed(schema.var(id).ty)))
            }
            Item::VariableAttribute(id, n) => {
                let var = &mut self.input.vars[built.sources[id.0].0.0];
                let attribute = &schema.var(id).attributes[n];
                var.attributes = without(&var.attributes, n);
                let path = schema.var_path(id);
                let told = format!("{path}:{} ({})", attribute.name, typed(attribute.ty));
                ("attributes", told)
            }
            Item::GroupAttribute(id, n) => {
                let of_input = self.group_of_input(id)?;
                let group = &mut self.input.groups[of_input.0];
                let attribute = &schema.group(id).attributes[n];
                group.attributes = without(&group.attributes, n);
                let told = format!(
                    "{} ({})",
                    schema.path_in(id, &attribute.name),
                    typed(attribute.ty)
                );
                ("attributes", told)
            }
            Item::Group(id) if id != Schema::ROOT => {
                let of_input = self.group_of_input(id)?;
                self.leave_group(of_input);
                ("groups, with all that is in them", schema.group_path(id))
            }
            // Nothing else is of such a type: variables and attributes of it were found before.
            Item::Type(id) if !kind.can().user_types => {
                let name = typed(Type::User(id));
                self.leave_type(built, id);
                ("types", name)
            }
            Item::Dimension(id) if !self.fixes_unlimited && schema.dim(id).unlimited => {
                self.fixes_unlimited = true;
                let unlimited = || schema.dims.iter().filter(|dim| dim.unlimited);
                if unlimited().any(|dim| dim.length == 0) {
                    return None;
                }
                let told = unlimited().map(|dim| (FIXED, schema.path_in(dim.group, &dim.name)));
                return Some(told.collect());
            }
            Item::Dimension(id) if !schema.dim(id).unlimited => {
                let dim = schema.dim(id);
                let told = format!("{} ({})", schema.path_in(dim.group, &dim.name), dim.length);
                self.leave_dimension(id)?;
                ("dimensions, with all variables along them", told)
            }
            _ => return None,
        };
        Some(vec![(sort, told)])
    }

    /// The group of the input that became a group of the output.
    fn group_of_input(&self, id: GroupId) -> Option<GroupId> {
        let kept = (0..self.input.groups.len()).filter(|n| *n == 0 || self.selected.groups[*n]);
        kept.map(GroupId).nth(id.0)
    }

    /// Leaves out the dimension of the input that became dimension `id`, and the variables that have it.
    fn leave_dimension(&mut self, id: DimId) -> Option<()> {
        let is_kept = |n: &usize| {
            let group = self.input.dims[*n].group.0;
            self.selected.dims[*n] && (group == 0 || self.selected.groups[group])
        };
        let of_input = (0..self.input.dims.len()).filter(is_kept).nth(id.0)?;
        self.selected.dims[of_input] = false;
        for (var, used) in self.input.vars.iter().zip(&mut self.selected.vars) {
            if var.dims.contains(&DimId(of_input)) {
                *used = Use::Omit;
            }
        }
        Some(())
    }

    fn leave_group(&mut self, id: GroupId) {
        let mut groups = vec![id];
        while let Some(id) = groups.pop() {
            self.selected.groups[id.0] = false;
            let group = self.input.group(id);
            for var in &group.vars {
                self.selected.vars[var.0] = Use::Omit;
            }
            groups.extend(&group.children);
        }
    }

    /// Leaves out the types of the input that became type `id`, and those that are made of it.
    fn leave_type(&mut self, built: &OutputSchema, id: TypeId) {
        let ty = built.schema.user_type(id);
        let path = built.schema.path_in(ty.group, &ty.name);
        for n in 0..self.input.types.len() {
            let own = &self.input.types[n];
            let is_made_of = |ty: Type| matches!(ty, Type::User(id) if !self.selected.types[id.0]);
            let follows = match &own.class {
                TypeClass::Vlen { base } => is_made_of(*base),
                TypeClass::Compound { fields, .. } => fields.iter().any(|field| is_made_of(field.ty)),
                TypeClass::Enum { .. } | TypeClass::Opaque { .. } => false,
            };
            if follows || self.input.path_in(own.group, &own.name) == path {
                self.selected.types[n] = false;
            }
        }
    }
}

/// Attributes without that at a position.
fn without(all: &Attributes, n: usize) -> Attributes {
    let mut kept = all.clone();
    let mut at = 0..;
    kept.retain(|_| at.next() != Some(n));
    kept
}
