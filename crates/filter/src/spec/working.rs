//! Makes the parameters stored with a variable, from a user's filters or from another variable's stored parameters.

use crate::CodecInput;
use crate::checksum::fletcher32;
use crate::codec::chunk_type::ChunkType;
use crate::codec::codec::{Codec, stored_parameters};
use crate::deflate::deflate;
use crate::numbers::{nbit, scale_offset};
use crate::registry::names_by_format::keep_unsaid;
use crate::registry::registry::Registry;
use crate::shuffle::shuffle;
use crate::{AskedCodec, szip};
use ncutils_model::CodecSpec;
use ncutils_model::error::{Error, Result};

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

    /// Like [`Registry::adapted`], given also the type of the chunks that `spec` was stored for.
    ///
    /// # Errors
    /// The same.
    pub fn moved(&self, spec: &CodecSpec, from: &ChunkType, to: &ChunkType) -> Result<CodecSpec> {
        self.with_parameters(spec, to, |codec, stored| codec.moved_parameters(stored, from, to))
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
                Some(mut configuration) if new != *stored => {
                    keep_unsaid(codec, spec, &mut configuration);
                    CodecSpec::zarr(*version, name.clone(), configuration)
                }
                _ => spec.clone(),
            },
        })
    }

    /// The pipeline that netCDF makes of a user's codecs:
    ///
    /// - codecs that need the array's own elements come first, then fletcher32, then shuffle, then the others in the
    ///   order given;
    /// - a repeated codec stays in its first place, with its last parameters;
    /// - all filters are optional, except fletcher32.
    ///
    /// # Errors
    /// The same as for [`Registry::working`], an unknown name, and deflate together with szip.
    pub fn new_pipeline(&self, asked: &[AskedCodec], chunk: &ChunkType) -> Result<Vec<CodecSpec>> {
        self.pipeline_of(asked, chunk, |ids| {
            ids.sort_by_key(|(asked, _)| self.rank(asked));
        })
    }

    /// The place of a codec in a new pipeline, before those of higher rank.
    pub fn rank(&self, asked: &AskedCodec) -> u8 {
        match asked.hdf5_id(self) {
            // libhdf5 reads these only before all others.
            Some(nbit::ID | scale_offset::ID) => 0,
            _ if self.needs_elements(asked) => 1,
            Some(fletcher32::ID) => 2,
            Some(shuffle::ID) => 3,
            _ => 4,
        }
    }

    /// Like [`Registry::new_pipeline`], in exactly the order given.
    ///
    /// # Errors
    /// The same.
    pub fn ordered_pipeline(&self, asked: &[AskedCodec], chunk: &ChunkType) -> Result<Vec<CodecSpec>> {
        self.pipeline_of(asked, chunk, |_| {})
    }

    fn pipeline_of(
        &self,
        asked: &[AskedCodec],
        chunk: &ChunkType,
        sort: impl Fn(&mut Vec<(&AskedCodec, Option<u32>)>),
    ) -> Result<Vec<CodecSpec>> {
        let mut pipeline: Vec<(&AskedCodec, Option<u32>)> = Vec::with_capacity(asked.len());
        for codec in asked {
            let id = codec.hdf5_id(self);
            match pipeline
                .iter_mut()
                .find(|(_, other)| id.is_some() && *other == id)
            {
                Some((earlier, _)) => *earlier = codec,
                None => pipeline.push((codec, id)),
            }
        }
        let has = |wanted: u32| pipeline.iter().any(|(_, id)| *id == Some(wanted));
        if has(deflate::ID) && has(szip::ID) {
            return Err(Error::Usage(
                "deflate and szip are both asked for; a variable can have one of them".into(),
            ));
        }
        sort(&mut pipeline);
        let mut types = self.begin(chunk);
        pipeline
            .into_iter()
            .map(|(codec, id)| {
                let spec = codec.spec(self, types.given())?;
                // An optional checksum could be skipped, and would then check nothing.
                let spec = spec.with_optional(id != Some(fletcher32::ID));
                let spec = self.working(&spec, types.given())?;
                types.pass(&spec);
                Ok(spec)
            })
            .collect()
    }

    /// True if the codec can only work on the elements of the array, not on what another codec makes of them.
    fn needs_elements(&self, asked: &AskedCodec) -> bool {
        let codec = match asked {
            AskedCodec::Zarr(spec) => self.find(spec),
            AskedCodec::Name { name, .. } if asked.hdf5_id(self).is_none() => self.by_name(name),
            _ => asked.hdf5_id(self).and_then(|id| self.found_by_id(id)),
        };
        codec.is_some_and(|codec| codec.facts().input >= CodecInput::Elements)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::NumberClass;
    use ncutils_model::{Configuration, Endian, ZarrVersion};

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
            (32008, vec![0, 2]),
            (5, vec![]),
            (65000, vec![8, 9]),
        ]
        .map(|(id, parameters)| AskedCodec::id(id, parameters));
        let pipeline = Registry::builtin().new_pipeline(&requested, &floats()).unwrap();
        let found: Vec<_> = pipeline
            .iter()
            .map(|s| (s.hdf5_id().unwrap(), s.is_optional(), s.parameters()))
            .collect();
        assert_eq!(
            found,
            [
                (5, true, &[8, 1, 10, 1, 4, 0, 32, 0][..]),
                (32008, true, &[0, 4, 4, 0, 2]),
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
            (32000, vec![1], "no parameters"),
            (32004, vec![0, 1], "bytes of a block"),
            (32008, vec![0, 1], "compression"),
            (32008, vec![12], "multiple of eight"),
            #[cfg(feature = "blosc")]
            (32001, vec![5, 1, 5], "takes four numbers"),
            #[cfg(feature = "blosc")]
            (32001, vec![0, 0, 0, 0, 10], "level"),
            (32013, vec![], "takes a mode"),
            (32015, vec![1, 2], "level"),
            #[cfg(feature = "blosc2")]
            (32026, vec![5, 1, 5], "takes four numbers"),
            #[cfg(feature = "blosc2")]
            (32026, vec![0, 0, 0, 0, 5, 1, 3], "4 zlib"),
            (6, vec![2], "two parameters"),
            (6, vec![2, 0], "type 0 for floats"),
        ] {
            let error = Registry::builtin()
                .new_pipeline(&[AskedCodec::id(id, parameters)], &floats())
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
            (6, vec![0, 3], [&[0, 3, 10, 1, 4, 0, 0, 1][..], &[0; 12]].concat()),
            (307, vec![9, 20, 0], vec![9, 20, 0]),
            (32000, vec![3, 0x104, 99], vec![3, 0x104, 40]),
            (32004, vec![5, 6], vec![5, 6]),
            (32008, vec![0, 3, 8, 0, 2], vec![0, 3, 4, 0, 2]),
            #[cfg(feature = "blosc")]
            (32001, vec![2, 2, 8, 99, 7, 2, 1], vec![2, 2, 4, 40, 7, 2, 1]),
            (
                32013,
                vec![1, 0x570667a, 0xe00004f6, 0x88000000],
                vec![0x10105111, 0x570667a, 0x92, 0x88000000],
            ),
            (32015, vec![3, 0], vec![3]),
            #[cfg(feature = "blosc2")]
            (
                32026,
                vec![1, 0, 8, 99, 12, 4, 5, 2, 3, 4],
                vec![1, 0, 4, 40, 9, 1, 5],
            ),
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
