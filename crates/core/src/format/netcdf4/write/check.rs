//! Checks that netCDF-4 can hold a dataset, before anything is written.

use std::collections::HashSet;

use ncutils_hdf5::MAX_COMPACT_BYTES;

use super::super::conventions::MAX_NAME;
use super::dataset::MAX_FILL_VALUE;
use super::dimensions::Scales;
use super::tree::contents;
use crate::chunk::{ChunkGrid, MAX_RANK, element_count};
use crate::error::{Error, Result};
use crate::filter::registry::no_hdf5_form;
use crate::format::VariablePlan;
use crate::model::{
    Attribute, DimId, EdgeChunks, GroupId, Item, Kind, Schema, Storage, Type, TypeId, VarId, Variable,
    fill_value_attribute,
};

/// Longest name of an attribute in HDF5, in bytes, without its terminating NUL.
const MAX_ATTRIBUTE_NAME: usize = 65_534;

/// Longest dimension without a coordinate variable. It is stored as a dataset with one element of four bytes
/// per index, and the dataset's size has 64 bits.
const MAX_SCALE: u64 = u64::MAX / 4;

/// Checks names, lengths, ranks and fill values. For the classic model, also checks that the schema has
/// nothing else.
///
/// # Errors
/// Names the item.
pub fn schema(schema: &Schema) -> Result<()> {
    for (i, group) in schema.groups.iter().enumerate() {
        if i > 0 {
            name("group", &group.name).map_err(|e| e.about(Item::Group(GroupId(i))))?;
        }
        attributes(&group.attributes).map_err(|(n, why)| {
            Error::Usage(format!("group {}: {why}", schema.group_path(GroupId(i))))
                .about(Item::GroupAttribute(GroupId(i), n))
        })?;
    }
    let scales = Scales::new(schema);
    for (i, dim) in schema.dims.iter().enumerate() {
        let item = Item::Dimension(DimId(i));
        name("dimension", &dim.name).map_err(|e| e.about(item))?;
        if dim.length > MAX_SCALE && !dim.unlimited && scales.coordinate(DimId(i)).is_none() {
            let what = format!(
                "dimension {}: the length {} is too large; netCDF-4 holds at most {MAX_SCALE} \
                 where there is no variable of the dimension's name",
                dim.name, dim.length
            );
            return Err(Error::can_be_left_out(what).about(item));
        }
    }
    for (i, ty) in schema.types.iter().enumerate() {
        name("type", &ty.name).map_err(|e| e.about(Item::Type(TypeId(i))))?;
    }
    for (i, var) in schema.vars.iter().enumerate() {
        let id = VarId(i);
        name("variable", &var.name).map_err(|e| e.about(Item::Variable(id)))?;
        let in_variable = |item: Item, why| Error::Usage(why).about(item).in_variable(&schema.var_path(id));
        if var.dims.len() > MAX_RANK {
            let rank = var.dims.len();
            let why = format!("{rank} dimensions; HDF5 holds at most {MAX_RANK}");
            return Err(in_variable(Item::Variable(id), why));
        }
        attributes(&var.attributes).map_err(|(n, why)| in_variable(Item::VariableAttribute(id, n), why))?;
        if let Some(n) = too_large_fill_value(schema, var) {
            let bytes = var.attributes[n].values.bytes.len();
            let why = format!(
                "a fill value of {bytes} bytes; HDF5 holds at most {MAX_FILL_VALUE}, unless all are zero"
            );
            return Err(in_variable(Item::VariableAttribute(id, n), why));
        }
    }
    links(schema)?;
    if schema.kind == Kind::Netcdf4Classic {
        classic_model(schema)?;
    }
    Ok(())
}

/// Position of a `_FillValue` attribute that is too large for HDF5. Zeros need not be stored.
fn too_large_fill_value(schema: &Schema, var: &Variable) -> Option<usize> {
    let value = fill_value_attribute(var)?;
    if value.bytes.len() <= MAX_FILL_VALUE || value.is_zero() && !schema.has_heap(var.ty) {
        return None;
    }
    var.attributes.iter().position(|a| std::ptr::eq(&a.values, value))
}

/// Checks that each variable can be stored as planned.
///
/// # Errors
/// Names the variable.
pub fn plans(schema: &Schema, plans: &[VariablePlan]) -> Result<()> {
    if plans.len() != schema.vars.len() {
        let (plans, vars) = (plans.len(), schema.vars.len());
        return Err(Error::Usage(format!("{plans} plans for {vars} variables")));
    }
    for (i, plan) in plans.iter().enumerate() {
        variable(schema, VarId(i), plan).map_err(|e| e.in_variable(&schema.var_path(VarId(i))))?;
    }
    Ok(())
}

