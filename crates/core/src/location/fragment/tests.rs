use super::*;

fn mode(fragment: &str) -> Mode {
    let name = format!("x#{fragment}");
    let (rest, mode) = split(&name).unwrap().unwrap();
    assert_eq!(rest, "x");
    mode
}

#[test]
fn words_alone_are_those_of_mode() {
    for fragment in ["v3", "zarr,v3", "V3,zip"] {
        assert_eq!(mode(fragment).format, Some(Kind::Zarr3), "{fragment}");
    }
    assert_eq!(mode("zarr,zip").store, Some(StoreKind::Zip));
    assert!(split("x#1,2").unwrap().is_none() && split("x#v3x").unwrap().is_none());
    let error = split("x#mode=zarr,v4").unwrap_err().to_string();
    assert!(error.contains("v2 and v3 are possible"), "{error}");
}

#[test]
fn words_name_the_format() {
    let (nczarr, pure, v3) = (Some(Kind::Nczarr), Some(Kind::Zarr2), Some(Kind::Zarr3));
    for (fragment, format) in [
        ("mode=nczarr", nczarr),
        ("mode=nczarr,file", nczarr),
        ("mode=nczarr,xarray", nczarr),
        ("mode=noxarray,nczarr", nczarr),
        ("mode=nczarr,v2", nczarr),
        ("nczarr", nczarr),
        ("NCZarr", nczarr),
        ("Mode=NCZARR", nczarr),
        ("mode=nczarr&mode=zip", nczarr),
        ("mode=zarr", pure),
        ("zarr", pure),
        ("zarr&key=/", pure),
        ("mode=nczarr,zarr", pure),
        ("nczarr&mode=zarr", pure),
        ("mode=zarr,nczarr,xarray", pure),
        ("mode=xarray", pure),
        ("mode=noxarray", pure),
        ("mode=v3", v3),
        ("mode=zarr,v3", v3),
        ("mode=V3,zarr,zip", v3),
        ("zarr&mode=v3", v3),
        ("mode=xarray,v3", v3),
        ("mode=nczarr,zarr,v3", v3),
        ("mode=zarr,v2", pure),
        ("mode=file", None),
        ("mode=v2", None),
        ("fillvalue=mask", None),
        ("mode=consolidated,zip", None),
        ("mode=", None),
    ] {
        assert_eq!(mode(fragment).format, format, "{fragment}");
    }
}

#[test]
fn words_name_the_store_and_the_options() {
    assert_eq!(mode("mode=nczarr").store, None);
    assert_eq!(mode("mode=nczarr,file").store, Some(StoreKind::Directory));
    assert_eq!(mode("mode=zip, zarr").store, Some(StoreKind::Zip));
    let options = |fragment, kind| {
        let options = mode(fragment).write_options(kind);
        (options.xarray, options.consolidated)
    };
    assert_eq!(options("mode=nczarr", Kind::Nczarr), (true, false));
    assert_eq!(
        options("mode=nczarr,noxarray,consolidated", Kind::Nczarr),
        (false, true)
    );
    assert_eq!(options("mode=zarr", Kind::Zarr2), (true, true));
    assert_eq!(options("mode=noxarray", Kind::Zarr2), (false, true));
    assert!(!mode("mode=zarr").read_options().consolidated);
    assert!(mode("mode=consolidated").read_options().consolidated);
    for (fragment, version, masks) in [
        ("mode=zarr", None, false),
        ("mode=v2", Some(ZarrVersion::V2), false),
        ("mode=nczarr,v2", Some(ZarrVersion::V2), false),
        ("mode=zarr,v3", Some(ZarrVersion::V3), false),
        ("mode=v3&FillValue=MASK", Some(ZarrVersion::V3), true),
        ("fillvalue=mask", None, true),
    ] {
        let options = mode(fragment).read_options();
        assert_eq!(
            (options.version, options.fill_is_missing),
            (version, masks),
            "{fragment}"
        );
        assert!(mode(fragment).is_zarr());
    }
    for (fragment, folder) in [
        ("mode=zip", None),
        ("mode=zip&key=/", Some("")),
        ("mode=zip&key=/a/b%20c/", Some("a/b c")),
        ("mode=zip&KEY=a", Some("a")),
    ] {
        assert_eq!(mode(fragment).top_folder.as_deref(), folder, "{fragment}");
    }
}

