//! Attributes that warnings name.

use super::kept_json::is_rounded;
use crate::model::{Attribute, Attributes, GroupId, Schema};

/// The warning about attributes whose whole numbers were rounded, where their JSON is not written again.
pub fn rounded_numbers(schema: &Schema) -> Option<String> {
    let rounded = each_attribute(schema, is_rounded);
    (!rounded.is_empty()).then(|| {
        format!(
            "whole numbers of more than 64 bits are rounded to double in attributes: {}",
            rounded.join(", ")
        )
    })
}

/// The attributes for which `is_bad` holds, as messages name them.
pub fn each_attribute(schema: &Schema, is_bad: impl Fn(&Attributes, &Attribute) -> bool) -> Vec<String> {
    let groups = schema.groups.iter().enumerate();
    let of_groups = groups.flat_map(|(n, group)| {
        let bad = group
            .attributes
            .iter()
            .filter(|attribute| is_bad(&group.attributes, attribute));
        let name = |attribute: &Attribute| schema.path_in(GroupId(n), &attribute.name);
        bad.map(name).collect::<Vec<_>>()
    });
    let of_vars = schema.vars.iter().flat_map(|var| {
        let bad = var
            .attributes
            .iter()
            .filter(|attribute| is_bad(&var.attributes, attribute));
        let name = |attribute: &Attribute| format!("{}:{}", var.name, attribute.name);
        bad.map(name).collect::<Vec<_>>()
    });
    of_groups.chain(of_vars).collect()
}
