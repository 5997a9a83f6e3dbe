//! The web page in a real browser: every view, by keys alone, without script, on narrow and dark screens, magnified,
//! and as those see it who do not see.

use std::{path::PathBuf, process::Command};

use hardwon_server::Role;
use serde_json::json;

use crate::{client::TestServer, page_visitor::fill, webdriver::Browser};

const VIEWS: [&str; 9] = [
    "/review",
    "/try?prompt=npm+test+fails&call=npm+test",
    "/lessons",
    "/lessons/5",
    "/lessons/1",
    "/effects",
    "/recalls?silent=yes",
    "/recalls/121",
    "/journal",
];
/// What is asked of pages about accessibility.
const AXE: &str = "axe-core@4.14.1";

fn log_in(browser: &Browser, server: &TestServer, role: Role) {
    let key = server.key(role, "acme");
    browser.open(&server.url);
    browser.write("input[name=key]", &key.token);
    browser.click("button.main");
    wait_for(browser, "/effects");
    browser.open(&format!("{}/review", server.url));
}

/// Checks that nothing was forbidden by the content policy, and that nothing sticks out at the side.
fn check_page(browser: &Browser, path: &str) {
    assert_eq!(browser.run("return window.forbidden"), json!([]), "{path}");
    let wide =
        "return [document.documentElement.scrollWidth, document.documentElement.clientWidth]";
    let wide = browser.run(wide);
    assert!(
        wide[0].as_i64() <= wide[1].as_i64(),
        "{path} is too wide: {wide}"
    );
    let cuts_links = "const count = document.querySelector('.count'), nav = document.querySelector('nav'); \
        if (count) count.firstChild.data = '30'; return Boolean(nav) && nav.scrollWidth > nav.clientWidth";
    assert_eq!(browser.run(cuts_links), false, "{path}");
}

#[test]
fn every_view_is_whole_on_every_screen() {
    let Some(browser) = Browser::start(true) else {
        return;
    };
    let axe = find_axe();
    let server = TestServer::start();
    fill(&server);
    log_in(&browser, &server, Role::Owner);
    for (name, width, scale, is_dark) in [
        ("light", 1280, 1, false),
        ("dark", 1280, 1, true),
        ("narrow", 375, 2, false),
        ("narrowest", 320, 2, false),
        ("magnified", 640, 2, false),
    ] {
        browser.set_width(width, scale);
        browser.set_dark(is_dark);
        for path in VIEWS {
            browser.open(&format!("{}{path}", server.url));
            check_page(&browser, path);
            browser.take_picture(&format!("{name}{}", path.replace(['/', '?'], "-")));
            if let Some(axe) = &axe {
                check_accessibility(&browser, axe, &format!("{name} {path}"));
            }
        }
    }
    for path in ["/lessons/99", "/login"] {
        browser.open(&format!("{}{path}", server.url));
        check_page(&browser, path);
        browser.take_picture(&format!("magnified{}", path.replace('/', "-")));
    }
}

/// On a telephone the picture has the whole width, and the menu of projects the ends that tell them apart.
#[test]
fn a_telephone_has_room_for_what_matters() {
    let Some(browser) = Browser::start(true) else {
        return;
    };
    let server = TestServer::start();
    fill(&server);
    let owner = server.key(Role::Owner, "acme");
    for folder in ["shop", "shop/frontend"] {
        let project = format!("/home/somebody/code/of/the/firm/{folder}");
        owner.lesson(&json!({"signature": folder, "lesson_text": "Use it.", "project": project}));
    }
    log_in(&browser, &server, Role::Owner);
    browser.set_width(375, 2);
    browser.open(&format!("{}/effects", server.url));
    let share =
        "return document.querySelector('.bars svg').getBoundingClientRect().width / innerWidth";
    assert!(browser.run(share).as_f64().unwrap() > 0.9);
    let names = "return [...document.querySelector('[name=project]').options].map(it => it.text)";
    let names = browser.run(names).to_string();
    assert!(
        names.contains("\"frontend\"") && names.contains("\"firm/shop\""),
        "{names}"
    );
}

fn check_accessibility(browser: &Browser, axe: &str, page: &str) {
    browser.run(axe);
    let found = browser.run_async(
        "const done = arguments[arguments.length - 1]; axe.run().then(found => done(found.violations.map(it => \
         `${it.id}: ${it.nodes.map(node => node.html).join(' | ')}`)), error => done([String(error)]));",
    );
    assert_eq!(found, json!([]), "{page}");
}

/// Returns the script that checks accessibility, which is fetched once; `None` where it cannot be.
fn find_axe() -> Option<String> {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("axe");
    let script = folder.join("package/axe.min.js");
    if !script.exists() {
        std::fs::create_dir_all(&folder).unwrap();
        let fetch = format!("npm pack {AXE} --silent && tar xzf axe-core-*.tgz package/axe.min.js");
        Command::new("sh")
            .args(["-c", &fetch])
            .current_dir(&folder)
            .output()
            .ok();
    }
    let found = std::fs::read_to_string(script).ok();
    if found.is_none() {
        eprintln!("accessibility is not tested: axe-core could not be fetched with npm");
    }
    found
}

