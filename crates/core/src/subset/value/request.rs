//! The argument of `--sel`. The grammar is in `sel.pest`.

use pest::Parser as _;
use pest::iterators::Pair;

use self::grammar::{Grammar, Rule};
use crate::error::{Error, Request, Result};
use crate::model::unescape;

// The derived items have no documentation; sel.pest has.
#[allow(missing_docs)]
mod grammar {
    #[derive(pest_derive::Parser)]
    #[grammar = "subset/value/sel.pest"]
    pub struct Grammar;
}

/// Cells of one dimension by values of its coordinate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ValueRequest {
    /// The argument, for messages.
    argument: String,
    /// Name or path of the dimension.
    dimension: String,
    /// At least one.
    pub(super) items: Vec<ValueItem>,
}

/// Values as they were typed, without escapes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ValueItem {
    /// Cells of this value, or within this period.
    Equal(String),
    /// The cell nearest to this value.
    Nearest(String),
    /// Every `step`th cell of those from `low` to `high`, both included.
    Range {
        low: Option<String>,
        high: Option<String>,
        step: u64,
    },
}

impl ValueRequest {
    /// Parses an argument of `--sel`: a request for each dimension that it names.
    ///
    /// # Errors
    /// [`Error::Request`], which says what was expected.
    pub fn parse(argument: &str) -> Result<Vec<Self>> {
        let pairs = Grammar::parse(Rule::argument, argument).map_err(|_| {
            Request::Values.misspelled(
                format!("'{argument}'"),
                "expected DIM=LOW..HIGH, DIM=LOW..HIGH/STEP, DIM=VALUE or DIM~VALUE, joined by commas",
            )
        })?;
        let requests = pairs.filter(|pair| pair.as_rule() == Rule::request);
        requests.map(Self::of).collect()
    }

    /// The request of one dimension.
    fn of(pair: Pair<'_, Rule>) -> Result<Self> {
        let mut request = Self {
            argument: pair.as_str().to_owned(),
            dimension: String::new(),
            items: Vec::new(),
        };
        for pair in pair.into_inner() {
            let text = || unescape(pair.as_str());
            match pair.as_rule() {
                Rule::dimension => request.dimension = text(),
                Rule::equal => request.items.push(ValueItem::Equal(text())),
                Rule::near => request.items.push(ValueItem::Nearest(text())),
                Rule::range => {
                    let (mut low, mut high, mut step) = (None, None, 1);
                    for part in pair.into_inner() {
                        match part.as_rule() {
                            Rule::low => low = Some(unescape(part.as_str())),
                            Rule::high => high = Some(unescape(part.as_str())),
                            // A step that is too long for 64 bits is longer than any dimension.
                            Rule::step => step = part.as_str().parse().unwrap_or(u64::MAX),
                            _ => {}
                        }
                    }
                    if step == 0 {
                        return Err(request.wrong("a step is a number from 1 on"));
                    }
                    request.items.push(ValueItem::Range { low, high, step });
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
    pub(in crate::subset) fn quoted(&self) -> String {
        format!("'{}'", self.argument)
    }

    /// An error in the argument.
    pub(super) fn wrong(&self, why: impl Into<String>) -> Error {
        Request::Values.misspelled(self.quoted(), why)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn range(low: &str, high: &str, step: u64) -> ValueItem {
        let end = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        ValueItem::Range {
            low: end(low),
            high: end(high),
            step,
        }
    }

    fn equal(text: &str) -> ValueItem {
        ValueItem::Equal(text.to_owned())
    }

    #[test]
    fn every_form() {
        for (argument, items) in [
            ("x=-10..10", vec![range("-10", "10", 1)]),
            ("x=..10/2", vec![range("", "10", 2)]),
            ("x=1.5..", vec![range("1.5", "", 1)]),
            ("x=..", vec![range("", "", 1)]),
            (
                "x=850,500,1..2",
                vec![equal("850"), equal("500"), range("1", "2", 1)],
            ),
            (
                "x=2000-01-03 12:00..2000-02/10",
                vec![range("2000-01-03 12:00", "2000-02", 10)],
            ),
            ("x=Oslo/Blindern", vec![equal("Oslo/Blindern")]),
            (r"x=a\,b\.\.c\/d..", vec![range("a,b..c/d", "", 1)]),
            (
                "x~5.3,7",
                vec![
                    ValueItem::Nearest("5.3".to_owned()),
                    ValueItem::Nearest("7".to_owned()),
                ],
            ),
        ] {
            assert_eq!(
                ValueRequest::parse(argument).unwrap()[0].items,
                items,
                "{argument}"
            );
        }
        for (argument, dimensions) in [
            (r"/g/a\~b\=c=1", vec!["/g/a~b=c"]),
            (
                "time=1990..1999,lat=-10..10,5,lon~3,4",
                vec!["time", "lat", "lon"],
            ),
            (r"station=Oslo,a\=b", vec!["station"]),
        ] {
            let requests = ValueRequest::parse(argument).unwrap();
            let found: Vec<&str> = requests.iter().map(ValueRequest::dimension).collect();
            assert_eq!(found, dimensions, "{argument}");
        }
        assert_eq!(ValueRequest::parse("x=1,y=2,3").unwrap()[1].quoted(), "'y=2,3'");
    }

    #[test]
    fn what_is_wrong_is_told() {
        for argument in [
            "",
            "x",
            "x=",
            "x~",
            "=1",
            "x=1,",
            "x=1..2..3",
            "x=1..2/",
            "x=1..2/a",
            "x=a\\",
        ] {
            let told = ValueRequest::parse(argument).unwrap_err().to_string();
            assert!(told.contains("expected DIM=LOW..HIGH"), "{told}");
        }
        let told = ValueRequest::parse("x=1..2/0").unwrap_err().to_string();
        assert_eq!(told, "part by values 'x=1..2/0': a step is a number from 1 on");
    }
}
