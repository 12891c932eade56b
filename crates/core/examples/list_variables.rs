//! Lists the variables of a dataset, and prints the first values of each numeric one.
//!
//! ```text
//! cargo run -p ncutils-core --example list_variables -- FILE
//! ```

use ncutils_core::chunk::Region;
use ncutils_core::format::Reader;
use ncutils_core::location::Location;
use ncutils_core::model::{Type, VarId};

/// How many values of each variable are printed, along its last dimension.
const SHOWN: u64 = 5;

fn main() -> anyhow::Result<()> {
    let Some(name) = std::env::args_os().nth(1) else {
        anyhow::bail!("usage: list_variables FILE");
    };
    let reader = Location::parse(name)?.open()?;
    let schema = reader.schema();
    for n in 0..schema.vars.len() {
        let var = VarId(n);
        let path = schema.var_path(var);
        println!("{path} {:?} {:?}", schema.var(var).ty, schema.shape(var));
        if let Some(values) = first_values(&*reader, var)? {
            println!("    {values:?}");
        }
    }
    Ok(())
}

/// The first values of a variable; `None` where they are no numbers.
fn first_values(reader: &dyn Reader, var: VarId) -> anyhow::Result<Option<Vec<f64>>> {
    let schema = reader.schema();
    // A region is a start and a count for each dimension.
    let mut region = Region::whole(&schema.shape(var));
    if let Some((last, slower)) = region.count.split_last_mut() {
        slower.iter_mut().for_each(|count| *count = (*count).min(1));
        *last = (*last).min(SHOWN);
    }
    let number: fn(&[u8]) -> f64 = match schema.var(var).ty {
        Type::Short => |bytes| i16::from_le_bytes([bytes[0], bytes[1]]).into(),
        Type::Int => |bytes| i32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]).into(),
        Type::Float => |bytes| f32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]).into(),
        Type::Double => |bytes| f64::from_le_bytes(bytes.try_into().unwrap_or_default()),
        _ => return Ok(None),
    };
    // Whatever the file's format, filters and byte order: elements are little-endian, one after another.
    let values = reader.read_region(var, &region)?;
    let size = schema.type_size(schema.var(var).ty);
    Ok(Some(values.bytes.chunks_exact(size).map(number).collect()))
}
