//! What other processes do to a run: readers that leave, signals, full disks.

use std::fmt::Write as _;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use super::Workplace;

const ROW: &str = ",,label,1,0,0,0,0,1,0,0,0,0,1,0\n";

fn query_stdin(workplace: &Workplace, stdout: Stdio) -> Child {
    Command::new(env!("CARGO_BIN_EXE_bvtree"))
        .current_dir(workplace.path(""))
        .args(["query", "cube.obj", "square.obj", "--poses", "-", "--format", "csv"])
        .stdin(Stdio::piped())
        .stdout(stdout)
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

#[test]
fn a_reader_that_leaves_ends_the_run_quietly() {
    let workplace = Workplace::new();
    let mut child = query_stdin(&workplace, Stdio::piped());
    let mut stdin = child.stdin.take().unwrap();
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    // Far more rows of output than a pipe holds.
    stdin.write_all(ROW.repeat(20_000).as_bytes()).unwrap();
    drop(stdin);
    let mut header = String::new();
    stdout.read_line(&mut header).unwrap();
    assert!(header.starts_with("row,"));
    drop(stdout);
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), String::from_utf8(output.stderr).unwrap()), (Some(141), String::new()));
}

/// Runs a command whose output nobody reads.
fn without_reader(workplace: &Workplace, arguments: &str) -> Option<i32> {
    // The reader is gone before the program starts, which may end at once.
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let mut command = Command::new(env!("CARGO_BIN_EXE_bvtree"));
    command.current_dir(workplace.path("")).args(arguments.split(' ')).stdout(writer).status().unwrap().code()
}

