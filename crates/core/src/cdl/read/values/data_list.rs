//! The data list of a variable: its position in the text, its length, and an index of its elements.
//!
//! The first pass counts the values without parsing them. About every 4 KiB of text it records which element is there,
//! so that the second pass can begin near any element.
//!
//! ```text
//! v = 1.5, 2.5, 3.5, … 1200.5, 1201.5, … ;        index: (text 4, element 0), (text 4101, element 614), …
//! ```
//!
//! Along an unlimited dimension other than the first, lists are in braces. The dimensions therefore form levels. Each
//! level but the first begins with an unlimited dimension:
//!
//! ```text
//! v(d, u) = {1, 2}, {3} ;        level 0: d, level 1: u. u has two elements, and v is 1 2 3 _
//! ```

use crate::chunk::Region;
use crate::error::Result;
use crate::model::{DimId, Schema, VarId};

use super::entry::ListEntry;
use super::given::Given;
use super::levels::Levels;
use super::measure::Measure;
use super::miscount::Miscount;
use crate::cdl::read::syntax::text::Cursor;

/// A data statement, as the first pass finds it.
#[derive(Debug, Clone)]
pub struct DataList {
    pub(crate) lengths: Vec<(DimId, u64)>,
    /// The variable's own lengths. An unlimited dimension is only as long as this list.
    pub(crate) extent: Vec<u64>,
    /// Position of the text after `=`. `end` is before the `;`, or before the comma after the last item that fits.
    pub(crate) start: u64,
    pub(crate) end: u64,
    /// The first dimension of each level, as an index into the variable's dimensions.
    pub(crate) levels: Vec<usize>,
    /// Positions of elements in the text, ascending.
    pub(crate) index: Vec<ListEntry>,
    /// True if the list has no value.
    pub(crate) empty: bool,
    /// The values that do not fit and are left out, or those that are missing.
    pub(crate) miscount: Option<Miscount>,
    given: Given,
}

impl DataList {
    /// Counts the values of a list (the first pass). `cursor` is after the `=`, and is left on the `;`. `schema` holds
    /// the variable, its type and its dimensions; the lengths of unlimited dimensions are not used.
    ///
    /// # Errors
    /// Several values for a scalar, unbalanced braces, or a list without end.
    pub fn measure(cursor: &mut Cursor, schema: &Schema, var: VarId) -> Result<Self> {
        let levels = Levels::new(schema, var);
        let start = cursor.at();
        let measured = Measure::new(schema, var, &levels, start).run(cursor)?;
        let dims = &schema.var(var).dims;
        let mut extent: Vec<u64> = dims.iter().map(|d| schema.dim(*d).length).collect();
        let mut lengths = Vec::new();
        for (level, at) in levels.starts.iter().enumerate() {
            if let Some(dim) = dims.get(*at).filter(|d| schema.dim(**d).unlimited) {
                extent[*at] = measured.longest[level].div_ceil(levels.inner[level].max(1));
                lengths.push((*dim, extent[*at]));
            }
        }
        let all = extent.iter().try_fold(1u64, |n, d| n.checked_mul(*d));
        if all.is_none_or(|n| n > i64::MAX as u64) {
            let name = &schema.var(var).name;
            let what = format!("variable '{name}' would have more than 2^63 elements");
            return Err(cursor.text().error(start, what));
        }
        let mut list = Self {
            lengths,
            extent,
            start,
            end: measured.cut.unwrap_or(cursor.at()),
            levels: levels.starts,
            index: Vec::new(),
            empty: measured.empty,
            miscount: measured.miscount,
            given: measured.given,
        };
        let depth = list.levels.len();
        let sizes = list.level_sizes();
        list.index = measured
            .places
            .chunks_exact(1 + depth)
            .map(|entry| ListEntry {
                place: entry[0],
                element: entry[1..]
                    .iter()
                    .zip(&sizes)
                    .fold(0u64, |n, (at, size)| n.saturating_mul(*size).saturating_add(*at)),
            })
            .collect();
        Ok(list)
    }

    /// The minimum lengths, in elements, of the variable's unlimited dimensions.
    pub fn lengths(&self) -> &[(DimId, u64)] {
        &self.lengths
    }

