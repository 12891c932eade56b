//! Small schemas, and files made of them.

use std::sync::Arc;

use ncutils_core::error::Error;
use ncutils_core::filter::{Pipeline, Registry};
use ncutils_core::format::{self, Promised, Reader, VariablePlan};
use ncutils_core::model::{
    Attribute, DimId, Dimension, Encoding, Endian, Kind, Schema, Type, Values, VarId, Variable,
    VariableLayout,
};
use ncutils_core::store::MemoryOutput;

pub const KINDS: [Kind; 3] = [Kind::Classic, Kind::Offset64, Kind::Data64];
pub const CLASSIC_TYPES: [Type; 6] = [
    Type::Byte,
    Type::Char,
    Type::Short,
    Type::Int,
    Type::Float,
    Type::Double,
];
pub const MORE_TYPES: [Type; 5] = [Type::UByte, Type::UShort, Type::UInt, Type::Int64, Type::UInt64];

pub fn dim(schema: &mut Schema, name: &str, length: u64, unlimited: bool) -> DimId {
    schema.add_dim(Dimension {
        name: name.to_owned(),
        group: Schema::ROOT,
        length,
        unlimited,
    })
}

pub fn var(schema: &mut Schema, name: &str, ty: Type, dims: &[DimId]) -> VarId {
    schema.add_var(Variable {
        name: name.to_owned(),
        group: Schema::ROOT,
        ty,
        dims: dims.to_vec(),
        attributes: Vec::new().into(),
    })
}

pub fn attribute(name: &str, ty: Type, bytes: &[u8]) -> Attribute {
    Attribute {
        name: name.to_owned(),
        ty,
        length: bytes.len() / ty.atomic_size(),
        values: Values::from_bytes(bytes.to_vec()),
    }
}

pub fn plan(schema: &Schema, id: VarId, endian: Endian) -> VariablePlan {
    let size = schema.type_size(schema.var(id).ty);
    VariablePlan::with_pipeline(
        VariableLayout::contiguous(schema.shape(id), size, Encoding::Numbers { unit: size })
            .with_endian(endian),
        Pipeline::empty(),
        Promised::Nothing,
    )
}

pub fn plans(schema: &Schema) -> Vec<VariablePlan> {
    (0..schema.vars.len())
        .map(|i| plan(schema, VarId(i), Endian::Big))
        .collect()
}

/// Writes `pieces` (variable, byte offset, big-endian bytes) and gives the file.
pub fn write(schema: &Schema, pieces: &[(VarId, u64, Vec<u8>)]) -> Vec<u8> {
    let output = Arc::new(MemoryOutput::new());
    let mut plans = plans(schema);
    for (n, plan) in plans.iter_mut().enumerate() {
        let own = pieces.iter().filter(|(var, ..)| var.0 == n);
        plan.promised = Promised::Bytes(own.map(|(.., bytes)| bytes.len() as u64).sum());
    }
    let writer = format::create(output.clone(), schema, &plans).unwrap();
    for (var, offset, bytes) in pieces {
        writer.write_range(*var, *offset, bytes).unwrap();
    }
    assert!(!output.committed());
    writer.finish().unwrap();
    assert!(output.committed());
    output.bytes()
}

pub fn open(bytes: Vec<u8>) -> Result<Box<dyn Reader>, Error> {
    format::open(Arc::new(bytes), &Registry::builtin())
}

/// All of a variable as stored, big-endian.
pub fn stored(reader: &dyn Reader, id: VarId) -> Vec<u8> {
    let layout = reader.layout(id);
    let size = layout.extent.iter().product::<u64>() as usize * layout.element_size;
    let mut bytes = vec![0xEE; size];
    reader.read_range(id, 0, &mut bytes).unwrap();
    bytes
}

pub fn big_endian(mut bytes: Vec<u8>, size: usize) -> Vec<u8> {
    bytes.chunks_exact_mut(size).for_each(<[u8]>::reverse);
    bytes
}
