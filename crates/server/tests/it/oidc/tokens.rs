//! Programs that come with a provider's token, at `/v1` and `/mcp`.

use std::{sync::Arc, thread};

use hardwon_core::api_key::Role;
use insta::assert_snapshot;
use serde_json::{Value, json};

use super::{AUDIENCE, PUBLIC, Story, told};
use crate::{
    client::TestServer,
    identity_provider::{Behaviour, CLIENT, SigningKey, cut_unsigned},
};

#[test]
fn a_token_is_believed_only_if_all_of_it_is_right() {
    let story = Story::begin(SigningKey::rsa("one"));
    let (key, stranger) = (&story.key, SigningKey::ed25519("one"));
    let check = |what: &str, token: &str, expected: &str| {
        let answer = story.get(token, "/v1/lessons");
        let expected = match expected {
            "" => "200".to_owned(),
            "key" => "401 missing or invalid key".to_owned(),
            why => format!("401 this token is not accepted: {why}"),
        };
        assert_eq!(told(&answer), expected, "{what}");
    };
    let claims = |more: Value| {
        let mut claims = story.claims(&json!({"groups": ["agents"]}));
        for (name, value) in more.as_object().unwrap() {
            claims[name] = value.clone();
        }
        claims
    };
    let good = claims(json!({}));
    let now = good["iat"].as_i64().unwrap();
    check("a good one", &key.sign(&good), "");
    for kind in ["at+jwt", "application/at+jwt", "jwt"] {
        let head = json!({"alg": "RS256", "kid": "one", "typ": kind});
        check(kind, &key.sign_with(&head, &good), "");
    }
    for (what, change, expected) in [
        ("several audiences", json!({"aud": ["x", AUDIENCE]}), ""),
        ("the server's address", json!({"aud": PUBLIC}), ""),
        (
            "the same with a slash",
            json!({"aud": format!("{PUBLIC}/")}),
            "",
        ),
        (
            "another issuer",
            json!({"iss": "https://evil.example"}),
            "it is from another issuer",
        ),
        (
            "nearly the issuer",
            json!({"iss": format!("{}/", story.provider.url)}),
            "it is from another issuer",
        ),
        (
            "another audience",
            json!({"aud": "https://other.example/mcp"}),
            "it is for another audience",
        ),
        (
            "the page as audience",
            json!({"aud": CLIENT}),
            "it is for another audience",
        ),
        (
            "no audience",
            json!({"aud": null}),
            "it is for another audience",
        ),
        (
            "a part of the audience",
            json!({"aud": format!("{AUDIENCE}/more")}),
            "it is for another audience",
        ),
        ("expired", json!({"exp": now - 3600}), "it has expired"),
        ("without an end", json!({"exp": null}), "it has expired"),
        ("not yet", json!({"nbf": now + 3600}), "it is not valid yet"),
        (
            "from the future",
            json!({"iat": now + 3600}),
            "it is not valid yet",
        ),
        (
            "about nobody",
            json!({"sub": ""}),
            "it does not say whom it is about",
        ),
        (
            "bound to a key",
            json!({"cnf": {"jkt": "x"}}),
            "it counts only with a proof that this server cannot check",
        ),
    ] {
        check(what, &key.sign(&claims(change)), expected);
    }

    let unknown = "the provider has no such key for signatures";
    let unknown = |what: &str, token: &str| {
        let answer = story.get(token, "/v1/lessons");
        let expected = format!("401 this token is not accepted: {unknown}");
        assert_eq!(told(&answer), expected, "{what}");
    };
    let head = |alg: &str, name: &str| json!({"alg": alg, "kid": name, "typ": "JWT"});
    let unsigned = |alg: &str| format!("{}.", cut_unsigned(&head(alg, "one"), &good));
    for none in ["none", "None", "NONE", ""] {
        unknown(none, &unsigned(none));
    }
    unknown(
        "HS256",
        &key.sign_with_public_part(&head("HS256", "one"), &good),
    );
    let disguised = key.sign_with_public_part(&head("RS256", "one"), &good);
    check(
        "a shared secret in disguise",
        &disguised,
        "its signature is wrong",
    );
    unknown(
        "another algorithm",
        &key.sign_with(&head("RS512", "one"), &good),
    );
    unknown(
        "an algorithm of another key",
        &key.sign_with(&head("ES256", "one"), &good),
    );
    for name in [
        "two",
        "",
        "../one",
        "/dev/null",
        "one' OR '1'='1",
        "one\u{0}",
        "ONE",
    ] {
        unknown(name, &key.sign_with(&head("RS256", name), &good));
    }
    unknown("a stranger of the same name", &stranger.sign(&good));
    let own_key = json!({"alg": "EdDSA", "kid": "one", "jwk": stranger.publish(),
        "jku": "http://127.0.0.1:9/keys", "x5u": "http://127.0.0.1:9/keys"});
    unknown("a key of its own", &stranger.sign_with(&own_key, &good));
    let without_name = json!({"alg": "RS256"});
    check(
        "the only key without its name",
        &key.sign_with(&without_name, &good),
        "",
    );

    let critical = json!({"alg": "RS256", "kid": "one", "crit": ["b64"], "b64": false});
    check(
        "something critical",
        &key.sign_with(&critical, &good),
        "it is no signed token",
    );
    for kind in ["logout+jwt", "dpop+jwt", "secevent+jwt", "x"] {
        let other = json!({"alg": "RS256", "kid": "one", "typ": kind});
        check(
            kind,
            &key.sign_with(&other, &good),
            "it is a token for something else",
        );
    }
    let whole = key.sign(&good);
    let (signed, signature) = whole.rsplit_once('.').unwrap();
    let (first, body) = signed.split_once('.').unwrap();
    let owner = key.sign(&claims(json!({"groups": ["owners"]})));
    let other_body = owner.split('.').nth(1).unwrap();
    check(
        "other claims",
        &format!("{first}.{other_body}.{signature}"),
        "its signature is wrong",
    );
    check(
        "no signature",
        &format!("{signed}."),
        "its signature is wrong",
    );
    for cut in [
        format!("{first}.{body}"),
        format!("{whole}.{signature}.{signature}"),
        format!("{whole}="),
        format!("{first}.{body}.!"),
        "..".to_owned(),
        format!("a.{}", "a".repeat(17_000)),
    ] {
        check(&cut, &cut, "it is no signed token");
    }
    check("no token", "a word", "key");
    check("a mistyped key", "hwk_123", "key");
}

