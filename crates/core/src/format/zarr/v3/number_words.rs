//! Words for numbers that are not finite: JSON has no other spelling of them.

use super::super::attributes;
use super::super::json::Json;
use crate::model::{Attribute, Attributes, Type};

/// The members, with numbers for the words of floats in lists that have numbers as well: NaN and infinities have no other
/// spelling in JSON.
pub fn words_as_numbers(members: &[(String, Json)]) -> Vec<(String, Json)> {
    let float = |json: &Json| match json.as_str()? {
        "NaN" => Some(f64::NAN),
        "Infinity" => Some(f64::INFINITY),
        "-Infinity" => Some(f64::NEG_INFINITY),
        _ => None,
    };
    let is_number = |json: &Json| matches!(json, Json::Integer(_) | Json::Float(_) | Json::Word(_));
    let value = |value: &Json| match value {
        Json::Array(list)
            if list.iter().any(is_number)
                && list.iter().all(|json| is_number(json) || float(json).is_some()) =>
        {
            let number = |json: &Json| float(json).map_or_else(|| json.clone(), Json::Float);
            Json::Array(list.iter().map(number).collect())
        }
        other => other.clone(),
    };
    members
        .iter()
        .map(|(name, json)| (name.clone(), value(json)))
        .collect()
}

/// Makes strings of numbers that are not finite.
pub fn name_numbers(json: &mut Json) {
    match json {
        Json::Float(value) if !value.is_finite() => *json = Json::String(json.to_string()),
        Json::Array(elements) => elements.iter_mut().for_each(name_numbers),
        Json::Object(members) => members.iter_mut().for_each(|(_, value)| name_numbers(value)),
        _ => {}
    }
}

/// The JSON that an attribute is written as again. `None` for text that looks like a list of numbers and of words for them, which
/// readers of version 3 take for numbers.
pub fn kept_json(all: &Attributes, attribute: &Attribute) -> Option<Json> {
    let json = attributes::kept_json(all, attribute)?;
    let member = [(String::new(), json.clone())];
    (attribute.ty != Type::Char || words_as_numbers(&member) == member).then_some(json)
}
