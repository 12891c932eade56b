//! [`Element`]: XML as a tree of elements, as far as a DMR needs it.

use quick_xml::XmlVersion;
use quick_xml::escape::resolve_predefined_entity;
use quick_xml::events::{BytesStart, Event};
use quick_xml::reader::Reader;

use crate::error::{Error, Result};
use crate::format::dap::limits::{DEEPEST, shown};

/// Most elements of a text.
const MOST_ELEMENTS: usize = 4 << 20;

/// An element.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Element {
    /// Its name, without a prefix of a namespace.
    pub name: String,
    /// Its attributes, by name.
    pub attributes: Vec<(String, String)>,
    /// The elements inside, in order.
    pub children: Vec<Element>,
    /// The text inside.
    pub text: String,
}

impl Element {
    /// The value of an attribute.
    pub fn attribute(&self, name: &str) -> Option<&str> {
        let found = self.attributes.iter().find(|(own, _)| own == name);
        found.map(|(_, value)| value.as_str())
    }

    /// The value of the attribute `name`.
    ///
    /// # Errors
    /// There is none, or none that netCDF holds.
    pub fn valid_name(&self) -> Result<&str> {
        let name = self
            .attribute("name")
            .filter(|name| !name.is_empty() && !name.contains(['/', '\0']));
        name.ok_or_else(|| {
            let element = shown(&self.name);
            Error::Damaged(format!("the server's DMR: a <{element}> without a valid name"))
        })
    }

    /// The elements inside of this name.
    pub fn children_of<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Element> {
        self.children.iter().filter(move |child| child.name == name)
    }

    /// Parses a text to its outermost element. No entity but those of XML itself is known.
    ///
    /// # Errors
    /// What is malformed; nesting that is too deep; too many elements.
    pub fn parse(text: &str) -> Result<Self> {
        let mut reader = Reader::from_str(text);
        let mut open: Vec<Element> = Vec::new();
        let mut count = 0;
        loop {
            match reader.read_event().map_err(malformed)? {
                Event::Start(start) => {
                    count += 1;
                    if open.len() >= DEEPEST || count > MOST_ELEMENTS {
                        return Err(malformed("too many elements, or too many in each other"));
                    }
                    open.push(begun(&start)?);
                }
                Event::Empty(start) => {
                    count += 1;
                    if count > MOST_ELEMENTS {
                        return Err(malformed("too many elements"));
                    }
                    let element = begun(&start)?;
                    match open.last_mut() {
                        Some(around) => around.children.push(element),
                        None => return Ok(element),
                    }
                }
                Event::End(_) => {
                    let Some(element) = open.pop() else {
                        return Err(malformed("an end without a beginning"));
                    };
                    match open.last_mut() {
                        Some(around) => around.children.push(element),
                        None => return Ok(element),
                    }
                }
                Event::Text(text) => {
                    if let Some(around) = open.last_mut() {
                        around.text.push_str(&text.xml10_content().map_err(malformed)?);
                    }
                }
                Event::CData(text) => {
                    if let Some(around) = open.last_mut() {
                        around.text.push_str(&text.xml10_content().map_err(malformed)?);
                    }
                }
                Event::GeneralRef(entity) => {
                    let Some(around) = open.last_mut() else { continue };
                    match entity.resolve_char_ref().map_err(malformed)? {
                        Some(c) => around.text.push(c),
                        None => {
                            let name = entity.decode().map_err(malformed)?;
                            let known = resolve_predefined_entity(&name);
                            around
                                .text
                                .push_str(known.ok_or_else(|| malformed("an unknown entity"))?);
                        }
                    }
                }
                Event::Eof => return Err(malformed("it ends too early")),
                Event::Comment(_) | Event::Decl(_) | Event::PI(_) | Event::DocType(_) => {}
            }
        }
    }
}

fn begun(start: &BytesStart<'_>) -> Result<Element> {
    let local = |name: &[u8]| String::from_utf8_lossy(name).into_owned();
    let mut element = Element {
        name: local(start.local_name().as_ref()),
        ..Element::default()
    };
    for attribute in start.attributes() {
        let attribute = attribute.map_err(malformed)?;
        let value = attribute
            .normalized_value(XmlVersion::Implicit1_0)
            .map_err(malformed)?;
        element
            .attributes
            .push((local(attribute.key.as_ref()), value.into_owned()));
    }
    Ok(element)
}

fn malformed(why: impl ToString) -> Error {
    Error::Damaged(format!(
        "the server's DMR is malformed XML: {}",
        shown(&why.to_string())
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_have_attributes_and_text() {
        let found = Element::parse(
            "<?xml version=\"1.0\"?><!-- x --><d:A b=\"1 &amp; 2\"><C/>x &lt;<![CDATA[<y>]]>&#65;</d:A>",
        )
        .unwrap();
        assert_eq!(
            (found.name.as_str(), found.attribute("b"), found.text.as_str()),
            ("A", Some("1 & 2"), "x <<y>A")
        );
        assert_eq!(found.children[0].name, "C");
    }

    #[test]
    fn what_is_no_tree_is_an_error() {
        for text in [
            "",
            "<A>",
            "<A></B>",
            "<A b=1/>",
            "<A>&x;</A>",
            "</A>",
            "<A b=\"1\" b=\"2\"/>",
        ] {
            assert!(Element::parse(text).is_err(), "{text}");
        }
        assert!(
            Element::parse(&"<A>".repeat(1_000_000))
                .unwrap_err()
                .to_string()
                .contains("in each other")
        );
        let bomb = "<!DOCTYPE l [<!ENTITY a \"aaaa\"><!ENTITY b \"&a;&a;\">]><A>&b;</A>";
        assert!(Element::parse(bomb).is_err());
    }
}
