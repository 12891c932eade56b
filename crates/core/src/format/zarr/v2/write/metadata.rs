//! The documents of a hierarchy of version 2.
//!
//! ```text
//! group ─► .zgroup, .zattrs          array ─► .zarray, .zattrs
//!              └─ attributes, then netCDF's own members, then the types of all of them (NCZarr)
//! ```

use std::cell::RefCell;

use super::super::fill_value;
use super::structure;
use crate::chunk::ChunkGrid;
use crate::error::{Error, Result};
use crate::filter::{Registry, VLEN_ARRAY};
use crate::format::VariablePlan;
use crate::format::zarr::attributes;
use crate::format::zarr::dtype::{Dtype, Stored};
use crate::format::zarr::flavor::Flavor;
use crate::format::zarr::json::Json;
use crate::format::zarr::keys::{
    ARRAY, ARRAY_DIMENSIONS, ATTRIBUTES, GROUP, NC_PROPERTIES, Own, SCALAR, below,
};
use crate::format::zarr::options::ZarrOptions;
use crate::model::{
    Attribute, Attributes, CodecSpec, Endian, FILL_VALUE_ATTRIBUTE, GroupId, KeySeparator, Kind, Schema,
    Type, Values, VarId,
};
use crate::store::base64;

/// The value of [`NC_PROPERTIES`] for what is written here.
const PROPERTIES: &str = concat!("version=2,ncutils=", env!("CARGO_PKG_VERSION"), ",nczarr=2.0.0");

/// The version of NCZarr that is written.
const NCZARR_VERSION: &str = "2.0.0";

/// Type of an attribute that is JSON.
const JSON_TYPE: &str = "|J0";
/// Type of an attribute that is text.
const TEXT_TYPE: &str = ">S1";

/// The documents of a hierarchy.
pub struct Metadata {
    /// The documents of all groups and arrays with their keys, group by group.
    pub documents: Vec<(String, Json)>,
    /// One line for each attribute that is not stored as it is.
    pub warnings: Vec<String>,
}

/// Makes the documents of a hierarchy.
///
/// # Errors
/// Names the attribute that Zarr cannot hold.
pub fn metadata(
    schema: &Schema,
    plans: &[VariablePlan],
    grids: &[ChunkGrid],
    options: ZarrOptions,
) -> Result<Metadata> {
    let flavor = match schema.kind {
        Kind::Nczarr => Flavor::Nczarr,
        _ => Flavor::Zarr,
    };
    let documents = DocumentBuilder {
        schema,
        flavor,
        options,
        warnings: RefCell::default(),
    };
    let mut all = Vec::new();
    for n in 0..schema.groups.len() {
        documents.group(GroupId(n), &mut all)?;
        for var in &schema.groups[n].vars {
            documents.array(*var, &plans[var.0], &grids[var.0], &mut all)?;
        }
    }
    Ok(Metadata {
        documents: all,
        warnings: documents.warnings.into_inner(),
    })
}

/// `.zmetadata` with these documents.
pub fn consolidated(documents: Vec<(String, Json)>) -> Json {
    object([
        ("metadata", Json::Object(documents)),
        ("zarr_consolidated_format", Json::Integer(1)),
    ])
}

struct DocumentBuilder<'a> {
    schema: &'a Schema,
    flavor: Flavor,
    options: ZarrOptions,
    warnings: RefCell<Vec<String>>,
}

