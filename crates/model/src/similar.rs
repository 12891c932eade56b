//! Finds the name that a misspelt name probably means.

/// Maximum length, in bytes, of names that are compared.
const LONGEST: usize = 40;

/// Maximum number of names that are compared.
const MOST: usize = 10_000;

/// The name among `names` that `wrong` most likely misspells. It differs only in case, or by one letter that is wrong,
/// missing, added or swapped with its neighbour. In words of six letters or more, two such mistakes are allowed.
pub fn similar<'n>(wrong: &str, names: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    let wrong = letters(wrong)?;
    let allowed = match wrong.len() {
        0..=2 => 0,
        3..=5 => 1,
        _ => 2,
    };
    names
        .into_iter()
        .take(MOST)
        .filter_map(|name| Some((distance(&wrong, &letters(name)?), name)))
        .filter(|(distance, _)| *distance <= allowed)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, name)| name)
}

/// The end of a message, which asks about a similar name; empty if there is none.
pub fn question<'n>(wrong: &str, names: impl IntoIterator<Item = &'n str>) -> String {
    similar(wrong, names).map_or_else(String::new, |meant| format!(": is '{meant}' meant?"))
}

/// The message of ncdump for a name that means nothing. It asks about a similar one.
pub fn no_such<'n>(what: &str, name: &str, names: impl IntoIterator<Item = &'n str>) -> String {
    format!("{name}: No such {what}{}", question(name, names))
}

fn letters(name: &str) -> Option<Vec<char>> {
    (name.len() <= LONGEST).then(|| name.chars().flat_map(char::to_lowercase).collect())
}

/// Number of mistakes between two words.
fn distance(a: &[char], b: &[char]) -> usize {
    let mut before = Vec::new();
    let mut above: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, y) in b.iter().enumerate() {
            let mut least = (above[j] + usize::from(x != y))
                .min(above[j + 1] + 1)
                .min(row[j] + 1);
            if i > 0 && j > 0 && *x == b[j - 1] && a[i - 1] == *y {
                least = least.min(before[j - 1] + 1);
            }
            row.push(least);
        }
        before = std::mem::replace(&mut above, row);
    }
    above[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn misspelt_words_are_recognised() {
        let names = ["dimensions", "variables", "data", "float", "x"];
        for (wrong, meant) in [
            ("dimension", Some("dimensions")),
            ("dimesnion", Some("dimensions")),
            ("Variables", Some("variables")),
            ("varaible", Some("variables")),
            ("date", Some("data")),
            ("flaot", Some("float")),
            ("X", Some("x")),
            ("y", None),
            ("dat", Some("data")),
            ("time", None),
            ("fl", None),
        ] {
            assert_eq!(similar(wrong, names), meant, "{wrong}");
        }
        assert_eq!(question("flaot", names), ": is 'float' meant?");
        assert_eq!(question("", names), "");
        assert_eq!(similar(&"n".repeat(1000), names), None);
    }
}
