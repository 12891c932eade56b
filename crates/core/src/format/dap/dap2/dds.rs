//! DDS: the structure of a dataset (DAP 2.0, section 5.1).

use super::lexer::{Lexer, Token};
use crate::error::Error;
use crate::error::Result;
use crate::format::dap::limits::{DEEPEST, MOST_DIMENSIONS, shown};

/// A dataset.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dataset {
    /// Its name.
    pub name: String,
    /// Its variables.
    pub members: Vec<Node>,
}

/// A variable, with those inside.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Node {
    /// The name as it stands in the text, which may be escaped.
    pub name: String,
    /// Dimensions of an atomic variable or a structure.
    pub dims: Vec<Dim>,
    /// What it is.
    pub kind: NodeKind,
}

/// What a variable is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NodeKind {
    /// Numbers or strings.
    Atom(Atom),
    /// Variables that stand together.
    Structure(Vec<Node>),
    /// Rows.
    Sequence(Vec<Node>),
    /// The first member is an array, and each further one is a map: the coordinates of one of its dimensions.
    Grid(Vec<Node>),
}

impl Node {
    /// The variables inside.
    pub fn members(&self) -> &[Node] {
        match &self.kind {
            NodeKind::Atom(_) => &[],
            NodeKind::Structure(members) | NodeKind::Sequence(members) | NodeKind::Grid(members) => members,
        }
    }

    /// Number of atomic variables: itself, or those inside.
    pub fn atoms(&self) -> usize {
        match &self.kind {
            NodeKind::Atom(_) => 1,
            _ => self.members().iter().map(Node::atoms).sum(),
        }
    }
}

/// A dimension.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dim {
    /// Its name; `None` for one without.
    pub name: Option<String>,
    /// Its length, in elements.
    pub length: u64,
}

/// The type of an atomic variable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Atom {
    /// Unsigned.
    Byte,
    Int16,
    UInt16,
    Int32,
    UInt32,
    Float32,
    Float64,
    String,
    Url,
}

impl Atom {
    /// The type with this name.
    pub fn of(word: &str) -> Option<Self> {
        const NAMES: [(&str, Atom); 9] = [
            ("Byte", Atom::Byte),
            ("Int16", Atom::Int16),
            ("UInt16", Atom::UInt16),
            ("Int32", Atom::Int32),
            ("UInt32", Atom::UInt32),
            ("Float32", Atom::Float32),
            ("Float64", Atom::Float64),
            ("String", Atom::String),
            ("Url", Atom::Url),
        ];
        let found = NAMES.iter().find(|(name, _)| name.eq_ignore_ascii_case(word));
        found.map(|(_, atom)| *atom)
    }

    /// True for text.
    pub fn is_text(self) -> bool {
        matches!(self, Self::String | Self::Url)
    }
}

/// Parses a DDS.
///
/// # Errors
/// Says what is malformed; nesting that is too deep.
pub fn parse(text: &str) -> Result<Dataset> {
    let mut lexer = Lexer::new(text, "DDS");
    lexer.keyword("Dataset")?;
    lexer.mark(b'{')?;
    let members = members(&mut lexer, 1)?;
    let name = match lexer.peek()? {
        Token::Word(_) => lexer.word()?.to_owned(),
        Token::Text(name) => {
            lexer.next()?;
            name.to_owned()
        }
        _ => String::new(),
    };
    Ok(Dataset { name, members })
}

/// The variables up to the `}` that ends them.
fn members(lexer: &mut Lexer<'_>, depth: usize) -> Result<Vec<Node>> {
    let mut members = Vec::new();
    while !lexer.has_mark(b'}')? {
        members.push(node(lexer, depth)?);
    }
    Ok(members)
}

