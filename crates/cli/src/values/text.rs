//! Values that stay text, and numbers.

use clap::ArgMatches;

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
    let mut all = Vec::new();
    for list in lists {
        let mut name = String::new();
        let mut chars = list.chars();
        while let Some(c) = chars.next() {
            match c {
                '\\' => name.extend(chars.next()),
                ',' => all.push(std::mem::take(&mut name)),
                c => name.push(c),
            }
        }
        all.push(name);
    }
    all
}
