//! Adds the facts to what was read of the arrays.

use std::collections::HashMap;

use super::super::super::attributes;
use super::super::super::json::Json;
use super::super::super::number::{numbers, push_number};
use super::nczarr_type::nczarr_type;
use super::{dimensions, types};
use crate::model::{
    Attribute, Attributes, FILL_VALUE_ATTRIBUTE, GroupId, Schema, Type, TypeId, Values, VarId, Variable,
    VariableLayout,
};

/// Adds the facts, as [`super::OwnFacts::apply`] does.
pub fn apply(facts: &Json, schema: &mut Schema, layouts: &mut [VariableLayout]) {
    let groups: HashMap<String, GroupId> = (0..schema.groups.len())
        .map(|n| (schema.group_path(GroupId(n)), GroupId(n)))
        .collect();
    let members = |of: &str| facts.get(of).and_then(Json::as_object).unwrap_or_default();
    let of_groups: Vec<(GroupId, &Json)> = members("groups")
        .iter()
        .filter_map(|(path, facts)| Some((*groups.get(path)?, facts)))
        .collect();
    let vars: HashMap<String, VarId> = schema
        .vars
        .iter()
        .enumerate()
        .map(|(n, var)| (schema.path_in(var.group, &var.name), VarId(n)))
        .collect();
    let of_vars: Vec<(VarId, &Json)> = members("variables")
        .iter()
        .filter_map(|(path, facts)| Some((*vars.get(path)?, facts)))
        .collect();

    let told = types::Told::parse(facts.get("types"), &groups);
    let mut own: Vec<Option<TypeId>> = vec![None; schema.vars.len()];
    for (var, facts) in &of_vars {
        let path = facts.get("type").and_then(Json::as_str);
        own[var.0] = path.and_then(|path| told.like(path, schema, schema.var(*var).ty));
    }
    for (group, facts) in &of_groups {
        let attributes = typed(&schema.group(*group).attributes, facts, &told);
        schema.groups[group.0].attributes = attributes;
    }
    // Attributes keep the types told until the types are part of the schema, as they have the same numbers there.
    let mut attributes: Vec<(VarId, Attributes)> = Vec::new();
    for (var, facts) in &of_vars {
        if facts.get("attributes").is_some() {
            attributes.push((*var, typed(&schema.var(*var).attributes, facts, &told)));
        }
    }
    for (var, attributes) in attributes {
        schema.vars[var.0].attributes = attributes;
    }
    told.apply(schema, &own);

    let lists: Vec<(GroupId, &Json)> = of_groups
        .iter()
        .filter_map(|(group, facts)| Some((*group, facts.get("dimensions")?)))
        .collect();
    dimensions::apply(&lists, schema);

    for (group, facts) in &of_groups {
        let names: Vec<&str> = schema
            .group(*group)
            .vars
            .iter()
            .map(|id| &*schema.var(*id).name)
            .collect();
        let order = order(&names, facts.get("variables"));
        let old = schema.group(*group).vars.clone();
        let vars = order.iter().map(|at| old[*at]).collect();
        let old = schema.group(*group).children.clone();
        let names: Vec<&str> = old.iter().map(|id| &*schema.group(*id).name).collect();
        let children = self::order(&names, facts.get("groups"))
            .iter()
            .map(|at| old[*at])
            .collect();
        let group = &mut schema.groups[group.0];
        (group.vars, group.children) = (vars, children);
    }
    for (var, facts) in &of_vars {
        fill(schema, *var, facts, &mut layouts[var.0]);
    }
}

/// The positions of names in the order that is told. Names that are not told come last.
fn order(names: &[&str], told: Option<&Json>) -> Vec<usize> {
    let told = told
        .and_then(Json::as_array)
        .unwrap_or_default()
        .iter()
        .enumerate();
    let mut places: HashMap<&str, usize> = HashMap::new();
    for (n, name) in told {
        if let Some(name) = name.as_str() {
            places.entry(name).or_insert(n);
        }
    }
    let mut positions: Vec<usize> = (0..names.len()).collect();
    positions.sort_by_key(|at| places.get(names[*at]).copied().unwrap_or(usize::MAX));
    positions
}

