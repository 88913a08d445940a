//! A headless Chromium, driven through a pair of pipes (Chrome DevTools Protocol, `--remote-debugging-pipe`).

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};
use std::{env, fmt, thread};

use bvtree_test_support::dataset_folder::skipped;
use serde_json::{Value, json};
use tempfile::TempDir;

/// The environment variable that names the browser to use instead of the usual ones.
const VARIABLE: &str = "BVTREE_CHROMIUM";
const USUAL: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

/// The time to wait for the browser, longer than anything takes on a busy machine.
const PATIENCE: Duration = Duration::from_secs(120);

/// A browser with one page.
pub struct Chromium {
    process: Child,
    commands: ChildStdin,
    messages: Receiver<Value>,
    last_id: u64,
    session: Option<String>,
    events: Vec<Value>,
    _profile: TempDir,
}

/// A PNG in base64.
#[derive(Clone, PartialEq)]
pub struct Picture(String);

impl fmt::Debug for Picture {
    /// Shows only the size.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Picture of {} bytes", self.0.len())
    }
}

impl Chromium {
    /// Starts a browser; `None` if there is no Chromium, so that the tests that need it are skipped.
    pub fn start() -> Option<Self> {
        let Some(program) = program() else {
            let usual = USUAL.join(", ");
            skipped("browser", format_args!("no Chromium found, neither by ${VARIABLE} nor as {usual}"));
            return None;
        };
        let profile = tempfile::tempdir().unwrap();
        // Chromium reads from descriptor 3 and writes to 4: the shell puts our pipes there.
        let mut process = Command::new("sh")
            .args(["-c", "exec \"$0\" \"$@\" 3<&0 4>&1 </dev/null >/dev/null 2>/dev/null"])
            .arg(program)
            .args(["--headless", "--no-sandbox", "--remote-debugging-pipe", "--hide-scrollbars", "--no-first-run"])
            .args(["--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--disable-dev-shm-usage"])
            .arg(format!("--user-data-dir={}", profile.path().display()))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let (commands, output) = (process.stdin.take().unwrap(), process.stdout.take().unwrap());
        let (sender, messages) = channel();
        thread::spawn(move || {
            for message in BufReader::new(output).split(0) {
                let Ok(message) = message else { break };
                if sender.send(serde_json::from_slice(&message).unwrap()).is_err() {
                    break;
                }
            }
        });
        let mut browser =
            Self { process, commands, messages, last_id: 0, session: None, events: Vec::new(), _profile: profile };
        let target = browser.ask("Target.createTarget", json!({"url": "about:blank"}));
        let attach = json!({"targetId": target["targetId"], "flatten": true});
        let attached = browser.ask("Target.attachToTarget", attach);
        browser.session = attached["sessionId"].as_str().map(str::to_owned);
        for domain in ["Page", "Runtime", "Log", "Network"] {
            browser.ask(&format!("{domain}.enable"), json!({}));
        }
        Some(browser)
    }

    /// Opens a file in a window of a size in CSS pixels, and waits until it is loaded and drawn.
    pub fn open(&mut self, page: &Path, [width, height]: [u32; 2]) {
        self.resize([width, height]);
        self.events.clear();
        self.ask("Page.navigate", json!({"url": format!("file://{}", page.display())}));
        let began = Instant::now();
        while !self.events.iter().any(|event| event["method"] == "Page.loadEventFired") {
            assert!(began.elapsed() < PATIENCE, "the page does not load");
            self.receive();
        }
        self.settle();
    }

