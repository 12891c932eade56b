//! Moves elements with strings or sequences from one heap to another.

use crate::{SLOT_SIZE, Schema, Slot, Type, TypeClass};

/// Copies the heap data of `element` from the heap `from` to the heap `to`, and updates the slots in
/// `element`.
pub fn move_heap(schema: &Schema, ty: Type, element: &mut [u8], from: &[u8], to: &mut Vec<u8>) {
    match ty {
        Type::String => move_slot(element, 1, from, to, |_, _| {}),
        Type::User(id) => match &schema.user_type(id).class {
            TypeClass::Vlen { base } => {
                let size = schema.type_size(*base);
                let nested = schema.has_heap(*base);
                move_slot(element, size, from, to, |content, to| {
                    if nested {
                        for member in content.chunks_exact_mut(size.max(1)) {
                            move_heap(schema, *base, member, from, to);
                        }
                    }
                });
            }
            TypeClass::Compound { fields, .. } => {
                for field in fields.iter().filter(|f| schema.has_heap(f.ty)) {
                    let size = schema.type_size(field.ty).max(1);
                    let count = field.dims.iter().product::<usize>();
                    let members = element.get_mut(field.offset..).unwrap_or_default();
                    for member in members.chunks_exact_mut(size).take(count) {
                        move_heap(schema, field.ty, member, from, to);
                    }
                }
            }
            _ => {}
        },
        _ => {}
    }
}

/// Copies the content of the slot in `element`, whose members have `size` bytes each. `nested` moves the
/// members' own heap data first. A slot that points outside the heap becomes NIL.
fn move_slot(
    element: &mut [u8],
    size: usize,
    from: &[u8],
    to: &mut Vec<u8>,
    nested: impl Fn(&mut [u8], &mut Vec<u8>),
) {
    let Some(place) = element.get_mut(..SLOT_SIZE) else {
        return;
    };
    let slot = Slot::read(place);
    let content = usize::try_from(slot.offset).ok().and_then(|start| {
        let length = usize::try_from(slot.length).ok()?.checked_mul(size)?;
        from.get(start..start.checked_add(length)?)
    });
    let moved = content.map_or(Slot::NIL, |content| {
        let mut content = content.to_vec();
        nested(&mut content, to);
        let offset = to.len() as u64;
        to.extend_from_slice(&content);
        Slot {
            length: slot.length,
            offset,
        }
    });
    place.copy_from_slice(&moved.to_bytes());
}
