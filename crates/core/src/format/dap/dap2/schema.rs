//! From the description of a server to a schema of netCDF's classic model.

use std::collections::HashSet;

use super::attributes::{AttributeSet, Merged, attribute, classic_type, merged};
use super::dimensions::dimensions;
use super::leaf::Leaf;
use super::names::legal;
use crate::model::{Attributes, Dimension, Kind, Schema, Variable};

/// Length of the dimension of characters, where nothing else is asked for.
const STRING_LENGTH: u64 = 64;

/// Longest one.
const LONGEST_STRING: u64 = 1 << 20;

/// Largest variable of the 32-bit and 64-bit classic formats, in bytes.
const OF_CLASSIC: u64 = (1 << 31) - 4;
const OF_OFFSET64: u64 = (1 << 32) - 4;

/// A dataset of netCDF, with the server's variable of each of its variables.
pub struct Described {
    pub schema: Schema,
    /// The server's variables, in the order of the schema.
    pub leaves: Vec<Leaf>,
}

/// Makes a schema of `leaves` and their attributes. `names` are those of all variables of the server. `string_length` is the length of dimensions of characters that the user asks for.
pub fn described(
    mut leaves: Vec<Leaf>,
    names: &HashSet<String>,
    das: &AttributeSet,
    string_length: Option<u64>,
) -> Described {
    let mut warnings = Vec::new();
    leaves.retain(|leaf| {
        let is_empty = leaf.dims.iter().any(|dim| dim.length == 0 && !dim.is_rows);
        if is_empty {
            warnings.push(format!(
                "variable {}: left out, as one of its dimensions has the length 0",
                leaf.name
            ));
        }
        !is_empty
    });
    let found = merged(das, &leaves, names);
    let default = string_length.unwrap_or(STRING_LENGTH).clamp(1, LONGEST_STRING);
    for leaf in leaves.iter_mut().filter(|leaf| leaf.atom.is_text()) {
        leaf.width = default as usize;
    }
    let unlimited = found.unlimited.as_deref().map(legal);
    let dims = dimensions(&leaves, unlimited.as_deref());
    let mut schema = Schema::new(Kind::Classic);
    for (name, length) in dims.all {
        schema.add_dim(Dimension {
            unlimited: unlimited.as_ref() == Some(&name),
            group: Schema::ROOT,
            name,
            length,
        });
    }
    for (n, (leaf, own)) in leaves.iter().zip(dims.of_variables).enumerate() {
        schema.add_var(Variable {
            name: leaf.name.clone(),
            group: Schema::ROOT,
            ty: classic_type(leaf.atom),
            dims: own.into_iter().map(crate::model::DimId).collect(),
            attributes: attributes(&found, n, leaf, &mut warnings),
        });
    }
    let globals = found.global.all().iter().filter_map(|described| {
        let made = attribute(described, None);
        made.map_err(|why| warnings.push(format!("attribute {}: left out: {why}", legal(&described.name))))
            .ok()
    });
    schema.groups[Schema::ROOT.0].attributes = globals.collect();
    schema.kind = kind(&schema);
    schema.warnings = warnings;
    Described { schema, leaves }
}

fn attributes(found: &Merged, n: usize, leaf: &Leaf, warnings: &mut Vec<String>) -> Attributes {
    let mut all = Vec::new();
    for described in found.of_variables[n].all() {
        match attribute(described, Some(leaf.atom)) {
            Ok(attribute) => all.push(attribute),
            Err(why) => warnings.push(format!(
                "attribute {}:{}: left out: {why}",
                leaf.name,
                legal(&described.name)
            )),
        }
    }
    all.into()
}

/// The first kind of classic files that holds the variables.
fn kind(schema: &Schema) -> Kind {
    let bytes = |n: usize| {
        let var = &schema.vars[n];
        let size = schema.type_size(var.ty) as u64;
        let fixed = var
            .dims
            .iter()
            .map(|dim| schema.dim(*dim))
            .filter(|dim| !dim.unlimited);
        fixed.fold(size, |bytes, dim| bytes.saturating_mul(dim.length))
    };
    let sizes: Vec<u64> = (0..schema.vars.len()).map(bytes).collect();
    let (largest, all) = (
        sizes.iter().max().copied().unwrap_or(0),
        sizes.iter().fold(0u64, |all, one| all.saturating_add(*one)),
    );
    match largest {
        OF_OFFSET64.. => Kind::Data64,
        _ if largest > OF_CLASSIC || all > OF_CLASSIC => Kind::Offset64,
        _ => Kind::Classic,
    }
}

#[cfg(test)]
mod tests {
    use super::super::constraint::Constraint;
    use super::super::{attributes, dds, leaves};
    use super::*;

    fn of(dds: &str, das: &str) -> Described {
        let leaves = leaves::leaves(&dds::parse(dds).unwrap(), &Constraint::default())
            .unwrap()
            .all;
        described(leaves, &HashSet::new(), &attributes::parse(das).unwrap(), None)
    }

    #[test]
    fn a_schema_is_made() {
        let made = of(
            "Dataset { String s[n = 2]; Int32 z[none = 0]; Float64 t[time = 3]; } d;",
            "Attributes { NC_GLOBAL { Int32 bad x; Int32 good 1; } t { Byte flag 7; } DODS_EXTRA { String Unlimited_Dimension \"time\"; } }",
        );
        let names: Vec<_> = made.schema.dims.iter().map(|dim| dim.name.as_str()).collect();
        assert_eq!(names, ["time", "maxStrlen64", "n"]);
        assert!(made.schema.dims[0].unlimited);
        assert_eq!([made.leaves[0].width, made.leaves[1].width], [64, 0]);
        assert_eq!(made.schema.warnings.len(), 2);
        assert_eq!(made.schema.vars[1].attributes[0].name, "flag");
    }

    #[test]
    fn large_variables_make_another_kind() {
        for (dims, kind) in [
            ("[1000]", Kind::Classic),
            ("[600000000]", Kind::Offset64),
            ("[100000][100000]", Kind::Data64),
        ] {
            let made = of(&format!("Dataset {{ Int32 a{dims}; }} d;"), "Attributes { }");
            assert_eq!(made.schema.kind, kind);
        }
    }
}
