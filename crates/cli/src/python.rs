//! The keywords of the Python module's functions, made of the table of options.
//!
//! ```text
//! NCCOPY, NCDUMP ─► function: the options that it takes ─► keyword ─┬─► table  _options.py: flag, form and help of each keyword
//!                                                                   └─► stub   _options.pyi: its type
//! ```

mod function;
mod keyword;

use std::fmt::Write;

use function::{Function, functions};

/// The first lines of both files.
const HEAD: &str = "\
\"\"\"The options that each function takes as keywords.

NCUTILS_BLESS=1 cargo test -p ncutils-cli --test all python writes this file.
\"\"\"
";

/// What the types of `_options.pyi` are made of.
const TYPES: &str = "
import os
from collections.abc import Mapping, Sequence
from typing import Literal, TypedDict

Path = str | bytes | os.PathLike[str]
";

/// The source of `_options.py`: for each function a dictionary of its keywords, with flag, form of the value, and help.
pub fn table() -> String {
    let mut source = HEAD.to_owned();
    for Function {
        constant, keywords, ..
    } in functions()
    {
        let _ = write!(source, "\n{constant} = {{\n");
        for keyword in keywords {
            let _ = writeln!(
                source,
                "    \"{}\": (\"--{}\", \"{}\", {:?}),",
                keyword.name, keyword.flag, keyword.form, keyword.help
            );
        }
        source.push_str("}\n");
    }
    source
}

/// The source of `_options.pyi`: for each function its dictionary, and a class with the type of each keyword.
pub fn stub() -> String {
    let mut source = format!("{HEAD}{TYPES}");
    for Function {
        constant,
        class,
        keywords,
    } in functions()
    {
        let _ = write!(source, "\n{constant}: dict[str, tuple[str, str, str]]\n");
        let _ = write!(source, "\nclass {class}(TypedDict, total=False):\n");
        for keyword in keywords {
            let _ = writeln!(source, "    {}: {} | None", keyword.name, keyword.python_type);
        }
    }
    source
}
