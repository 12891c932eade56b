//! [`BoundedCache`]: values that were used lately.

use std::borrow::Borrow;
use std::collections::{BTreeMap, HashMap};
use std::hash::Hash;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Keeps values as long as they cost at most a limit together. The value that was not used for longest is dropped first.
///
/// A cost may be bytes, or 1 where the number of values counts.
pub struct BoundedCache<K, V>(Mutex<State<K, V>>);

struct State<K, V> {
    most: usize,
    cost: usize,
    values: HashMap<K, CacheEntry<V>>,
    /// The key of each value, by [`CacheEntry::used`].
    by_use: BTreeMap<u64, K>,
    /// Number of the last use.
    uses: u64,
}

struct CacheEntry<V> {
    value: V,
    cost: usize,
    /// Number of its last use.
    used: u64,
}

impl<K: Clone + Eq + Hash, V: Clone> BoundedCache<K, V> {
    /// Keeps values that cost at most `most` together.
    pub fn new(most: usize) -> Self {
        Self(Mutex::new(State {
            most,
            cost: 0,
            values: HashMap::new(),
            by_use: BTreeMap::new(),
            uses: 0,
        }))
    }

    fn lock(&self) -> MutexGuard<'_, State<K, V>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What the values may cost together.
    pub fn most(&self) -> usize {
        self.lock().most
    }

    /// Changes what the values may cost together, from the next [`keep`](Self::keep) on.
    pub fn set_most(&self, most: usize) {
        self.lock().most = most;
    }

    /// What the values cost together.
    pub fn cost(&self) -> usize {
        self.lock().cost
    }

    /// The value of a key.
    pub fn get<Q: Eq + Hash + ?Sized>(&self, key: &Q) -> Option<V>
    where
        K: Borrow<Q>,
    {
        let state = &mut *self.lock();
        let entry = state.values.get_mut(key)?;
        // The value that was used last need not move.
        if entry.used < state.uses
            && let Some(key) = state.by_use.remove(&entry.used)
        {
            state.uses += 1;
            entry.used = state.uses;
            state.by_use.insert(state.uses, key);
        }
        Some(entry.value.clone())
    }

    /// Keeps the value of a key, whatever it costs. Drops others until all cost at most the limit, or it is alone.
    pub fn keep(&self, key: K, value: V, cost: usize) {
        let state = &mut *self.lock();
        state.remove(&key);
        while state.cost.saturating_add(cost) > state.most
            && let Some((_, oldest)) = state.by_use.pop_first()
        {
            state.remove(&oldest);
        }
        state.uses += 1;
        state.cost = state.cost.saturating_add(cost);
        state.by_use.insert(state.uses, key.clone());
        let used = state.uses;
        state.values.insert(key, CacheEntry { value, cost, used });
    }
}

impl<K: Eq + Hash, V> State<K, V> {
    fn remove(&mut self, key: &K) {
        if let Some(gone) = self.values.remove(key) {
            self.by_use.remove(&gone.used);
            self.cost = self.cost.saturating_sub(gone.cost);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_not_used_for_longest_goes_first() {
        let cache = BoundedCache::new(2);
        cache.keep('a', 1, 1);
        cache.keep('b', 2, 1);
        assert_eq!(cache.get(&'a'), Some(1));
        cache.keep('c', 3, 1);
        assert_eq!(
            (cache.get(&'a'), cache.get(&'b'), cache.get(&'c')),
            (Some(1), None, Some(3))
        );
    }

    #[test]
    fn costs_are_bounded() {
        let cache = BoundedCache::new(400);
        for number in 0..4u32 {
            cache.keep(number, number, 100);
        }
        assert_eq!(cache.get(&0), Some(0));
        cache.keep(4, 4, 100);
        assert_eq!(cache.get(&1), None);
        cache.keep(2, 5, 100);
        assert_eq!(cache.get(&2), Some(5));
        for number in 0..100_000 {
            cache.keep(number, 0, 3);
            assert!(cache.cost() <= cache.most());
        }
        assert_eq!(cache.lock().values.len(), 133);
        assert_eq!(cache.lock().by_use.len(), 133);
    }

    #[test]
    fn the_last_value_is_kept_whatever_it_costs() {
        let cache = BoundedCache::new(10);
        cache.keep('a', 1, 5);
        cache.keep('b', 2, 50);
        assert_eq!((cache.get(&'a'), cache.get(&'b')), (None, Some(2)));
        cache.keep('c', 3, 5);
        assert_eq!(
            (cache.get(&'b'), cache.get(&'c'), cache.cost()),
            (None, Some(3), 5)
        );
    }
}
