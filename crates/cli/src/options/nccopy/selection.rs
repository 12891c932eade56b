//! The options of nccopy that choose variables and groups.

use super::mode_lists::{OF_DATASETS, OF_VALUES};
use crate::options::opt::{Opt, Value};

/// The options.
pub(super) fn selection() -> Vec<Opt> {
    let listed = |letter, word, id, name, told, help: &'static str| {
        Opt::short(letter, id, help)
            .or_long(word)
            .value(Value::Texts(name))
            .section("nccopy.md#subset")
            .modes(OF_DATASETS)
            .told(told)
    };
    let (variables, groups) = ("-v and -V", "-g and -G");
    vec![
        listed(
            'v',
            "variables",
            "vars",
            "VAR,…",
            variables,
            "Copy the data of these variables only; the others read as fill",
        )
        .common(),
        listed(
            'V',
            "only-variables",
            "only-vars",
            "VAR,…",
            variables,
            "Copy these variables only; the others are left out",
        ),
        listed(
            'g',
            "groups",
            "groups",
            "GROUP,…",
            groups,
            "Copy the data of these groups only; the others read as fill",
        ),
        listed(
            'G',
            "only-groups",
            "only-groups",
            "GROUP,…",
            groups,
            "Copy these groups only; the others are left out",
        ),
        Opt::long("exclude", "Leave these variables out; repeatable")
            .value(Value::Texts("VAR,…"))
            .section("nccopy.md#subset")
            .modes(OF_DATASETS)
            .common(),
        Opt::long(
            "with-coordinates",
            "With -v, -V, -g or -G: copy coordinates and what else variables name",
        )
        .more("Bounds, ancillary variables, grid mappings, cell measures and terms of formulas, as the CF conventions name them.")
        .section("nccopy.md#subset")
        .modes(OF_VALUES)
        .common(),
    ]
}
