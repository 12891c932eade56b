//! The output's file kind, and the check that this kind can hold the dataset.

use std::collections::HashSet;
use std::ops::ControlFlow;

use crate::copy::plan::request::CopyOptions;
use crate::error::{Error, Request, Result};
use crate::model::{
    Attribute, Capabilities, DimId, GroupId, Item, Kind, Schema, Type, TypeClass, TypeId,
    UnlimitedDimensions, VarId,
};

/// The kind of the output: the requested one, else one that the other options need, else the input's.
///
/// # Errors
/// [`Error::NotHeld`] if filters are requested for a kind that has none. A program that does not read the kind.
pub fn output_kind(input: &Schema, options: &CopyOptions) -> Result<Kind> {
    if let Some(kind) = options.kind {
        match options.shards_as_hdf5 {
            true => options.limits.check_sides(kind, &[kind, Kind::Netcdf4])?,
            false => options.limits.check_kind(kind)?,
        }
        return refuse_filters(kind, options);
    }
    let usual = unasked_kind(input, options);
    let (filters, chunks) = (has_filters(options), !options.chunking.is_empty());
    options.limits.kind_of_file(usual, |kind, can| {
        (can.codecs.is_some() || !filters) && (can.chunks || !chunks) && check(input, kind).is_ok()
    })
}

/// The kind of the output where nobody says which programs are to read it.
fn unasked_kind(input: &Schema, options: &CopyOptions) -> Kind {
    let can = input.kind.can();
    if (can.codecs.is_some() || !has_filters(options)) && (can.chunks || options.chunking.is_empty()) {
        return input.kind;
    }
    // CDF-5 has types that the classic model lacks; a dataset that uses them needs the whole of netCDF-4.
    let classic = options.filters.is_empty() && check(input, Kind::Netcdf4Classic).is_ok();
    if classic {
        Kind::Netcdf4Classic
    } else {
        Kind::Netcdf4
    }
}

fn has_filters(options: &CopyOptions) -> bool {
    !options.filters.is_empty() || options.deflate.is_some() || options.shuffle
}

fn refuse_filters(kind: Kind, options: &CopyOptions) -> Result<Kind> {
    if kind.can().codecs.is_some() {
        return Ok(kind);
    }
    let (request, what) = if options.filters.iter().any(|f| !f.pipeline.is_empty()) {
        (Request::Filters, "filters are asked for")
    } else if options.deflate.is_some_and(|level| level > 0) {
        (Request::Deflate, "compression is asked for")
    } else {
        return Ok(kind);
    };
    Err(Error::NotHeld {
        request: Some(request),
        what: what.to_owned(),
        kind,
        held_by: instead_of(kind, |can| can.codecs.is_some()),
        held_as: None,
        all: String::new(),
    })
}

/// The kinds of this crate that can do what `kind` cannot. Whoever asked for a kind with chunks is not told to do without.
fn instead_of(kind: Kind, does: impl Fn(&Capabilities) -> bool) -> Vec<Kind> {
    let fits = |can: &Capabilities| does(can) && (can.chunks || !kind.can().chunks);
    Kind::OF_FILES
        .into_iter()
        .filter(|other| fits(other.can()))
        .collect()
}

/// Something of a dataset that a kind cannot hold.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Unheld {
    /// Why it cannot be held, as a clause: "variable v is of type string".
    pub what: String,
    /// The item.
    pub item: Item,
    /// What a copy can be asked to make of it, so that the kind holds it.
    pub held_as: Option<Request>,
    /// The kind that cannot hold it.
    kind: Kind,
    /// The kinds that hold it, in the order of [`Kind::OF_FILES`].
    pub held_by: Vec<Kind>,
}

impl Unheld {
    /// An item that `kind` does not hold, and that kinds hold of which `is_held` is true.
    pub fn new(kind: Kind, item: Item, what: String, is_held: impl Fn(&Capabilities) -> bool) -> Self {
        Self {
            what,
            item,
            held_as: None,
            kind,
            held_by: instead_of(kind, is_held),
        }
    }

    /// The error that says so, for who makes a dataset and does not copy one.
    pub fn error(&self) -> Error {
        let held_as = None;
        Self {
            held_as,
            ..self.clone()
        }
        .into_error()
    }

    fn into_error(self) -> Error {
        Error::NotHeld {
            request: None,
            what: self.what,
            kind: self.kind,
            held_by: self.held_by,
            held_as: self.held_as,
            all: String::new(),
        }
        .about(self.item)
    }
}

