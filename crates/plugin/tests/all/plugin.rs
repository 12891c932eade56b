//! A plugin that the test compiles: encoding, decoding, parameters, Zarr names, errors.

use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use ncutils_core::error::Error;
use ncutils_core::filter::{AskedCodec, ChunkShape, ChunkType, CodecFinder, NumberClass, Registry, Scratch};
use ncutils_core::model::{CodecSpec, Configuration, Endian, ZarrVersion};
use ncutils_plugin::{Directories, PluginFinder};

const ID: u32 = 40000;

/// Compiles `source` to the library `to`; false, and a word about it, without a C compiler.
fn compile(source: &Path, to: &Path, more: &[&str]) -> bool {
    let compiler = std::env::var_os("CC").unwrap_or_else(|| "cc".into());
    let done = Command::new(compiler)
        .args(["-shared", "-fPIC", "-O1", "-o"])
        .args([to, source])
        .args(more)
        .status();
    match done {
        Ok(status) => {
            assert!(status.success(), "{} does not compile", source.display());
            true
        }
        Err(error) => {
            eprintln!("SKIPPED: there is no C compiler to make a plugin with: {error}");
            false
        }
    }
}

fn source() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/test_plugin.c")
}

/// A registry that finds plugins in `folder`.
fn registry(folder: &Path) -> (Registry, Arc<PluginFinder>) {
    let folders = Directories::Searched(vec![folder.to_owned()]);
    let finder = Arc::new(PluginFinder::new(folders, false));
    let mut registry = Registry::builtin();
    registry.set_finder(Arc::clone(&finder) as Arc<dyn CodecFinder>);
    (registry, finder)
}

fn shorts() -> ChunkType {
    ChunkType::of_numbers(NumberClass::Unsigned, 2, Endian::Big, &[3, 4])
}

#[test]
fn a_plugin_is_a_filter_of_hdf5() {
    let dir = tempfile::tempdir().unwrap();
    if !compile(&source(), &dir.path().join("libtest_plugin.so"), &[]) {
        return;
    }
    let (registry, finder) = registry(dir.path());
    let specs = registry
        .new_pipeline(&[AskedCodec::id(ID, [7])], &shorts())
        .unwrap();
    assert_eq!(specs[0].parameters(), [7, 2, 0, 1, 0, 2, 3, 4]);
    assert_eq!(specs[0].name(), "test filter");

    let pipeline = registry.bind(&specs, &shorts()).unwrap();
    let data: Vec<u8> = (0..24).collect();
    let mut scratch = Scratch::new();
    let chunk = pipeline.encode(&data, ChunkShape::Full, &mut scratch).unwrap();
    assert_eq!(chunk.filter_mask, 0);
    assert!(
        chunk
            .bytes
            .iter()
            .zip(&data)
            .all(|(made, byte)| *made == byte ^ 7)
    );
    assert_eq!(
        pipeline.decode(chunk, ChunkShape::Full, &mut scratch).unwrap(),
        data
    );

    // Parameters for another shape and type.
    let floats = ChunkType::of_numbers(NumberClass::Float, 4, Endian::Little, &[5]);
    let adapted = registry
        .adapted(&CodecSpec::hdf5(ID, [7, 1, 1, 1, 1, 1, 9]), &floats)
        .unwrap();
    assert_eq!(adapted.parameters(), [7, 4, 1, 0, u32::MAX, 1, 5]);

    let (listed, failures) = finder.list();
    assert_eq!((listed.len(), failures.len()), (1, 0));
    assert_eq!(
        (listed[0].id, listed[0].zarr_name.as_deref()),
        (ID, Some("test_xor"))
    );
    assert!(listed[0].encodes && listed[0].decodes && listed[0].sets_local);
}

/// `ncdump -s` prints stored parameters, and a user gives them back.
#[test]
fn stored_parameters_can_be_given() {
    let dir = tempfile::tempdir().unwrap();
    // This one refuses what it stores.
    if !compile(
        &source(),
        &dir.path().join("libtest_plugin.so"),
        &["-DONE_PARAMETER"],
    ) {
        return;
    }
    let (registry, _) = registry(dir.path());
    let stored = [7, 2, 0, 1, 0, 2, 3, 4];
    let made = |parameters: &[u32], chunk: &ChunkType| {
        let pipeline = registry.new_pipeline(&[AskedCodec::id(ID, parameters)], chunk);
        pipeline.map(|specs| specs[0].parameters().to_vec())
    };
    assert_eq!(made(&[7], &shorts()).unwrap(), stored);
    assert_eq!(made(&stored, &shorts()).unwrap(), stored);
    let floats = ChunkType::of_numbers(NumberClass::Float, 4, Endian::Little, &[5, 6]);
    let error = made(&stored, &floats).unwrap_err().to_string();
    for says in [
        "libtest_plugin.so: it takes one parameter",
        "of another type or shape",
        "here give '40000,' and the numbers",
    ] {
        assert!(error.contains(says), "{says}: {error}");
    }
    // A copy knows the chunks that they were stored for.
    let spec = CodecSpec::hdf5(ID, stored);
    let moved = registry.moved(&spec, &shorts(), &floats).unwrap();
    assert_eq!(moved.parameters(), [7, 4, 1, 0, u32::MAX, 2, 5, 6]);
}

