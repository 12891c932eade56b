//! From the filters that a user asks for to those that are stored with a variable.

use super::{Element, fletcher32, nbit, registry, shuffle};
use crate::error::Result;
use crate::model::FilterSpec;

/// The filter as libhdf5 would store it for a variable of this element type and chunk shape: parameters that depend on
/// them are worked out (libhdf5's "set local" callbacks). Serves visible parameters, and stored ones that shall move to
/// another chunk shape or type. The parameters of a filter that is not built in stay as they are.
///
/// # Errors
/// [`crate::Error::Usage`]: the filter does not take these parameters, or cannot be applied to such a variable.
pub fn working(spec: &FilterSpec, element: Element, chunk_shape: &[u64]) -> Result<FilterSpec> {
    let mut spec = spec.clone();
    if let Some(filter) = registry::find(spec.id) {
        spec.parameters = filter.working_parameters(&spec.parameters, element, chunk_shape)?;
        filter.name().clone_into(&mut spec.name);
    }
    Ok(spec)
}

/// The pipeline that netCDF makes of the filters that a user asked for, by id and visible parameters, in the order
/// given: fletcher32 first, then shuffle, then the rest, but n-bit before all; each id once, where it first stood, with its last parameters;
/// all of them optional, except fletcher32.
///
/// # Errors
/// Those of [`working`].
pub fn new_pipeline(
    requested: &[(u32, Vec<u32>)],
    element: Element,
    chunk_shape: &[u64],
) -> Result<Vec<FilterSpec>> {
    let mut pipeline: Vec<FilterSpec> = Vec::with_capacity(requested.len());
    for (id, parameters) in requested {
        match pipeline.iter_mut().find(|spec| spec.id == *id) {
            Some(spec) => spec.parameters.clone_from(parameters),
            None => pipeline.push(FilterSpec {
                id: *id,
                // A checksum that may be left out checks nothing.
                optional: *id != fletcher32::ID,
                parameters: parameters.clone(),
                name: String::new(),
            }),
        }
    }
    pipeline.sort_by_key(|spec| match spec.id {
        nbit::ID => 0,
        fletcher32::ID => 1,
        shuffle::ID => 2,
        _ => 3,
    });
    pipeline
        .iter()
        .map(|spec| working(spec, element, chunk_shape))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Endian;

    const FLOAT: Element = Element {
        size: 4,
        number: Some(Endian::Little),
    };

    #[test]
    fn order_and_repetition() {
        let requested = [
            (307, vec![9]),
            (1, vec![4]),
            (2, vec![]),
            (307, vec![1]),
            (3, vec![]),
            (5, vec![]),
            (4711, vec![8, 9]),
        ];
        let pipeline = new_pipeline(&requested, FLOAT, &[10]).unwrap();
        let found: Vec<_> = pipeline
            .iter()
            .map(|s| (s.id, s.optional, s.parameters.as_slice()))
            .collect();
        assert_eq!(
            found,
            [
                (5, true, &[8, 1, 10, 1, 4, 0, 32, 0][..]),
                (3, false, &[]),
                (2, true, &[4]),
                (307, true, &[1]),
                (1, true, &[4]),
                (4711, true, &[8, 9])
            ]
        );
    }

    #[test]
    fn wrong_parameters_are_named() {
        for (id, parameters, says) in [
            (1, vec![], "level"),
            (1, vec![10], "level"),
            (3, vec![1], "no parameters"),
            (307, vec![0], "block size"),
            (32015, vec![1, 2], "level"),
        ] {
            let error = new_pipeline(&[(id, parameters)], FLOAT, &[10])
                .unwrap_err()
                .to_string();
            assert!(error.contains(says), "{error}");
        }
    }
}
