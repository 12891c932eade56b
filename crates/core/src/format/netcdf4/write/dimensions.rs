//! netCDF-4's dimensions in HDF5: each is a dimension scale in its group, and variables are attached to it.
//!
//! ```text
//!  scale: a coordinate variable, or a dataset     CLASS, NAME, _Netcdf4Dimid, REFERENCE_LIST ─► variables
//!         that only stands for the dimension
//!  variable that is not a scale                   DIMENSION_LIST ─► scales
//!  every variable that is not scalar              _Netcdf4Coordinates: ids of its dimensions
//! ```

use std::collections::HashMap;

use ncutils_hdf5::{
    AllocationTime, AttributeSpec, ByteOrder, CharacterSet, Class, CompoundMember, Data, DatasetSpec,
    Dataspace, Datatype, DatatypeSpec, FillSpec, FillTime, LayoutSpec, ObjectId, StringPadding,
};

use crate::format::netcdf4::conventions::{
    CLASS, COORDINATES, DIMENSION_ID, DIMENSION_LIST, DIMENSION_SCALE, DIMENSION_WITHOUT_VARIABLE, NAME,
    NON_COORDINATE_PREFIX, REFERENCE_LIST,
};
use crate::model::{DimId, Dimension, Schema, VarId};

/// Elements in a chunk of an unlimited scale that is no variable. The chunk never holds data.
const SCALE_CHUNK: u64 = 1024;

/// Which variables are scales, and the ids of dimensions for netcdf-c.
#[derive(Debug)]
pub struct Scales {
    /// The coordinate variable of each dimension, if it has one.
    coordinates: Vec<Option<VarId>>,
    /// For each variable, the dimension whose scale it is.
    scale_of: Vec<Option<DimId>>,
    /// For each variable, true if it has the name of a dimension of its group but is not its scale.
    prefixed: Vec<bool>,
    /// The value of `_Netcdf4Dimid` for each dimension. netcdf-c lists the dimensions of a group in this
    /// order.
    ids: Vec<i32>,
}

impl Scales {
    /// Determines the scales of a dataset.
    pub fn new(schema: &Schema) -> Self {
        let mut coordinates = vec![None; schema.dims.len()];
        let mut scale_of = vec![None; schema.vars.len()];
        let mut prefixed = vec![false; schema.vars.len()];
        let mut ids = vec![0; schema.dims.len()];
        let mut next = 0;
        for group in &schema.groups {
            let mut by_name = HashMap::new();
            for id in &group.dims {
                ids[id.0] = next;
                next += 1;
                by_name.insert(schema.dim(*id).name.as_str(), *id);
            }
            for id in &group.vars {
                let var = schema.var(*id);
                let Some(dim) = by_name.get(var.name.as_str()) else {
                    continue;
                };
                if var.dims.first() == Some(dim) {
                    coordinates[dim.0] = Some(*id);
                    scale_of[id.0] = Some(*dim);
                } else {
                    prefixed[id.0] = true;
                }
            }
        }
        Self {
            coordinates,
            scale_of,
            prefixed,
            ids,
        }
    }

    /// The variable that is the scale of a dimension.
    pub fn coordinate(&self, dim: DimId) -> Option<VarId> {
        self.coordinates[dim.0]
    }

    /// The dimension whose scale a variable is.
    pub fn scale_of(&self, var: VarId) -> Option<DimId> {
        self.scale_of[var.0]
    }

    /// The name of the link to a variable.
    pub fn link_name(&self, schema: &Schema, var: VarId) -> String {
        let name = &schema.var(var).name;
        if self.prefixed[var.0] {
            format!("{NON_COORDINATE_PREFIX}{name}")
        } else {
            name.clone()
        }
    }

    /// The attribute `_Netcdf4Dimid` of a scale.
    pub fn dimension_id(&self, dim: DimId) -> AttributeSpec {
        scalar(DIMENSION_ID, int(), self.ids[dim.0].to_le_bytes().to_vec())
    }

    /// The attribute `_Netcdf4Coordinates` of a variable.
    pub fn coordinate_ids(&self, dims: &[DimId]) -> AttributeSpec {
        let bytes = dims.iter().flat_map(|d| self.ids[d.0].to_le_bytes()).collect();
        AttributeSpec {
            name: COORDINATES.to_owned(),
            datatype: DatatypeSpec::Inline(int()),
            dataspace: Dataspace::fixed(&[dims.len() as u64]),
            data: Data::plain(bytes),
        }
    }
}

fn int() -> Datatype {
    Datatype::integer(4, true, ByteOrder::Little)
}

fn scalar(name: &str, datatype: Datatype, bytes: Vec<u8>) -> AttributeSpec {
    AttributeSpec {
        name: name.to_owned(),
        datatype: DatatypeSpec::Inline(datatype),
        dataspace: Dataspace::Scalar,
        data: Data::plain(bytes),
    }
}

/// Text with a terminating NUL, as the dimension scale library writes `CLASS` and `NAME`.
fn terminated(name: &str, text: &str) -> AttributeSpec {
    let mut bytes = text.as_bytes().to_vec();
    bytes.push(0);
    let size = u32::try_from(bytes.len()).unwrap_or(u32::MAX);
    let datatype = Datatype::string(size, StringPadding::NullTerminate, CharacterSet::Ascii);
    scalar(name, datatype, bytes)
}

/// The attribute `CLASS` of a scale.
pub fn class() -> AttributeSpec {
    terminated(CLASS, DIMENSION_SCALE)
}

