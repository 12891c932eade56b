//! Digests of a dataset that do not depend on its format: `docs/formats/digest.md` defines them.
//!
//! ```text
//! Reader ─► stream: read and decode, all cores ─► canonical bytes, in order ─► SHA-256 ─► line
//! ```

use std::ops::Range;

use sha2::{Digest, Sha256};

use super::canonical::{attribute, canonical};
use crate::error::Result;
use crate::format::{Reader, Region};
use crate::integrity::chosen::chosen;
use crate::model::{Attributes, GroupId, NamePattern, Schema, Type, Values, VarId};
use crate::stream::{self, Format};

/// Tells the digests of a dataset to `line`, sorted by path: of each variable's data and attributes, and of each group's
/// attributes. With names in `only`, of these variables alone.
///
/// # Errors
/// An unknown name, what cannot be read, and errors of `line`.
pub fn digest(
    reader: &dyn Reader,
    only: &[NamePattern],
    line: &mut dyn FnMut(&str) -> Result<()>,
) -> Result<()> {
    let schema = reader.schema();
    let [vars] = chosen([schema], only)?;
    let groups = match only {
        [] => 0..schema.groups.len(),
        _ => 0..0,
    };
    let groups = groups.map(|n| {
        let path = schema.group_path(GroupId(n));
        let path = if path.starts_with('/') {
            path
        } else {
            format!("/{path}")
        };
        (path, DigestItem::Group(GroupId(n)))
    });
    let vars = vars
        .into_iter()
        .map(|var| (absolute(schema, var), DigestItem::Variable(var)));
    let mut items: Vec<(String, DigestItem)> = groups.chain(vars).collect();
    items.sort_by(|a, b| a.0.cmp(&b.0));
    for (path, item) in items {
        let path = escaped(&path);
        match item {
            DigestItem::Group(id) => line(&attributes_line(schema, &path, &schema.group(id).attributes))?,
            DigestItem::Variable(id) => {
                line(&data_line(reader, &path, id)?)?;
                line(&attributes_line(schema, &path, &schema.var(id).attributes))?;
            }
        }
    }
    Ok(())
}

enum DigestItem {
    Group(GroupId),
    Variable(VarId),
}

/// A variable's path, with a leading `/`.
pub(crate) fn absolute(schema: &Schema, var: VarId) -> String {
    let path = schema.var_path(var);
    if path.starts_with('/') {
        path
    } else {
        format!("/{path}")
    }
}

/// A name in a line whose fields are separated by spaces.
fn escaped(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    for c in name.chars() {
        match c {
            ' ' | '\\' => out.extend(['\\', c]),
            c if crate::message::is_unseen(c) => out.extend(c.escape_default()),
            c => out.push(c),
        }
    }
    out
}

fn data_line(reader: &dyn Reader, path: &str, id: VarId) -> Result<String> {
    let schema = reader.schema();
    let var = schema.var(id);
    let mut sha = Sha256::new();
    let format = Canonical { schema, ty: var.ty };
    stream::values(reader, id, &format, |piece: Vec<u8>| {
        sha.update(&piece);
        Ok(())
    })?;
    let ty = match var.ty {
        Type::User(id) => escaped(&schema.user_type(id).name),
        ty => ty.cdl_name().unwrap_or_default().to_owned(),
    };
    let mut line = format!("sha256:{} {path} {ty}", hex(&sha.finalize()));
    for dim in &var.dims {
        let dim = schema.dim(*dim);
        line += &format!(" {}={}", escaped(&dim.name), dim.length);
    }
    Ok(line)
}

fn attributes_line(schema: &Schema, path: &str, attributes: &Attributes) -> String {
    let mut sorted: Vec<_> = attributes.iter().collect();
    sorted.sort_by(|a, b| a.name.cmp(&b.name));
    let mut sha = Sha256::new();
    for one in &sorted {
        sha.update(attribute(schema, one));
    }
    format!(
        "sha256:{} {path} attributes={}",
        hex(&sha.finalize()),
        sorted.len()
    )
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Elements as canonical bytes.
struct Canonical<'s> {
    schema: &'s Schema,
    ty: Type,
}

impl Format for Canonical<'_> {
    type Piece = Vec<u8>;

    fn piece(&self, _: &Region, values: &Values, range: Range<usize>) -> Vec<u8> {
        canonical(self.schema, self.ty, values, range).into_owned()
    }

    fn passes_over_zeros(&self) -> bool {
        false
    }

    fn zeros(&self, _: &[u64], _: u64) -> Vec<u8> {
        Vec::new()
    }
}
