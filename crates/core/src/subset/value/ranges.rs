//! Attributes that tell the range of a variable's values: `valid_min`, `valid_max` and `valid_range` of netCDF's attribute
//! conventions, `actual_range` of the CF conventions.

use super::packing::Packing;
use crate::error::{Error, Result};
use crate::model::{Attribute, Type, Values, Variable, for_number_type};
use crate::subset::shift::Shift;

/// True for an attribute that tells the least or the greatest value of its variable.
pub fn is_range(attribute: &Attribute) -> bool {
    ends(attribute).is_some()
}

/// The positions of the least and of the greatest value in an attribute; `None` for an attribute that is no range.
fn ends(attribute: &Attribute) -> Option<[Option<usize>; 2]> {
    match (attribute.name.as_str(), attribute.length) {
        ("valid_min", 1) => Some([Some(0), None]),
        ("valid_max", 1) => Some([None, Some(0)]),
        ("valid_range" | "actual_range", 2) => {
            let (first, second) = (number(attribute, 0)?, number(attribute, 1)?);
            Some(match first <= second {
                true => [Some(0), Some(1)],
                false => [Some(1), Some(0)],
            })
        }
        _ => None,
    }
}

/// Extends the ranges of a variable, so that they hold the values that a shift has changed.
///
/// # Errors
/// The type of an attribute cannot hold the new value.
pub fn extend(variable: &mut Variable, changed: &[f64]) -> Result<()> {
    let extremes = |values: &mut dyn Iterator<Item = f64>| {
        values.fold((f64::INFINITY, f64::NEG_INFINITY), |(least, greatest), value| {
            (least.min(value), greatest.max(value))
        })
    };
    if changed.is_empty() {
        return Ok(());
    }
    let stored = extremes(&mut changed.iter().copied());
    let packing = Packing::of(variable);
    let unpacked = match packing {
        Some(packing) => extremes(&mut changed.iter().map(|value| packing.unpacked(*value))),
        None => stored,
    };
    let (name, ty) = (variable.name.clone(), variable.ty);
    for attribute in &mut variable.attributes {
        let Some([least, greatest]) = ends(attribute) else {
            continue;
        };
        // Valid values are told as they are stored, or in the type of unpacked values. The actual range is of these.
        let of = match attribute.ty == ty && attribute.name != "actual_range" {
            true => stored,
            false => unpacked,
        };
        let told = |error: Error| error.in_variable(&name);
        if let Some(at) = least.filter(|at| number(attribute, *at).is_some_and(|old| of.0 < old)) {
            set(attribute, at, of.0, f64::floor).map_err(told)?;
        }
        if let Some(at) = greatest.filter(|at| number(attribute, *at).is_some_and(|old| of.1 > old)) {
            set(attribute, at, of.1, f64::ceil).map_err(told)?;
        }
    }
    Ok(())
}

/// The values of a cut variable that its shift has changed, as they are stored.
pub fn changed(shift: &Shift, counts: &[u64], values: &Values) -> Vec<f64> {
    let size = shift.ty.atomic_size().max(1);
    let length = |counts: &[u64]| counts.iter().product::<u64>() as usize;
    let inner = counts.get(shift.dimension + 1..).map_or(1, length).max(1);
    let turned = |n: usize| {
        let cell = (n / inner) % shift.turns.len().max(1);
        shift.turns.get(cell).is_some_and(|turns| *turns != 0)
    };
    let elements = values.bytes.chunks_exact(size).enumerate();
    elements
        .filter(|(n, element)| turned(*n) && !shift.missing.iter().any(|missing| missing == element))
        .filter_map(|(_, element)| read(shift.ty, element))
        .filter(|value| value.is_finite())
        .collect()
}

fn number(attribute: &Attribute, at: usize) -> Option<f64> {
    let size = match attribute.ty {
        Type::Char | Type::String | Type::User(_) => return None,
        ty => ty.atomic_size(),
    };
    read(attribute.ty, attribute.values.bytes.chunks_exact(size).nth(at)?)
}

fn read(ty: Type, element: &[u8]) -> Option<f64> {
    macro_rules! number {
        ($ty:ty) => {
            Some(<$ty>::from_le_bytes(element.try_into().ok()?) as f64)
        };
    }
    for_number_type!(ty, number, number, else None)
}

