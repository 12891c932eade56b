//! The argument of `nccopy -c`: the chunk shapes that the user asks for.
//!
//! | form | meaning |
//! | --- | --- |
//! | `dim/n,dim/,…` | chunk length `n` along every dimension of that name; `dim/` is the dimension's whole length |
//! | `var:n1,n2,…` | the chunk shape of one variable |
//! | `var:` or `var:contiguous` | that variable contiguous |
//! | `var:compact` | that variable compact, inside the file's metadata |
//! | `var:external=FILE[@OFFSET[+SIZE]][;FILE…]` | that variable contiguous, its raw data in these files |
//! | `/` or `//` | every variable contiguous |
//! | `auto=map[,SIZE]`, `series`, `balanced` | shapes for how the data is read, of at most SIZE bytes |
//!
//! A backslash makes the next character part of a name.

use super::external_parts::external_parts;
use super::lengths::{lengths, lengths_by_dimension, split_unescaped};
use crate::copy::memory::parse_memory;
use crate::error::{Request, Result};
use crate::model::{ExternalPart, NamePattern};

/// What precedes the names of external files.
const EXTERNAL: &str = "external=";

/// One `-c` argument.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ChunkSpec {
    /// Chunk lengths by dimension name or path. `None` stands for the whole dimension.
    Dimensions(Vec<(String, Option<u64>)>),
    /// The layout of one variable, given by path or by name in the root group.
    Variable {
        /// Name or path of the variable.
        name: NamePattern,
        /// The requested layout.
        layout: AskedLayout,
    },
    /// No chunks for any variable.
    Unchunked,
    /// Chunks for one way to read the data, of at most so many bytes.
    Access(Access, u64),
}

/// A way to read data, for which chunks are shaped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Whole maps, one step at a time.
    Map,
    /// Whole series at one point.
    Series,
    /// Both.
    Balanced,
}

/// Size of a chunk for one way to read the data, in bytes, where none is asked for: it fits the chunk caches of HDF5 and netCDF-C.
const ACCESS_CHUNK: u64 = 1 << 20;

/// The layout that a `-c` argument requests for one variable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AskedLayout {
    /// Chunks of this shape, in elements.
    Chunked(Vec<u64>),
    /// Contiguous storage.
    Contiguous,
    /// Compact storage, inside the metadata.
    Compact,
    /// Contiguous storage, its raw data in parts of other files.
    External(Vec<ExternalPart>),
}

impl ChunkSpec {
    /// Reads one `-c` argument.
    ///
    /// # Errors
    /// [`Error::Request`](crate::Error::Request), which says what was expected.
    pub fn parse(argument: &str) -> Result<Self> {
        if matches!(argument, "/" | "//") {
            return Ok(Self::Unchunked);
        }
        if let Some(asked) = argument.strip_prefix("auto=") {
            return Self::parse_access(asked, argument);
        }
        let parts = split_unescaped(argument, ':');
        match parts.as_slice() {
            [_] => lengths_by_dimension(Request::Chunks, argument, "chunk").map(Self::Dimensions),
            ["", _] => Err(Request::Chunks
                .misspelled(format!("'{argument}'"), "a variable's name is missing before ':'")),
            [name, lengths] => Ok(Self::Variable {
                name: NamePattern::parse(name),
                layout: Self::parse_layout(lengths, argument)?,
            }),
            _ => {
                let why = match by_dimension(argument) {
                    Some(meant) => {
                        format!(
                            "more than one ':'; lengths of dimensions are '{meant}', and each variable is given by itself"
                        )
                    }
                    None => "more than one ':'; give each variable by itself".to_owned(),
                };
                Err(Request::Chunks.misspelled(format!("'{argument}'"), why))
            }
        }
    }

    fn parse_access(asked: &str, argument: &str) -> Result<Self> {
        let wrong = |why| Request::Chunks.misspelled(format!("'{argument}'"), why);
        let (access, size) = match asked.split_once(',') {
            Some((access, size)) => (access, parse_memory(size)),
            None => (asked, Some(ACCESS_CHUNK)),
        };
        let access = match access {
            "map" => Access::Map,
            "series" => Access::Series,
            "balanced" => Access::Balanced,
            _ => return Err(wrong("expected auto=map, auto=series or auto=balanced")),
        };
        match size {
            None | Some(0) => Err(wrong("expected a size such as 4M behind the comma")),
            Some(size) => Ok(Self::Access(access, size)),
        }
    }

