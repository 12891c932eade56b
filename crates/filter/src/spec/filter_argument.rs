//! Parses the argument of `nccopy -F`, and prints filters as `ncdump -s` does.
//!
//! ```text
//! var&group/var,307,9|4,32,32|zstd,level=3|{"id":"lz4"}
//! └── targets ─┘ └─ pipeline ────────────────────────┘   (grammar: spec.pest)
//! ```
//!
//! A codec is given by its HDF5 id or by a name, with parameters (`constant`) or with members of a Zarr configuration, or
//! as JSON.

mod constant;

use std::fmt::Write as _;

use pest::Parser as _;
use pest::iterators::Pair;

use crate::spec::filter_argument::grammar::{Grammar, Rule};

use crate::registry::registry::Registry;
use crate::spec::asked_codec::{AskedCodec, Effort};
use crate::spec::filter_argument::constant::parse_constant;
use ncutils_model::error::{Error, Request, Result};
use ncutils_model::{CodecSpec, Configuration, NamePattern};

// The derived items have no documentation; spec.pest has.
#[allow(missing_docs)]
mod grammar {
    #[derive(pest_derive::Parser)]
    #[grammar = "spec/spec.pest"]
    pub struct Grammar;
}

/// Maximum id that HDF5 allows.
const MAX_ID: u32 = 65535;

/// The variables that a request applies to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Targets {
    /// All variables that can have filters.
    All,
    /// Variables with these names (in the root group), paths or globs.
    Named(Vec<NamePattern>),
}

/// A parsed `-F` argument.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FilterRequest {
    /// The variables that it applies to.
    pub targets: Targets,
    /// The codecs, in the order given; empty for `none`.
    pub pipeline: Vec<AskedCodec>,
}

/// Parses the argument of `-F`.
///
/// # Errors
/// [`Error::Usage`] with the mistake, and what was expected.
pub fn parse(argument: &str) -> Result<FilterRequest> {
    let wrong = |why: String| Request::Filters.misspelled(format!("{argument:?}"), why);
    let wrong = |why: String| match filter_in_front(argument) {
        Some(name) => wrong(format!(
            "'{name}' is a filter, and variables come first; for all variables write '*,{argument}'"
        )),
        None => wrong(why),
    };
    check_nesting(argument).map_err(wrong)?;
    let pairs = Grammar::parse(Rule::argument, argument).map_err(|_| wrong(explain(argument)))?;
    let mut names = Vec::new();
    let mut targets = None;
    let mut pipeline = Vec::new();
    for pair in pairs {
        match pair.as_rule() {
            Rule::nothing | Rule::word | Rule::all => targets = Some(Targets::All),
            Rule::name => names.push(NamePattern::parse(pair.as_str())),
            Rule::pipeline => pipeline = parse_pipeline(pair).map_err(wrong)?,
            _ => {}
        }
    }
    if names.len() > 1
        && names.iter().any(NamePattern::is_all)
        && argument.split([',', '&']).any(|name| name == "*")
    {
        return Err(wrong(
            "'*' stands for all variables; it cannot be joined with names".into(),
        ));
    }
    Ok(FilterRequest {
        targets: targets.unwrap_or(Targets::Named(names)),
        pipeline,
    })
}

/// Parses a pipeline without variables, as in `_Filter`: `307,9|4,32,32`.
///
/// # Errors
/// [`Error::Usage`] with the mistake, and what was expected.
pub fn parse_filters(text: &str) -> Result<Vec<AskedCodec>> {
    let wrong = |why: String| Error::Usage(format!("filter {text:?}: {why}"));
    check_nesting(text).map_err(wrong)?;
    let mut pairs = Grammar::parse(Rule::filters, text)
        .map_err(|_| wrong("expected 'id,parameter,…', joined with '|'".into()))?;
    pairs
        .find(|pair| pair.as_rule() == Rule::pipeline)
        .map_or_else(|| Ok(Vec::new()), |pair| parse_pipeline(pair).map_err(wrong))
}

/// Formats filters as in ncdump's `_Filter`: `id,parameter,…`, joined by `|`.
pub fn format<'a>(pipeline: impl IntoIterator<Item = &'a CodecSpec>) -> String {
    let mut text = String::new();
    for (number, spec) in pipeline.into_iter().enumerate() {
        let separator = if number == 0 { "" } else { "|" };
        let _ = match spec.hdf5_id() {
            Some(id) => write!(text, "{separator}{id}"),
            None => write!(text, "{separator}{}", spec.name()),
        };
        for parameter in spec.parameters() {
            let _ = write!(text, ",{parameter}");
        }
    }
    text
}

/// The name of a filter with which a request begins, where variables are expected.
fn filter_in_front(argument: &str) -> Option<&str> {
    let first = argument.split([',', '|', '&']).next()?;
    Registry::builtin().by_name(first).map(|_| first)
}

