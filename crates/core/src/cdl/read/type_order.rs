//! In which order the types of a group come into the file.
//!
//! netCDF-C's ncgen makes those first that are made of no user type, wherever the text has them; the others follow in the
//! order of the text. So does ours with a text that somebody wrote. A text that ncdump printed has the order of a file, and
//! that is not lost: a dump, made a file and dumped again, is the same text.

use std::collections::HashMap;

use crate::cdl::write::{Lines, write_types};
use crate::error::{Error, Result};
use crate::model::{GroupId, Schema, Type, TypeClass, UserType};

use super::text::Text;

/// Orders the types of each group. `sections` says where in the text the `types:` of which group stand.
///
/// # Errors
/// Where the source cannot be read.
pub fn order_types(schema: &mut Schema, sections: &HashMap<GroupId, u64>, text: &Text) -> Result<()> {
    for (&group, &at) in sections {
        let types = &schema.group(group).types;
        let ordered = types.is_sorted_by_key(|id| made_of_user_types(schema.user_type(*id)));
        if !ordered && !is_as_printed(schema, group, text, at)? {
            let mut types = types.clone();
            types.sort_by_key(|id| made_of_user_types(schema.user_type(*id)));
            schema.groups[group.0].types = types;
        }
    }
    Ok(())
}

fn made_of_user_types(ty: &UserType) -> bool {
    let user = |ty: &Type| matches!(ty, Type::User(_));
    match &ty.class {
        TypeClass::Vlen { base } => user(base),
        TypeClass::Compound { fields, .. } => fields.iter().any(|f| user(&f.ty)),
        TypeClass::Enum { .. } | TypeClass::Opaque { .. } => false,
    }
}

/// Whether what stands at `at` is what ncdump prints of the group's types, comments included, white space aside.
fn is_as_printed(schema: &Schema, group: GroupId, text: &Text, at: u64) -> Result<bool> {
    let mut printed = Vec::new();
    let mut lines = Lines::new(&mut printed);
    write_types(&mut lines, schema, group);
    lines.flush().map_err(|e| Error::io("cannot print types", e))?;
    drop(lines);
    let mut cursor = text.cursor(at);
    for byte in printed.into_iter().filter(|b| !b.is_ascii_whitespace()) {
        let found = loop {
            match cursor.take()? {
                Some(space) if space.is_ascii_whitespace() => {}
                found => break found,
            }
        };
        if found != Some(byte) {
            return Ok(false);
        }
    }
    Ok(true)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use crate::cdl::read::declared::declare;

    use super::*;

    fn order(types: &str) -> Vec<String> {
        let text = format!("netcdf x {{ {types} }}");
        let text = Text::new(Arc::new(text.into_bytes()), "x.cdl").unwrap();
        let schema = declare(&text).unwrap().schema;
        let types = &schema.group(Schema::ROOT).types;
        types
            .iter()
            .map(|id| schema.user_type(*id).name.clone())
            .collect()
    }

    #[test]
    fn types_made_of_no_others_come_first() {
        assert_eq!(
            order("types: int(*) v; v(*) w; compound c { v a; }; opaque(3) o; byte enum e {n = 1};"),
            ["v", "o", "e", "w", "c"]
        );
        // Declared in two sections, which ncdump never prints.
        assert_eq!(
            order("types: int(*) v ; v(*) w ; dimensions: x = 1; types: opaque(3) o ;"),
            ["v", "o", "w"]
        );
    }

    #[test]
    fn a_dump_keeps_its_order() {
        assert_eq!(
            order(
                "types:\n  int(*) v ;\n  v(*) w ;\n  compound c {\n    v a ;\n  }; // c\n  opaque(3) o ;\n"
            ),
            ["v", "w", "c", "o"]
        );
        // Without the comment behind a compound it is no dump.
        assert_eq!(
            order("types:\n  int(*) v ;\n  compound c {\n    v a ;\n  };\n  opaque(3) o ;\n"),
            ["v", "o", "c"]
        );
    }
}