#[test]
fn a_plugin_is_known_by_its_name() {
    let dir = tempfile::tempdir().unwrap();
    if !compile(&source(), &dir.path().join("libtest_plugin.so"), &[]) {
        return;
    }
    let (registry, _) = registry(dir.path());
    let made = |text: &str| {
        let asked = ncutils_core::filter::spec::parse_filters(text).unwrap();
        registry.new_pipeline(&asked, &shorts())
    };
    for text in ["test filter,7", "Test Filter,7"] {
        assert_eq!(made(text).unwrap()[0].hdf5_id(), Some(ID));
    }
    let error = made("tset filter,7").unwrap_err().to_string();
    assert!(error.contains("is 'test filter' meant?"), "{error}");
    let error = made("zebra,7").unwrap_err().to_string();
    assert!(error.ends_with(", test filter"), "{error}");
    // Its codec for Zarr knows names.
    let named = made("test filter,key=7").unwrap();
    assert_eq!(named, made("test filter,7").unwrap());
    let error = made("test filter,kee=7").unwrap_err().to_string();
    assert!(error.contains("has no parameters with names"), "{error}");
}

#[test]
fn chunks_of_many_threads_go_through_it() {
    let dir = tempfile::tempdir().unwrap();
    if !compile(&source(), &dir.path().join("libtest_plugin.so"), &[]) {
        return;
    }
    let (registry, _) = registry(dir.path());
    let pipeline = registry.bind(&[CodecSpec::hdf5(ID, [9])], &shorts()).unwrap();
    std::thread::scope(|scope| {
        for thread in 0..4u8 {
            let pipeline = &pipeline;
            scope.spawn(move || {
                let mut scratch = Scratch::new();
                for round in 0..50 {
                    let data = vec![thread ^ round; 24];
                    let chunk = pipeline.encode(&data, ChunkShape::Full, &mut scratch).unwrap();
                    assert_eq!(
                        pipeline.decode(chunk, ChunkShape::Full, &mut scratch).unwrap(),
                        data
                    );
                }
            });
        }
    });
}

#[test]
fn errors_name_the_plugin() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("libtest_plugin.so");
    if !compile(&source(), &path, &[]) {
        return;
    }
    let (registry, _) = registry(dir.path());
    let path = path.display();
    let refused = |parameters: &[u32], chunk: &ChunkType| {
        let error = registry.new_pipeline(&[AskedCodec::id(ID, parameters)], chunk);
        error.unwrap_err().to_string()
    };
    let begin = format!("filter 40000 (test filter) is refused by its plugin {path}: ");
    assert_eq!(refused(&[], &shorts()), format!("{begin}the key is missing"));
    let thirteen = ChunkType::of_bytes(13);
    assert_eq!(
        refused(&[1], &thirteen),
        format!("{begin}it cannot be applied to such chunks")
    );

    let fails = |key: u32| {
        let spec = CodecSpec::hdf5(ID, [key]).with_optional(false);
        let pipeline = registry.bind(&[spec], &shorts()).unwrap();
        let mut scratch = Scratch::new();
        let encoded = pipeline.encode(&[1; 24], ChunkShape::Full, &mut scratch);
        let chunk = ncutils_core::filter::EncodedChunk {
            bytes: vec![1; 100],
            filter_mask: 0,
        };
        let decoded = pipeline.decode(chunk, ChunkShape::Full, &mut scratch);
        (
            encoded.map(|_| ()).map_err(|error| error.to_string()),
            decoded.unwrap_err().to_string(),
        )
    };
    let begin = format!("filter 40000 (test filter): plugin {path}: ");
    let (encoded, decoded) = fails(255);
    let told = format!("{begin}the key %d is not for use");
    assert_eq!((encoded.unwrap_err(), decoded), (told.clone(), told));
    let (encoded, decoded) = fails(254);
    assert!(encoded.unwrap_err().contains("expected"));
    assert!(decoded.contains("more than the 24 bytes expected"), "{decoded}");
    let (encoded, decoded) = fails(253);
    assert_eq!(encoded, Ok(()));
    assert!(decoded.contains("more than the 24 bytes expected"), "{decoded}");
}

