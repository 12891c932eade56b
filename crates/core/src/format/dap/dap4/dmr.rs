//! DMR: a dataset of DAP4 as a schema of netCDF-4 (DAP 4.0, volume 1, section 5).

use std::collections::HashMap;

use super::attributes::attributes;
use super::constraint::Constraint;
use super::dmr_types::atomic;
use super::element::Element;
use crate::error::{Error, Result};
use crate::format::dap::limits::{MOST_DIMENSIONS, shown};
use crate::format::dap::slice::Slice;
use crate::model::{DimId, Dimension, GroupId, Kind, Schema, Type, TypeClass, TypeId, UserType, Variable};

/// A dataset of netCDF, and how the server knows its variables.
pub struct Described {
    pub schema: Schema,
    /// The server's name of each variable, in the order of the schema.
    pub asked: Vec<Asked>,
}

/// How a request names a variable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asked {
    /// The name with its groups: `/a/b/v`.
    pub path: String,
    /// The type of an element as it is sent.
    pub ty: Type,
    /// What the URL's constraint takes of each dimension.
    pub slices: Vec<Slice>,
}

/// The names that a path may lead to: of dimensions and enumerations.
#[derive(Default)]
struct Names {
    dims: HashMap<String, DimId>,
    enums: HashMap<String, TypeId>,
}

/// Makes a schema of a DMR, of what a constraint takes.
///
/// # Errors
/// What is malformed; names that lead nowhere; a constraint that does not fit.
pub fn described(text: &str, constraint: &Constraint) -> Result<Described> {
    let root = Element::parse(text)?;
    match root.name.as_str() {
        "Dataset" => {}
        "Error" => {
            let message = root
                .children_of("Message")
                .next()
                .map_or("", |message| &message.text);
            return Err(Error::Remote(format!("the server says: {}", shown(message))));
        }
        _ => {
            return Err(damaged(format!(
                "the answer is a <{}> and no dataset",
                shown(&root.name)
            )));
        }
    }
    let mut made = Described {
        schema: Schema::new(Kind::Netcdf4),
        asked: Vec::new(),
    };
    let mut names = Names::default();
    made.declare(&root, Schema::ROOT, "", &mut names)?;
    let mut at = 0;
    made.define(&root, Schema::ROOT, "", &mut names, constraint, &mut at)?;
    constraint.check_all_found(made.asked.iter().map(|asked| asked.path.as_str()))?;
    Ok(made)
}

