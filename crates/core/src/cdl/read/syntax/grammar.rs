//! Parses segments by the grammar `cdl.pest`, and words its errors for users.

use pest::Parser as _;
use pest::error::{ErrorVariant, InputLocation};
use pest::iterators::{Pair, Pairs};

use crate::error::{Error, Result};

use super::names::{Path, inner_name, name};
use super::statements::Segment;
use super::text::Text;

pub use rules::Rule;

// The derived items have no documentation; cdl.pest has.
#[allow(missing_docs)]
mod rules {
    #[derive(pest_derive::Parser)]
    #[grammar = "cdl/read/syntax/cdl.pest"]
    pub struct Grammar;
}

/// Maximum length, in characters, of text quoted in a message.
const SHOWN: usize = 30;

/// Parses a whole segment. `end` names what should follow it.
///
/// # Errors
/// [`Error::Cdl`] at the first mismatch, with what was expected there.
pub fn parse<'p>(rule: Rule, segment: &'p Segment, end: &str, text: &Text) -> Result<Pairs<'p, Rule>> {
    attempt(rule, segment, 0, end).map_err(|(at, expected)| wrong(segment, at, &expected, text))
}

/// Like [`parse`], from byte `offset` of the segment's text on. A failure is cheap: no line is counted.
///
/// # Errors
/// The byte of the segment's text at the first mismatch, and what was expected there.
pub fn attempt<'p>(
    rule: Rule,
    segment: &'p Segment,
    offset: usize,
    end: &str,
) -> Result<Pairs<'p, Rule>, (usize, String)> {
    rules::Grammar::parse(rule, &segment.text[offset..]).map_err(|error| {
        let (InputLocation::Pos(at) | InputLocation::Span((at, _))) = error.location;
        let expected = match error.variant {
            ErrorVariant::ParsingError { positives, .. } => expected(&positives, end),
            ErrorVariant::CustomError { message } => message,
        };
        (offset + at, expected)
    })
}

/// An error at byte `at` of a segment, where `expected` was expected.
pub fn wrong(segment: &Segment, at: usize, expected: &str, text: &Text) -> Error {
    wrong_with(segment, at, expected, "", text)
}

/// Like [`wrong`], with `help` appended.
pub fn wrong_with(segment: &Segment, at: usize, expected: &str, help: &str, text: &Text) -> Error {
    let rest = &segment.text[at..];
    let blanks = rest.len() - rest.trim_start().len();
    let word_char = |c: char| c.is_ascii_alphanumeric() || "_.@+-\\/".contains(c) || !c.is_ascii();
    let rest = rest.trim_start();
    let mut length = rest.find(|c| !word_char(c)).unwrap_or(rest.len());
    if length == 0 {
        length = rest.chars().next().map_or(0, char::len_utf8);
    }
    let bytes: Vec<u8> = rest[..length].chars().take(SHOWN).map(|c| c as u8).collect();
    let found = match (bytes.is_empty(), segment.stop) {
        (false, _) => format!("'{}'", String::from_utf8_lossy(&bytes)),
        (true, Some(stop)) => format!("'{}'", char::from(stop)),
        (true, None) => "the end of the text".to_owned(),
    };
    text.error(
        segment.place(at + blanks),
        format!("expected {expected}, found {found}{help}"),
    )
}

/// The expected items, in words for users.
fn expected(rules: &[Rule], end: &str) -> String {
    let mut words: Vec<&str> = Vec::new();
    for rule in rules {
        let word = match rule {
            Rule::name | Rule::inner_name => "a name",
            Rule::path => "a name or a path",
            Rule::integer => "an integer",
            Rule::unlimited => "UNLIMITED",
            Rule::open | Rule::shape | Rule::lengths => "'('",
            Rule::close => "')'",
            Rule::comma => "','",
            Rule::equal => "'='",
            Rule::star => "'*'",
            Rule::enum_word => "enum",
            Rule::opaque_word | Rule::opaque | Rule::compound | Rule::enumeration | Rule::vlen => {
                "a type (compound, enum, opaque or vlen)"
            }
            Rule::EOI => end,
            _ => continue,
        };
        for word in word.split(" or ") {
            if !words.contains(&word) {
                words.push(word);
            }
        }
    }
    match words.split_last() {
        None => end.to_owned(),
        Some((last, [])) => (*last).to_owned(),
        Some((last, others)) => format!("{} or {last}", others.join(", ")),
    }
}

/// The unescaped name that the grammar matched.
///
/// # Errors
/// [`Error::Cdl`] if it is not a valid name.
pub fn spelled_name(pair: &Pair<'_, Rule>, segment: &Segment, offset: usize, text: &Text) -> Result<String> {
    let spelled = pair.as_str();
    let name = match pair.as_rule() {
        Rule::inner_name => inner_name(spelled),
        _ => name(spelled),
    };
    name.map_err(|what| text.error(segment.place(offset + pair.as_span().start()), what))
}

/// The unescaped path that the grammar matched, and its position.
///
/// # Errors
/// [`Error::Cdl`] if it is not a valid path.
pub fn spelled_path(
    pair: &Pair<'_, Rule>,
    segment: &Segment,
    offset: usize,
    text: &Text,
) -> Result<(Path, u64)> {
    let at = segment.place(offset + pair.as_span().start());
    Path::new(pair.as_str())
        .map(|path| (path, at))
        .map_err(|what| text.error(at, what))
}