impl DocumentBuilder<'_> {
    /// True for references of kerchunk. Their readers expect `_FillValue` as the fill value of the array, the compressor as the last filter,
    /// and no `_NCProperties`.
    fn is_kerchunk(&self) -> bool {
        self.schema.kind == Kind::Kerchunk
    }

    fn group(&self, id: GroupId, all: &mut Vec<(String, Json)>) -> Result<()> {
        let path = self.schema.group_path(id);
        let path = path.trim_start_matches('/');
        let group = self.schema.group(id);
        all.push((below(path, GROUP), object([("zarr_format", Json::Integer(2))])));
        let mut own = Vec::new();
        if id == Schema::ROOT && !self.is_kerchunk() {
            own.push((NC_PROPERTIES, text(PROPERTIES), TEXT_TYPE));
        }
        if self.flavor.is_nczarr() {
            own.push((Own::Group.name(), self.contents(id), JSON_TYPE));
            if id == Schema::ROOT {
                let version = object([("version", text(NCZARR_VERSION))]);
                own.push((Own::Superblock.name(), version, JSON_TYPE));
            }
        }
        self.attributes(path, &group.attributes, own, all)
    }

    /// The member of netCDF's own with the dimensions, arrays and groups of a group.
    fn contents(&self, id: GroupId) -> Json {
        let group = self.schema.group(id);
        let dimension = |dim: &crate::model::DimId| {
            let dim = self.schema.dim(*dim);
            let length = Json::Integer(dim.length.into());
            let value = match dim.unlimited {
                true => object([("size", length), ("unlimited", Json::Integer(1))]),
                false => length,
            };
            (dim.name.clone(), value)
        };
        let arrays = group.vars.iter().map(|var| text(&self.schema.var(*var).name));
        let groups = group
            .children
            .iter()
            .map(|child| text(&self.schema.group(*child).name));
        object([
            (
                "dimensions",
                Json::Object(group.dims.iter().map(dimension).collect()),
            ),
            ("arrays", Json::Array(arrays.collect())),
            ("groups", Json::Array(groups.collect())),
        ])
    }

    fn array(
        &self,
        id: VarId,
        plan: &VariablePlan,
        grid: &ChunkGrid,
        all: &mut Vec<(String, Json)>,
    ) -> Result<()> {
        let var = self.schema.var(id);
        let path = self.schema.var_path(id);
        let path = path.trim_start_matches('/');
        let layout = &plan.layout;
        let size = layout.string_length.and_then(|n| usize::try_from(n).ok());
        let structure = structure::dtype(self.schema, var.ty)
            .map_err(|why| Error::Usage(format!("it {why}")).in_variable(path))?;
        let dtype = match (var.ty, size) {
            (Type::String, Some(size)) => Dtype::string(size),
            // Its dtype is a list.
            (Type::User(_), _) if structure.is_some() => Dtype::string(self.schema.type_size(var.ty)),
            (Type::User(id), _) => {
                let held = Dtype::of_user_type(self.schema.user_type(id));
                held.ok_or_else(|| {
                    Error::Internal("elements of a type that is not held".into()).in_variable(path)
                })?
            }
            (Type::String, None) => {
                return Err(Error::Internal("elements without a size".into()).in_variable(path));
            }
            (ty, _) => Dtype::number(ty, layout.endian),
        };
        let mut dtype_text = dtype.text(self.flavor);
        if layout.filters.iter().any(|codec| codec.name() == SZIP) {
            // netCDF-C opens no dataset where szip has bytes without a byte order. Who refuses one has no szip.
            dtype_text = dtype_text.replacen('|', "<", 1);
        }
        let mut codecs = split(&layout.filters).map_err(|e| e.in_variable(path))?;
        if self.is_kerchunk() {
            codecs.put_all_in_filters();
        }
        if dtype.stored == Stored::Objects {
            codecs.put_first(vlen_array(dtype.ty));
        }
        let is_nczarr = self.flavor.is_nczarr();
        let numbers = |list: &[u64]| {
            // netCDF-C drops an array of NCZarr whose shape is empty, and knows a scalar by its mark.
            let list = if is_nczarr && list.is_empty() { &[1] } else { list };
            Json::Array(list.iter().map(|n| Json::Integer((*n).into())).collect())
        };
        let fill_value = self.fill_value(id, &dtype, plan, grid);
        let is_told = self.is_kerchunk() && fill_value != Json::Null;
        let told = self.fill(id, plan, grid).filter(|_| is_told);
        let mut array = object([
            ("zarr_format", Json::Integer(2)),
            ("shape", numbers(&layout.extent)),
            ("dtype", structure.unwrap_or_else(|| text(&dtype_text))),
            ("chunks", numbers(layout.chunk_shape())),
            ("fill_value", fill_value),
            ("order", text("C")),
            ("compressor", codecs.compressor),
            ("filters", codecs.filters),
        ]);
        // Without this member, every reader takes '.' as the separator.
        if let (KeySeparator::Slash, Json::Object(members)) = (self.options.separator, &mut array) {
            members.push(("dimension_separator".to_owned(), text(KeySeparator::Slash.text())));
        }
        all.push((below(path, ARRAY), array));
        let mut own = Vec::new();
        if self.options.xarray {
            let mut names: Vec<Json> = var
                .dims
                .iter()
                .map(|dim| text(&self.schema.dim(*dim).name))
                .collect();
            if is_nczarr && names.is_empty() {
                names.push(text(SCALAR));
            }
            // It has no type: netCDF-C does not list it.
            own.push((ARRAY_DIMENSIONS, Json::Array(names), ""));
        }
        if is_nczarr {
            let reference = |dim: &crate::model::DimId| {
                let dim = self.schema.dim(*dim);
                text(&self.schema.path_in(dim.group, &dim.name))
            };
            let references = Json::Array(var.dims.iter().map(reference).collect());
            let mut members = vec![("dimension_references".to_owned(), references)];
            if var.dims.is_empty() {
                members.push(("scalar".to_owned(), Json::Integer(1)));
            }
            members.push(("storage".to_owned(), text("chunked")));
            own.push((Own::Array.name(), Json::Object(members), JSON_TYPE));
        }
        let mut attributes = var.attributes.clone();
        if let Some(told) = told {
            let is_told = |a: &Attribute| is_number_of(a, var.ty) && a.values.bytes == told.bytes;
            attributes.retain(|a| !is_told(a));
        }
        self.attributes(path, &attributes, own, all)
    }

    /// True if every chunk is written.
    fn is_complete(&self, plan: &VariablePlan, grid: &ChunkGrid) -> bool {
        plan.promised.chunks() == grid.len() && !plan.skips_fill
    }

    /// The fill value of the layout. In references of kerchunk, `_FillValue` comes before it if no chunk needs it.
    fn fill<'v>(&'v self, id: VarId, plan: &'v VariablePlan, grid: &ChunkGrid) -> Option<&'v Values> {
        let var = self.schema.var(id);
        let named = var.attributes.iter().find(|a| is_number_of(a, var.ty));
        let named = named.filter(|_| self.is_kerchunk() && self.is_complete(plan, grid));
        let fill = &plan.layout.fill;
        named
            .map(|a| &a.values)
            .or(fill.value.as_ref().filter(|_| !fill.no_fill))
    }

    /// The fill value of unwritten chunks. `null` if every chunk is written.
    fn fill_value(&self, id: VarId, dtype: &Dtype, plan: &VariablePlan, grid: &ChunkGrid) -> Json {
        let var = self.schema.var(id);
        let is_complete = self.is_complete(plan, grid);
        let is_named = var.attributes.iter().any(|a| a.name == FILL_VALUE_ATTRIBUTE);
        let is_text = matches!(var.ty, Type::Char | Type::String) && !self.is_kerchunk();
        let value = self.fill(id, plan, grid);
        // xarray takes any fill value for that of missing data, and makes floats of integers.
        if is_complete && !is_text && (value.is_none() || !self.flavor.is_nczarr() && !is_named) {
            return Json::Null;
        }
        let zero = Values::from_bytes(vec![0; self.schema.type_size(var.ty)]);
        let value = value.unwrap_or(&zero);
        match structure::dtype(self.schema, var.ty) {
            Ok(Some(_)) => structure::fill_value(self.schema, var.ty, value),
            // As the specification has it, and readers of references.
            _ if self.is_kerchunk() && var.ty == Type::Char && !value.is_zero() => {
                base64::encode(&value.bytes).into()
            }
            _ => fill_value::write(Some(value), dtype),
        }
    }

    /// `.zattrs`: attributes, then members of netCDF's own with their types.
    fn attributes(
        &self,
        path: &str,
        attributes: &Attributes,
        own: Vec<(&str, Json, &str)>,
        all: &mut Vec<(String, Json)>,
    ) -> Result<()> {
        let owner = match path {
            "" => "the root group",
            path => path,
        };
        let (plain, booleans) = attributes::booleans_as_integers(self.schema, attributes);
        let written = attributes::write(&plain, self.flavor, owner, &mut self.warnings.borrow_mut());
        let attributes::WrittenAttributes {
            mut members,
            mut types,
        } = written.map_err(Error::Usage)?;
        for (name, value) in &mut members {
            if booleans.contains(name) {
                attributes::as_booleans(value);
            }
        }
        if !self.flavor.is_nczarr() {
            attributes::restore_json(attributes, &mut members);
        }
        for (name, value, ty) in own {
            members.push((name.to_owned(), value));
            if !ty.is_empty() {
                types.push((name.to_owned(), ty.to_owned()));
            }
        }
        if self.flavor.is_nczarr() {
            types.push((Own::Types.name().to_owned(), JSON_TYPE.to_owned()));
            let types = types.into_iter().map(|(name, ty)| (name, Json::String(ty)));
            let types = object([("types", Json::Object(types.collect()))]);
            members.push((Own::Types.name().to_owned(), types));
        }
        if !members.is_empty() {
            all.push((below(path, ATTRIBUTES), Json::Object(members)));
        }
        Ok(())
    }
}

