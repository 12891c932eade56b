//! Who asks which kind a dataset is of. What a kind can do is one table, `Kind::can`; only formats and locations tell kinds apart.
//!
//! Naming a kind is no question: `Schema::new(Kind::Netcdf4)`. Comparing and matching are. Code for tests does not count.

use anyhow::{Result, anyhow};
use proc_macro2::{Delimiter, TokenStream, TokenTree};

use super::source::{end_of_item, is_cfg_test};

/// Where kinds may be told apart.
const ALLOWED: [&str; 3] = [
    "crates/core/src/format/",
    "crates/model/src/kind/",
    "crates/core/src/location/",
];

/// The variants of `Kind`.
const KINDS: [&str; 12] = [
    "Classic",
    "Offset64",
    "Data64",
    "Netcdf4",
    "Netcdf4Classic",
    "Nczarr",
    "Zarr2",
    "Zarr3",
    "ClassicArchive",
    "Offset64Archive",
    "Data64Archive",
    "Other",
];

/// A method that would be such a question by another name.
const METHOD: &str = "is_hdf5";

/// Whether the code of this file may tell kinds apart.
pub fn may_ask(file: &str) -> bool {
    ALLOWED.iter().any(|allowed| file.starts_with(allowed))
}

/// The places in a source text that ask which kind it is, as they read there.
///
/// # Errors
/// A text that is not Rust.
pub fn questions(text: &str) -> Result<Vec<String>> {
    let tokens: TokenStream = text.parse().map_err(|e| anyhow!("not Rust: {e}"))?;
    let mut found = Vec::new();
    walk(tokens, &mut found);
    Ok(found)
}

fn walk(stream: TokenStream, found: &mut Vec<String>) {
    let tokens: Vec<TokenTree> = stream.into_iter().collect();
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        match token {
            TokenTree::Punct(p) if p.as_char() == '#' => {
                if let Some(TokenTree::Group(group)) = tokens.get(at + 1)
                    && group.delimiter() == Delimiter::Bracket
                {
                    at += 1;
                    if is_cfg_test(group.stream()) {
                        at = end_of_item(&tokens, at + 1);
                        continue;
                    }
                }
            }
            TokenTree::Ident(word) if word == METHOD => {
                found.push(word.to_string());
            }
            TokenTree::Ident(word) if word == "matches" && is_punct(&tokens, at + 1, '!') => {
                if let Some(TokenTree::Group(group)) = tokens.get(at + 2)
                    && names_kind(group.stream())
                {
                    found.push(text(&tokens[at..at + 3]));
                    at += 2;
                }
            }
            TokenTree::Ident(word) if word == "Kind" => {
                if let Some(end) = kind(&tokens, at)
                    && (is_asked_before(&tokens, at) || is_asked_behind(&tokens, end))
                {
                    found.push(text(&tokens[at.saturating_sub(2)..(end + 2).min(tokens.len())]));
                }
                let opens = is_punct(&tokens, at + 1, ':') && is_punct(&tokens, at + 2, ':');
                let all = match tokens.get(at + 3) {
                    Some(TokenTree::Punct(p)) => p.as_char() == '*',
                    Some(TokenTree::Group(group)) => group.delimiter() == Delimiter::Brace,
                    _ => false,
                };
                if opens && all {
                    found.push(text(&tokens[at..at + 4]));
                }
            }
            TokenTree::Group(group) => {
                let in_pattern = group.delimiter() != Delimiter::Brace && is_asked_behind(&tokens, at + 1);
                let in_list = group.delimiter() == Delimiter::Bracket
                    && is_punct(&tokens, at + 1, '.')
                    && matches!(tokens.get(at + 2), Some(TokenTree::Ident(word)) if word == "contains");
                if (in_pattern || in_list) && names_kind(group.stream()) {
                    found.push(token.to_string());
                } else {
                    walk(group.stream(), found);
                }
            }
            _ => {}
        }
        at += 1;
    }
}

