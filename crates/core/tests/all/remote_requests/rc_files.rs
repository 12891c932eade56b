//! Rules of rc files, TLS, proxies and logins.

use ncutils_core::remote_settings::settings::{OfProvider, Roots, Settings};

use super::surroundings::{Surroundings, request, settings};

/// The region that rc files give a name, or `none`.
fn region(name: &str, around: &[&str]) -> String {
    let settings = settings(name, &Surroundings::of(around)).unwrap();
    let OfProvider::S3 { region } = settings.of_provider else {
        panic!("{name}");
    };
    match region.from.to_ascii_uppercase().contains("AWS.REGION") {
        true => region.value,
        false => "none".to_owned(),
    }
}

#[test]
fn files_are_read_in_order_and_the_later_wins() {
    let file =
        |path: &str, region: &str| format!("{path}: # comment\n\n AWS.REGION = {region} \r\nAWS.PROFILE=no");
    let all: Vec<String> = [
        ("/home/u/.ncrc", "a"),
        ("/home/u/.daprc", "b"),
        ("/home/u/.dodsrc", "c"),
        ("/data/.ncrc", "d"),
        ("/data/.daprc", "e"),
        ("/data/.dodsrc", "f"),
    ]
    .map(|(path, region)| file(path, region))
    .into();
    for count in 0..=all.len() {
        let around: Vec<_> = all[..count].iter().map(String::as_str).collect();
        let expected = ["none", "a", "b", "c", "d", "e", "f"][count];
        assert_eq!(region("https://h/b/x#mode=s3", &around), expected);
    }
    let mut around: Vec<_> = all[..4].iter().map(String::as_str).collect();
    for (variable, expected) in [
        ("NCRCENV_RC=/home/u/.daprc", "b"),
        ("NCRCENV_HOME=/other", "d"),
        ("NCRCENV_IGNORE=", "none"),
    ] {
        around.push(variable);
        assert_eq!(region("https://h/b/x#mode=s3", &around), expected, "{variable}");
        if !variable.contains("HOME") {
            around.pop();
        }
    }
    let other = file("/other/.dodsrc", "o");
    assert_eq!(
        region("https://h/b/x#mode=s3", &["NCRCENV_HOME=/other", &other, &all[0]]),
        "o"
    );
    let error = request("https://h/x", &Surroundings::of(&["NCRCENV_RC=/gone"]));
    assert!(
        error.contains("/gone: cannot read what NCRCENV_RC names"),
        "{error}"
    );
}

#[test]
fn foreign_files_of_the_current_folder_are_not_read() {
    let around = ["!/data/.ncrc: AWS.REGION=evil\nAWS.PROFILE=no"];
    assert_eq!(region("https://h/b/x#mode=s3", &around), "none");
    let found = settings("https://h/b/x#mode=s3", &Surroundings::of(&around)).unwrap();
    assert_eq!(found.warnings, ["/data/.ncrc: not read, as another user owns it"]);
    // Anybody may put a pipe into a shared folder, so it keeps no program from running.
    let around = Surroundings::of(&["/data/.ncrc: UNREADABLE"]);
    let found = settings("https://h/x", &around).unwrap();
    let [warning] = &found.warnings[..] else {
        panic!("{:?}", found.warnings)
    };
    assert!(warning.starts_with("/data/.ncrc: not read: "), "{warning}");
    let error = request("https://h/x", &Surroundings::of(&["/home/u/.ncrc: UNREADABLE"]));
    assert!(error.contains("/home/u/.ncrc: cannot read"), "{error}");
}

