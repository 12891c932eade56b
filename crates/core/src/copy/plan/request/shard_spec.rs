//! The argument of `nccopy --shard`: the shapes of shards that the user asks for, in elements.
//!
//! | form | meaning |
//! | --- | --- |
//! | `dim/n,dim/,…` | shard length `n` along every dimension of that name, rounded up to whole chunks; `dim/` is the dimension's whole length |
//! | `var:n1,n2,…` | the shard shape of one variable |
//! | `var:` or `var:none` | that variable without shards |
//! | `/`, `//` or `none` | every variable without shards |
//! | `128M` | shards of at most so many decoded bytes |
//! | `auto` | shards where there are many chunks |
//!
//! A backslash makes the next character part of a name.

use super::lengths::{lengths, lengths_by_dimension, split_unescaped};
use crate::copy::memory::parse_memory;
use crate::error::{Request, Result};
use crate::model::NamePattern;

/// One `--shard` argument.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ShardSpec {
    /// Shard lengths by dimension name or path. `None` stands for the whole dimension.
    Dimensions(Vec<(String, Option<u64>)>),
    /// The shards of one variable, given by path or by name in the root group.
    Variable {
        /// Name or path of the variable.
        name: NamePattern,
        /// The shape of a shard, in elements; `None` for no shards.
        shape: Option<Vec<u64>>,
    },
    /// No shards for any variable.
    Unsharded,
    /// Shards of at most so many bytes, decoded.
    Bytes(u64),
    /// Shards for variables of many chunks.
    Auto,
}

impl ShardSpec {
    /// Reads one `--shard` argument.
    ///
    /// # Errors
    /// [`Error::Request`](crate::Error::Request), which says what was expected.
    pub fn parse(argument: &str) -> Result<Self> {
        let wrong = |why: &str| Request::Shards.misspelled(format!("'{argument}'"), why);
        match argument {
            "/" | "//" | "none" => return Ok(Self::Unsharded),
            "auto" => return Ok(Self::Auto),
            _ => {}
        }
        if argument.starts_with(|c: char| c.is_ascii_digit())
            && let Some(bytes) = parse_memory(argument)
        {
            return match bytes {
                0 => Err(wrong(
                    "a shard of 0 bytes is not possible; 'none' asks for no shards",
                )),
                _ => Ok(Self::Bytes(bytes)),
            };
        }
        match split_unescaped(argument, ':').as_slice() {
            [_] if split_unescaped(argument, '/').len() == 1 => Err(wrong(
                "expected dim/length, var:length,…, a size such as 128M, auto or none",
            )),
            [_] => lengths_by_dimension(Request::Shards, argument, "shard").map(Self::Dimensions),
            ["", _] => Err(wrong("a variable's name is missing before ':'")),
            [name, shape] => Ok(Self::Variable {
                name: NamePattern::parse(name),
                shape: match *shape {
                    "" | "none" => None,
                    shape => Some(lengths(shape, Request::Shards, argument, "shard")?),
                },
            }),
            _ => Err(wrong("more than one ':'; give each variable by itself")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_every_form() {
        let parse = |s: &str| ShardSpec::parse(s).unwrap();
        let var = |name: &str, shape: Option<&[u64]>| ShardSpec::Variable {
            name: name.into(),
            shape: shape.map(<[u64]>::to_vec),
        };
        for none in ["/", "//", "none"] {
            assert_eq!(parse(none), ShardSpec::Unsharded);
        }
        assert_eq!(parse("auto"), ShardSpec::Auto);
        assert_eq!(parse("128M"), ShardSpec::Bytes(128_000_000));
        assert_eq!(parse("1000"), ShardSpec::Bytes(1000));
        let dims = vec![("time".to_owned(), Some(10)), ("/g/lat".to_owned(), None)];
        assert_eq!(parse("time/10,/g/lat/"), ShardSpec::Dimensions(dims));
        assert_eq!(parse("t:"), var("t", None));
        assert_eq!(parse("t:none"), var("t", None));
        assert_eq!(parse("/g/t:1, 20,30"), var("/g/t", Some(&[1, 20, 30])));
        assert_eq!(parse(r"a\:b:3"), var("a:b", Some(&[3])));
        // Names that begin as a size does.
        assert_eq!(parse("2m:3"), var("2m", Some(&[3])));
        assert_eq!(
            parse("2m/3"),
            ShardSpec::Dimensions(vec![("2m".to_owned(), Some(3))])
        );
    }

    #[test]
    fn says_what_is_wrong() {
        for (bad, says) in [
            ("", "a size such as 128M"),
            ("time", "a size such as 128M"),
            ("12X", "a size such as 128M"),
            ("0", "'none' asks"),
            ("time/0", "a shard length of 0"),
            ("a/1,,b/2", "expected dim/length"),
            (":3", "name is missing"),
            ("t:1:2", "more than one ':'"),
            ("t:1,,2", "expected a shard length"),
            ("t:-1", "found '-1'"),
        ] {
            let error = ShardSpec::parse(bad).unwrap_err().to_string();
            assert!(
                error.starts_with(&format!("shards '{bad}': ")) && error.contains(says),
                "{error}"
            );
        }
    }
}