    fn parse_layout(text: &str, argument: &str) -> Result<AskedLayout> {
        match text {
            "" | "contiguous" => Ok(AskedLayout::Contiguous),
            "compact" => Ok(AskedLayout::Compact),
            _ if text.starts_with(EXTERNAL) => {
                external_parts(&text[EXTERNAL.len()..], argument).map(AskedLayout::External)
            }
            _ => lengths(text, Request::Chunks, argument, "chunk").map(AskedLayout::Chunked),
        }
    }
}

/// Lengths by dimension as they are written, if `argument` is such a list with `:` in place of `/`.
fn by_dimension(argument: &str) -> Option<String> {
    let parts = argument.split(',').map(|part| {
        let (name, length) = part.split_once(':')?;
        let is_length = length.bytes().all(|byte| byte.is_ascii_digit());
        (!name.is_empty() && is_length).then(|| format!("{name}/{length}"))
    });
    let parts: Option<Vec<String>> = parts.collect();
    parts.map(|parts| parts.join(","))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dims(list: &[(&str, Option<u64>)]) -> ChunkSpec {
        ChunkSpec::Dimensions(list.iter().map(|(n, l)| ((*n).to_owned(), *l)).collect())
    }

    fn var(name: &str, layout: AskedLayout) -> ChunkSpec {
        ChunkSpec::Variable {
            name: name.into(),
            layout,
        }
    }

    #[test]
    fn reads_every_form() {
        let parse = |s: &str| ChunkSpec::parse(s).unwrap();
        assert_eq!(parse("/"), ChunkSpec::Unchunked);
        assert_eq!(parse("//"), ChunkSpec::Unchunked);
        assert_eq!(parse("time/10"), dims(&[("time", Some(10))]));
        assert_eq!(parse("time/10,lat/"), dims(&[("time", Some(10)), ("lat", None)]));
        assert_eq!(parse("/g/lat/4"), dims(&[("/g/lat", Some(4))]));
        assert_eq!(parse(r"a\,b/4"), dims(&[("a,b", Some(4))]));
        assert_eq!(parse("t:"), var("t", AskedLayout::Contiguous));
        assert_eq!(parse("/g/t:contiguous"), var("/g/t", AskedLayout::Contiguous));
        let raw = ExternalPart {
            file: "a:b.raw".to_owned(),
            offset: 8,
            size: None,
        };
        let external = AskedLayout::External(vec![raw]);
        assert_eq!(parse(r"/g/t:external=a\:b.raw@8"), var("/g/t", external));
        assert_eq!(parse("auto=map"), ChunkSpec::Access(Access::Map, 1 << 20));
        assert_eq!(
            parse("auto=series,4M"),
            ChunkSpec::Access(Access::Series, 4_000_000)
        );
        assert_eq!(parse("t:compact"), var("t", AskedLayout::Compact));
        assert_eq!(
            parse("t:1,20,30"),
            var("t", AskedLayout::Chunked(vec![1, 20, 30]))
        );
        assert_eq!(parse(r"a\:b:3"), var("a:b", AskedLayout::Chunked(vec![3])));
    }

    #[test]
    fn lengths_of_dimensions_with_colons_are_shown_as_they_are_written() {
        let told = |argument| ChunkSpec::parse(argument).unwrap_err().to_string();
        let error = told("time:366,lat:6");
        assert!(
            error.contains("lengths of dimensions are 'time/366,lat/6'"),
            "{error}"
        );
        assert!(!told("t:1:2").contains("lengths of dimensions"));
    }

    #[test]
    fn says_what_is_wrong() {
        for bad in [
            "",
            "time",
            "time/0",
            "time/x",
            "a/1,,b/2",
            ":3",
            "t:1:2",
            "t:1,,2",
            "t:0",
            "t:-1",
            "/3",
            "t:external",
            "t:external=",
            "auto=",
            "auto=maps",
            "auto=map,",
            "auto=map,0",
        ] {
            let error = ChunkSpec::parse(bad).unwrap_err().to_string();
            assert!(error.starts_with(&format!("chunks '{bad}': ")), "{error}");
        }
    }
}
