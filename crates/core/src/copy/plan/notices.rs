//! [`Notices`]: what a plan changes or leaves out that nobody asked for.

use crate::message::some_of;

/// What a plan changes or leaves out, because the output's kind does not hold it as it is: one line for each sort.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Notices {
    /// Each sort with its items, in the order in which they were found.
    sorts: Vec<(String, Vec<String>)>,
}

impl Notices {
    /// Adds an item to those of its sort. `sort` tells what becomes of them: "left out, as classic has no groups".
    pub fn add(&mut self, sort: String, item: String) {
        match self.sorts.iter_mut().find(|(known, _)| *known == sort) {
            Some((_, items)) => items.push(item),
            None => self.sorts.push((sort, vec![item])),
        }
    }

    /// The sorts, in the order in which they were found.
    pub fn sorts(&self) -> impl Iterator<Item = &str> {
        self.sorts.iter().map(|(sort, _)| &**sort)
    }

    /// The number of items.
    pub fn count(&self) -> usize {
        self.sorts.iter().map(|(_, items)| items.len()).sum()
    }

    /// Adds the items of `other`, whose sorts are told in the words that `told` makes of them.
    pub fn extend(&mut self, other: Self, told: impl Fn(&str) -> String) {
        for (sort, items) in other.sorts {
            for item in items {
                self.add(told(&sort), item);
            }
        }
    }

    /// One line for each sort, with the first items. If there are more, their number follows.
    pub fn lines(&self) -> impl Iterator<Item = String> {
        let sorts = self.sorts.iter();
        sorts.map(|(sort, items)| format!("{sort}: {}", some_of(items, items.len())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_names_ten_items() {
        let mut notices = Notices::default();
        for n in 0..12 {
            notices.add("left out".to_owned(), format!("v{n}"));
        }
        notices.add("changed".to_owned(), "x".to_owned());
        notices.add("left out".to_owned(), "v12".to_owned());
        let lines: Vec<String> = notices.lines().collect();
        assert_eq!(
            lines,
            [
                "left out: v0, v1, v2, v3, v4, v5, v6, v7, v8, v9 and 3 more (13 in all)",
                "changed: x"
            ]
        );
    }
}
