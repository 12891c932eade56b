//! [`LeasePool`]: many values, of which few are open at a time.

use std::collections::{BTreeMap, HashMap};
use std::hash::Hash;
use std::ops::Deref;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// Many values, such as files, of which few are open at a time. A value is opened when it is asked for. It stays open until
/// another needs its room; the one that was not used for longest makes room first.
#[derive(Debug)]
pub struct LeasePool<K, V>(Arc<Pool<K, V>>);

#[derive(Debug)]
struct Pool<K, V> {
    most: usize,
    state: Mutex<State<K, V>>,
    /// Told when a value is given back, was opened, or could not be opened.
    changed: Condvar,
}

#[derive(Debug)]
struct State<K, V> {
    entries: HashMap<K, LeaseEntry<V>>,
    /// The key of each value, by [`LeaseEntry::used`].
    by_use: BTreeMap<u64, K>,
    /// Number of uses so far.
    uses: u64,
    /// Number of threads that wait for a change. Without any, nobody need be told of one, which takes a call of the system.
    waiting: usize,
}

/// A value that is open, or that a thread is opening.
#[derive(Debug)]
struct LeaseEntry<V> {
    /// `None` while a thread opens it.
    value: Option<Arc<V>>,
    /// Value of [`State::uses`] at the last use; 0 before the first.
    used: u64,
}

impl<K: Clone + Eq + Hash, V> LeasePool<K, V> {
    /// A pool of which at most `most` values are open, at least one.
    pub fn new(most: usize) -> Self {
        Self(Arc::new(Pool {
            most: most.max(1),
            state: Mutex::new(State {
                entries: HashMap::new(),
                by_use: BTreeMap::new(),
                uses: 0,
                waiting: 0,
            }),
            changed: Condvar::new(),
        }))
    }

    /// Number of values that are open.
    pub fn count(&self) -> usize {
        self.0.lock().entries.len()
    }

    /// The values that are open.
    pub fn all_open(&self) -> Vec<(K, Lease<K, V>)> {
        let state = self.0.lock();
        let open = state.entries.iter().filter_map(|(key, entry)| {
            let value = entry.value.as_ref()?;
            Some((key.clone(), Lease::new(Arc::clone(value), &self.0)))
        });
        open.collect()
    }

    /// True if the value of a key is open.
    pub fn is_open(&self, key: &K) -> bool {
        let state = self.0.lock();
        state.entries.get(key).is_some_and(|entry| entry.value.is_some())
    }

    /// The value of a key, if it is open.
    pub fn get_open(&self, key: &K) -> Option<Lease<K, V>> {
        let mut state = self.0.lock();
        let value = state.entries.get(key)?.value.clone()?;
        state.use_now(key);
        Some(Lease::new(value, &self.0))
    }

    /// The value of a key. `open` opens it if it is not open. Waits while all open values are in use. So a thread that
    /// holds a value must not ask for another: all threads could wait for each other.
    ///
    /// # Errors
    /// The error of `open`.
    pub fn get<E>(&self, key: &K, open: impl FnOnce() -> Result<V, E>) -> Result<Lease<K, V>, E> {
        let pool = &self.0;
        let mut state = pool.lock();
        loop {
            // `None` while another thread opens it.
            if let Some(found) = state.entries.get(key).map(|entry| entry.value.clone()) {
                if let Some(value) = found {
                    state.use_now(key);
                    return Ok(Lease::new(value, pool));
                }
            } else {
                let has_room = state.entries.len() < pool.most;
                let closed = if has_room { None } else { state.take_idle() };
                if has_room || closed.is_some() {
                    let entry = LeaseEntry { value: None, used: 0 };
                    state.entries.insert(key.clone(), entry);
                    state.use_now(key);
                    drop(state);
                    drop(closed);
                    let opening = Opening { pool, key };
                    let value = Arc::new(open()?);
                    let lease = Lease::new(Arc::clone(&value), pool);
                    if let Some(entry) = pool.lock().entries.get_mut(key) {
                        entry.value = Some(value);
                    }
                    drop(opening);
                    return Ok(lease);
                }
            }
            state.waiting += 1;
            state = pool.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
            state.waiting -= 1;
        }
    }
}

impl<K, V> Clone for LeasePool<K, V> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<K, V> Pool<K, V> {
    fn lock(&self) -> MutexGuard<'_, State<K, V>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Tells those who wait of a change that was made under the lock.
    fn tell(&self, state: MutexGuard<'_, State<K, V>>) {
        if state.waiting > 0 {
            self.changed.notify_all();
        }
    }
}

