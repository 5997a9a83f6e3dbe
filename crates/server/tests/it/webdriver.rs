//! A real browser, by the WebDriver protocol: JSON over HTTP, which needs no client of its own here.

use std::{
    env,
    io::{BufRead as _, BufReader},
    process::{Child, Command, Stdio},
};

use serde_json::{Value, json};

/// The element's name in answers, as the standard has it.
const ELEMENT: &str = "element-6066-11e4-a52e-4f735466cecf";
/// What keeps a browser from asking anybody outside.
const ARGUMENTS: [&str; 10] = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
    "--window-size=1280,900",
];

/// A browser with a window, which closes when this is dropped.
pub(crate) struct Browser {
    driver: Child,
    session: String,
    _profile: tempfile::TempDir,
}

impl Browser {
    /// Starts a browser; `None` where there is none, which is said, or is a failure if it was demanded.
    pub(crate) fn start(has_script: bool) -> Option<Self> {
        let started = Command::new("chromedriver")
            .arg("--port=0")
            .stdout(Stdio::piped())
            .spawn();
        let Ok(mut driver) = started else {
            skip("there is no chromedriver");
            return None;
        };
        let output = BufReader::new(driver.stdout.take().unwrap());
        let port = output.lines().map_while(Result::ok).find_map(|line| {
            let port = line.split("successfully on port ").nth(1)?;
            port.trim_end_matches('.').parse::<u16>().ok()
        });
        let url = format!(
            "http://127.0.0.1:{}/session",
            port.expect("it says its port")
        );
        let profile = tempfile::tempdir().unwrap();
        let mut arguments = ARGUMENTS.map(str::to_owned).to_vec();
        arguments.push(format!("--user-data-dir={}", profile.path().display()));
        let mut options = json!({"args": arguments});
        if !has_script {
            options["prefs"] = json!({"profile.managed_default_content_settings.javascript": 2});
        }
        // What a click leads to may come a moment later.
        let wanted = json!({"capabilities": {"alwaysMatch": {
            "goog:chromeOptions": options, "timeouts": {"implicit": 10_000}}}});
        let session = call("POST", &url, &wanted);
        let id = session["sessionId"].as_str().expect("a session has an id");
        let browser = Self {
            driver,
            session: format!("{url}/{id}"),
            _profile: profile,
        };
        browser.watch_policy();
        Some(browser)
    }

    /// Keeps what the content policy forbade, on every page from now on.
    fn watch_policy(&self) {
        let source = "window.forbidden = []; addEventListener('securitypolicyviolation', \
            e => window.forbidden.push(`${e.violatedDirective} ${e.blockedURI}`));";
        self.devtools(
            "Page.addScriptToEvaluateOnNewDocument",
            &json!({"source": source}),
        );
    }

    pub(crate) fn open(&self, url: &str) {
        self.post("url", &json!({"url": url}));
    }

    pub(crate) fn url(&self) -> String {
        call("GET", &format!("{}/url", self.session), &Value::Null)
            .as_str()
            .unwrap()
            .to_owned()
    }

    /// Runs a script from outside the page, and returns its value.
    pub(crate) fn run(&self, script: &str) -> Value {
        self.post("execute/sync", &json!({"script": script, "args": []}))
    }

    /// Waits for a script from outside the page that calls back.
    pub(crate) fn run_async(&self, script: &str) -> Value {
        self.post("execute/async", &json!({"script": script, "args": []}))
    }

    pub(crate) fn click(&self, selector: &str) {
        self.post(
            &format!("element/{}/click", self.find(selector)),
            &json!({}),
        );
    }

    pub(crate) fn write(&self, selector: &str, text: &str) {
        self.post(
            &format!("element/{}/value", self.find(selector)),
            &json!({"text": text}),
        );
    }

    pub(crate) fn text(&self, selector: &str) -> String {
        let url = format!("{}/element/{}/text", self.session, self.find(selector));
        call("GET", &url, &Value::Null).as_str().unwrap().to_owned()
    }

