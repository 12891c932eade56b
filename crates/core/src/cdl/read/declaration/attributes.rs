//! Attributes, which may stand in any section.
//!
//! ```text
//! :a = …      of the group                     v:a = …     of the variable v
//! T :a = …    of the group, with type T        T v:a = …   of the variable v, with type T
//! ```
//!
//! In netCDF's grammar, the `x` of `x:a` is a variable or a type. If both exist, a blank before the colon decides,
//! because ncdump prints one after a type: `x :a` belongs to the group and has type x, `x:a` belongs to the variable.

use crate::error::{Error, Result};
use crate::model::{Attribute, FILL_VALUE_ATTRIBUTE, Kind, Type, Values};

use super::attribute_values::{AttributeValues, attribute_values};
use super::known_attributes::Owner;
use super::walk::Walk;
use crate::cdl::read::storage::attributes::StorageAttributes;
use crate::cdl::read::syntax::grammar::{Rule, parse, spelled_name, spelled_path, wrong};
use crate::cdl::read::syntax::names::Path;
use crate::cdl::read::syntax::similar::similar;
use crate::cdl::read::syntax::statements::{Heading, Segment};

/// An owner with at most this many attributes is searched linearly for a repeated name.
const FEW: usize = 16;

/// Attributes that ncdump prints about the file itself. They are accepted and dropped.
const PROVENANCE: [&str; 5] = [
    "_NCProperties",
    "_IsNetcdf4",
    "_SuperblockVersion",
    "_OriginalSize",
    "_OriginalSHA256",
];

