//! The coordinate of a new dimension, of the labels that a user gives.

use crate::error::{Request, Result};
use crate::format::Region;
use crate::model::{DimId, Encoding, GroupId, SLOT_SIZE, Type, Values, Variable, VariableLayout};

/// The variable `name` with these labels: integers if all are, else numbers if all are, else strings. A label stands for each of
/// `count` inputs.
///
/// # Errors
/// Another number of labels than of inputs.
pub fn coordinate(name: &str, dim: DimId, labels: &[String], count: usize) -> Result<(Variable, Values)> {
    if labels.len() != count {
        return Err(Request::Labels.error(format!("{} labels are given for {count} inputs", labels.len())));
    }
    fn all<T: std::str::FromStr>(labels: &[String]) -> Option<Vec<T>> {
        labels.iter().map(|label| label.trim().parse().ok()).collect()
    }
    let (ty, values) = if let Some(numbers) = all::<i32>(labels) {
        (Type::Int, numbers.iter().flat_map(|n| n.to_le_bytes()).collect())
    } else if let Some(numbers) = all::<i64>(labels) {
        (
            Type::Int64,
            numbers.iter().flat_map(|n| n.to_le_bytes()).collect(),
        )
    } else if let Some(numbers) = all::<f64>(labels).filter(|all| all.iter().all(|n| n.is_finite())) {
        (
            Type::Double,
            numbers.iter().flat_map(|n| n.to_le_bytes()).collect(),
        )
    } else {
        let strings = labels.iter().map(|label| Some(label.as_bytes()));
        return Ok((variable(name, dim, Type::String), Values::from_strings(strings)));
    };
    Ok((variable(name, dim, ty), Values::from_bytes(values)))
}

fn variable(name: &str, dim: DimId, ty: Type) -> Variable {
    Variable {
        name: name.to_owned(),
        group: GroupId(0),
        ty,
        dims: vec![dim],
        attributes: Vec::new().into(),
    }
}

/// The labels in a region of their variable.
pub fn region(values: &Values, layout: &VariableLayout, region: &Region) -> Values {
    let size = match layout.encoding {
        Encoding::Structured => SLOT_SIZE,
        _ => layout.element_size,
    };
    let (start, count) = (
        region.start.first().copied().unwrap_or(0),
        region.count.first().copied().unwrap_or(1),
    );
    let (start, count) = (start as usize * size, count as usize * size);
    Values {
        bytes: values
            .bytes
            .get(start..start + count)
            .unwrap_or_default()
            .to_vec(),
        heap: values.heap.clone(),
    }
}