#[test]
fn a_key_behind_a_comma_is_refused() {
    let pairs = [(Cow::from("mode"), Cow::from("icechunk,branch=dev"))];
    let told = parse(pairs.into_iter()).unwrap_err().to_string();
    assert!(told.contains("'&branch=dev'"), "{told}");
}

#[test]
fn unknown_words_are_told() {
    for (fragment, warning) in [
        ("mode=nczarr,fast", "mode=fast: an unknown word, which is ignored"),
        ("nczarr&log", "#log: an unknown key, which is ignored"),
        ("mode=zarr&a.b=c", "#a.b: an unknown key, which is ignored"),
        ("nczarr=1&zarr", "#nczarr: an unknown key, which is ignored"),
        (
            "mode=nczarr,file&key=a",
            "key= names a folder in a zip file, and is ignored for a folder",
        ),
        (
            "mode=zarr,v3,noxarray",
            "mode=noxarray: Zarr version 3 always has the names of dimensions",
        ),
    ] {
        assert_eq!(mode(fragment).warnings, [warning], "{fragment}");
    }
    assert!(mode("mode=nczarr,zip,v2,xarray&key=/a").warnings.is_empty());
    assert!(!mode("mode=netcdf4").is_zarr());
    assert!(mode("mode=zip").is_zarr());
}

#[test]
fn what_cannot_be_is_refused() {
    for (fragment, says) in [
        ("mode=bytes", "#bytes is for URLs"),
        ("bytes", "#bytes is for URLs"),
        ("mode=nczarr,s3", "#s3 is for URLs"),
        ("mode=nczarr,v3", "NCZarr is not published for Zarr version 3"),
        ("mode=zarr,v2,v3", "mode=v2,v3: these words contradict"),
        ("mode=v3&mode=v2", "contradict"),
        ("mode=v3&fillvalue=keep", "fillvalue=keep: the only value"),
        ("fillvalue", "the only value of this key is mask"),
        ("protocol=dap2", "#protocol= is for URLs of OPeNDAP servers"),
        ("dap4", "#dap4 is for URLs of OPeNDAP servers"),
        ("stringlength=0", "the value is a number of characters"),
        ("mode=nczarr,zip,file", "contradict"),
        ("mode=nczarr,xarray,noxarray", "contradict"),
        ("mode=zip&key=../x", "key=../x"),
        ("mode=zip&key=a//x", "key=a//x"),
        ("mode=zip&key=a%00", "not a folder"),
    ] {
        let error = split(&format!("x#{fragment}")).unwrap_err().to_string();
        assert!(error.contains(says), "{fragment}: {error}");
    }
}

#[test]
fn other_fragments_are_part_of_the_name() {
    for name in ["x", "x#", "x#1.nc", "x#modest=1", "x#zarrs", "x#zip", "x#key=a"] {
        assert_eq!(split(name).unwrap(), None, "{name}");
    }
}

#[test]
fn what_looks_like_a_fragment_is_told() {
    for (name, meant) in [
        ("x#mod=zarr", ": is 'mode' meant;"),
        ("x.nc#moed=nczarr,file&key=/a", ": is 'mode' meant;"),
        ("file:///x#format=zarr", "name;"),
        ("x#key=a", "name;"),
    ] {
        let warning = misspelt(name).unwrap();
        let (_, fragment) = name.split_once('#').unwrap();
        assert!(
            warning.contains(&format!("'#{fragment}' is part of the file's name")),
            "{warning}"
        );
        assert!(warning.contains(meant), "{warning}");
    }
    for name in [
        "x",
        "x#",
        "x#1.nc",
        "x#zip",
        "x#a b=c",
        "x#a=",
        "x#a=b&c",
        "x#mode=zarr",
        "x#zarr",
        "x#k=v&mode=zarr",
    ] {
        assert_eq!(misspelt(name), None, "{name}");
    }
}

#[test]
fn repositories_have_a_specification() {
    assert_eq!(mode("mode=icechunk").specification, None);
    assert_eq!(
        mode("mode=icechunk&spec=2").specification,
        Some(Specification::V2)
    );
    for (fragment, told) in [
        ("mode=icechunk&spec=3", "spec=3"),
        ("mode=zarr&spec=2", "mode=icechunk&spec=2"),
        ("mode=icechunk,spec=2", "'&spec=2'"),
    ] {
        let error = split(&format!("x#{fragment}")).unwrap_err().to_string();
        assert!(error.contains(told), "{error}");
    }
}