#[test]
fn each_kind_of_key_counts() {
    for key in [
        SigningKey::rsa("a"),
        SigningKey::ecdsa("b"),
        SigningKey::ed25519("c"),
    ] {
        let story = Story::begin(key);
        let answer = story.get(&story.token("agents"), "/v1/lessons");
        assert_eq!(answer.status, 200, "{} {}", story.key.name, answer.body);
        let mut forged = story.token("agents");
        // The last character has bits that do not count.
        let flipped = if forged.as_bytes()[forged.len() - 2] == b'A' {
            "B"
        } else {
            "A"
        };
        let place = forged.len() - 2..forged.len() - 1;
        forged.replace_range(place, flipped);
        assert_eq!(
            story.get(&forged, "/v1/lessons").status,
            401,
            "{}",
            story.key.name
        );
    }
}

#[test]
fn keys_rotate_and_are_asked_for_only_so_often() {
    let story = Story::begin(SigningKey::ecdsa("old"));
    let status = |key: &SigningKey| {
        let token = key.sign(&story.claims(&json!({"groups": ["agents"]})));
        story.get(&token, "/v1/lessons").status
    };
    let (new, made_up) = (
        Arc::new(SigningKey::ed25519("new")),
        SigningKey::ed25519("made up"),
    );
    assert_eq!([status(&made_up), status(&story.key)], [401, 200]);
    assert_eq!(story.provider.key_fetches(), 1);
    story.provider.publish(&[&new]);
    assert_eq!(status(&new), 200);
    assert_eq!(story.provider.key_fetches(), 2);
    // The old key is not the provider's any more, and nobody makes the server ask for it again and again.
    for _ in 0..20 {
        assert_eq!([status(&story.key), status(&made_up)], [401, 401]);
    }
    assert_eq!(story.provider.key_fetches(), 2);
    assert_eq!(status(&new), 200);
}

