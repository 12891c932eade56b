//! [`Routes`]: how the chunks of a variable are copied.

use std::fmt;

use crate::copy::task::RouteName;

/// The routes of a variable's chunks. Most variables have one route.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Routes(Vec<(RouteName, u64)>);

impl Routes {
    /// One route, of `chunks` chunks.
    pub fn of(route: RouteName, chunks: u64) -> Self {
        Self(vec![(route, chunks)])
    }

    /// Adds chunks that go by a route.
    pub fn add(&mut self, route: RouteName, chunks: u64) {
        match self.0.iter_mut().find(|(of, _)| *of == route) {
            Some((_, count)) => *count = count.saturating_add(chunks),
            None => self.0.push((route, chunks)),
        }
    }

    /// The route of all chunks; `None` if they go by several.
    pub fn only(&self) -> Option<RouteName> {
        match self.0[..] {
            [(route, _)] => Some(route),
            _ => None,
        }
    }

    /// Each route, with the number of chunks that go by it. Data without chunks counts as any number of them.
    pub fn iter(&self) -> impl Iterator<Item = (RouteName, u64)> + '_ {
        self.0.iter().copied()
    }
}

/// The name of the only route, or each name with its number of chunks.
impl fmt::Display for Routes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.only() {
            Some(route) => f.pad(route.as_str()),
            None => {
                let each = self.iter().map(|(route, chunks)| format!("{route} {chunks}"));
                f.pad(&each.collect::<Vec<_>>().join(", "))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn several_routes_are_told_with_their_chunks() {
        let mut routes = Routes::of(RouteName::Raw, 7);
        assert_eq!(
            (routes.to_string(), routes.only()),
            ("raw".to_owned(), Some(RouteName::Raw))
        );
        routes.add(RouteName::Blocks, 2);
        routes.add(RouteName::Blocks, 1);
        assert_eq!(
            (routes.to_string(), routes.only()),
            ("raw 7, blocks 3".to_owned(), None)
        );
    }
}
