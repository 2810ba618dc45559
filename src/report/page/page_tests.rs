//! Tests of the page's text: that it is well-formed, fetches nothing, runs nothing but its script, and is the same twice.

use super::page;
use crate::report::chart::{HeatColours, Theme, Viewport, charts};
use crate::report::{sample_fixture as sample, sample_reads_fixture as sample_reads};

fn made(results: &crate::experiment::Results) -> String {
    let of = |viewport| charts(results, HeatColours::default(), viewport);
    page(results, &of(Viewport::Wide), &of(Viewport::Narrow), None)
}

/// The tags of a page in which every element is closed, scripts and styles cut out; panics with the first that isn't.
fn check_nesting(page: &str) {
    const VOID: [&str; 2] = ["meta", "!doctype"];
    let mut open: Vec<String> = Vec::new();
    let mut rest = page;
    while let Some(at) = rest.find('<') {
        rest = &rest[at + 1..];
        let end = rest.find('>').expect("a tag ends");
        let tag = &rest[..end];
        rest = &rest[end + 1..];
        let name: String = tag
            .chars()
            .take_while(|c| !c.is_whitespace())
            .collect::<String>()
            .to_lowercase();
        if let Some(closed) = name.strip_prefix('/') {
            assert_eq!(
                open.pop().as_deref(),
                Some(closed),
                "before {}",
                &rest[..rest.len().min(80)]
            );
        } else if !tag.ends_with('/') && !VOID.contains(&name.as_str()) {
            if ["script", "style"].contains(&name.as_str()) {
                let end = rest.find(&format!("</{name}")).expect("it is closed");
                rest = &rest[end..];
            }
            open.push(name);
        }
        let quotes = tag.matches('"').count();
        assert_eq!(quotes % 2, 0, "{tag}");
    }
    assert_eq!(open, [""; 0]);
}

#[test]
fn every_element_is_closed_in_order() {
    for results in [
        sample::five_keys(),
        sample_reads::five_keys(),
        sample_reads::reads_only(),
        sample::results(Vec::new()),
    ] {
        check_nesting(&made(&results));
    }
}

#[test]
fn text_of_a_scenario_is_text() {
    let mut results = sample::five_keys();
    let hostile = "</script><b onclick=\"x\">&amp;\u{0}";
    results.scenario.text = format!("# {hostile}\n\tkey = 1\n");
    results.scenario.question = hostile.to_owned();
    results.scenario.name = hostile.to_owned();
    results.scenario.overrides = vec![hostile.to_owned()];
    results.warnings = vec![hostile.to_owned()];
    for strategy in &mut results.strategies {
        strategy.title = hostile.to_owned();
        strategy.key = hostile.to_owned();
        strategy.verdict = hostile.to_owned();
        strategy.entities = vec![hostile.to_owned()];
        for bucket in &mut strategy.key_map {
            bucket.labels = vec![hostile.to_owned()];
        }
    }
    let page = made(&results);
    assert!(!page.contains("<b onclick"));
    assert_eq!(
        page.matches("</script>").count(),
        2,
        "the data and the script"
    );
    assert!(
        page.contains("# &lt;/script&gt;&lt;b onclick=&quot;x&quot;&gt;&amp;amp;·\n    key = 1")
    );
    check_nesting(&page);
}

#[test]
fn nothing_is_fetched_and_no_script_or_style_but_its_own_is_taken() {
    let page = made(&sample_reads::five_keys());
    let policy = page
        .split("Content-Security-Policy\" content=\"")
        .nth(1)
        .unwrap();
    let policy = policy.split('"').next().unwrap();
    assert!(
        policy.starts_with("default-src 'none'; img-src data:; font-src data:; style-src 'sha256-")
    );
    assert!(!policy.contains("unsafe"), "{policy}");
    // Names of the SVG namespace, which no browser asks for.
    let names = page.matches("xmlns=\"http://www.w3.org/2000/svg\"").count();
    assert_eq!(page.matches("://").count(), names);
    for attribute in [" src=", " style=", " onclick=", "@import"] {
        assert!(!page.contains(attribute), "{attribute}");
    }
    let references = page.matches("href=").count();
    assert_eq!(
        references,
        page.matches("href=\"data:image/png;base64,").count()
    );
}

#[test]
fn the_same_results_give_the_same_page_under_two_megabytes() {
    let results = sample::five_keys();
    let page = made(&results);
    assert_eq!(page, made(&results));
    assert!(page.len() < 2_000_000, "{}", page.len());
}

#[test]
fn the_page_says_what_it_rests_on() {
    let mut results = sample_reads::five_keys();
    results.scenario.sha256 = "445f15d9f4db".repeat(5);
    results.scenario.text = "seed = 7\n".to_owned();
    let page = made(&results).replace('\u{a0}', " ");
    let seed = format!("<dt>Seed</dt><dd>{}</dd>", results.seed);
    for piece in [
        "<h1>",
        &results.scenario.sha256,
        &seed,
        "<pre>seed = 7</pre>",
        "<dt>by-id of salted</dt>\n<dd>4 Gets, 3 of them in vain</dd>",
        "<code>write_response_ms.p99</code>",
        "<figure id=\"key-map-monotonic\">",
        "<h3>newest</h3>",
    ] {
        assert!(page.contains(piece), "{piece}");
    }
}

#[test]
fn a_theme_decides_who_is_asked() {
    let results = sample::five_keys();
    let style = |theme| page(&results, &[], &[], theme);
    assert!(style(None).contains("@media screen and (prefers-color-scheme: dark) {\n  :root"));
    assert!(style(Some(Theme::Dark)).contains("@media screen {\n  :root"));
    assert!(!style(Some(Theme::Light)).contains("@media screen {"));
    assert!(!style(Some(Theme::Light)).contains("prefers-color-scheme"));
}