/// A variable, which is `depth` levels below the dataset.
fn node(lexer: &mut Lexer<'_>, depth: usize) -> Result<Node> {
    if depth > DEEPEST {
        return Err(lexer.fault(&format!("more than {DEEPEST} structures in each other")));
    }
    let word = lexer.word()?;
    let kind = if let Some(atom) = Atom::of(word) {
        NodeKind::Atom(atom)
    } else {
        lexer.mark(b'{')?;
        match word.to_ascii_lowercase().as_str() {
            "structure" => NodeKind::Structure(members(lexer, depth + 1)?),
            "sequence" => NodeKind::Sequence(members(lexer, depth + 1)?),
            "grid" => NodeKind::Grid(grid(lexer, depth + 1)?),
            _ => {
                return Err(Error::Unsupported(format!(
                    "the type '{}' of the server's DDS",
                    shown(word)
                )));
            }
        }
    };
    let name = lexer.word()?.to_owned();
    let mut dims = Vec::new();
    while lexer.has_mark(b'[')? {
        if dims.len() == MOST_DIMENSIONS {
            return Err(lexer.fault(&format!("more than {MOST_DIMENSIONS} dimensions")));
        }
        dims.push(dim(lexer)?);
    }
    lexer.mark(b';')?;
    if matches!(kind, NodeKind::Sequence(_) | NodeKind::Grid(_)) && !dims.is_empty() {
        return Err(lexer.fault("a sequence or grid has dimensions"));
    }
    Ok(Node { name, dims, kind })
}

/// The array and the maps of a grid.
fn grid(lexer: &mut Lexer<'_>, depth: usize) -> Result<Vec<Node>> {
    lexer.keyword("Array")?;
    lexer.mark(b':')?;
    let mut all = vec![node(lexer, depth)?];
    lexer.keyword("Maps")?;
    lexer.mark(b':')?;
    all.extend(members(lexer, depth)?);
    let is_array = |node: &Node| matches!(node.kind, NodeKind::Atom(_));
    match all.iter().all(is_array) {
        true => Ok(all),
        false => Err(lexer.fault("a grid of anything but arrays")),
    }
}

fn dim(lexer: &mut Lexer<'_>) -> Result<Dim> {
    let mut name = None;
    let mut word = match lexer.has_mark(b'=')? {
        true => lexer.word()?,
        false => {
            let word = lexer.word()?;
            match lexer.has_mark(b'=')? {
                true => {
                    name = Some(word.to_owned());
                    lexer.word()?
                }
                false => word,
            }
        }
    };
    word = word.trim();
    // Counts of DAP2 have 32 bits, and -1 stands for none.
    let length = word.parse().ok().filter(|length| *length <= u64::from(u32::MAX));
    let length =
        length.ok_or_else(|| lexer.fault(&format!("'{}' is no length of a dimension", shown(word))))?;
    lexer.mark(b']')?;
    Ok(Dim { name, length })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_kinds_are_parsed() {
        let text = "Dataset {
            Grid {
              Array:
                Float32 SST[TIME = 4][Y = 3];
              Maps:
                Float64 TIME[TIME = 4];
                Float32 Y[Y = 3];
            } SST;
            Byte array[2][=3];
            Structure { Int16 x; Sequence { String a%20b; } rows; } s[n = 2];
        } a.nc;";
        let dataset = parse(text).unwrap();
        assert_eq!(dataset.name, "a.nc");
        let [sst, array, s] = &dataset.members[..] else {
            panic!()
        };
        assert!(matches!(sst.kind, NodeKind::Grid(_)));
        assert_eq!(sst.members().len(), 3);
        let lengths: Vec<u64> = array.dims.iter().map(|dim| dim.length).collect();
        assert_eq!((lengths, array.dims[0].name.clone()), (vec![2, 3], None));
        assert_eq!(s.members()[1].members()[0].name, "a%20b");
        assert_eq!(s.dims[0].name.as_deref(), Some("n"));
    }

    #[test]
    fn broken_texts_are_errors() {
        for (text, says) in [
            ("", "'Dataset' is missing"),
            ("<html>", "'Dataset' is missing"),
            ("Dataset { Int32 x; ", "a name is missing"),
            (
                "Dataset { Int32 x[n = 99999999999999999999]; } d;",
                "is no length",
            ),
            ("Dataset { Int64 { } x; } d;", "the type 'Int64'"),
            (
                "Dataset { Grid { Array: Sequence { } x; Maps: } g; } d;",
                "anything but arrays",
            ),
        ] {
            let error = parse(text).unwrap_err().to_string();
            assert!(error.contains(says), "{text}: {error}");
        }
        for nested in ["Structure {", "Grid { Array: "] {
            let deep = format!("Dataset {{ {}", nested.repeat(100_000));
            assert!(parse(&deep).unwrap_err().to_string().contains("in each other"));
        }
    }
}
