//! The first pass over a text, statement by statement, through sections and groups.
//!
//! ```text
//! netcdf name { ─► heading (types: dimensions: variables: data: group:) ─► section
//!                  statement of that section ─┬─► type, dimension, variable ─► Schema, Scopes
//!                                             ├─► attribute (in any section) ─► Schema, StorageAttributes
//!                                             └─► name = … ─► DataList
//! ```
//!
//! # Section `data:`, or an attribute of a variable `data`?
//!
//! `types:`, `dimensions:`, `variables:`, `data:` and `group:` begin a section or a group if the colon follows at once.
//! But a variable may have such a name, and `data:units = …` is then an attribute of it. The rules:
//!
//! - If the group has a variable of that name, or sees a type of that name, a name directly after the colon makes it an
//!   attribute.
//! - `group:` is an attribute if no `{` follows.
//! - A blank before the colon always makes it an attribute.
//!
//! # Names declared later
//!
//! A file may use a type or dimension of a group that ncdump prints later. If a name is not found, the text is read
//! twice more: first only its groups, types and dimensions, then all the rest with these known.

use std::collections::{HashMap, HashSet};

use crate::error::Result;
use crate::model::{DimId, GroupId, Kind, Schema};

use super::known_attributes::Known;
use super::positions::Positions;
use super::scopes::Scopes;
use super::types::{TypeTable, TypeText};
use crate::Diagnostic;
use crate::cdl::read::storage::attributes::StorageAttributes;
use crate::cdl::read::syntax::errors::Errors;
use crate::cdl::read::syntax::grammar::{Rule, parse, spelled_name, wrong};
use crate::cdl::read::syntax::names::Path;
use crate::cdl::read::syntax::statements::{Heading, Segment, Statements};
use crate::cdl::read::syntax::text::Text;
use crate::cdl::read::values::data_list::DataList;

/// Maximum nesting of groups, the same as for reading HDF5.
const MAX_DEPTH: usize = 256;
/// Maximum number of warnings kept.
pub(crate) const MAX_WARNINGS: usize = 100;

/// Which declarations a walk takes.
#[derive(Debug, PartialEq, Eq)]
enum Purpose {
    /// All, provided that each name is declared before it is used.
    All,
    /// Groups, types and dimensions only.
    Outline,
    /// All others, after an outline.
    Rest,
}

/// A group whose `}` has not come yet.
#[derive(Debug)]
pub(crate) struct Open {
    pub(crate) group: GroupId,
    section: Option<Heading>,
}

/// The state of the first pass: its position, and all declarations found.
pub struct Walk<'t> {
    pub(crate) text: &'t Text,
    pub(crate) statements: Statements<'t>,
    pub(crate) schema: Schema,
    pub(crate) scopes: Scopes,
    pub(crate) storage: Vec<StorageAttributes>,
    pub(crate) lists: Vec<Option<DataList>>,
    pub(crate) format: Option<Kind>,
    pub(crate) warnings: Vec<Diagnostic>,
    pub(crate) name: String,
    pub(crate) places: Positions,
    /// Dimensions whose length is written as 0, which means unlimited.
    pub(crate) zero_dims: HashSet<DimId>,
    /// Position of each group's first `types:`.
    pub(crate) type_sections: HashMap<GroupId, u64>,
    /// A name was not found, and may be declared later.
    pub(crate) missing: bool,
    /// A name was not found, and looks like a misspelt section.
    pub(crate) misspelt: bool,
    /// The section or group that follows is not known, so text behind an error has no certain meaning.
    pub(crate) is_lost: bool,
    pub(crate) errors: Errors,
    /// Position of the statement that is read.
    pub(crate) begun: u64,
    pub(crate) attributes: Known,
    purpose: Purpose,
    pub(crate) open: Vec<Open>,
    pub(crate) types: TypeTable,
    /// Types of an outline that use types not declared yet.
    pub(crate) waiting: Vec<(GroupId, TypeText)>,
}

