//! Rules of profiles, credentials, regions and endpoints of S3.

use ncutils_core::remote_settings::settings::Credentials;

use super::surroundings::{Surroundings, request, settings};

const CREDENTIALS: &str = "/home/u/.aws/credentials: # mine\n\
    [default]\naws_access_key_id = D\naws_secret_access_key = d/+=  # comment\n\
    [p]\naws_access_key_id=P\naws_secret_access_key=p=q==\naws_session_token=t\n\
    [profile q]\naws_access_key_id=Q\naws_secret_access_key=q\n\
    [half]\naws_access_key_id=H\n\
    [tool]\ncredential_process = \"/opt/my tool\" --now\n\
    [empty]\noutput=json";
const CONFIG: &str = "/home/u/.aws/config: [default]\nregion=eu-north-1\n\
    [profile p]\nregion=eu-west-3\nendpoint_url=http://localhost:9001\naws_access_key_id=OLD\n\
    [q]\naws_region=eu-south-1\n\
    [profile role]\nrole_arn=arn:aws:iam::1:role/r\nsource_profile=default\n\
    [profile sso]\nsso_session=s\n[sso-session s]\nsso_start_url=https://x\nregion=xx";
const KEYS: [&str; 2] = ["AWS_ACCESS_KEY_ID=E", "AWS_SECRET_ACCESS_KEY=e"];

/// Each row: what is around besides the two files, the name, the request or a part of the error.
fn check(rows: &[(&[&str], &str, &str)]) {
    for (around, name, expected) in rows {
        let around = Surroundings::of(&[&[CONFIG, CREDENTIALS], *around].concat());
        let found = request(name, &around);
        match expected.strip_prefix("error: ") {
            Some(part) => assert!(
                !found.starts_with("GET") && found.contains(part),
                "{name}: {found}"
            ),
            None => assert_eq!(found, *expected, "{name}"),
        }
    }
}

#[test]
fn credentials_come_from_the_first_that_names_them() {
    let rc = "/home/u/.ncrc: AWS.PROFILE=q";
    check(&[
        // The fragment, before an rc file and variables.
        (
            &[rc, KEYS[0], KEYS[1], "AWS_PROFILE=q"],
            "https://h/bkt/x#mode=s3&aws.profile=p",
            "GET https://h/bkt/x signed P:p=q== for eu-west-3 with t",
        ),
        (
            &[KEYS[0], KEYS[1]],
            "[AWS.PROFILE=q]s3://bkt/x",
            "GET https://bkt.s3.eu-south-1.amazonaws.com/x signed Q:q for eu-south-1",
        ),
        // An rc file, before variables.
        (
            &[rc, KEYS[0], KEYS[1], "AWS_PROFILE=p"],
            "s3://bkt/x",
            "GET https://bkt.s3.eu-south-1.amazonaws.com/x signed Q:q for eu-south-1",
        ),
        // AWS_ACCESS_KEY_ID, before AWS_PROFILE and default.
        (
            &[KEYS[0], KEYS[1]],
            "s3://bkt/x",
            "GET https://bkt.s3.eu-north-1.amazonaws.com/x signed E:e for eu-north-1",
        ),
        (
            &[KEYS[0], KEYS[1], "AWS_SESSION_TOKEN=tt", "AWS_PROFILE=q"],
            "s3://bkt/x",
            "GET https://bkt.s3.eu-south-1.amazonaws.com/x signed E:e for eu-south-1 with tt",
        ),
        (
            &[KEYS[0]],
            "s3://bkt/x",
            "error: AWS_ACCESS_KEY_ID is set, but AWS_SECRET_ACCESS_KEY is not",
        ),
        (
            &[KEYS[1]],
            "s3://bkt/x",
            "error: AWS_SECRET_ACCESS_KEY is set, but AWS_ACCESS_KEY_ID is not",
        ),
        (
            &[KEYS[0], "AWS_SECRET_ACCESS_KEY="],
            "s3://bkt/x",
            "error: AWS_SECRET_ACCESS_KEY is not",
        ),
        // AWS_PROFILE, before default.
        (
            &["AWS_PROFILE=q"],
            "s3://bkt/x",
            "GET https://bkt.s3.eu-south-1.amazonaws.com/x signed Q:q for eu-south-1",
        ),
        (
            &[],
            "s3://bkt/x",
            "GET https://bkt.s3.eu-north-1.amazonaws.com/x signed D:d/+= for eu-north-1",
        ),
        // Anonymous.
        (
            &[KEYS[0], KEYS[1]],
            "s3://bkt/x#aws.profile=no",
            "GET https://bkt.s3.us-east-1.amazonaws.com/x",
        ),
        (
            &[KEYS[0], KEYS[1]],
            "s3://bkt/x#aws.profile=None",
            "GET https://bkt.s3.us-east-1.amazonaws.com/x",
        ),
        (
            &["/home/u/.ncrc: AWS.PROFILE=no"],
            "s3://bkt/x",
            "GET https://bkt.s3.us-east-1.amazonaws.com/x",
        ),
        (
            &["AWS_PROFILE=no"],
            "s3://bkt/x",
            "GET https://bkt.s3.us-east-1.amazonaws.com/x",
        ),
        // A profile that is missing or incomplete.
        (
            &[],
            "s3://bkt/x#aws.profile=gone",
            "error: #aws.profile=: there is no profile 'gone' (/home/u/.aws/config and /home/u/.aws/credentials: 'default', 'empty', 'half', 'p', 'q', 'role', 'sso', 'tool')",
        ),
        (
            &["AWS_PROFILE=gone"],
            "s3://bkt/x",
            "error: AWS_PROFILE: there is no profile 'gone'",
        ),
        (
            &["/data/.ncrc: AWS.PROFILE=gone"],
            "s3://bkt/x",
            "error: AWS.PROFILE in /data/.ncrc: there is no profile 'gone'",
        ),
        (
            &[],
            "s3://bkt/x#aws.profile=half",
            "error: profile 'half': aws_access_key_id is set, but aws_secret_access_key is not",
        ),
        // A program, and the AWS CLI for roles and SSO.
        (
            &[],
            "s3://bkt/x#aws.profile=tool",
            "GET https://bkt.s3.us-east-1.amazonaws.com/x by keys that /opt/my tool prints",
        ),
        (
            &[],
            "s3://bkt/x#aws.profile=role",
            "GET https://bkt.s3.us-east-1.amazonaws.com/x by keys that aws prints",
        ),
        (
            &[],
            "s3://bkt/x#aws.profile=sso",
            "GET https://bkt.s3.us-east-1.amazonaws.com/x by keys that aws prints",
        ),
    ]);
}

