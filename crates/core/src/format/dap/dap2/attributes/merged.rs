//! Which variable each set of attributes is of.
//!
//! ```text
//! a set whose name is that of variables          ─► theirs
//! a set whose name ends in "global", and no set  ─► the dataset's
//! DODS, DODS_EXTRA, …                            ─► the dataset's, with this name in front
//! any other                                      ─► the dataset's, with the names of its sets in front
//! ```
//!
//! The rules are netCDF-C's, and with them the order: inner sets come before outer ones.

use std::collections::{HashMap, HashSet};

use super::super::leaf::Leaf;
use super::super::names::decoded;
use super::das::{AttributeSet, DasEntry, TextAttribute};

/// Attributes of different names, in order.
#[derive(Debug, Clone, Default)]
pub struct Distinct {
    all: Vec<TextAttribute>,
    at: HashMap<String, usize>,
}

impl Distinct {
    /// The attributes.
    pub fn all(&self) -> &[TextAttribute] {
        &self.all
    }

    /// Adds an attribute, or puts it in the place of one of the same name.
    fn put(&mut self, attribute: TextAttribute) {
        match self.at.get(&attribute.name) {
            Some(at) => self.all[*at] = attribute,
            None => {
                self.at.insert(attribute.name.clone(), self.all.len());
                self.all.push(attribute);
            }
        }
    }
}

/// The attributes of a dataset and its variables.
#[derive(Debug, Default)]
pub struct Merged {
    /// Those of the dataset.
    pub global: Distinct,
    /// Those of each variable.
    pub of_variables: Vec<Distinct>,
    /// The name of the unlimited dimension.
    pub unlimited: Option<String>,
}

/// A set, with the names of those around it.
struct NestedSet<'a> {
    full: String,
    set: &'a AttributeSet,
}

/// Distributes the attributes of `das` to `leaves`. Those of variables with other names in `all` are dropped.
pub fn merged(das: &AttributeSet, leaves: &[Leaf], all: &HashSet<String>) -> Merged {
    let mut sets = Vec::new();
    collect(das, "", &mut sets);
    let mut by_name: HashMap<String, Vec<usize>> = HashMap::new();
    for (n, leaf) in leaves.iter().enumerate() {
        let (full, own) = (leaf.full_name(), leaf.own_name());
        if own != full {
            by_name.entry(own).or_default().push(n);
        }
        by_name.entry(full).or_default().push(n);
    }
    let mut merged = Merged {
        of_variables: vec![Distinct::default(); leaves.len()],
        ..Merged::default()
    };
    let (mut globals, mut special, mut others) = (Vec::new(), Vec::new(), Vec::new());
    for found in sets {
        let name = decoded(&found.set.name);
        if found.full.is_empty() || is_global(&name) {
            globals.push(found);
        } else if name.starts_with("DODS") {
            special.push(found);
        } else if attributes(found.set).next().is_some() {
            let mut of: Vec<usize> = [&found.full, &name]
                .into_iter()
                .filter_map(|name| by_name.get(name))
                .flatten()
                .copied()
                .collect();
            of.sort_unstable();
            of.dedup();
            for n in &of {
                for attribute in attributes(found.set) {
                    merged.of_variables[*n].put(attribute.clone());
                }
            }
            if of.is_empty() && !all.contains(&found.full) && !all.contains(&name) {
                others.push(found);
            }
        }
    }
    for found in globals {
        for attribute in attributes(found.set) {
            merged.global.put(attribute.clone());
        }
    }
    for found in special {
        for attribute in attributes(found.set) {
            if attribute.name == "Unlimited_Dimension"
                && let Some(name) = attribute.values.first()
            {
                merged.unlimited.get_or_insert_with(|| decoded(name));
            }
            merged.global.put(TextAttribute {
                name: joined(&decoded(&found.set.name), &attribute.name),
                ..attribute.clone()
            });
        }
    }
    for found in others {
        for attribute in attributes(found.set) {
            merged.global.put(TextAttribute {
                name: joined(&found.full, &attribute.name),
                ..attribute.clone()
            });
        }
    }
    merged
}

/// All sets, those inside a set before it.
fn collect<'a>(set: &'a AttributeSet, full: &str, found: &mut Vec<NestedSet<'a>>) {
    for entry in &set.entries {
        if let DasEntry::Set(inside) = entry {
            collect(inside, &joined(full, &inside.name), found);
        }
    }
    found.push(NestedSet {
        full: full.to_owned(),
        set,
    });
}

fn joined(front: &str, name: &str) -> String {
    match front {
        "" => decoded(name),
        front => format!("{front}.{}", decoded(name)),
    }
}

fn attributes(set: &AttributeSet) -> impl Iterator<Item = &TextAttribute> {
    set.entries.iter().filter_map(|entry| match entry {
        DasEntry::Attribute(attribute) if !attribute.values.is_empty() => Some(attribute),
        _ => None,
    })
}

fn is_global(name: &str) -> bool {
    let name = name.as_bytes();
    let end = name.len().checked_sub(b"global".len());
    end.is_some_and(|at| name[at..].eq_ignore_ascii_case(b"global"))
}

#[cfg(test)]
mod tests {
    use super::super::super::constraint::Constraint;
    use super::super::super::{dds, leaves};
    use super::super::das;
    use super::*;

    #[test]
    fn sets_find_their_variables() {
        let dds = "Dataset { Grid { Array: Float32 g[t = 1]; Maps: Int32 t[t = 1]; } g; Structure { Byte b; } s; String n; } d;";
        let das = r#"Attributes {
            g { Int32 a 1; }
            s { String k "v"; b { Int32 c 2; } in { Int32 d 3; } }
            NC_GLOBAL { String title "x"; String none ; }
            DODS_EXTRA { String Unlimited_Dimension "t"; }
            n { String u "w"; DODS { Int32 strlen 5; String dimName "len"; } }
            String direct "y";
        }"#;
        let leaves = leaves::leaves(&dds::parse(dds).unwrap(), &Constraint::default())
            .unwrap()
            .all;
        let found = merged(&das::parse(das).unwrap(), &leaves, &HashSet::new());
        let names = |all: &Distinct| all.all().iter().map(|a| a.name.clone()).collect::<Vec<_>>();
        assert_eq!(
            names(&found.global),
            [
                "title",
                "direct",
                "DODS_EXTRA.Unlimited_Dimension",
                "DODS.strlen",
                "DODS.dimName",
                "s.in.d",
                "s.k"
            ]
        );
        let shown: Vec<_> = leaves.iter().map(|leaf| leaf.name.as_str()).collect();
        assert_eq!(shown, ["n", "g", "t", "s.b"]);
        assert_eq!(names(&found.of_variables[1]), ["a"]);
        assert_eq!(names(&found.of_variables[3]), ["c"]);
        assert_eq!(found.unlimited.as_deref(), Some("t"));
    }
}
