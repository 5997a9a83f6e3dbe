//! An identity provider for tests: over a real socket and with real keys, it publishes them, lets anybody log in as
//! whom it is told, and makes whatever token it is asked for. It checks what a good provider checks of a client.

use std::{
    collections::HashMap,
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::{TcpListener, TcpStream},
    sync::{Arc, Mutex, MutexGuard},
    thread,
    time::Duration,
};

use base64::{
    Engine as _,
    engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD},
};
use jiff::Timestamp;
use ring::{
    digest, hmac,
    rand::SystemRandom,
    rsa::PublicKeyComponents,
    signature::{
        ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, Ed25519KeyPair, KeyPair as _,
        RSA_PKCS1_SHA256, RsaKeyPair,
    },
};
use serde_json::{Value, json};

/// A key for tests only, because ring makes none of RSA.
const RSA_KEY: &[u8] = include_bytes!("rsa_key.der");

pub(crate) const CLIENT: &str = "lesson page";
pub(crate) const SECRET: &str = "a client's secret: ä/+%";

fn encode(bytes: impl AsRef<[u8]>) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}

/// A key that tokens are signed with.
pub(crate) struct SigningKey {
    pub(crate) name: &'static str,
    pair: SigningPair,
}

enum SigningPair {
    Rsa(Box<RsaKeyPair>),
    Ecdsa(EcdsaKeyPair),
    Ed25519(Ed25519KeyPair),
}

impl SigningKey {
    pub(crate) fn rsa(name: &'static str) -> Self {
        let pair = SigningPair::Rsa(Box::new(RsaKeyPair::from_der(RSA_KEY).unwrap()));
        Self { name, pair }
    }

    pub(crate) fn ecdsa(name: &'static str) -> Self {
        let (random, algorithm) = (SystemRandom::new(), &ECDSA_P256_SHA256_FIXED_SIGNING);
        let made = EcdsaKeyPair::generate_pkcs8(algorithm, &random).unwrap();
        let pair = EcdsaKeyPair::from_pkcs8(algorithm, made.as_ref(), &random).unwrap();
        let pair = SigningPair::Ecdsa(pair);
        Self { name, pair }
    }

    pub(crate) fn ed25519(name: &'static str) -> Self {
        let made = Ed25519KeyPair::generate_pkcs8(&SystemRandom::new()).unwrap();
        let pair = SigningPair::Ed25519(Ed25519KeyPair::from_pkcs8(made.as_ref()).unwrap());
        Self { name, pair }
    }

    fn algorithm(&self) -> &'static str {
        match self.pair {
            SigningPair::Rsa(_) => "RS256",
            SigningPair::Ecdsa(_) => "ES256",
            SigningPair::Ed25519(_) => "EdDSA",
        }
    }

    pub(crate) fn publish(&self) -> Value {
        let mut key = match &self.pair {
            SigningPair::Rsa(pair) => {
                let PublicKeyComponents::<Vec<u8>> { n, e } = pair.public().into();
                json!({"kty": "RSA", "n": encode(n), "e": encode(e)})
            }
            SigningPair::Ecdsa(pair) => {
                let (x, y) = pair.public_key().as_ref()[1..].split_at(32);
                json!({"kty": "EC", "crv": "P-256", "x": encode(x), "y": encode(y)})
            }
            SigningPair::Ed25519(pair) => {
                let x = encode(pair.public_key());
                json!({"kty": "OKP", "crv": "Ed25519", "x": x})
            }
        };
        key["kid"] = self.name.into();
        key["use"] = "sig".into();
        key
    }

    fn sign_bytes(&self, bytes: &[u8]) -> Vec<u8> {
        match &self.pair {
            SigningPair::Rsa(pair) => {
                let mut signature = vec![0; pair.public().modulus_len()];
                let random = SystemRandom::new();
                pair.sign(&RSA_PKCS1_SHA256, &random, bytes, &mut signature)
                    .unwrap();
                signature
            }
            SigningPair::Ecdsa(pair) => pair
                .sign(&SystemRandom::new(), bytes)
                .unwrap()
                .as_ref()
                .to_vec(),
            SigningPair::Ed25519(pair) => pair.sign(bytes).as_ref().to_vec(),
        }
    }

    /// Makes a token as a provider does.
    pub(crate) fn sign(&self, claims: &Value) -> String {
        self.sign_with(
            &json!({"alg": self.algorithm(), "kid": self.name, "typ": "JWT"}),
            claims,
        )
    }

    /// Makes a token with another head.
    pub(crate) fn sign_with(&self, head: &Value, claims: &Value) -> String {
        let signed = cut_unsigned(head, claims);
        let signature = encode(self.sign_bytes(signed.as_bytes()));
        format!("{signed}.{signature}")
    }

    /// Makes a token that is signed with what everybody knows of the key, as a shared secret.
    pub(crate) fn sign_with_public_part(&self, head: &Value, claims: &Value) -> String {
        let SigningPair::Rsa(pair) = &self.pair else {
            panic!("the attack is known of RSA");
        };
        let signed = cut_unsigned(head, claims);
        let secret = hmac::Key::new(hmac::HMAC_SHA256, pair.public().as_ref());
        let signature = encode(hmac::sign(&secret, signed.as_bytes()));
        format!("{signed}.{signature}")
    }
}

