//! What a host says of bucket, region and account.

/// Whose server a host is.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(super) enum Operator {
    /// Amazon: `….amazonaws.com`, `….amazonaws.com.cn`.
    Aws,
    /// Google: `storage.googleapis.com`.
    Google,
    /// Microsoft: `….core.windows.net`.
    Microsoft,
    /// Anybody else.
    #[default]
    Other,
}

/// What a host says.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Named {
    pub(super) operator: Operator,
    /// The bucket in front of the host.
    pub(super) bucket: Option<String>,
    pub(super) region: Option<String>,
    pub(super) account: Option<String>,
}

/// A host of Amazon's S3, of Google's or of Microsoft's object store. `None` for any other host, other services of
/// these included.
pub(super) fn of_operator(host: &str) -> Option<Named> {
    aws(host).or_else(|| google(host)).or_else(|| microsoft(host))
}

/// A host of another server that speaks S3: `s3.REGION.host`, `bucket.s3.REGION.host`, or any host.
pub(super) fn of_other(host: &str) -> Named {
    let mut named = Named::default();
    let labels: Vec<&str> = host.split('.').collect();
    let is_address = host.starts_with('[') || labels.iter().all(|l| l.parse::<u8>().is_ok());
    let Some(at) = labels.iter().rposition(|&l| l == "s3").filter(|_| !is_address) else {
        return named;
    };
    if at > 0 {
        named.bucket = Some(labels[..at].join("."));
    }
    // A region is followed by a host of two labels, as in s3.gra.example.net, unless it looks like one of Amazon's.
    let behind = &labels[at + 1..];
    named.region = behind
        .first()
        .filter(|label| behind.len() >= 3 || (behind.len() == 2 && looks_like_a_region(label)))
        .map(|&label| label.to_owned());
    named
}

fn aws(host: &str) -> Option<Named> {
    let front = host
        .strip_suffix(".amazonaws.com")
        .or_else(|| host.strip_suffix(".amazonaws.com.cn"))?;
    let labels: Vec<&str> = front.split('.').collect();
    let (service, region) = match labels.as_slice() {
        [front @ .., "s3" | "s3-fips", "dualstack", region] if is_region(region) => (front, Some(*region)),
        [front @ .., "s3" | "s3-fips", region] if is_region(region) => (front, Some(*region)),
        [front @ .., "s3-external-1"] => (front, Some("us-east-1")),
        [front @ .., "s3"] => (front, None),
        [front @ .., "s3-accelerate"] | [front @ .., "s3-accelerate", "dualstack"] if !front.is_empty() => {
            (front, None)
        }
        // As in s3-us-west-2.amazonaws.com, an older form.
        [front @ .., last] => {
            let region = last.strip_prefix("s3-")?;
            if !is_region(region) || region.starts_with("website-") {
                return None;
            }
            (front, Some(region))
        }
        [] => return None,
    };
    Some(Named {
        operator: Operator::Aws,
        bucket: (!service.is_empty()).then(|| service.join(".")),
        region: region.map(str::to_owned),
        account: None,
    })
}

fn google(host: &str) -> Option<Named> {
    let bucket = match host.strip_suffix("storage.googleapis.com")? {
        "" => None,
        front => Some(front.strip_suffix('.')?.to_owned()),
    };
    Some(Named {
        operator: Operator::Google,
        bucket,
        ..Named::default()
    })
}

fn microsoft(host: &str) -> Option<Named> {
    let account = host
        .strip_suffix(".blob.core.windows.net")
        .or_else(|| host.strip_suffix(".dfs.core.windows.net"))
        .filter(|account| !account.contains('.'))?;
    Some(Named {
        operator: Operator::Microsoft,
        account: Some(account.to_owned()),
        ..Named::default()
    })
}

