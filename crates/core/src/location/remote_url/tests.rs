//! Tests of remote names. What requests result is tested with the settings, in `crates/core/tests/all/remote_requests`.

use super::*;
use crate::model::Kind;
use crate::remote_settings::{Provider, ProviderParts};

fn url(name: &str) -> RemoteUrl {
    parse(name).unwrap_or_else(|e| panic!("{name}: {e}")).url
}

fn refused(name: &str) -> String {
    parse(name)
        .map(|ok| panic!("{name}: {ok:?}"))
        .unwrap_err()
        .to_string()
}

#[test]
fn what_is_malformed_is_refused_without_its_secrets() {
    for (name, says) in [
        ("ftp://h/x", "the scheme ftp:// is unknown"),
        ("dods://h/x#dap4", "dap2,dap4: these words contradict"),
        ("gs://b/x#dap2", "OPeNDAP is asked by http:// or https://"),
        ("https://h/x.nc#dap4&mode=zarr", "OPeNDAP and another protocol"),
        ("zoh://h/x", "Zarr over HTTP"),
        ("s3://b/k#mode=zoh", "Zarr over HTTP"),
        ("s3://", "names no bucket"),
        ("s3:///key", "names no bucket"),
        ("s3://b u/key", "is no name of a bucket"),
        ("s3://b/a//c", "the key has an empty part"),
        ("s3://b/../c", "the key has an empty part"),
        ("s3://u:hunter2@b/k", "has no user and password"),
        ("s3://u@h:9000/b/k", "has no user and password"),
        ("s3://arn:aws:s3:::b/k", "no port"),
        ("https://s3.amazonaws.com/", "names no bucket"),
        ("https://s3.amazonaws.com/b/%2e%2e/x", "the key has an empty part"),
        (
            "https://u:hunter2@s3.amazonaws.com/b/x",
            "has no user and password",
        ),
        (
            "https://b.s3.amazonaws.com/k?X-Amz-Signature=hunter2#mode=s3",
            "has a query",
        ),
        (
            "https://b.s3.amazonaws.com/k?X-Amz-Signature=hunter2#mode=zarr",
            "has a query",
        ),
        ("https://b.s3.amazonaws.com/k#mode=gs3", "another protocol"),
        (
            "gs://b/k#mode=s3",
            "stands for Google Cloud Storage, and the fragment for S3",
        ),
        ("az://Cont/k", "is no name of a container"),
        ("abfss://c@example.org/k", "this scheme has the form"),
        ("abfss://a.dfs.core.windows.net/k", "this scheme has the form"),
        ("https://h:99999/x", "no port"),
        ("https://hunter2@h/x", "a user without a password"),
        ("https://u:%zz@h/x", "hexadecimal"),
        ("https://h/a\r\nX: y", "control character"),
        ("https:///x", "no host"),
        ("s3://b/k#aws.secret_access_key=hunter2", "secrets do not belong"),
        ("[aws.session_token=hunter2]s3://b/k", "secrets do not belong"),
    ] {
        let error = refused(name);
        assert!(error.contains(says), "{name}: {error}");
        assert!(!error.contains("hunter2"), "{error}");
    }
    assert!(refused(&format!("s3://b/{}", "x".repeat(20000))).contains("more than"));
}

#[test]
fn brackets_are_a_fragment() {
    for (name, written) in [
        ("[mode=zarr,s3]https://h/b/k", "https://h/b/k#mode=zarr,s3"),
        (
            "[mode=s3][AWS.profile=x]s3://b/k#zarr",
            "s3://b/k#mode=s3&AWS.profile=x&zarr",
        ),
        ("[mode=zarr]file://x", "file://x#mode=zarr"),
        ("[a]b", "[a]b"),
        ("[a]", "[a]"),
        ("[://", "[://"),
        ("[x]dir/file.nc", "[x]dir/file.nc"),
    ] {
        assert_eq!(with_fragment(name), written);
    }
    let name = parse("[mode=zarr,s3][AWS.Profile=no]http://h:9000/b/k").unwrap();
    assert_eq!(name.url.asked.profile.as_deref(), Some("no"));
    assert_eq!((name.url.provider(), name.url.form), (Provider::S3, Form::Tree));
    assert_eq!(name.url.shown, "http://h:9000/b/k");
}

