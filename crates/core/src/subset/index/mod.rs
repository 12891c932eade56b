//! Cells by their indices: the argument of `--isel`.
//!
//! | form | cells |
//! | --- | --- |
//! | `DIM=5` | one |
//! | `DIM=START:STOP:STEP` | from START to before STOP, every STEPth; each may be left out |
//! | `DIM=…,…` | the union, in the order of the dimension, each once |
//! | `DIM=…,DIM=…` | cells of several dimensions |
//!
//! Indices count from 0, negative ones from the end. The grammar is in `isel.pest`.

use pest::Parser as _;
use pest::iterators::Pair;

use self::grammar::{Grammar, Rule};
use super::cells::{CellRun, Cells};
use crate::error::{Request, Result};
use crate::model::unescape;

// The derived items have no documentation; isel.pest has.
#[allow(missing_docs)]
mod grammar {
    #[derive(pest_derive::Parser)]
    #[grammar = "subset/index/isel.pest"]
    pub struct Grammar;
}

/// Cells of one dimension by their indices.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IndexRequest {
    /// The argument, for messages.
    argument: String,
    /// Name or path of the dimension.
    dimension: String,
    /// At least one.
    items: Vec<IndexItem>,
}

/// An index or a range of indices. Negative indices count from the end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum IndexItem {
    One(i128),
    Range {
        start: Option<i128>,
        stop: Option<i128>,
        step: i128,
    },
}

impl IndexRequest {
    /// Parses an argument of `--isel`: a request for each dimension that it names.
    ///
    /// # Errors
    /// [`Error::Request`](crate::Error::Request), which says what was expected.
    pub fn parse(argument: &str) -> Result<Vec<Self>> {
        let wrong = |why: &str| Request::Indices.misspelled(format!("'{argument}'"), why);
        let pairs = Grammar::parse(Rule::argument, argument).map_err(|_| {
            wrong("expected DIM=INDEX or DIM=START:STOP:STEP, joined by commas, with whole numbers")
        })?;
        let requests = pairs.filter(|pair| pair.as_rule() == Rule::request);
        requests.map(|pair| Self::of(pair).map_err(wrong)).collect()
    }

    /// All cells of a dimension, a name or a path, from one on.
    pub fn from(dimension: &str, first: u64) -> Self {
        Self {
            argument: format!("{dimension}={first}:"),
            dimension: dimension.to_owned(),
            items: vec![IndexItem::Range {
                start: Some(first.into()),
                stop: None,
                step: 1,
            }],
        }
    }

    /// The request of one dimension. The error is a text.
    fn of(pair: Pair<'_, Rule>) -> Result<Self, &'static str> {
        let mut request = Self {
            argument: pair.as_str().to_owned(),
            dimension: String::new(),
            items: Vec::new(),
        };
        for pair in pair.into_inner() {
            match pair.as_rule() {
                Rule::dimension => request.dimension = unescape(pair.as_str()),
                Rule::one => request.items.push(IndexItem::One(integer(pair.as_str()))),
                Rule::range => {
                    let (mut start, mut stop, mut step) = (None, None, 1);
                    for bound in pair.into_inner() {
                        let value = integer(bound.as_str());
                        match bound.as_rule() {
                            Rule::start => start = Some(value),
                            Rule::stop => stop = Some(value),
                            _ => step = value,
                        }
                    }
                    if step < 1 {
                        return Err("a step is a number from 1 on");
                    }
                    request.items.push(IndexItem::Range { start, stop, step });
                }
                _ => {}
            }
        }
        Ok(request)
    }

    /// Name or path of the dimension.
    pub fn dimension(&self) -> &str {
        &self.dimension
    }

    /// The argument, in quotes.
    pub(super) fn quoted(&self) -> String {
        format!("'{}'", self.argument)
    }

    /// The cells of a dimension of `length` cells.
    ///
    /// # Errors
    /// [`Error::Request`](crate::Error::Request) if an index is beyond the length, or nothing is selected.
    pub(super) fn cells(&self, length: u64) -> Result<Cells> {
        let wrong = |why: String| Request::Indices.misspelled(self.quoted(), why);
        let beyond = |index: i128| {
            let shown = match index {
                i128::MAX | i128::MIN => "an index".to_owned(),
                index => format!("index {index}"),
            };
            wrong(format!(
                "{shown} is beyond the dimension {}, which has {length} cells",
                self.dimension
            ))
        };
        let from_end = |index: i128| match index < 0 {
            true => index.saturating_add(i128::from(length)),
            false => index,
        };
        // Ends of ranges may be the length.
        let bound = |index: i128| {
            let at = from_end(index);
            u64::try_from(at)
                .ok()
                .filter(|at| *at <= length)
                .ok_or_else(|| beyond(index))
        };
        let mut runs = Vec::with_capacity(self.items.len());
        for item in &self.items {
            runs.push(match item {
                IndexItem::One(index) => {
                    let at = bound(*index)?;
                    if at == length {
                        return Err(beyond(*index));
                    }
                    CellRun::new(at, 1, 1)
                }
                IndexItem::Range { start, stop, step } => {
                    let start = start.map_or(Ok(0), bound)?;
                    let stop = stop.map_or(Ok(length), bound)?;
                    let step = u64::try_from(*step).unwrap_or(u64::MAX);
                    CellRun::new(start, step, stop.saturating_sub(start).div_ceil(step))
                }
            });
        }
        let cells = Cells::union(runs).map_err(wrong)?;
        match cells.is_empty() {
            true => Err(wrong(format!(
                "selects nothing of the dimension {}, which has {length} cells",
                self.dimension
            ))),
            false => Ok(cells),
        }
    }
}

/// The number in `text`; one too long for 128 bits is beyond any dimension.
fn integer(text: &str) -> i128 {
    let end = match text.starts_with('-') {
        true => i128::MIN,
        false => i128::MAX,
    };
    text.parse().unwrap_or(end)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn cells(argument: &str, length: u64) -> Result<Vec<u64>, String> {
        let found = IndexRequest::parse(argument).and_then(|requests| requests[0].cells(length));
        found
            .map(|cells| cells.indices(0, cells.len()))
            .map_err(|e| e.to_string())
    }

    #[test]
    fn every_form() {
        for (argument, expected) in [
            ("x=5", &[5][..]),
            ("x=-1", &[9]),
            ("x=2:5", &[2, 3, 4]),
            ("x=:3", &[0, 1, 2]),
            ("x=8:", &[8, 9]),
            ("x=-3:-1", &[7, 8]),
            ("x=::4", &[0, 4, 8]),
            ("x=1::4", &[1, 5, 9]),
            ("x=:", &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]),
            ("x=10:,0", &[0]),
            ("x=5,1,5,0:2", &[0, 1, 5]),
            ("x=::3,::2", &[0, 2, 3, 4, 6, 8, 9]),
            ("x=0:10:99999999999999999999999999999999999999999999", &[0]),
        ] {
            assert_eq!(cells(argument, 10).as_deref(), Ok(expected), "{argument}");
        }
        for (argument, dimensions) in [
            (r"/g/a\=b\,c=1", vec!["/g/a=b,c"]),
            ("a,b=1", vec!["a,b"]),
            ("x=0:2,y=1,2,/g/z=:", vec!["x", "y", "/g/z"]),
            (r"x=0,a\,b=1", vec!["x", "a,b"]),
        ] {
            let requests = IndexRequest::parse(argument).unwrap();
            let found: Vec<&str> = requests.iter().map(IndexRequest::dimension).collect();
            assert_eq!(found, dimensions, "{argument}");
        }
        let requests = IndexRequest::parse("x=0:2,y=1,-1").unwrap();
        assert_eq!(requests[1].quoted(), "'y=1,-1'");
        assert_eq!(requests[1].cells(10).unwrap().indices(0, 2), [1, 9]);
    }