#[test]
fn a_provider_in_trouble_lets_nobody_in_and_keeps_no_key_out() {
    let check = |behaviour: Behaviour| {
        let story = Story::begin(SigningKey::ed25519("one"));
        let held = story.server.key(Role::Agent, "acme");
        story.provider.behave(behaviour);
        let token = story.token("owners");
        let answer = story.get(&token, "/v1/keys");
        let away = "503 the identity provider cannot be reached; keys still count";
        assert_eq!(
            (&*told(&answer), answer.header("retry-after")),
            (away, "5"),
            "{behaviour:?}"
        );
        let login = story.server.browse("GET", "/login/provider", &[], "");
        assert_eq!(login.status, 503, "{behaviour:?}");
        assert_eq!(
            held.send("GET", "/v1/lessons", "").status,
            200,
            "{behaviour:?}"
        );
    };
    thread::scope(|scope| {
        for behaviour in [
            Behaviour::Away,
            Behaviour::Slow,
            Behaviour::Endless,
            Behaviour::Broken,
            Behaviour::Redirecting,
        ] {
            scope.spawn(move || check(behaviour));
        }
    });
    // What is known already counts on.
    let story = Story::begin(SigningKey::ed25519("one"));
    let token = story.token("agents");
    assert_eq!(story.get(&token, "/v1/lessons").status, 200);
    story.provider.behave(Behaviour::Away);
    assert_eq!(story.get(&story.token("agents"), "/v1/lessons").status, 200);
}

#[test]
fn whoever_no_rule_fits_gets_nothing() {
    let story = Story::begin(SigningKey::ed25519("one"));
    let owner = story.server.key(Role::Owner, "acme");
    let before = owner.send("GET", "/v1/keys", "").body;
    for (group, expected) in [
        (
            "strangers",
            "403 the identity provider vouches for you, and no rule of this server gives you anything",
        ),
        ("nowhere", "403 there is no tenant nowhere"),
    ] {
        let answer = story.get(&story.token(group), "/v1/lessons");
        assert_eq!(told(&answer), expected);
    }
    let count = |body: &str| {
        serde_json::from_str::<Value>(body).unwrap()["keys"]
            .as_array()
            .unwrap()
            .len()
    };
    let after = owner.send("GET", "/v1/keys", "").body;
    assert_eq!(count(&after), count(&before));
}

