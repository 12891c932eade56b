//! [`Unpacking`]: packed numbers of one input decoded, by the CF conventions, section 8.1.

use crate::chunk::resize;
use crate::error::{Error, Result};
use crate::model::{Attribute, FILL_VALUE_ATTRIBUTE, Type, Values, Variable, default_fill_value};
use crate::subset::value::{Cell, attribute_number, missing, stored};

/// Attributes that tell the range of stored numbers.
const RANGES: [&str; 3] = ["valid_min", "valid_max", "valid_range"];

/// How the numbers of one input's variable are unpacked.
#[derive(Debug, Clone, PartialEq)]
pub struct Unpacking {
    from: Type,
    /// Added to negative numbers if `_Unsigned` says that they are unsigned; else 0.
    wrap: f64,
    scale: f64,
    offset: f64,
    /// Numbers that stand for none.
    missing: Vec<Vec<u8>>,
    /// The type that the attributes ask for.
    pub asks: Type,
}

impl Unpacking {
    /// How a variable is unpacked. One without `scale_factor` and `add_offset` keeps its values, in another type.
    ///
    /// # Errors
    /// Values that are no numbers.
    pub fn new(variable: &Variable) -> Result<Self> {
        if !variable.ty.is_number() {
            return Err(Error::Usage("has no numbers that could be unpacked".into()));
        }
        let of = |name: &str| variable.attributes.iter().find(|a| a.name == name);
        let (scale, offset) = (of("scale_factor"), of("add_offset"));
        if let Some(wrong) = [scale, offset]
            .into_iter()
            .flatten()
            .find(|a| attribute_number(a).is_none())
        {
            return Err(Error::Usage(format!(
                "{} is no number, so it cannot be unpacked",
                wrong.name
            )));
        }
        let is_double = |attribute: Option<&Attribute>| attribute.is_some_and(|a| a.ty == Type::Double);
        let is_wide = matches!(
            variable.ty,
            Type::Int | Type::UInt | Type::Int64 | Type::UInt64 | Type::Double
        );
        let is_unsigned = of("_Unsigned").is_some_and(|a| a.values.bytes.eq_ignore_ascii_case(b"true"));
        let bits = 8 * variable.ty.atomic_size() as i32;
        Ok(Self {
            from: variable.ty,
            wrap: if is_unsigned { 2f64.powi(bits) } else { 0.0 },
            scale: scale.and_then(attribute_number).unwrap_or(1.0),
            offset: offset.and_then(attribute_number).unwrap_or(0.0),
            missing: missing(variable),
            asks: match is_wide || is_double(scale) || is_double(offset) {
                true => Type::Double,
                false => Type::Float,
            },
        })
    }

    fn number(&self, stored: f64) -> f64 {
        let wrap = if stored < 0.0 { self.wrap } else { 0.0 };
        (stored + wrap) * self.scale + self.offset
    }

    /// Elements as numbers of type `to`, float or double. What stands for none becomes the default fill value of the type.
    ///
    /// # Errors
    /// If memory is short.
    pub fn unpacked(&self, packed: &Values, to: Type) -> Result<Values> {
        let (from, size) = (self.from.atomic_size(), to.atomic_size());
        let mut values = Values::default();
        resize(
            &mut values.bytes,
            (packed.bytes.len() / from).saturating_mul(size),
        )?;
        let fill = default_fill_value(to).unwrap_or_default();
        let elements = packed.bytes.chunks_exact(from);
        for (element, out) in elements.zip(values.bytes.chunks_exact_mut(size)) {
            let number = match stored(self.from, element) {
                _ if self.missing.iter().any(|missing| missing == element) => None,
                Some(Cell::Integer(number)) => Some(number as f64),
                Some(Cell::Number(number)) => Some(number),
                // Not a number, of a float type.
                _ => Some(f64::NAN),
            };
            match (number.map(|number| self.number(number)), to) {
                (None, _) => out.copy_from_slice(&fill.bytes),
                (Some(number), Type::Float) => out.copy_from_slice(&(number as f32).to_le_bytes()),
                (Some(number), _) => out.copy_from_slice(&number.to_le_bytes()),
            }
        }
        Ok(values)
    }

    /// Changes a variable to its unpacked form, of type `to`: its type, and the attributes that told the packed one. Ranges of stored
    /// numbers become those of unpacked ones.
    pub fn change(&self, variable: &mut Variable, to: Type) {
        // A limit may be a number that stands for none.
        let limits = Self {
            missing: Vec::new(),
            ..self.clone()
        };
        let packed = variable.ty;
        let mut attributes: Vec<Attribute> = Vec::with_capacity(variable.attributes.len());
        for attribute in variable.attributes.iter() {
            match attribute.name.as_str() {
                "scale_factor" | "add_offset" | "missing_value" | "_Unsigned" | FILL_VALUE_ATTRIBUTE => {}
                name if RANGES.contains(&name) && attribute.ty == packed => {
                    if let Ok(values) = limits.unpacked(&attribute.values, to) {
                        attributes.push(Attribute {
                            ty: to,
                            values,
                            ..attribute.clone()
                        });
                    }
                }
                _ => attributes.push(attribute.clone()),
            }
        }
        attributes.push(Attribute {
            name: FILL_VALUE_ATTRIBUTE.to_owned(),
            ty: to,
            length: 1,
            values: default_fill_value(to).unwrap_or_default(),
        });
        variable.ty = to;
        variable.attributes = attributes.into();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{DimId, GroupId};

    fn number(name: &str, ty: Type, bytes: &[u8]) -> Attribute {
        Attribute {
            name: name.into(),
            ty,
            length: 1,
            values: Values::from_bytes(bytes.to_vec()),
        }
    }

    fn packed(attributes: Vec<Attribute>) -> Variable {
        Variable {
            name: "v".into(),
            group: GroupId(0),
            ty: Type::Byte,
            dims: vec![DimId(0)],
            attributes: attributes.into(),
        }
    }

    #[test]
    fn bytes_are_unpacked_to_the_type_of_the_scale() {
        let unpacking = |ty, scale: &[u8]| {
            let attributes = vec![
                number("scale_factor", ty, scale),
                number("_FillValue", Type::Byte, &[9]),
                number("_Unsigned", Type::Char, b"true"),
            ];
            Unpacking::new(&packed(attributes)).unwrap()
        };
        let double = unpacking(Type::Double, &0.5f64.to_le_bytes());
        assert_eq!(double.asks, Type::Double);
        assert_eq!(unpacking(Type::Float, &0.5f32.to_le_bytes()).asks, Type::Float);
        let values = double
            .unpacked(&Values::from_bytes(vec![1, 255, 9]), Type::Double)
            .unwrap();
        let wanted = [0.5f64, 127.5, 9.969_209_968_386_869e36];
        assert_eq!(values.bytes, wanted.map(f64::to_le_bytes).concat());
    }

    #[test]
    fn the_unpacked_variable_says_so() {
        let mut variable = packed(vec![
            number("scale_factor", Type::Float, &2f32.to_le_bytes()),
            number("valid_max", Type::Byte, &[50]),
            number("missing_value", Type::Byte, &[9]),
        ]);
        Unpacking::new(&variable.clone())
            .unwrap()
            .change(&mut variable, Type::Float);
        let names: Vec<_> = variable.attributes.iter().map(|a| a.name.as_str()).collect();
        assert_eq!(
            (variable.ty, &names[..]),
            (Type::Float, &["valid_max", "_FillValue"][..])
        );
        assert_eq!(variable.attributes[0].values.bytes, 100f32.to_le_bytes());
    }
}
