//! [`Program`]: identifiers of a dataset's items in the program.

use crate::cdl::program::identifiers::Identifiers;
use crate::model::{GroupId, Schema, Type};

/// Maximum length of an identifier. C99 compilers distinguish at least 63 characters.
pub(super) const LONGEST: usize = 60;

/// Identifiers that the parts of the program share.
pub(super) struct Program<'a> {
    pub(super) schema: &'a Schema,
    pub(super) groups: Vec<String>,
    pub(super) dims: Vec<String>,
    pub(super) types: Vec<String>,
    pub(super) vars: Vec<String>,
    /// The identifiers of each compound's fields.
    pub(super) fields: Vec<Vec<String>>,
}

impl<'a> Program<'a> {
    pub(super) fn new(schema: &'a Schema) -> Self {
        let mut names = Identifiers::default();
        let mut all = |prefix: &str, of: Vec<&str>| -> Vec<String> {
            of.into_iter()
                .map(|name| names.make(prefix, name, LONGEST))
                .collect()
        };
        let fields = |class: &crate::model::TypeClass| match class {
            crate::model::TypeClass::Compound { fields, .. } => {
                let mut names = Identifiers::default();
                fields
                    .iter()
                    .map(|f| names.make("f_", &f.name, LONGEST))
                    .collect()
            }
            _ => Vec::new(),
        };
        Self {
            schema,
            groups: all("group_", schema.groups.iter().map(|g| g.name.as_str()).collect()),
            dims: all("dim_", schema.dims.iter().map(|d| d.name.as_str()).collect()),
            types: all("type_", schema.types.iter().map(|t| t.name.as_str()).collect()),
            vars: all("var_", schema.vars.iter().map(|v| v.name.as_str()).collect()),
            fields: schema.types.iter().map(|t| fields(&t.class)).collect(),
        }
    }

    /// The `nc_type` constant or variable of a type.
    pub(super) fn type_id(&self, ty: Type) -> &str {
        match ty {
            Type::Byte => "NC_BYTE",
            Type::Char => "NC_CHAR",
            Type::Short => "NC_SHORT",
            Type::Int => "NC_INT",
            Type::Float => "NC_FLOAT",
            Type::Double => "NC_DOUBLE",
            Type::UByte => "NC_UBYTE",
            Type::UShort => "NC_USHORT",
            Type::UInt => "NC_UINT",
            Type::Int64 => "NC_INT64",
            Type::UInt64 => "NC_UINT64",
            Type::String => "NC_STRING",
            Type::User(id) => &self.types[id.0],
        }
    }

    pub(super) fn group(&self, id: GroupId) -> &str {
        &self.groups[id.0]
    }
}
