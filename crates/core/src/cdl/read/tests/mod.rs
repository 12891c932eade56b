//! Texts, and what is declared in them.

mod declarations;
mod errors;
mod limits;
mod several;
mod sizes_in_c;
mod too_many;
mod written_chunks;

use std::fmt::Write as _;
use std::path::PathBuf;
use std::sync::Arc;

use super::declaration::declared::{Declared, declare};
use super::syntax::text::Text;
use crate::Diagnostic;
use crate::error::Result;
use crate::model::{GroupId, Schema, Type, TypeClass};

fn read(bytes: &[u8]) -> Result<Declared> {
    declare(&Text::new(Arc::new(bytes.to_vec()), "a.cdl").unwrap())
}

fn declared(body: &str) -> Declared {
    read(format!("netcdf a {{\n{body}\n}}\n").as_bytes()).unwrap_or_else(|e| panic!("{body}\n{e}"))
}

/// The message without the name of the text; lines count from the one behind `netcdf a {`.
fn error(body: &str) -> String {
    let error = read(format!("netcdf a {{{body}\n}}\n").as_bytes()).err();
    let message = error.unwrap_or_else(|| panic!("taken: {body}")).to_string();
    message.strip_prefix("a.cdl:").unwrap().to_owned()
}

/// Asserts that `body` is wrong where `mark` stands, and why.
#[track_caller]
fn wrong(body: &str, why: &str) {
    let at = body.find('‹').expect("a mark");
    let body = body.replacen('‹', "", 1);
    let line = body[..at].matches('\n').count();
    let in_line = body[..at].rsplit('\n').next().unwrap();
    let column = in_line.chars().count() + 1 + if line == 0 { "netcdf a {".len() } else { 0 };
    let message = error(&body);
    let first = message.lines().next().unwrap();
    assert_eq!(first, format!("{}:{column}: {why}", line + 1), "{body}");
}

fn type_name(schema: &Schema, ty: Type) -> String {
    match ty {
        Type::User(id) => {
            let ty = schema.user_type(id);
            format!("{}:{}", schema.group_path(ty.group), ty.name)
        }
        atomic => atomic.cdl_name().unwrap().to_owned(),
    }
}

/// Everything that a schema says, but the values of attributes.
fn outline(schema: &Schema) -> String {
    let mut out = String::new();
    for (n, group) in schema.groups.iter().enumerate() {
        let path = schema.group_path(GroupId(n));
        writeln!(out, "group {path}").unwrap();
        for id in &group.types {
            let ty = schema.user_type(*id);
            write!(out, "  type {}: ", ty.name).unwrap();
            match &ty.class {
                TypeClass::Opaque { size } => writeln!(out, "opaque {size}").unwrap(),
                TypeClass::Vlen { base } => writeln!(out, "vlen {}", type_name(schema, *base)).unwrap(),
                TypeClass::Enum { base, members } => {
                    writeln!(out, "enum {} {members:?}", type_name(schema, *base)).unwrap();
                }
                TypeClass::Compound { size, fields } => {
                    write!(out, "compound {size}").unwrap();
                    for f in fields {
                        let ty = type_name(schema, f.ty);
                        write!(out, ", {} {ty} {:?} at {}", f.name, f.dims, f.offset).unwrap();
                    }
                    out.push('\n');
                }
            }
        }
        for id in &group.dims {
            let dim = schema.dim(*id);
            let unlimited = if dim.unlimited {
                "unlimited".to_owned()
            } else {
                dim.length.to_string()
            };
            writeln!(out, "  dim {} {unlimited}", dim.name).unwrap();
        }
        for id in &group.vars {
            let var = schema.var(*id);
            write!(out, "  var {} {}", var.name, type_name(schema, var.ty)).unwrap();
            for id in &var.dims {
                let dim = schema.dim(*id);
                write!(out, " {}:{}", schema.group_path(dim.group), dim.name).unwrap();
            }
            out.push('\n');
            for a in &var.attributes {
                writeln!(out, "    {} {}", type_name(schema, a.ty), a.name).unwrap();
            }
        }
        for a in &group.attributes {
            writeln!(out, "  att {} {}", type_name(schema, a.ty), a.name).unwrap();
        }
    }
    out
}

#[track_caller]
fn says(body: &str, expected: &str) {
    let lines: Vec<&str> = expected
        .lines()
        .map(str::trim)
        .filter(|l| !l.is_empty())
        .collect();
    let outline = outline(&declared(body).schema);
    let found: Vec<&str> = outline.lines().map(str::trim).collect();
    assert_eq!(found, lines, "{body}");
}

fn corpus() -> Option<PathBuf> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus/cdl");
    path.is_dir().then_some(path)
}

#[test]
fn corpus_prints_as_it_is_declared() {
    // Dumps of other schemas than that of the text.
    const OTHERS: [&str; 4] = [
        "ref_tst_special_atts3",
        "ref_tst_unlim2",
        "ref_tst_chardata",
        // netcdf-c takes the types of 4 bytes for each other when it reads them.
        "ref_typescope",
    ];
    let Some(corpus) = corpus() else { return };
    for entry in std::fs::read_dir(&corpus).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|e| e != "cdl") {
            continue;
        }
        let declared = read(&std::fs::read(&path).unwrap()).unwrap_or_else(|e| panic!("{path:?}: {e}"));
        // Some lists are shorter than their variables.
        let other = |warning: &&Diagnostic| !warning.what.starts_with("too few ");
        assert_eq!(declared.warnings.iter().find(other), None, "{path:?}");
        let name = path.file_stem().unwrap().to_str().unwrap();
        if OTHERS.contains(&name) {
            continue;
        }
        let dump = corpus.join("expected").join(format!("{name}.dmp"));
        let Ok(dump) = std::fs::read(dump) else { continue };
        let dumped = read(&dump).unwrap_or_else(|e| panic!("{name}.dmp: {e}"));
        assert_eq!(outline(&declared.schema), outline(&dumped.schema), "{name}");
    }
}