#[test]
fn entries_of_a_url_go_first() {
    for (rc, name, expected) in [
        (
            "[https://h]AWS.REGION=a\nAWS.REGION=b",
            "https://h/bkt/x#mode=s3",
            "a",
        ),
        (
            "[https://h/bkt/x]AWS.REGION=a\n[https://h]AWS.REGION=b",
            "https://h/bkt/x#mode=s3",
            "a",
        ),
        (
            "[https://h/bkt/x]AWS.REGION=a",
            "https://h/bkt/x/y#mode=s3",
            "none",
        ),
        ("[https://h/bkt]AWS.REGION=a", "https://h/bkt/x#mode=s3", "none"),
        (
            "[https://h]AWS.REGION=a\n[https://h]AWS.REGION=b",
            "https://h/bkt/x#mode=s3",
            "b",
        ),
        ("[https://h]AWS.REGION=a", "https://g/bkt/x#mode=s3", "none"),
        ("[https://h:443]AWS.REGION=a", "https://h/bkt/x#mode=s3", "a"),
        ("[https://H]AWS.REGION=a", "https://h/bkt/x#mode=s3", "a"),
        ("[https://h]AWS.REGION=a", "https://h:9000/bkt/x#mode=s3", "none"),
        ("[http://h:9000]AWS.REGION=a", "https://h:9000/bkt/x#mode=s3", "a"),
        (
            "[http://[::1]:9000]AWS.REGION=a",
            "http://[::1]:9000/bkt/x#mode=s3",
            "a",
        ),
        ("[s3://bkt]AWS.REGION=a", "s3://bkt/x", "a"),
        ("[s3://bkt/x]AWS.REGION=a", "s3://bkt/x", "a"),
        ("[s3://bkt]AWS.REGION=a", "s3://other/x", "none"),
        ("aws.region=a", "https://h/bkt/x#mode=s3", "a"),
        ("AWS.REGION=a\nAWS.REGION=", "https://h/bkt/x#mode=s3", "none"),
        ("AWS.REGION", "https://h/bkt/x#mode=s3", "none"),
        ("AWS.REGION=a=b", "https://h/bkt/x#mode=s3", "a=b"),
        ("\u{feff}AWS.REGION=a", "https://h/bkt/x#mode=s3", "a"),
    ] {
        let file = format!("/home/u/.ncrc: {rc}");
        assert_eq!(region(name, &[&file, "AWS_PROFILE=no"]), expected, "{rc} {name}");
    }
    let around = Surroundings::of(&["/home/u/.ncrc: [https://h\n[no url]A=b\nx\n=y\nA=b"]);
    let warnings = settings("https://h/x", &around).unwrap().warnings;
    assert_eq!(warnings.len(), 4);
    assert_eq!(
        warnings[0],
        "/home/u/.ncrc: line 1 is not understood, and ignored"
    );
}

fn of(rc: &str, name: &str, others: &[&str]) -> Result<Settings, String> {
    let file = format!("/home/u/.ncrc: {rc}");
    settings(name, &Surroundings::of(&[&[file.as_str()], others].concat()))
}

#[test]
fn certificates() {
    let file = |path: &str| Roots::File(path.into());
    let variables = ["AWS_CA_BUNDLE=/aws", "SSL_CERT_FILE=/ssl", "AWS_PROFILE=no"];
    for (rc, name, others, roots) in [
        ("", "https://h/x", &[][..], Roots::System),
        ("HTTP.SSL.CAINFO=/a", "s3://bkt/x", &variables, file("/a")),
        (
            "HTTP.SSL.CAPATH=~/b",
            "s3://bkt/x",
            &variables,
            Roots::Folder("/home/u/b".into()),
        ),
        ("", "s3://bkt/x", &variables, file("/aws")),
        ("", "https://h/x", &variables, file("/ssl")),
        ("", "https://h/x", &variables[..1], file("/aws")),
        ("", "s3://bkt/x", &variables[1..], file("/ssl")),
        (
            "[https://h]HTTP.SSL.CAINFO=/a",
            "https://g/x",
            &variables,
            file("/ssl"),
        ),
    ] {
        assert_eq!(
            of(rc, name, others).unwrap().tls.roots.value,
            roots,
            "{rc} {name}"
        );
    }
    for (value, verify) in [("1", true), ("true", true), ("0", false), ("No", false)] {
        let found = of(&format!("HTTP.SSL.VALIDATE={value}"), "https://h/x", &[]).unwrap();
        assert_eq!(found.tls.verify.value, verify);
        assert_eq!(
            found.warnings.iter().any(|w| w.contains("is not verified")),
            !verify
        );
    }
    assert!(
        of("HTTP.SSL.VALIDATE=maybe", "https://h/x", &[])
            .unwrap_err()
            .contains("1 or 0")
    );
    let client = of("HTTP.SSL.CERTIFICATE=/c\nHTTP.SSL.KEY=/k", "https://h/x", &[])
        .unwrap()
        .tls
        .client;
    let client = client.unwrap().value;
    assert_eq!((client.certificate, client.key), ("/c".into(), Some("/k".into())));
}