impl<K: Clone + Eq + Hash, V> State<K, V> {
    /// Makes a value the one that was used last.
    fn use_now(&mut self, key: &K) {
        let Some(entry) = self.entries.get_mut(key) else {
            return;
        };
        // The value that was used last need not move.
        if entry.used == 0 || entry.used < self.uses {
            self.by_use.remove(&entry.used);
            self.uses += 1;
            entry.used = self.uses;
            self.by_use.insert(self.uses, key.clone());
        }
    }

    /// Takes out the value that nobody uses and that was not used for longest.
    fn take_idle(&mut self) -> Option<LeaseEntry<V>> {
        let is_idle = |key: &&K| {
            let value = self.entries.get(*key).and_then(|entry| entry.value.as_ref());
            value.is_some_and(|value| Arc::strong_count(value) == 1)
        };
        let key = self.by_use.values().find(is_idle)?.clone();
        self.remove(&key)
    }

    fn remove(&mut self, key: &K) -> Option<LeaseEntry<V>> {
        let entry = self.entries.remove(key)?;
        self.by_use.remove(&entry.used);
        Some(entry)
    }
}

/// A value that a thread is opening. If that fails or panics, its entry is removed.
struct Opening<'a, K: Clone + Eq + Hash, V> {
    pool: &'a Pool<K, V>,
    key: &'a K,
}

impl<K: Clone + Eq + Hash, V> Drop for Opening<'_, K, V> {
    fn drop(&mut self) {
        let mut state = self.pool.lock();
        if state
            .entries
            .get(self.key)
            .is_some_and(|entry| entry.value.is_none())
        {
            state.remove(self.key);
        }
        self.pool.tell(state);
    }
}

/// An open value of a [`LeasePool`]. It is given back when its last clone is dropped.
#[derive(Debug)]
pub struct Lease<K, V> {
    // Dropped before others are told, so that they find it unused.
    value: Arc<V>,
    given_back: GivenBack<K, V>,
}

/// Tells others of a value that was given back.
#[derive(Debug)]
struct GivenBack<K, V>(Arc<Pool<K, V>>);

impl<K, V> Drop for GivenBack<K, V> {
    fn drop(&mut self) {
        // A thread that has just found no unused value waits before it gives the lock back.
        self.0.tell(self.0.lock());
    }
}

impl<K, V> Lease<K, V> {
    fn new(value: Arc<V>, pool: &Arc<Pool<K, V>>) -> Self {
        Self {
            value,
            given_back: GivenBack(Arc::clone(pool)),
        }
    }
}

impl<K, V> Clone for Lease<K, V> {
    fn clone(&self) -> Self {
        Self::new(Arc::clone(&self.value), &self.given_back.0)
    }
}

impl<K, V> Deref for Lease<K, V> {
    type Target = V;

    fn deref(&self) -> &V {
        &self.value
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[test]
    fn each_value_is_opened_by_one_thread_and_few_are_open() {
        let (pool, opened) = (LeasePool::new(2), AtomicUsize::new(0));
        let open = |n: usize| {
            opened.fetch_add(1, Ordering::Relaxed);
            Ok::<_, ()>(n * 10)
        };
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for n in (0..100).map(|n| n % 7) {
                        let lease = pool.get(&n, || open(n)).unwrap();
                        assert!(pool.count() <= 2);
                        assert_eq!(*lease, n * 10);
                    }
                });
            }
        });
        opened.store(0, Ordering::Relaxed);
        let first = pool.get(&1, || open(1)).unwrap();
        let again = first.clone();
        drop(first);
        for n in [2, 3, 1] {
            pool.get(&n, || open(n)).unwrap();
        }
        assert_eq!((*again, opened.load(Ordering::Relaxed) <= 3), (10, true));
        let mut open: Vec<_> = pool
            .all_open()
            .into_iter()
            .map(|(n, value)| (n, *value))
            .collect();
        open.sort_unstable();
        assert_eq!(open, [(1, 10), (3, 30)]);
    }

    #[test]
    fn what_cannot_be_opened_leaves_its_room() {
        let pool = LeasePool::new(1);
        assert_eq!(pool.get(&1, || Err::<u8, _>("no")).unwrap_err(), "no");
        assert_eq!(pool.count(), 0);
        assert_eq!(*pool.get(&1, || Ok::<_, ()>(5)).unwrap(), 5);
    }
}