    #[test]
    fn what_is_wrong_is_told() {
        for (argument, told) in [
            ("x=10", "index 10 is beyond the dimension x, which has 10 cells"),
            ("x=-11", "index -11 is beyond the dimension x, which has 10 cells"),
            ("x=0:11", "index 11 is beyond the dimension x, which has 10 cells"),
            (
                "x=99999999999999999999999999999999999999999",
                "an index is beyond the dimension x, which has 10 cells",
            ),
            ("x=5:5", "selects nothing of the dimension x, which has 10 cells"),
            ("x=7:3", "selects nothing of the dimension x, which has 10 cells"),
            ("x=::0", "a step is a number from 1 on"),
            ("x=::-1", "a step is a number from 1 on"),
        ] {
            let told = format!("part by indices '{argument}': {told}");
            assert_eq!(cells(argument, 10), Err(told));
        }
        for argument in [
            "",
            "x",
            "x=",
            "=1",
            "x=1,",
            "x=1.5",
            "x=a",
            "x=1:2:3:4",
            "x=1..2",
            "x=+1",
        ] {
            let told = cells(argument, 10).unwrap_err();
            assert!(told.contains("expected DIM=INDEX"), "{told}");
        }
        assert!(cells("x=:", 0).is_err());
    }

    proptest! {
        #[test]
        fn ranges_are_those_of_python(
            length in 1u64..12,
            items in proptest::collection::vec((proptest::option::of(-12i64..12), proptest::option::of(-12i64..12), 1i64..5), 1..4),
        ) {
            let text = |n: Option<i64>| n.map_or(String::new(), |n| n.to_string());
            let spelled: Vec<String> = items.iter().map(|(a, b, s)| format!("{}:{}:{s}", text(*a), text(*b))).collect();
            let within = |n: Option<i64>| n.is_none_or(|n| n.unsigned_abs() <= length);
            let valid = items.iter().all(|(a, b, _)| within(*a) && within(*b));
            let mut expected: Vec<u64> = Vec::new();
            for (a, b, step) in &items {
                let at = |n: i64| if n < 0 { n + length as i64 } else { n };
                let (mut i, stop) = (at(a.unwrap_or(0)), b.map_or(length as i64, at));
                while i < stop {
                    expected.push(i as u64);
                    i += step;
                }
            }
            expected.sort_unstable();
            expected.dedup();
            match cells(&format!("x={}", spelled.join(",")), length) {
                Ok(found) => prop_assert!(valid && found == expected, "{:?} {:?}", found, expected),
                Err(_) => prop_assert!(!valid || expected.is_empty()),
            }
        }
    }
}