#[test]
fn proxies() {
    for (around, name, server) in [
        (
            &[
                "/home/u/.ncrc: HTTP.PROXY.SERVER=http://r:1",
                "https_proxy=http://p:2",
            ][..],
            "https://h/x",
            "http://r:1",
        ),
        (
            &["https_proxy=http://p:2", "HTTPS_PROXY=http://q:2"],
            "https://h/x",
            "http://p:2",
        ),
        (&["HTTPS_PROXY=q:2"], "https://h/x", "http://q:2"),
        (&["HTTPS_PROXY=http://q:2"], "http://h/x", ""),
        (&["HTTP_PROXY=http://q:2"], "http://h/x", "http://q:2"),
        (&["HTTP_PROXY=http://q:2", "REQUEST_METHOD=GET"], "http://h/x", ""),
        (&["ALL_PROXY=http://q:2"], "https://h/x", "http://q:2"),
        (&["HTTPS_PROXY=http://q:2", "NO_PROXY=h"], "https://h/x", ""),
        (
            &[
                "HTTPS_PROXY=http://q:2",
                "no_proxy=.amazonaws.com",
                "AWS_PROFILE=no",
            ],
            "s3://bkt/x",
            "",
        ),
        (
            &["HTTPS_PROXY=http://q:2", "AWS_PROFILE=no"],
            "s3://bkt/x",
            "http://q:2",
        ),
        (
            &[
                "HTTPS_PROXY=http://q:2",
                "AWS_PROFILE=no",
                "AWS_ENDPOINT_URL=http://m",
            ],
            "s3://bkt/x",
            "",
        ),
    ] {
        let request = request(name, &Surroundings::of(around));
        let found = request.split_once(" through ").map_or("", |(_, server)| server);
        assert_eq!(found, server, "{around:?} {name}: {request}");
    }
    let error = request(
        "https://h/x",
        &Surroundings::of(&["https_proxy=socks5://u:hunter2@h"]),
    );
    assert!(
        error.contains("https_proxy: a proxy is") && !error.contains("hunter2"),
        "{error}"
    );
}

#[test]
fn logins_of_http() {
    let netrc = "/home/u/n: machine h login n password m\nmachine urs.earthdata.nasa.gov login e password f";
    for (rc, name, login) in [
        ("", "https://u:p%40q@h/x", " by u:p@q"),
        (
            "HTTP.CREDENTIALS.USERNAME=a\nHTTP.CREDENTIALS.PASSWORD=b=c",
            "https://h/x",
            " by a:b=c",
        ),
        (
            "HTTP.CREDENTIALS.USER=a\nHTTP.CREDENTIALS.PASSWORD=b",
            "https://u:p@h/x",
            " by u:p",
        ),
        ("HTTP.CREDENTIALS.USERPASSWORD=a:b:c", "https://h/x", " by a:b:c"),
        (
            "HTTP.CREDENTIALS.USERPASSWORD=a:b\nHTTP.NETRC=~/n",
            "https://h/x",
            " by a:b",
        ),
        ("HTTP.NETRC=~/n", "https://h/x", " by n:m"),
        ("HTTP.NETRC=~/n", "https://other/x", ""),
        ("[https://g]HTTP.CREDENTIALS.USERPASSWORD=a:b", "https://h/x", ""),
        // Keys of S3 are no logins.
        (
            "HTTP.CREDENTIALS.USERPASSWORD=a:b\nAWS.PROFILE=no",
            "https://h/bkt/x#mode=s3",
            "",
        ),
    ] {
        let around = [format!("/home/u/.ncrc: {rc}"), netrc.to_owned()];
        let around: Vec<_> = around.iter().map(String::as_str).collect();
        let found = request(name, &Surroundings::of(&around));
        let path = name.rsplit('@').next().unwrap().trim_start_matches("https://");
        let path = path.split('#').next().unwrap();
        assert_eq!(found, format!("GET https://{path}{login}"), "{rc}");
    }
    let found = of("HTTP.NETRC=~/n\nHTTP.COOKIEJAR=~/jar", "https://h/x", &[netrc]).unwrap();
    let OfProvider::Http { netrc, cookies } = found.of_provider else {
        panic!();
    };
    assert_eq!(
        netrc.unwrap().value.login("urs.earthdata.nasa.gov").unwrap().user,
        "e"
    );
    assert_eq!(cookies.unwrap().value.to_str(), Some("/home/u/jar"));
    assert!(
        of("HTTP.NETRC=/gone", "https://h/x", &[])
            .unwrap_err()
            .contains("what HTTP.NETRC names")
    );
}