/// Writes what of a token is signed.
pub(crate) fn cut_unsigned(head: &Value, claims: &Value) -> String {
    format!(
        "{}.{}",
        encode(head.to_string()),
        encode(claims.to_string())
    )
}

/// How a provider behaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Behaviour {
    Good,
    /// It closes connections.
    Away,
    /// It answers nothing for long.
    Slow,
    /// What it says is longer than anybody wants to read.
    Endless,
    /// It answers with something else.
    Broken,
    /// It sends whoever asks elsewhere.
    Redirecting,
}

/// A login for which a code was given out.
struct OpenLogin {
    challenge: String,
    nonce: String,
    callback: String,
}

struct Script {
    behaviour: Behaviour,
    keys: Vec<Arc<SigningKey>>,
    /// What the token of the next login says, besides who made it, for whom and when.
    claims: Value,
    logins: HashMap<String, OpenLogin>,
    /// How often its keys were fetched.
    key_fetches: usize,
}

/// A provider that runs until the test is over.
pub(crate) struct TestProvider {
    pub(crate) url: String,
    script: Arc<Mutex<Script>>,
}

impl TestProvider {
    pub(crate) fn start(key: Arc<SigningKey>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let script = Arc::new(Mutex::new(Script {
            behaviour: Behaviour::Good,
            keys: vec![key],
            claims: json!({"sub": "ada"}),
            logins: HashMap::new(),
            key_fetches: 0,
        }));
        let (own, shared) = (url.clone(), Arc::clone(&script));
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (url, script) = (own.clone(), Arc::clone(&shared));
                thread::spawn(move || serve(&stream, &url, &script));
            }
        });
        Self { url, script }
    }

    fn script(&self) -> MutexGuard<'_, Script> {
        self.script.lock().unwrap()
    }

    pub(crate) fn behave(&self, behaviour: Behaviour) {
        self.script().behaviour = behaviour;
    }

    /// Publishes these keys from now on.
    pub(crate) fn publish(&self, keys: &[&Arc<SigningKey>]) {
        self.script().keys = keys.iter().map(|it| Arc::clone(it)).collect();
    }

    /// Says what the token of the next login holds.
    pub(crate) fn log_in_as(&self, claims: Value) {
        self.script().claims = claims;
    }

    pub(crate) fn key_fetches(&self) -> usize {
        self.script().key_fetches
    }

    /// Returns what a good token says.
    pub(crate) fn claims(&self, audience: &str, more: &Value) -> Value {
        let now = Timestamp::now().as_second();
        let mut claims = json!({
            "iss": self.url, "aud": audience, "iat": now, "exp": now + 300, "sub": "ada",
        });
        for (name, value) in more.as_object().unwrap() {
            claims[name] = value.clone();
        }
        claims
    }
}

/// One request: its method, its path, what stands behind it, its headers and its body.
struct Asked {
    method: String,
    path: String,
    query: HashMap<String, String>,
    headers: HashMap<String, String>,
    body: String,
}

fn serve(stream: &TcpStream, url: &str, script: &Mutex<Script>) -> Option<()> {
    let asked = read_request(stream)?;
    let behaviour = script.lock().unwrap().behaviour;
    let mut writer = stream;
    let is_login = matches!(&*asked.path, "/authorize" | "/token");
    let answer = match behaviour {
        Behaviour::Away => return None,
        Behaviour::Slow => {
            thread::sleep(Duration::from_secs(30));
            return None;
        }
        Behaviour::Endless if !is_login => {
            let head =
                "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close\r\n\r\n{";
            writer.write_all(head.as_bytes()).ok()?;
            while writer.write_all(&[b' '; 4096]).is_ok() {}
            return None;
        }
        Behaviour::Broken if !is_login => write_answer("200 OK", "", "{\"keys\":7}"),
        Behaviour::Redirecting if !is_login => {
            write_answer("302 Found", &format!("location: {url}/elsewhere\r\n"), "")
        }
        _ => answer(&asked, url, &mut script.lock().unwrap()),
    };
    writer.write_all(answer.as_bytes()).ok()
}

fn read_request(stream: &TcpStream) -> Option<Asked> {
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    reader.read_line(&mut line).ok()?;
    let mut words = line.split(' ');
    let (method, target) = (words.next()?.to_owned(), words.next()?.to_owned());
    let mut headers = HashMap::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        let Some((name, value)) = line.trim().split_once(": ") else {
            break;
        };
        headers.insert(name.to_ascii_lowercase(), value.to_owned());
    }
    let length = headers
        .get("content-length")
        .map_or(Some(0), |it| it.parse().ok())?;
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    let (path, query) = target.split_once('?').unwrap_or((&target, ""));
    Some(Asked {
        method,
        path: path.to_owned(),
        query: read_pairs(query),
        headers,
        body: String::from_utf8(body).ok()?,
    })
}

