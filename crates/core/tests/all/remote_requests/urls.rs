//! Rules of URLs.

use ncutils_core::location::remote_url;
use ncutils_core::remote_settings::{Form, Provider};

use super::surroundings::{Surroundings, request};

#[test]
fn each_form_of_a_url_makes_its_request() {
    use Provider::{Azure, Gcs, Http, S3};
    let around = Surroundings::of(&[
        "AZURE_STORAGE_ACCOUNT=acc",
        "AWS_REGION=eu-west-1",
        "AWS_PROFILE=no",
    ]);
    for (name, provider, url) in [
        // A bucket and a key.
        (
            "s3://bucket/a/x.nc",
            S3,
            "https://bucket.s3.eu-west-1.amazonaws.com/a/x.nc",
        ),
        (
            "S3://bucket/a/x.nc/",
            S3,
            "https://bucket.s3.eu-west-1.amazonaws.com/a/x.nc",
        ),
        ("s3://bucket", S3, "https://bucket.s3.eu-west-1.amazonaws.com"),
        ("s3://bucket/", S3, "https://bucket.s3.eu-west-1.amazonaws.com"),
        // A dotted name is a bucket, and has no certificate in front of the host.
        (
            "s3://my.data.org/x",
            S3,
            "https://s3.eu-west-1.amazonaws.com/my.data.org/x",
        ),
        (
            "s3://Old_Bucket/x",
            S3,
            "https://s3.eu-west-1.amazonaws.com/Old_Bucket/x",
        ),
        // A key is taken as it is typed.
        (
            "s3://bucket/a b%20c?d+e",
            S3,
            "https://bucket.s3.eu-west-1.amazonaws.com/a%20b%2520c%3Fd%2Be",
        ),
        // A host: it has a port, or is one of AWS or Google.
        (
            "s3://localhost:9000/bucket/x",
            S3,
            "https://localhost:9000/bucket/x",
        ),
        ("s3://my.host:9000/bucket/x", S3, "https://my.host:9000/bucket/x"),
        (
            "s3://s3.us-west-2.amazonaws.com/bucket/x",
            S3,
            "https://s3.us-west-2.amazonaws.com/bucket/x",
        ),
        (
            "s3://bucket.s3.us-west-2.amazonaws.com/x",
            S3,
            "https://bucket.s3.us-west-2.amazonaws.com/x",
        ),
        (
            "s3://storage.googleapis.com/bucket/x",
            S3,
            "https://storage.googleapis.com/bucket/x",
        ),
        // Path style and virtual-host style, with and without region.
        (
            "https://s3.us-west-2.amazonaws.com/bucket/x",
            S3,
            "https://s3.us-west-2.amazonaws.com/bucket/x",
        ),
        (
            "https://s3.amazonaws.com/bucket/x",
            S3,
            "https://s3.eu-west-1.amazonaws.com/bucket/x",
        ),
        (
            "https://bucket.s3.us-west-2.amazonaws.com/x",
            S3,
            "https://bucket.s3.us-west-2.amazonaws.com/x",
        ),
        (
            "https://bucket.s3.amazonaws.com/x",
            S3,
            "https://bucket.s3.eu-west-1.amazonaws.com/x",
        ),
        (
            "https://a.b.s3.us-west-2.amazonaws.com/x",
            S3,
            "https://a.b.s3.us-west-2.amazonaws.com/x",
        ),
        (
            "https://BUCKET.S3.amazonaws.com/x",
            S3,
            "https://bucket.s3.eu-west-1.amazonaws.com/x",
        ),
        (
            "https://bucket.s3.dualstack.us-west-2.amazonaws.com/x",
            S3,
            "https://bucket.s3.dualstack.us-west-2.amazonaws.com/x",
        ),
        (
            "https://s3.dualstack.us-west-2.amazonaws.com/bucket/x",
            S3,
            "https://s3.dualstack.us-west-2.amazonaws.com/bucket/x",
        ),
        (
            "https://s3-us-west-2.amazonaws.com/bucket/x",
            S3,
            "https://s3-us-west-2.amazonaws.com/bucket/x",
        ),
        (
            "http://s3.us-west-2.amazonaws.com/bucket/x",
            S3,
            "http://s3.us-west-2.amazonaws.com/bucket/x",
        ),
        // A key after https:// is escaped.
        (
            "https://bucket.s3.us-west-2.amazonaws.com/a%20b%2Bc",
            S3,
            "https://bucket.s3.us-west-2.amazonaws.com/a%20b%2Bc",
        ),
        // Other servers, by a word: scheme, host and port as written.
        (
            "http://127.0.0.1:9000/bucket/x#mode=s3",
            S3,
            "http://127.0.0.1:9000/bucket/x",
        ),
        (
            "https://minio.example.org/bucket/x#s3",
            S3,
            "https://minio.example.org/bucket/x",
        ),
        (
            "https://s3.gra.example.net/bucket/x#mode=s3",
            S3,
            "https://s3.gra.example.net/bucket/x",
        ),
        (
            "http://bucket.s3.gra.example.net:81/a/x#mode=s3",
            S3,
            "http://bucket.s3.gra.example.net:81/a/x",
        ),
        (
            "http://[::1]:9000/bucket/x#mode=zarr,s3",
            S3,
            "http://[::1]:9000/bucket/x",
        ),
        (
            "[mode=zarr,s3]http://h:9000/bucket/x",
            S3,
            "http://h:9000/bucket/x",
        ),
        (
            "http://h:9000/bucket/x#MODE=Zarr,S3",
            S3,
            "http://h:9000/bucket/x",
        ),
        // Google.
        (
            "gs://my.bucket/x",
            Gcs,
            "https://storage.googleapis.com/my.bucket/x",
        ),
        ("gs3://bucket/x", Gcs, "https://storage.googleapis.com/bucket/x"),
        (
            "https://storage.googleapis.com/bucket/a/x",
            Gcs,
            "https://storage.googleapis.com/bucket/a/x",
        ),
        (
            "https://bucket.storage.googleapis.com/x",
            Gcs,
            "https://bucket.storage.googleapis.com/x",
        ),
        (
            "gs3://storage.googleapis.com/bucket/x",
            Gcs,
            "https://storage.googleapis.com/bucket/x",
        ),
        ("http://h:4443/bucket/x#mode=gs3", Gcs, "http://h:4443/bucket/x"),
        (
            "https://storage.googleapis.com/bucket/x#mode=s3",
            S3,
            "https://storage.googleapis.com/bucket/x",
        ),
        // Azure.
        ("az://cont/x", Azure, "https://acc.blob.core.windows.net/cont/x"),
        (
            "abfss://cont@other.dfs.core.windows.net/a/x",
            Azure,
            "https://other.blob.core.windows.net/cont/a/x",
        ),
        (
            "abfs://cont@other.dfs.core.windows.net/x",
            Azure,
            "https://other.blob.core.windows.net/cont/x",
        ),
        (
            "https://other.blob.core.windows.net/cont/x",
            Azure,
            "https://other.blob.core.windows.net/cont/x",
        ),
        (
            "https://other.dfs.core.windows.net/cont/x",
            Azure,
            "https://other.blob.core.windows.net/cont/x",
        ),
        // Plain HTTP: path and query as given.
        ("https://example.org/a/x.nc", Http, "https://example.org/a/x.nc"),
        ("https://example.org", Http, "https://example.org/"),
        (
            "http://example.org:8080/a//x.nc?b=c&d#bytes",
            Http,
            "http://example.org:8080/a//x.nc?b=c&d",
        ),
        (
            "https://example.org/%7Ea/x%20y z.nc",
            Http,
            "https://example.org/%7Ea/x%20y%20z.nc",
        ),
        (
            "https://thredds.example.org/thredds/fileServer/a.nc#mode=bytes",
            Http,
            "https://thredds.example.org/thredds/fileServer/a.nc",
        ),
        // A signed URL is sent as it is.
        (
            "https://b.s3.amazonaws.com/x?X-Amz-Signature=s",
            Http,
            "https://b.s3.amazonaws.com/x?X-Amz-Signature=s",
        ),
        (
            "https://storage.googleapis.com/b/x?X-Goog-Signature=s#bytes",
            Http,
            "https://storage.googleapis.com/b/x?X-Goog-Signature=s",
        ),
        (
            "https://a.blob.core.windows.net/c/x?sig=s",
            Http,
            "https://a.blob.core.windows.net/c/x?sig=s",
        ),
        (
            "https://b.s3-website-us-east-1.amazonaws.com/x",
            Http,
            "https://b.s3-website-us-east-1.amazonaws.com/x",
        ),
    ] {
        let found = remote_url::parse(name)
            .unwrap_or_else(|e| panic!("{name}: {e}"))
            .url;
        assert_eq!(found.provider(), provider, "{name}");
        assert_eq!(request(name, &around), format!("GET {url}"), "{name}");
    }
}

