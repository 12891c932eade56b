//! `.zarray`: shape, chunks, element, fill value and codecs of an array.
//!
//! Zarr version 2, "Arrays, Metadata".

use crate::filter::ELEMENT_CODECS;
use crate::format::zarr::json::Json;
use crate::format::zarr::transposition::TRANSPOSE;
use crate::model::KeySeparator as Separator;
use crate::model::{CodecSpec, Configuration, ZarrVersion};

/// The metadata of an array.
#[derive(Debug)]
pub struct ArrayMetadata {
    /// Lengths of the dimensions.
    pub shape: Vec<u64>,
    /// Shape of a chunk.
    pub chunks: Vec<u64>,
    /// The type of the elements, as written.
    pub dtype: Json,
    /// The fill value; `None` where it is `null` or missing.
    pub fill_value: Option<Json>,
    /// The codecs of a chunk, in the order in which writing applies them. Order F is the first of them.
    pub codecs: Vec<CodecSpec>,
    /// The first codec, if it makes bytes of objects or numbers of strings. It is not among the codecs.
    pub element_codec: Option<CodecSpec>,
    /// The character between a chunk's coordinates; `None` if the metadata does not tell.
    pub separator: Option<Separator>,
}

impl ArrayMetadata {
    /// Parses the document.
    ///
    /// # Errors
    /// What is missing or wrong, as a clause that names the member.
    pub fn parse(document: &Json) -> Result<Self, String> {
        let member = |name: &str| {
            document
                .get(name)
                .ok_or_else(|| format!("lacks the member {name}"))
        };
        match member("zarr_format")?.as_u64() {
            Some(2) => {}
            _ => return Err("has another zarr_format than 2".to_owned()),
        }
        let lengths = |name: &str| -> Result<Vec<u64>, String> {
            let list = member(name)?.as_array();
            let list = list.and_then(|list| list.iter().map(Json::as_u64).collect::<Option<Vec<_>>>());
            list.ok_or_else(|| format!("has a member {name} that is no list of lengths"))
        };
        let (shape, chunks) = (lengths("shape")?, lengths("chunks")?);
        if shape.len() != chunks.len() {
            return Err(format!(
                "has {} dimensions, and chunks of {}",
                shape.len(),
                chunks.len()
            ));
        }
        if chunks.contains(&0) {
            return Err("has chunks of length 0".to_owned());
        }
        let separator = match document.get("dimension_separator").map(Json::as_str) {
            None => None,
            Some(Some(".")) => Some(Separator::Dot),
            Some(Some("/")) => Some(Separator::Slash),
            Some(_) => return Err("has a dimension_separator that is neither . nor /".to_owned()),
        };
        let mut codecs = Vec::new();
        let mut element_codec = None;
        match document.get("order").map(Json::as_str) {
            None | Some(Some("C")) => {}
            Some(Some("F")) if shape.len() < 2 => {}
            Some(Some("F")) => {
                let order = Configuration::from_iter([("order".to_owned(), "F".into())]);
                codecs.push(CodecSpec::zarr(ZarrVersion::V3, TRANSPOSE, order));
            }
            Some(_) => return Err("has an order that is neither C nor F".to_owned()),
        }
        let filters = match document.get("filters") {
            None | Some(Json::Null) => &[][..],
            Some(filters) => filters.as_array().ok_or("has a member filters that is no list")?,
        };
        for (n, filter) in filters.iter().enumerate() {
            let codec = codec(filter, "filters")?;
            if n == 0 && ELEMENT_CODECS.contains(&codec.name()) {
                element_codec = Some(codec);
            } else {
                codecs.push(codec);
            }
        }
        match document.get("compressor") {
            None | Some(Json::Null) => {}
            Some(compressor) => codecs.push(codec(compressor, "compressor")?),
        }
        Ok(Self {
            shape,
            chunks,
            dtype: member("dtype")?.clone(),
            fill_value: document
                .get("fill_value")
                .filter(|value| !matches!(value, Json::Null))
                .cloned(),
            codecs,
            element_codec,
            separator,
        })
    }
}

/// A codec: an object with its id and its parameters.
fn codec(json: &Json, member: &str) -> Result<CodecSpec, String> {
    let wrong = || format!("has a codec without an id in {member}");
    let id = json.get("id").and_then(Json::as_str).ok_or_else(wrong)?;
    let mut configuration = Configuration::new();
    for (name, value) in json.as_object().unwrap_or_default() {
        if name != "id" {
            let value = serde_json::Value::try_from(value)
                .map_err(|e| format!("has a codec {id} whose {name} is {e}"))?;
            configuration.insert(name.clone(), value);
        }
    }
    Ok(CodecSpec::zarr(ZarrVersion::V2, id, configuration))
}