    fn find(&self, selector: &str) -> String {
        let found = self.post(
            "element",
            &json!({"using": "css selector", "value": selector}),
        );
        found[ELEMENT]
            .as_str()
            .unwrap_or_else(|| panic!("{selector}: {found}"))
            .to_owned()
    }

    /// Presses keys, one after another, wherever the focus is.
    pub(crate) fn press(&self, keys: &str) {
        self.wait_for_paint();
        let actions: Vec<Value> = keys
            .chars()
            .flat_map(|key| {
                [
                    json!({"type": "keyDown", "value": key}),
                    json!({"type": "keyUp", "value": key}),
                ]
            })
            .collect();
        self.post(
            "actions",
            &json!({"actions": [{"type": "key", "id": "keyboard", "actions": actions}]}),
        );
    }

    /// Waits until a page was drawn: before, Chromium drops keys.
    fn wait_for_paint(&self) {
        let is_drawn = "return performance.getEntriesByType('paint').length > 0";
        for _ in 0..100 {
            if self.run(is_drawn) == true {
                return;
            }
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
    }

    /// Makes the window so wide, in pixels of the page, with so many pixels of the screen each.
    pub(crate) fn set_width(&self, width: u32, scale: u32) {
        let metrics =
            json!({"width": width, "height": 900, "deviceScaleFactor": scale, "mobile": false});
        self.devtools("Emulation.setDeviceMetricsOverride", &metrics);
    }

    pub(crate) fn set_dark(&self, is_dark: bool) {
        let value = if is_dark { "dark" } else { "light" };
        let features = json!({"features": [{"name": "prefers-color-scheme", "value": value}]});
        self.devtools("Emulation.setEmulatedMedia", &features);
    }

    fn devtools(&self, command: &str, parameters: &Value) -> Value {
        self.post(
            "goog/cdp/execute",
            &json!({"cmd": command, "params": parameters}),
        )
    }

    /// Writes what is seen to a picture, if a folder for them is named.
    pub(crate) fn take_picture(&self, name: &str) {
        let Some(folder) = env::var_os("HARDWON_SHOTS") else {
            return;
        };
        let height = self.run("return document.documentElement.scrollHeight");
        let shot = json!({"captureBeyondViewport": true, "clip": {"x": 0, "y": 0, "scale": 1,
            "width": self.run("return document.documentElement.clientWidth"), "height": height}});
        let shot = self.devtools("Page.captureScreenshot", &shot);
        let encoded = std::path::Path::new(&folder).join(format!("{name}.png.base64"));
        std::fs::write(encoded, shot["data"].as_str().unwrap()).unwrap();
    }

    fn post(&self, path: &str, body: &Value) -> Value {
        call("POST", &format!("{}/{path}", self.session), body)
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        call("DELETE", &self.session, &Value::Null);
        self.driver.kill().ok();
        self.driver.wait().ok();
    }
}

fn call(method: &str, url: &str, body: &Value) -> Value {
    let agent: ureq::Agent = ureq::Agent::config_builder()
        .http_status_as_error(false)
        .build()
        .into();
    let request = ureq::http::Request::builder().method(method).uri(url);
    let mut answer = match body {
        Value::Null => agent.run(request.body(()).unwrap()).unwrap(),
        body => agent.run(request.body(body.to_string()).unwrap()).unwrap(),
    };
    let text = answer
        .body_mut()
        .with_config()
        .limit(64 << 20)
        .read_to_string()
        .unwrap();
    let mut told: Value =
        serde_json::from_str(&text).unwrap_or_else(|_| panic!("{method} {url}: {text}"));
    told["value"].take()
}

/// Says that something is not tested here. Whoever set `HARDWON_DEMAND_BROWSER` wants it tested.
fn skip(why: &str) {
    assert!(env::var_os("HARDWON_DEMAND_BROWSER").is_none(), "{why}");
    eprintln!("not tested in a browser: {why}");
}
