//! TLS with certificates that the user named.
//!
//! A server's own certificate counts if the user named it, also where it says of itself that it is an authority's, as
//! `openssl req -x509` makes one.

use std::sync::Arc;

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::client::{WebPkiServerVerifier, verify_server_name};
use rustls::crypto::ring::default_provider;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName, UnixTime};
use rustls::server::ParsedCertificate;
use rustls::{CertificateError, ClientConfig, DigitallySignedStruct, Error, RootCertStore, SignatureScheme};

/// The certificates in a text of PEM.
pub(super) fn of_pem(pem: &[u8]) -> Vec<CertificateDer<'static>> {
    CertificateDer::pem_slice_iter(pem).flatten().collect()
}

/// The settings of TLS that trust these certificates. `own` is the user's certificate and key, in PEM.
///
/// # Errors
/// What is wrong with them, in words.
pub(super) fn config(
    named: Vec<CertificateDer<'static>>,
    own: Option<&[u8]>,
) -> Result<ClientConfig, String> {
    let provider = Arc::new(default_provider());
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(named.iter().cloned());
    let verifier = WebPkiServerVerifier::builder_with_provider(Arc::new(roots), Arc::clone(&provider))
        .build()
        .map_err(|_| "no certificate that can be read".to_owned())?;
    let builder = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|e| e.to_string())?
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(Named { verifier, named }));
    let mut config = match own {
        None => builder.with_no_client_auth(),
        Some(pem) => {
            let key = PrivateKeyDer::from_pem_slice(pem).map_err(|_| "no key of PEM".to_owned())?;
            builder
                .with_client_auth_cert(of_pem(pem), key)
                .map_err(|e| e.to_string())?
        }
    };
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(config)
}

/// Trusts servers with a certificate of an authority that was named, or with one that was named itself.
#[derive(Debug)]
struct Named {
    verifier: Arc<WebPkiServerVerifier>,
    named: Vec<CertificateDer<'static>>,
}

impl ServerCertVerifier for Named {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        let verified =
            self.verifier
                .verify_server_cert(end_entity, intermediates, server_name, ocsp_response, now);
        match verified {
            // The dates of the certificate are compared before this is looked at, its names are not.
            Err(error) if is_authority(&error) && self.named.contains(end_entity) => {
                verify_server_name(&ParsedCertificate::try_from(end_entity)?, server_name)?;
                Ok(ServerCertVerified::assertion())
            }
            verified => verified,
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.verifier
            .verify_tls12_signature(message, certificate, signature)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.verifier
            .verify_tls13_signature(message, certificate, signature)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.verifier.supported_verify_schemes()
    }
}

/// True if a certificate is refused only because it is an authority's, and no server's.
fn is_authority(error: &Error) -> bool {
    // The library that finds it has no name for it that other crates can see.
    match error {
        Error::InvalidCertificate(CertificateError::Other(other)) => {
            format!("{:?}", other.0) == "CaUsedAsEndEntity"
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    /// For `localhost`, from November 2026 on for a hundred years, with the sign of an authority.
    const OWN: &str = "\
-----BEGIN CERTIFICATE-----
MIIBmzCCAUGgAwIBAgIUVopmM5iufR2ScIe94PpRBjmwEEIwCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyNTAzNDEzN1oYDzIxMjYxMTAx
MDM0MTM3WjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAAQlY6liHpYOTHBdmUBpiHBHawqUNJbSNOEqOIfVcfRsxb2KUpVVi5Zl
6Y+vVjxPyTbzQCwD9b0su/ldAQviqH9ho28wbTAdBgNVHQ4EFgQUpTq+DhOum7dn
Kcr4JD7CgmOLYqEwHwYDVR0jBBgwFoAUpTq+DhOum7dnKcr4JD7CgmOLYqEwDwYD
VR0TAQH/BAUwAwEB/zAaBgNVHREEEzARgglsb2NhbGhvc3SHBH8AAAEwCgYIKoZI
zj0EAwIDSAAwRQIhAMnUWpiTFN67QaqD1oT0OQYpt/YKOqBgNhLcwNvsnuSpAiA7
iFskC2j2jYsMtFZStiIFRF+JJj8AKRTkWGOr4P/9Gg==
-----END CERTIFICATE-----
";

    /// The same, with another key.
    const OTHER: &str = "\
-----BEGIN CERTIFICATE-----
MIIBnDCCAUGgAwIBAgIUSZxTQyCAIQ6gqIsGdawTxfhbxm4wCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyNTAzNDEzN1oYDzIxMjYxMTAx
MDM0MTM3WjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAATQ0Ou+5Xn0ww3RZ6oHgMdYj0YXLyRRTn/OcK7kirXhYouDJ8b70fKa
fmDiFuieHm8vJlJbtZ3EmlEh9hM8Sesdo28wbTAdBgNVHQ4EFgQUBKPGUqRImkza
hfYQ6g+YVghZxWwwHwYDVR0jBBgwFoAUBKPGUqRImkzahfYQ6g+YVghZxWwwDwYD
VR0TAQH/BAUwAwEB/zAaBgNVHREEEzARgglsb2NhbGhvc3SHBH8AAAEwCgYIKoZI
zj0EAwIDSQAwRgIhAIpLtUmoyZVyT0Igp9PrymywbIdass69wJGRO+S3DTjxAiEA
tGQPMfBAUmyh0i3nlMRP2tjTYFNzqJZ0OY3Cr/pplsI=
-----END CERTIFICATE-----
";

    /// Seconds from 1970 to 2030.
    const IN_2030: u64 = 60 * 365 * 86_400;

    #[test]
    fn a_server_is_trusted_by_its_own_certificate() {
        let accepted = |named: &str, server: &str, seconds: u64| {
            let named = of_pem(named.as_bytes());
            let mut roots = RootCertStore::empty();
            roots.add_parsable_certificates(named.iter().cloned());
            let verifier =
                WebPkiServerVerifier::builder_with_provider(Arc::new(roots), Arc::new(default_provider()));
            let named = Named {
                verifier: verifier.build().unwrap(),
                named,
            };
            let own = &of_pem(OWN.as_bytes())[0];
            let server = ServerName::try_from(server).unwrap();
            let now = UnixTime::since_unix_epoch(Duration::from_secs(seconds));
            named.verify_server_cert(own, &[], &server, &[], now).is_ok()
        };
        assert!(accepted(OWN, "localhost", IN_2030));
        assert!(accepted(&format!("{OTHER}{OWN}"), "127.0.0.1", IN_2030));
        assert!(!accepted(OTHER, "localhost", IN_2030), "not named");
        assert!(!accepted(OWN, "example.org", IN_2030), "another name");
        assert!(!accepted(OWN, "localhost", 0), "too early");
        assert!(
            !accepted(OWN, "localhost", IN_2030 + 100 * 366 * 86_400),
            "too late"
        );
    }

    #[test]
    fn what_is_no_certificate_is_said() {
        assert!(config(Vec::new(), None).is_err());
        assert!(config(of_pem(OWN.as_bytes()), Some(b"")).is_err());
        assert!(config(of_pem(OWN.as_bytes()), None).is_ok());
    }
}
