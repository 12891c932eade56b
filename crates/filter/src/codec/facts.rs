//! [`CodecFacts`]: what is known of a codec without its parameters, and what only some codecs have.

use std::borrow::Cow;

use crate::codec::chunk_type::ChunkType;
use crate::codec::codec_input::CodecInput;
use crate::codec::extensions::{MovedParameters, StoredParameters, ZarrForm};
use crate::codec::members::Member;
use crate::codec::outcome::Outcome;
use crate::codec::program::Program;
use crate::deflate::deflate_wrapper::DeflateWrapper;
use ncutils_model::{CodecNames, CodecSpec, Configuration, ZarrVersion};

/// The names of a codec, what is known of it without its parameters, and the extensions that it has.
///
/// There is no default: a codec begins with [`CodecFacts::named`], which has no extension, and a codec over another one
/// lists every field.
#[derive(Clone, Copy)]
pub struct CodecFacts<'a> {
    /// The name for messages: HDF5's name if the codec has one.
    pub name: &'a str,
    /// The id registered with HDF5.
    pub hdf5_id: Option<u32>,
    /// The name in version 2 of Zarr.
    pub zarr2: Option<&'a str>,
    /// The name to write in version 3 of Zarr.
    pub zarr3: Option<&'a str>,
    /// Further names that are read in version 3 of Zarr.
    pub zarr3_aliases: &'a [&'a str],
    /// The parameters that a user gives, in a few words, for the list of filters; empty if they are not known.
    pub parameters_help: &'a str,
    /// The named parameters that a user can give in place of numbers.
    pub members: &'a [Member],
    /// What it takes.
    pub input: CodecInput,
    /// True if the codec makes the bytes of an array in a chain of version 3 of Zarr, in place of the codec `bytes`.
    pub makes_bytes: bool,
    /// True if netCDF-C 4.10 has the codec in NCZarr.
    pub in_netcdf_c: bool,
    /// True if numcodecs, and so zarr-python, has the codec under its name in version 2 of Zarr.
    pub in_numcodecs: bool,
    /// The programs that have the codec under the name to write. See
    /// [`Registry::known_to`](crate::Registry::known_to) for a spec, which may have another name.
    pub known_to: &'a [Program],
    /// True if the codec must be among the `filters` of version 2 of Zarr, not its `compressor`. zarr-python 2 fails where
    /// it decodes a whole chunk by such a compressor.
    pub filter_in_zarr2: bool,
    /// True if the codec only puts the elements of a chunk into another order. A format that lacks it stores them in its
    /// own order.
    pub only_reorders: bool,
    /// True if decoding compares a checksum of the data, so that a damaged stream is noticed. A checksum does so in any case.
    pub verifies: bool,
    /// True if decoding may give other values than were encoded, as the codec rounds or cuts them.
    pub is_lossy: bool,
    /// True if the codec adds a checksum to its input, and changes nothing else. Taking it off verifies the input.
    pub is_checksum: bool,
    /// The words that HDF5 stores. Without it they are those that a user gives, for any chunks.
    pub stored_parameters: Option<&'a dyn StoredParameters>,
    /// Stored words for chunks of another type. Without it, what they were stored for does not matter.
    pub moved_parameters: Option<&'a dyn MovedParameters>,
    /// The translation between stored words and Zarr configurations.
    pub zarr_form: Option<&'a dyn ZarrForm>,
    /// The parameters that a user gives as numbers, made of named ones. Without it, the names are those of the Zarr
    /// configuration alone, which [`ZarrForm::parameters`] translates.
    pub visible_parameters: Option<fn(&Configuration) -> Outcome<Vec<u32>>>,
    /// The canonical form of stored words: equal for all that have the same meaning. Without it, no two do.
    pub canonical_parameters: Option<fn(&[u32]) -> Cow<'_, [u32]>>,
    /// Members of a Zarr configuration that stored words do not say: numbers, 0 for the default. They are kept from version to
    /// version.
    pub unsaid_members: &'a [&'a str],
    /// The numbers by which netCDF-C tells a Zarr configuration in `_Filter`. Without it, they are the stored words.
    pub netcdf_c_numbers: Option<fn(&Configuration, &ChunkType) -> Option<Vec<u32>>>,
    /// The type of the codec's output, for the next codec of a pipeline. Codecs that change the element or the shape
    /// have it (a transposition, a type conversion). A pipeline with one neither encodes nor decodes clipped chunks.
    pub encoded_type: Option<fn(&CodecSpec, &ChunkType) -> ChunkType>,
    /// True if two configurations make the same stream. Both name this codec, and at least one has no stored
    /// parameters. Without it, only equal ones do.
    pub same_configuration: Option<fn(&CodecSpec, &CodecSpec) -> bool>,
    /// The configuration that goes with the codec's name in a version of Zarr, given that of a spec without stored
    /// parameters in the other version. The registry checks that both make the same stream. Without it, both are equal.
    pub renamed_configuration: Option<fn(&Configuration, ZarrVersion) -> Configuration>,
    /// The member of a configuration of version 2 that names the type of the numbers, without which numcodecs makes no codec.
    pub type_member: Option<&'a str>,
    /// True if a program does not take a Zarr configuration as it is meant, though no number in it is a string.
    /// [`Registry::in_zarr`](crate::Registry::in_zarr) then makes another of its parameters.
    pub is_odd_spelling: Option<fn(ZarrVersion, &Configuration) -> bool>,
    /// A codec that compresses as this one does with the parameters of a spec, though into another stream, where the spec
    /// itself has no form among the names.
    pub equivalent: Option<fn(&CodecSpec, CodecNames) -> Option<CodecSpec>>,
    /// The wrapper and zlib's level of a codec that makes a deflate stream.
    pub deflate_wrapper: Option<fn(&CodecSpec, &ChunkType) -> Option<(DeflateWrapper, u32)>>,
    /// True if what reads streams of the second spec reads those of the first as well, and nobody misses anything in
    /// them, though an encoder of the second makes others. Both specs name this codec.
    pub serves: Option<fn(&CodecSpec, &CodecSpec) -> bool>,
    /// True if streams say all that decoding needs: parameters, such as a level, matter to an encoder alone.
    pub self_describing: bool,
    /// A check of streams that were stored under a Zarr name: true if HDF5's plugins decode the stream. Without it, they
    /// decode all that this codec does.
    pub hdf5_check: Option<fn(&[u8]) -> bool>,
}

