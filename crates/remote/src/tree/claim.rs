//! [`Claim`]: the right of a run to write below a prefix, and what earlier runs left there.
//!
//! Marks are put only where there is none, so of two runs one gets the claim.

use std::io;

use object_store::PutMode;

use super::mark::{BUILDING, Doing, Mark, get_mark, is_reserved, stage};
use super::switch::take_over;
use crate::write::{Listed, TreeObjects};
use ncutils_store::keys::key::PARTIAL;
use ncutils_store::new_run;

/// What a run replaces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Replaced {
    /// A whole dataset.
    Dataset,
    /// What a run left that was killed while it wrote.
    Leftovers,
}

/// Why a prefix is not written to.
#[derive(Debug)]
pub enum NotClaimed {
    /// Something is there. It can be replaced if the user wants that.
    Taken(String),
    /// Something is there that is never replaced.
    Refused(String),
    /// The store fails.
    Failed(io::Error),
}

impl From<io::Error> for NotClaimed {
    fn from(error: io::Error) -> Self {
        Self::Failed(error)
    }
}

/// The right of a run to write below a prefix. Several processes can share it, as one tells the others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claim {
    /// Name of the run: hexadecimal digits.
    pub name: String,
    /// True if the run builds beside an older dataset.
    pub is_beside: bool,
}

impl Claim {
    fn new(is_beside: bool) -> Self {
        let name = new_run();
        Self { name, is_beside }
    }

    /// The key and the value of the run's mark.
    pub(crate) fn mark(&self) -> (&'static str, Mark) {
        let (key, doing) = match self.is_beside {
            false => (PARTIAL, Doing::Writing),
            true => (BUILDING, Doing::Building),
        };
        (key, Mark::new(doing, &self.name))
    }

    /// Claims a prefix that holds nothing.
    pub(crate) fn of_empty(tree: &TreeObjects) -> Result<Self, NotClaimed> {
        let found = tree.list("")?;
        if !found.is_empty() {
            return Err(NotClaimed::Taken(describe(tree, &found)?));
        }
        let claim = Self::new(false);
        claim.put(tree, PutMode::Create)?;
        // Between the list and the mark, another run may have written everything, or begun.
        let found = tree.list("");
        if let Ok(found) = &found
            && found.iter().all(|object| object.key == PARTIAL)
        {
            return Ok(claim);
        }
        // A run that replaces may have taken the mark over.
        let released = claim.release(tree);
        let mut found = found?;
        released?;
        found.retain(|object| object.key != PARTIAL);
        Err(NotClaimed::Taken(describe(tree, &found)?))
    }

    /// Claims a prefix whose dataset will be replaced, or whose leftovers will be cleared. `check` fails for keys that must not
    /// go with them. A switch that was killed is ended first.
    pub(crate) fn of_taken(
        tree: &TreeObjects,
        check: &dyn Fn(Replaced, &[String]) -> io::Result<()>,
    ) -> Result<Self, NotClaimed> {
        let may_go = |what: Replaced, found: &[Listed]| {
            let keys = found.iter().map(|object| object.key.clone());
            let keys: Vec<String> = keys.filter(|key| !is_reserved(key)).collect();
            match keys.is_empty() {
                true => Ok(()),
                false => check(what, &keys).map_err(|e| NotClaimed::Refused(e.to_string())),
            }
        };
        let mut found = tree.list("")?;
        let mark = get_mark(tree, PARTIAL)?;
        if mark.is_some() {
            may_go(Replaced::Leftovers, &found)?;
        }
        match mark {
            Some((mark, seen)) if mark.doing == Doing::Switching => {
                take_over(tree, mark, seen)?;
                found = tree.list("")?;
            }
            Some((_, seen)) => {
                let claim = Self::new(false);
                claim.put(tree, PutMode::Update(seen))?;
                // What another run wrote before it lost the mark goes too.
                tree.clear("", |key| key != PARTIAL, || claim.check(tree))?;
                return Ok(claim);
            }
            None => {}
        }
        if found.is_empty() {
            return Self::of_empty(tree);
        }
        may_go(Replaced::Dataset, &found)?;
        let claim = Self::new(true);
        let mode = match get_mark(tree, BUILDING)? {
            Some((_, seen)) => PutMode::Update(seen),
            None => PutMode::Create,
        };
        claim.put(tree, mode)?;
        // A run that lost its mark may have begun to switch. It looks for the mark after it has put its own, so that one of
        // the two sees the other.
        let undone = |_: &io::Error| drop(claim.undo(tree));
        if get_mark(tree, PARTIAL).inspect_err(undone)?.is_some() {
            claim.release(tree)?;
            return Err(NotClaimed::Taken(format!(
                "another run replaces the dataset: {PARTIAL} is there"
            )));
        }
        let cleared = tree.clear(
            "",
            |key| is_reserved(key) && key != BUILDING,
            || claim.check(tree),
        );
        cleared.inspect_err(undone)?;
        Ok(claim)
    }