/// The attributes, with those of user-defined types that are told to be.
fn typed(all: &Attributes, facts: &Json, told: &types::Told) -> Attributes {
    let Some(types) = facts.get("attributes") else {
        return all.clone();
    };
    let types = types.as_object().unwrap_or_default();
    let types: HashMap<&str, &Json> = types.iter().map(|(name, ty)| (&**name, ty)).collect();
    let mut changed = all.clone();
    for attribute in &mut changed {
        let path = types.get(&*attribute.name).and_then(|ty| ty.as_str());
        if let Some(path) = path
            && let Some(integers) = told.integers(path)
            && let Some(bytes) = converted(attribute, integers)
            && let Some(id) = told.enumeration(path, integers)
        {
            attribute.values = Values::from_bytes(bytes);
            attribute.ty = Type::User(id);
        } else if let Some(path) = path
            && told.integers(path).is_none()
            && let Some(json) = all.json(&attribute.name)
            && let Some((ty, length, values)) = told.elements(path, json)
        {
            (attribute.ty, attribute.length, attribute.values) = (ty, length, values);
        }
    }
    changed
}

/// The numbers of an attribute as another type.
fn converted(attribute: &Attribute, to: Type) -> Option<Vec<u8>> {
    if !attribute.ty.is_number() {
        return None;
    }
    let mut bytes = Vec::new();
    let all = numbers(&attribute.values.bytes, attribute.ty);
    all.iter()
        .all(|json| push_number(&mut bytes, json, to))
        .then_some(bytes)
}

/// Adds what is told of a variable's fill value.
fn fill(schema: &mut Schema, var: VarId, facts: &Json, layout: &mut VariableLayout) {
    if facts.get("no_fill").and_then(Json::as_bool) == Some(true) {
        layout.fill.no_fill = true;
    }
    let var = &mut schema.vars[var.0];
    let has_one = var.attributes.iter().any(|a| a.name == FILL_VALUE_ATTRIBUTE);
    let Some(fact) = facts.get(FILL_VALUE_ATTRIBUTE).filter(|_| !has_one) else {
        return;
    };
    if let Some([place, value, ty]) = fact.as_array() {
        let attribute = (|| Some((place.as_u64()?, foreign_value(value, ty.as_str()?)?)))();
        if let Some((place, attribute)) = attribute {
            insert(var, place, attribute);
        }
        return;
    }
    let (place, values) = match fact.as_array() {
        Some([place, value]) => (place.as_u64(), text_value(var.ty, value)),
        _ => (fact.as_u64(), layout.fill.value.clone()),
    };
    let (Some(place), Some(values)) = (place, values) else {
        return;
    };
    let attribute = Attribute {
        name: FILL_VALUE_ATTRIBUTE.to_owned(),
        ty: var.ty,
        length: 1,
        values,
    };
    layout.fill.explicit = true;
    insert(var, place, attribute);
}

/// Inserts an attribute at a position, or behind all others if there are fewer.
fn insert(var: &mut Variable, place: u64, attribute: Attribute) {
    let mut all = var.attributes.to_vec();
    let place = usize::try_from(place).unwrap_or(usize::MAX).min(all.len());
    all.insert(place, attribute);
    var.attributes = all.into();
}

/// A `_FillValue` of another type or length than an element of its variable.
fn foreign_value(value: &Json, ty: &str) -> Option<Attribute> {
    let ty = Type::from_cdl_name(ty)?;
    let types = Json::from_iter([(FILL_VALUE_ATTRIBUTE, nczarr_type(ty))]);
    let member = (FILL_VALUE_ATTRIBUTE.to_owned(), value.clone());
    let mut warnings = Vec::new();
    let found = attributes::read(&[member], Some(&types), None, "", &mut warnings);
    let mut all = found.attributes.into_iter();
    all.next()
        .filter(|attribute| attribute.ty == ty && warnings.is_empty())
}

/// A `_FillValue` of text: the number of a char, or a string.
fn text_value(ty: Type, value: &Json) -> Option<Values> {
    match ty {
        Type::Char => Some(Values::from_bytes(vec![u8::try_from(value.as_u64()?).ok()?])),
        Type::String => Some(Values::from_strings([Some(value.as_str()?.as_bytes())])),
        _ => None,
    }
}