#[test]
fn words_say_what_is_there() {
    for (name, form) in [
        ("s3://b/x", Form::Unsaid),
        ("s3://b/x#mode=bytes", Form::Object),
        ("s3://b/x#mode=zarr,zip", Form::Object),
        ("s3://b/x#mode=zarr,s3", Form::Tree),
        ("s3://b#mode=nczarr,s3", Form::Tree),
        ("https://h/x.zarr#mode=zarr", Form::Tree),
        ("https://h/x.nc#bytes", Form::Object),
    ] {
        assert_eq!(remote_url::parse(name).unwrap().url.form, form, "{name}");
    }
}

#[test]
fn keys_of_a_tree_lie_below_its_key() {
    let around = Surroundings::of(&["AWS_PROFILE=no"]);
    for (name, url) in [
        (
            "s3://b12/x.zarr/#mode=zarr",
            "https://b12.s3.us-east-1.amazonaws.com/x.zarr/v/0.0",
        ),
        (
            "s3://b12#mode=zarr",
            "https://b12.s3.us-east-1.amazonaws.com/v/0.0",
        ),
        ("https://h/x.zarr/#mode=zarr", "https://h/x.zarr/v/0.0"),
        (
            "https://h/x.zarr?token=t#mode=zarr",
            "https://h/x.zarr/v/0.0?token=t",
        ),
        ("https://h#mode=zarr", "https://h/v/0.0"),
    ] {
        let settings = super::surroundings::settings(name, &around).unwrap();
        let parsed = remote_url::parse(name).unwrap().url;
        assert_eq!(settings.request_url(&parsed, "v/0.0").expose(), url, "{name}");
    }
}
