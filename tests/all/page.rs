//! The page in a real browser: dark, light, printed, read by keyboard and by pointer. Skipped, saying so, without a Chromium.

mod browser;

use crate::binary::{command, folder_with};
use crate::ran::shipped;
use browser::Browser;
use keyheat::report::Report;
use serde_json::{Value, json};
use std::path::PathBuf;
use tempfile::TempDir;

const SCENARIO: &str = r#"
question = "Which key?"
seed = 3
replicates = 2
[time]
duration = "2s"
warmup = "500ms"
sample = "100ms"
[field]
sensor = { type = "int", count = 1_000 }
ts = { type = "timestamp", unit = "ms" }
[write.ingest]
rate = "4k/s"
[read.newest]
equal = ["sensor"]
newest = { field = "ts", rows = 10 }
[cluster]
servers = 4
[strategy.monotonic]
key = "be8(ts) || be4(sensor)"
[strategy.hashed]
key = "md5_bytes(be4(sensor)) || be8(ts)"
presplit = { algorithm = "uniform", regions = 8 }
"#;

/// The folder of a run, and the page in it.
fn page_of(name: &str, scenario: &str) -> (TempDir, PathBuf) {
    let folder = folder_with(&format!("{name}.toml"), scenario);
    let run = ["run", &format!("{name}.toml"), "-q"];
    command(folder.path()).args(run).assert().success();
    let page = folder.path().join("output").join(name).join("report.html");
    (folder, page)
}

/// The page of a small run.
fn page() -> (TempDir, PathBuf) {
    page_of("small", SCENARIO)
}

/// The page of a run in which a server dies and another one joins.
fn page_of_a_crash() -> (TempDir, PathBuf) {
    let crash = "\n[balancer]\nperiod = \"1s\"\n[[event]]\nat = \"600ms\"\ncrash = \"hottest\"\n[[event]]\nat = \"1.2s\"\nadd_servers = 1\n";
    let text = SCENARIO.replace("servers = 4", "servers = 4\nfailure_detection = \"300ms\"");
    page_of("crash", &(text + crash))
}

#[test]
fn what_happened_to_the_cluster_is_unfolded_on_demand() {
    let Some(chromium) = browser::chromium() else {
        return;
    };
    let (_folder, page) = page_of_a_crash();
    let mut browser = Browser::open(&chromium, &page);
    let list =
        "[...document.querySelectorAll('details')].find((it) => it.textContent.includes('dies'))";
    let height = format!("String({list}.offsetHeight)");
    let folded: u32 = browser.text(&height).parse().unwrap();
    let summary = browser.text(&format!("{list}.querySelector('summary').textContent"));
    assert!(summary.contains("1 crash"), "{summary}");
    browser.evaluate(&format!("{list}.querySelector('summary').click()"));
    let unfolded: u32 = browser.text(&height).parse().unwrap();
    assert!(folded < 60 && unfolded > 2 * folded, "{folded} {unfolded}");
    // The names of servers that regions moved to stand on the map.
    can_be_read(&mut browser);
    let rows = browser.text(&format!(
        "[...{list}.querySelectorAll('tbody tr')].map((row) => row.textContent).join('; ')"
    ));
    let dies = rows.find("dies").unwrap();
    let joined = rows.find("1 server joined").unwrap();
    assert!(
        dies < rows.find("the master knows").unwrap() && dies < joined,
        "{rows}"
    );
    assert_eq!(browser.complaints, [""; 0]);
}

fn background(browser: &mut Browser) -> String {
    browser.text("getComputedStyle(document.body).backgroundColor")
}

fn prefer(browser: &mut Browser, scheme: &str, media: &str) {
    let features = json!([{"name": "prefers-color-scheme", "value": scheme}]);
    browser.call(
        "Emulation.setEmulatedMedia",
        json!({"media": media, "features": features}),
    );
}

#[test]
fn the_page_works_in_a_browser() {
    let Some(chromium) = browser::chromium() else {
        return;
    };
    let (_folder, page) = page();
    let mut browser = Browser::open(&chromium, &page);
    follows_the_system(&mut browser);
    can_be_read(&mut browser);
    reads_the_key_map(&mut browser);
    reads_lines_and_marks(&mut browser);
    fits_the_window(&mut browser);
    prints_on_a4_landscape(&mut browser);
    // No breach of the content security policy, no exception, nothing logged.
    assert_eq!(browser.complaints, [""; 0]);
}