    pub fn resize(&mut self, [width, height]: [u32; 2]) {
        let metrics = json!({"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600});
        self.ask("Emulation.setDeviceMetricsOverride", metrics);
        self.settle();
    }

    /// Waits until the page has been drawn.
    fn settle(&mut self) {
        let frames = "new Promise(done => { let left = 4; \
                      const frame = () => left-- > 0 ? requestAnimationFrame(frame) : done(0); frame(); })";
        self.evaluate(frames);
    }

    /// The value of an expression, which is awaited if it is a promise.
    pub fn evaluate(&mut self, expression: &str) -> Value {
        let answer = self.ask(
            "Runtime.evaluate",
            json!({"expression": expression, "awaitPromise": true, "returnByValue": true, "userGesture": true}),
        );
        assert!(answer["exceptionDetails"].is_null(), "{expression}: {}", answer["exceptionDetails"]);
        answer["result"]["value"].clone()
    }

    pub fn text(&mut self, expression: &str) -> String {
        self.evaluate(expression).as_str().unwrap_or_else(|| panic!("{expression} is no text")).to_owned()
    }

    /// Presses and releases a key, as a user would.
    pub fn press(&mut self, key: &str) {
        let (code, text) = match key {
            "ArrowLeft" => (37, ""),
            "ArrowUp" => (38, ""),
            "ArrowRight" => (39, ""),
            "ArrowDown" => (40, ""),
            "Home" => (36, ""),
            "End" => (35, ""),
            "Enter" => (13, "\r"),
            "Escape" => (27, ""),
            " " => (32, " "),
            _ => panic!("no code for the key {key}"),
        };
        for (kind, text) in [("keyDown", text), ("keyUp", "")] {
            let event = json!({"type": kind, "key": key, "windowsVirtualKeyCode": code, "text": text});
            self.ask("Input.dispatchKeyEvent", event);
        }
        self.settle();
    }

    /// Renders pages as on a "screen" or for "print". Cameras do not fly, but jump.
    pub fn media(&mut self, name: &str) {
        let still = json!([{"name": "prefers-reduced-motion", "value": "reduce"}]);
        self.ask("Emulation.setEmulatedMedia", json!({"media": name, "features": still}));
    }

    /// Presses the mouse at a place in the window, moves it to another and releases it.
    pub fn drag(&mut self, from: [f64; 2], to: [f64; 2]) {
        let places = [("mousePressed", from), ("mouseMoved", to), ("mouseReleased", to)];
        for (kind, [x, y]) in places {
            let event = json!({"type": kind, "x": x, "y": y, "button": "left", "buttons": 1, "clickCount": 1});
            self.ask("Input.dispatchMouseEvent", event);
        }
        self.settle();
    }

    /// The left, top, width and height of an element in the window, in CSS pixels, after scrolling to it.
    pub fn place(&mut self, selector: &str) -> [f64; 4] {
        let found = self.evaluate(&format!(
            "(() => {{ const found = document.querySelector('{selector}'); found.scrollIntoView({{block: 'center'}}); \
             const {{left, top, width, height}} = found.getBoundingClientRect(); return [left, top, width,
                 height]; }})()"
        ));
        [0, 1, 2, 3].map(|k| found[k].as_f64().unwrap())
    }

    /// A screenshot of an element without its margin, where a focus ring may be drawn.
    pub fn picture(&mut self, selector: &str) -> Picture {
        const MARGIN: f64 = 6.0;
        let [left, top, width, height] = self.place(selector);
        self.settle();
        // Clips are counted from the page's top, which may be scrolled away.
        let scrolled = self.evaluate("[scrollX, scrollY]");
        let [x, y] = [left + scrolled[0].as_f64().unwrap(), top + scrolled[1].as_f64().unwrap()];
        let clip = json!({
            "x": x + MARGIN, "y": y + MARGIN, "width": width - 2.0 * MARGIN, "height": height - 2.0 * MARGIN,
                "scale": 1,
        });
        let answer = self.ask("Page.captureScreenshot", json!({"format": "png", "clip": clip}));
        Picture(answer["data"].as_str().unwrap().to_owned())
    }

    /// The number of pixels of a picture that satisfy a condition on `r`, `g` and `b`.
    pub fn count_pixels(&mut self, Picture(picture): &Picture, condition: &str) -> u64 {
        let count = self.evaluate(&format!(
            "(async () => {{ const image = new Image(); image.src = 'data:image/png;base64,{picture}'; \
             await image.decode(); const canvas = document.createElement('canvas'); \
             Object.assign(canvas, {{width: image.width, height: image.height}}); \
             const context = canvas.getContext('2d'); context.drawImage(image, 0, 0); \
             const {{data}} = context.getImageData(0, 0, image.width, image.height); let count = 0; \
             for (let i = 0; i < data.length; i += 4) {{ const [r, g, b] = data.subarray(i, i + 3); \
             if ({condition}) count++; }} return count; }})()"
        ));
        count.as_u64().unwrap()
    }

    /// Errors and warnings on the console, exceptions, and requests to a network since the page was opened.
    pub fn complaints(&mut self) -> Vec<String> {
        self.settle();
        let is_complaint = |event: &&Value| match event["method"].as_str() {
            Some("Runtime.exceptionThrown" | "Log.entryAdded") => true,
            Some("Runtime.consoleAPICalled") => {
                matches!(event["params"]["type"].as_str(), Some("error" | "warning" | "assert"))
            }
            Some("Network.requestWillBeSent") => {
                let url = event["params"]["request"]["url"].as_str().unwrap_or_default();
                !["file:", "data:", "blob:"].iter().any(|scheme| url.starts_with(scheme))
            }
            _ => false,
        };
        self.events.iter().filter(is_complaint).map(Value::to_string).collect()
    }

    /// The result of a command; it must have one.
    fn ask(&mut self, method: &str, parameters: Value) -> Value {
        self.last_id += 1;
        let id = self.last_id;
        let mut command = json!({"id": id, "method": method, "params": parameters});
        if let Some(session) = &self.session {
            command["sessionId"] = session.as_str().into();
        }
        self.commands.write_all(format!("{command}\0").as_bytes()).unwrap();
        loop {
            if let Some(answer) = self.receive().filter(|message| message["id"] == id) {
                assert!(answer["error"].is_null(), "{method}: {}", answer["error"]);
                return answer["result"].clone();
            }
        }
    }

    /// The next message if it answers a command; events are kept.
    fn receive(&mut self) -> Option<Value> {
        let message = self.messages.recv_timeout(PATIENCE).expect("Chromium does not answer");
        if message["id"].is_null() {
            self.events.push(message);
            return None;
        }
        Some(message)
    }
}

impl Drop for Chromium {
    fn drop(&mut self) {
        let close = json!({"id": self.last_id + 1, "method": "Browser.close"});
        let _ = self.commands.write_all(format!("{close}\0").as_bytes());
        for _ in 0..50 {
            if let Ok(Some(_)) = self.process.try_wait() {
                return;
            }
            thread::sleep(Duration::from_millis(100));
        }
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn program() -> Option<PathBuf> {
    if let Some(program) = env::var_os(VARIABLE).filter(|program| !program.is_empty()) {
        return Some(program.into());
    }
    let folders: Vec<PathBuf> = env::split_paths(&env::var_os("PATH")?).collect();
    USUAL.iter().flat_map(|name| folders.iter().map(move |folder| folder.join(name))).find(|path| path.is_file())
}