/// Where `Kind::Variant` at `at` ends, with the fields of the variant; `None` for other text.
fn kind(tokens: &[TokenTree], at: usize) -> Option<usize> {
    let is_path = matches!(tokens.get(at), Some(TokenTree::Ident(word)) if word == "Kind")
        && is_punct(tokens, at + 1, ':')
        && is_punct(tokens, at + 2, ':');
    let Some(TokenTree::Ident(variant)) = tokens.get(at + 3).filter(|_| is_path) else {
        return None;
    };
    let end = at + 4;
    let fields =
        matches!(tokens.get(end), Some(TokenTree::Group(g)) if g.delimiter() == Delimiter::Parenthesis);
    KINDS
        .iter()
        .any(|kind| variant == kind)
        .then_some(end + usize::from(fields))
}

/// True for a kind that is compared, or that a `let` matches. A path before `Kind` is passed over.
fn is_asked_before(tokens: &[TokenTree], at: usize) -> bool {
    let mut begin = at;
    while begin >= 3
        && is_punct(tokens, begin - 1, ':')
        && is_punct(tokens, begin - 2, ':')
        && matches!(tokens[begin - 3], TokenTree::Ident(_))
    {
        begin -= 3;
    }
    let Some(before) = begin.checked_sub(1) else {
        return false;
    };
    let is_compared = is_punct(tokens, before, '=')
        && before
            .checked_sub(1)
            .is_some_and(|at| is_punct(tokens, at, '=') || is_punct(tokens, at, '!'));
    is_compared || matches!(&tokens[before], TokenTree::Ident(word) if word == "let")
}

/// True in a pattern, and before a comparison: `=>`, `|`, `=`, `==`, `!=` or a guard's `if` follow.
fn is_asked_behind(tokens: &[TokenTree], end: usize) -> bool {
    ['=', '|', '!'].iter().any(|sign| is_punct(tokens, end, *sign))
        || matches!(tokens.get(end), Some(TokenTree::Ident(word)) if word == "if")
}

fn is_punct(tokens: &[TokenTree], at: usize, sign: char) -> bool {
    matches!(tokens.get(at), Some(TokenTree::Punct(p)) if p.as_char() == sign)
}

/// Whether a kind is named, at any depth.
fn names_kind(stream: TokenStream) -> bool {
    let tokens: Vec<TokenTree> = stream.into_iter().collect();
    (0..tokens.len()).any(|at| kind(&tokens, at).is_some())
        || tokens
            .iter()
            .any(|token| matches!(token, TokenTree::Group(group) if names_kind(group.stream())))
}

fn text(tokens: &[TokenTree]) -> String {
    tokens.iter().cloned().collect::<TokenStream>().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comparing_and_matching_are_questions() {
        for code in [
            "kind.is_hdf5()",
            "kind == Kind::Netcdf4",
            "Kind::Netcdf4 != kind",
            "kind == crate::model::Kind::Classic",
            "match kind { Kind::Classic => 1, _ => 2 }",
            "match kind { Kind::Classic | Kind::Data64 => 1, _ => 2 }",
            "match kind { model::Kind::Other(can) if can.chunks => 1, _ => 2 }",
            "match (kind, 1) { (Kind::Netcdf4, _) => 1, _ => 2 }",
            "match asked { Some(Kind::Netcdf4) => 1, _ => 2 }",
            "matches!(kind, Kind::Netcdf4)",
            "if let Kind::Other(can) = kind {}",
            "if let Some(Kind::Classic) = kind {}",
            "[Kind::Classic, Kind::Data64].contains(&kind)",
            "use crate::model::Kind::*;",
            "use crate::model::Kind::{Classic, Data64};",
        ] {
            let found = questions(&format!("fn f() {{ {code} }}")).unwrap();
            assert!(!found.is_empty(), "{code}");
        }
    }

    #[test]
    fn naming_a_kind_is_none() {
        for code in [
            "fn f() { Schema::new(Kind::Netcdf4) }",
            "fn f() -> Kind { if all { Kind::Netcdf4 } else { Kind::Classic } }",
            "fn f() { [Kind::Classic, Kind::Data64].into_iter().find(holds) }",
            "fn f() { match x { A => Kind::Classic, _ => Kind::Data64 } }",
            "fn f() { let kind = Kind::Other(&CAN); kind.can().chunks == true }",
            "fn f() { matches!(e.kind(), ErrorKind::Other) }",
            "#[cfg(test)] mod tests { fn f() { kind == Kind::Netcdf4 } } // is_hdf5",
            "#[cfg(test)] fn f() { kind.is_hdf5() }",
        ] {
            assert_eq!(questions(code).unwrap(), Vec::<String>::new(), "{code}");
        }
    }
}
