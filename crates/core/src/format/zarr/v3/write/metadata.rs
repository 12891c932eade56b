//! The documents of a hierarchy: `zarr.json` of each group and array.
//!
//! Extensions are objects, because some programs refuse a name alone. No member is `null`, and none says
//! `must_understand: true`.

use super::super::super::json::Json;
use super::super::super::keys::{NODE, below};
use super::super::super::write::Packing;
use super::super::data_type::DataType;
use super::super::extension::Extension;
use super::super::fill_value;
use super::super::own_facts;
use super::{attributes, codecs};
use crate::error::{Error, Result};
use crate::format::VariablePlan;
use crate::model::{GroupId, KeySeparator, Schema, Type, Values, VarId};

/// The documents of a hierarchy.
pub struct Metadata {
    /// The documents of all groups and arrays with their keys, group by group, the root first.
    pub documents: Vec<(String, Json)>,
    /// One line for each attribute that is not stored as it is.
    pub warnings: Vec<String>,
}

/// Makes the documents of a hierarchy.
///
/// # Errors
/// Names what Zarr cannot hold.
pub fn metadata(schema: &Schema, plans: &[VariablePlan]) -> Result<Metadata> {
    let (mut documents, mut warnings) = (Vec::new(), Vec::new());
    for (n, group) in schema.groups.iter().enumerate() {
        let path = schema.group_path(GroupId(n));
        let path = path.trim_start_matches('/');
        let owner = match path {
            "" => "the root group".to_owned(),
            path => format!("group {path}"),
        };
        let mut members = attributes::write(schema, &group.attributes, None, &owner, &mut warnings)?;
        if n == 0
            && let Some(facts) = own_facts::of(schema, plans)
        {
            members.push((own_facts::NAME.to_owned(), facts));
        }
        let document = [
            ("zarr_format", Json::Integer(3)),
            ("node_type", "group".into()),
            ("attributes", Json::Object(members)),
        ];
        documents.push((below(path, NODE), Json::from_iter(document)));
        for var in &group.vars {
            let path = schema.var_path(*var);
            let path = path.trim_start_matches('/');
            let document = array(schema, *var, &plans[var.0], &mut warnings);
            documents.push((below(path, NODE), document.map_err(|e| e.in_variable(path))?));
        }
    }
    Ok(Metadata { documents, warnings })
}

fn array(schema: &Schema, id: VarId, plan: &VariablePlan, warnings: &mut Vec<String>) -> Result<Json> {
    let var = schema.var(id);
    let layout = &plan.layout;
    let unheld = |why: String| Error::Usage(format!("it {why}"));
    let data_type = DataType::of(schema, var.ty).map_err(unheld)?;
    let lengths = |list: &[u64]| Json::Array(list.iter().map(|n| Json::from(*n)).collect());
    let grid = layout.shard.as_deref().unwrap_or(layout.chunk_shape());
    let keys = Extension::new(match layout.chunk_keys.begin_with_c {
        true => "default",
        false => "v2",
    });
    let separator = match layout.chunk_keys.separator {
        KeySeparator::Dot => ".",
        KeySeparator::Slash => "/",
    };
    let names = var.dims.iter().map(|dim| Json::from(&*schema.dim(*dim).name));
    let path = schema.var_path(id);
    let owner = format!("variable {}", path.trim_start_matches('/'));
    let attributes = attributes::write(schema, &var.attributes, Some(var.ty), &owner, warnings)?;
    Ok(Json::from_iter([
        ("zarr_format", Json::Integer(3)),
        ("node_type", "array".into()),
        ("shape", lengths(&layout.extent)),
        ("data_type", data_type.to_json()),
        (
            "chunk_grid",
            Extension::new("regular")
                .with("chunk_shape", lengths(grid))
                .to_json(),
        ),
        ("chunk_key_encoding", keys.with("separator", separator).to_json()),
        (
            "fill_value",
            fill_value::write(&fill(schema, var.ty, plan), &data_type),
        ),
        ("codecs", codecs::json(layout, &data_type).map_err(unheld)?),
        ("attributes", Json::Object(attributes)),
        ("dimension_names", Json::Array(names.collect())),
    ]))
}

/// The value of elements that are not stored, packed.
fn fill(schema: &Schema, ty: Type, plan: &VariablePlan) -> Values {
    let fill = &plan.layout.fill;
    match fill.value.as_ref().filter(|_| !fill.no_fill) {
        _ if schema.has_heap(ty) && fill.value.is_none() => Values::from_strings([None]),
        None => Values::from_bytes(Packing::of(schema, ty).pack(&vec![0; schema.type_size(ty)])),
        Some(value) if schema.has_gaps(ty) => Values::from_bytes(Packing::of(schema, ty).pack(&value.bytes)),
        Some(value) => value.clone(),
    }
}

/// The document of the root group with all others in it, as zarr-python writes it.
pub fn consolidated(documents: Vec<(String, Json)>) -> Option<(&'static str, Json)> {
    let inline = |metadata: Vec<(String, Json)>| {
        let members = [
            ("kind", "inline".into()),
            ("must_understand", false.into()),
            ("metadata", Json::Object(metadata)),
        ];
        ("consolidated_metadata".to_owned(), Json::from_iter(members))
    };
    let mut documents = documents.into_iter();
    let (_, Json::Object(mut root)) = documents.next()? else {
        return None;
    };
    let nodes = documents.map(|(key, mut document)| {
        let path = key.strip_suffix(NODE).unwrap_or(&key).trim_end_matches('/');
        let is_group = document.get("node_type").and_then(Json::as_str) == Some("group");
        if let (true, Json::Object(members)) = (is_group, &mut document) {
            members.push(inline(Vec::new()));
        }
        (path.to_owned(), document)
    });
    root.push(inline(nodes.collect()));
    Some((NODE, Json::Object(root)))
}
