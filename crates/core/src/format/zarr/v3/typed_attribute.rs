//! Attributes of opaque types, compounds and lists of numbers.
//!
//! Each is a list with one member for each element, in the form of a [fill value](super::fill_value). NetCDF's own facts have its type:
//!
//! ```text
//! "range": [{"low":1,"high":2.5}]    compound
//! "key":   ["3q2+7w==","AAAAAA=="]   opaque
//! "lists": ["AQACAA=="]              the bytes of little-endian numbers
//! ```

use super::super::json::Json;
use super::super::write::Packing;
use super::data_type::DataType;
use super::fill_value;
use crate::model::{Attribute, SLOT_SIZE, Schema, Slot, Type, TypeClass, Values};

/// Most bytes that a character of JSON stands for. Text of a fixed size may be told in fewer, which would let a short document
/// take any amount of memory.
const MOST_PER_CHARACTER: usize = 64;

/// The value of an attribute. `None` for a type that is not written so.
pub fn write(schema: &Schema, attribute: &Attribute) -> Option<Json> {
    let Type::User(id) = attribute.ty else {
        return None;
    };
    let class = &schema.user_type(id).class;
    if let TypeClass::Enum { .. } = class {
        return None;
    }
    let data_type = DataType::of(schema, attribute.ty).ok()?;
    if let (TypeClass::Vlen { base }, DataType::Bytes) = (class, &data_type) {
        let slots = attribute.values.bytes.chunks_exact(SLOT_SIZE);
        let lists = slots.map(|slot| {
            let content = attribute
                .values
                .slot_content(Slot::read(slot), base.atomic_size());
            let mut list = Values::default();
            list.push_heap(0, content.unwrap_or_default());
            fill_value::write(&list, &data_type)
        });
        return Some(Json::Array(lists.collect()));
    }
    let packed = Packing::of(schema, attribute.ty).pack(&attribute.values.bytes);
    let elements = || packed.chunks_exact(data_type.size().unwrap_or(1).max(1));
    let plain = |element: &[u8]| fill_value::write(&Values::from_bytes(element.to_vec()), &data_type);
    let json = Json::Array(elements().map(plain).collect());
    let bytes = |element: &[u8]| fill_value::write(&Values::from_bytes(element.to_vec()), &DataType::Raw(0));
    Some(match is_in_proportion(packed.len(), json.to_string().len()) {
        true => json,
        false => Json::Array(elements().map(bytes).collect()),
    })
}

/// The elements of an attribute of this type, and their number. `text` is its value in JSON.
pub fn read(text: &str, schema: &Schema, ty: Type) -> Option<(usize, Values)> {
    let json = Json::parse(text.as_bytes()).ok()?;
    let list = json.as_array()?;
    let Type::User(id) = ty else { return None };
    let size = schema.type_size(ty).checked_mul(list.len())?;
    // This bounds the type as well, whose fields are as many as its bytes at most.
    if list.is_empty() || !is_in_proportion(size, text.len()) {
        return list.is_empty().then(|| (0, Values::default()));
    }
    let data_type = DataType::of(schema, ty).ok()?;
    let mut all = Values::default();
    for element in list {
        let value = fill_value::read(element, &data_type).ok()?;
        match (&schema.user_type(id).class, &data_type) {
            (TypeClass::Vlen { base }, DataType::Bytes) => {
                let size = base.atomic_size();
                if !value.heap.len().is_multiple_of(size) {
                    return None;
                }
                let slot = all.push_heap((value.heap.len() / size) as u64, &value.heap);
                all.bytes.extend_from_slice(&slot.to_bytes());
            }
            _ => all.bytes.extend_from_slice(&value.bytes),
        }
    }
    Some((list.len(), all))
}

fn is_in_proportion(bytes: usize, characters: usize) -> bool {
    bytes <= characters.saturating_mul(MOST_PER_CHARACTER)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Field, Kind, UserType};

    fn made(class: TypeClass) -> (Schema, Type) {
        let mut schema = Schema::new(Kind::Zarr3);
        let id = schema.add_type(UserType {
            name: "t".to_owned(),
            group: Schema::ROOT,
            class,
        });
        (schema, Type::User(id))
    }

    fn compound(dims: Vec<usize>) -> (Schema, Type) {
        let size = 2 + dims.iter().product::<usize>();
        let field = |name: &str, offset, ty, dims| Field {
            name: name.to_owned(),
            offset,
            ty,
            dims,
        };
        let fields = vec![
            field("a", 0, Type::Short, Vec::new()),
            field("t", 2, Type::Char, dims),
        ];
        made(TypeClass::Compound { size, fields })
    }

    fn attribute(ty: Type, length: usize, values: Values) -> Attribute {
        Attribute {
            name: "x".to_owned(),
            ty,
            length,
            values,
        }
    }

    #[test]
    fn elements_come_back() {
        let (schema, ty) = compound(vec![3]);
        let values = Values::from_bytes(b"\x05\0ab\0\xff\xffxyz".to_vec());
        let json = write(&schema, &attribute(ty, 2, values.clone()))
            .unwrap()
            .to_string();
        assert_eq!(json, r#"[{"a": 5, "t": "YWI="},{"a": -1, "t": "eHl6"}]"#);
        assert_eq!(read(&json, &schema, ty), Some((2, values)));

        let (schema, ty) = made(TypeClass::Vlen { base: Type::Short });
        let mut values = Values::default();
        for list in [&b"\x01\0\x02\0"[..], b""] {
            let slot = values.push_heap(list.len() as u64 / 2, list);
            values.bytes.extend_from_slice(&slot.to_bytes());
        }
        let json = write(&schema, &attribute(ty, 2, values.clone()))
            .unwrap()
            .to_string();
        assert_eq!(json, r#"["AQACAA==",""]"#);
        assert_eq!(read(&json, &schema, ty), Some((2, values)));
        assert_eq!(read(r#"["AQAC"]"#, &schema, ty), None);
        assert_eq!(read("[]", &schema, ty), Some((0, Values::default())));
    }

    #[test]
    fn a_short_text_makes_no_large_attribute() {
        let (schema, ty) = compound(vec![100_000]);
        assert_eq!(read(r#"[{"a":5,"t":""}]"#, &schema, ty), None);
        let mut bytes = vec![0; 100_002];
        bytes[0] = 5;
        let values = Values::from_bytes(bytes);
        let json = write(&schema, &attribute(ty, 1, values.clone()))
            .unwrap()
            .to_string();
        assert_eq!(read(&json, &schema, ty), Some((1, values)));
    }
}
