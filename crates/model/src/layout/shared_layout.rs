//! Layouts that many variables have in common.

use std::ops::{Deref, DerefMut};
use std::sync::Arc;

use crate::VariableLayout;

/// How many different layouts [`SharedLayouts`] remembers.
const REMEMBERED: usize = 8;

/// A layout that may belong to several variables. Cloning it takes no memory; changing it makes it the owner's alone.
#[derive(Debug, Clone, PartialEq)]
pub struct SharedLayout(Arc<VariableLayout>);

impl From<VariableLayout> for SharedLayout {
    fn from(layout: VariableLayout) -> Self {
        Self(Arc::new(layout))
    }
}

impl Deref for SharedLayout {
    type Target = VariableLayout;

    fn deref(&self) -> &VariableLayout {
        &self.0
    }
}

impl DerefMut for SharedLayout {
    fn deref_mut(&mut self) -> &mut VariableLayout {
        Arc::make_mut(&mut self.0)
    }
}

/// Finds equal layouts among those of one dataset. A dataset of very many variables has few different ones, mostly.
#[derive(Debug, Default)]
pub struct SharedLayouts {
    /// The last ones that were met, the newest last.
    recent: Vec<SharedLayout>,
}

impl SharedLayouts {
    /// The layout, in common with one of the last different ones where it is equal to that.
    pub fn share(&mut self, layout: VariableLayout) -> SharedLayout {
        match self.recent.iter().rposition(|known| **known == layout) {
            Some(at) => self.recent[at..].rotate_left(1),
            None => {
                if self.recent.len() == REMEMBERED {
                    self.recent.remove(0);
                }
                self.recent.push(layout.into());
            }
        }
        self.recent[self.recent.len() - 1].clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Encoding;

    fn layout(length: u64) -> VariableLayout {
        VariableLayout::contiguous(vec![length], 4, Encoding::Numbers { unit: 4 })
    }

    #[test]
    fn equal_layouts_are_one() {
        let mut layouts = SharedLayouts::default();
        let few: Vec<_> = (0..40).map(|n| layouts.share(layout(n % 8))).collect();
        for (n, shared) in few.iter().enumerate() {
            assert_eq!(**shared, layout(n as u64 % 8));
            assert!(Arc::ptr_eq(&shared.0, &few[n % 8].0));
        }
        for n in 0..100 {
            assert_eq!(*layouts.share(layout(n)), layout(n));
        }
        assert_eq!(layouts.recent.len(), REMEMBERED);
    }

    #[test]
    fn a_change_is_the_owners_alone() {
        let one = SharedLayout::from(layout(3));
        let mut other = one.clone();
        other.extent = vec![4];
        assert_eq!((&*one, &*other), (&layout(3), &layout(4)));
    }
}
