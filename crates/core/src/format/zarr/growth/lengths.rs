//! Lengths of dimensions in netCDF's own members of documents.

use crate::format::zarr::json::Json;

/// The member of an object, to be changed.
pub(super) fn member<'j>(json: &'j mut Json, name: &str) -> Option<&'j mut Json> {
    match json {
        Json::Object(members) => {
            let found = members.iter_mut().find(|(key, _)| key == name);
            found.map(|(_, value)| value)
        }
        _ => None,
    }
}

/// Changes the length of a dimension in the list of a group's dimensions, whatever its form:
///
/// ```text
/// {"time": 10}   {"time": {"size": 10, "unlimited": 1}}   [["time", 10, "unlimited"]]   [{"name": "time", "size": 10}]
/// ```
pub(super) fn change(dimensions: &mut Json, name: &str, length: u64) {
    let new = Json::Integer(length.into());
    match dimensions {
        Json::Object(_) => match member(dimensions, name) {
            Some(told @ Json::Object(_)) => set(told, "size", new),
            Some(told) => *told = new,
            None => {}
        },
        Json::Array(all) => {
            for told in all {
                match told {
                    Json::Array(parts) => {
                        if let [Json::String(known), size, ..] = parts.as_mut_slice()
                            && known == name
                        {
                            *size = new.clone();
                        }
                    }
                    told if told.get("name").and_then(Json::as_str) == Some(name) => {
                        set(told, "size", new.clone());
                    }
                    _ => {}
                }
            }
        }
        _ => {}
    }
}

fn set(json: &mut Json, name: &str, value: Json) {
    if let Some(place) = member(json, name) {
        *place = value;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_forms_of_lists_are_changed() {
        for (before, after) in [
            (r#"{"time": 10, "x": 5}"#, r#"{"time": 12, "x": 5}"#),
            (
                r#"{"time": {"size": 10, "unlimited": 1}}"#,
                r#"{"time": {"size": 12, "unlimited": 1}}"#,
            ),
            (
                r#"[["time",10,"unlimited"],["x",10]]"#,
                r#"[["time",12,"unlimited"],["x",10]]"#,
            ),
            (
                r#"[{"name": "time", "size": 10}]"#,
                r#"[{"name": "time", "size": 12}]"#,
            ),
        ] {
            let mut json = Json::parse(before.as_bytes()).unwrap();
            change(&mut json, "time", 12);
            assert_eq!(json.to_string(), after);
        }
    }
}
