//! Makes the parameters stored with a variable, from a user's filters or from another variable's stored parameters.

use super::chunk_type::ChunkType;
use super::codec::{Codec, stored_parameters};
use super::registry::Registry;
use super::{fletcher32, nbit, shuffle};
use crate::error::{Error, Result};
use crate::model::CodecSpec;

impl Registry {
    /// The codec as libhdf5 stores it when a user gives its parameters. Parameters that depend on the type and the
    /// chunk shape are computed, as by libhdf5's "set local" callbacks. An unknown codec is returned unchanged.
    ///
    /// # Errors
    /// [`Error::Usage`] if the codec rejects the parameters, or cannot be applied to such chunks.
    pub fn working(&self, spec: &CodecSpec, chunk: &ChunkType) -> Result<CodecSpec> {
        self.with_parameters(spec, chunk, |codec, visible| {
            codec.working_parameters(visible, chunk)
        })
    }

    /// The codec for chunks of type `chunk`, given its stored form for other chunks. Parameters that it can decode are
    /// kept, even if [`Registry::working`] would reject them. An unknown codec is returned unchanged.
    ///
    /// # Errors
    /// [`Error::Usage`] if the codec cannot be applied to such chunks.
    pub fn adapted(&self, spec: &CodecSpec, chunk: &ChunkType) -> Result<CodecSpec> {
        self.with_parameters(spec, chunk, |codec, stored| {
            codec.adapted_parameters(stored, chunk)
        })
    }

    fn with_parameters(
        &self,
        spec: &CodecSpec,
        chunk: &ChunkType,
        change: impl Fn(&dyn Codec, &[u32]) -> Result<Vec<u32>, String>,
    ) -> Result<CodecSpec> {
        let Some(codec) = self.find(spec).map(AsRef::as_ref) else {
            return Ok(spec.clone());
        };
        let Ok(stored) = stored_parameters(codec, spec, chunk) else {
            return Ok(spec.clone());
        };
        let misuse = |why| match spec.hdf5_id() {
            Some(id) => Error::Usage(format!("filter {id} ({}) {why}", codec.name())),
            None => Error::Usage(format!("{spec} {why}")),
        };
        let new = change(codec, &stored).map_err(misuse)?;
        Ok(match spec {
            CodecSpec::Hdf5 { id, optional, .. } => CodecSpec::hdf5(*id, new)
                .with_optional(*optional)
                .with_name(codec.name()),
            CodecSpec::Zarr { version, name, .. } => match codec.configuration(*version, &new, chunk) {
                Some(configuration) if new != *stored => {
                    CodecSpec::zarr(*version, name.clone(), configuration)
                }
                _ => spec.clone(),
            },
        })
    }

