use super::{Workplace, assert_has};

#[test]
fn help_has_examples_for_every_command() {
    let workplace = Workplace::new();
    for command in ["cook", "query", "robot", "fit", "export", "view", "info", "self"] {
        let help = workplace.answer(&format!("{command} --help"));
        assert_has(&help, &["Usage: bvtree ", "Examples:", &format!("\n  bvtree {command} "), "--quiet", "--threads"]);
        assert_has(&workplace.answer("--help"), &[&format!("\n  {command} ")]);
    }
    assert_has(&workplace.answer("--help"), &["Exit codes:"]);
    assert_eq!(workplace.answer("--version"), format!("bvtree {}\n", env!("CARGO_PKG_VERSION")));
}

#[test]
fn build_options_come_after_a_commands_own() {
    let workplace = Workplace::new();
    let own = [
        ("query", "--mode"),
        ("motion", "--motions"),
        ("robot", "--steps"),
        ("export", "--depth"),
        ("view", "--up"),
        ("ray", "--max-time"),
        ("closest", "--winding"),
        ("self", "--simd"),
    ];
    for (command, option) in own {
        let help = workplace.answer(&format!("{command} -h"));
        let (before, after) = help.split_once("\nBuild options:\n").unwrap();
        assert_has(before, &[&format!("      {option} ")]);
        assert_has(after, &["      --kind ", "      --leaf "]);
    }
}

/// `--kind` was named `--volume`, as were the keys of manifests.
#[test]
fn volume_is_an_alias_of_kind() {
    let workplace = Workplace::new();
    workplace.answer("cook cube.obj -o kind -q --kind aabb,sphere");
    workplace.answer("cook cube.obj -o volume -q --volume aabb,sphere");
    workplace.write("kind.toml", "output = 'manifest'\n[[asset]]\ninput = 'cube.obj'\nvolume = ['aabb', 'sphere']\n");
    workplace.answer("cook --manifest kind.toml -q");
    for folder in ["volume", "manifest"] {
        assert_eq!(workplace.visible(folder), workplace.visible("kind"));
    }
    for arguments in ["query cube.obj cube.obj", "self cube.obj", "compare cube.obj --poses 0 --format csv --levels"] {
        let answer = |option| workplace.answer(&format!("{arguments} --{option} sphere"));
        // Build times differ.
        assert_eq!(answer("volume").lines().count(), answer("kind").lines().count());
    }
    workplace.answer("view cube.obj -o page.html -q --volume obb");
    for command in ["cook", "query", "compare", "view", "self"] {
        let help = workplace.answer(&format!("{command} --help"));
        assert!(help.contains("--kind <KIND") && !help.contains("--volume"), "{help}");
    }
}

#[test]
fn no_command_shows_the_help_on_stderr() {
    let outcome = Workplace::new().run("");
    assert_eq!((outcome.code, outcome.stdout.as_str()), (Some(2), ""));
    assert_has(&outcome.stderr, &["Usage: bvtree ", "Examples:"]);
}

