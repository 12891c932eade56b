//! Statements of the sections: adds types, dimensions, variables and data lists to the schema.

use pest::iterators::Pairs;

use crate::error::Result;
use crate::model::{Attributes, Dimension, GroupId, Type, VarId, Variable};

use super::types::{self, Problem, Read, TypeText};
use super::walk::Walk;
use crate::cdl::read::constant::integer;
use crate::cdl::read::storage::attributes::StorageAttributes;
use crate::cdl::read::syntax::grammar::{Rule, attempt, parse, spelled_name, spelled_path, wrong};
use crate::cdl::read::syntax::names::Path;
use crate::cdl::read::syntax::similar::question;
use crate::cdl::read::syntax::statements::Segment;
use crate::cdl::read::values::data_list::DataList;

/// The highest rank of a variable (netCDF's `NC_MAX_VAR_DIMS`).
const MAX_RANK: usize = 1024;

impl Walk<'_> {
    pub(crate) fn types(&mut self) -> Result<()> {
        let read = match types::read(&mut self.statements, self.text)? {
            Read::Attribute(segment) => return self.attribute(&segment),
            Read::Types(read) => read,
        };
        if self.knows_outline() {
            return Ok(());
        }
        let group = self.group();
        for declared in read {
            match self.add_type(group, &declared)? {
                None => {}
                Some(_) if self.outlines() => self.waiting.push((group, declared)),
                Some((at, what)) => {
                    self.missing = true;
                    return Err(self.text.error(at, what));
                }
            }
        }
        Ok(())
    }

    /// Adds a type to the schema. Returns the problem if the type cannot be made, for example because it uses a type
    /// declared later.
    fn add_type(&mut self, group: GroupId, declared: &TypeText) -> Result<Option<Problem>> {
        let made = match self.types.make(declared, group, &self.scopes, &self.schema) {
            Ok(made) => made,
            Err(problem) => return Ok(Some(problem)),
        };
        let id = self.schema.add_type(made);
        self.places.types.push(declared.at);
        if self.scopes.add_type(group, &declared.name, id) {
            return Ok(None);
        }
        let what = format!("this group has a type '{}' already", declared.name);
        Err(self.text.error(declared.at, what))
    }

    /// Makes the types that use types declared later. Each round makes at least the next level of nesting, so few
    /// rounds are needed.
    pub(crate) fn settle(&mut self) -> Result<()> {
        loop {
            let before = self.waiting.len();
            let mut problems = Vec::new();
            for (group, declared) in std::mem::take(&mut self.waiting) {
                match self.add_type(group, &declared) {
                    Ok(None) => {}
                    Ok(Some(problem)) => {
                        problems.push(problem);
                        self.waiting.push((group, declared));
                    }
                    Err(error) => self.errors.add(error)?,
                }
            }
            if problems.is_empty() {
                return Ok(());
            }
            if self.waiting.len() == before {
                return self.tell_types(problems);
            }
        }
    }

    /// Notes the problems of the types that wait for others. A type that waits for one of these is no error of its own,
    /// unless they wait for each other.
    fn tell_types(&mut self, problems: Vec<Problem>) -> Result<()> {
        self.waiting
            .iter()
            .for_each(|(_, declared)| self.errors.doubt(&declared.name));
        let first = problems.first().cloned();
        for (at, what) in problems {
            self.errors.add(self.text.error(at, what))?;
        }
        match first {
            Some((at, what)) if self.errors.is_empty() => Err(self.text.error(at, what)),
            _ => Ok(()),
        }
    }

    /// True if a segment is the part of an attribute before its colon, and not a declaration that lacks its semicolon.
    fn is_attribute(&self, segment: &Segment) -> bool {
        segment.stop == Some(b':') && attempt(Rule::attribute_of, segment, 0, "':'").is_ok()
    }

    pub(crate) fn dimensions(&mut self) -> Result<()> {
        let mut segment = self.statements.segment(b":,;{}")?;
        if self.is_attribute(&segment) {
            return self.attribute(&segment);
        }
        loop {
            self.dimension(&segment)?;
            match segment.stop {
                Some(b',') => segment = self.statements.segment(b":,;{}")?,
                Some(b';') => return Ok(()),
                _ => return Err(wrong(&segment, segment.text.len(), "',' or ';'", self.text)),
            }
        }
    }

    fn dimension(&mut self, segment: &Segment) -> Result<()> {
        let mut parts = parse(Rule::dimension, segment, "',' or ';'", self.text)?
            .next()
            .expect("a dimension")
            .into_inner();
        let spelled = parts.next().expect("a name");
        let name = spelled_name(&spelled, segment, 0, self.text)?;
        let value = parts.nth(1).expect("a length behind the '='");
        let length = if value.as_rule() == Rule::unlimited {
            0
        } else {
            let at = segment.place(value.as_span().start());
            let value = integer::declared(value.as_str()).map_err(|why| self.text.error(at, why))?;
            u64::try_from(value)
                .ok()
                .filter(|n| *n <= i64::MAX as u64)
                .ok_or_else(|| {
                    self.text.error(
                        at,
                        format!("the length of a dimension must be from 0 to {}", i64::MAX),
                    )
                })?
        };
        if self.knows_outline() {
            return Ok(());
        }
        let group = self.group();
        let id = self.schema.add_dim(Dimension {
            name: name.clone(),
            group,
            length,
            unlimited: length == 0,
        });
        if length == 0 && value.as_rule() != Rule::unlimited {
            self.zero_dims.insert(id);
        }
        self.places.dims.push(segment.place(spelled.as_span().start()));
        if self.scopes.add_dim(group, &name, id) {
            return Ok(());
        }
        Err(self.already(segment, spelled.as_span().start(), "dimension", &name))
    }

    pub(crate) fn variables(&mut self) -> Result<()> {
        let mut segment = self.statements.segment(b":,;={}")?;
        if self.is_attribute(&segment) {
            return self.attribute(&segment);
        }
        let mut rule = Rule::first_variable;
        let mut ty = Type::Byte;
        loop {
            let mut parts = parse(rule, &segment, "',' or ';'", self.text)?
                .next()
                .expect("a variable")
                .into_inner();
            if rule == Rule::first_variable {
                let (path, at) = spelled_path(&parts.next().expect("a type"), &segment, 0, self.text)?;
                if !self.outlines() {
                    ty = self.scopes.ty(self.group(), &path).map_err(|what| {
                        self.missing = true;
                        self.text.error(at, what.to_string())
                    })?;
                }
            }
            self.variable(&segment, ty, parts)?;
            match segment.stop {
                Some(b',') => segment = self.statements.segment(b":,;={}")?,
                Some(b';') => return Ok(()),
                _ => return Err(wrong(&segment, segment.text.len(), "',' or ';'", self.text)),
            }
            rule = Rule::next_variable;
        }
    }

    fn variable(&mut self, segment: &Segment, ty: Type, mut parts: Pairs<'_, Rule>) -> Result<()> {
        let group = self.group();
        let spelled = parts.next().expect("a name");
        let place = spelled.as_span().start();
        let name = spelled_name(&spelled, segment, 0, self.text)?;
        let mut dims = Vec::new();
        for part in parts
            .filter(|p| p.as_rule() == Rule::shape)
            .flat_map(|p| p.into_inner())
        {
            if part.as_rule() != Rule::path {
                continue;
            }
            let (path, at) = spelled_path(&part, segment, 0, self.text)?;
            if self.outlines() {
                continue;
            }
            let Some(dim) = self.scopes.dim(group, &path) else {
                self.missing = true;
                return Err(self.text.error(at, self.no_dimension(&path)));
            };
            dims.push(dim);
            if dims.len() > MAX_RANK {
                let what = format!("a variable cannot have more than {MAX_RANK} dimensions");
                return Err(self.text.error(at, what));
            }
        }
        if !self.scopes.add_var(group, &name, VarId(self.schema.vars.len())) {
            return Err(self.already(segment, place, "variable", &name));
        }
        if self.outlines() {
            return Ok(());
        }
        self.schema.add_var(Variable {
            name,
            group,
            ty,
            dims,
            attributes: Attributes::default(),
        });
        self.storage.push(StorageAttributes::default());
        self.lists.push(None);
        self.places.vars.push(segment.place(place));
        Ok(())
    }

    /// The message that there is no dimension `path`. It names the groups that have one of that name.
    fn no_dimension(&self, path: &Path) -> String {
        let name = &path.name;
        let other = self.schema.dims.iter().find(|d| d.name == *name);
        match other.map(|d| d.group) {
            None if name.bytes().all(|b| b.is_ascii_digit()) => {
                format!(
                    "there is no dimension '{path}': a length needs a name, given in the section 'dimensions:'"
                )
            }
            None => {
                let names = self.schema.dims.iter().map(|d| d.name.as_str());
                format!("there is no dimension '{path}'{}", question(name, names))
            }
            Some(group) => format!(
                "dimension '{name}' is out of scope here: it belongs to the group {}, write {}",
                self.schema.group_path(group),
                self.schema.path_in(group, name)
            ),
        }
    }

    pub(crate) fn data(&mut self) -> Result<()> {
        let segment = self.statements.segment(b"=:;{}")?;
        if segment.stop == Some(b':') {
            return self.attribute(&segment);
        }
        let spelled = parse(Rule::whole_path, &segment, "'='", self.text)?
            .next()
            .expect("a path");
        if segment.stop != Some(b'=') {
            return Err(wrong(&segment, segment.text.len(), "'='", self.text));
        }
        if self.outlines() {
            return self.statements.list().map(drop);
        }
        let (path, at) = spelled_path(&spelled, &segment, 0, self.text)?;
        let group = self.group();
        let Some(var) = self.scopes.var(group, &path) else {
            return Err(self.text.error(at, self.no_variable(&path, "")));
        };
        self.statements.leading_comma()?;
        let list = DataList::measure(self.statements.cursor(), &self.schema, var)?;
        if !self.statements.take(b';')? {
            return Err(self
                .text
                .error(self.statements.at(), "expected ';' behind the values"));
        }
        if let Some(miscount) = list.miscount {
            self.warn(miscount.at, miscount.to_string())?;
        }
        if self.lists[var.0].replace(list).is_some() {
            let what = format!("'{}' was given values before; these are taken", path.name);
            self.warn(at, what)?;
        }
        Ok(())
    }

    /// The message that there is no variable `path`. `nor` names other items that were looked for.
    pub(crate) fn no_variable(&self, path: &Path, nor: &str) -> String {
        let name = &path.name;
        let mut groups = self.open.iter().rev().skip(1).map(|open| open.group);
        let plain = Path {
            groups: None,
            name: name.clone(),
        };
        let outer = groups.find(|g| path.groups.is_none() && self.scopes.var(*g, &plain).is_some());
        match outer {
            None if path.groups.is_some() => format!("there is no variable '{path}'{nor}"),
            None => {
                let vars = self.schema.group(self.group()).vars.iter();
                let names = vars.map(|id| self.schema.var(*id).name.as_str());
                format!(
                    "there is no variable '{name}' in this group{nor}{}",
                    question(name, names)
                )
            }
            Some(group) => format!(
                "there is no variable '{name}' in this group{nor}: for that of the group {}, write {}",
                self.schema.group_path(group),
                self.schema.path_in(group, name)
            ),
        }
    }
}