#[test]
fn the_machines_own_credentials_are_for_hosts_of_aws() {
    let none = "/home/u/.aws/credentials: ";
    let web = ["AWS_WEB_IDENTITY_TOKEN_FILE=/t", "AWS_ROLE_ARN=arn:r"];
    let container = "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI=/v2/x";
    check(&[
        (
            &[none, web[0], web[1], container],
            "s3://bkt/x",
            "GET https://bkt.s3.eu-north-1.amazonaws.com/x by role arn:r by web identity",
        ),
        (
            &[none, container],
            "s3://bkt/x",
            "GET https://bkt.s3.eu-north-1.amazonaws.com/x by keys of the container",
        ),
        (
            &[none, "AWS_CONTAINER_CREDENTIALS_FULL_URI=http://127.0.0.1/x"],
            "s3://bkt/x",
            "GET https://bkt.s3.eu-north-1.amazonaws.com/x by keys of the container",
        ),
        (
            &[none, "AWS_CONTAINER_CREDENTIALS_FULL_URI=http://example.org/x"],
            "s3://bkt/x",
            "error: credentials come by https",
        ),
        (
            &[none],
            "s3://bkt/x",
            "GET https://bkt.s3.eu-north-1.amazonaws.com/x by role of the instance, else anonymous",
        ),
        (
            &[none],
            "s3://bkt/x#aws.profile=role",
            "GET https://bkt.s3.us-east-1.amazonaws.com/x by keys that aws prints",
        ),
        (
            &[none, "AWS_EC2_METADATA_DISABLED=True"],
            "s3://bkt/x",
            "GET https://bkt.s3.eu-north-1.amazonaws.com/x",
        ),
        (
            &[],
            "s3://bkt/x#aws.profile=empty",
            "GET https://bkt.s3.us-east-1.amazonaws.com/x by role of the instance, else anonymous",
        ),
        // Other servers.
        (
            &[none, web[0], web[1], container],
            "http://h:9000/bkt/x#mode=s3",
            "GET http://h:9000/bkt/x",
        ),
        (
            &[none, "AWS_ENDPOINT_URL=http://h:9000"],
            "s3://bkt/x",
            "GET http://h:9000/bkt/x",
        ),
        (
            &[none, "AWS_ENDPOINT_URL=https://s3.eu-west-1.amazonaws.com"],
            "s3://bkt/x",
            "GET https://s3.eu-west-1.amazonaws.com/bkt/x by role of the instance, else anonymous",
        ),
    ]);
}