#[test]
fn bad_arguments_are_named() {
    let workplace = Workplace::new();
    let cases = [
        ("bake cube.obj", "'bake'"),
        ("cook cube.obj", "--output"),
        ("cook -o out", "INPUT"),
        (
            "cook cube.obj -o out --kind obb,cone",
            "unknown volume kind 'cone': expected aabb, obb, sphere or kdop, several",
        ),
        ("cook cube.obj -o out --split octree", "expected mean, midpoint, median, sah or sah-own-volumes"),
        ("cook cube.obj -o out --preset slow", "expected fast, balanced or tight"),
        ("cook cube.obj -o out --builder lbvh", "expected top-down or ploc"),
        ("cook cube.obj -o out --collapse best", "expected largest-first or least-volume"),
        ("cook cube.obj -o out --obbtree-rules --preset tight", "cannot be used with '--preset"),
        ("cook cube.obj -o out --leaf 0", "--leaf"),
        ("cook cube.obj -o out --max-depth -1", "-1 is not in 0.."),
        ("cook cube.obj -o out --threads 0", "'--threads <N>': expected a whole number, 1 or more"),
        ("cook cube.obj -o out --jobs 0", "'--jobs <N>': expected a whole number, 1 or more"),
        ("cook cube.obj -o out --scale -1", "'-1' for '--scale <FACTOR>': expected a finite number above 0"),
        ("cook cube.obj -o out --max-triangles -1", "'--max-triangles <N>': expected a whole number"),
        ("info cube.obj --threads -1", "'-1' for '--threads <N>': expected a whole number, 1 or more"),
        ("self cube.obj --limit -1", "'-1' for '--limit <PAIRS>': expected a whole number, 1 or more"),
        ("cook cube.obj -o out --format xml", "[possible values: text, csv, spreadsheet, json]"),
        ("query cube.obj", "<B>"),
        ("query cube.obj cube.obj --mode touch", "[possible values: hit, pairs"),
        ("query cube.obj cube.obj --translate 1,2", "expected X,Y,Z, 3 finite numbers"),
        ("query cube.obj cube.obj --translate 1,2,inf", "expected X,Y,Z, 3 finite numbers"),
        ("query cube.obj cube.obj --rotate 0,0,1", "expected AXIS_X,AXIS_Y,AXIS_Z,DEGREES, 4 finite numbers"),
        ("query cube.obj cube.obj --rotate 0,0,0,90", "the axis has no direction"),
        ("query cube.obj cube.obj --poses p.csv --translate 1,2,3", "cannot be used with"),
        ("query cube.obj cube.obj --repeat 3", "--by-label"),
        ("query cube.obj cube.obj --by-label --repeat 0", "--repeat"),
        ("query cube.obj cube.obj --simd sse", "expected portable, simd128, avx2 or avx512"),
        ("query cube.obj cube.obj --by-label --repeat 18446744073709551616", "expected a whole number, 1 or more"),
        ("compare cube.obj --samples 4611686018427387904", "expected at most 100,000,000"),
        ("cook cube.obj -o out --up -z", "invalid value '-z' for '--up <AXIS>'"),
        ("view cube.obj -o page.html --up -z", "[possible values: y, z]"),
        ("robot arm.urdf", "--configurations <FILE>|--path <FILE>|--never-colliding"),
        ("robot arm.urdf --never-colliding --budget 0", "--budget"),
        ("info", "FILE"),
        ("self", "MESH"),
    ];
    for (arguments, part) in cases {
        assert_has(&workplace.complaint(arguments), &[part]);
    }
    assert!(!workplace.path("out").exists());
}

/// Numbers that are as large as numbers can be end in an answer or in an error, and not in a crash.
#[test]
fn the_largest_numbers_are_taken_or_refused() {
    let workplace = Workplace::new();
    let most = u64::MAX;
    workplace.complaint(&format!("query cube.obj cube.obj --by-label --repeat {most}"));
    workplace.complaint("query cube.obj cube.obj --by-label --repeat 100000001");
    workplace.complaint(&format!("view cube.obj cube.obj --poses missing.csv --row {most} -o view.html"));
    let taken = [
        format!("cook cube.obj square.obj -o out -q --force --jobs {most} --threads {most}"),
        format!("cook cube.obj -o out -q --force --max-triangles {most} --max-bytes {most} --max-memory {most}"),
        format!("cook cube.obj -o out -q --max-depth {0} --leaf {0}", u32::MAX),
        format!("self cube.obj --limit {most}"),
        format!("compare square.obj --kind aabb --poses 1 --seed {most} --levels {most}"),
        format!("export cube.obj -o cube.glb -q --depth {}", u32::MAX),
    ];
    for arguments in taken {
        assert_eq!(workplace.run(&arguments).code, Some(0), "{arguments}");
    }
}