impl<'a> CodecFacts<'a> {
    /// A lossless codec of bytes that neither HDF5 nor Zarr names, without extensions.
    pub const fn named(name: &'a str) -> Self {
        Self {
            name,
            hdf5_id: None,
            zarr2: None,
            zarr3: None,
            zarr3_aliases: &[],
            parameters_help: "",
            members: &[],
            input: CodecInput::Bytes,
            makes_bytes: false,
            in_netcdf_c: false,
            in_numcodecs: true,
            known_to: &[],
            filter_in_zarr2: false,
            only_reorders: false,
            verifies: false,
            is_lossy: false,
            is_checksum: false,
            stored_parameters: None,
            moved_parameters: None,
            zarr_form: None,
            visible_parameters: None,
            canonical_parameters: None,
            unsaid_members: &[],
            netcdf_c_numbers: None,
            encoded_type: None,
            same_configuration: None,
            renamed_configuration: None,
            type_member: None,
            is_odd_spelling: None,
            equivalent: None,
            deflate_wrapper: None,
            serves: None,
            self_describing: false,
            hdf5_check: None,
        }
    }

    /// The name to write in the metadata of a version of Zarr.
    pub fn zarr_name(&self, version: ZarrVersion) -> Option<&'a str> {
        match version {
            ZarrVersion::V2 => self.zarr2,
            ZarrVersion::V3 => self.zarr3,
        }
    }

    /// All names that are read in a version of Zarr, that to write first.
    pub fn zarr_names(&self, version: ZarrVersion) -> impl Iterator<Item = &'a str> + use<'a> {
        let aliases = match version {
            ZarrVersion::V2 => &[],
            ZarrVersion::V3 => self.zarr3_aliases,
        };
        self.zarr_name(version).into_iter().chain(aliases.iter().copied())
    }

    /// True if decoding compares a checksum.
    pub fn verifies(&self) -> bool {
        self.verifies || self.is_checksum
    }
}