/// Sets one number of an attribute to `value`, which `outward` rounds where the type has no fractions.
fn set(attribute: &mut Attribute, at: usize, value: f64, outward: fn(f64) -> f64) -> Result<()> {
    let refused = || {
        Error::Usage(format!(
            "{value} across the seam is outside of the attribute {}, whose type cannot hold it; \
             select each side of the seam by itself, joined by a comma",
            attribute.name
        ))
    };
    macro_rules! integer {
        ($ty:ty) => {
            <$ty>::try_from(outward(value) as i128)
                .map_err(|_| refused())?
                .to_le_bytes()
                .to_vec()
        };
    }
    macro_rules! float {
        ($ty:ty) => {{
            let nearest = value as $ty;
            let next = match (nearest as f64).partial_cmp(&value) {
                Some(std::cmp::Ordering::Less) if outward(0.5) > 0.5 => nearest.next_up(),
                Some(std::cmp::Ordering::Greater) if outward(0.5) < 0.5 => nearest.next_down(),
                _ => nearest,
            };
            next.to_le_bytes().to_vec()
        }};
    }
    let bytes = for_number_type!(attribute.ty, integer, float, else return Ok(()));
    let from = at * bytes.len();
    if let Some(place) = attribute.values.bytes.get_mut(from..from + bytes.len()) {
        place.copy_from_slice(&bytes);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Schema;

    fn doubles(name: &str, numbers: &[f64]) -> Attribute {
        Attribute {
            name: name.into(),
            ty: Type::Double,
            length: numbers.len(),
            values: Values::from_bytes(numbers.iter().flat_map(|n| n.to_le_bytes()).collect()),
        }
    }

    fn shorts(name: &str, numbers: &[i16]) -> Attribute {
        Attribute {
            name: name.into(),
            ty: Type::Short,
            length: numbers.len(),
            values: Values::from_bytes(numbers.iter().flat_map(|n| n.to_le_bytes()).collect()),
        }
    }

    fn variable(ty: Type, attributes: &[Attribute]) -> Variable {
        Variable {
            name: "lon".into(),
            group: Schema::ROOT,
            ty,
            dims: Vec::new(),
            attributes: attributes.to_vec().into(),
        }
    }

    #[test]
    fn ranges_grow_to_the_new_values_and_never_shrink() {
        let attributes = [
            doubles("valid_min", &[-180.0]),
            doubles("valid_max", &[180.0]),
            doubles("valid_range", &[-180.0, 180.0]),
            doubles("actual_range", &[170.0, -180.0]),
            doubles("other", &[1.0, 2.0]),
        ];
        let mut lon = variable(Type::Double, &attributes);
        extend(&mut lon, &[190.0, 200.5]).unwrap();
        let numbers = |n: usize| [number(&lon.attributes[n], 0), number(&lon.attributes[n], 1)];
        assert_eq!(numbers(0), [Some(-180.0), None]);
        assert_eq!(numbers(1), [Some(200.5), None]);
        assert_eq!(numbers(2), [Some(-180.0), Some(200.5)]);
        assert_eq!(numbers(3), [Some(200.5), Some(-180.0)]);
        assert_eq!(numbers(4), [Some(1.0), Some(2.0)]);
    }

    #[test]
    fn packed_ranges_hold_stored_values_and_others_hold_unpacked_ones() {
        let attributes = [
            doubles("scale_factor", &[0.1]),
            shorts("valid_range", &[0, 3599]),
            doubles("actual_range", &[0.0, 359.9]),
        ];
        let mut lon = variable(Type::Short, &attributes);
        extend(&mut lon, &[-100.0, -1.0]).unwrap();
        assert_eq!(number(&lon.attributes[1], 0), Some(-100.0));
        assert_eq!(number(&lon.attributes[1], 1), Some(3599.0));
        assert_eq!(number(&lon.attributes[2], 0), Some(-10.0));
        let mut lon = variable(Type::Double, &[shorts("valid_max", &[359])]);
        extend(&mut lon, &[360.5]).unwrap();
        assert_eq!(number(&lon.attributes[0], 0), Some(361.0));
        let told = extend(&mut lon, &[1e9]).unwrap_err().to_string();
        assert!(told.contains("the attribute valid_max, whose type"), "{told}");
    }

    #[test]
    fn missing_and_unchanged_values_are_no_change() {
        let shift = Shift {
            dimension: 0,
            turns: vec![0, 1],
            ty: Type::Double,
            unit: 1.0,
            missing: vec![9e9f64.to_le_bytes().to_vec()],
        };
        let bounds = [1.0, 2.0, 9e9, 365.0f64];
        let values = Values::from_bytes(bounds.iter().flat_map(|n| n.to_le_bytes()).collect());
        assert_eq!(changed(&shift, &[2, 2], &values), [365.0]);
    }
}
