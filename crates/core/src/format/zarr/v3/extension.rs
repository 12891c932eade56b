//! An extension point of `zarr.json`: a name with a configuration.
//!
//! ```text
//! {"name": "gzip", "configuration": {"level": 5}}        "gzip" alone stands for {"name": "gzip"}
//! ```
//!
//! Zarr version 3.1, "Extension definition".

use super::super::json::Json;

/// A name with a configuration.
#[derive(Debug, Clone, PartialEq)]
pub struct Extension {
    /// The name.
    pub name: String,
    /// The members of its configuration; none if it has no configuration.
    pub configuration: Vec<(String, Json)>,
}

impl Extension {
    /// An extension without a configuration.
    pub fn new(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            configuration: Vec::new(),
        }
    }

    /// Adds a member to the configuration.
    #[must_use]
    pub fn with(mut self, member: &str, value: impl Into<Json>) -> Self {
        self.configuration.push((member.to_owned(), value.into()));
        self
    }

    /// Parses an extension: an object, or a name alone.
    ///
    /// # Errors
    /// What is wrong, as a clause: "has no name".
    pub fn parse(json: &Json) -> Result<Self, String> {
        if let Some(name) = json.as_str() {
            return Ok(Self::new(name));
        }
        let members = json
            .as_object()
            .ok_or_else(|| format!("is {}, not a name or an object", json.sort()))?;
        let name = json
            .get("name")
            .and_then(Json::as_str)
            .ok_or("has no name")?
            .to_owned();
        for (member, _) in members {
            if !matches!(&**member, "name" | "configuration" | "must_understand") {
                return Err(format!("is named {name} and has the unknown member {member}"));
            }
        }
        let configuration = match json.get("configuration") {
            None => Vec::new(),
            Some(Json::Object(members)) => members.clone(),
            Some(other) => {
                return Err(format!(
                    "is named {name} and has a configuration that is {}, not an object",
                    other.sort()
                ));
            }
        };
        Ok(Self { name, configuration })
    }

    /// A member of the configuration.
    pub fn get(&self, member: &str) -> Option<&Json> {
        let (_, value) = self.configuration.iter().find(|(name, _)| name == member)?;
        Some(value)
    }

    /// The object. Some programs refuse a name alone.
    pub fn to_json(&self) -> Json {
        let mut members = vec![("name".to_owned(), Json::String(self.name.clone()))];
        if !self.configuration.is_empty() {
            members.push((
                "configuration".to_owned(),
                Json::Object(self.configuration.clone()),
            ));
        }
        Json::Object(members)
    }
}

/// A list of lengths: the member `name` of a document or of a configuration.
///
/// # Errors
/// What is wrong, as a clause that names the member.
pub fn lengths(json: Option<&Json>, name: &str) -> Result<Vec<u64>, String> {
    let json = json.ok_or_else(|| format!("lacks the member {name}"))?;
    let list = json
        .as_array()
        .and_then(|list| list.iter().map(Json::as_u64).collect::<Option<Vec<_>>>());
    list.ok_or_else(|| format!("has a member {name} that is no list of lengths"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Extension, String> {
        Extension::parse(&Json::parse(text.as_bytes()).unwrap())
    }

    #[test]
    fn names_and_objects() {
        let gzip = Extension::new("gzip").with("level", 5u64);
        for text in [
            r#"{"name": "gzip", "configuration": {"level": 5}}"#,
            r#"{"configuration": {"level": 5}, "must_understand": true, "name": "gzip"}"#,
        ] {
            assert_eq!(parse(text).unwrap(), gzip);
        }
        assert_eq!(Extension::parse(&gzip.to_json()).unwrap(), gzip);
        for text in [
            r#""bytes""#,
            r#"{"name": "bytes"}"#,
            r#"{"name": "bytes", "configuration": {}}"#,
        ] {
            assert_eq!(parse(text).unwrap(), Extension::new("bytes"));
        }
        assert_eq!(
            Extension::new("bytes").to_json().to_string(),
            r#"{"name": "bytes"}"#
        );
    }

    #[test]
    fn what_is_no_extension() {
        for (text, why) in [
            ("5", "is an integer, not a name or an object"),
            ("{}", "has no name"),
            (r#"{"name": 1}"#, "has no name"),
            (
                r#"{"name": "x", "configuration": []}"#,
                "is named x and has a configuration that is an array",
            ),
            (
                r#"{"name": "x", "zork": 1}"#,
                "is named x and has the unknown member zork",
            ),
        ] {
            let error = parse(text).unwrap_err();
            assert!(error.starts_with(why), "{error}");
        }
    }
}
