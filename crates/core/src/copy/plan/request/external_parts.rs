//! The argument of `-c` for raw data in files of its own: `VAR:external=FILE[@OFFSET[+SIZE]][;FILE…]`.

use std::path::{Component, Path};

use super::lengths::split_unescaped;
use crate::error::{Request, Result};
use crate::model::{ExternalPart, unescape};

/// Most parts of a variable. HDF5 counts them with 16 bits, and their message holds fewer.
const MOST_PARTS: usize = 2_000;

/// Reads `FILE[@OFFSET[+SIZE]][;FILE…]`. A backslash makes the next character part of a name.
///
/// # Errors
/// What was expected.
pub fn external_parts(text: &str, argument: &str) -> Result<Vec<ExternalPart>> {
    let refused = |why: String| Request::Chunks.misspelled(format!("'{argument}'"), why);
    let texts = split_unescaped(text, ';');
    if texts.len() > MOST_PARTS {
        return Err(refused(format!(
            "{} files; a variable has at most {MOST_PARTS}",
            texts.len()
        )));
    }
    let last = texts.len() - 1;
    let mut parts = Vec::with_capacity(texts.len());
    for (at, text) in texts.into_iter().enumerate() {
        let part = part(text).map_err(refused)?;
        if part.size.is_none() && at < last {
            return Err(refused(format!(
                "only the last file can be without a size; expected {}@OFFSET+SIZE",
                part.file
            )));
        }
        parts.push(part);
    }
    Ok(parts)
}

/// Reads `FILE[@OFFSET[+SIZE]]`. The error is what was expected.
fn part(text: &str) -> Result<ExternalPart, String> {
    let number = |digits: &str, what: &str| {
        let is_number = !digits.is_empty() && digits.bytes().all(|digit| digit.is_ascii_digit());
        let number = is_number.then(|| digits.parse::<u64>().ok()).flatten();
        number
            .ok_or_else(|| format!(r"expected {what} in bytes, found '{digits}'; in a file's name, write \@"))
    };
    let (name, offset, size) = match split_unescaped(text, '@').as_slice() {
        [name] => (*name, 0, None),
        [name, place] => match place.split_once('+') {
            None => (*name, number(place, "an offset")?, None),
            Some((offset, size)) => (*name, number(offset, "an offset")?, Some(number(size, "a size")?)),
        },
        _ => return Err(r"more than one '@'; in a file's name, write \@".to_owned()),
    };
    let file = unescape(name);
    check_name(&file)?;
    match size {
        Some(0) => Err(format!("a size of 0 bytes in {file}")),
        Some(size) if offset.checked_add(size).is_none() => {
            Err(format!("{file} cannot have bytes past 2^64"))
        }
        size => Ok(ExternalPart { file, offset, size }),
    }
}

/// Checks that a file is below the output's folder, as far as its name tells. The error says what is wrong.
fn check_name(file: &str) -> Result<(), String> {
    if file.is_empty() {
        return Err("the name of a file is missing".to_owned());
    }
    let below = |part| matches!(part, Component::Normal(_));
    if !Path::new(file).components().all(below) || file.ends_with('/') || file.contains('\0') {
        return Err(format!(
            "'{file}' is not the name of a file below the output's folder: it must be relative, without '.' and '..'"
        ));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(file: &str, offset: u64, size: Option<u64>) -> ExternalPart {
        ExternalPart {
            file: file.to_owned(),
            offset,
            size,
        }
    }

    fn read(text: &str) -> Result<Vec<ExternalPart>, String> {
        external_parts(text, "v:external=…").map_err(|error| error.to_string())
    }

    #[test]
    fn reads_every_form() {
        assert_eq!(read("a.raw").unwrap(), [part("a.raw", 0, None)]);
        assert_eq!(read("d/a.raw@7").unwrap(), [part("d/a.raw", 7, None)]);
        assert_eq!(
            read("a@1+2;b@3").unwrap(),
            [part("a", 1, Some(2)), part("b", 3, None)]
        );
        assert_eq!(read(r"a\@\;\:b@4+5").unwrap(), [part("a@;:b", 4, Some(5))]);
        assert_eq!(read("a..b+1").unwrap(), [part("a..b+1", 0, None)]);
    }

    #[test]
    fn says_what_is_wrong() {
        for (bad, why) in [
            ("", "name of a file is missing"),
            ("a@0+4;", "name of a file is missing"),
            ("a;b", "only the last"),
            ("a@1;b", "only the last"),
            ("a@x", "expected an offset"),
            ("a@", "expected an offset"),
            ("a@-1", "expected an offset"),
            ("a@1+", "expected a size"),
            ("a@1++2", "expected a size"),
            ("a@1@2", "more than one '@'"),
            ("a@0+0", "size of 0"),
            ("a@18446744073709551615+1", "past 2^64"),
            ("a@18446744073709551616", "expected an offset"),
            ("/etc/passwd", "below the output's folder"),
            ("../a", "below the output's folder"),
            ("a/../b", "below the output's folder"),
            ("./a", "below the output's folder"),
            ("..", "below the output's folder"),
            ("a/", "below the output's folder"),
        ] {
            let error = read(bad).unwrap_err();
            assert!(error.contains(why), "{bad}: {error}");
        }
        assert!(
            read(&"a@0+1;".repeat(MOST_PARTS))
                .unwrap_err()
                .contains("at most")
        );
    }
}
