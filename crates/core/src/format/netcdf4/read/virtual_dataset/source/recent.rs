//! [`Recent`]: values that were used lately.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Mutex, PoisonError};

/// Keeps at most a number of values. The one that was not used for longest is dropped first.
pub struct Recent<K, V> {
    most: usize,
    state: Mutex<State<K, V>>,
}

struct State<K, V> {
    values: HashMap<K, (V, u64)>,
    /// Number of uses so far.
    uses: u64,
}

impl<K: Hash + Eq + Clone, V: Clone> Recent<K, V> {
    /// Keeps at most `most` values.
    pub fn new(most: usize) -> Self {
        Self {
            most,
            state: Mutex::new(State {
                values: HashMap::new(),
                uses: 0,
            }),
        }
    }

    /// The value of a key.
    pub fn get(&self, key: &K) -> Option<V> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.uses += 1;
        let uses = state.uses;
        let (value, used) = state.values.get_mut(key)?;
        *used = uses;
        Some(value.clone())
    }

    /// Keeps a value.
    pub fn put(&self, key: K, value: V) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if state.values.len() >= self.most {
            let oldest = state.values.iter().min_by_key(|(_, (_, used))| *used);
            if let Some(oldest) = oldest.map(|(key, _)| key.clone()) {
                state.values.remove(&oldest);
            }
        }
        state.uses += 1;
        let used = state.uses;
        state.values.insert(key, (value, used));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_is_dropped() {
        let recent = Recent::new(2);
        recent.put('a', 1);
        recent.put('b', 2);
        assert_eq!(recent.get(&'a'), Some(1));
        recent.put('c', 3);
        assert_eq!(
            (recent.get(&'a'), recent.get(&'b'), recent.get(&'c')),
            (Some(1), None, Some(3))
        );
    }
}