/// True for a region of Amazon's: `eu-west-1`, `us-gov-east-1`.
fn is_region(label: &str) -> bool {
    let is_digits = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    let is_letters = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_lowercase());
    match label.rsplit_once('-') {
        Some((front, number)) => is_digits(number) && front.contains('-') && front.split('-').all(is_letters),
        None => false,
    }
}

fn looks_like_a_region(label: &str) -> bool {
    label.contains('-') && label.ends_with(|c: char| c.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_of_aws() {
        for (host, bucket, region) in [
            ("s3", None, None),
            ("s3.eu-west-1", None, Some("eu-west-1")),
            ("s3.us-gov-east-1", None, Some("us-gov-east-1")),
            ("s3-eu-west-1", None, Some("eu-west-1")),
            ("s3-external-1", None, Some("us-east-1")),
            ("s3.dualstack.eu-west-1", None, Some("eu-west-1")),
            ("s3-fips.dualstack.us-east-1", None, Some("us-east-1")),
            ("b.s3", Some("b"), None),
            ("my.dotted.b.s3.eu-west-1", Some("my.dotted.b"), Some("eu-west-1")),
            ("a.s3.b.s3.eu-west-1", Some("a.s3.b"), Some("eu-west-1")),
            ("b.s3-eu-west-1", Some("b"), Some("eu-west-1")),
            ("b.s3.dualstack.eu-west-1", Some("b"), Some("eu-west-1")),
            ("b.s3-accelerate", Some("b"), None),
            ("b.s3-accelerate.dualstack", Some("b"), None),
        ] {
            let named = of_operator(&format!("{host}.amazonaws.com")).unwrap();
            assert_eq!(
                (named.bucket.as_deref(), named.region.as_deref()),
                (bucket, region),
                "{host}"
            );
            assert_eq!(named.operator, Operator::Aws);
        }
        let china = of_operator("b.s3.cn-north-1.amazonaws.com.cn").unwrap();
        assert_eq!(china.region.as_deref(), Some("cn-north-1"));
        for host in [
            "amazonaws.com",
            "x.execute-api.us-east-1.amazonaws.com",
            "b.s3-website-us-east-1.amazonaws.com",
            "s3-accelerate.amazonaws.com",
            "s3.amazonaws.com.example.org",
            "s3xamazonaws.com",
        ] {
            assert_eq!(of_operator(host), None, "{host}");
        }
    }

    #[test]
    fn hosts_of_others() {
        for (host, bucket, region) in [
            ("localhost", None, None),
            ("127.0.0.1", None, None),
            ("[::1]", None, None),
            ("s3.example.com", None, None),
            ("s3.wasabisys.com", None, None),
            ("s3.eu-central-1.wasabisys.com", None, Some("eu-central-1")),
            ("s3.gra.io.example.net", None, Some("gra")),
            ("s3.eu-central-003.localhost", None, Some("eu-central-003")),
            ("b.s3.fr-par.example.cloud", Some("b"), Some("fr-par")),
            ("a.b.s3.fr-par.example.cloud", Some("a.b"), Some("fr-par")),
            ("b.s3.example.com", Some("b"), None),
        ] {
            let named = of_other(host);
            assert_eq!(
                (named.bucket.as_deref(), named.region.as_deref()),
                (bucket, region),
                "{host}"
            );
        }
    }

    #[test]
    fn hosts_of_google_and_microsoft() {
        assert_eq!(of_operator("storage.googleapis.com").unwrap().bucket, None);
        let bucket = of_operator("b.c.storage.googleapis.com").unwrap().bucket;
        assert_eq!(bucket.as_deref(), Some("b.c"));
        assert_eq!(of_operator("xstorage.googleapis.com"), None);
        for host in ["acc.blob.core.windows.net", "acc.dfs.core.windows.net"] {
            assert_eq!(of_operator(host).unwrap().account.as_deref(), Some("acc"));
        }
        assert_eq!(of_operator("acc.queue.core.windows.net"), None);
    }
}