impl<'t> Walk<'t> {
    /// Reads the whole text but the values.
    ///
    /// # Errors
    /// [`crate::error::Error::Cdl`] with the errors so far, if the structure of the text is broken. Other errors are in `errors`.
    pub fn over(text: &'t Text) -> Result<Self> {
        let mut walk = Self::new(text, Purpose::All);
        let missed = match walk.run() {
            Err(error) if walk.missing => walk.misspelt.then_some(error),
            done => return done.map(|()| walk),
        };
        let mut walk = Self::new(text, Purpose::Outline);
        let outlined = walk.run().and_then(|()| walk.settle());
        match missed {
            // An unknown section keyword makes the text after it look wrong. Report the keyword, not its consequences.
            Some(missed) if outlined.is_err() || !walk.errors.is_empty() => return Err(missed),
            _ => outlined?,
        }
        walk.purpose = Purpose::Rest;
        walk.statements.seek(text.start());
        walk.scopes.forget_vars();
        walk.run()?;
        Ok(walk)
    }

    fn new(text: &'t Text, purpose: Purpose) -> Self {
        Self {
            text,
            statements: Statements::new(text),
            schema: Schema::new(Kind::Netcdf4),
            scopes: Scopes::default(),
            storage: Vec::new(),
            lists: Vec::new(),
            format: None,
            warnings: Vec::new(),
            name: String::new(),
            places: Positions {
                groups: vec![text.start()],
                ..Positions::default()
            },
            zero_dims: HashSet::new(),
            type_sections: HashMap::new(),
            missing: false,
            misspelt: false,
            is_lost: false,
            errors: Errors::default(),
            begun: text.start(),
            attributes: Known::default(),
            purpose,
            open: Vec::new(),
            types: TypeTable::default(),
            waiting: Vec::new(),
        }
    }

    /// Adds a warning, unless there are [`MAX_WARNINGS`] already.
    pub(crate) fn warn(&mut self, at: u64, what: String) -> Result<()> {
        if self.warnings.len() < MAX_WARNINGS {
            self.warnings.push(self.text.diagnostic(at, what)?);
        }
        Ok(())
    }

    /// The innermost open group.
    pub(crate) fn group(&self) -> GroupId {
        self.open.last().map_or(Schema::ROOT, |open| open.group)
    }

    /// True if this walk takes only groups, types and dimensions.
    pub(crate) fn outlines(&self) -> bool {
        self.purpose == Purpose::Outline
    }

    /// True if an outline has already declared the groups, types and dimensions.
    pub(crate) fn knows_outline(&self) -> bool {
        self.purpose == Purpose::Rest
    }

    /// True if this walk takes everything, provided that each name is declared before it is used.
    pub(super) fn declares_before_use(&self) -> bool {
        self.purpose == Purpose::All
    }

    /// True within a section whose statements declare names.
    pub(super) fn is_in_declarations(&self) -> bool {
        let section = self.open.last().and_then(|open| open.section);
        matches!(
            section,
            Some(Heading::Types | Heading::Dimensions | Heading::Variables)
        )
    }

    fn run(&mut self) -> Result<()> {
        self.name = self.statements.dataset()?;
        self.open.push(Open {
            group: Schema::ROOT,
            section: None,
        });
        while !self.open.is_empty() {
            if let Err(error) = self.statement() {
                self.go_on_after(error)?;
            }
        }
        if self.statements.peek()?.is_some() {
            let what = "expected the end of the text: the '}' before closes the dataset";
            self.errors.add(self.text.error(self.statements.at(), what))?;
        }
        Ok(())
    }

