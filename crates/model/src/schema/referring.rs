//! Attributes of the CF conventions that name variables and dimensions.

use crate::{Attribute, SLOT_SIZE, Type};

/// An attribute whose text names variables or dimensions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Referring {
    /// Its name.
    pub attribute: &'static str,
    words: NameWords,
    /// True if it names variables, which a variable with this attribute cannot be understood without.
    pub names_variables: bool,
}

/// The words of a text that are names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum NameWords {
    /// Those that end in a colon: `time: mean`.
    Keys,
    /// The others: `area: areacella`.
    Values,
    /// All: `crs: lat lon`.
    All,
}

/// The attributes of CF 1.11, appendix A.
const ALL: [Referring; 17] = [
    variables("ancillary_variables", NameWords::Values),
    variables("bounds", NameWords::Values),
    variables("cell_measures", NameWords::Values),
    dimensions("cell_methods", NameWords::Keys),
    variables("climatology", NameWords::Values),
    dimensions("compress", NameWords::Values),
    variables("coordinates", NameWords::Values),
    variables("formula_terms", NameWords::Values),
    variables("geometry", NameWords::Values),
    variables("grid_mapping", NameWords::All),
    dimensions("instance_dimension", NameWords::Values),
    variables("interior_ring", NameWords::Values),
    variables("node_coordinates", NameWords::Values),
    variables("node_count", NameWords::Values),
    variables("nodes", NameWords::Values),
    variables("part_node_count", NameWords::Values),
    dimensions("sample_dimension", NameWords::Values),
];

const fn variables(attribute: &'static str, words: NameWords) -> Referring {
    Referring {
        attribute,
        words,
        names_variables: true,
    }
}

const fn dimensions(attribute: &'static str, words: NameWords) -> Referring {
    Referring {
        attribute,
        words,
        names_variables: false,
    }
}

impl Referring {
    /// The attribute of this name, if it is one of these.
    pub fn named(attribute: &str) -> Option<Self> {
        ALL.into_iter().find(|known| known.attribute == attribute)
    }

    /// The name that a word of the text is, without its colon; `None` for a word that is none.
    pub fn name_in<'t>(&self, word: &'t str) -> Option<&'t str> {
        let key = word.strip_suffix(':');
        match self.words {
            NameWords::Keys => key,
            NameWords::Values if key.is_some() => None,
            NameWords::Values | NameWords::All => Some(key.unwrap_or(word)),
        }
    }
}

impl Attribute {
    /// The texts of an attribute: one of `Char`, or those of `String` that are there. Text that is not UTF-8 is left out.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        let values = &self.values;
        let whole = (self.ty == Type::Char).then_some(&*values.bytes);
        let count = match self.ty {
            Type::String => self.length.min(values.bytes.len() / SLOT_SIZE),
            _ => 0,
        };
        let strings = (0..count).filter_map(|at| values.string(at * SLOT_SIZE));
        whole
            .into_iter()
            .chain(strings)
            .filter_map(|text| std::str::from_utf8(text).ok())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_keys_values_or_both() {
        let names = |attribute: &str, text: &'static str| -> Vec<&str> {
            let referring = Referring::named(attribute).unwrap();
            text.split(' ')
                .filter_map(|word| referring.name_in(word))
                .collect()
        };
        assert_eq!(names("cell_measures", "area: a volume: v"), ["a", "v"]);
        assert_eq!(names("cell_methods", "time: mean"), ["time"]);
        assert_eq!(
            names("grid_mapping", "crs: x y other: lat"),
            ["crs", "x", "y", "other", "lat"]
        );
        assert_eq!(names("grid_mapping", "crs"), ["crs"]);
        assert_eq!(Referring::named("units"), None);
    }
}
