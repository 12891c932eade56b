//! Finds cycles in a directed graph.

use std::collections::{BTreeMap, BTreeSet};

/// For each file, the files that it uses.
pub type Graph = BTreeMap<String, BTreeSet<String>>;

/// Sets of two or more files that all lead to each other (strongly connected components).
pub fn cycles(graph: &Graph) -> Vec<Vec<String>> {
    let mut order = Vec::new();
    let mut seen = BTreeSet::new();
    for node in graph.keys() {
        visit(graph, node, &mut seen, &mut order);
    }
    let mut reversed = Graph::new();
    for (from, tos) in graph {
        for to in tos {
            reversed.entry(to.clone()).or_default().insert(from.clone());
        }
    }
    let mut seen = BTreeSet::new();
    let mut found = Vec::new();
    for node in order.iter().rev() {
        let mut set = Vec::new();
        visit(&reversed, node, &mut seen, &mut set);
        if set.len() > 1 {
            set.sort();
            found.push(set);
        }
    }
    found.sort();
    found
}

/// Appends all unseen files that `start` leads to, each after the files that it leads to.
fn visit(graph: &Graph, start: &str, seen: &mut BTreeSet<String>, order: &mut Vec<String>) {
    if !seen.insert(start.to_owned()) {
        return;
    }
    let next = |node: &str| graph.get(node).into_iter().flatten().cloned().collect::<Vec<_>>();
    let mut stack = vec![(start.to_owned(), next(start))];
    while let Some((node, left)) = stack.last_mut() {
        match left.pop() {
            Some(to) if seen.insert(to.clone()) => {
                let after = next(&to);
                stack.push((to, after));
            }
            Some(_) => {}
            None => {
                order.push(node.clone());
                stack.pop();
            }
        }
    }
}

/// The folder of a file.
pub fn folder(file: &str) -> &str {
    file.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// True if the cycle's files are in different folders.
pub fn is_between_folders(cycle: &[String]) -> bool {
    cycle.iter().any(|file| folder(file) != folder(&cycle[0]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graph(arrows: &[(&str, &str)]) -> Graph {
        let mut graph = Graph::new();
        for (from, to) in arrows {
            graph.entry((*from).into()).or_default().insert((*to).into());
        }
        graph
    }

    #[test]
    fn a_cycle_is_found_and_a_chain_is_none() {
        assert!(cycles(&graph(&[("a", "b"), ("b", "c"), ("a", "c")])).is_empty());
        let found = cycles(&graph(&[
            ("a", "b"),
            ("b", "c"),
            ("c", "b"),
            ("c", "d"),
            ("e", "f"),
            ("f", "e"),
        ]));
        assert_eq!(found, [vec!["b", "c"], vec!["e", "f"]]);
    }

    #[test]
    fn only_cycles_between_folders_leave_a_folder() {
        assert!(!is_between_folders(&["a/x.rs".into(), "a/y.rs".into()]));
        assert!(is_between_folders(&["a/mod.rs".into(), "a/b/y.rs".into()]));
    }
}
