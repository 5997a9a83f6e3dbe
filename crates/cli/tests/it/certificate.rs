//! A certificate for tests: a key on P-256, and a certificate for this machine that it signs itself, written as X.509
//! has it; and a proxy that ends TLS with it.

use std::{net::TcpListener, sync::Arc, thread};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use ring::{
    rand::SystemRandom,
    signature::{ECDSA_P256_SHA256_ASN1_SIGNING, EcdsaKeyPair, KeyPair as _},
};
use rustls::{
    ServerConfig,
    crypto::ring::default_provider,
    pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject as _},
};
use tokio::{io::copy_bidirectional, net::TcpStream, runtime::Builder};
use tokio_rustls::TlsAcceptor;

const ECDSA_WITH_SHA256: &[u8] = &[0x06, 8, 0x2a, 0x86, 0x48, 0xce, 0x3d, 4, 3, 2];
const EC_PUBLIC_KEY: &[u8] = &[0x06, 7, 0x2a, 0x86, 0x48, 0xce, 0x3d, 2, 1];
const P256: &[u8] = &[0x06, 8, 0x2a, 0x86, 0x48, 0xce, 0x3d, 3, 1, 7];
const COMMON_NAME: &[u8] = &[0x06, 3, 0x55, 4, 3];
const ALTERNATIVE_NAME: &[u8] = &[0x06, 3, 0x55, 0x1d, 0x11];

/// A certificate and its key, in PEM form.
pub(crate) struct TestCertificate {
    pub(crate) certificate: String,
    key: String,
}

impl TestCertificate {
    /// Makes one for `localhost` and 127.0.0.1.
    pub(crate) fn new() -> Self {
        let random = SystemRandom::new();
        let algorithm = &ECDSA_P256_SHA256_ASN1_SIGNING;
        let private = EcdsaKeyPair::generate_pkcs8(algorithm, &random).unwrap();
        let pair = EcdsaKeyPair::from_pkcs8(algorithm, private.as_ref(), &random).unwrap();
        let content = write_content(pair.public_key().as_ref());
        let signature = pair.sign(&random, &content).unwrap();
        let certificate = write(
            0x30,
            &[
                &content,
                &algorithm_of_signature(),
                &bits(signature.as_ref()),
            ],
        );
        Self {
            certificate: to_pem("CERTIFICATE", &certificate),
            key: to_pem("PRIVATE KEY", private.as_ref()),
        }
    }

    /// Ends TLS in front of a server for as long as the tests run, as a proxy does, and returns its own address.
    pub(crate) fn end_tls_before(&self, server: &str) -> String {
        let chain = vec![CertificateDer::from_pem_slice(self.certificate.as_bytes()).unwrap()];
        let key = PrivateKeyDer::from_pem_slice(self.key.as_bytes()).unwrap();
        let config = ServerConfig::builder_with_provider(Arc::new(default_provider()))
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(chain, key)
            .unwrap();
        let acceptor = TlsAcceptor::from(Arc::new(config));
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("https://{}", listener.local_addr().unwrap());
        let server = server.to_owned();
        thread::spawn(move || {
            let runtime = Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(proxy(listener, acceptor, server));
        });
        url
    }
}

async fn proxy(listener: TcpListener, acceptor: TlsAcceptor, server: String) {
    listener.set_nonblocking(true).unwrap();
    let listener = tokio::net::TcpListener::from_std(listener).unwrap();
    loop {
        let (client, _) = listener.accept().await.unwrap();
        let (acceptor, server) = (acceptor.clone(), server.clone());
        tokio::spawn(async move {
            // A client that does not trust the certificate goes.
            let Ok(mut client) = acceptor.accept(client).await else {
                return;
            };
            let mut server = TcpStream::connect(server).await.unwrap();
            copy_bidirectional(&mut client, &mut server).await.ok();
        });
    }
}

fn write_content(public: &[u8]) -> Vec<u8> {
    let name = write(
        0x30,
        &[&write(
            0x31,
            &[&write(0x30, &[COMMON_NAME, &write(0x0c, &[b"own"])])],
        )],
    );
    let validity = write(
        0x30,
        &[
            &write(0x17, &[b"250101000000Z"]),
            &write(0x18, &[b"20990101000000Z"]),
        ],
    );
    let key = write(0x30, &[&write(0x30, &[EC_PUBLIC_KEY, P256]), &bits(public)]);
    let names = write(
        0x30,
        &[
            &write(0x82, &[b"localhost"]),
            &write(0x87, &[&[127, 0, 0, 1]]),
        ],
    );
    let extension = write(0x30, &[ALTERNATIVE_NAME, &write(0x04, &[&names])]);
    let extensions = write(0xa3, &[&write(0x30, &[&extension])]);
    let version = write(0xa0, &[&write(0x02, &[&[2]])]);
    let serial = write(0x02, &[&[7]]);
    let parts: [&[u8]; 8] = [
        &version,
        &serial,
        &algorithm_of_signature(),
        &name,
        &validity,
        &name,
        &key,
        &extensions,
    ];
    write(0x30, &parts)
}

fn algorithm_of_signature() -> Vec<u8> {
    write(0x30, &[ECDSA_WITH_SHA256])
}

fn bits(bytes: &[u8]) -> Vec<u8> {
    write(0x03, &[&[0], bytes])
}

/// Writes a value of DER: its tag, its length and its parts.
fn write(tag: u8, parts: &[&[u8]]) -> Vec<u8> {
    let length = parts.iter().map(|it| it.len()).sum::<usize>();
    let [high, low] = u16::try_from(length).unwrap().to_be_bytes();
    let mut value = vec![tag];
    match length {
        0..128 => value.push(low),
        128..256 => value.extend([0x81, low]),
        _ => value.extend([0x82, high, low]),
    }
    parts.iter().for_each(|part| value.extend(*part));
    value
}

fn to_pem(what: &str, bytes: &[u8]) -> String {
    let text = STANDARD.encode(bytes);
    let lines: Vec<&str> = (0..text.len())
        .step_by(64)
        .map(|at| &text[at..text.len().min(at + 64)])
        .collect();
    format!(
        "-----BEGIN {what}-----\n{}\n-----END {what}-----\n",
        lines.join("\n")
    )
}
