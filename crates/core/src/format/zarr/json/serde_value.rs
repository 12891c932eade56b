//! Conversion from and to `serde_json::Value`, the form of codecs' configurations.

use serde_json::{Number, Value};

use super::Json;

/// A number that is not finite. `serde_json` cannot hold it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a number that is not finite")]
pub struct NotFinite;

impl TryFrom<&Json> for Value {
    type Error = NotFinite;

    fn try_from(json: &Json) -> Result<Self, NotFinite> {
        Ok(match json {
            Json::Null => Self::Null,
            Json::Bool(value) => Self::Bool(*value),
            Json::Integer(value) => match (i64::try_from(*value), u64::try_from(*value)) {
                (Ok(value), _) => value.into(),
                (_, Ok(value)) => value.into(),
                _ => float(*value as f64)?,
            },
            Json::Float(value) => float(*value)?,
            Json::Word(_) => Self::try_from(&*json.plain())?,
            Json::String(text) => Self::String(text.clone()),
            Json::Array(elements) => {
                Self::Array(elements.iter().map(Self::try_from).collect::<Result<_, _>>()?)
            }
            Json::Object(members) => {
                let members = members
                    .iter()
                    .map(|(key, value)| Ok((key.clone(), Self::try_from(value)?)));
                Self::Object(members.collect::<Result<_, _>>()?)
            }
        })
    }
}

fn float(value: f64) -> Result<Value, NotFinite> {
    Number::from_f64(value).map(Value::Number).ok_or(NotFinite)
}

impl From<&Value> for Json {
    fn from(value: &Value) -> Self {
        match value {
            Value::Null => Self::Null,
            Value::Bool(value) => Self::Bool(*value),
            Value::Number(number) => match (number.as_i64(), number.as_u64()) {
                (Some(value), _) => Self::Integer(value.into()),
                (_, Some(value)) => Self::Integer(value.into()),
                _ => Self::Float(number.as_f64().unwrap_or(f64::NAN)),
            },
            Value::String(text) => Self::String(text.clone()),
            Value::Array(elements) => Self::Array(elements.iter().map(Self::from).collect()),
            Value::Object(members) => members
                .iter()
                .map(|(key, value)| (key.as_str(), Self::from(value)))
                .collect(),
        }
    }
}