    fn statement(&mut self) -> Result<()> {
        self.begun = self.statements.at();
        match self.statements.peek()? {
            None => {
                let path = self.schema.group_path(self.group());
                let what = format!("expected '}}': the text ends within the group {path}");
                return Err(self.text.error(self.statements.at(), what));
            }
            Some(b'}') => {
                self.statements.take(b'}')?;
                self.open.pop();
                // Only attributes and groups may follow the end of a group.
                self.set_section(None);
                return Ok(());
            }
            Some(_) => {}
        }
        let start = self.statements.at();
        self.begun = start;
        if let Some(heading) = self.statements.heading()? {
            if heading == Heading::Group {
                self.is_lost = true;
                let is_group = self.begin_group(start)?;
                self.is_lost = false;
                if is_group {
                    return Ok(());
                }
            } else if !self.is_attribute_of(heading)? {
                let group = self.group();
                if heading == Heading::Types {
                    self.type_sections.entry(group).or_insert(start);
                }
                self.set_section(Some(heading));
                return Ok(());
            }
            self.statements.seek(start);
        }
        match self.open.last().and_then(|open| open.section) {
            Some(Heading::Types) => self.types(),
            Some(Heading::Dimensions) => self.dimensions(),
            Some(Heading::Variables) => self.variables(),
            Some(Heading::Data) => self.data(),
            Some(Heading::Group) | None => {
                let segment = self.statements.segment(b":=,;{}")?;
                if segment.stop == Some(b':') {
                    return self.attribute(&segment);
                }
                self.is_lost = true;
                let expected = "types:, dimensions:, variables:, data:, group:, an attribute or '}'";
                Err(wrong(&segment, 0, expected, self.text))
            }
        }
    }

    fn set_section(&mut self, section: Option<Heading>) {
        if let Some(open) = self.open.last_mut() {
            open.section = section;
        }
    }

    /// True if the group has a variable, or sees a type, with the name of a heading.
    fn is_name(&self, heading: Heading) -> bool {
        let path = Path {
            groups: None,
            name: heading.word().to_owned(),
        };
        self.scopes.var(self.group(), &path).is_some() || self.scopes.ty(self.group(), &path).is_ok()
    }

    /// True if the heading just passed is the beginning of an attribute.
    fn is_attribute_of(&mut self, heading: Heading) -> Result<bool> {
        let name = |b: u8| b.is_ascii_alphanumeric() || b == b'_' || b == b'\\' || b >= 0x80;
        let next = self.statements.cursor().peek()?;
        Ok(next.is_some_and(name) && self.is_name(heading))
    }

    /// Begins the group whose `group:` is at `start`, before the cursor. Returns false if it is an attribute of a
    /// variable or type `group`.
    fn begin_group(&mut self, start: u64) -> Result<bool> {
        let segment = self.statements.segment(b"{}:=,;")?;
        if segment.stop == Some(b'=') && self.is_name(Heading::Group) {
            return Ok(false);
        }
        let spelled = parse(Rule::whole_name, &segment, "'{'", self.text)?
            .next()
            .expect("a name");
        if segment.stop != Some(b'{') {
            return Err(wrong(&segment, segment.text.len(), "'{'", self.text));
        }
        let name = spelled_name(&spelled, &segment, 0, self.text)?;
        if self.open.len() > MAX_DEPTH {
            let what = format!("groups cannot be nested more than {MAX_DEPTH} deep");
            return Err(self.text.error(start, what));
        }
        let parent = self.group();
        let group = if self.knows_outline() {
            // An outline of a text with errors may lack it.
            let known = self.scopes.child(parent, &name);
            known.ok_or_else(|| self.text.error(start, "expected ';' before this group"))?
        } else {
            let id = self.schema.add_group(parent, name.as_str());
            if !self.scopes.add_group(parent, &name, id) {
                return Err(self.already(&segment, spelled.as_span().start(), "group", &name));
            }
            self.places.groups.push(segment.place(spelled.as_span().start()));
            id
        };
        self.open.push(Open { group, section: None });
        Ok(true)
    }

    pub(crate) fn already(
        &self,
        segment: &Segment,
        at: usize,
        what: &str,
        name: &str,
    ) -> crate::error::Error {
        let what = format!("this group has a {what} '{name}' already");
        self.text.error(segment.place(at), what)
    }
}
