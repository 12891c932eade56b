//! Passes over bytes that are no more than parts of values, many at a time.

use super::Measure;
use super::index::SPACING;

/// Bytes that are looked at together.
const BLOCK: usize = 64;

impl Measure<'_> {
    /// Passes over blocks that hold nothing but numbers, names, blanks and commas.
    pub(super) fn blocks(&mut self, bytes: &[u8], mut n: usize, base: u64) -> usize {
        let level = self.level;
        // In what is left out, too, each missing comma has to be seen: a statement that has no end goes on with the next one.
        if level + 1 < self.levels.starts.len() || self.full.is_some() {
            return n;
        }
        let most = match (level, self.levels.most) {
            (0, Some(most)) => most,
            _ => u64::MAX,
        };
        while let Some(block) = bytes[n..].first_chunk::<BLOCK>() {
            let (special, commas) = look_at(block);
            // Where there may be no room for more, each is looked at.
            if special || self.items[level].saturating_add(commas + 1) >= most {
                break;
            }
            if !self.content[level] {
                self.content[level] = block.iter().any(|b| *b > b' ');
            }
            let at = base + n as u64;
            if at.saturating_sub(self.last_entry) >= SPACING
                && let Some(comma) = block.iter().position(|b| *b == b',')
            {
                let before = self.items[level];
                self.items[level] += 1;
                self.enter(at + comma as u64 + 1, false);
                self.items[level] = before;
            }
            self.items[level] += commas;
            n += BLOCK;
            self.in_word = false;
            self.wants_comma = false;
            self.comma = false;
        }
        n
    }

    /// Passes over bytes of a string up to one that means something.
    pub(super) fn plain_text(&mut self, bytes: &[u8], mut n: usize, base: u64) -> usize {
        let rest = &bytes[n..];
        let special = rest.iter().position(|b| matches!(b, b'"' | b'\\'));
        let end = n + special.unwrap_or(rest.len());
        if self.rows.is_none() {
            return end;
        }
        while n < end {
            let at = base + n as u64;
            if at.saturating_sub(self.last_entry) >= SPACING {
                self.enter(at, true);
            }
            let step = (end - n).min((self.last_entry + SPACING).saturating_sub(at) as usize);
            n += step;
            if let Some(rows) = &mut self.rows {
                rows.length += step as u64;
            }
        }
        n
    }
}

/// Whether a block has a byte that means something other than a value, and how many commas. Without branches, so that many
/// bytes are compared at once.
fn look_at(block: &[u8; BLOCK]) -> (bool, u64) {
    let (mut special, mut commas) = (0u8, 0u8);
    for byte in *block {
        special |= u8::from(byte == b';')
            | u8::from(byte == b'{')
            | u8::from(byte == b'}')
            | u8::from(byte == b'"')
            | u8::from(byte == b'\'')
            | u8::from(byte == b'/')
            | u8::from(byte == b'\\');
        commas += u8::from(byte == b',');
    }
    (special != 0, u64::from(commas))
}