#[test]
fn files_of_profiles_are_found_and_joined() {
    let other = "/etc/other: [default]\naws_access_key_id=O\naws_secret_access_key=o\nregion=xx-1";
    check(&[
        // An absolute path is one.
        (
            &[other, "AWS_SHARED_CREDENTIALS_FILE=/etc/other"],
            "https://h/bkt/x#mode=s3",
            "GET https://h/bkt/x signed O:o for xx-1",
        ),
        (
            &[other, "AWS_CONFIG_FILE=/etc/other"],
            "https://h/bkt/x#mode=s3",
            "GET https://h/bkt/x signed D:d/+= for xx-1",
        ),
        (
            &["/home/u/c: [default]\nregion=yy-1", "AWS_CONFIG_FILE=~/c"],
            "https://h/bkt/x#mode=s3",
            "GET https://h/bkt/x signed D:d/+= for yy-1",
        ),
        // [profile x] wins over [x] of one file.
        (
            &["/home/u/.aws/config: [profile default]\nregion=aa-1\n[default]\nregion=bb-1"],
            "https://h/bkt/x#mode=s3",
            "GET https://h/bkt/x signed D:d/+= for aa-1",
        ),
        // Names with spaces.
        (
            &[
                "/home/u/.aws/config: [profile \"my own\"]\nregion=aa-1\naws_access_key_id=M\naws_secret_access_key=m",
            ],
            "https://h/bkt/x#mode=s3&aws.profile=my%20own",
            "GET https://h/bkt/x signed M:m for aa-1",
        ),
        // An unreadable file is no absent one.
        (
            &["/home/u/.aws/credentials: UNREADABLE"],
            "s3://bkt/x",
            "error: /home/u/.aws/credentials: cannot read",
        ),
        // Plain HTTP asks for no profile.
        (
            &["/home/u/.aws/credentials: UNREADABLE", "AWS_PROFILE=gone"],
            "https://h/x",
            "GET https://h/x",
        ),
    ]);
    let around = Surroundings::of(&["/home/u/.aws/config: [default\nx\n[p]\nhunter2"]);
    let warnings = settings("s3://bkt/x", &around).unwrap().warnings;
    assert_eq!(
        warnings,
        [
            "/home/u/.aws/config: line 1 is not understood, and ignored",
            "/home/u/.aws/config: line 4 is not understood, and ignored"
        ]
    );
}

#[test]
fn regions_come_from_the_first_that_names_one() {
    let rc = "/home/u/.ncrc: AWS.REGION=rc-1";
    let variables = ["AWS_REGION=v-1", "AWS_DEFAULT_REGION=w-1"];
    let of = |region: &str| format!("GET https://h/bkt/x signed D:d/+= for {region}");
    let none = "/home/u/.aws/config: ";
    check(&[
        (
            &[rc],
            "https://s3.us-west-2.amazonaws.com/bkt/x#aws.region=f-1",
            "GET https://s3.us-west-2.amazonaws.com/bkt/x signed D:d/+= for us-west-2",
        ),
        (
            &[rc, variables[0]],
            "https://h/bkt/x#mode=s3&aws.region=f-1",
            &of("f-1"),
        ),
        (&[rc, variables[0]], "https://h/bkt/x#mode=s3", &of("rc-1")),
        (&[variables[0]], "https://h/bkt/x#mode=s3", &of("eu-north-1")),
        (
            &[none, variables[0], variables[1]],
            "https://h/bkt/x#mode=s3",
            &of("v-1"),
        ),
        (&[none, variables[1]], "https://h/bkt/x#mode=s3", &of("w-1")),
        (&[none], "https://h/bkt/x#mode=s3", &of("us-east-1")),
        // Another server's host names a region, unless the user says another.
        (
            &[rc],
            "https://s3.gra.example.net/bkt/x#mode=s3",
            "GET https://s3.gra.example.net/bkt/x signed D:d/+= for gra",
        ),
        (
            &[rc],
            "https://s3.gra.example.net/bkt/x#mode=s3&aws.region=f-1",
            "GET https://s3.gra.example.net/bkt/x signed D:d/+= for f-1",
        ),
        // A region goes into a host.
        (
            &[],
            "s3://bkt/x#aws.region=cn-north-1",
            "GET https://bkt.s3.cn-north-1.amazonaws.com.cn/x signed D:d/+= for cn-north-1",
        ),
        (&[], "s3://bkt/x#aws.region=evil.org/", "error: is no region"),
    ]);
}

