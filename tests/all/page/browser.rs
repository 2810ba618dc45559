//! A headless Chromium, driven through its DevTools pipe: messages are JSON, each ended by a zero byte.

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// Names under which Chromium is installed.
const NAMES: [&str; 5] = [
    "chromium-headless-shell",
    "chrome-headless-shell",
    "chromium",
    "chromium-browser",
    "google-chrome",
];

/// The first Chromium of the search path. Without one it says that the test is skipped, past what the test harness holds back of a test that passes.
pub fn chromium() -> Option<PathBuf> {
    let folders: Vec<PathBuf> =
        std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default()).collect();
    let places = NAMES
        .iter()
        .flat_map(|name| folders.iter().map(move |folder| folder.join(name)));
    let found = places.into_iter().find(|place| place.is_file());
    if found.is_none() {
        let _ = writeln!(std::io::stderr(), "skipped: no Chromium");
    }
    found
}

/// A browser with one page.
pub struct Browser {
    process: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
    session: Option<String>,
    last_id: u64,
    /// What the page complained about.
    pub complaints: Vec<String>,
    _profile: tempfile::TempDir,
}

impl Browser {
    /// Opens `page`.
    pub fn open(chromium: &Path, page: &Path) -> Self {
        let profile = tempfile::tempdir().unwrap();
        // The pipe is on descriptors 3 and 4, where only a shell can put it.
        let mut process = Command::new("sh")
            .arg("-c")
            .arg("exec \"$0\" \"$@\" 3<&0 4>&1 </dev/null >/dev/null 2>&1")
            .arg(chromium)
            .args([
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--remote-debugging-pipe",
            ])
            .arg("--window-size=1120,900")
            .arg(format!("--user-data-dir={}", profile.path().display()))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let (to, from) = (
            process.stdin.take().unwrap(),
            process.stdout.take().unwrap(),
        );
        let mut browser = Self {
            process,
            to,
            from: BufReader::new(from),
            session: None,
            last_id: 0,
            complaints: Vec::new(),
            _profile: profile,
        };
        let target = browser.call("Target.createTarget", json!({"url": "about:blank"}));
        let attached = browser.call(
            "Target.attachToTarget",
            json!({"targetId": target["targetId"], "flatten": true}),
        );
        browser.session = attached["sessionId"].as_str().map(str::to_owned);
        for domain in ["Page", "Log", "Runtime"] {
            browser.call(&format!("{domain}.enable"), json!({}));
        }
        let url = format!("file://{}", page.display());
        browser.call("Page.navigate", json!({"url": url}));
        while browser.evaluate("document.readyState") != "complete" {}
        browser
    }

    /// Asks for something and waits for the answer.
    pub fn call(&mut self, method: &str, parameters: Value) -> Value {
        self.last_id += 1;
        let mut message = json!({"id": self.last_id, "method": method, "params": parameters});
        if let Some(session) = &self.session {
            message["sessionId"] = json!(session);
        }
        self.to.write_all(message.to_string().as_bytes()).unwrap();
        self.to.write_all(&[0]).unwrap();
        self.to.flush().unwrap();
        loop {
            let mut bytes = Vec::new();
            self.from.read_until(0, &mut bytes).unwrap();
            assert!(!bytes.is_empty(), "the browser has gone");
            bytes.pop();
            let answer: Value = serde_json::from_slice(&bytes).unwrap();
            if answer["id"] == self.last_id {
                assert!(answer["error"].is_null(), "{method}: {}", answer["error"]);
                return answer["result"].clone();
            }
            if [
                "Log.entryAdded",
                "Runtime.exceptionThrown",
                "Runtime.consoleAPICalled",
            ]
            .iter()
            .any(|event| answer["method"] == *event)
            {
                self.complaints.push(answer["params"].to_string());
            }
        }
    }

    /// The value of an expression, once it is there.
    pub fn evaluate(&mut self, expression: &str) -> Value {
        let parameters =
            json!({"expression": expression, "returnByValue": true, "awaitPromise": true});
        let found = self.call("Runtime.evaluate", parameters);
        assert!(found["exceptionDetails"].is_null(), "{expression}: {found}");
        found["result"]["value"].clone()
    }

    /// The text that an expression gives.
    pub fn text(&mut self, expression: &str) -> String {
        let value = self.evaluate(expression);
        let text = value
            .as_str()
            .unwrap_or_else(|| panic!("{expression}: {value}"));
        text.replace('\u{a0}', " ")
    }

    /// Waits until an expression gives a text with `piece` in it; gives up after many asks.
    pub fn wait_for(&mut self, expression: &str, piece: &str) -> String {
        let mut found = String::new();
        for _ in 0..200 {
            found = self.text(expression);
            if found.contains(piece) {
                return found;
            }
            self.evaluate("new Promise((done) => setTimeout(done, 10))");
        }
        panic!("{expression}: `{found}`, without `{piece}`");
    }

    /// Presses a key, with Shift or without.
    pub fn press(&mut self, key: &str, shift: bool) {
        let virtual_key = match key {
            "Tab" => 9,
            "End" => 35,
            "Home" => 36,
            "ArrowLeft" => 37,
            "ArrowUp" => 38,
            "ArrowRight" => 39,
            "ArrowDown" => 40,
            key => panic!("{key}"),
        };
        for kind in ["rawKeyDown", "keyUp"] {
            let modifiers = if shift { 8 } else { 0 };
            self.call(
                "Input.dispatchKeyEvent",
                json!({"type": kind, "key": key, "code": key, "modifiers": modifiers,
                       "windowsVirtualKeyCode": virtual_key}),
            );
        }
    }

    /// Moves the pointer.
    pub fn point(&mut self, x: f64, y: f64) {
        self.call(
            "Input.dispatchMouseEvent",
            json!({"type": "mouseMoved", "x": x, "y": y}),
        );
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
