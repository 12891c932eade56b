//! The dataset in a shard: one variable on dimensions as long as the shard.

use crate::chunk::{chunks_of_shard, element_count};
use crate::error::{Error, Result};
use crate::filter::Pipeline;
use crate::format::{Promised, VariablePlan};
use crate::model::{
    Attributes, CodecSpec, DimId, Dimension, Fill, FillTime, Kind, Schema, Type, VarId, Variable,
    VariableLayout,
};

/// The dataset in the shards of a variable, and how it is stored.
///
/// # Errors
/// A shard that does not hold whole chunks.
pub fn shard_dataset(
    schema: &Schema,
    var: VarId,
    layout: &VariableLayout,
    filters: &[CodecSpec],
) -> Result<(Schema, VariablePlan)> {
    let no_shard = || Error::Internal("a variable without shards".to_owned());
    let shard = layout.shard.as_deref().ok_or_else(no_shard)?;
    let chunks = chunks_of_shard(shard, layout.chunk_shape())?;
    let count = element_count(&chunks).ok_or_else(no_shard)?;
    let mut own = Schema::new(Kind::Netcdf4);
    let variable = schema.var(var);
    let dims = variable.dims.iter().zip(shard);
    let dims = dims
        .map(|(dim, length)| dimension(&mut own, &schema.dim(*dim).name, *length))
        .collect();
    own.add_var(Variable {
        name: variable.name.clone(),
        group: Schema::ROOT,
        ty: variable.ty,
        dims,
        attributes: plain_attributes(&variable.attributes),
    });
    let layout = VariableLayout {
        extent: shard.to_vec(),
        filters: filters.to_vec(),
        array_codecs: None,
        shard: None,
        fill: filled(&layout.fill),
        ..layout.clone()
    };
    let plan = VariablePlan::with_pipeline(layout, Pipeline::empty(), Promised::Chunks(count));
    Ok((own, plan))
}

/// The fill value of chunks that are missing. A variable in no-fill mode reads as zeros there, as it does in Zarr.
pub fn filled(fill: &Fill) -> Fill {
    match fill.no_fill && !fill.explicit {
        true => Fill {
            value: None,
            explicit: true,
            no_fill: false,
            time: FillTime::IfSet,
            ..Fill::default()
        },
        false => fill.clone(),
    }
}

/// The dimension with a name and a length. A dimension that a variable has twice may have two lengths in a shard.
fn dimension(own: &mut Schema, name: &str, length: u64) -> DimId {
    let mut named = name.to_owned();
    let mut count = 1;
    loop {
        let found = own.dims.iter().position(|dim| dim.name == named);
        match found {
            Some(at) if own.dims[at].length == length => return DimId(at),
            Some(_) => count += 1,
            None => break,
        }
        named = format!("{name}_{count}");
    }
    own.add_dim(Dimension {
        name: named,
        group: Schema::ROOT,
        length,
        unlimited: false,
    })
}

/// The attributes without those of user-defined types, which a shard has no place for.
fn plain_attributes(attributes: &Attributes) -> Attributes {
    let plain = |ty: Type| !matches!(ty, Type::User(_));
    match attributes.iter().all(|attribute| plain(attribute.ty)) {
        true => attributes.clone(),
        false => {
            let kept = attributes.iter().filter(|attribute| plain(attribute.ty));
            kept.cloned().collect::<Vec<_>>().into()
        }
    }
}
