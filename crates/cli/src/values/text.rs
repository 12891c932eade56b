//! Values that stay text, and numbers.

use clap::ArgMatches;
use ncutils_core::model::{NamePattern, unescape};

/// The value of an option; `None` if it was not given.
pub fn text<'m>(matches: &'m ArgMatches, id: &str) -> Option<&'m str> {
    matches.get_one::<String>(id).map(String::as_str)
}

/// All values of an option.
pub fn texts<'m>(matches: &'m ArgMatches, id: &str) -> impl Iterator<Item = &'m str> {
    let all = matches.get_many::<String>(id).into_iter().flatten();
    all.map(String::as_str)
}

/// The number that an option gives; `None` if it was not given. A number that the machine does not have becomes its largest.
pub fn number(matches: &ArgMatches, id: &str) -> Option<usize> {
    let number = matches.get_one::<u64>(id).copied()?;
    Some(usize::try_from(number).unwrap_or(usize::MAX))
}

/// The names in comma-separated lists. A backslash escapes the next character.
pub fn names<'m>(lists: impl Iterator<Item = &'m str>) -> Vec<String> {
    lists.flat_map(split).map(unescape).collect()
}

/// The same names, of which those with a `*` that is not escaped are globs.
pub fn patterns<'m>(lists: impl Iterator<Item = &'m str>) -> Vec<NamePattern> {
    lists.flat_map(split).map(NamePattern::parse).collect()
}

/// The parts of a list between its commas, with their escapes.
fn split(list: &str) -> impl Iterator<Item = &str> {
    let mut is_escaped = false;
    list.split(move |c: char| {
        let is_end = c == ',' && !is_escaped;
        is_escaped = c == '\\' && !is_escaped;
        is_end
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_split_at_commas_that_are_not_escaped() {
        let lists = [r"a,b\,c", "", r"d\\,e\*,f*"];
        assert_eq!(names(lists.into_iter()), ["a", "b,c", "", r"d\", "e*", "f*"]);
        let patterns = patterns(lists.into_iter());
        let globs: Vec<_> = patterns.iter().map(NamePattern::is_glob).collect();
        assert_eq!(globs, [false, false, false, false, false, true]);
    }
}