/// True for the attribute `_FillValue` of a variable of numbers, with a value of its type.
fn is_number_of(attribute: &Attribute, ty: Type) -> bool {
    let is_number = !matches!(ty, Type::Char | Type::String | Type::User(_));
    is_number && attribute.name == FILL_VALUE_ATTRIBUTE && attribute.ty == ty && attribute.length == 1
}

/// The name of szip.
const SZIP: &str = "szip";

/// A variable's codecs as members of `.zarray`. The last codec is the compressor if it can be one.
struct Codecs {
    compressor: Json,
    filters: Json,
}

impl Codecs {
    /// Makes the compressor the last filter.
    fn put_all_in_filters(&mut self) {
        let compressor = std::mem::replace(&mut self.compressor, Json::Null);
        match (&mut self.filters, compressor) {
            (_, Json::Null) => {}
            (Json::Array(filters), last) => filters.push(last),
            (none, only) => *none = Json::Array(vec![only]),
        }
    }

    /// Puts a filter before all codecs.
    fn put_first(&mut self, filter: Json) {
        match &mut self.filters {
            Json::Array(filters) => filters.insert(0, filter),
            none => *none = Json::Array(vec![filter]),
        }
    }
}

/// The filter that makes bytes of lists of numbers.
fn vlen_array(base: Type) -> Json {
    let numbers = Dtype::number(base, Endian::Little);
    object([
        ("id", text(VLEN_ARRAY)),
        ("dtype", text(&numbers.text(Flavor::Zarr))),
    ])
}

