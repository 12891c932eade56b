//! A keyword of a function: an option under its long name.

use crate::options::{Opt, Value};

/// A keyword, and what the module does with its value.
pub(super) struct Keyword {
    /// The option's word with `_` for `-`.
    pub(super) name: String,
    /// The option's word.
    pub(super) flag: &'static str,
    /// How the module makes arguments of a value; see `_arguments.py`.
    pub(super) form: &'static str,
    /// The value's type in Python.
    pub(super) python_type: String,
    /// All that the help says of it.
    pub(super) help: String,
}

/// Text of which there may be several.
const TEXTS: &str = "str | Sequence[str]";

impl Keyword {
    /// The keyword of an option; `None` for one that prints a text about the program.
    pub(super) fn of(option: &Opt) -> Option<Self> {
        let flag = option.word()?;
        let (form, python_type) = match &option.value {
            Value::None => ("flag", "bool".to_owned()),
            Value::Text(name) | Value::Texts(name) if per_name(name).is_some() => per_name(name)?,
            Value::Text("N") | Value::Number("N", _) => ("value", "int".to_owned()),
            Value::Text("BYTES") | Value::Number("BYTES", _) => ("value", "int | str".to_owned()),
            Value::Text("DIM" | "KIND") => ("value", "str".to_owned()),
            Value::Text(_) | Value::Number(..) => ("value", "float | str".to_owned()),
            Value::Optional(..) => ("optional", "bool | str".to_owned()),
            Value::Texts(_) => ("list", TEXTS.to_owned()),
            Value::Path(_) => ("value", "Path".to_owned()),
            Value::Paths(_) => ("list", "Path | Sequence[Path]".to_owned()),
            Value::OneOf(_, words) => ("value", format!("Literal{words:?}")),
            Value::Help | Value::Version => return None,
        };
        Some(Self {
            name: keyword(flag),
            flag,
            form,
            python_type,
            help: match &*option.more {
                "" => option.line(),
                more => format!("{}. {}", option.line(), more.replace('\n', " ")),
            },
        })
    }
}

/// Form and type of a value that may be given as a dictionary: by variable or by dimension.
fn per_name(value: &str) -> Option<(&'static str, String)> {
    let (form, of_each) = match value {
        "FILTER" => ("filters", "str | Sequence[str] | None"),
        "QUANTIZE" => ("quantize", "str | Sequence[object]"),
        "CHUNKS" | "SHARDS" => ("shapes", "int | Sequence[int] | str | None"),
        "BLOCK" => ("sizes", "int | str"),
        "DIM=INDICES" => ("cells", "int | str | slice"),
        "DIM=VALUES" => ("ranges", "object"),
        _ => return None,
    };
    Some((form, format!("{TEXTS} | Mapping[str, {of_each}]")))
}

/// The word as a name in Python.
fn keyword(word: &str) -> String {
    let name = word.replace('-', "_");
    match word {
        "for" => format!("{name}_"),
        _ => name,
    }
}