/// Decides about all that waits without a mouse.
#[test]
fn the_queue_is_worked_off_by_keys() {
    let Some(browser) = Browser::start(true) else {
        return;
    };
    let server = TestServer::start();
    fill(&server);
    log_in(&browser, &server, Role::Curator);
    browser.press("jj");
    let focus = "return document.activeElement.querySelector('h2')?.textContent";
    let is_fifth = |name: &str| name.starts_with("Run npm run test:all instead");
    assert!(is_fifth(browser.run(focus).as_str().unwrap()));
    browser.press("k");
    assert!(browser.run(focus).as_str().unwrap().contains("alert(1)"));
    browser.press("r");
    // Letters in a field are letters.
    browser.press("a jerk");
    assert_eq!(browser.run("return document.activeElement.value"), "a jerk");
    browser.press("\u{e007}");
    wait_for(&browser, "/review?done=rejected&ids=6");
    assert!(browser.text("main").contains("Rejected:"));
    browser.press("je");
    assert_eq!(browser.run("return document.activeElement.name"), "text");
    browser.press("\u{e00c}a");
    wait_for(&browser, "/review?done=approved&ids=5");
    assert!(browser.text("main").contains("Nothing waits for review."));
    browser.open(&format!("{}/lessons", server.url));
    browser.press("/");
    assert_eq!(browser.run("return document.activeElement.name"), "q");
    browser.press("\u{e00c}j");
    let field = "return document.querySelector('[name=q]').value";
    assert_eq!(browser.run(field), "");
    assert_eq!(browser.run("return document.activeElement.tagName"), "A");
    // A lesson is edited, and looked for, from its own page.
    browser.open(&format!("{}/lessons/1", server.url));
    browser.press("e");
    assert_eq!(browser.run("return document.activeElement.name"), "text");
    browser.press("\u{e00c}/");
    wait_for(&browser, "/lessons#search");
    browser.press("q");
    assert_eq!(browser.run(field), "q");
    assert_eq!(browser.run("return window.forbidden"), json!([]));
}

/// What is ticked is not lost to a search, not even to one that finds nothing meanwhile.
#[test]
fn a_search_keeps_what_is_ticked() {
    let Some(browser) = Browser::start(true) else {
        return;
    };
    let server = TestServer::start();
    fill(&server);
    log_in(&browser, &server, Role::Owner);
    browser.open(&format!("{}/lessons", server.url));
    browser.click("[name=pick-1]");
    for (words, rest) in [("nowhere", "?q=nowhere"), ("x", "?q=nowherex")] {
        browser.write("#search", words);
        wait_for_search(&browser, rest);
        let found = browser.text("#found");
        assert!(
            found.contains("No lesson fits.") && found.contains("#1"),
            "{found}"
        );
    }
    browser.run("document.getElementById('search').value = ''");
    browser.write("#search", "registry");
    wait_for_search(&browser, "?q=registry");
    let ticked = "return [...document.querySelectorAll('#found :checked')].map(box => box.name)";
    assert_eq!(browser.run(ticked), json!(["pick-1"]));
    assert!(browser.text("#found").contains("registry"));
}

fn wait_for_search(browser: &Browser, query: &str) {
    for _ in 0..600 {
        if browser.url().contains(&format!("{query}&")) {
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    panic!("{} has not {query}", browser.url());
}

fn wait_for(browser: &Browser, path: &str) {
    for _ in 0..600 {
        if browser.url().ends_with(path) {
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    panic!("{} is not {path}", browser.url());
}

/// Without script every form and link still does what it says.
#[test]
fn nothing_needs_the_script() {
    let Some(browser) = Browser::start(false) else {
        return;
    };
    let server = TestServer::start();
    fill(&server);
    log_in(&browser, &server, Role::Owner);
    for path in VIEWS {
        browser.open(&format!("{}{path}", server.url));
        assert!(!browser.text("h1").is_empty(), "{path}");
    }
    browser.open(&format!("{}/review", server.url));
    browser.click("article:nth-of-type(2) summary");
    browser.write("article:nth-of-type(2) textarea", " And say so.");
    browser.click("article:nth-of-type(2) button[value=save]");
    browser.click("button[name=meant]");
    wait_for(&browser, "/review?done=revised&ids=5");
    assert!(browser.text("main").contains("#6"));
    browser.write("article:nth-of-type(1) input[name=why]", "an attack");
    browser.click("article:nth-of-type(1) form:nth-of-type(2) button");
    wait_for(&browser, "/review?done=rejected&ids=6");
    browser.click(".notice button");
    wait_for(&browser, "/review?done=undone");
    browser.click("article:nth-of-type(2) input[type=checkbox]");
    browser.click("#several button[value=reject]");
    wait_for(&browser, "/review?done=rejected&ids=5");
    browser.open(&format!("{}/journal", server.url));
    browser.click(".verify button");
    assert!(browser.text("[role=status]").contains("no fault"));
    browser.click(".out button");
    wait_for(&browser, "/login");
}