/// Checks names within a group: types, dimensions, variables and child groups are links of one HDF5 group.
fn links(schema: &Schema) -> Result<()> {
    for (i, links) in contents(schema, &Scales::new(schema)).iter().enumerate() {
        let mut names = HashSet::new();
        for (name, object) in links {
            if !names.insert(name) {
                return Err(Error::Usage(format!(
                    "{name:?} in group {}: HDF5 cannot hold two of a type, dimension, variable and group under one name",
                    schema.group_path(GroupId(i))
                ))
                .about(object.item()));
            }
        }
    }
    Ok(())
}

fn name(what: &str, name: &str) -> Result<()> {
    let why = if name.is_empty() {
        "empty names are not allowed"
    } else if name == "." || name.contains(['/', '\0']) {
        "HDF5 does not allow this name"
    } else if name.len() > MAX_NAME {
        "the name is longer than 256 bytes"
    } else {
        return Ok(());
    };
    let shown: String = name.chars().take(60).collect();
    let more = if shown.len() < name.len() { "…" } else { "" };
    Err(Error::Usage(format!("{what} {shown:?}{more}: {why}")))
}

/// Checks attributes. An error contains the attribute's position in the list.
fn attributes(attributes: &[Attribute]) -> Result<(), (usize, String)> {
    for (n, attribute) in attributes.iter().enumerate() {
        let name = &attribute.name;
        if name.is_empty() || name.contains('\0') || name.len() > MAX_ATTRIBUTE_NAME {
            return Err((n, format!("attribute {name:?}: HDF5 does not allow this name")));
        }
        if attribute.ty == Type::Char && u32::try_from(attribute.length).is_err() {
            let why = format!(
                "attribute {name:?}: text of {} bytes; HDF5 holds less than 4 GiB in one attribute",
                attribute.length
            );
            return Err((n, why));
        }
    }
    Ok(())
}

fn variable(schema: &Schema, id: VarId, plan: &VariablePlan) -> Result<()> {
    let var = schema.var(id);
    let layout = &plan.layout;
    let (size, encoding) = schema.storage_encoding(var.ty);
    if (layout.element_size, layout.encoding) != (size, encoding) {
        return Err(Error::Usage(format!(
            "elements of {} bytes ({:?}) cannot be written as {size} bytes ({encoding:?})",
            layout.element_size, layout.encoding
        )));
    }
    if layout.extent.len() != var.dims.len() {
        return Err(Error::Usage(
            "its extent has another rank than its shape".to_owned(),
        ));
    }
    for (dim, length) in var.dims.iter().zip(&layout.extent) {
        let dim = schema.dim(*dim);
        if *length > dim.length {
            return Err(Error::Usage(format!("longer than its dimension {}", dim.name)));
        }
        let chunked = matches!(layout.storage, Storage::Chunked { .. });
        if dim.unlimited && !chunked && plan.external.is_none() {
            return Err(Error::Usage(format!(
                "its dimension {} is unlimited, so its storage must be chunked",
                dim.name
            )));
        }
    }
    if layout.edges == EdgeChunks::Clipped || layout.shard.is_some() {
        return Err(Error::Usage(
            "HDF5 stores neither clipped chunks nor shards".to_owned(),
        ));
    }
    match &layout.storage {
        storage if plan.external.is_some() && *storage != Storage::Contiguous => Err(Error::Usage(
            "raw data in external files needs contiguous storage".to_owned(),
        )),
        Storage::Chunked { shape } => chunks(plan, shape),
        _ if !layout.filters.is_empty() => Err(Error::Usage("filters need chunked storage".to_owned())),
        Storage::Compact => {
            let bytes = element_count(&layout.extent).and_then(|n| n.checked_mul(size as u64));
            if bytes.is_none_or(|bytes| bytes > MAX_COMPACT_BYTES) {
                return Err(Error::Usage(format!(
                    "compact storage holds at most {MAX_COMPACT_BYTES} bytes"
                )));
            }
            Ok(())
        }
        Storage::Contiguous | Storage::Blocks { .. } => Ok(()),
    }
}

fn chunks(plan: &VariablePlan, shape: &[u64]) -> Result<()> {
    if shape.is_empty() {
        return Err(Error::Usage("a scalar cannot be chunked".to_owned()));
    }
    if shape.contains(&0) {
        return Err(Error::Usage("a chunk of length 0".to_owned()));
    }
    let bytes = element_count(shape).and_then(|n| n.checked_mul(plan.layout.element_size as u64));
    if bytes.is_none_or(|bytes| bytes > u64::from(u32::MAX)) || shape.iter().any(|n| *n > u64::from(u32::MAX))
    {
        return Err(Error::Usage(
            "a chunk of 4 GiB or more; HDF5 needs smaller ones".to_owned(),
        ));
    }
    if plan.promised.chunks() > ChunkGrid::new(&plan.layout.extent, shape)?.len() {
        return Err(Error::Usage("more chunks than its extent has".to_owned()));
    }
    if plan.layout.filters.len() > crate::filter::pipeline::MAX_FILTERS {
        return Err(Error::Usage(format!(
            "{} filters; HDF5 has at most 32",
            plan.layout.filters.len()
        )));
    }
    if let Some(spec) = plan.layout.filters.iter().find(|spec| spec.hdf5_id().is_none()) {
        return Err(no_hdf5_form(spec));
    }
    if plan.pipeline.specs() != plan.layout.filters {
        return Err(Error::Internal(
            "the codecs that are bound are not those of the layout".to_owned(),
        ));
    }
    Ok(())
}

