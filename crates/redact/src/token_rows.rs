//! The tokens that are recognised by their prefix, one row each.
//!
//! Prefixes, alphabets, lengths and entropies are facts, mainly taken from the public rules of
//! [gitleaks](https://github.com/gitleaks/gitleaks) (MIT) and from the vendors' own pages. The test in `token`
//! generates the samples, so there are none here.

use super::{
    alphabet::{
        ALNUM, ANY64, Alphabet, BASE64, BECH32, DIGIT, DOTTED, HEX, SLUG, SLUG_PADDED, UPPER_DIGIT,
        WORD,
    },
    token::{TokenRule, token},
};

const DASHED_UPPER: Alphabet = UPPER_DIGIT.union(Alphabet::from_chars("-"));
const DOTTED_WORD: Alphabet = WORD.union(Alphabet::from_chars("."));
const CRYPT: Alphabet = BASE64.union(Alphabet::from_chars(".$,"));
/// The number of a bot, also as written in the path of a URL.
const BOT: Alphabet = DIGIT.union(Alphabet::from_chars("bot"));
const AZURE: Alphabet = DOTTED.union(Alphabet::from_chars("~"));

/// All rows, each with the prefixes of tokens that are alike otherwise. Where two share a prefix, the first that matches
/// names the token.
#[rustfmt::skip]
const ROWS: &[TokenRule] = &[
    // Our own: a memory of lessons must not hold the keys to it.
    token("hardwon-key", &["hwk_", "hwa_", "hws_"], ALNUM, 20),

    // Code hosts and continuous integration.
    token("github-token", &["ghp_", "gho_", "ghu_", "ghs_", "ghr_"], ALNUM, 10),
    token("github-token", &["github_pat_"], WORD, 16),
    token("gitlab-token", &["glpat-", "glrt-", "glrtr-"], DOTTED, 16),
    token("gitlab-token", &["gldt-", "glft-", "glimt-", "glsoat-", "glcbt-", "glffct-"], SLUG, 16),
    token("gitlab-token", &["glptt-"], HEX, 40),
    token("gitlab-token", &["glagent-"], SLUG, 40),
    token("gitlab-token", &["gloas-"], SLUG, 50),
    token("gitlab-token", &["GR1348941"], SLUG, 20),
    token("gitlab-session", &["_gitlab_session="], ALNUM, 32),
    token("bitbucket-token", &["ATBB"], ALNUM, 32),
    token("bitbucket-token", &["ATCTT3"], SLUG_PADDED, 60),
    token("bitbucket-token", &["BBDC-"], ANY64, 40),
    token("atlassian-token", &["ATATT3"], SLUG_PADDED, 60),
    token("sourcegraph-token", &["sgp_", "sgp_local_"], HEX, 40).with_exact_length(),
    token("sourcegraph-token", &["sgp_"], HEX.union(WORD), 57).with_exact_length().with_noise(40),
    token("sonar-token", &["sqp_", "squ_", "sqa_"], HEX, 40),
    token("circleci-token", &["CCIPAT_", "CCIPRJ_"], WORD, 40),
    token("buildkite-token", &["bkua_"], HEX, 40),
    token("harness-key", &["pat.", "sat."], DOTTED, 66).with_noise(30),
    token("octopus-key", &["API-"], UPPER_DIGIT, 26).with_exact_length(),
    token("pulumi-token", &["pul-"], HEX, 40),
    token("scalingo-token", &["tk-us-"], SLUG, 48),
    token("postman-key", &["PMAK-"], SLUG, 40),
    token("readme-key", &["rdme_"], ALNUM, 60),
    token("infracost-key", &["ico-"], ALNUM, 32).with_exact_length(),
    token("prefect-key", &["pnu_", "pnb_"], ALNUM, 36),
    token("doppler-token", &["dp.pt.", "dp.ct.", "dp.sa."], ALNUM, 40),
    token("doppler-token", &["dp.st."], DOTTED, 40),
    token("linear-key", &["lin_api_", "lin_oauth_"], ALNUM, 32),
    token("notion-token", &["ntn_"], ALNUM, 40),
    token("notion-token", &["secret_"], ALNUM, 43).with_exact_length().with_noise(20),
    token("figma-token", &["figd_"], SLUG, 36),
    token("snyk-token", &["snyk_"], DOTTED, 40).with_noise(20),

    // Package registries.
    token("npm-token", &["npm_"], ALNUM, 30).ignoring_case(),
    token("pypi-token", &["pypi-AgE"], SLUG, 40),
    token("pypi-token", &["pypi-"], SLUG, 36).with_noise(20),
    token("gem-key", &["rubygems_"], HEX, 40),
    token("clojars-token", &["CLOJARS_"], ALNUM, 40).ignoring_case(),
    token("crates-token", &["cio"], ALNUM, 32).with_exact_length().with_noise(20),
    token("nuget-key", &["oy2"], ALNUM, 43).with_exact_length().with_noise(20),
    token("artifactory-key", &["AKCp"], ALNUM, 60).with_entropy(3.5),
    token("artifactory-token", &["cmVmd"], ALNUM, 59).with_entropy(3.5),
    token("docker-token", &["dckr_pat_", "dckr_oat_"], SLUG, 20),
    token("swarm-token", &["SWMTKN-1-"], SLUG, 40),

    // Model services.
    token("anthropic-key", &["sk-ant-"], SLUG, 12).with_anchor_proof(),
    token("openai-key", &["sk-proj-", "sk-svcacct-", "sk-admin-"], SLUG, 12).with_anchor_proof(),
    token("openrouter-key", &["sk-or-"], SLUG, 12),
    token("langfuse-key", &["sk-lf-"], SLUG, 30),
    token("api-key", &["sk-live-", "sk-test-"], SLUG, 12).with_anchor_proof(),
    token("api-key", &["sk-"], ALNUM, 16),
    token("api-key", &["sk-"], SLUG, 12).with_noise(8),
    token("huggingface-token", &["hf_", "api_org_"], ALNUM, 30),
    token("groq-key", &["gsk_"], ALNUM, 32),
    token("replicate-token", &["r8_"], ALNUM, 36),
    token("xai-key", &["xai-"], ALNUM, 40),
    token("perplexity-key", &["pplx-"], ALNUM, 40),
    token("nvidia-key", &["nvapi-"], SLUG, 40),
    token("fireworks-key", &["fw_"], ALNUM, 22).with_noise(12),
    token("together-key", &["tgp_v1_"], SLUG, 30),
    token("langsmith-key", &["lsv2_"], WORD, 32),
    token("tavily-key", &["tvly-"], SLUG, 20),
    token("jina-key", &["jina_"], ALNUM, 32),
    token("pinecone-key", &["pcsk_"], WORD, 40),
    token("runpod-key", &["rpa_"], ALNUM, 36),
    token("weave-key", &["wandb_v1_"], WORD, 40),

    // Clouds.
    token("aws-key-id", &["AKIA"], UPPER_DIGIT, 16).with_exact_length().with_entropy(2.8).with_length_proof(),
    token("aws-key-id", &["ASIA", "ABIA", "ACCA"], UPPER_DIGIT, 16).with_exact_length().with_entropy(2.8),
    token("aws-key-id", &["A3T"], UPPER_DIGIT, 17).with_exact_length().with_entropy(2.8),
    token("aws-key", &["ABSK"], BASE64, 100).with_entropy(3.2),
    token("aws-key", &["bedrock-api-key-YmVkcm9jay5hbWF6b25hd3MuY29t"], BASE64, 0).with_entropy(0.0).with_length_proof(),
    token("google-key", &["AIza"], SLUG, 30),
    token("google-oauth-secret", &["GOCSPX-"], SLUG, 20),
    token("google-token", &["ya29."], DOTTED, 20),
    token("google-refresh-token", &["1//0"], SLUG, 30),
    token("azure-secret", &["7Q~", "8Q~"], AZURE, 31).with_max_length(34).with_lead(AZURE, 3, 3),
    token("alibaba-key-id", &["LTAI"], ALNUM, 16),
    token("yandex-token", &["t1."], DOTTED, 80).with_noise(40),
    token("yandex-key", &["AQVN"], SLUG, 35).with_max_length(38),
    token("digitalocean-token", &["dop_v1_", "doo_v1_", "dor_v1_"], HEX, 40),
    token("cloudflare-key", &["v1.0-"], HEX.union(SLUG), 100).with_noise(60),
    token("heroku-key", &["HRKU-AA"], SLUG, 40),
    token("fly-token", &["fo1_"], SLUG, 40),
    token("fly-token", &["fm1r_", "fm1a_", "fm2_"], BASE64, 80),
    token("render-key", &["rnd_"], ALNUM, 24).with_noise(12),
    token("netlify-token", &["nfp_"], ALNUM, 32),
    token("supabase-token", &["sbp_"], HEX, 40),
    token("supabase-key", &["sb_secret_"], SLUG, 20),
    token("terraform-token", &[".atlasv1."], SLUG_PADDED, 50).with_lead(ALNUM, 14, 14),
    token("vault-token", &["hvs."], SLUG, 24),
    token("vault-token", &["hvb.", "hvr."], SLUG, 60),
    token("databricks-token", &["dapi"], HEX, 32),
    token("planetscale-token", &["pscale_tkn_", "pscale_oauth_"], DOTTED, 30),
    token("planetscale-password", &["pscale_pw_"], DOTTED, 30).ignoring_case(),
    token("clickhouse-key", &["4b1d"], ALNUM, 38).with_exact_length().with_entropy(3.0),
    token("openshift-token", &["sha256~"], SLUG, 43),
    token("tailscale-key", &["tskey-"], SLUG, 16),
    token("dynatrace-token", &["dt0c01.", "dt0s01."], DOTTED, 80),
    token("grafana-key", &["eyJrIjoi"], BASE64, 70),
    token("grafana-token", &["glc_"], BASE64, 32),
    token("grafana-token", &["glsa_"], WORD, 41),
    token("newrelic-key", &["NRJS-"], HEX, 19),
    token("newrelic-key", &["NRII-"], SLUG, 32),
    token("newrelic-key", &["NRAK-"], ALNUM, 27),
    token("newrelic-key", &["NRAL"], ALNUM, 0).with_lead(HEX, 36, 36),
    token("sentry-token", &["sntrys_"], ANY64, 60),
    token("sentry-token", &["sntryu_"], HEX, 64).with_exact_length(),
    token("posthog-key", &["phx_"], ALNUM, 40),
    token("defined-networking-token", &["dnkey-"], SLUG_PADDED, 60),

    // Messaging.
    token("slack-token", &["xoxb-", "xoxp-", "xoxs-"], SLUG, 12).with_anchor_proof(),
    token("slack-token", &["xoxa-", "xoxr-"], SLUG, 10).with_anchor_proof(),
    token("slack-token", &["xoxo-"], SLUG, 16).with_noise(8),
    token("slack-token", &["xoxc-"], SLUG, 16),
    token("slack-token", &["xoxd-"], ANY64.union(Alphabet::from_chars("%")), 20),
    token("slack-token", &["xoxe-", "xoxe.xox"], SLUG, 60),
    token("slack-token", &["xapp-"], SLUG, 20),
    token("telegram-token", &[":AA"], SLUG, 32).with_lead(BOT, 6, 19),
    token("sendgrid-key", &["SG."], DOTTED, 50).with_noise(20),
    token("sendinblue-key", &["xkeysib-", "xsmtpsib-"], SLUG, 60),
    token("mailchimp-key", &["-us"], DIGIT, 0).with_max_length(2).with_lead(HEX, 32, 32),
    token("mailgun-key", &["key-", "pubkey-"], HEX, 32).with_exact_length(),
    token("resend-key", &["re_"], WORD, 24).with_noise(16),
    token("intra42-secret", &["s-s4t2ud-", "s-s4t2af-"], HEX, 64),

    // Payment and shops.
    token("stripe-key", &["sk_live_", "sk_test_", "sk_prod_", "rk_live_",
        "rk_test_", "rk_prod_", "pk_live_", "pk_test_"], ALNUM, 10),
    token("webhook-secret", &["whsec_"], BASE64, 24),
    token("square-token", &["sq0atp-", "sq0csp-"], SLUG, 22),
    token("square-token", &["EAAA"], SLUG, 22).with_max_length(60).with_noise(16),
    token("shopify-token", &["shpat_", "shpca_", "shppa_", "shpss_"], HEX, 32),
    token("shippo-token", &["shippo_live_", "shippo_test_"], HEX, 40),
    token("easypost-key", &["EZAK", "EZTK"], ALNUM, 54),
    token("duffel-token", &["duffel_test_", "duffel_live_"], SLUG_PADDED, 40),
    token("flutterwave-key", &["FLWSECK_TEST-"], SLUG, 12),
    token("flutterwave-key", &["FLWSECK-", "FLWPUBK_TEST-"], SLUG, 32),
    token("lob-key", &["live_", "test_"], HEX, 35).with_exact_length(),
    token("lob-key", &["live_pub_", "test_pub_"], HEX, 31).with_exact_length(),
    token("gocardless-token", &["live_"], SLUG_PADDED, 40).with_exact_length().with_noise(16),
    token("settlemint-token", &["sm_aat_", "sm_pat_", "sm_sat_"], ALNUM, 16).with_exact_length(),

    // Any vendor.
    token("live-key", &["_live_"], ALNUM, 16).with_noise(10).with_lead(ALNUM, 2, 12),
    token("test-key", &["_test_"], ALNUM, 20).with_noise(16).with_lead(ALNUM, 2, 12),

    // Websites.
    token("facebook-token", &["EAA"], ALNUM, 90),
    token("typeform-token", &["tfp_"], DOTTED, 40),
    token("dropbox-token", &["sl."], SLUG_PADDED, 120).with_noise(60),
    token("adafruit-key", &["aio_"], ALNUM, 28),
    token("airtable-token", &["pat"], ALNUM.union(DOTTED_WORD), 79).with_exact_length().with_noise(60),
    token("mapbox-token", &["pk.eyJ", "sk.eyJ"], DOTTED, 40),
    token("maxmind-key", &["_mmk"], ALNUM, 0).with_lead(WORD, 36, 36),
    token("adobe-secret", &["p8e-"], ALNUM, 32),
    token("frameio-token", &["fio-u-"], SLUG_PADDED, 60),
    token("plaid-token", &["access-sandbox-", "access-development-", "access-production-"], SLUG, 36),
    token("contentful-token", &["CFPAT-"], SLUG, 40),
    token("authress-key", &[".acc_", ".acc-"], ANY64, 40).with_lead(DOTTED_WORD, 12, 60),

    // Keys of vaults, wallets and machines.
    token("1password-key", &["A3-"], DASHED_UPPER, 36).with_max_length(37).with_entropy(3.5),
    token("1password-token", &["ops_eyJ"], BASE64, 100),
    token("age-key", &["AGE-SECRET-KEY-1"], BECH32, 58).with_entropy(0.0).with_length_proof().ignoring_case(),
    token("nostr-key", &["nsec1"], ALNUM, 58),
    token("wallet-key", &["xprv"], ALNUM, 100),
    token("password-hash", &["$2a$", "$2b$", "$2y$", "$argon2"], CRYPT, 50),
    token("password-hash", &["$apr1$", "$1$"], CRYPT, 24),
    token("password-hash", &["$5$", "$y$", "$7$", "$gy$", "$scrypt$", "pbkdf2_sha256$"], CRYPT, 44),
    token("password-hash", &["$6$"], CRYPT, 64),
    token("password-hash", &["$pbkdf2-"], CRYPT.union(Alphabet::from_chars("-")), 44),
    token("password-hash", &["{SSHA}", "{SHA}"], BASE64, 24),
    token("password-hash", &["{SSHA512}"], BASE64, 64),
    token("password-hash", &["aad3b435b51404eeaad3b435b51404ee:"], HEX, 32).with_exact_length(),
];

list_by_word!(TOKENS: TokenRule = ROWS, anchor of anchors);
