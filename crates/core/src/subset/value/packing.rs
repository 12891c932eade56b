//! Packed values: `scale_factor` and `add_offset` of the CF conventions, section 8.1.

use super::cell::attribute_number;
use crate::model::Variable;

/// The rule by which stored numbers are unpacked.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Packing {
    /// Factor of stored numbers.
    pub scale: f64,
    offset: f64,
}

impl Packing {
    /// The packing of a variable; `None` if its values are stored as they are.
    pub fn of(variable: &Variable) -> Option<Self> {
        let number = |name: &str| {
            let attribute = variable.attributes.iter().find(|a| a.name == name)?;
            attribute_number(attribute).filter(|n| n.is_finite())
        };
        let (scale, offset) = (number("scale_factor"), number("add_offset"));
        (scale.is_some() || offset.is_some()).then(|| Self {
            scale: scale.filter(|scale| *scale != 0.0).unwrap_or(1.0),
            offset: offset.unwrap_or(0.0),
        })
    }

    pub fn unpacked(&self, stored: f64) -> f64 {
        stored * self.scale + self.offset
    }

    pub fn packed(&self, value: f64) -> f64 {
        (value - self.offset) / self.scale
    }

    /// The value of the stored integer nearest to `value`, if the difference is one of rounding; else `value`.
    pub fn nearest(&self, value: f64) -> f64 {
        let stored = self.packed(value);
        let whole = stored.round();
        let rounding = (1e-6 * stored.abs().max(1.0)).min(0.25);
        match (stored - whole).abs() <= rounding {
            true => self.unpacked(whole),
            false => value,
        }
    }

    /// A value in as many digits as the packing holds.
    pub fn shown(&self, value: f64) -> String {
        let digits = (-self.scale.abs().log10()).ceil().clamp(0.0, 12.0) as usize + 2;
        let text = format!("{value:.digits$}");
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    }
}
