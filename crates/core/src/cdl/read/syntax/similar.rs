//! Which name was meant, where one is misspelt.

/// Names of more bytes are not compared.
const LONGEST: usize = 40;

/// So many names are compared.
const MOST: usize = 10_000;

/// The one of `names` that `wrong` is most likely a misspelling of: but for the case of letters it is the same, or one letter is
/// wrong, left out, added or exchanged with its neighbour; two such mistakes in words of six letters and more.
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

/// A question behind a message, where a similar name is known.
pub fn question<'n>(wrong: &str, names: impl IntoIterator<Item = &'n str>) -> String {
    similar(wrong, names).map_or_else(String::new, |meant| format!(": is '{meant}' meant?"))
}

fn letters(name: &str) -> Option<Vec<char>> {
    (name.len() <= LONGEST).then(|| name.chars().flat_map(char::to_lowercase).collect())
}

/// The mistakes between two words.
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