    /// The pipeline that netCDF makes of a user's filters, given by id and visible parameters:
    ///
    /// - n-bit and zfp, which need the numbers themselves, come first, then fletcher32, then shuffle, then the others in the order given;
    /// - a repeated id stays in its first place, with its last parameters;
    /// - all filters are optional, except fletcher32.
    ///
    /// # Errors
    /// The same as for [`Registry::working`].
    pub fn new_pipeline(&self, requested: &[(u32, Vec<u32>)], chunk: &ChunkType) -> Result<Vec<CodecSpec>> {
        let mut pipeline: Vec<(u32, &[u32])> = Vec::with_capacity(requested.len());
        for (id, parameters) in requested {
            match pipeline.iter_mut().find(|(other, _)| other == id) {
                Some((_, earlier)) => *earlier = parameters,
                None => pipeline.push((*id, parameters)),
            }
        }
        pipeline.sort_by_key(|(id, _)| match *id {
            nbit::ID => 0,
            #[cfg(feature = "zfp")]
            super::zfp::ID => 0,
            fletcher32::ID => 1,
            shuffle::ID => 2,
            _ => 3,
        });
        let mut types = self.begin(chunk);
        pipeline
            .into_iter()
            .map(|(id, parameters)| {
                // An optional checksum could be skipped, and would then check nothing.
                let spec = CodecSpec::hdf5(id, parameters).with_optional(id != fletcher32::ID);
                let spec = self.working(&spec, types.given())?;
                types.pass(&spec);
                Ok(spec)
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::filter::NumberClass;
    use crate::model::{Configuration, Endian, ZarrVersion};

    fn floats() -> ChunkType {
        ChunkType::of_numbers(NumberClass::Float, 4, Endian::Little, &[10])
    }

    #[test]
    fn order_and_repetition() {
        let requested = [
            (307, vec![9]),
            (1, vec![4]),
            (2, vec![]),
            (307, vec![1]),
            (3, vec![]),
            (5, vec![]),
            (65000, vec![8, 9]),
        ];
        let pipeline = Registry::builtin().new_pipeline(&requested, &floats()).unwrap();
        let found: Vec<_> = pipeline
            .iter()
            .map(|s| (s.hdf5_id().unwrap(), s.is_optional(), s.parameters()))
            .collect();
        assert_eq!(
            found,
            [
                (5, true, &[8, 1, 10, 1, 4, 0, 32, 0][..]),
                (3, false, &[]),
                (2, true, &[4]),
                (307, true, &[1]),
                (1, true, &[4]),
                (65000, true, &[8, 9])
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
            #[cfg(feature = "blosc")]
            (32001, vec![5, 1, 5], "takes four numbers"),
            #[cfg(feature = "blosc")]
            (32001, vec![0, 0, 0, 0, 10], "level"),
            #[cfg(feature = "zfp")]
            (32013, vec![], "takes a mode"),
            (32015, vec![1, 2], "level"),
        ] {
            let error = Registry::builtin()
                .new_pipeline(&[(id, parameters)], &floats())
                .unwrap_err()
                .to_string();
            assert!(error.contains(says), "{error}");
        }
    }

    #[test]
    fn stored_parameters_are_kept_where_they_can_be_decoded() {
        let registry = Registry::builtin();
        for (id, stored, adapted) in [
            (1, vec![5], vec![5]),
            // What libhdf5 would not read.
            (1, vec![], vec![6]),
            (1, vec![12, 1], vec![9]),
            (2, vec![8], vec![4]),
            (2, vec![], vec![4]),
            (3, vec![7], vec![7]),
            (5, vec![7], vec![8, 1, 10, 1, 4, 0, 32, 0]),
            (307, vec![9, 20, 0], vec![9, 20, 0]),
            #[cfg(feature = "blosc")]
            (32001, vec![2, 2, 8, 99, 7, 2, 1], vec![2, 2, 4, 40, 7, 2, 1]),
            #[cfg(feature = "zfp")]
            (
                32013,
                vec![1, 0x570667a, 0xe00004f6, 0x88000000],
                vec![0x10105111, 0x570667a, 0x92, 0x88000000],
            ),
            (32015, vec![3, 0], vec![3]),
            (65000, vec![1, 2], vec![1, 2]),
        ] {
            let spec = CodecSpec::hdf5(id, stored).with_optional(false);
            let found = registry.adapted(&spec, &floats()).unwrap();
            assert_eq!(found.parameters(), adapted, "{id}");
            assert!(!found.is_optional());
        }
        let zarr = |size: u32| {
            let configuration = Configuration::from_iter([("elementsize".to_owned(), size.into())]);
            CodecSpec::zarr(ZarrVersion::V2, "shuffle", configuration)
        };
        assert_eq!(registry.adapted(&zarr(8), &floats()).unwrap(), zarr(4));
        let error = registry
            .adapted(&CodecSpec::hdf5(4, [141, 32, 32, 100]), &floats())
            .unwrap_err();
        assert!(
            error
                .to_string()
                .starts_with("filter 4 (szip) cannot make blocks"),
            "{error}"
        );
    }
}