fn follows_the_system(browser: &mut Browser) {
    let ink = "getComputedStyle(document.querySelector('#server-load text')).fill";
    prefer(browser, "light", "");
    assert_eq!(background(browser), "rgb(255, 255, 255)");
    assert_eq!(browser.text(ink), "rgb(27, 31, 36)");
    prefer(browser, "dark", "");
    assert_eq!(background(browser), "rgb(20, 23, 27)");
    assert_eq!(browser.text(ink), "rgb(231, 234, 238)");
    let paper = "getComputedStyle(document.querySelector('#server-load rect')).fill";
    assert_eq!(browser.text(paper), "rgb(20, 23, 27)");
    // Paper is white whatever the screen is.
    prefer(browser, "dark", "print");
    assert_eq!(background(browser), "rgb(255, 255, 255)");
    let overlay = "getComputedStyle(document.querySelector('.overlay')).display";
    assert_eq!(browser.text(overlay), "none");
    prefer(browser, "light", "");
    let font = "document.fonts.ready.then((fonts) => [...fonts].filter((face) => face.status === 'loaded').length)";
    assert_eq!(
        browser.evaluate(font),
        2,
        "both weights of the fonts within"
    );
}

fn can_be_read(browser: &mut Browser) {
    for scheme in ["light", "dark"] {
        prefer(browser, scheme, "");
        let pale = browser.evaluate(include_str!("page/contrast.js"));
        assert_eq!(pale, json!([]), "{scheme}");
    }
    prefer(browser, "light", "");
}

fn told(figure: &str) -> String {
    format!("document.querySelector('#{figure} output').textContent")
}

fn reads_the_key_map(browser: &mut Browser) {
    let told = told("key-map-monotonic");
    assert!(browser.text(&told).starts_with("Point at the picture"));
    browser.evaluate("document.querySelector('#key-map-monotonic summary').focus()");
    browser.press("Tab", true);
    let focused = "document.activeElement.getAttribute('aria-label')";
    assert!(browser.text(focused).contains("arrow keys"));
    // The first interval and the first bucket, then the last of both.
    let first = browser.wait_for(&told, "0 to 0.1 s, keys from the least key");
    browser.press("End", false);
    (0..30).for_each(|_| browser.press("ArrowUp", true));
    let last = browser.wait_for(&told, "1.9 to 2 s");
    assert_ne!(first, last);
    assert_eq!(sum_of_the_table(browser), sum_by_keyboard(browser));
}

/// The writes of the hottest bucket in the table behind the key map.
fn sum_of_the_table(browser: &mut Browser) -> Value {
    browser.evaluate(
        "Number(document.querySelector('#key-map-monotonic tbody tr').cells[1].textContent.replace(/\\D/g, ''))",
    )
}

/// The same bucket, read cell by cell.
fn sum_by_keyboard(browser: &mut Browser) -> Value {
    browser.evaluate(
        "(async () => {
            const figure = document.querySelector('#key-map-monotonic');
            const key = figure.querySelector('tbody tr th').textContent;
            const probe = figure.querySelector('.probe');
            const output = figure.querySelector('output');
            const press = async (key, shiftKey) => {
                probe.dispatchEvent(new KeyboardEvent('keydown', { key, shiftKey, bubbles: true }));
                await new Promise((done) => setTimeout(done, 1));
            };
            await press('Home');
            for (let i = 0; i < 60; i++) await press('ArrowDown', true);
            for (let i = 0; i < 600 && !output.textContent.includes(`keys from ${key}:`); i++) await press('ArrowUp');
            const column = () => output.textContent.split(' s,')[0];
            let sum = 0;
            for (let before = ''; column() !== before; await press('ArrowRight')) {
                before = column();
                sum += Number(output.textContent.match(/: (.*) writes?$/)[1].replace(/\\D/g, ''));
            }
            return sum;
        })()",
    )
}

fn reads_lines_and_marks(browser: &mut Browser) {
    // The pointer over the middle of the first panel, wherever it is on the screen.
    let middle = "(() => {
        const probe = document.querySelector('#server-load .probe');
        probe.scrollIntoView({ block: 'center' });
        const box = probe.getBoundingClientRect();
        return [box.x + box.width / 2, box.y + box.height / 2];
    })()";
    let at = browser.evaluate(middle);
    browser.point(at[0].as_f64().unwrap(), at[1].as_f64().unwrap());
    let found = browser.wait_for(&told("server-load"), "monotonic, ");
    assert!(
        found.contains(" s: hottest ") && found.contains(" · rs3 "),
        "{found}"
    );
    browser.evaluate("document.querySelector('#trade-off .probe').focus({ focusVisible: true })");
    browser.press("ArrowRight", false);
    let found = browser.wait_for(&told("trade-off"), "newest, ");
    assert!(
        found.contains("path ") && found.contains("calls "),
        "{found}"
    );
}

