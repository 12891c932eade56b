//! Parses a source file's modules and names: child modules, `use` statements, and paths in code.

use std::collections::HashSet;

use anyhow::{Result, anyhow};
use proc_macro2::{Delimiter, TokenStream, TokenTree};

/// A path, with one name for each part.
pub type Path = Vec<String>;

/// One name that a `use` statement brings into a module.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Import {
    /// The name in this module; `*` for all names in the path.
    pub name: String,
    /// The path as written.
    pub path: Path,
    /// True for `pub use`, with or without a restriction.
    pub is_reexport: bool,
}

/// A module: a file, or a `mod name { … }` in one. Code under `#[cfg(test)]` is left out.
#[derive(Debug, Default)]
pub struct Module {
    /// Modules declared by `mod name;`.
    pub children: Vec<String>,
    /// Modules declared by `mod name;` for tests only.
    pub test_children: Vec<String>,
    /// Modules within this file.
    pub inline: Vec<(String, Module)>,
    pub imports: Vec<Import>,
    /// Paths of two or more parts, outside of `use`.
    pub paths: Vec<Path>,
    /// Single names outside of `use`.
    pub words: HashSet<String>,
    /// Names of items that are defined in this module.
    pub items: HashSet<String>,
}

/// Parses a source file.
pub fn parse(text: &str) -> Result<Module> {
    let tokens: TokenStream = text.parse().map_err(|e| anyhow!("not Rust: {e}"))?;
    let mut module = Module::default();
    Walk { module: &mut module }.tokens(tokens);
    Ok(module)
}

/// Words that begin the definition of an item; its name follows.
const DEFINING: [&str; 8] = [
    "const", "enum", "fn", "static", "struct", "trait", "type", "union",
];

struct Walk<'m> {
    module: &'m mut Module,
}

impl Walk<'_> {
    fn tokens(&mut self, stream: TokenStream) {
        let tokens: Vec<TokenTree> = stream.into_iter().collect();
        let mut at = 0;
        let mut is_test = false;
        let mut is_public = false;
        while let Some(token) = tokens.get(at) {
            match token {
                TokenTree::Punct(p) if p.as_char() == '#' => {
                    if let Some(TokenTree::Group(group)) = tokens.get(at + 1)
                        && group.delimiter() == Delimiter::Bracket
                    {
                        is_test |= is_cfg_test(group.stream());
                        at += 1;
                    }
                    at += 1;
                }
                TokenTree::Ident(word) if word == "pub" => {
                    is_public = true;
                    at += 1;
                    if let Some(TokenTree::Group(group)) = tokens.get(at)
                        && group.delimiter() == Delimiter::Parenthesis
                    {
                        at += 1;
                    }
                }
                TokenTree::Ident(word) if word == "mod" => {
                    at = self.module_item(&tokens, at, is_test);
                    (is_test, is_public) = (false, false);
                }
                _ if is_test => {
                    at = end_of_item(&tokens, at);
                    (is_test, is_public) = (false, false);
                }
                TokenTree::Ident(word) if word == "use" && starts_item(&tokens, at) => {
                    let end = end_of_item(&tokens, at);
                    self.use_item(&tokens[at + 1..end - 1], is_public);
                    at = end;
                    is_public = false;
                }
                TokenTree::Ident(word) => {
                    is_public = false;
                    if DEFINING.iter().any(|defining| word == defining)
                        && let Some(TokenTree::Ident(name)) = tokens.get(at + 1)
                        // As in `const fn f`.
                        && name != "fn"
                    {
                        self.module.items.insert(name.to_string());
                    }
                    at = self.path(&tokens, at);
                }
                TokenTree::Group(group) => {
                    is_public = false;
                    self.tokens(group.stream());
                    at += 1;
                }
                _ => {
                    is_public = false;
                    at += 1;
                }
            }
        }
    }

    /// Parses `mod name;` or `mod name { … }`. Returns the position after it.
    fn module_item(&mut self, tokens: &[TokenTree], at: usize, is_test: bool) -> usize {
        let (Some(TokenTree::Ident(name)), Some(body)) = (tokens.get(at + 1), tokens.get(at + 2)) else {
            return at + 1;
        };
        let name = name.to_string();
        match body {
            TokenTree::Group(_) if is_test => {}
            TokenTree::Group(group) => {
                let mut module = Module::default();
                Walk { module: &mut module }.tokens(group.stream());
                self.module.inline.push((name, module));
            }
            _ if is_test => self.module.test_children.push(name),
            _ => self.module.children.push(name),
        }
        at + 3
    }

    /// Parses a path or a single name at `at`. Returns the position after it.
    fn path(&mut self, tokens: &[TokenTree], at: usize) -> usize {
        let mut path = Vec::new();
        let mut end = at;
        while let Some(TokenTree::Ident(word)) = tokens.get(end) {
            path.push(word.to_string());
            end += 1;
            if !is_double_colon(tokens, end) || !matches!(tokens.get(end + 2), Some(TokenTree::Ident(_))) {
                break;
            }
            end += 2;
        }
        if path.len() > 1 {
            self.module.paths.push(path);
        } else {
            self.module.words.extend(path);
        }
        end
    }

    fn use_item(&mut self, tree: &[TokenTree], is_reexport: bool) {
        for (path, alias) in leaves(&[], tree) {
            let mut path = path;
            if path.len() > 1 && path.last().is_some_and(|last| last == "self") {
                path.pop();
            }
            let Some(name) = alias.or_else(|| path.last().cloned()) else {
                continue;
            };
            self.module.imports.push(Import {
                name,
                path,
                is_reexport,
            });
        }
    }
}

