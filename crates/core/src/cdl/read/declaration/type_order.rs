//! Order of a group's types in the file.
//!
//! netCDF-C's ncgen writes types without user-defined parts first, and the others after them in the order of the text.
//! Hand-written text gets the same order. Text printed by ncdump keeps the order of the dumped file, so that a dump,
//! made a file and dumped again, is the same text.

use std::collections::HashMap;

use crate::error::{Error, Result};
use crate::model::{GroupId, Schema, Type, TypeClass, UserType, VisibleNames};
use crate::print::cdl::{Lines, write_types};

use crate::cdl::read::syntax::text::Text;

/// Orders the types of each group. `sections` maps each group to the position of its `types:`.
///
/// # Errors
/// The source cannot be read.
pub fn order_types(schema: &mut Schema, sections: &HashMap<GroupId, u64>, text: &Text) -> Result<()> {
    let mut reordered = Vec::new();
    let names = VisibleNames::new(schema);
    for (&group, &at) in sections {
        let types = &schema.group(group).types;
        let ordered = types.is_sorted_by_key(|id| made_of_user_types(schema.user_type(*id)));
        if !ordered && !is_as_printed(&names, group, text, at)? {
            let mut types = types.clone();
            types.sort_by_key(|id| made_of_user_types(schema.user_type(*id)));
            reordered.push((group, types));
        }
    }
    drop(names);
    for (group, types) in reordered {
        schema.groups[group.0].types = types;
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

/// True if the text at `at` is exactly what ncdump would print for the group's types, including comments and line ends.
/// Indentation, and the line break before an enum member, may differ.
fn is_as_printed(names: &VisibleNames, group: GroupId, text: &Text, at: u64) -> Result<bool> {
    let mut printed = Vec::new();
    let mut lines = Lines::new(&mut printed);
    write_types(&mut lines, names, group);
    lines.flush().map_err(|e| Error::io("cannot print types", e))?;
    drop(lines);
    let mut cursor = text.cursor(at);
    let mut found = Squeezed::new(|| cursor.take());
    let mut printed = printed.trim_ascii().iter().copied();
    let mut wanted = Squeezed::new(|| Ok(printed.next()));
    loop {
        match wanted.next()? {
            None => return Ok(true),
            byte if byte != found.next()? => return Ok(false),
            _ => {}
        }
    }
}

/// Bytes with each run of white space replaced by one byte: a line end if the run contains one and follows no comma,
/// else a blank. White space after a brace is dropped. Members of an enum may thus be broken into lines anywhere:
/// ncdump wraps them by columns.
struct Squeezed<F> {
    next: F,
    last: u8,
    /// The byte after the white space.
    held: Option<u8>,
}

impl<F: FnMut() -> Result<Option<u8>>> Squeezed<F> {
    fn new(next: F) -> Self {
        Self {
            next,
            last: 0,
            held: None,
        }
    }

    fn next(&mut self) -> Result<Option<u8>> {
        if let Some(byte) = self.held.take() {
            self.last = byte;
            return Ok(Some(byte));
        }
        let first = (self.next)()?;
        let Some(byte) = first.filter(u8::is_ascii_whitespace) else {
            self.last = first.unwrap_or(0);
            return Ok(first);
        };
        let mut ends_line = byte == b'\n';
        self.held = loop {
            match (self.next)()? {
                Some(byte) if byte.is_ascii_whitespace() => ends_line |= byte == b'\n',
                behind => break behind,
            }
        };
        if self.last == b'{' {
            let byte = self.held.take();
            self.last = byte.unwrap_or(0);
            return Ok(byte);
        }
        Ok(Some(if ends_line && self.last != b',' {
            b'\n'
        } else {
            b' '
        }))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use crate::cdl::read::declaration::declared::declare;

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
        // Lines may be shorter, and the group deeper.
        let enums =
            |wrap: &str| format!("  int(*) v ;\n    v(*) w ;\n  byte enum e {{a = 1,{wrap}b = 2}} ;\n");
        assert_eq!(order(&format!("types:\n{}", enums(" "))), ["v", "w", "e"]);
        assert_eq!(order(&format!("types:\n{}", enums("\n      "))), ["v", "w", "e"]);
        assert_eq!(
            order("types:\n  int(*) v ;\n  v(*) w ;\n  byte enum e {\n        a = 1} ;\n"),
            ["v", "w", "e"]
        );
        // Text without line breaks, or without the comment after a compound, is no dump.
        assert_eq!(order("types: int(*) v ; v(*) w ; opaque(3) o ;"), ["v", "o", "w"]);
        assert_eq!(
            order("types:\n  int(*) v ;\n  compound c {\n    v a ;\n  };\n  opaque(3) o ;\n"),
            ["v", "o", "c"]
        );
    }
}
