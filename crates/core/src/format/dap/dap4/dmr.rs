//! DMR: a dataset of DAP4 as a schema of netCDF-4 (DAP 4.0, volume 1, section 5).

use std::collections::HashMap;

use super::attributes::attributes;
use super::constraint::Constraint;
use super::dmr_types::atomic;
use super::element::Element;
use super::structure::{Structure, Surroundings};
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
struct DmrNames {
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
    let mut names = DmrNames::default();
    made.declare(&root, Schema::ROOT, "", &mut names)?;
    let mut at = 0;
    made.define(&root, Schema::ROOT, "", &mut names, constraint, &mut at)?;
    constraint.check_all_found(made.asked.iter().map(|asked| asked.path.as_str()))?;
    Ok(made)
}

impl Described {
    /// Groups, dimensions and enumerations, which may be used before they are declared.
    fn declare(&mut self, element: &Element, group: GroupId, path: &str, names: &mut DmrNames) -> Result<()> {
        for child in &element.children {
            match child.name.as_str() {
                "Dimension" => {
                    let name = child.valid_name()?;
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
                    let name = child.valid_name()?;
                    let class = enumeration(child)?;
                    let ty = self.schema.add_type(UserType {
                        name: name.to_owned(),
                        group,
                        class,
                    });
                    names.enums.insert(format!("{path}/{name}"), ty);
                }
                "Group" => {
                    let name = child.valid_name()?;
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
        names: &mut DmrNames,
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
                        &format!("{path}/{}", child.valid_name()?),
                        names,
                        constraint,
                        at,
                    )?;
                }
                kind => {
                    let full = format!("{path}/{}", child.valid_name()?);
                    let ty = match kind {
                        "Structure" => self.structure(child, group, names, &full)?,
                        _ => type_of(child, names)?,
                    };
                    match ty {
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

    /// The type of a structure, declared in its group. `None` for one that is not read.
    fn structure(
        &mut self,
        element: &Element,
        group: GroupId,
        names: &mut DmrNames,
        path: &str,
    ) -> Result<Option<Type>> {
        let around = Around {
            schema: &self.schema,
            names,
        };
        let made =
            Structure::of(element, None, &self.schema, &around).map_err(|e| e.in_variable(&shown(path)))?;
        let Some(made) = made else {
            return Ok(None);
        };
        // netCDF-C has these dimensions, too, although no variable uses them.
        let mut inside: Vec<&Element> = element.children.iter().collect();
        while let Some(child) = inside.pop() {
            inside.extend(&child.children);
            let length = child.attribute("size").and_then(|size| size.trim().parse().ok());
            if let ("Dim", Some(length)) = (child.name.as_str(), length) {
                self.anonymous(length, names);
            }
        }
        Ok(Some(made.declared(&mut self.schema, group)))
    }

    fn variable(
        &mut self,
        element: &Element,
        group: GroupId,
        path: String,
        ty: Type,
        names: &mut DmrNames,
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
            name: element.valid_name()?.to_owned(),
            group,
            ty,
            dims,
            attributes,
        });
        self.asked.push(Asked { path, ty, slices });
        Ok(())
    }

    fn dimension(&mut self, dim: &Element, path: &str, names: &mut DmrNames) -> Result<DimId> {
        if let Some(found) = names.dim(dim) {
            return found.map_err(|e| e.in_variable(&shown(path)));
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
    fn anonymous(&mut self, length: u64, names: &mut DmrNames) -> DimId {
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

impl DmrNames {
    /// The dimension that an element names; `None` if it names none.
    fn dim(&self, dim: &Element) -> Option<Result<DimId>> {
        let name = dim.attribute("name")?;
        let found = self.dims.get(&absolute(name)).copied();
        Some(found.ok_or_else(|| damaged(format!("no dimension {}", shown(name)))))
    }
}

/// What the members of a structure may name.
struct Around<'a> {
    schema: &'a Schema,
    names: &'a DmrNames,
}

impl Surroundings for Around<'_> {
    fn type_of(&self, member: &Element) -> Result<Option<Type>> {
        type_of(member, self.names)
    }

    fn length_of(&self, dim: &Element) -> Result<u64> {
        match self.names.dim(dim) {
            Some(found) => Ok(self.schema.dim(found?).length),
            None => {
                let size = dim.attribute("size").unwrap_or_default();
                size.trim()
                    .parse()
                    .map_err(|_| Error::Unsupported(format!("a dimension of the length '{}'", shown(size))))
            }
        }
    }
}

/// A path from the root.
fn absolute(name: &str) -> String {
    match name.starts_with('/') {
        true => name.to_owned(),
        false => format!("/{name}"),
    }
}

/// The type of a variable; `None` for one that is not read.
fn type_of(element: &Element, names: &DmrNames) -> Result<Option<Type>> {
    Ok(match element.name.as_str() {
        "Enum" => {
            let name = element.attribute("enum").unwrap_or_default();
            let found = names.enums.get(&absolute(name));
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
        members.push((constant.valid_name()?.to_owned(), value as i64));
    }
    Ok(TypeClass::Enum { base, members })
}

fn damaged(why: String) -> Error {
    Error::Damaged(format!("the server's DMR: {why}"))
}