    fn put(&self, tree: &TreeObjects, mode: PutMode) -> Result<(), NotClaimed> {
        let (key, mark) = self.mark();
        let is_new = mode == PutMode::Create;
        let put = tree.put_mark(key, mark.text().as_bytes(), mode).inspect_err(|_| {
            // The store may have the mark all the same. One that was taken over stays: it marks leftovers.
            if is_new {
                let _ = self.release(tree);
            }
        });
        match put? {
            true => Ok(()),
            false => Err(NotClaimed::Taken(format!(
                "another run writes here: {key} is there"
            ))),
        }
    }

    /// True if no other run has taken the claim over.
    pub(crate) fn holds(&self, tree: &TreeObjects) -> io::Result<bool> {
        let (key, mark) = self.mark();
        Ok(get_mark(tree, key)?.is_some_and(|(found, _)| found == mark))
    }

    /// Deletes the run's mark, unless another run has taken the claim over.
    pub(crate) fn release(&self, tree: &TreeObjects) -> io::Result<()> {
        match self.holds(tree)? {
            true => tree.delete([self.mark().0]),
            false => Ok(()),
        }
    }

    /// Fails if another run has taken the claim over.
    pub(crate) fn check(&self, tree: &TreeObjects) -> io::Result<()> {
        match self.holds(tree)? {
            true => Ok(()),
            false => Err(io::Error::other(
                "another run took over what this one was writing",
            )),
        }
    }

    /// The folder of the run's values: below the prefix, empty or with a slash at its end.
    pub(crate) fn values(&self) -> String {
        self.folder("d/")
    }

    /// The folder of the run's metadata.
    pub(crate) fn metadata(&self) -> String {
        self.folder("m/")
    }

    /// A folder beside an older dataset; the tree itself without one.
    fn folder(&self, name: &str) -> String {
        match self.is_beside {
            true => format!("{}{name}", stage(&self.name)),
            false => String::new(),
        }
    }

    /// Deletes everything that the run wrote, its mark last. What another run wrote stays.
    ///
    /// # Errors
    /// Those of the store; an object that stays, and with it the mark; another run that takes over in between.
    pub(crate) fn undo(&self, tree: &TreeObjects) -> io::Result<()> {
        let (mark, _) = self.mark();
        if !self.holds(tree)? {
            return Ok(());
        }
        // A request that was given up may still have been answered between a list and the deletion, so there are several lists.
        tree.clear(&self.folder(""), |key| key != mark, || self.check(tree))?;
        self.release(tree)
    }
}

/// What is below a prefix, in words.
fn describe(tree: &TreeObjects, found: &[Listed]) -> io::Result<String> {
    let has = |key: &str| found.iter().any(|object| object.key == key);
    Ok(if has(PARTIAL) {
        match get_mark(tree, PARTIAL)? {
            Some((mark, _)) if mark.doing == Doing::Switching => format!(
                "a run that was killed while it replaced the dataset has left {PARTIAL}; the same command again ends it"
            ),
            _ => format!(
                "another run writes here, or one was killed and has left {PARTIAL} and {}",
                count(found.len() - 1)
            ),
        }
    } else if has(BUILDING) {
        format!("another run replaces the dataset, or one was killed and has left {BUILDING}")
    } else {
        format!(
            "{} lie below this prefix, such as {:?}",
            count(found.len()),
            found.first().map_or("", |object| &object.key)
        )
    })
}

fn count(objects: usize) -> String {
    match objects {
        1 => "1 object".to_owned(),
        n => format!("{n} objects"),
    }
}