fn split(specs: &[CodecSpec]) -> Result<Codecs> {
    let mut codecs = specs.iter().map(codec).collect::<Result<Vec<_>>>()?;
    let registry = Registry::builtin();
    let last = specs.last().and_then(|last| registry.find(last));
    let is_filter = last.is_some_and(|codec| codec.facts().filter_in_zarr2);
    let compressor = match is_filter {
        true => None,
        false => codecs.pop(),
    };
    Ok(Codecs {
        compressor: compressor.unwrap_or(Json::Null),
        // netCDF-C crashes on an empty list.
        filters: match codecs.is_empty() {
            true => Json::Null,
            false => Json::Array(codecs),
        },
    })
}

fn codec(spec: &CodecSpec) -> Result<Json> {
    let (Some((_, name)), Some(configuration)) = (spec.zarr_name(), spec.configuration()) else {
        return Err(Error::Internal(format!("{spec} without a Zarr name")));
    };
    let mut members = vec![("id".to_owned(), text(name))];
    members.extend(
        configuration
            .iter()
            .map(|(name, value)| (name.clone(), Json::from(value))),
    );
    Ok(Json::Object(members))
}

fn text(value: &str) -> Json {
    Json::String(value.to_owned())
}

fn object<const N: usize>(members: [(&str, Json); N]) -> Json {
    Json::Object(
        members
            .into_iter()
            .map(|(name, value)| (name.to_owned(), value))
            .collect(),
    )
}
