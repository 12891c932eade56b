//! [`UserTypes`]: which user-defined types a program knows.

use crate::model::{Schema, Type, TypeClass};

/// The user-defined types that a program knows: compounds, sequences, enums, opaque.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UserTypes {
    /// All that a file holds.
    All,
    /// In files those of the Python package netCDF4: enums, sequences of numbers, and compounds of numbers and such compounds.
    OfNetcdf4Python,
    /// None.
    None,
}

impl UserTypes {
    /// What the program does not show of variables; `None` if it shows all.
    pub fn unshown_sort(self) -> Option<&'static str> {
        match self {
            Self::All => None,
            Self::OfNetcdf4Python => Some("opaque values, nor sequences and compounds of other than numbers"),
            Self::None => Some("user-defined types"),
        }
    }

    /// What the program does not show, if a variable of this type is of that sort.
    pub(super) fn unshown(self, schema: &Schema, ty: Type) -> Option<&'static str> {
        let Type::User(id) = ty else {
            return None;
        };
        let is_shown = match (self, &schema.user_type(id).class) {
            (Self::None, _) => false,
            (Self::OfNetcdf4Python, _) if schema.kind.can().keys => true,
            (Self::All, _) | (_, TypeClass::Enum { .. }) => true,
            (_, TypeClass::Opaque { .. }) => false,
            (_, TypeClass::Vlen { base }) => is_number(*base),
            (_, TypeClass::Compound { .. }) => is_of_numbers(schema, ty),
        };
        self.unshown_sort().filter(|_| !is_shown)
    }

    /// True if the program does not open a dataset with an attribute of this type.
    pub(super) fn fail_in_attributes(self, schema: &Schema, ty: Type) -> bool {
        match ty {
            Type::User(id) if self == Self::OfNetcdf4Python && !schema.kind.can().keys => {
                let is_enum = matches!(schema.user_type(id).class, TypeClass::Enum { .. });
                !is_enum && !is_of_numbers(schema, ty)
            }
            _ => false,
        }
    }
}

fn is_number(ty: Type) -> bool {
    !matches!(ty, Type::User(_) | Type::String)
}

/// True for a number, and for a compound of nothing else.
fn is_of_numbers(schema: &Schema, ty: Type) -> bool {
    match ty {
        Type::User(id) => match &schema.user_type(id).class {
            TypeClass::Compound { fields, .. } => fields.iter().all(|field| is_of_numbers(schema, field.ty)),
            _ => false,
        },
        ty => is_number(ty),
    }
}