    /// Regions of the variable's own extent that together contain all elements given by the list.
    pub(crate) fn given(&self) -> Vec<Region> {
        self.given.regions(&self.extent, &self.levels)
    }

    /// Number of elements of each level.
    pub(crate) fn level_sizes(&self) -> Vec<u64> {
        let ends = self.levels.iter().skip(1).copied().chain([self.extent.len()]);
        self.levels
            .iter()
            .zip(ends)
            .map(|(start, end)| self.extent[*start..end].iter().product())
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cdl::read::syntax::text::Text;
    use crate::cdl::read::values::miscount::Amount;
    use crate::model::{Dimension, Kind, Type, TypeClass, UserType, Variable};
    use std::sync::Arc;

    /// A variable of type `ty` whose dimensions have these lengths, 0 being unlimited.
    pub fn schema(ty: Type, lengths: &[u64]) -> Schema {
        let mut schema = Schema::new(Kind::Netcdf4);
        for (n, length) in lengths.iter().enumerate() {
            schema.add_dim(Dimension {
                name: format!("d{n}"),
                group: Schema::ROOT,
                length: *length,
                unlimited: *length == 0,
            });
        }
        schema.add_var(Variable {
            name: "v".into(),
            group: Schema::ROOT,
            ty,
            dims: (0..lengths.len()).map(DimId).collect(),
            attributes: Vec::new().into(),
        });
        schema
    }

    fn measure(ty: Type, lengths: &[u64], spelled: &str) -> Result<DataList, String> {
        let mut schema = schema(ty, lengths);
        schema.add_type(UserType {
            name: "t".into(),
            group: Schema::ROOT,
            class: TypeClass::Vlen { base: Type::Int },
        });
        let text = Text::new(Arc::new(spelled.as_bytes().to_vec()), "a.cdl").unwrap();
        let mut cursor = text.cursor(0);
        let list = DataList::measure(&mut cursor, &schema, VarId(0));
        let list = list.map_err(|e| e.to_string())?;
        assert_eq!(cursor.peek().unwrap(), Some(b';'));
        let is_cut = |found: &Miscount| matches!(found.amount, Amount::LeftOut(_));
        if !list.miscount.as_ref().is_some_and(is_cut) {
            assert_eq!(list.end, cursor.at());
        }
        Ok(list)
    }

    #[track_caller]
    fn extent(ty: Type, lengths: &[u64], spelled: &str, expected: &[u64]) {
        assert_eq!(
            measure(ty, lengths, spelled).unwrap().extent,
            expected,
            "{spelled}"
        );
    }

    #[test]
    fn numbers_are_counted() {
        use Type::Int;
        extent(Int, &[0], " 1, 2, 3 ;", &[3]);
        extent(Int, &[0], ";", &[0]);
        extent(Int, &[0], " // 1, 2;\n /* , ; */ ;", &[0]);
        extent(Int, &[0], " 1 /* , */, // , \n 2;", &[2]);
        extent(Int, &[0, 2], "1,2,3;", &[2, 2]);
        extent(Int, &[4], "1,2;", &[4]);
        extent(Int, &[], "1;", &[]);
        extent(Int, &[0], "\",;\", ',', '\\'', ''', \"\\\",\";", &[5]);
        extent(Int, &[0, 0], "{1, 2}, {3}, {};", &[3, 2]);
        extent(Int, &[2, 0], "{1, 2}, {3};", &[2, 2]);
        extent(Int, &[2, 0], "{1, 2}, _;", &[2, 2]);
        extent(
            Int,
            &[0, 2, 0, 2],
            "{1, 2, 3}, {1,2}, {1,2,3,4,5};",
            &[2, 2, 3, 2],
        );
        extent(Int, &[0, 0, 0], "{{1}, {2, 3}}, {{}, {}, {4}};", &[2, 3, 2]);
        extent(
            Type::User(crate::model::TypeId(0)),
            &[0],
            "{1, {2, 3}}, {}, _;",
            &[3],
        );
    }

    #[test]
    fn characters_are_counted() {
        use Type::Char;
        extent(Char, &[0], "\"a\", \"b\";", &[2]);
        extent(Char, &[0], "\"\\101\\x41\\n\\0b\\\"\";", &[6]);
        extent(Char, &[0], "\"ab\", \"\", 'c', 'd';", &[5]);
        extent(Char, &[0, 2], "\"x\", \"abc\", 'a', 'b', 'c', \"\";", &[6, 2]);
        extent(Char, &[0, 1], "\"x1\", \"zzzz\";", &[6, 1]);
        extent(
            Char,
            &[0, 3, 3],
            "\"1\", \"two\", \"3\", \"4\", \"5\", \"six\";",
            &[2, 3, 3],
        );
        extent(Char, &[0, 2, 0], "{\"a\",\"def\"},{\"xy\"};", &[1, 2, 4]);
        extent(
            Char,
            &[0, 0, 0],
            "{{\"1\", \"two\"}}, {{\"three\"},{\"four\",\"xy\"}};",
            &[2, 2, 6],
        );
        extent(Char, &[3, 4], "{\"ab\"},{\"cd\",\"e\"};", &[3, 4]);
        extent(Char, &[0], "_, 65b;", &[2]);
        extent(Char, &[0], ";", &[0]);
    }

    #[test]
    fn what_is_missing_is_counted() {
        let vlen = Type::User(crate::model::TypeId(0));
        for (ty, lengths, spelled, missing) in [
            (Type::Int, &[3][..], "1, 2;", Some((3, 1))),
            (Type::Int, &[3], "1, 2, _;", None),
            (Type::Int, &[3], ";", None),
            (Type::Int, &[2, 3], "1;", Some((6, 5))),
            (Type::Int, &[0], "1, 2;", None),
            (Type::Int, &[0, 3], "1, 2, 3;", None),
            (Type::Int, &[0, 3], "1, 2, 3, 4;", Some((6, 2))),
            (Type::Int, &[3, 0], "{1}, {};", Some((3, 1))),
            (Type::Int, &[0, 0], "{1, 2}, {};", None),
            (Type::String, &[3], "\"a\";", Some((3, 2))),
            (vlen, &[2], "{1, 2};", Some((2, 1))),
            (Type::Char, &[4], "\"a\";", None),
            (Type::Char, &[3, 4], "\"ab\", \"c\", \"\";", None),
            (Type::Char, &[3, 4], "\"ab\", \"c\";", Some((12, 7))),
            (Type::Char, &[0, 4], "\"ab\", \"c\";", None),
            (Type::Char, &[0, 2, 4], "\"ab\", \"c\", \"d\";", Some((16, 7))),
        ] {
            let list = measure(ty, lengths, spelled).unwrap();
            let at = spelled.len() as u64 - 1;
            let found = list.miscount.map(|found| (found.at, found.room, found.amount));
            let expected = missing.map(|(room, missing)| (at, room, Amount::Missing(missing)));
            assert_eq!(found, expected, "{spelled}");
        }
    }

    #[test]
    fn what_there_is_no_room_for_is_counted() {
        let long: String = (0..3000).map(|n| format!("{n}, ")).collect();
        for (ty, lengths, spelled, at, left_out) in [
            (Type::Int, &[2][..], "1, 2, 3;", 6, 1),
            (Type::Int, &[2, 2], "1, 2, 3, 4 /* , */ , 'a', \"b\", _ ;", 21, 3),
            (Type::Int, &[2, 0], "{1}, {2}, {3}, {}, {4, 5};", 10, 3),
            (Type::Char, &[3], "\"ab\", \"cd\";", 6, 1),
            (Type::Char, &[3], "'a', 'b', 'c', 'd', \"ef\";", 15, 3),
            (Type::Char, &[2, 3], "\"a\", \"b\", \"c\";", 10, 1),
            (Type::Char, &[2, 0], "{\"a\"}, {\"b\"}, {\"c\"};", 14, 1),
            (Type::Char, &[], "\"ab\";", 0, 1),
            (
                Type::User(crate::model::TypeId(0)),
                &[1],
                "{1, 2}, {3, 4}, _;",
                8,
                2,
            ),
            (Type::Int, &[1500], &(long + "1;"), 7890, 1501),
        ] {
            let list = measure(ty, lengths, spelled).unwrap();
            let excess = list.miscount.unwrap();
            assert_eq!(
                (excess.at, excess.amount),
                (at, Amount::LeftOut(left_out)),
                "{spelled}"
            );
            assert!(
                list.index.iter().all(|entry| entry.place().at <= list.end),
                "{spelled}"
            );
        }
        // The dimension is as long as in netCDF-C, including the values left out.
        extent(Type::Int, &[2, 0], "{1}, {2}, {3, 4};", &[2, 2]);
        let error = measure(Type::Int, &[], "1, 2;").unwrap_err();
        assert!(error.starts_with("a.cdl:1:4: too many values"), "{error}");
        for (ty, lengths, spelled, place) in [
            (Type::Int, &[3][..], "1, 2, 3\n d = 4, 5, 6;", "a.cdl:2:2:"),
            (Type::Int, &[], "1\n d = 4, 5;", "a.cdl:2:2:"),
            (Type::Char, &[3], "\"abc\"\n d = \"def\";", "a.cdl:2:2:"),
            (Type::Int, &[1, 0], "{1, 2} {3}, {4};", "a.cdl:1:8:"),
            (Type::Int, &[2], "1, 2, 3, 4\n d = 5;", "a.cdl:2:2:"),
            (Type::Char, &[2], "\"abc\"\n d = \"ef\";", "a.cdl:2:2:"),
        ] {
            let error = measure(ty, lengths, spelled).unwrap_err();
            assert!(
                error.starts_with(place) && error.contains("expected ','"),
                "{error}"
            );
        }
        let long: String = (0..2000).map(|n| format!("{n}, ")).collect();
        let error = measure(Type::Int, &[1500], &(long + "1 2;")).unwrap_err();
        assert!(
            error.contains("\n  ") && error.contains("expected ','"),
            "{error}"
        );
        let caret = error.lines().last().unwrap().find('^').unwrap();
        assert_eq!(&error.lines().nth(1).unwrap()[caret - 2..=caret], "1 2");
    }

    #[test]
    fn lists_that_are_wrong() {
        for (ty, lengths, spelled) in [
            (Type::Int, &[0][..], "1, 2"),
            (Type::Int, &[0], "{1, 2};"),
            (Type::Int, &[0], "1 };"),
            (Type::Int, &[0, 0], "{1, {2}};"),
            (Type::Int, &[0, 0], "{1;"),
            (Type::Char, &[0], "\"abc;"),
            (Type::Char, &[0], "{\"abc\";"),
            (Type::Int, &[0], "1 /* ;"),
            (Type::Int, &[2, 0], "1, 2;"),
            (Type::Int, &[2, 0], "{1}, 2;"),
            (Type::Int, &[0, 0, 0], "{1, 2}, {3};"),
            (Type::Int, &[2, 0], "_a;"),
            (Type::Char, &[2, 0], "\"ab\", \"c\";"),
            (Type::Char, &[2, 0], "'a';"),
            (Type::String, &[2, 0], "\"ab\";"),
        ] {
            assert!(measure(ty, lengths, spelled).is_err(), "{spelled}");
        }
        let deep = "{".repeat(1 << 20);
        let error = measure(Type::User(crate::model::TypeId(0)), &[0], &deep).unwrap_err();
        assert!(error.contains("deep"), "{error}");
    }

    #[test]
    fn the_index_names_elements() {
        let mut spelled = String::new();
        let mut places = Vec::new();
        for n in 0..5000 {
            places.push(spelled.len() as u64);
            spelled += &format!("{},{}", n * 7, if n % 11 == 0 { "\n   " } else { " " });
        }
        let list = measure(
            Type::Int,
            &[0],
            &(spelled.trim_end_matches([',', ' ', '\n']).to_owned() + ";"),
        )
        .unwrap();
        assert!(list.index.len() >= 6, "{}", list.index.len());
        for entry in &list.index {
            let at = entry.place().at;
            let place = places[entry.element as usize];
            assert!(at <= place && place - at < 5, "{entry:?}");
        }
    }
}
