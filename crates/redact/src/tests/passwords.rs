//! 120 passwords that nobody uses: half of them typical of people, half generated.
//!
//! The tests of redaction and those of the binary's commands, hooks and MCP use the same. Nothing is checked here.

/// Ordinary passwords, as people invent them.
#[rustfmt::skip]
const ORDINARY: &[&str] = &[
    "Winter2031!", "Company.2031", "Qwerty456!", "Autumn-Leaf7", "castle.rocket.marble.pond",
    "P@ssw0rd99", "Liverpool4ever!", "monkey1972?", "Blue&White8", "/Chelsea-09", "-Tiger77",
    "(Summer)31", "[Falcon]12", "Kings::Cross9", "red{apple}4", "Sunny,Day5", "Moon;Light6",
    "Atmosphere-88", "Yourself21", "HereWeGo7", "Samplers9", "Goldfish<3x", "cat>dog55",
    "$unshine22", "R0ses&Violets", "Frankfurt.1!", "Mar1a.Gomez!", "tiger_lily-44", "&Ampersand3",
    "*Star*Wars77", "Trout(1)Lake", "~Tilde2x", "+PlusOne88", "=Equal=99x", "#Hashtag12",
    "@tHome2031", "Hello.World.99", "Pa$$word-x1", "Zebra|Stripe8", "Mango%Juice5",
    "lamp-river-stone-cloud", "Welkom#2030", "Bonjour!75", "Sommer_2030?", "Gr8Expect.!",
    "JohnSmith1980", "football!!", "abc.Def.123", "Passau-1204", "Tokenring4", "keyWest2020!",
    "Secretariat73", "Heresy99", "Examplary-4", "Insertion7!", "Replacement6?", "Todor1991",
    "Dummkopf5!", "northern.lights.9", "Moscow-Mule!",
];

const SIGNS: &str = "!#$%&()*+,-./:;<=>?@[]^_{|}~";

/// Generates passwords of every class of characters, also of signs alone.
fn generated() -> Vec<String> {
    const ALNUM: &str = "ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz0123456789";
    let mixed = format!("{ALNUM}{SIGNS}");
    let classes = [
        (&mixed[..], 20),
        (SIGNS, 32),
        (ALNUM, 24),
        (&mixed[20..], 14),
    ];
    let mut seed = 11_u64;
    let mut draw = |chars: &str| {
        seed = seed
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        let at = usize::try_from(seed >> 33).unwrap() % chars.len();
        chars[at..].chars().next().unwrap()
    };
    (0..60)
        .map(|index| classes[index % classes.len()])
        .map(|(chars, length)| (0..length).map(|_| draw(chars)).collect())
        .collect()
}

/// Returns all passwords.
pub(crate) fn all() -> impl Iterator<Item = String> {
    let ordinary = ORDINARY.iter().map(|&password| password.to_owned());
    ordinary.chain(generated())
}