#[test]
fn endpoints_come_from_the_first_that_names_one() {
    let rc = "/home/u/.ncrc: AWS.ENDPOINT=http://rc:1";
    let variables = ["AWS_ENDPOINT_URL_S3=http://v:1/", "AWS_ENDPOINT_URL=http://w:1"];
    check(&[
        (
            &[rc],
            "https://h/bkt/x#mode=s3&aws.endpoint=http://f:1",
            "GET https://h/bkt/x signed D:d/+= for eu-north-1",
        ),
        (
            &[rc, variables[0]],
            "s3://bkt/x#aws.endpoint=http://f:1",
            "GET http://f:1/bkt/x signed D:d/+= for eu-north-1",
        ),
        (
            &[rc, variables[0]],
            "s3://bkt/x",
            "GET http://rc:1/bkt/x signed D:d/+= for eu-north-1",
        ),
        (
            &[variables[0], variables[1]],
            "s3://bkt/x",
            "GET http://v:1/bkt/x signed D:d/+= for eu-north-1",
        ),
        (
            &[variables[1]],
            "s3://bkt/x#aws.profile=p",
            "GET http://w:1/bkt/x signed P:p=q== for eu-west-3 with t",
        ),
        (
            &[],
            "s3://bkt/x#aws.profile=p",
            "GET http://localhost:9001/bkt/x signed P:p=q== for eu-west-3 with t",
        ),
        (
            &[variables[1], "AWS_IGNORE_CONFIGURED_ENDPOINT_URLS=true"],
            "s3://bkt/x#aws.profile=p",
            "GET https://bkt.s3.eu-west-3.amazonaws.com/x signed P:p=q== for eu-west-3 with t",
        ),
        (
            &["AWS_ENDPOINT_URL=minio:9000"],
            "s3://bkt/x",
            "GET https://minio:9000/bkt/x signed D:d/+= for eu-north-1",
        ),
        (
            &["AWS_ENDPOINT_URL=minio.example.org"],
            "s3://bkt/x",
            "GET https://minio.example.org/bkt/x signed D:d/+= for eu-north-1",
        ),
        (
            &["AWS_ENDPOINT_URL=https://h/s3/"],
            "s3://bkt/x",
            "GET https://h/s3/bkt/x signed D:d/+= for eu-north-1",
        ),
        (
            &["AWS_ENDPOINT_URL=ftp://h"],
            "s3://bkt/x",
            "error: the URL of a server is http://host:port",
        ),
        (
            &["AWS_ENDPOINT_URL=http://u:hunter2@h"],
            "s3://bkt/x",
            "error: has no user and password",
        ),
    ]);
}

#[test]
fn programs_print_keys() {
    let output = r#"{"Version":1,"AccessKeyId":"A","SecretAccessKey":"ARGUMENTS","SessionToken":"T"}"#;
    for (profile, command) in [
        ("tool", "/opt/my tool --now"),
        (
            "role",
            "aws configure export-credentials --format process --profile role",
        ),
    ] {
        let around = Surroundings::of(&[CONFIG, CREDENTIALS]).printing(output);
        let found = settings(&format!("s3://bkt/x#aws.profile={profile}"), &around).unwrap();
        let Credentials::Process(process) = found.credentials.value else {
            panic!("{profile}")
        };
        assert_eq!(process.run(&around).unwrap().secret.expose(), command);
        let error = process.run(&Surroundings::of(&[])).unwrap_err().to_string();
        assert!(error.starts_with("credential_process: "), "{error}");
        assert_eq!(
            error.contains("version 2 of the AWS CLI"),
            profile == "role",
            "{error}"
        );
        let error = process
            .run(&Surroundings::of(&[]).printing("hunter2"))
            .unwrap_err()
            .to_string();
        assert!(
            error.contains("is no JSON") && !error.contains("hunter2"),
            "{error}"
        );
    }
}

#[test]
fn what_was_chosen_is_told_with_its_source() {
    let around = Surroundings::of(&[CONFIG, CREDENTIALS, "AWS_REGION=v-1", "SSL_CERT_FILE=/ca.pem"]);
    let lines = settings("https://h:1/bkt/x#mode=s3&aws.profile=p", &around)
        .unwrap()
        .explanation();
    assert_eq!(
        lines,
        [
            "server https://h:1 (from the URL)",
            "region eu-west-3 (from region in /home/u/.aws/config)",
            "credentials: temporary access key P (from profile 'p', named by #aws.profile=)",
            "certificates of authorities: /ca.pem (from SSL_CERT_FILE)",
        ]
    );
}
