//! Numbers for the names of types that are not committed: `_AnonymousEnum1`, `_AnonymousCompound2`, …
//!
//! netCDF-C counts such types over the whole file, in the order in which it reads datasets. Each type that
//! equals no earlier one, committed or not, gets a number, even if netCDF-C then fails on it. netCDF-C does
//! not name types inside of other types, or types of attributes. They are numbered here after all others.

use std::collections::{HashMap, HashSet};

use ncutils_hdf5::{ByteOrder, Class, CompoundMember, Datatype};

use super::number::Number;

/// Most levels of a type that are compared.
const DEPTH: usize = 64;

/// The numbers given out so far.
#[derive(Debug, Default)]
pub struct AnonymousNumbers {
    met: HashSet<Datatype>,
    numbers: HashMap<Datatype, u32>,
    last: u32,
}

impl AnonymousNumbers {
    /// Records a committed type.
    pub fn meet_committed(&mut self, datatype: &Datatype) {
        self.met.insert(native(datatype, 0));
    }

    /// Records the type of a dataset.
    pub fn meet_dataset(&mut self, datatype: &Datatype) {
        if matches!(
            datatype.class,
            Class::FixedPoint { .. }
                | Class::FloatingPoint(_)
                | Class::String { .. }
                | Class::VariableString { .. }
                | Class::Reference { .. }
        ) {
            return;
        }
        let key = native(datatype, 0);
        if self.met.insert(key.clone()) {
            let number = self.next();
            self.numbers.insert(key, number);
        }
    }

    /// The number of a dataset's type, and the key that makes it equal to other types. `None` if it equals a
    /// committed type that was recorded before.
    pub fn of_dataset(&self, datatype: &Datatype) -> Option<(u32, Datatype)> {
        let key = native(datatype, 0);
        self.numbers.get(&key).map(|number| (*number, key))
    }

    /// A number for a type that was not recorded.
    pub fn next(&mut self) -> u32 {
        self.last = self.last.saturating_add(1);
        self.last
    }
}

/// The key of a type: to netCDF-C, types with equal keys are equal. Byte order and offsets in the file are
/// ignored. The size of numbers and the order of members count.
fn native(datatype: &Datatype, depth: usize) -> Datatype {
    if depth > DEPTH {
        return datatype.clone();
    }
    let inner = |base: &Datatype| Box::new(native(base, depth + 1));
    let class = match &datatype.class {
        Class::FixedPoint { signed, .. } => match Number::of(datatype) {
            Ok(number) => {
                return Datatype::integer(number.ty().atomic_size() as u32, *signed, ByteOrder::Little);
            }
            Err(_) => datatype.class.clone(),
        },
        Class::FloatingPoint(_) => match Number::of(datatype) {
            Ok(number) => return Datatype::ieee(number.ty().atomic_size() as u32, ByteOrder::Little),
            Err(_) => datatype.class.clone(),
        },
        Class::Compound { members } => Class::Compound {
            members: (0u32..)
                .zip(members)
                .map(|(place, member)| CompoundMember {
                    name: member.name.clone(),
                    offset: place,
                    datatype: native(&member.datatype, depth + 1),
                })
                .collect(),
        },
        Class::Enumeration { base, members } => {
            let mut members: Vec<_> = members
                .iter()
                .map(|(name, value)| {
                    let mut value = value.clone();
                    if let Ok(number) = Number::of(base) {
                        let mut out = vec![0; number.ty().atomic_size()];
                        number.convert(&value, &mut out);
                        value = out;
                    }
                    (name.clone(), value)
                })
                .collect();
            members.sort();
            Class::Enumeration {
                base: inner(base),
                members,
            }
        }
        Class::VariableLength { base } => Class::VariableLength { base: inner(base) },
        Class::Array { dims, base } => Class::Array {
            dims: dims.clone(),
            base: inner(base),
        },
        other => other.clone(),
    };
    // The size of a type with parts follows from its parts.
    let size = match &class {
        Class::Compound { .. }
        | Class::Enumeration { .. }
        | Class::VariableLength { .. }
        | Class::Array { .. } => 0,
        _ => datatype.size,
    };
    Datatype { size, class }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compound(order: ByteOrder, offset: u32, name: &str) -> Datatype {
        Datatype {
            size: 8 + offset,
            class: Class::Compound {
                members: vec![
                    CompoundMember {
                        name: "a".into(),
                        offset: 0,
                        datatype: Datatype::integer(4, true, order),
                    },
                    CompoundMember {
                        name: name.into(),
                        offset: 4 + offset,
                        datatype: Datatype::ieee(4, order),
                    },
                ],
            },
        }
    }

    #[test]
    fn byte_order_and_padding_make_no_other_type() {
        let mut numbers = AnonymousNumbers::default();
        numbers.meet_dataset(&Datatype::integer(4, true, ByteOrder::Little));
        numbers.meet_dataset(&compound(ByteOrder::Little, 0, "b"));
        numbers.meet_dataset(&compound(ByteOrder::Big, 4, "b"));
        numbers.meet_dataset(&compound(ByteOrder::Big, 0, "c"));
        assert_eq!(
            numbers.of_dataset(&compound(ByteOrder::Big, 0, "b")).unwrap().0,
            1
        );
        assert_eq!(
            numbers
                .of_dataset(&compound(ByteOrder::Little, 0, "c"))
                .unwrap()
                .0,
            2
        );
        assert_eq!(numbers.next(), 3);
    }

    #[test]
    fn only_committed_types_met_before_count() {
        let ty = compound(ByteOrder::Little, 0, "b");
        let mut before = AnonymousNumbers::default();
        before.meet_committed(&ty);
        before.meet_dataset(&ty);
        assert_eq!(before.of_dataset(&ty), None);
        let mut after = AnonymousNumbers::default();
        after.meet_dataset(&ty);
        after.meet_committed(&ty);
        assert_eq!(after.of_dataset(&ty).unwrap().0, 1);
    }
}