/// Checks that `kind` can hold `schema`.
///
/// # Errors
/// [`Error::NotHeld`], which names the first item that `kind` cannot hold.
pub fn check(schema: &Schema, kind: Kind) -> Result<()> {
    match unheld(schema, kind) {
        None => Ok(()),
        Some(found) => Err(found.into_error()),
    }
}

/// The first item of `schema` that `kind` cannot hold. Unlimited dimensions are not such items where they
/// [become fixed](Capabilities::fixes_unlimited).
pub fn unheld(schema: &Schema, kind: Kind) -> Option<Unheld> {
    let can = kind.can();
    if let (Some(group), false) = (schema.groups[0].children.first(), can.groups) {
        let what = format!("{} is a group", schema.group_path(*group));
        return Some(Unheld {
            held_as: Some(Request::FlatGroups),
            ..Unheld::new(kind, Item::Group(*group), what, |can| can.groups)
        });
    }
    types(schema, kind)
        .or_else(|| unused_type(schema, kind))
        .or_else(|| unlimited(schema, kind))
}

/// The first user-defined type, if `kind` has none. Called where no variable and no attribute has such a type.
fn unused_type(schema: &Schema, kind: Kind) -> Option<Unheld> {
    let of_fields = opaque_fields(schema, kind.can());
    let (n, ty) =
        schema.types.iter().enumerate().find(|(n, _)| {
            !holds_type(schema, kind.can(), Type::User(TypeId(*n))) && !of_fields.contains(n)
        })?;
    let what = format!("{} is a user-defined type", ty.name);
    Some(Unheld::new(kind, Item::Type(TypeId(n)), what, |can| {
        can.user_types
    }))
}

/// Most fields of a compound of fixed size, at any depth, in a kind without user-defined types.
const MOST_FIELDS: usize = 10_000;

/// The opaque types of fields of compounds that are held.
fn opaque_fields(schema: &Schema, can: &Capabilities) -> HashSet<usize> {
    let mut found = HashSet::new();
    for (n, ty) in schema.types.iter().enumerate() {
        if let TypeClass::Compound { fields, .. } = &ty.class
            && can.plain_compounds
            && holds_type(schema, can, Type::User(TypeId(n)))
        {
            found.extend(fields.iter().filter_map(|field| match field.ty {
                Type::User(id) => Some(id.0),
                _ => None,
            }));
        }
    }
    found
}

/// True if variables can have a type, but for types of varying length.
fn holds_type(schema: &Schema, can: &Capabilities, ty: Type) -> bool {
    match ty {
        Type::User(id) if can.booleans_and_complex => {
            let user = schema.user_type(id);
            let is_list = can.lists_of_numbers && user.is_list_of_numbers();
            let is_compound = can.plain_compounds && schema.is_plain_compound(ty, MOST_FIELDS);
            can.user_types || is_list || is_compound || user.is_boolean() || user.complex_part().is_some()
        }
        ty => can.holds(ty),
    }
}

/// The first variable or attribute of a type that `kind` does not have.
fn types(schema: &Schema, kind: Kind) -> Option<Unheld> {
    let mut first = None;
    each_of_other_type(schema, kind, &mut |found| {
        first = Some(found);
        ControlFlow::Break(())
    });
    first
}

/// All items of `schema` that `kind` cannot hold and that can be left out, in the order of the schema, attributes of a list by
/// position. Dimensions come alone, when nothing else is left.
pub fn all_unheld(schema: &Schema, kind: Kind) -> Vec<Item> {
    let mut items: Vec<Item> = match kind.can().groups {
        true => Vec::new(),
        false => schema.groups[0]
            .children
            .iter()
            .map(|id| Item::Group(*id))
            .collect(),
    };
    if items.is_empty() {
        each_of_other_type(schema, kind, &mut |found| {
            items.push(found.item);
            ControlFlow::Continue(())
        });
    }
    if items.is_empty() {
        let other = unused_type(schema, kind).or_else(|| unlimited(schema, kind));
        items.extend(other.map(|found| found.item));
    }
    items
}

/// Gives `each` the variables and attributes of types that `kind` does not have, until it breaks.
fn each_of_other_type(schema: &Schema, kind: Kind, each: &mut dyn FnMut(Unheld) -> ControlFlow<()>) {
    let _ = try_each_of_other_type(schema, kind, each);
}

