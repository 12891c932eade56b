//! Makes identifiers of a programming language from names of a dataset.

use std::collections::HashSet;

/// Makes identifiers, all different.
#[derive(Debug, Default)]
pub struct Identifiers {
    taken: HashSet<String>,
}

impl Identifiers {
    /// An identifier of at most `longest` ASCII characters that begins with `prefix` and resembles `name`. All
    /// identifiers differ, even if case is ignored.
    pub fn make(&mut self, prefix: &str, name: &str, longest: usize) -> String {
        let plain = name
            .chars()
            .map(|c| if c.is_ascii_alphanumeric() { c } else { '_' });
        let stem: String = prefix.chars().chain(plain).take(longest).collect();
        let mut identifier = stem.clone();
        let mut n = 1u64;
        while !self.taken.insert(identifier.to_ascii_lowercase()) {
            n += 1;
            let tail = format!("_{n}");
            let kept = longest.saturating_sub(tail.len()).min(stem.len());
            identifier = format!("{}{tail}", &stem[..kept]);
        }
        identifier
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn none_is_made_twice() {
        let mut identifiers = Identifiers::default();
        assert_eq!(identifiers.make("var_", "a b", 20), "var_a_b");
        assert_eq!(identifiers.make("var_", "a-b", 20), "var_a_b_2");
        assert_eq!(identifiers.make("var_", "A:b", 20), "var_A_b_3");
        assert_eq!(identifiers.make("var_", "äö", 20), "var___");
        assert_eq!(identifiers.make("v_", "temperature", 6), "v_temp");
        assert_eq!(identifiers.make("v_", "tempest", 6), "v_te_2");
    }
}