#[test]
fn files_are_written_without_a_reader_of_the_rows() {
    let workplace = Workplace::new();
    for number in 0..20 {
        workplace.write(&format!("in/cube{number}.obj"), super::CUBE);
    }
    assert_eq!(without_reader(&workplace, "cook in -o out -q --format csv --report report.jsonl"), Some(141));
    assert_eq!(workplace.visible("out").len(), 20);
    assert_eq!(fs::read_to_string(workplace.path("report.jsonl")).unwrap().lines().count(), 20);
    assert_eq!(workplace.run("cook in -o out -q --check").code, Some(0));
    // Errors come before.
    workplace.write("in/bad.obj", "f 1 2 3\n");
    assert_eq!(without_reader(&workplace, "cook in -o out -q --format csv"), Some(2));
    workplace
        .write("two.json", r#"{"bodies": [{"name": "a", "mesh": "cube.obj"}, {"name": "b", "mesh": "square.obj"}]}"#);
    for command in [
        "compare cube.obj --kind aabb --poses 1 --samples 100 -q --html page.html",
        "compare cube.obj --kind aabb --poses 1 --samples 100 -q --html page.html --format csv",
        "clash two.json -q --html page.html --format csv",
    ] {
        assert_eq!(without_reader(&workplace, command), Some(141), "{command}");
        assert!(fs::metadata(workplace.path("page.html")).unwrap().len() > 1000, "{command}");
        fs::remove_file(workplace.path("page.html")).unwrap();
    }
    // A contact that nobody reads of is not the answer 0.
    assert_eq!(without_reader(&workplace, "query cube.obj square.obj --exit-code --format csv"), Some(141));
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error() {
    let workplace = Workplace::new();
    let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
    let mut child = query_stdin(&workplace, full.into());
    child.stdin.take().unwrap().write_all(ROW.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(stderr.starts_with("error: cannot write to stdout: "), "{stderr}");
}

#[cfg(unix)]
#[test]
fn an_interrupted_cook_leaves_nothing_behind() {
    let workplace = Workplace::new();
    // A wavy sheet that takes a while.
    let side = if cfg!(debug_assertions) { 150 } else { 400 };
    let height = |x: u32, y: u32| (0.1 * f64::from(x)).sin() * (0.2 * f64::from(y)).cos();
    let mut mesh = String::new();
    for (y, x) in (0..=side).flat_map(|y| (0..=side).map(move |x| (y, x))) {
        writeln!(mesh, "v {x} {y} {}", 10.0 * height(x, y)).unwrap();
    }
    for a in (0..side).flat_map(|y| (0..side).map(move |x| y * (side + 1) + x + 1)) {
        writeln!(mesh, "f {} {} {} {}", a, a + 1, a + side + 2, a + side + 1).unwrap();
    }
    workplace.write("sheet.obj", &mesh);
    let files = |folder: &str| fs::read_dir(workplace.path(folder)).map_or(0, |entries| entries.count());
    for (delay, signal) in [(0, "-INT"), (20, "-TERM"), (60, "-HUP")] {
        let folder = format!("out{delay}");
        let mut child = Command::new(env!("CARGO_BIN_EXE_bvtree"))
            .current_dir(workplace.path(""))
            .args(["cook", "sheet.obj", "--preset", "tight", "-q", "-o", &folder])
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        // The file under its temporary name.
        while files(&folder) == 0 && child.try_wait().unwrap().is_none() {
            thread::sleep(Duration::from_millis(1));
        }
        thread::sleep(Duration::from_millis(delay));
        let killed = Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap();
        assert!(killed.success());
        assert_eq!(child.wait().unwrap().code(), Some(130), "after {delay} ms");
        assert_eq!(files(&folder), 0, "after {delay} ms");
    }
}

#[cfg(unix)]
#[test]
fn an_interrupt_exits_with_130() {
    let workplace = Workplace::new();
    let mut child = query_stdin(&workplace, Stdio::null());
    // More than a pipe holds: once this is written the program reads poses, and waits for more of them.
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(ROW.repeat(20_000).as_bytes()).unwrap();
    let killed = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(killed.success());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130));
}

#[cfg(target_os = "linux")]
#[test]
fn help_that_cannot_be_written_is_an_error() {
    for arguments in ["--help", "cook --help", "--version"] {
        let full = fs::File::options().write(true).open("/dev/full").unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_bvtree"));
        let output = command.args(arguments.split(' ')).stdout(full).stderr(Stdio::piped()).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{arguments}");
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert!(stderr.starts_with("error: cannot write to stdout: "), "{stderr}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn devices_pipes_and_links_are_not_replaced() {
    use std::os::unix::fs::{FileTypeExt, symlink};
    let workplace = Workplace::new();
    // A device that is always full, under a name of its own.
    symlink("/dev/full", workplace.path("full.glb")).unwrap();
    assert!(workplace.complaint("export cube.obj -o full.glb -q").contains("cannot write"));
    assert!(fs::metadata("/dev/full").unwrap().file_type().is_char_device());
    assert!(fs::symlink_metadata(workplace.path("full.glb")).unwrap().is_symlink());
    // A link to a file.
    workplace.write("real.glb", "old");
    symlink("real.glb", workplace.path("link.glb")).unwrap();
    assert_eq!(workplace.run("export cube.obj -o link.glb -q").code, Some(0));
    assert!(fs::symlink_metadata(workplace.path("link.glb")).unwrap().is_symlink());
    assert!(fs::read(workplace.path("real.glb")).unwrap().starts_with(b"glTF"));
    // A pipe.
    assert!(Command::new("mkfifo").arg(workplace.path("pipe.glb")).status().unwrap().success());
    let path = workplace.path("pipe.glb");
    let reader = thread::spawn(move || fs::read(path).unwrap());
    assert_eq!(workplace.run("export cube.obj -o pipe.glb -q").code, Some(0));
    assert!(reader.join().unwrap().starts_with(b"glTF"));
    assert!(fs::metadata(workplace.path("pipe.glb")).unwrap().file_type().is_fifo());
}

#[test]
fn a_dash_is_stdout() {
    let workplace = Workplace::new();
    let stdout_of = |arguments: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_bvtree"));
        let output = command.current_dir(workplace.path("")).args(arguments.split(' ')).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        output.stdout
    };
    assert!(stdout_of("export cube.obj -o - --depth 1").starts_with(b"glTF"));
    assert!(stdout_of("view cube.obj -o - -q").starts_with(b"<!"));
    assert!(stdout_of("man -o -").windows(6).any(|part| part == b"bvtree"));
    // Stdout already gets the rows.
    for arguments in [
        "cook cube.obj -o out --report -",
        "cook cube.obj -o out --depfile -",
        "compare cube.obj --html -",
        "clash none.json --bcf -",
    ] {
        assert!(workplace.complaint(arguments).contains("stdout is used for the rows"), "{arguments}");
    }
    assert_eq!(workplace.visible(""), ["cube.obj", "square.obj"]);
}
