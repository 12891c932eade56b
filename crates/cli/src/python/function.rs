//! The functions of the module, and the options that each takes.

use super::keyword::Keyword;
use crate::options::{Mode, NCCOPY, NCDUMP, Opt, Program};

/// A function of the module.
pub(super) struct Function {
    /// Name of the dictionary of its keywords.
    pub(super) constant: &'static str,
    /// Name of the class with their types.
    pub(super) class: &'static str,
    pub(super) keywords: Vec<Keyword>,
}

/// Options that the module gives itself, or that print a text about the program.
const OF_THE_MODULE: &[&str] = &["progress", "completions", "help", "version"];

/// Options of nccopy by which a job is planned and run in parts. The module has the class `Job` for them.
const OF_JOBS: &[&str] = &[
    "plan",
    "parts",
    "part",
    "status",
    "missing",
    "finish",
    "abandon",
    "again",
    "with-parent",
];

/// Options of ncdump that say what is printed, which each function does itself.
const OF_OUTPUT: &[&str] = &["check", "digest", "diff", "json", "list-filters"];

/// Options of ncdump that choose or format data, or print something else than a header.
const OF_DATA: &[&str] = &[
    "header",
    "coordinates",
    "vars",
    "groups",
    "precision",
    "digits",
    "line-length",
    "rows",
    "elements",
    "times",
    "iso-times",
    "exact",
    "name",
    "ncml",
    "kind",
    "format",
    "extra",
];

/// All functions.
pub(super) fn functions() -> [Function; 5] {
    let of_ncdump = |mode| {
        move |option: &Opt| {
            let is_possible = option.requires.is_none_or(|_| mode == Mode::Diff);
            option.applies_to(mode) && is_possible && !OF_OUTPUT.contains(&option.id)
        }
    };
    [
        Function::of("COPY", "CopyOptions", &NCCOPY, |option| {
            !OF_JOBS.contains(&option.id)
        }),
        Function::of("HEADER", "HeaderOptions", &NCDUMP, |option| {
            of_ncdump(Mode::Print)(option) && !OF_DATA.contains(&option.id)
        }),
        Function::of("CHECK", "CheckOptions", &NCDUMP, of_ncdump(Mode::Check)),
        Function::of("DIGEST", "DigestOptions", &NCDUMP, of_ncdump(Mode::Digest)),
        Function::of("DIFF", "DiffOptions", &NCDUMP, of_ncdump(Mode::Diff)),
    ]
}

impl Function {
    fn of(
        constant: &'static str,
        class: &'static str,
        program: &Program,
        takes: impl Fn(&Opt) -> bool,
    ) -> Self {
        // Digits are short for `kind`.
        let is_digit = |option: &Opt| option.letter().is_some_and(|letter| letter.is_ascii_digit());
        let options = program
            .options()
            .filter(|option| !option.is_accepted && !is_digit(option) && !OF_THE_MODULE.contains(&option.id));
        Self {
            constant,
            class,
            keywords: options
                .filter(|option| takes(option))
                .filter_map(Keyword::of)
                .collect(),
        }
    }
}
