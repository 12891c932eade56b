//! `zarr.json`: the metadata of a group or array.
//!
//! Zarr version 3.1, "Metadata".

use super::super::super::json::Json;
use super::super::codec_chain::CodecChain;
use super::super::data_type::DataType;
use super::super::extension::{Extension, lengths};
use super::super::node_error::NodeError;
use crate::model::ChunkKeys;
use crate::model::KeySeparator as Separator;

/// The sorts of nodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NodeType {
    /// A group.
    Group,
    /// An array.
    Array,
}

/// Members that any node may have.
const OF_ANY: [&str; 4] = ["zarr_format", "node_type", "attributes", "consolidated_metadata"];

/// Members that an array may have besides.
const OF_ARRAY: [&str; 8] = [
    "shape",
    "data_type",
    "chunk_grid",
    "chunk_key_encoding",
    "fill_value",
    "codecs",
    "dimension_names",
    "storage_transformers",
];

/// The sort of a node, whose members are known or need not be understood.
///
/// # Errors
/// What is wrong with the document, or not known.
pub fn node_type(document: &Json) -> Result<NodeType, NodeError> {
    let members = document
        .as_object()
        .ok_or_else(|| format!("is {}, not an object", document.sort()))?;
    if document.get("zarr_format").and_then(Json::as_u64) != Some(3) {
        return Err("has another zarr_format than 3".to_owned().into());
    }
    let ty = match document.get("node_type").and_then(Json::as_str) {
        Some("group") => NodeType::Group,
        Some("array") => NodeType::Array,
        _ => {
            return Err("has a node_type that is neither group nor array"
                .to_owned()
                .into());
        }
    };
    for (name, value) in members {
        let name = name.as_str();
        let is_known = OF_ANY.contains(&name) || ty == NodeType::Array && OF_ARRAY.contains(&name);
        let is_ignorable = value.get("must_understand").and_then(Json::as_bool) == Some(false);
        if !is_known && !is_ignorable {
            return Err(NodeError::Unheld(format!(
                "has the member {name}, which is not known and must be understood"
            )));
        }
    }
    if let Some(attributes) = document.get("attributes")
        && attributes.as_object().is_none()
    {
        return Err(format!("has attributes that are {}, not an object", attributes.sort()).into());
    }
    Ok(ty)
}

/// The members of `attributes`; none if the document has no such member.
pub fn attributes(document: &Json) -> &[(String, Json)] {
    let attributes = document.get("attributes").and_then(Json::as_object);
    attributes.unwrap_or_default()
}

/// The metadata of an array.
#[derive(Debug)]
pub struct ArrayMetadata {
    /// Lengths of the dimensions.
    pub shape: Vec<u64>,
    /// Shape of a chunk of the grid, which may be a shard.
    pub chunk_shape: Vec<u64>,
    /// The data type.
    pub data_type: DataType,
    /// The keys of chunks.
    pub keys: ChunkKeys,
    /// The fill value, as written.
    pub fill_value: Json,
    /// The codecs.
    pub codecs: CodecChain,
    /// The names of the dimensions; `None` for each without a name, and for a list of another length.
    pub dimension_names: Option<Vec<Option<String>>>,
}

impl ArrayMetadata {
    /// Parses the document of an array.
    ///
    /// # Errors
    /// What is missing or wrong, as a clause that names the member.
    pub fn parse(document: &Json) -> Result<Self, NodeError> {
        let member = |name: &str| {
            document
                .get(name)
                .ok_or_else(|| format!("lacks the member {name}"))
        };
        let shape = lengths(document.get("shape"), "shape")?;
        let extension = |name: &str| {
            Extension::parse(member(name)?).map_err(|why| format!("has a member {name} that {why}"))
        };
        let grid = extension("chunk_grid")?;
        if grid.name != "regular" {
            return Err(NodeError::Unheld(format!(
                "has the chunk_grid {}, which is not known",
                grid.name
            )));
        }
        let chunk_shape = lengths(grid.get("chunk_shape"), "chunk_shape")?;
        if shape.len() != chunk_shape.len() {
            return Err(format!(
                "has {} dimensions, and chunks of {}",
                shape.len(),
                chunk_shape.len()
            )
            .into());
        }
        if chunk_shape.contains(&0) {
            return Err("has chunks of length 0".to_owned().into());
        }
        match document.get("storage_transformers") {
            None => {}
            Some(Json::Array(list)) if list.is_empty() => {}
            Some(_) => {
                return Err(NodeError::Unheld(
                    "has storage_transformers, which are not known".to_owned(),
                ));
            }
        }
        let data_type = DataType::parse(member("data_type")?)?;
        let fill_value = member("fill_value")?.clone();
        if fill_value.is_null() {
            return Err("has the fill_value null".to_owned().into());
        }
        Ok(Self {
            chunk_shape,
            keys: keys(&extension("chunk_key_encoding")?)?,
            fill_value,
            codecs: CodecChain::parse(member("codecs")?, &data_type)?,
            dimension_names: match document.get("dimension_names") {
                None | Some(Json::Null) => Some(vec![None; shape.len()]),
                Some(Json::Array(names)) if names.len() == shape.len() => names
                    .iter()
                    .map(|name| match name {
                        Json::String(name) if name.is_empty() => Some(None),
                        Json::String(name) => Some(Some(name.clone())),
                        Json::Null => Some(None),
                        _ => None,
                    })
                    .collect(),
                Some(_) => None,
            },
            data_type,
            shape,
        })
    }
}

/// The form of keys that a `chunk_key_encoding` gives.
fn keys(encoding: &Extension) -> Result<ChunkKeys, NodeError> {
    let (begin_with_c, default) = match &*encoding.name {
        "default" => (true, Separator::Slash),
        "v2" => (false, Separator::Dot),
        name => {
            return Err(NodeError::Unheld(format!(
                "has the chunk_key_encoding {name}, which is not known"
            )));
        }
    };
    let separator = match encoding.get("separator").map(Json::as_str) {
        None => default,
        Some(Some("/")) => Separator::Slash,
        Some(Some(".")) => Separator::Dot,
        Some(_) => {
            return Err("has a chunk_key_encoding whose separator is neither . nor /"
                .to_owned()
                .into());
        }
    };
    Ok(ChunkKeys {
        begin_with_c,
        separator,
    })
}