impl Walk<'_> {
    /// Parses an attribute from after its colon. `segment` is the text before the colon.
    pub(crate) fn attribute(&mut self, segment: &Segment) -> Result<()> {
        self.named_attribute(segment).map_err(|error| match error {
            Error::Cdl(_) => match self.misspelt_section(segment) {
                Some(better) => {
                    self.misspelt = true;
                    better
                }
                None => error,
            },
            other => other,
        })
    }

    /// An error that suggests a section, if the text before the colon looks like a misspelt section name.
    fn misspelt_section(&self, segment: &Segment) -> Option<Error> {
        let name = segment.text.trim_ascii();
        let path = Path::new(name).ok()?;
        let scopes = &self.scopes;
        if scopes.var(self.group(), &path).is_some() || scopes.ty(self.group(), &path).is_ok() {
            return None;
        }
        let section = section_meant(name)?;
        let what = format!("there is no variable '{path}', and no type: is the section '{section}:' meant?");
        Some(self.text.error(segment.start, what))
    }

    fn named_attribute(&mut self, segment: &Segment) -> Result<()> {
        let text = self.text;
        let of = parse(Rule::attribute_of, segment, "':'", text)?
            .next()
            .expect("what stands before the colon");
        let named = self.statements.segment(b"=;:{},")?;
        let spelled = parse(Rule::whole_inner_name, &named, "'='", text)?
            .next()
            .expect("a name");
        if named.stop != Some(b'=') {
            return Err(wrong(&named, named.text.len(), "'='", text));
        }
        let name = spelled_name(&spelled, &named, 0, text)?;
        self.statements.leading_comma()?;
        self.statements.peek()?;
        let list = self.statements.list()?;
        if self.outlines() {
            return Ok(());
        }
        let mut paths = Vec::new();
        for part in of.into_inner().filter(|p| p.as_rule() == Rule::path) {
            paths.push(spelled_path(&part, segment, 0, text)?);
        }
        let group = self.group();
        let (owner, mut declared) = match paths.as_slice() {
            [] => (Owner::Group(group), None),
            [(path, at)] => {
                let var = self.scopes.var(group, path);
                let ty = self.scopes.ty(group, path);
                // ncdump prints a blank after a type that has the name of a section, in any case.
                let section = path.groups.is_none() && Heading::named(path.name.as_bytes()).is_some();
                let blank = !section && segment.text.ends_with(|c: char| c.is_ascii_whitespace());
                match (var, ty) {
                    (Some(var), Ok(_)) if !blank || name == FILL_VALUE_ATTRIBUTE => {
                        (Owner::Variable(var), None)
                    }
                    (_, Ok(ty)) => (Owner::Group(group), Some(ty)),
                    (Some(var), Err(_)) => (Owner::Variable(var), None),
                    (None, Err(_)) => {
                        self.missing = true;
                        return Err(text.error(*at, self.no_variable(path, ", and no type")));
                    }
                }
            }
            [(ty, ty_at), (path, at), ..] => {
                let ty = self.scopes.ty(group, ty).map_err(|what| {
                    self.missing = true;
                    text.error(*ty_at, what.to_string())
                })?;
                let Some(var) = self.scopes.var(group, path) else {
                    return Err(text.error(*at, self.no_variable(path, "")));
                };
                if name == FILL_VALUE_ATTRIBUTE && self.schema.var(var).ty != ty {
                    let what = "a _FillValue has the type of its variable; this one is taken as of that type";
                    self.warn(*ty_at, what.into())?;
                }
                (Owner::Variable(var), Some(ty))
            }
        };
        if matches!(owner, Owner::Group(_)) && PROVENANCE.contains(&name.as_str()) {
            return Ok(());
        }
        let fill_of = match owner {
            Owner::Variable(var) if name == FILL_VALUE_ATTRIBUTE => Some(self.schema.var(var).ty),
            _ => None,
        };
        declared = fill_of.or(declared);
        let start = list.start;
        let AttributeValues {
            ty,
            mut length,
            mut values,
        } = attribute_values(text, list, &self.schema, group, declared, &mut self.warnings)?;
        if fill_of == Some(Type::Char) && length == 0 {
            // ncdump prints a fill value of NUL as an empty string.
            (length, values) = (1, Values::from_bytes(vec![0]));
        }
        if fill_of.is_some() && length != 1 {
            return Err(text.error(start, format!("a _FillValue is one value, and here are {length}")));
        }
        let attribute = Attribute {
            name,
            ty,
            length,
            values,
        };
        match owner {
            Owner::Group(_) if StorageAttributes::is_one(&attribute) => {
                let what = format!(
                    "{name} says how a variable is stored, and belongs to one: \
                     expected the variable's name before its colon",
                    name = attribute.name
                );
                return Err(text.error(named.place(spelled.as_span().start()), what));
            }
            Owner::Group(_) if attribute.name == "_Format" => {
                self.format = Some(kind(&attribute).map_err(|what| text.error(start, what))?);
                return Ok(());
            }
            Owner::Variable(var) => {
                let set = self.storage[var.0].set(&attribute);
                if set.map_err(|what| text.error(start, what))? {
                    let at = named.place(spelled.as_span().start());
                    self.places.set_storage(var, attribute.name, at);
                    return Ok(());
                }
            }
            Owner::Group(_) => {}
        }
        self.keep(owner, attribute, named.place(spelled.as_span().start()))
    }

    /// Adds an attribute to its owner. `at` is the position of its name. A repeated name replaces the earlier attribute,
    /// at its index, with a warning.
    fn keep(&mut self, owner: Owner, attribute: Attribute, at: u64) -> Result<()> {
        let list = match owner {
            Owner::Group(group) => &mut self.schema.groups[group.0].attributes,
            Owner::Variable(var) => &mut self.schema.vars[var.0].attributes,
        };
        let before = if list.len() <= FEW {
            list.iter().position(|a| a.name == attribute.name)
        } else {
            let known = self.attributes.by_name.entry(owner).or_default();
            for (n, a) in list.iter().enumerate().skip(known.len()) {
                known.insert(a.name.clone(), n);
            }
            known.get(&attribute.name).copied()
        };
        let Some(before) = before else {
            list.push(attribute);
            let n = list.len() - 1;
            self.places.set_attribute(owner.attribute(n), at);
            return Ok(());
        };
        let what = format!(
            "attribute '{}' was given before; this one is taken",
            attribute.name
        );
        list[before] = attribute;
        self.places.set_attribute(owner.attribute(before), at);
        self.warn(at, what)
    }
}

/// The section that a misspelt or shortened name probably means.
fn section_meant(name: &str) -> Option<&'static str> {
    let meant = match name.to_ascii_lowercase().as_str() {
        "var" | "vars" => Heading::Variables,
        "dim" | "dims" => Heading::Dimensions,
        _ => return similar(name, Heading::ALL.map(Heading::word)),
    };
    Some(meant.word())
}

/// The kind of file that the value of `_Format` names, in any of netCDF's spellings.
fn kind(format: &Attribute) -> Result<Kind, String> {
    let name = match format.ty {
        Type::Char => Some(format.values.bytes.as_slice()),
        Type::String if format.length == 1 => format.values.string(0),
        _ => None,
    };
    let names = || {
        let names = Kind::OF_FILES.map(|kind| format!("\"{}\"", kind.name()));
        let (last, others) = names.split_last().expect("there are kinds");
        format!("expected {} or {last}", others.join(", "))
    };
    let name = String::from_utf8_lossy(name.ok_or_else(|| format!("_Format is text: {}", names()))?);
    Kind::from_name(&name).ok_or_else(|| format!("'{name}' is no _Format: {}", names()))
}
