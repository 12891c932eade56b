//! Random datasets, written as text and read back.

mod dataset;
mod same;
mod values;

use std::sync::Arc;

use proptest::prelude::*;

use super::read::{CdlReader, Text, declare};
use crate::format::Reader;
use crate::print::cdl::dump;
use crate::print::{DumpOptions, Precision};
use dataset::{build, netcdf4_recipes, recipes};
use same::spelled_out;

fn text(reader: &dyn Reader, exact: bool) -> Vec<u8> {
    let options = DumpOptions {
        precision: Precision {
            exact,
            ..Precision::default()
        },
        ..DumpOptions::default()
    };
    let mut out = Vec::new();
    dump(reader, "random", &options, &mut out).unwrap();
    out
}

fn read(bytes: Vec<u8>) -> Result<CdlReader, TestCaseError> {
    let shown = String::from_utf8_lossy(&bytes).into_owned();
    let failed = |e: crate::Error| TestCaseError::fail(format!("{e}\n{shown}"));
    let text = Text::new(Arc::new(bytes), "random").map_err(failed)?;
    let declared = declare(&text).map_err(failed)?;
    let reader = CdlReader::new(text, declared).map_err(failed)?;
    reader.check().map_err(failed)?;
    Ok(reader)
}

fn lossy(text: Vec<u8>) -> String {
    String::from_utf8_lossy(&text).into_owned()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn exact_text_loses_nothing(recipe in recipes()) {
        let dataset = build(&recipe);
        let text = text(&dataset, true);
        let back = read(text.clone())?;
        prop_assert_eq!(spelled_out(&back), spelled_out(&dataset), "{}", lossy(text));
    }

    #[test]
    fn text_is_a_fixed_point(recipe in netcdf4_recipes()) {
        let first = text(&build(&recipe), false);
        let second = text(&read(first.clone())?, false);
        prop_assert_eq!(lossy(second), lossy(first));
    }

    #[test]
    fn json_is_json(recipe in recipes()) {
        let mut out = Vec::new();
        crate::print::json::dump(&build(&recipe), &DumpOptions::default(), &mut out).unwrap();
        let _: serde_json::Value = serde_json::from_slice(&out).unwrap();
    }
}
