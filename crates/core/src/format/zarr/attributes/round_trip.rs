//! Random attributes through JSON text and back.

use proptest::prelude::*;

use super::super::flavor::Flavor;
use super::super::json::any_json;
use super::elements::Elements;
use super::*;
use crate::model::{Attribute, Attributes, SLOT_SIZE, Values};

const NUMBERS: [Type; 10] = [
    Type::Byte,
    Type::UByte,
    Type::Short,
    Type::UShort,
    Type::Int,
    Type::UInt,
    Type::Int64,
    Type::UInt64,
    Type::Float,
    Type::Double,
];

/// Any text; often one that looks like JSON.
fn any_text() -> impl Strategy<Value = String> {
    prop_oneof![
        any::<String>(),
        "[\\[\\]{}\", :0-9a-cnul\\\\]{0,12}",
        any_json().prop_map(|json| json.to_string()),
    ]
}

fn any_elements() -> impl Strategy<Value = Elements> {
    let numbers = (0..NUMBERS.len(), prop::collection::vec(any::<u64>(), 0..4)).prop_map(|(at, words)| {
        let ty = NUMBERS[at];
        let element = |word: &u64| {
            // Which NaN it is does not survive.
            let word = match ty {
                Type::Float if f32::from_bits(*word as u32).is_nan() => f32::NAN.to_bits().into(),
                Type::Double if f64::from_bits(*word).is_nan() => f64::NAN.to_bits(),
                _ => *word,
            };
            word.to_le_bytes()[..ty.atomic_size()].to_vec()
        };
        Elements {
            ty,
            length: words.len(),
            values: Values::from_bytes(words.iter().flat_map(element).collect()),
        }
    });
    let strings = prop::collection::vec(any_text(), 0..4).prop_map(|texts| Elements {
        ty: Type::String,
        length: texts.len(),
        values: Values::from_strings(texts.iter().map(|text| Some(text.as_bytes()))),
    });
    prop_oneof![
        numbers,
        any_text().prop_map(|text| Elements::chars(&text)),
        strings
    ]
}

fn any_attributes() -> impl Strategy<Value = Vec<Attribute>> {
    let name = "[a-zA-Z_é][ -.0-~]{0,6}".prop_filter("reserved", |name| !super::names::is_reserved(name));
    prop::collection::btree_map(name, any_elements(), 0..6).prop_map(|map| {
        (map.into_iter())
            .map(|(name, elements)| elements.named(&name))
            .collect()
    })
}

/// Writes attributes as text, and reads them back.
fn through_text(attributes: &[Attribute], flavor: Flavor) -> (Vec<Attribute>, Vec<String>) {
    let mut warnings = vec![];
    let written = write(attributes, flavor, "variable v", &mut warnings).unwrap();
    let types: Json = written
        .types
        .into_iter()
        .map(|(name, ty)| (name, Json::String(ty)))
        .collect();
    let mut members = written.members;
    if flavor.is_nczarr() {
        let types = Json::from_iter([("types", types)]);
        members.push(("_nczarr_attr".to_owned(), types));
    }
    let text = Json::Object(members).to_string();
    let json = Json::parse_spelled(text.as_bytes()).unwrap();
    let members = json.as_object().unwrap();
    let found = read(members, type_map(members), None, "variable v", &mut warnings);
    (found.attributes, warnings)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn nczarr_holds_any_attribute(attributes in any_attributes()) {
        let (read, warnings) = through_text(&attributes, Flavor::Nczarr);
        // netCDF-C reads an empty text as one NUL, and so is it read here.
        let as_read = |attribute: Attribute| match (attribute.ty, attribute.length) {
            (Type::Char, 0) => Elements::chars("\0").named(&attribute.name),
            _ => attribute,
        };
        let attributes: Vec<Attribute> = attributes.into_iter().map(as_read).collect();
        prop_assert_eq!(read, attributes);
        prop_assert_eq!(warnings, Vec::<String>::new());
    }

    #[test]
    fn pure_zarr_holds_text_and_ints_and_doubles(attributes in any_attributes()) {
        let (read, warnings) = through_text(&attributes, Flavor::Zarr);
        prop_assert_eq!(warnings, Vec::<String>::new());
        for (read, given) in read.iter().zip(&attributes) {
            match given.ty {
                Type::Char => prop_assert_eq!(read, given),
                Type::Int | Type::Double if given.length > 0 => prop_assert_eq!(read, given),
                Type::String if given.length == 1 => {
                    prop_assert_eq!(read.ty, Type::Char);
                    prop_assert_eq!(Some(&read.values.bytes[..]), given.values.string(0));
                }
                Type::Float if given.length > 0 => prop_assert_eq!(read.ty, Type::Double),
                _ => {}
            }
        }
        // What changed does so only once.
        prop_assert_eq!(&through_text(&read, Flavor::Zarr).0, &read);
    }

    #[test]
    fn any_json_is_read_with_any_types(members in any_json(), types in any_json()) {
        let mut warnings = vec![];
        if let Some(members) = members.as_object() {
            let found = read(members, Some(&types), Some(Type::Float), "variable v", &mut warnings);
            for attribute in found.attributes {
                prop_assert_eq!(attribute.values.bytes.len(), attribute.length * attribute.ty.atomic_size());
            }
        }
    }

    #[test]
    fn json_stays_as_it_is_in_pure_zarr(json in any_json()) {
        let read = infer::infer(&json);
        let written = write(&[read.clone().named("a")], Flavor::Zarr, "variable v", &mut vec![]).unwrap();
        // A boolean comes back as an int, and NULs behind text are lost.
        let ends_in_nul = read.ty == Type::Char && read.values.bytes.last() == Some(&0);
        if read.ty != Type::UByte && !ends_in_nul {
            prop_assert_eq!(&infer::infer(&written.members[0].1), &read);
        }
        let attribute = read.named("a");
        let spelling = kept_json::spelling(&json, &attribute).map(|text| ("a".to_owned(), text));
        let attributes = Attributes::from(vec![attribute]).with_json(spelling.into_iter().collect());
        let mut members = written.members;
        restore_json(&attributes, &mut members);
        prop_assert_eq!(members[0].1.to_string(), json.to_string());
    }
}

#[test]
fn nil_and_the_empty_string_are_one() {
    let values = Values::from_strings([None, Some(&b""[..])]);
    let given = Elements {
        ty: Type::String,
        length: values.bytes.len() / SLOT_SIZE,
        values,
    };
    let (read, _) = through_text(&[given.named("a")], Flavor::Nczarr);
    let strings = [0, SLOT_SIZE].map(|at| read[0].values.string(at).map(<[u8]>::len));
    assert_eq!(strings, [Some(0), Some(0)]);
}
