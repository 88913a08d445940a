//! Self-contained HTML pages: one file with its style, script and data, which loads nothing from any network.

pub mod scene;

use bvtree_viewer::{MODULES, STYLE, TOOLS, VIEW_BODY, VIEW_SCRIPT, VIEW_STYLE};
use serde_json::Value;

/// The parts of a page other than its data.
pub struct Page {
    /// The body, with `id`s that the script looks for.
    body: &'static str,
    /// The style sheets after the common ones.
    styles: &'static [&'static str],
    scripts: &'static [&'static str],
}

/// The page of one or two trees in 3D.
pub const VIEW: Page = Page { body: VIEW_BODY, styles: &[VIEW_STYLE], scripts: &[MODULES, VIEW_SCRIPT] };

/// The page that compares meshes' trees: verdicts, 3D, charts and a table.
pub const REPORT: Page = Page {
    body: include_str!("report.html"),
    styles: &[include_str!("report.css")],
    scripts: &[
        MODULES,
        include_str!("charts.js"),
        include_str!("table.js"),
        include_str!("csv.js"),
        include_str!("downloads.js"),
        include_str!("report.js"),
    ],
};

/// The page of an assembly with a list of its clashes.
pub const CLASH: Page = Page {
    body: include_str!("clash.html"),
    styles: &[VIEW_STYLE, include_str!("clash.css")],
    scripts: &[
        MODULES,
        TOOLS,
        include_str!("csv.js"),
        include_str!("units.js"),
        include_str!("clash_rows.js"),
        include_str!("clash_filters.js"),
        include_str!("clash_table.js"),
        include_str!("clash_export.js"),
        include_str!("clash_view.js"),
        include_str!("clash_tools.js"),
        include_str!("clash.js"),
    ],
};

/// The page of a robot with a slider for each joint value and a list of answers.
pub const ROBOT: Page = Page {
    body: include_str!("robot.html"),
    styles: &[VIEW_STYLE, include_str!("robot.css")],
    scripts: &[MODULES, include_str!("robot_kinematics.js"), include_str!("robot_view.js"), include_str!("robot.js")],
};

/// The content security policy, which keeps a page from loading anything external.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data: blob:";

impl Page {
    /// The page with a title and the data that its script reads.
    pub fn html(&self, title: &str, data: &Value) -> String {
        let title = escaped_text(title);
        let Self { body, styles, scripts } = self;
        let (styles, scripts, data) = (styles.concat(), as_script(&scripts.concat()), escaped_json(data));
        format!(
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <meta name=\"generator\" content=\"bvtree {version}\">\n\
             <meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\n\
             <link rel=\"icon\" href=\"data:,\">\n<title>{title}</title>\n<style>\n{STYLE}{styles}</style>\n</head>\n\
             <body>\n{body}<script type=\"application/json\" id=\"data\">{data}</script>\n\
             <script>\n\"use strict\";\n{{\n{scripts}}}\n</script>\n</body>\n</html>\n",
            version = env!("CARGO_PKG_VERSION"),
        )
    }
}

/// Turns modules into one script: all share its scope, so their `import` lines and the word `export` are dropped.
fn as_script(modules: &str) -> String {
    let lines = modules.lines().filter(|line| !line.starts_with("import "));
    lines.flat_map(|line| [line.strip_prefix("export ").unwrap_or(line), "\n"]).collect()
}

/// JSON that can neither end a script element nor begin a comment, whatever its strings contain.
fn escaped_json(data: &Value) -> String {
    data.to_string().replace('<', "\\u003c")
}

fn escaped_text(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn no_name_breaks_out_of_the_data() {
        let hostile = "</script><!--<script>alert(1)</script>&amp;\u{2028}";
        let html = VIEW.html(hostile, &json!({ "name": hostile }));
        let (_, rest) = html.split_once("id=\"data\">").unwrap();
        let (data, _) = rest.split_once("</script>").unwrap();
        assert_eq!(serde_json::from_str::<Value>(data).unwrap()["name"], hostile);
        assert!(html.contains("<title>&lt;/script&gt;&lt;!--"));
    }
}