#[test]
fn a_codec_of_nczarr_is_paired_with_its_filter() {
    let dir = tempfile::tempdir().unwrap();
    if !compile(&source(), &dir.path().join("libtest_plugin.so"), &[]) {
        return;
    }
    let (registry, _) = registry(dir.path());
    let configuration = Configuration::from_iter([("key".to_owned(), 7.into())]);
    let v2 = CodecSpec::zarr(ZarrVersion::V2, "test_xor", configuration.clone());
    let v3 = CodecSpec::zarr(ZarrVersion::V3, "numcodecs.test_xor", configuration);
    let stored = [7, 2, 0, 1, 0, 2, 3, 4];
    let hdf5 = registry.in_hdf5(&v2, &shorts()).unwrap();
    assert_eq!((hdf5.hdf5_id(), hdf5.parameters()), (Some(ID), &stored[..]));
    assert_eq!(registry.in_zarr(&hdf5, ZarrVersion::V2, &shorts()).unwrap(), v2);
    assert_eq!(registry.in_zarr(&hdf5, ZarrVersion::V3, &shorts()).unwrap(), v3);
    assert!(registry.same_stream(&v2, &hdf5, &shorts()));
    let mut scratch = Scratch::new();
    let pipeline = registry.bind(&[v3], &shorts()).unwrap();
    let chunk = pipeline.encode(&[1; 24], ChunkShape::Full, &mut scratch).unwrap();
    assert_eq!(chunk.bytes, [6; 24]);
    // Without what it needs in its configuration.
    let bare = CodecSpec::zarr(ZarrVersion::V2, "test_xor", Configuration::new());
    let pipeline = registry.bind(&[bare], &shorts()).unwrap();
    assert!(pipeline.encode(&[1; 24], ChunkShape::Full, &mut scratch).is_err());
}

#[test]
fn a_missing_filter_is_told_with_where_it_was_looked_for() {
    let dir = tempfile::tempdir().unwrap();
    // A library that needs another one, which is then removed, as a plugin whose libhdf5 is missing.
    let needed = dir.path().join("needed.so");
    let empty = dir.path().join("empty.c");
    std::fs::write(&empty, "int needed_function(void) { return 1; }\n").unwrap();
    if !compile(&empty, &needed, &["-Wl,-soname,libneeded_hdf5.so"]) {
        return;
    }
    let needs = ["-Wl,--no-as-needed", needed.to_str().unwrap()];
    // By its name it may have the filter, and by theirs the others may not.
    assert!(compile(&source(), &dir.path().join("libh5sz3.so"), &needs));
    std::fs::remove_file(needed).unwrap();
    std::fs::write(dir.path().join("libnot_elf.so"), "text").unwrap();
    std::fs::write(dir.path().join("liblzf_filter.so"), "text").unwrap();

    let nowhere = dir.path().join("nowhere");
    let folders = Directories::Searched(vec![dir.path().to_owned(), nowhere.clone()]);
    let finder = Arc::new(PluginFinder::new(folders, false));
    let mut registry = Registry::builtin();
    registry.set_finder(Arc::clone(&finder) as Arc<dyn CodecFinder>);
    let spec = CodecSpec::hdf5(32024, [1]);
    let error = registry
        .bind(&[spec], &shorts())
        .unwrap()
        .check_known()
        .unwrap_err();
    assert!(matches!(error, Error::UnknownFilter { .. }));
    let text = error.to_string();
    for says in [
        "filter 32024 (SZ3) is not built in, and no plugin in ",
        &dir.path().display().to_string(),
        "HDF5_PLUGIN_PATH",
        "libh5sz3.so: libneeded_hdf5.so: cannot open shared object file",
        "; 2 files could not be loaded; 'ncdump --filters' tells why",
        &format!("{} (does not exist)", nowhere.display()),
    ] {
        assert!(text.contains(says), "{says}: {text}");
    }
    assert!(!text.contains("libnot_elf") && !text.contains("lzf"), "{text}");
    let (listed, failures) = finder.list();
    assert_eq!((listed.len(), failures.len()), (0, 3));

    let mut off = Registry::builtin();
    off.set_finder(Arc::new(PluginFinder::new(Directories::Off, false)));
    let spec = CodecSpec::hdf5(ID, [1]);
    let error = off.bind(&[spec], &shorts()).unwrap().check_known().unwrap_err();
    assert!(error.to_string().contains("HDF5_PLUGIN_PRELOAD=::"), "{error}");
}

#[test]
fn built_in_codecs_come_first_unless_plugins_are_preferred() {
    let dir = tempfile::tempdir().unwrap();
    if !compile(&source(), &dir.path().join("libtest_plugin.so"), &["-DID=1"]) {
        return;
    }
    let folders = || Directories::Searched(vec![dir.path().to_owned()]);
    let name = |preferred| {
        let mut registry = Registry::builtin();
        registry.set_finder(Arc::new(PluginFinder::new(folders(), preferred)));
        let deflate = registry.find(&CodecSpec::hdf5(1, [5])).unwrap();
        deflate.name().to_owned()
    };
    assert_eq!(name(false), "deflate");
    assert_eq!(name(true), "test filter");
}