fn try_each_of_other_type(
    schema: &Schema,
    kind: Kind,
    each: &mut dyn FnMut(Unheld) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let can = kind.can();
    let holds = |can: &Capabilities, ty: Type| {
        let is_heap = matches!(ty, Type::User(_)) && schema.has_heap(ty);
        holds_type(schema, can, ty) && (can.types_with_heap || !is_heap)
    };
    let holds_variable = |can: &Capabilities, ty: Type| {
        let is_list = matches!(ty, Type::User(id) if schema.user_type(id).is_list_of_numbers());
        holds(can, ty) || can.lists_of_numbers && is_list
    };
    let holds_attribute = |can: &Capabilities, ty: Type| {
        let is_complex = matches!(ty, Type::User(_)) && !schema.is_boolean(ty);
        match can.user_types {
            true => holds_variable(can, ty),
            false => holds(can, ty) && !is_complex,
        }
    };
    let cannot = |item: Item, subject: String, ty: Type| {
        let what = match ty {
            Type::User(id) if can.user_types => {
                let name = &schema.user_type(id).name;
                format!("{subject} is of type {name}, whose values vary in length")
            }
            Type::User(id) => format!(
                "{subject} is of the user-defined type {}",
                schema.user_type(id).name
            ),
            ty => format!("{subject} is of type {}", ty.cdl_name().unwrap_or_default()),
        };
        Unheld {
            held_as: (ty == Type::String).then_some(Request::CharStrings),
            ..Unheld::new(kind, item, what, |can| holds(can, ty))
        }
    };
    let bad_attributes = |list: &'_ [Attribute]| -> Vec<usize> {
        let bad = list
            .iter()
            .enumerate()
            .filter(|(_, a)| !holds_attribute(can, a.ty));
        bad.map(|(n, _)| n).collect()
    };
    for (id, group) in schema.groups.iter().enumerate() {
        for n in bad_attributes(&group.attributes) {
            let attribute = &group.attributes[n];
            let subject = match id {
                0 => format!("the global attribute {}", attribute.name),
                _ => format!("attribute {}", schema.path_in(GroupId(id), &attribute.name)),
            };
            each(cannot(
                Item::GroupAttribute(GroupId(id), n),
                subject,
                attribute.ty,
            ))?;
        }
    }
    for (id, var) in schema.vars.iter().enumerate().map(|(n, var)| (VarId(n), var)) {
        if !holds_variable(can, var.ty) {
            let subject = format!("variable {}", schema.var_path(id));
            each(cannot(Item::Variable(id), subject, var.ty))?;
            continue;
        }
        for n in bad_attributes(&var.attributes) {
            let attribute = &var.attributes[n];
            let subject = format!("attribute {}:{}", var.name, attribute.name);
            each(cannot(Item::VariableAttribute(id, n), subject, attribute.ty))?;
        }
    }
    ControlFlow::Continue(())
}

/// The first unlimited dimension that `kind` does not have, or the first variable where one stands in a place in which `kind` does
/// not have it.
fn unlimited(schema: &Schema, kind: Kind) -> Option<Unheld> {
    let allowed = kind.can().unlimited;
    let cannot = |item: Item, what: String, held_by: &[UnlimitedDimensions]| {
        Some(Unheld {
            held_as: Some(Request::FixedDimensions),
            ..Unheld::new(kind, item, what, |can| held_by.contains(&can.unlimited))
        })
    };
    let any = UnlimitedDimensions::Any;
    if allowed == any || kind.can().fixes_unlimited() {
        return None;
    }
    let mut all = schema.dims.iter().enumerate().filter(|(_, d)| d.unlimited);
    let (id, first) = all.next()?;
    if let Some((id, second)) = all.next() {
        let what = format!(
            "there is more than one unlimited dimension, {} and {}",
            first.name, second.name
        );
        return cannot(Item::Dimension(DimId(id)), what, &[any]);
    }
    let one = UnlimitedDimensions::One;
    let later = schema.vars.iter().enumerate().find_map(|(n, var)| {
        let dim = var.dims.iter().skip(1).find(|d| schema.dim(**d).unlimited)?;
        Some((VarId(n), &var.name, &schema.dim(*dim).name))
    });
    match (allowed, later) {
        (UnlimitedDimensions::None, later) => {
            let what = format!("the dimension {} is unlimited", first.name);
            let item = Item::Dimension(DimId(id));
            match later {
                None => cannot(item, what, &[UnlimitedDimensions::OneAsFirst, one, any]),
                Some(_) => cannot(item, what, &[one, any]),
            }
        }
        (UnlimitedDimensions::OneAsFirst, Some((id, var, dim))) => {
            let what =
                format!("variable {var} has the unlimited dimension {dim} in a place other than the first");
            cannot(Item::Variable(id), what, &[one, any])
        }
        _ => None,
    }
}