impl Described {
    /// Groups, dimensions and enumerations, which may be used before they are declared.
    fn declare(&mut self, element: &Element, group: GroupId, path: &str, names: &mut Names) -> Result<()> {
        for child in &element.children {
            match child.name.as_str() {
                "Dimension" => {
                    let name = name_of(child)?;
                    let length = child.attribute("size").and_then(|size| size.trim().parse().ok());
                    let length =
                        length.ok_or_else(|| damaged(format!("dimension {}: no length", shown(name))))?;
                    let dim = self.schema.add_dim(Dimension {
                        name: name.to_owned(),
                        group,
                        length,
                        unlimited: child.attribute("_edu.ucar.isunlimited") == Some("1"),
                    });
                    names.dims.insert(format!("{path}/{name}"), dim);
                }
                "Enumeration" => {
                    let name = name_of(child)?;
                    let class = enumeration(child)?;
                    let ty = self.schema.add_type(UserType {
                        name: name.to_owned(),
                        group,
                        class,
                    });
                    names.enums.insert(format!("{path}/{name}"), ty);
                }
                "Group" => {
                    let name = name_of(child)?;
                    let inner = self.schema.add_group(group, name);
                    self.declare(child, inner, &format!("{path}/{name}"), names)?;
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Variables and attributes. `at` counts the groups in the order of [`declare`](Self::declare).
    fn define(
        &mut self,
        element: &Element,
        group: GroupId,
        path: &str,
        names: &mut Names,
        constraint: &Constraint,
        at: &mut usize,
    ) -> Result<()> {
        let own = attributes(element, path, &mut self.schema.warnings);
        self.schema.groups[group.0].attributes = own;
        for child in &element.children {
            match child.name.as_str() {
                "Dimension" | "Enumeration" | "Attribute" | "Map" => {}
                "Group" => {
                    *at += 1;
                    let inner = GroupId(*at);
                    self.define(
                        child,
                        inner,
                        &format!("{path}/{}", name_of(child)?),
                        names,
                        constraint,
                        at,
                    )?;
                }
                kind => {
                    let full = format!("{path}/{}", name_of(child)?);
                    match type_of(kind, child, names)? {
                        Some(ty) => self.variable(child, group, full, ty, names, constraint)?,
                        None => self.schema.warnings.push(format!(
                            "{} {full}: left out, as this type of DAP4 is not read",
                            kind.escape_debug()
                        )),
                    }
                }
            }
        }
        Ok(())
    }

    fn variable(
        &mut self,
        element: &Element,
        group: GroupId,
        path: String,
        ty: Type,
        names: &mut Names,
        constraint: &Constraint,
    ) -> Result<()> {
        let lengths: Vec<&Element> = element.children_of("Dim").collect();
        if lengths.len() > MOST_DIMENSIONS {
            return Err(damaged(format!(
                "variable {path}: more than {MOST_DIMENSIONS} dimensions"
            )));
        }
        let mut dims = Vec::new();
        for dim in &lengths {
            dims.push(self.dimension(dim, &path, names)?);
        }
        let shape: Vec<u64> = dims.iter().map(|dim| self.schema.dim(*dim).length).collect();
        let Some(slices) = constraint.of(&path, &shape)? else {
            return Ok(());
        };
        for (dim, slice) in dims.iter_mut().zip(&slices) {
            let length = self.schema.dim(*dim).length;
            if slice.count != length {
                *dim = self.anonymous(slice.count, names);
            }
        }
        let attributes = attributes(element, &path, &mut self.schema.warnings);
        self.schema.add_var(Variable {
            name: name_of(element)?.to_owned(),
            group,
            ty,
            dims,
            attributes,
        });
        self.asked.push(Asked { path, ty, slices });
        Ok(())
    }

    fn dimension(&mut self, dim: &Element, path: &str, names: &mut Names) -> Result<DimId> {
        if let Some(name) = dim.attribute("name") {
            let absolute = match name.starts_with('/') {
                true => name.to_owned(),
                false => format!("/{name}"),
            };
            let found = names.dims.get(&absolute).copied();
            return found.ok_or_else(|| damaged(format!("variable {path}: no dimension {}", shown(name))));
        }
        let size = dim.attribute("size").unwrap_or_default();
        match size.trim().parse() {
            Ok(length) => Ok(self.anonymous(length, names)),
            Err(_) => Err(Error::Unsupported(format!(
                "variable {}: a dimension of the length '{}'",
                shown(path),
                shown(size)
            ))),
        }
    }

    /// The dimension of the root for a length without a name, as netCDF-C calls it.
    fn anonymous(&mut self, length: u64, names: &mut Names) -> DimId {
        let name = format!("_Anonymous{length}");
        let schema = &mut self.schema;
        *names.dims.entry(format!("/{name}")).or_insert_with(|| {
            schema.add_dim(Dimension {
                name,
                group: Schema::ROOT,
                length,
                unlimited: false,
            })
        })
    }
}

/// The type of a variable; `None` for one that is not read.
fn type_of(kind: &str, element: &Element, names: &Names) -> Result<Option<Type>> {
    Ok(match kind {
        "Enum" => {
            let name = element.attribute("enum").unwrap_or_default();
            let absolute = match name.starts_with('/') {
                true => name.to_owned(),
                false => format!("/{name}"),
            };
            let found = names.enums.get(&absolute);
            Some(Type::User(*found.ok_or_else(|| {
                damaged(format!("no enumeration {}", shown(name)))
            })?))
        }
        kind => atomic(kind),
    })
}

fn enumeration(element: &Element) -> Result<TypeClass> {
    let base = element.attribute("basetype").and_then(atomic);
    let is_whole = |ty: &Type| !matches!(ty, Type::Float | Type::Double | Type::Char | Type::String);
    let base = base
        .filter(is_whole)
        .ok_or_else(|| damaged("an enumeration without a type of its numbers".to_owned()))?;
    let mut members = Vec::new();
    for constant in element.children_of("EnumConst") {
        let value: Option<i128> = constant
            .attribute("value")
            .and_then(|value| value.trim().parse().ok());
        let value = value.filter(|value| (-(1 << 63)..1 << 64).contains(value));
        let value =
            value.ok_or_else(|| damaged("a constant of an enumeration without a value".to_owned()))?;
        members.push((name_of(constant)?.to_owned(), value as i64));
    }
    Ok(TypeClass::Enum { base, members })
}

fn name_of(element: &Element) -> Result<&str> {
    let name = element
        .attribute("name")
        .filter(|name| !name.is_empty() && !name.contains(['/', '\0']));
    name.ok_or_else(|| damaged(format!("a <{}> without a valid name", shown(&element.name))))
}

fn damaged(why: String) -> Error {
    Error::Damaged(format!("the server's DMR: {why}"))
}