#[test]
fn urls_are_told_in_words() {
    for (name, meaning, file_name) in [
        ("s3://my.b/a/x.nc", "S3, bucket 'my.b', key 'a/x.nc'", "x.nc"),
        ("s3://b", "S3, bucket 'b', all keys", "b"),
        (
            "https://h:1/b/x.zarr/#mode=s3",
            "S3, server https://h:1, bucket 'b', key 'x.zarr'",
            "x.zarr",
        ),
        ("az://c/k", "Azure Blob Storage, container 'c', key 'k'", "k"),
        (
            "abfss://c@acc.dfs.core.windows.net/k",
            "Azure Blob Storage, server https://acc.blob.core.windows.net, container 'c', account 'acc', key 'k'",
            "k",
        ),
        ("https://h/a/x.nc?y=1", "HTTP, server https://h", "x.nc"),
    ] {
        let url = url(name);
        assert_eq!(url.meaning(), meaning);
        assert_eq!(url.file_name(), file_name);
    }
}

#[test]
fn nothing_printed_holds_a_secret() {
    let url = url("https://u:hunter2@h/p?sig=hunter2#mode=bytes");
    let ProviderParts::Http { query, login } = &url.parts else {
        panic!("{url:?}");
    };
    assert_eq!(login.as_ref().unwrap().password.expose(), "hunter2");
    assert_eq!(query.as_ref().unwrap().expose(), "sig=hunter2");
    let printed = format!("{url:?} {url} {}", url.meaning());
    assert!(!printed.contains("hunter2"), "{printed}");
    assert_eq!(url.shown, "https://***@h/p?***");
}

/// What a fragment says of a bucket on a server that nothing is known of.
fn words(fragment: &str) -> Result<RemoteName> {
    parse(&format!("https://h/b/k#{fragment}"))
}

#[test]
fn words_and_keys_ignore_case() {
    for fragment in ["mode=zarr,s3", "MODE=Zarr,S3", "zarr&s3", "mode=s3&Mode=zarr"] {
        let name = words(fragment).unwrap();
        assert_eq!(name.url.provider(), Provider::S3, "{fragment}");
        let mode = name.mode.unwrap();
        assert_eq!((mode.format, mode.warnings.len()), (Some(Kind::Zarr2), 0));
        assert_eq!(name.url.form, Form::Tree);
    }
    let asked = words("AWS.Profile=a&aws.REGION=b&aws.endpoint=http://h:1/")
        .unwrap()
        .url
        .asked;
    let asked = [asked.profile, asked.region, asked.endpoint];
    assert_eq!(asked.map(Option::unwrap), ["a", "b", "http://h:1/"]);
}

#[test]
fn the_form_follows_from_the_words() {
    for (fragment, form) in [
        ("", Form::Unsaid),
        ("mode=s3", Form::Unsaid),
        ("aws.profile=x", Form::Unsaid),
        ("bytes", Form::Object),
        ("mode=bytes,s3", Form::Object),
        ("mode=bytes,zarr", Form::Object),
        ("mode=zarr,zip", Form::Object),
        ("mode=nczarr", Form::Tree),
        ("mode=v3", Form::Tree),
        ("consolidated", Form::Tree),
        ("dap2", Form::Dap2),
        ("protocol=dods", Form::Dap2),
        ("mode=dap4", Form::Dap4),
    ] {
        assert_eq!(words(fragment).unwrap().url.form, form, "{fragment}");
    }
}

#[test]
fn what_cannot_be_is_refused() {
    for (fragment, says) in [
        ("aws.access_key_id=AKIA", "#aws.access_key_id: secrets"),
        ("AWS.SECRET_ACCESS_KEY=hunter2", "#aws.secret_access_key: secrets"),
        ("aws.session_token=hunter2", "secrets do not belong"),
        ("http.credentials.password=hunter2", "secrets do not belong"),
        ("mode=dap2,s3", "OPeNDAP and another protocol"),
        ("dap4&protocol=dap2", "contradict"),
        ("protocol=ftp", "the protocols are dap2, dap4"),
        ("mode=zoh", "zoh: "),
        ("mode=s3,gs3", "contradict"),
        ("mode=zarr,file", "mode=file stands for a folder"),
        ("aws.profile=", "aws.profile= has no value"),
        ("aws.region=a&aws.region=b", "given twice"),
        ("mode=zarr,v2,v3", "contradict"),
    ] {
        let error = words(fragment).unwrap_err().to_string();
        assert!(error.contains(says), "{fragment}: {error}");
        assert!(!error.contains("hunter2"), "{error}");
    }
}

#[test]
fn unknown_words_are_told() {
    let name = words("mode=s3,fast&log").unwrap();
    assert_eq!(name.mode.unwrap().warnings.len(), 2);
}
