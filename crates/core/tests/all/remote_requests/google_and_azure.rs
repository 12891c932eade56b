//! Rules of Google's and Azure's variables.

use super::surroundings::{Surroundings, request};

#[test]
fn google_and_azure_have_their_variables() {
    let adc = "/home/u/.config/gcloud/application_default_credentials.json: {}";
    let string = "AZURE_STORAGE_CONNECTION_STRING=DefaultEndpointsProtocol=http;AccountName=dev;AccountKey=k==;BlobEndpoint=http://127.0.0.1:10000/dev;";
    let google = |by: &str| format!("GET https://storage.googleapis.com/bkt/x{by}");
    let azure = |by: &str| format!("GET https://acc.blob.core.windows.net/cont/x{by}");
    let acc = "AZURE_STORAGE_ACCOUNT=acc";
    let rows: &[(&[&str], &str, &str)] = &[
        (&[], "gs://bkt/x", &google("")),
        (
            &[adc],
            "gs://bkt/x",
            &google(" by file /home/u/.config/gcloud/application_default_credentials.json"),
        ),
        (
            &[adc, "GOOGLE_APPLICATION_CREDENTIALS=/k.json"],
            "gs://bkt/x",
            &google(" by file /k.json"),
        ),
        (
            &[
                "GOOGLE_APPLICATION_CREDENTIALS=/k.json",
                "GOOGLE_SERVICE_ACCOUNT=/s.json",
            ],
            "gs://bkt/x",
            &google(" by file /s.json"),
        ),
        (
            &["GOOGLE_SERVICE_ACCOUNT_KEY={}"],
            "gs://bkt/x",
            &google(" by service account"),
        ),
        (&[adc], "gs://bkt/x#aws.profile=no", &google("")),
        (&[adc, "GOOGLE_SKIP_SIGNATURE=true"], "gs://bkt/x", &google("")),
        (
            &["STORAGE_EMULATOR_HOST=localhost:4443"],
            "gs://bkt/x",
            "GET http://localhost:4443/bkt/x",
        ),
        (
            &["STORAGE_EMULATOR_HOST=http://localhost:4443"],
            "gs://bkt/x",
            "GET http://localhost:4443/bkt/x",
        ),
        (&[], "az://cont/x", "error: no account of Azure is named"),
        (
            &["AZURE_STORAGE_ACCOUNT=a.evil.org/"],
            "az://cont/x",
            "error: is no account of Azure",
        ),
        (&[acc], "az://cont/x", &azure("")),
        (
            &[acc, "AZURE_STORAGE_ACCOUNT_NAME=acc", "AZURE_STORAGE_KEY=k"],
            "az://cont/x",
            &azure(" by account key"),
        ),
        (
            &[acc, "AZURE_STORAGE_SAS_TOKEN=?sig=s"],
            "az://cont/x",
            &azure(" by shared access signature"),
        ),
        (
            &[acc, "AZURE_STORAGE_TOKEN=t"],
            "az://cont/x",
            &azure(" by bearer token"),
        ),
        (
            &[
                acc,
                "AZURE_TENANT_ID=t",
                "AZURE_CLIENT_ID=c",
                "AZURE_CLIENT_SECRET=s",
            ],
            "az://cont/x",
            &azure(" by application c"),
        ),
        (
            &[
                acc,
                "AZURE_TENANT_ID=t",
                "AZURE_CLIENT_ID=c",
                "AZURE_FEDERATED_TOKEN_FILE=/t",
            ],
            "az://cont/x",
            &azure(" by application c by web identity"),
        ),
        (
            &[acc, "AZURE_STORAGE_KEY=k", "AZURE_SKIP_SIGNATURE=1"],
            "az://cont/x",
            &azure(""),
        ),
        (
            &[acc, "AZURE_STORAGE_KEY=k"],
            "az://cont/x#aws.profile=no",
            &azure(""),
        ),
        (
            &[acc, "AZURE_STORAGE_ENDPOINT=http://localhost:10000/acc"],
            "az://cont/x",
            "GET http://localhost:10000/acc/cont/x",
        ),
        (
            &[string],
            "az://cont/x",
            "GET http://127.0.0.1:10000/dev/cont/x by account key",
        ),
        (
            &["AZURE_STORAGE_CONNECTION_STRING=hunter2"],
            "az://cont/x",
            "error: AZURE_STORAGE_CONNECTION_STRING: a part has no =",
        ),
    ];
    for (around, name, expected) in rows {
        let found = request(name, &Surroundings::of(around));
        match expected.strip_prefix("error: ") {
            Some(part) => assert!(
                found.contains(part) && !found.contains("hunter2"),
                "{name}: {found}"
            ),
            None => assert_eq!(found, *expected, "{name}"),
        }
    }
}
