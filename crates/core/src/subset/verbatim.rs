//! A part of an HDF5 file that is copied as it is.
//!
//! Dimensions and coordinates are netCDF's, so the cells are those of the netCDF variables of the same file. Each dataset
//! of the copy has dimensions of its own, along which its cells are chosen. "Cut" means here what it means of a [`Subset`].

use std::collections::{HashMap, HashSet};

use super::cells::Cells;
use super::reader::Subset;
use super::request::SubsetRequest;
use super::shift::Shift;
use crate::error::{Error, Result};
use crate::filter::Registry;
use crate::format::Reader;
use crate::format::netcdf4::Netcdf4Reader;
use crate::format::netcdf4::verbatim::{EmptyPart, EmptyShapes, Variable, Verbatim};
use crate::model::{DimId, VarId};

/// The parts of both readers of a file that is copied as it is.
pub struct VerbatimSubset<'a> {
    /// Of [`Verbatim::reader`].
    pub plain: Subset<'a>,
    /// Of [`Verbatim::addressed`].
    pub addressed: Subset<'a>,
    /// The shapes of datasets without elements that are cut.
    pub empty: EmptyShapes,
    /// A line for what stays as it is although cells were chosen: datasets that netCDF does not show, and attributes.
    pub warnings: Vec<String>,
}

/// The cells of the datasets of one reader.
struct Cuts<'a> {
    reader: &'a dyn Reader,
    cells: Vec<Option<Cells>>,
    shifts: Vec<Option<Shift>>,
    choosing: Vec<VarId>,
}

impl<'a> Cuts<'a> {
    fn new(reader: &'a dyn Reader) -> Self {
        Self {
            reader,
            cells: vec![None; reader.schema().dims.len()],
            shifts: vec![None; reader.schema().vars.len()],
            choosing: Vec::new(),
        }
    }

    /// Chooses the cells of a dataset along its dimensions.
    fn cut(&mut self, var: VarId, cells: &[Option<&Cells>], shift: Option<&Shift>) -> Result<()> {
        let schema = self.reader.schema();
        let variable = schema.var(var);
        let beyond = cells.iter().skip(variable.dims.len()).any(Option::is_some);
        if beyond || shift.is_some_and(|shift| shift.ty != variable.ty) {
            return Err(not_cut(STORED_OTHERWISE));
        }
        for (dim, cells) in variable.dims.iter().zip(cells) {
            // The dimension is netCDF's, and may be longer than the dataset.
            self.cells[dim.0] = cells.map(|cells| cells.below(schema.dim(*dim).length));
        }
        self.shifts[var.0] = shift.cloned();
        Ok(())
    }

    fn part(self, registry: &Registry) -> Subset<'a> {
        Subset::of(self.reader, self.cells, self.shifts, registry).chosen_by(self.choosing)
    }
}