fn classic_model(schema: &Schema) -> Result<()> {
    let cannot = |item: Item, what: String| {
        let what = format!("the classic model of netCDF-4 has no {what}");
        Err(Error::Usage(what).about(item))
    };
    if let Some(group) = schema.groups.get(1) {
        return cannot(Item::Group(GroupId(1)), format!("groups: {}", group.name));
    }
    if let Some(ty) = schema.types.first() {
        return cannot(Item::Type(TypeId(0)), format!("user-defined types: {}", ty.name));
    }
    let mut unlimited = schema.dims.iter().enumerate().filter(|(_, d)| d.unlimited);
    if let (Some((_, first)), Some((id, second))) = (unlimited.next(), unlimited.next()) {
        let what = format!("second unlimited dimension: {}, {}", first.name, second.name);
        return cannot(Item::Dimension(DimId(id)), what);
    }
    let type_name = |ty: Type| ty.cdl_name().unwrap_or("user-defined");
    let foreign = |list: &[Attribute]| list.iter().position(|a| !a.ty.is_classic());
    for (i, group) in schema.groups.iter().enumerate() {
        if let Some(n) = foreign(&group.attributes) {
            let a = &group.attributes[n];
            let what = format!("type {}: global attribute {}", type_name(a.ty), a.name);
            return cannot(Item::GroupAttribute(GroupId(i), n), what);
        }
    }
    for (i, var) in schema.vars.iter().enumerate() {
        if !var.ty.is_classic() {
            let what = format!("type {}: variable {}", type_name(var.ty), var.name);
            return cannot(Item::Variable(VarId(i)), what);
        }
        if let Some(n) = foreign(&var.attributes) {
            let a = &var.attributes[n];
            let what = format!("type {}: attribute {}:{}", type_name(a.ty), var.name, a.name);
            return cannot(Item::VariableAttribute(VarId(i), n), what);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{
        CodecSpec, Dimension, Encoding, FILL_VALUE_ATTRIBUTE, TypeClass, UserType, Values, VariableLayout,
        ZarrVersion,
    };

    fn refused(schema: &Schema) -> String {
        super::schema(schema).unwrap_err().to_string()
    }

    #[test]
    fn names_are_named() {
        for (bad, shown) in [
            ("", "\"\""),
            (".", "\".\""),
            ("a/b", "a/b"),
            (&"n".repeat(257), "nnnn\"…"),
        ] {
            let mut schema = Schema::new(Kind::Netcdf4);
            schema.add_group(Schema::ROOT, bad);
            let why = refused(&schema);
            assert!(
                why.contains("group") && why.contains(shown) && why.len() < 150,
                "{why}"
            );
        }
    }

    #[test]
    fn the_classic_model_has_no_groups_and_few_types() {
        let mut schema = Schema::new(Kind::Netcdf4Classic);
        schema.groups[0].attributes.push(Attribute {
            name: "big".into(),
            ty: Type::UInt64,
            length: 1,
            values: Values::from_bytes(vec![0; 8]),
        });
        assert!(refused(&schema).contains("uint64: global attribute big"));
        schema.groups[0].attributes.clear();
        assert!(super::schema(&schema).is_ok());
        schema.add_group(Schema::ROOT, "g");
        assert!(refused(&schema).contains("groups: g"));
    }

    #[test]
    fn text_of_4_gib_is_no_attribute() {
        let mut schema = Schema::new(Kind::Netcdf4);
        let attribute = |length, ty| Attribute {
            name: "long".into(),
            ty,
            length,
            values: Values::default(),
        };
        schema.groups[0].attributes = vec![attribute(1 << 32, Type::Char)].into();
        let error = refused(&schema);
        assert!(
            error.contains("long") && error.contains("4294967296 bytes"),
            "{error}"
        );
        schema.groups[0].attributes = vec![
            attribute((1 << 32) - 1, Type::Char),
            attribute(1 << 33, Type::Byte),
        ]
        .into();
        assert!(super::schema(&schema).is_ok());
    }

    #[test]
    fn a_large_fill_value_is_refused_unless_it_is_zeros() {
        let mut schema = Schema::new(Kind::Netcdf4);
        let bytes = MAX_FILL_VALUE + 1;
        let ty = Type::User(schema.add_type(UserType {
            name: "t".into(),
            group: Schema::ROOT,
            class: TypeClass::Opaque { size: bytes },
        }));
        schema.add_var(Variable {
            name: "v".into(),
            group: Schema::ROOT,
            ty,
            dims: Vec::new(),
            attributes: vec![Attribute {
                name: FILL_VALUE_ATTRIBUTE.into(),
                ty,
                length: 1,
                values: Values::from_bytes(vec![0; bytes]),
            }]
            .into(),
        });
        super::schema(&schema).unwrap();
        schema.vars[0].attributes[0].values.bytes[bytes - 1] = 1;
        let why = refused(&schema);
        assert!(
            why.contains("variable v") && why.contains("65530 bytes") && why.contains("65529"),
            "{why}"
        );
    }

    #[test]
    fn a_group_and_a_dimension_cannot_share_a_name() {
        let mut schema = Schema::new(Kind::Netcdf4);
        schema.add_group(Schema::ROOT, "x");
        assert!(super::schema(&schema).is_ok());
        schema.add_dim(Dimension {
            name: "x".into(),
            group: Schema::ROOT,
            length: 1,
            unlimited: false,
        });
        assert!(refused(&schema).contains("\"x\" in group /"));
    }

    #[test]
    fn what_no_layout_can_hold_is_refused() {
        let mut schema = Schema::new(Kind::Netcdf4);
        let mut dim = |name: &str, length, unlimited| {
            schema.add_dim(Dimension {
                name: name.into(),
                group: Schema::ROOT,
                length,
                unlimited,
            })
        };
        let (time, x) = (dim("time", 2, true), dim("x", 100_000, false));
        schema.add_var(Variable {
            name: "v".into(),
            group: Schema::ROOT,
            ty: Type::Int,
            dims: vec![time, x],
            attributes: vec![].into(),
        });
        let layout = VariableLayout {
            storage: Storage::Chunked {
                shape: vec![1, 100_000],
            },
            ..VariableLayout::contiguous(vec![2, 100_000], 4, Encoding::Numbers { unit: 4 })
        };
        let plan = VariablePlan::with_pipeline(
            layout,
            crate::filter::Pipeline::empty(),
            crate::format::Promised::Chunks(2),
        );
        let refused = |schema: &Schema, change: &dyn Fn(&mut VariablePlan)| {
            let mut plan = plan.clone();
            change(&mut plan);
            plans(schema, &[plan]).unwrap_err().to_string()
        };
        plans(&schema, std::slice::from_ref(&plan)).unwrap();
        assert!(plans(&schema, &[]).is_err());
        let chunked = |shape: &[u64]| Storage::Chunked {
            shape: shape.to_vec(),
        };
        let why = refused(&schema, &|p| p.layout.storage = Storage::Contiguous);
        assert!(
            why.contains("variable v: its dimension time is unlimited"),
            "{why}"
        );
        assert!(refused(&schema, &|p| p.layout.storage = chunked(&[1 << 20, 1 << 10])).contains("4 GiB"));
        assert!(refused(&schema, &|p| p.layout.storage = chunked(&[1, 0])).contains("length 0"));
        assert!(refused(&schema, &|p| p.layout.storage = chunked(&[1])).contains("dimensions"));
        assert!(
            refused(&schema, &|p| p.promised = crate::format::Promised::Chunks(3)).contains("more chunks")
        );
        assert!(refused(&schema, &|p| p.layout.extent = vec![3, 100_000]).contains("dimension time"));
        assert!(refused(&schema, &|p| p.layout.element_size = 8).contains("8 bytes"));
        assert!(refused(&schema, &|p| p.layout.edges = EdgeChunks::Clipped).contains("clipped"));
        assert!(refused(&schema, &|p| p.layout.shard = Some(vec![2, 100_000])).contains("shards"));
        schema.dims[0].unlimited = false;
        assert!(refused(&schema, &|p| p.layout.storage = Storage::Compact).contains("compact"));
        let filter = CodecSpec::hdf5(1, [1]);
        let why = refused(&schema, &|p| {
            p.layout.storage = Storage::Contiguous;
            p.layout.filters = vec![filter.clone()];
        });
        assert!(why.contains("chunked"), "{why}");
        let why = refused(&schema, &|p| p.layout.filters = vec![filter.clone()]);
        assert!(why.contains("bound"), "{why}");
        let odd = CodecSpec::zarr(ZarrVersion::V2, "odd", Default::default());
        let why = refused(&schema, &|p| p.layout.filters = vec![odd.clone()]);
        assert!(why.contains("variable v: codec odd has no form in HDF5"), "{why}");
    }
}