/// Explains why the grammar rejects `argument`. Any filters are accepted, so the mistake is before them.
fn explain(argument: &str) -> String {
    let mut names = vec![0];
    let mut chars = argument.chars();
    let end = loop {
        let last = names.last_mut();
        match (chars.next(), last) {
            (Some('\\'), Some(length)) => match chars.next() {
                Some(_) => *length += 1,
                None => {
                    return "a backslash at the end; it stands before a character that is part of a name"
                        .into();
                }
            },
            (Some('&'), _) => names.push(0),
            (Some(c), Some(length)) if c != ',' && c != '|' => *length += 1,
            (end, _) => break end,
        }
    };
    match end {
        None if argument.is_empty() => {
            "expected variables and filters, such as 'var,307,9', or 'none'".into()
        }
        _ if names.contains(&0) => "a variable's name is missing; expected 'var', 'group/var' or '*'".into(),
        Some('|') => r"a '|' before the filters; where it is part of a name, write '\|'".into(),
        _ => "no filter; expected ',' and filters, such as ',307,9', or ',none' after the variables".into(),
    }
}

/// Most braces within braces.
const NESTING: usize = 64;

/// Refuses JSON that is nested too deep for the grammar, which calls itself for each level.
fn check_nesting(text: &str) -> Result<(), String> {
    let mut depth = 0usize;
    for byte in text.bytes() {
        match byte {
            b'{' => depth += 1,
            b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth > NESTING {
            return Err(format!("braces within more than {NESTING} others"));
        }
    }
    Ok(())
}

fn parse_pipeline(pipeline: Pair<Rule>) -> Result<Vec<AskedCodec>, String> {
    let filters = pipeline
        .into_inner()
        .filter(|pair| pair.as_rule() == Rule::filter);
    let pipeline: Vec<_> = filters.map(parse_filter).collect::<Result<_, _>>()?;
    let has = |is: fn(&AskedCodec) -> bool| pipeline.len() > 1 && pipeline.iter().any(is);
    if has(|codec| matches!(codec, AskedCodec::Auto(_))) {
        return Err("auto chooses all filters; it cannot be joined with others".into());
    }
    if has(|codec| *codec == AskedCodec::Keep) {
        return Err("keep stands for all filters of the input; it cannot be joined with others".into());
    }
    Ok(pipeline)
}

fn parse_filter(filter: Pair<Rule>) -> Result<AskedCodec, String> {
    let mut fields = filter.into_inner().peekable();
    if let Some(json) = fields.next_if(|pair| pair.as_rule() == Rule::json) {
        return AskedCodec::from_json(json.as_str());
    }
    let mut fields = fields.map(|field| field.as_str().trim()).peekable();
    let first = fields.next().unwrap_or_default();
    if first.is_empty() && fields.peek().is_none() {
        return Err("a filter is missing; expected 'id' or 'id,parameter,…', joined with '|'".into());
    }
    if let Some(effort) = first.strip_prefix("auto")
        && (effort.is_empty() || effort.starts_with('='))
    {
        let efforts = Effort::NAMED.iter();
        let effort = effort.strip_prefix('=').unwrap_or("balanced");
        return match efforts.clone().find(|(name, _)| *name == effort) {
            Some((_, effort)) if fields.peek().is_none() => Ok(AskedCodec::Auto(*effort)),
            _ => Err("expected auto, auto=fast, auto=balanced or auto=small".into()),
        };
    }
    if first == "keep" && fields.peek().is_none() {
        return Ok(AskedCodec::Keep);
    }
    if first.starts_with(|c: char| c.is_ascii_alphabetic()) {
        return parse_named(first, fields);
    }
    let id = match first.parse::<u32>() {
        Ok(number @ 1..=MAX_ID) if !first.starts_with('+') => number,
        _ => {
            return Err(format!(
                "'{first}' is not a filter id; expected a number from 1 to {MAX_ID}, or a name"
            ));
        }
    };
    let mut parameters = Vec::new();
    for field in fields {
        parse_constant(field, &mut parameters)?;
    }
    Ok(AskedCodec::Id { id, parameters })
}

/// Parses what follows the name of a codec: parameters, or members of its configuration.
fn parse_named<'a>(name: &str, fields: impl Iterator<Item = &'a str>) -> Result<AskedCodec, String> {
    if let Some((name, value)) = name.split_once('=') {
        return Err(format!(
            "'{name}={value}' is not a name; expected '{name},{value}', as ',' comes before parameters"
        ));
    }
    let (mut parameters, mut members) = (Vec::new(), Configuration::new());
    for field in fields {
        match field.split_once('=') {
            Some((member, value)) => {
                let value = serde_json::from_str(value).unwrap_or_else(|_| value.into());
                members.insert(member.trim().to_owned(), value);
            }
            None if field.starts_with(|c: char| c.is_ascii_alphabetic()) => {
                return Err(format!(
                    "'{field}' is not a parameter; expected a number or 'name=value'; filters are joined with '|'"
                ));
            }
            None => parse_constant(field, &mut parameters)?,
        }
    }
    if !parameters.is_empty() && !members.is_empty() {
        return Err(format!(
            "{name} has parameters as numbers and as 'name=value'; expected either"
        ));
    }
    Ok(AskedCodec::Name {
        name: name.to_owned(),
        parameters,
        members,
    })
}

#[cfg(test)]
mod tests;