fn answer(asked: &Asked, url: &str, script: &mut Script) -> String {
    let ok = |value: &Value| write_answer("200 OK", "", &value.to_string());
    match (&*asked.method, &*asked.path) {
        ("GET", "/.well-known/openid-configuration") => ok(&json!({
            "issuer": url,
            "authorization_endpoint": format!("{url}/authorize"),
            "token_endpoint": format!("{url}/token"),
            "jwks_uri": format!("{url}/keys"),
            "authorization_response_iss_parameter_supported": true,
        })),
        ("GET", "/keys") => {
            script.key_fetches += 1;
            let keys: Vec<Value> = script.keys.iter().map(|it| it.publish()).collect();
            ok(&json!({ "keys": keys }))
        }
        ("GET", "/authorize") => let_in(asked, url, script),
        ("POST", "/token") => match make_token(asked, url, script) {
            Some(token) => {
                ok(&json!({"id_token": token, "access_token": "of no use", "token_type": "Bearer"}))
            }
            None => write_answer("400 Bad Request", "", "{\"error\":\"invalid_grant\"}"),
        },
        _ => write_answer("404 Not Found", "", "{}"),
    }
}

/// Lets whoever asks log in, and sends the browser back with a code.
fn let_in(asked: &Asked, url: &str, script: &mut Script) -> String {
    let said = |name: &str| asked.query.get(name).cloned().unwrap_or_default();
    let is_right = said("response_type") == "code"
        && said("client_id") == CLIENT
        && said("code_challenge_method") == "S256"
        && said("scope").split(' ').any(|it| it == "openid");
    if !is_right {
        return write_answer("400 Bad Request", "", "{\"error\":\"invalid_request\"}");
    }
    let code = format!("code {}", script.logins.len());
    let login = OpenLogin {
        challenge: said("code_challenge"),
        nonce: said("nonce"),
        callback: said("redirect_uri"),
    };
    let back = format!(
        "location: {}?code={}&state={}&iss={}\r\n",
        login.callback,
        code.replace(' ', "%20"),
        said("state"),
        url.replace(':', "%3A"),
    );
    script.logins.insert(code, login);
    write_answer("303 See Other", &back, "")
}

/// Makes the token of a login, once, for the client that began it.
fn make_token(asked: &Asked, url: &str, script: &mut Script) -> Option<String> {
    let basic = asked.headers.get("authorization")?.strip_prefix("Basic ")?;
    let basic = String::from_utf8(STANDARD.decode(basic).ok()?).ok()?;
    let (client, secret) = basic.split_once(':')?;
    let form = read_pairs(&asked.body);
    let login = script.logins.get(form.get("code")?)?;
    let shown = digest::digest(&digest::SHA256, form.get("code_verifier")?.as_bytes());
    let is_right = (decode(client), decode(secret)) == (CLIENT.to_owned(), SECRET.to_owned())
        && form.get("grant_type")? == "authorization_code"
        && *form.get("redirect_uri")? == login.callback
        && encode(shown) == login.challenge;
    if !is_right {
        return None;
    }
    let now = Timestamp::now().as_second();
    let mut claims = json!({
        "iss": url, "aud": CLIENT, "iat": now, "exp": now + 300, "nonce": login.nonce,
    });
    for (name, value) in script.claims.as_object()? {
        claims[name] = value.clone();
    }
    let code = form.get("code")?.clone();
    script.logins.get_mut(&code)?.challenge.clear();
    Some(script.keys[0].sign(&claims))
}

fn write_answer(status: &str, headers: &str, body: &str) -> String {
    let length = body.len();
    format!(
        "HTTP/1.1 {status}\r\ncontent-type: application/json\r\n{headers}connection: close\r\ncontent-length: {length}\r\n\r\n{body}"
    )
}

fn read_pairs(text: &str) -> HashMap<String, String> {
    let pairs = text.split('&').filter_map(|it| it.split_once('='));
    pairs
        .map(|(name, value)| (decode(name), decode(value)))
        .collect()
}

/// Reads a text of a query or a form.
pub(crate) fn decode(text: &str) -> String {
    let mut pieces = text.split('%');
    let mut bytes = pieces
        .next()
        .unwrap_or_default()
        .replace('+', " ")
        .into_bytes();
    for piece in pieces {
        let (code, rest) = piece.split_at(2);
        bytes.push(u8::from_str_radix(code, 16).unwrap());
        bytes.extend(rest.replace('+', " ").bytes());
    }
    String::from_utf8(bytes).unwrap()
}
