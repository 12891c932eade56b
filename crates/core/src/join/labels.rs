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

#[cfg(test)]
mod tests {
    use super::*;

    fn of(labels: &[&str]) -> (Type, Values) {
        let labels: Vec<String> = labels.iter().map(|label| (*label).to_owned()).collect();
        let (variable, values) = coordinate("run", DimId(0), &labels, labels.len()).unwrap();
        (variable.ty, values)
    }

    #[test]
    fn labels_have_the_narrowest_type_of_all() {
        assert_eq!(of(&["1", " -2"]).0, Type::Int);
        assert_eq!(of(&["1", "3000000000"]).0, Type::Int64);
        assert_eq!(of(&["1", "2.5"]).0, Type::Double);
        assert_eq!(of(&["1", "nan"]).0, Type::String);
        assert_eq!(of(&["a", "1"]).0, Type::String);
        assert_eq!(
            of(&["1", "2"]).1.bytes,
            [1i32.to_le_bytes(), 2i32.to_le_bytes()].concat()
        );
    }

    #[test]
    fn a_region_has_its_own_labels() {
        let (_, values) = of(&["a", "b", "c"]);
        let layout = VariableLayout::contiguous(vec![3], SLOT_SIZE, Encoding::Structured);
        let asked = Region {
            start: vec![1],
            count: vec![2],
        };
        let found = region(&values, &layout, &asked);
        assert_eq!(
            (found.string(0), found.string(SLOT_SIZE)),
            (Some(&b"b"[..]), Some(&b"c"[..]))
        );
    }

    #[test]
    fn there_is_a_label_for_each_input() {
        let error = coordinate("run", DimId(0), &["1".to_owned()], 2).unwrap_err();
        assert!(
            error.to_string().contains("1 labels are given for 2 inputs"),
            "{error}"
        );
    }
}
