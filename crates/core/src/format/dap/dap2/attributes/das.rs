//! DAS: the attributes of a dataset (DAP 2.0, section 5.2).

use super::super::dds::Atom;
use super::super::lexer::{Lexer, Token};
use crate::error::Result;
use crate::format::dap::limits::DEEPEST;

/// A set of attributes: of a variable, of the dataset, or one inside another.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AttributeSet {
    /// Its name; empty for the outermost.
    pub name: String,
    /// What is in it, in order.
    pub entries: Vec<DasEntry>,
}

/// A part of a set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DasEntry {
    /// An attribute.
    Attribute(TextAttribute),
    /// A set.
    Set(AttributeSet),
}

/// An attribute, whose values are text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextAttribute {
    /// Its name.
    pub name: String,
    /// The type of its values.
    pub atom: Atom,
    /// Its values, as they stand in the text.
    pub values: Vec<String>,
}

/// Parses a DAS. Aliases are left out.
///
/// # Errors
/// Says what is malformed; nesting that is too deep.
pub fn parse(text: &str) -> Result<AttributeSet> {
    let mut lexer = Lexer::new(text, "DAS");
    lexer.keyword("Attributes")?;
    lexer.mark(b'{')?;
    Ok(AttributeSet {
        name: String::new(),
        entries: entries(&mut lexer, 1)?,
    })
}

/// The entries up to the `}` that ends them.
fn entries(lexer: &mut Lexer<'_>, depth: usize) -> Result<Vec<DasEntry>> {
    if depth > DEEPEST {
        return Err(lexer.fault(&format!("more than {DEEPEST} sets in each other")));
    }
    let mut entries = Vec::new();
    while !lexer.has_mark(b'}')? {
        if lexer.has_mark(b';')? {
            continue;
        }
        let first = name(lexer)?;
        if lexer.has_mark(b'{')? {
            let inside = self::entries(lexer, depth + 1)?;
            entries.push(DasEntry::Set(AttributeSet {
                name: first.to_owned(),
                entries: inside,
            }));
            continue;
        }
        let name = name(lexer)?.to_owned();
        let values = values(lexer)?;
        match Atom::of(first) {
            Some(atom) => entries.push(DasEntry::Attribute(TextAttribute { name, atom, values })),
            None if first.eq_ignore_ascii_case("Alias") => {}
            // XML of other programs, which is one text.
            None if first.eq_ignore_ascii_case("OtherXML") => {
                entries.push(DasEntry::Attribute(TextAttribute {
                    name,
                    atom: Atom::String,
                    values,
                }))
            }
            None => return Err(lexer.fault("an attribute of an unknown type")),
        }
    }
    Ok(entries)
}

/// A name, which may be in quotes.
fn name<'a>(lexer: &mut Lexer<'a>) -> Result<&'a str> {
    match lexer.next()? {
        Token::Word(word) | Token::Text(word) => Ok(word),
        _ => Err(lexer.fault("a name is missing")),
    }
}

/// The values up to the `;` that ends them.
fn values(lexer: &mut Lexer<'_>) -> Result<Vec<String>> {
    let mut values = Vec::new();
    loop {
        match lexer.next()? {
            Token::Mark(b';') => return Ok(values),
            Token::Mark(b',') => {}
            // Without quotes, text ends at a blank. Some servers forget the quotes.
            Token::Word(value) | Token::Text(value) => values.push(value.to_owned()),
            _ => return Err(lexer.fault("a ';' is missing")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_and_values() {
        let text = r#"Attributes {
            SST { Float32 _FillValue -1e+34; String "long name" "a \"b\"", c; Int32 none ; DODS { Int32 strlen 5; } }
            NC_GLOBAL { Alias x y; Url u "http://h/x;y"; String a:b "1"; }
        }"#;
        let set = parse(text).unwrap();
        let [DasEntry::Set(sst), DasEntry::Set(global)] = &set.entries[..] else {
            panic!()
        };
        let DasEntry::Attribute(fill) = &sst.entries[0] else {
            panic!()
        };
        assert_eq!(
            (fill.name.as_str(), fill.atom, fill.values.as_slice()),
            ("_FillValue", Atom::Float32, &["-1e+34".to_owned()][..])
        );
        let DasEntry::Attribute(long) = &sst.entries[1] else {
            panic!()
        };
        assert_eq!(long.values, [r#"a \"b\""#, "c"]);
        let DasEntry::Attribute(none) = &sst.entries[2] else {
            panic!()
        };
        assert!(none.values.is_empty());
        assert!(matches!(&sst.entries[3], DasEntry::Set(dods) if dods.name == "DODS"));
        assert_eq!(global.entries.len(), 2);
    }

    #[test]
    fn broken_texts_are_errors() {
        for text in [
            "",
            "Attributes {",
            "Attributes { x",
            "Attributes { Int32 a {",
            "Attributes { Int7 a 1; }",
            "Attributes { a { } ",
        ] {
            assert!(parse(text).is_err(), "{text}");
        }
        let deep = format!("Attributes {{ {}", "a {".repeat(100_000));
        assert!(parse(&deep).is_err());
    }
}
