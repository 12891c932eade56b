//! Attributes of a DMR.

use super::dmr_types::atomic;
use super::element::Element;
use crate::model::{Attribute, Attributes, Type, Values};

/// Names of attributes that are netCDF's own, and no attributes of the dataset.
const OWN: [&str; 4] = [
    "_NCProperties",
    "_NCCopyright",
    "_DAP4_Checksum_CRC32",
    "_DAP4_Little_Endian",
];

/// The attributes of a variable or group. Each that cannot be read is a line in `warnings`.
pub fn attributes(element: &Element, path: &str, warnings: &mut Vec<String>) -> Attributes {
    let mut all = Vec::new();
    collect(element, "", &mut all);
    let mut found = Vec::new();
    let mut names = std::collections::HashSet::new();
    for (name, element) in all {
        if OWN.contains(&name.as_str()) || name.starts_with("_edu.ucar.") || !names.insert(name.clone()) {
            continue;
        }
        match attribute(&name, element) {
            Ok(attribute) => found.push(attribute),
            Err(why) => warnings.push(format!(
                "attribute {path}:{}: left out: {why}",
                name.escape_debug()
            )),
        }
    }
    found.into()
}

/// Attributes with their names; those of a container have its name in front, unless it is that of the dataset.
fn collect<'a>(element: &'a Element, front: &str, all: &mut Vec<(String, &'a Element)>) {
    for child in element.children_of("Attribute") {
        let own = child.attribute("name").unwrap_or_default();
        let name = match front {
            "" => own.to_owned(),
            front => format!("{front}.{own}"),
        };
        match child.attribute("type") {
            Some("Container") if front.is_empty() && own.to_ascii_lowercase().ends_with("global") => {
                collect(child, "", all);
            }
            Some("Container") => collect(child, &name, all),
            _ => all.push((name.replace('/', "%2f"), child)),
        }
    }
}

fn attribute(name: &str, element: &Element) -> Result<Attribute, String> {
    let kind = element.attribute("type").unwrap_or("String");
    let ty = match kind {
        "OtherXML" => Type::String,
        kind => atomic(kind).ok_or_else(|| format!("the type {} is not read", kind.escape_debug()))?,
    };
    if name.is_empty() {
        return Err("it has no name".to_owned());
    }
    // A value stands in the element, or in its attribute.
    let texts: Vec<&str> = element
        .children_of("Value")
        .map(|value| value.attribute("value").unwrap_or(&value.text))
        .collect();
    let values = match ty {
        Type::String => Values::from_strings(texts.iter().map(|text| Some(text.as_bytes()))),
        Type::Char => Values::from_bytes(texts.concat().into_bytes()),
        _ => {
            let mut bytes = Vec::new();
            for text in &texts {
                number(ty, text.trim(), &mut bytes)
                    .ok_or_else(|| format!("'{}' is no {kind}", text.escape_debug()))?;
            }
            Values::from_bytes(bytes)
        }
    };
    Ok(Attribute {
        name: name.to_owned(),
        ty,
        length: values.bytes.len() / ty.atomic_size(),
        values,
    })
}

/// Adds the bytes of a number. `None` for text that is none.
fn number(ty: Type, text: &str, bytes: &mut Vec<u8>) -> Option<()> {
    let (least, most): (i128, i128) = match ty {
        Type::Float => {
            bytes.extend_from_slice(&text.parse::<f32>().ok()?.to_le_bytes());
            return Some(());
        }
        Type::Double => {
            bytes.extend_from_slice(&text.parse::<f64>().ok()?.to_le_bytes());
            return Some(());
        }
        Type::Byte => (i8::MIN.into(), i8::MAX.into()),
        Type::UByte => (0, u8::MAX.into()),
        Type::Short => (i16::MIN.into(), i16::MAX.into()),
        Type::UShort => (0, u16::MAX.into()),
        Type::Int => (i32::MIN.into(), i32::MAX.into()),
        Type::UInt => (0, u32::MAX.into()),
        Type::Int64 => (i64::MIN.into(), i64::MAX.into()),
        Type::UInt64 => (0, u64::MAX.into()),
        Type::Char | Type::String | Type::User(_) => return None,
    };
    let whole: i128 = text.parse().ok()?;
    if whole < least || whole > most {
        return None;
    }
    bytes.extend_from_slice(&whole.to_le_bytes()[..ty.atomic_size()]);
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_typed() {
        let xml = r#"<V>
            <Attribute name="f" type="Float32"><Value>1.5</Value><Value value="-2"/></Attribute>
            <Attribute name="b" type="UInt8"><Value>256</Value></Attribute>
            <Attribute name="NC_GLOBAL" type="Container"><Attribute name="t" type="String"><Value>a &lt; b</Value></Attribute></Attribute>
            <Attribute name="C" type="Container"><Attribute name="d" type="Int64"><Value>-9</Value></Attribute></Attribute>
            <Attribute name="_NCProperties" type="String"><Value>x</Value></Attribute>
        </V>"#;
        let mut warnings = Vec::new();
        let found = attributes(&Element::parse(xml).unwrap(), "/v", &mut warnings);
        let names: Vec<_> = found.iter().map(|a| (a.name.as_str(), a.ty, a.length)).collect();
        assert_eq!(
            names,
            [
                ("f", Type::Float, 2),
                ("t", Type::String, 1),
                ("C.d", Type::Int64, 1)
            ]
        );
        assert_eq!(found[1].values.string(0), Some(&b"a < b"[..]));
        assert_eq!(warnings, ["attribute /v:b: left out: '256' is no UInt8"]);
    }
}
