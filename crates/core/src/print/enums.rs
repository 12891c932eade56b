//! Values of enums, and the members with these values.

use super::bytes::array;
use crate::model::Type;

/// The member of an enum with this value.
pub fn member_of(members: &[(String, i64)], value: i64) -> Option<&(String, i64)> {
    // Most enums count up from their first member, so this guess avoids a search.
    let first = members.first()?.1;
    let guess = value.checked_sub(first).and_then(|at| usize::try_from(at).ok());
    let guessed = guess.and_then(|at| members.get(at)).filter(|m| m.1 == value);
    guessed.or_else(|| members.iter().find(|m| m.1 == value))
}

/// The value of an enum element, in the form of [`TypeClass::Enum`].
pub fn enum_value(base: Type, bytes: &[u8]) -> i64 {
    match base {
        Type::Byte => i8::from_le_bytes(array(bytes)).into(),
        Type::UByte => bytes[0].into(),
        Type::Short => i16::from_le_bytes(array(bytes)).into(),
        Type::UShort => u16::from_le_bytes(array(bytes)).into(),
        Type::Int => i32::from_le_bytes(array(bytes)).into(),
        Type::UInt => u32::from_le_bytes(array(bytes)).into(),
        _ => i64::from_le_bytes(array(bytes)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_are_found_wherever_they_stand() {
        let members: Vec<(String, i64)> = [3, 4, 5, -1, 9, i64::MIN, i64::MAX]
            .map(|value| (value.to_string(), value))
            .into();
        for (name, value) in &members {
            assert_eq!(member_of(&members, *value).map(|m| &m.0), Some(name));
        }
        for value in [0, 6, 7, 8, 10] {
            assert_eq!(member_of(&members, value), None);
        }
        assert_eq!(member_of(&[], 0), None);
    }
}
