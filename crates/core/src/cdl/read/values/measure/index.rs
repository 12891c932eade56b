//! Results of the first pass: the lengths of lists, and the positions of their elements.

use crate::error::Result;

use super::Measure;
use crate::cdl::read::syntax::text::Text;
use crate::cdl::read::values::entry::EntryPosition;
use crate::cdl::read::values::levels::Levels;
use crate::cdl::read::values::miscount::{Amount, Miscount, Unit};

/// Approximate distance of two index entries, in bytes of text.
pub(super) const SPACING: u64 = 4096;

impl Measure<'_> {
    /// Adds an index entry for the position `at`.
    pub(super) fn enter(&mut self, at: u64, in_string: bool) {
        self.last_entry = at;
        if self.full.is_some() {
            return;
        }
        let place = EntryPosition {
            at,
            level: self.level,
            in_string,
            after_character: self.rows.is_some_and(|rows| rows.after_character),
        };
        let depth = self.items.len();
        self.measured.places.push(place.pack());
        for level in 0..depth {
            let item = match &self.rows {
                _ if level > self.level => 0,
                Some(rows) if level + 1 == depth => rows.length,
                _ => self.items[level],
            };
            self.measured.places.push(item);
        }
    }

    /// Ends the current list.
    pub(super) fn close(&mut self) {
        let level = self.level;
        let items = self.items[level] + u64::from(self.content[level]);
        let last = level + 1 == self.levels.starts.len();
        let count = match &self.rows {
            Some(rows) if last => rows.length,
            _ => items,
        };
        let longest = &mut self.measured.longest[level];
        *longest = count.max(*longest);
        self.measured.empty &= items == 0;
        // Lists that do not fit lengthen unlimited dimensions, as in netCDF-C, but give no elements.
        if last && (level == 0 || self.excess.is_none()) {
            let most = self.levels.most.filter(|_| level == 0).unwrap_or(u64::MAX);
            self.measured.given.add(&self.items[..level], count.min(most));
        }
    }

    pub(super) fn end(&mut self, at: u64, text: &Text) -> Result<()> {
        if self.level > 0 || self.braces > 0 {
            return Err(text.error(at, "expected ',' or '}', found ';'"));
        }
        self.close();
        self.measured.miscount = self.miscount(at);
        if self.excess.is_some() {
            self.measured.cut = self.full;
        }
        Ok(())
    }

    /// What a list that ends at `end` has too many or too few. Records that only other variables have are not missing: the
    /// list decides how many it has. Nor is anything of an empty list.
    fn miscount(&self, end: u64) -> Option<Miscount> {
        let Levels { most, inner, row, .. } = self.levels;
        let characters = self.rows.filter(|_| self.levels.starts.len() == 1);
        let (unit, found) = match characters {
            Some(rows) => (Unit::Characters, rows.length),
            None => (Unit::Values, self.items[0] + u64::from(self.content[0])),
        };
        let room = most.or_else(|| found.checked_next_multiple_of(inner[0]))?;
        if let Some(at) = self.excess {
            let amount = Amount::LeftOut(found.saturating_sub(room));
            return Some(Miscount {
                at,
                unit,
                room,
                amount,
            });
        }
        // Text is often shorter than its row, so only whole rows are missing.
        let least = match characters {
            Some(_) if *row == 1 => return None,
            Some(_) => *row,
            None => 1,
        };
        let missing = room.checked_sub(found).filter(|missing| *missing >= least)?;
        let amount = Amount::Missing(missing);
        (!self.measured.empty).then_some(Miscount {
            at: end,
            unit,
            room,
            amount,
        })
    }
}