fn fits_the_window(browser: &mut Browser) {
    let width = "document.documentElement.scrollWidth - document.documentElement.clientWidth";
    for window in [1120, 600, 390] {
        let size = json!({"width": window, "height": 900, "deviceScaleFactor": 1, "mobile": false});
        browser.call("Emulation.setDeviceMetricsOverride", size);
        assert_eq!(browser.evaluate(width), 0, "{window}");
    }
    // On a phone the narrow pictures are shown, not made smaller, with the wide ones' titles above them.
    let scales = "[...document.querySelectorAll('.picture > svg:not(.overlay)')].filter((it) => it.clientWidth).map((it) => it.clientWidth / it.viewBox.baseVal.width)";
    let scales = browser.evaluate(scales);
    let figures = browser.evaluate("document.querySelectorAll('figure').length");
    let scales = scales.as_array().unwrap();
    assert_eq!(json!(scales.len()), figures);
    // A scroll bar of 15 pixels takes 4 % of the width.
    let whole = scales.iter().all(|it| it.as_f64().unwrap() > 0.95);
    assert!(whole, "{scales:?}");
    let heading = browser.text("document.querySelector('#server-load .finding').innerText");
    assert!(heading.contains("Grey: each of the 4 servers"), "{heading}");
    // Values are read off them as off the wide ones.
    let probe = "#trade-off .in-narrow .probe";
    browser.evaluate(&format!(
        "document.querySelector('{probe}').focus({{ focusVisible: true }})"
    ));
    browser.press("ArrowRight", false);
    browser.wait_for(&told("trade-off"), "newest, ");
    let inside = format!(
        "(() => {{
            const mark = document.querySelector('#trade-off .in-narrow .cursor').getBoundingClientRect();
            const frame = document.querySelector('{probe}').getBoundingClientRect();
            return mark.left >= frame.left && mark.right <= frame.right && mark.top >= frame.top;
        }})()"
    );
    assert_eq!(browser.evaluate(&inside), true);
    browser.call("Emulation.clearDeviceMetricsOverride", json!({}));
}

#[test]
fn a_decision_of_two_groups_is_printed_on_one_sheet_with_its_picture() {
    let Some(chromium) = browser::chromium() else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    for name in ["noisy-neighbour", "wide-rows"] {
        let report = Report {
            images: &[],
            ..Report::new(&shipped(name).results)
        };
        report.write_pictures(folder.path()).unwrap();
        let page = folder.path().join("report.html");
        let mut browser = Browser::open(&chromium, &page);
        prefer(&mut browser, "light", "print");
        let [width, height] = PAPER;
        let size = json!({"width": width as u32, "height": height as u32, "deviceScaleFactor": 1, "mobile": false});
        browser.call("Emulation.setDeviceMetricsOverride", size);
        let number = |browser: &mut Browser, of: &str| browser.evaluate(of).as_f64().unwrap();
        let decision = number(
            &mut browser,
            "document.querySelector('.decision').scrollHeight",
        );
        assert!(decision > 100.0 && decision <= height, "{name}: {decision}");
        // Within the decision, hence on its sheet, and at least the 60 mm that the style gives it.
        let picture = number(
            &mut browser,
            "document.querySelector('.decision .in-wide svg').getBoundingClientRect().height",
        );
        assert!(picture >= 60.0 / 25.4 * 96.0, "{name}: {picture}");
    }
}

/// A4 landscape less its margins of 12 mm, at 96 pixels an inch.
const PAPER: [f64; 2] = [273.0 / 25.4 * 96.0, 186.0 / 25.4 * 96.0];

fn prints_on_a4_landscape(browser: &mut Browser) {
    prefer(browser, "light", "print");
    let [width, height] = PAPER;
    let size = json!({"width": width as u32, "height": height as u32, "deviceScaleFactor": 1, "mobile": false});
    browser.call("Emulation.setDeviceMetricsOverride", size);
    let decision = "document.querySelector('.decision').scrollHeight";
    let decision = browser.evaluate(decision).as_f64().unwrap();
    assert!(
        decision > 100.0 && decision <= height,
        "{decision} of {height}"
    );
    // Its picture at no less than half of its size: letters of 10 pixels are then 3.75 points high.
    let picture = browser.evaluate("document.querySelector('.decision .in-narrow').offsetHeight / document.querySelector('.decision .in-narrow svg').height.baseVal.value");
    assert!(picture.as_f64().unwrap() >= 0.5, "{picture}");
    // Chromium asks for the width of a portrait sheet before it turns the paper: that is no phone.
    let size = json!({"width": 700, "height": 900, "deviceScaleFactor": 1, "mobile": false});
    browser.call("Emulation.setDeviceMetricsOverride", size);
    let wide = "document.querySelector('#response-time .in-wide').offsetHeight > 100";
    assert_eq!(browser.evaluate(wide), true);
    browser.call("Emulation.clearDeviceMetricsOverride", json!({}));
    prefer(browser, "dark", "");
    let printed = browser.call(
        "Page.printToPDF",
        json!({"preferCSSPageSize": true, "printBackground": false}),
    );
    let base64 = printed["data"].as_str().unwrap();
    let bytes = browser.evaluate(&format!("atob('{base64}')"));
    let text = bytes.as_str().unwrap();
    // 297 x 210 mm in points, to what the browser rounds.
    assert!(
        text.contains("/MediaBox [0 0 841.9") || text.contains("/MediaBox [0 0 842 "),
        "{:?}",
        text.split("/MediaBox").nth(1).map(|box_| &box_[..40])
    );
}