#[test]
fn a_token_is_worth_what_its_rule_says_and_no_more() {
    let story = Story::begin(SigningKey::rsa("one"));
    let token = |group: &str| story.server.with_token(story.token(group));
    let (owner, gardener, other) = (token("owners"), token("gardeners"), token("others"));
    let id = owner.lesson(&json!({"signature": "the gate", "lesson_text": "Close it.",
        "agent_id": "gardener", "project": "orchard"}));
    let path = format!("/v1/lessons/{id}");
    assert_eq!(gardener.send("GET", &path, "").status, 200);
    // Another tenant's is as one that is not there, and what is beyond the limits is refused.
    assert_eq!(other.send("GET", &path, "").status, 404);
    let elsewhere = gardener.send(
        "POST",
        "/v1/recall",
        &json!({"prompt": "x", "project": "shop"}).to_string(),
    );
    assert_eq!(told(&elsewhere), "403 this key does not reach that project");
    assert_eq!(gardener.send("GET", "/v1/keys", "").status, 403);
    assert_eq!(gardener.send("DELETE", &path, "").status, 403);
    // It is a key like any other, under the name of whom it is about.
    let keys = owner.send("GET", "/v1/keys", "").json();
    let keys = keys["keys"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|it| it["kind"] == "hwi");
    let mut names: Vec<String> = keys
        .map(|it| {
            format!(
                "{} {} {}",
                it["role"],
                it["agents"],
                it["name"].as_str().unwrap().len()
            )
        })
        .collect();
    names.sort();
    assert_snapshot!(names.join("\n"), @r#"
    "agent" ["gardener"] 21
    "owner" [] 21
    "#);
}

#[test]
fn an_owner_keeps_out_whom_the_provider_vouches_for() {
    let story = Story::begin(SigningKey::ed25519("one"));
    let owner = story.server.key(Role::Owner, "acme");
    let token = story.token("agents");
    assert_eq!(story.get(&token, "/v1/lessons").status, 200);
    let keys = owner.send("GET", "/v1/keys", "").json();
    let keys = keys["keys"].as_array().unwrap();
    let id = keys.iter().find(|it| it["kind"] == "hwi").unwrap()["id"]
        .as_str()
        .unwrap();
    let rotated = owner.send("POST", &format!("/v1/keys/{id}/rotate"), "{}");
    assert_eq!(rotated.status, 409, "{}", rotated.body);
    assert_eq!(
        owner.send("DELETE", &format!("/v1/keys/{id}"), "").status,
        200
    );
    for token in [token, story.token("agents")] {
        let refused = told(&story.get(&token, "/v1/lessons"));
        assert_eq!(refused, "403 an owner has revoked what you were given here");
    }
}

#[test]
fn mcp_says_where_tokens_are_and_takes_them() {
    let story = Story::begin(SigningKey::ecdsa("one"));
    let owner = story.server.key(Role::Owner, "acme");
    let list = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}).to_string();
    let call = |token: Option<&str>| {
        let bearer = token.map(|it| format!("Bearer {it}"));
        let mut headers = vec![
            ("content-type", "application/json"),
            ("accept", "application/json, text/event-stream"),
            ("mcp-protocol-version", "2025-11-25"),
        ];
        headers.extend(bearer.as_deref().map(|it| ("authorization", it)));
        story.server.browse("POST", "/mcp", &headers, &list)
    };
    let asked = call(None);
    assert_eq!(asked.status, 401);
    assert_snapshot!(asked.header("www-authenticate"), @r#"Bearer resource_metadata="http://localhost:7433/.well-known/oauth-protected-resource/mcp", scope="lessons""#);
    let expired = story.claims(&json!({"exp": 7, "groups": ["agents"]}));
    let refused = call(Some(&story.key.sign(&expired)));
    assert_eq!(refused.status, 401);
    assert_snapshot!(refused.header("www-authenticate"), @r#"Bearer resource_metadata="http://localhost:7433/.well-known/oauth-protected-resource/mcp", scope="lessons", error="invalid_token""#);
    let described = ["/mcp", ""].map(|path| {
        let path = format!("/.well-known/oauth-protected-resource{path}");
        let described = story.server.send("GET", &path, "").body;
        described.replace(&story.provider.url, "[PROVIDER]")
    });
    assert_snapshot!(described.join("\n"), @r#"
    {"authorization_servers":["[PROVIDER]"],"bearer_methods_supported":["header"],"resource":"http://localhost:7433/mcp","resource_name":"hardwon","scopes_supported":["lessons"]}
    {"authorization_servers":["[PROVIDER]"],"bearer_methods_supported":["header"],"resource":"http://localhost:7433","resource_name":"hardwon","scopes_supported":["lessons"]}
    "#);
    let rest = story.server.send("GET", "/v1/lessons", "");
    assert_snapshot!(rest.header("www-authenticate"), @r#"Bearer resource_metadata="http://localhost:7433/.well-known/oauth-protected-resource", scope="lessons""#);
    for token in [&story.token("gardeners"), &owner.token] {
        let answer = call(Some(token));
        assert_eq!(answer.status, 200, "{}", answer.body);
        assert!(
            answer.json()["result"]["tools"].is_array(),
            "{}",
            answer.body
        );
    }
    // Whoever has no provider asks for a key, and describes nothing.
    let plain = TestServer::start();
    assert_eq!(
        plain
            .send("GET", "/v1/lessons", "")
            .header("www-authenticate"),
        "Bearer"
    );
    let path = "/.well-known/oauth-protected-resource";
    assert_eq!(plain.send("GET", path, "").status, 404);
    assert_eq!(plain.browse("GET", "/login/provider", &[], "").status, 404);
    assert!(
        !plain
            .send("GET", "/login", "")
            .body
            .contains("/login/provider")
    );
}
