//! Who is compared, and what counts.

use std::fs;

use serde_json::{Value, json};

use super::{PLANT, named, rows, workplace};

#[test]
fn rules_say_who_is_compared_and_what_counts() {
    let workplace = workplace();
    let csv = |arguments: &str| rows(&workplace.answer(&format!("clash plant.json -q --format csv {arguments}")));
    let without = |classes: &[&str]| -> Vec<_> {
        named(&PLANT).into_iter().filter(|row| !classes.contains(&row[3].as_str())).collect()
    };
    assert_eq!(csv("--allow-touching"), without(&["touching"]));
    assert_eq!(csv("--clearance 0.2"), without(&["too_near"]));
    assert_eq!(csv("--limit 3"), named(&PLANT[..3]));
    let of_bar: Vec<_> = named(&PLANT).into_iter().filter(|row| row.contains(&"bar".to_owned())).collect();
    assert_eq!(csv("--between pipes,solid --clearance 0"), of_bar);
    assert_eq!(csv("--between pipes,* --clearance 0"), of_bar);
    assert_eq!(csv("--ignore cube,small --ignore twin,cube"), [&named(&PLANT[1..2])[..], &named(&PLANT[3..])].concat());
    // The small cube is half a cube away from being free of the bar.
    let touching = csv("--tolerance 0.36");
    assert_eq!(touching[5], ["small", "bar", "touching", "touching"].map(str::to_owned));
    assert_eq!(touching[1][2], "crossing");
    assert!(!csv("--tolerance 0.36 --allow-touching").contains(&touching[5]));

    let mut plant: Value = serde_json::from_str(&fs::read_to_string(workplace.path("plant.json")).unwrap()).unwrap();
    plant["ignore"] = json!([["cube", "twin"]]);
    plant["rules"] = json!([
        {"between": ["pipes", "pipes"], "ignore": true},
        {"between": ["pipes", "*"], "clearance": 0},
        {"between": ["solid", "solid"], "touching": true},
    ]);
    workplace.write("rules.json", &plant.to_string());
    let found = rows(&workplace.answer("clash rules.json -q --format csv"));
    let expected = [PLANT[0], PLANT[1], PLANT[5], PLANT[6], PLANT[7], PLANT[8]];
    assert_eq!(found, named(&expected));
}