/// The attribute `NAME` of a coordinate variable.
pub fn name_of_variable(name: &str) -> AttributeSpec {
    terminated(NAME, name)
}

/// The attribute `NAME` of a scale that is no variable. The length follows in ten columns.
pub fn name_of_dimension(length: u64) -> AttributeSpec {
    terminated(NAME, &format!("{DIMENSION_WITHOUT_VARIABLE}.{length:10}"))
}

/// The attribute `DIMENSION_LIST`: for each dimension, a sequence with one reference to its scale.
pub fn dimension_list(scales: &[ObjectId]) -> AttributeSpec {
    let sequences = scales.iter().enumerate().map(|(i, scale)| {
        let reference = Data {
            bytes: vec![0; 8],
            references: vec![(0, *scale)],
            ..Data::default()
        };
        (i * 16, 1, reference)
    });
    AttributeSpec {
        name: DIMENSION_LIST.to_owned(),
        datatype: DatatypeSpec::Inline(Datatype::variable_length(Datatype::object_reference())),
        dataspace: Dataspace::fixed(&[scales.len() as u64]),
        data: Data {
            bytes: vec![0; scales.len() * 16],
            sequences: sequences.collect(),
            ..Data::default()
        },
    }
}

/// The attribute `REFERENCE_LIST`: the variables attached to a scale, each with the position of the dimension
/// in its shape.
pub fn reference_list(attached: &[(ObjectId, u32)]) -> AttributeSpec {
    /// Bytes of one entry: reference, position, and the padding of the C structure.
    const ELEMENT: usize = 16;
    let mut data = Data::plain(vec![0; attached.len() * ELEMENT]);
    for (i, ((object, position), element)) in attached
        .iter()
        .zip(data.bytes.chunks_exact_mut(ELEMENT))
        .enumerate()
    {
        data.references.push((i * ELEMENT, *object));
        element[8..12].copy_from_slice(&position.to_le_bytes());
    }
    let member = |name: &str, offset, datatype| CompoundMember {
        name: name.to_owned(),
        offset,
        datatype,
    };
    let datatype = Datatype {
        size: ELEMENT as u32,
        class: Class::Compound {
            members: vec![
                member("dataset", 0, Datatype::object_reference()),
                member("dimension", 8, int()),
            ],
        },
    };
    AttributeSpec {
        name: REFERENCE_LIST.to_owned(),
        datatype: DatatypeSpec::Inline(datatype),
        dataspace: Dataspace::fixed(&[attached.len() as u64]),
        data,
    }
}

/// The dataset of a dimension without coordinate variable, as netcdf-c makes it: big-endian floats that are
/// never stored.
pub fn scale_dataset(dim: &Dimension) -> DatasetSpec {
    let (layout, allocation_time) = if dim.unlimited {
        let layout = LayoutSpec::Chunked {
            shape: vec![SCALE_CHUNK],
            chunk_count: 0,
        };
        (layout, AllocationTime::Incremental)
    } else {
        let layout = LayoutSpec::Contiguous {
            size: dim.length.saturating_mul(4),
            allocated: false,
        };
        (layout, AllocationTime::Late)
    };
    DatasetSpec {
        datatype: DatatypeSpec::Inline(Datatype::ieee(4, ByteOrder::Big)),
        dataspace: Dataspace::Simple {
            dims: vec![dim.length],
            max_dims: vec![(!dim.unlimited).then_some(dim.length)],
        },
        layout,
        allocation_time,
        fill_time: FillTime::IfSet,
        fill: FillSpec::Default,
        filters: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Kind, Type, Variable};

    #[test]
    fn a_coordinate_variable_has_the_name_and_first_dimension() {
        let mut schema = Schema::new(Kind::Netcdf4);
        let dim = |schema: &mut Schema, name: &str, group| {
            schema.add_dim(Dimension {
                name: name.into(),
                group,
                length: 2,
                unlimited: false,
            })
        };
        let g = schema.add_group(Schema::ROOT, "g");
        let inner = dim(&mut schema, "inner", g);
        let x = dim(&mut schema, "x", Schema::ROOT);
        let y = dim(&mut schema, "y", Schema::ROOT);
        let var = |schema: &mut Schema, name: &str, group, dims: &[DimId]| {
            schema.add_var(Variable {
                name: name.into(),
                group,
                ty: Type::Int,
                dims: dims.to_vec(),
                attributes: vec![].into(),
            })
        };
        let vx = var(&mut schema, "x", Schema::ROOT, &[x, y]);
        let vy = var(&mut schema, "y", Schema::ROOT, &[x, y]);
        let gx = var(&mut schema, "x", g, &[x]);
        let scalar = var(&mut schema, "inner", g, &[]);
        let scales = Scales::new(&schema);
        assert_eq!((scales.coordinate(x), scales.scale_of(vx)), (Some(vx), Some(x)));
        assert_eq!((scales.coordinate(y), scales.scale_of(vy)), (None, None));
        let names = [vx, vy, gx, scalar].map(|v| scales.link_name(&schema, v));
        assert_eq!(names, ["x", "_nc4_non_coord_y", "x", "_nc4_non_coord_inner"]);
        // Ids follow the order of groups, whatever the order in which dimensions were added.
        assert_eq!([x, y, inner].map(|d| scales.ids[d.0]), [0, 1, 2]);
    }

    #[test]
    fn a_dimensions_name_has_64_bytes() {
        let name = name_of_dimension(7);
        assert_eq!(name.data.bytes.len(), 64);
        assert!(name.data.bytes.ends_with(b"variable.         7\0"));
    }
}
