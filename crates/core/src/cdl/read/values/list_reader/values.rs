//! Parses a window of values of any type but `char`.

use crate::error::Result;

use super::position::{Next, Passed, Position};
use super::wanted_values::WantedValues;
use super::{ListReader, Window};
use crate::cdl::read::constant::lexer::{Lexer, is_blank};
use crate::cdl::read::constant::number;

impl ListReader<'_> {
    pub(super) fn walk_values(
        &self,
        lexer: &mut Lexer,
        window: &Window,
        target: &mut WantedValues,
    ) -> Result<()> {
        let size = self.elements.schema.type_size(self.ty);
        let numbers = self.ty.is_number();
        let mut position = Position::new(self.list, window.entry);
        let mut passed = self.passed_before(window);
        loop {
            match position.between(lexer, window.last, &mut passed)? {
                Next::End => return Ok(()),
                Next::Taken => continue,
                Next::Value => {}
            }
            let element = position.element();
            let last = position.sizes.len() - 1;
            if element >= target.last {
                return Ok(());
            }
            if element < target.first {
                let skipped = skip(lexer, target.first - element, &mut passed)?;
                position.at[last] += skipped;
                continue;
            }
            self.fill_up(target, element, size);
            let heap_before = target.heap.len();
            let checked = target.out.is_none();
            let room = match &mut target.out {
                Some(out) => &mut out[(element - target.first) as usize * size..],
                None => &mut target.scratch[..],
            };
            // A list ends at its own length, and does not continue in the next list's elements.
            let most = position.sizes[last].saturating_sub(position.at[last]);
            let most = usize::try_from(most).unwrap_or(usize::MAX).saturating_mul(size);
            let room = if most < room.len() {
                &mut room[..most]
            } else {
                room
            };
            if numbers {
                let run = number::run(self.ty, lexer.bytes(), lexer.at, room);
                if run.count > 0 {
                    lexer.at = run.at;
                    target.next = element + run.count as u64;
                    position.at[last] += run.count as u64 - u64::from(run.after_value);
                    passed = if run.after_value {
                        Passed::Value
                    } else {
                        Passed::Comma
                    };
                    continue;
                }
            }
            let Some(room) = room.get_mut(..size) else {
                return Err(lexer.error(lexer.at, "too many values"));
            };
            self.elements
                .element(lexer, self.ty, self.fill, room, target.heap)?;
            if checked {
                target.heap.truncate(heap_before);
            }
            target.next = element + 1;
            passed = Passed::Value;
        }
    }

    /// Fills the elements before `element` that have no value.
    pub(super) fn fill_up(&self, target: &mut WantedValues, element: u64, size: usize) {
        let Some(out) = &mut target.out else { return };
        let (from, to) = (target.next.max(target.first), element.min(target.last));
        if from >= to {
            return;
        }
        let bytes = (from - target.first) as usize * size..(to - target.first) as usize * size;
        let gap = &mut out[bytes];
        if self.elements.schema.has_heap(self.ty) {
            for element in gap.chunks_exact_mut(size) {
                self.elements.fill_with(self.ty, self.fill, element, target.heap);
            }
        } else {
            let mut value = vec![0; size];
            self.elements
                .fill_with(self.ty, self.fill, &mut value, target.heap);
            crate::chunk::fill_pattern(gap, &value);
        }
        target.next = to;
    }
}

/// Skips up to `count` values and the commas after them, within one list. Returns the number of commas.
fn skip(lexer: &mut Lexer, count: u64, passed: &mut Passed) -> Result<u64> {
    let mut skipped = 0;
    let bytes = lexer.bytes();
    let mut braces = 0usize;
    while let Some(byte) = bytes.get(lexer.at) {
        match byte {
            b',' if braces == 0 => {
                *passed = Passed::Comma;
                skipped += 1;
                lexer.at += 1;
                if skipped == count {
                    return Ok(skipped);
                }
                continue;
            }
            b'}' if braces == 0 => return Ok(skipped),
            b'{' => braces += 1,
            b'}' => braces -= 1,
            b'"' | b'\'' => {
                lexer.constant()?;
                *passed = Passed::Value;
                continue;
            }
            b'/' => {
                let before = lexer.at;
                lexer.peek()?;
                if lexer.at > before {
                    continue;
                }
            }
            b'\\' => lexer.at += 1,
            byte if is_blank(*byte) => {
                lexer.at += 1;
                continue;
            }
            _ => {}
        }
        *passed = Passed::Value;
        lexer.at += 1;
    }
    Ok(skipped)
}
