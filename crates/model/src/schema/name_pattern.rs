//! [`NamePattern`]: a name as a user types it, which may be a glob.

use super::name::unescape;
use crate::{GroupId, Schema, VarId};

/// A name or path of an item, as typed: a backslash takes the next character as it is, and a `*` without one stands for any
/// characters but `/`. Globs are found before escapes are removed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct NamePattern {
    /// The name without escapes. A glob keeps its `*`.
    plain: String,
    /// The parts between the `*` of each component of the path, without escapes. Empty if this is no glob.
    components: Vec<Vec<String>>,
}

impl NamePattern {
    /// Reads what a user has typed.
    pub fn parse(typed: &str) -> Self {
        let mut components = vec![vec![String::new()]];
        let mut is_glob = false;
        let mut chars = typed.chars();
        while let Some(c) = chars.next() {
            match c {
                '*' => {
                    is_glob = true;
                    last(&mut components).push(String::new());
                }
                '/' => components.push(vec![String::new()]),
                '\\' => part(&mut components).push(chars.next().unwrap_or('\\')),
                c => part(&mut components).push(c),
            }
        }
        Self {
            plain: unescape(typed),
            components: if is_glob { components } else { Vec::new() },
        }
    }

    /// The name without escapes, for lookups of one item and for messages.
    pub fn as_str(&self) -> &str {
        &self.plain
    }

    /// True if it has a `*`.
    pub fn is_glob(&self) -> bool {
        !self.components.is_empty()
    }

    /// True for `*` alone, which may match nothing.
    pub fn is_all(&self) -> bool {
        self.is_glob() && self.plain == "*"
    }

    /// True if a glob matches a path from the root, with or without a slash before it. Without a slash of its own at the begin, it
    /// matches the end of the path.
    fn matches(&self, path: &str) -> bool {
        let mut names = path.trim_start_matches('/').rsplit('/');
        let (absolute, components) = match &self.components[..] {
            [first, rest @ ..] if first == &[String::new()] && !rest.is_empty() => (true, rest),
            all => (false, all),
        };
        let mut wanted = components.iter().rev();
        wanted.all(|component| names.next().is_some_and(|name| matches_name(component, name)))
            && (!absolute || names.next().is_none())
    }
}

/// A name that means what it is, without globs and escapes.
impl From<&str> for NamePattern {
    fn from(name: &str) -> Self {
        let plain = name.to_owned();
        let components = Vec::new();
        Self { plain, components }
    }
}

impl From<String> for NamePattern {
    fn from(name: String) -> Self {
        name.as_str().into()
    }
}

fn last(components: &mut [Vec<String>]) -> &mut Vec<String> {
    let at = components.len() - 1;
    &mut components[at]
}

fn part(components: &mut [Vec<String>]) -> &mut String {
    let parts = last(components);
    let at = parts.len() - 1;
    &mut parts[at]
}

/// True if a name is these parts with any characters between them. The earliest place of each part suffices.
fn matches_name(parts: &[String], name: &str) -> bool {
    let [first, between @ .., end] = parts else {
        return parts.first().is_some_and(|only| only == name);
    };
    let Some(mut rest) = name.strip_prefix(first.as_str()) else {
        return false;
    };
    for part in between {
        match rest.find(part.as_str()) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    rest.ends_with(end.as_str())
}

impl Schema {
    /// The variables that a pattern means, in order of their ids: see [`Schema::vars_named`].
    pub fn vars_matching(&self, pattern: &NamePattern) -> Vec<VarId> {
        match pattern.is_glob() {
            false => self.vars_named(pattern.as_str()),
            true => {
                let all = (0..self.vars.len()).map(VarId);
                all.filter(|id| pattern.matches(&self.var_path(*id))).collect()
            }
        }
    }

    /// The groups that a pattern means, in order of their ids: see [`Schema::groups_named`].
    pub fn groups_matching(&self, pattern: &NamePattern) -> Vec<GroupId> {
        match pattern.is_glob() {
            false => self.groups_named(pattern.as_str()),
            true => {
                let all = (1..self.groups.len()).map(GroupId);
                all.filter(|id| pattern.matches(&self.group_path(*id))).collect()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matches(typed: &str, path: &str) -> bool {
        let pattern = NamePattern::parse(typed);
        assert!(pattern.is_glob(), "{typed}");
        pattern.matches(path)
    }

    #[test]
    fn globs_match_names() {
        for (typed, path, expected) in [
            ("*", "a", true),
            ("*_bnds", "lat_bnds", true),
            ("*_bnds", "_bnds", true),
            ("*_bnds", "lat_bnds_", false),
            ("t*", "tas", true),
            ("t*", "/g/tas", true),
            ("t*", "/tas/x", false),
            ("t*s*p", "tasmax_p", true),
            ("a*a", "a", false),
            ("a*b*b", "ab", false),
            ("a*b*b", "abb", true),
            ("a**b", "ab", true),
            ("/ocean/*", "/ocean/salt", true),
            ("/ocean/*", "/ocean/deep/salt", false),
            ("/ocean/*", "/x/ocean/salt", false),
            ("ocean/*", "/x/ocean/salt", true),
            ("/*", "a", true),
            ("/*", "/a/b", false),
            ("*/t", "/a/t", true),
            ("*/t", "t", false),
            (r"a\*b*", "a*bc", true),
            (r"a\*b*", "axbc", false),
            (r"*\,x", "a,x", true),
        ] {
            assert_eq!(matches(typed, path), expected, "{typed} {path}");
        }
    }

    #[test]
    fn escaped_stars_are_no_globs() {
        for (typed, plain) in [(r"a\*", "a*"), ("a", "a"), (r"a\,b", "a,b"), (r"\", r"\")] {
            let pattern = NamePattern::parse(typed);
            assert!(!pattern.is_glob());
            assert_eq!(pattern.as_str(), plain);
        }
        assert!(NamePattern::parse("*").is_all() && !NamePattern::parse(r"\*").is_all());
        assert!(!NamePattern::from("a*").is_glob());
    }
}
