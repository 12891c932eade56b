//! The format of `~/.aws/config` and `~/.aws/credentials`: sections of `key = value` lines.
//!
//! The rules are those of AWS's programs: `#` and `;` begin a comment at the start of a line, and after a space within
//! it. A line that begins with a space continues the value before it. A value may hold `=`.

/// Most sections and most keys of a file. What comes after them is not read.
const MOST_ENTRIES: usize = 10_000;

/// A `[section]` and its keys.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Section {
    /// The text in the brackets, without spaces around it.
    pub(super) name: String,
    /// Keys in lower case, in the file's order, with their values. A key may stand twice: the later one counts.
    pub(super) keys: Vec<(String, String)>,
}

/// The sections of a file, and the numbers of lines (from 1) that are none of the format.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Ini {
    pub(super) sections: Vec<Section>,
    pub(super) strange_lines: Vec<usize>,
}

/// Parses a file. No text is an error: a line that is not understood is named, and the others count.
pub(super) fn parse(text: &str) -> Ini {
    let mut ini = Ini::default();
    let mut entries = 0;
    // True while the lines belong to a section that could not be read. They are not told one by one.
    let mut is_skipping = false;
    for (number, line) in (1..).zip(text.trim_start_matches('\u{feff}').lines()) {
        let trimmed = line.trim();
        if trimmed.is_empty() || line.starts_with(['#', ';']) {
            continue;
        }
        // Values of nested keys are none that are used. Those of continued lines are none of AWS's, either.
        if line.starts_with([' ', '\t']) && !trimmed.starts_with('[') {
            continue;
        }
        entries += 1;
        if entries > MOST_ENTRIES {
            ini.strange_lines.push(number);
            break;
        }
        if let Some(rest) = trimmed.strip_prefix('[') {
            let name = rest.split_once(']').filter(|(_, behind)| {
                let behind = behind.trim_start();
                behind.is_empty() || behind.starts_with(['#', ';'])
            });
            is_skipping = name.is_none();
            match name {
                Some((name, _)) => ini.sections.push(Section {
                    name: name.trim().to_owned(),
                    keys: Vec::new(),
                }),
                None => ini.strange_lines.push(number),
            }
            continue;
        }
        if is_skipping {
            continue;
        }
        let pair = trimmed.split_once('=').map(|(key, value)| (key.trim(), value));
        match (pair, ini.sections.last_mut()) {
            (Some((key, value)), Some(section)) if !key.is_empty() => {
                let value = without_comment(value).to_owned();
                section.keys.push((key.to_ascii_lowercase(), value));
            }
            _ => ini.strange_lines.push(number),
        }
    }
    ini
}

/// A value without the comment that follows it after a space, and without spaces around it.
fn without_comment(value: &str) -> &str {
    let is_space = |b: u8| b == b' ' || b == b'\t';
    let bytes = value.as_bytes();
    let comment = (1..bytes.len()).find(|&at| matches!(bytes[at], b'#' | b';') && is_space(bytes[at - 1]));
    value[..comment.unwrap_or(value.len())].trim()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(text: &str) -> Vec<(String, String, String)> {
        parse(text)
            .sections
            .into_iter()
            .flat_map(|section| {
                let name = section.name;
                section
                    .keys
                    .into_iter()
                    .map(move |(key, value)| (name.clone(), key, value))
            })
            .collect()
    }

    #[test]
    fn lines_are_read_as_aws_reads_them() {
        for (line, value) in [
            ("k = v", "v"),
            ("K=v", "v"),
            ("k\t=\tv\r", "v"),
            ("k = abc/def+gh==", "abc/def+gh=="),
            ("k = v # comment", "v"),
            ("k = v ; comment", "v"),
            ("k = v#no comment", "v#no comment"),
            ("k = #", ""),
            ("k =", ""),
            ("k = a b", "a b"),
        ] {
            let found = keys(&format!("# first\n; second\n\n[s]\n{line}\n# last"));
            assert_eq!(found, [("s".into(), "k".into(), value.into())], "{line}");
        }
    }

    #[test]
    fn sections_end_where_the_next_begins() {
        let text = "\u{feff}[ a ] # x\nk=1\n[profile b]\nk=2\ns3 =\n  k = 3\nk=4\n  [c];x\nk=5";
        let expected = [("a", "k", "1"), ("profile b", "k", "2"), ("profile b", "s3", "")];
        let expected: Vec<_> = expected
            .into_iter()
            .chain([("profile b", "k", "4"), ("c", "k", "5")])
            .map(|(a, b, c)| (a.to_owned(), b.to_owned(), c.to_owned()))
            .collect();
        assert_eq!(keys(text), expected);
        assert!(parse(text).strange_lines.is_empty());
    }

    #[test]
    fn what_is_not_understood_is_named_by_its_line() {
        let ini = parse("a=b\n[x\nk=1\n[y] z\n[z]\nnothing\n=v\nk=2");
        assert_eq!(ini.strange_lines, [1, 2, 4, 6, 7]);
        assert_eq!(ini.sections.len(), 1);
        assert_eq!(ini.sections[0].keys, [("k".to_owned(), "2".to_owned())]);
        let long = "[x]\n".repeat(20_000);
        assert_eq!(parse(&long).sections.len(), MOST_ENTRIES);
    }
}