/// Finds the cells that `request` chooses in `netcdf`, the same file as netCDF shows it, whose values `coordinates` reads, and cuts the datasets of `source`, whose
/// two kinds `readers` read.
/// A dataset that netCDF does not show is cut along the dimensions whose scales it has, or else stays whole, with a warning.
///
/// # Errors
/// Those of [`Subset::new`]; data of a variable to cut that lies in another file.
pub fn cut<'a>(
    source: &Verbatim,
    readers: (&'a dyn Reader, &'a dyn Reader),
    (netcdf, coordinates): (&Netcdf4Reader, &dyn Reader),
    request: &SubsetRequest,
    registry: &Registry,
) -> Result<VerbatimSubset<'a>> {
    let chosen = Subset::new(coordinates, request, registry)?;
    let schema = netcdf.schema();
    let (mut plain, mut addressed) = (Cuts::new(readers.0), Cuts::new(readers.1));
    let mut set = |stored: Variable, cells: &[Option<&Cells>], shift| match stored {
        Variable::Plain(var) => plain.cut(var, cells, shift),
        Variable::Addressed(var) => addressed.cut(var, cells, shift),
    };
    // The cells of dimensions by the address of their scales; datasets that netCDF shows.
    let mut of_scale: HashMap<u64, &Cells> = HashMap::new();
    let mut shown = HashSet::new();
    let (mut choosing, mut empty) = (Vec::new(), EmptyShapes::new());
    for var in (0..schema.vars.len()).map(VarId) {
        shown.extend(netcdf.object_address(var));
        let cells = chosen.cells_of(var);
        if cells.iter().all(Option::is_none) {
            continue;
        }
        let address = netcdf.object_address(var);
        if address.is_some_and(|address| source.is_left_out(address)) {
            continue;
        }
        let stored = address.and_then(|address| source.variable_at(address));
        let set = match stored {
            Some(stored) => set(stored, &cells, chosen.shift(var)),
            None => cut_empty(source, address, &cells).map(|(address, shape)| {
                empty.insert(address, shape);
            }),
        };
        set.map_err(|error| error.in_variable(&schema.var_path(var)))?;
        if let (Some(Variable::Plain(stored)), true) = (stored, chosen.is_choosing(var)) {
            choosing.push(stored);
        }
    }
    for dim in (0..schema.dims.len()).map(DimId) {
        let named = schema.dim(dim);
        let path = format!(
            "{}/{}",
            schema.group_path(named.group).trim_end_matches('/'),
            named.name
        );
        let variable = schema
            .vars
            .iter()
            .position(|var| var.group == named.group && var.name == named.name);
        let scale = match variable {
            Some(var) => netcdf.object_address(VarId(var)),
            None => source.address_of(&path),
        };
        let Some(scale) = scale else {
            continue;
        };
        // The scale of a dimension without a variable is no dataset to netCDF.
        let is_hidden = shown.insert(scale);
        let Some(cells) = chosen.cells(dim) else {
            continue;
        };
        of_scale.insert(scale, cells);
        let stored = source.variable_at(scale).filter(|_| is_hidden);
        if let Some(stored) = stored {
            set(stored, &[Some(cells)], None).map_err(|error| error.in_variable(&path))?;
        }
    }
    let (mut whole, mut first) = (0, None);
    for (address, path) in source.datasets().filter(|(address, _)| !shown.contains(address)) {
        let scales = source
            .scales(address)
            .map_err(|error| error.in_variable(&path()))?;
        let cells = scales.iter().map(|scale| of_scale.get(&(*scale)?).copied());
        let cells: Vec<Option<&Cells>> = cells.collect();
        match source.variable_at(address) {
            Some(stored) if cells.iter().any(Option::is_some) => {
                set(stored, &cells, None).map_err(|error| error.in_variable(&path()))?;
            }
            _ if scales.is_empty() => {
                whole += 1;
                first.get_or_insert_with(path);
            }
            _ => {}
        }
    }
    let mut warnings = left_ranges(netcdf, &chosen);
    warnings.extend(first.map(|first| {
        format!(
            "{whole} of its datasets stay whole, as netCDF does not show them and they have no dimension scales: the first is {first}"
        )
    }));
    plain.choosing = choosing;
    Ok(VerbatimSubset {
        plain: plain.part(registry),
        addressed: addressed.part(registry),
        empty,
        warnings,
    })
}

/// The shape of the part of a dataset without elements, and the address of the dataset.
///
/// # Errors
/// The dataset lies in other datasets or files, or its part cannot have its filters; it is damaged.
fn cut_empty(source: &Verbatim, address: Option<u64>, cells: &[Option<&Cells>]) -> Result<(u64, Vec<u64>)> {
    let elsewhere = || not_cut("its data lies in other datasets or files, and -k h5 leaves it there");
    let address = address.ok_or_else(elsewhere)?;
    let cut = |(d, length): (usize, u64)| match cells.get(d) {
        Some(Some(cells)) => cells.below(length).len(),
        _ => length,
    };
    match source.empty_part(address, cut)? {
        Some(EmptyPart::Shape(shape)) => match cells.iter().skip(shape.len()).any(Option::is_some) {
            true => Err(not_cut(STORED_OTHERWISE)),
            false => Ok((address, shape)),
        },
        Some(EmptyPart::OtherChunks) => Err(not_cut(
            "its chunks are longer than the part, and a filter is set up for their shape",
        )),
        None => Err(elsewhere()),
    }
}

/// Why a dataset is not cut whose dimensions or values are not those of its netCDF variable.
const STORED_OTHERWISE: &str = "its elements are stored otherwise than netCDF shows them";

/// The error for a dataset whose cells cannot be chosen as it is.
fn not_cut(why: &str) -> Error {
    Error::Usage(format!(
        "its cells cannot be chosen with -k h5: {why}; copy to -k nc4"
    ))
}

/// A line for each attribute that tells the range of a longitude, and does not hold its values across the seam: headers
/// are copied as they are.
fn left_ranges(netcdf: &Netcdf4Reader, chosen: &Subset<'_>) -> Vec<String> {
    let schema = netcdf.schema();
    let all = (0..schema.vars.len()).map(VarId);
    let lines = all.flat_map(|var| {
        let extended = chosen.schema().var(var).attributes.iter();
        let pairs = schema.var(var).attributes.iter().zip(extended);
        let left = pairs.filter(|(old, new)| old != new);
        left.map(move |(old, _)| {
            format!(
                "the attribute {} of {} stays as it is, and the values across the seam are outside of it; copy to -k nc4 to extend it",
                old.name,
                schema.var_path(var)
            )
        })
    });
    lines.collect()
}