/// True for `cfg(test)`, and for `cfg(all(test, …))`.
pub(super) fn is_cfg_test(attribute: TokenStream) -> bool {
    let words: Vec<String> = flat_words(attribute);
    words.first().is_some_and(|word| word == "cfg")
        && words.iter().any(|word| word == "test")
        && !words.iter().any(|word| word == "not" || word == "any")
}

fn flat_words(stream: TokenStream) -> Vec<String> {
    let words = stream.into_iter().map(|token| match token {
        TokenTree::Ident(word) => vec![word.to_string()],
        TokenTree::Group(group) => flat_words(group.stream()),
        _ => Vec::new(),
    });
    words.flatten().collect()
}

/// False for `use<…>`, which captures parameters of a type.
fn starts_item(tokens: &[TokenTree], at: usize) -> bool {
    !matches!(tokens.get(at + 1), Some(TokenTree::Punct(p)) if p.as_char() == '<')
}

/// Position after the item that contains `at`: after its first `;` or braces.
pub(super) fn end_of_item(tokens: &[TokenTree], at: usize) -> usize {
    let is_use = matches!(tokens.get(at), Some(TokenTree::Ident(word)) if word == "use");
    let is_end = |token: &TokenTree| match token {
        TokenTree::Punct(p) => p.as_char() == ';',
        TokenTree::Group(group) => !is_use && group.delimiter() == Delimiter::Brace,
        _ => false,
    };
    let rest = tokens[at..].iter().position(is_end);
    rest.map_or(tokens.len(), |n| at + n + 1)
}

fn is_double_colon(tokens: &[TokenTree], at: usize) -> bool {
    let is_colon = |at| matches!(tokens.get(at), Some(TokenTree::Punct(p)) if p.as_char() == ':');
    is_colon(at) && is_colon(at + 1)
}

/// The paths of a `use` tree, with their names after `as`.
fn leaves(prefix: &[String], tree: &[TokenTree]) -> Vec<(Path, Option<String>)> {
    let mut path = prefix.to_vec();
    let mut alias = None;
    let mut at = 0;
    while let Some(token) = tree.get(at) {
        match token {
            TokenTree::Ident(word) if word == "as" => {
                alias = tree.get(at + 1).map(ToString::to_string);
                break;
            }
            TokenTree::Ident(word) => path.push(word.to_string()),
            TokenTree::Punct(p) if p.as_char() == '*' => path.push("*".to_owned()),
            TokenTree::Group(group) => {
                let inner: Vec<TokenTree> = group.stream().into_iter().collect();
                let is_comma = |t: &TokenTree| matches!(t, TokenTree::Punct(p) if p.as_char() == ',');
                let parts = inner.split(is_comma).filter(|part| !part.is_empty());
                return parts.flat_map(|part| leaves(&path, part)).collect();
            }
            _ => {}
        }
        at += 1;
    }
    vec![(path, alias)]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(text: &str) -> Path {
        text.split("::").map(str::to_owned).collect()
    }

    #[test]
    fn use_trees() {
        let module = parse("use a::{self, b::C as D, e::*}; pub(crate) use f::G;").unwrap();
        let found: Vec<_> = module
            .imports
            .iter()
            .map(|i| (i.name.as_str(), i.path.join("::")))
            .collect();
        let wanted = [("a", "a"), ("D", "a::b::C"), ("*", "a::e::*"), ("G", "f::G")];
        assert_eq!(found, wanted.map(|(name, path)| (name, path.to_owned())));
        assert!(module.imports[3].is_reexport && !module.imports[0].is_reexport);
    }

    #[test]
    fn items_have_names() {
        let module =
            parse("pub struct A; pub(crate) const fn b() {} trait C {} enum D {} use e::F;").unwrap();
        let mut items: Vec<_> = module.items.into_iter().collect();
        items.sort();
        assert_eq!(items, ["A", "C", "D", "b"]);
    }

    #[test]
    fn paths_in_code_and_in_macros() {
        let module =
            parse("fn f() -> crate::a::B { vec![super::c::d(\"crate::e::F\")] } // crate::g::H").unwrap();
        assert_eq!(module.paths, [path("crate::a::B"), path("super::c::d")]);
    }

    #[test]
    fn tests_do_not_count() {
        let text = "#[cfg(test)] mod a; mod b; #[cfg(test)] use c::D; #[cfg(test)] #[path = \"x\"] mod e { use f::G; } \
                    #[cfg(test)] fn h() -> i::J {} #[cfg(not(test))] use k::L;";
        let module = parse(text).unwrap();
        assert_eq!(
            (module.children, module.test_children),
            (vec!["b".into()], vec!["a".into()])
        );
        assert_eq!(module.imports.len(), 1);
        assert!(module.paths.is_empty() && module.inline.is_empty());
    }
}
