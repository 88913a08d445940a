//! What files that appear whole do to links, pipes and devices.

use std::fs;
use std::io::{Read, Write};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use bvtree::AtomicFile;

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<_> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

fn write(path: &Path, content: &[u8]) -> std::io::Result<()> {
    let mut file = AtomicFile::create(path)?;
    file.file().write_all(content)?;
    file.commit()
}

#[test]
fn what_is_not_committed_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    fs::write(&path, "old").unwrap();
    let mut file = AtomicFile::create(&path).unwrap();
    file.file().write_all(b"new").unwrap();
    assert_eq!(names(folder.path()).len(), 2);
    assert!(file.temporary_path().unwrap().exists());
    drop(file);
    assert_eq!((names(folder.path()), fs::read(&path).unwrap()), (vec!["file".to_owned()], b"old".to_vec()));
    write(&path, b"new").unwrap();
    assert_eq!((names(folder.path()), fs::read(&path).unwrap()), (vec!["file".to_owned()], b"new".to_vec()));
}

/// Whoever reads while the file is replaced again and again finds one whole version or another.
#[test]
fn readers_find_the_old_file_or_the_new_one() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    let version = |number: u8| vec![number; 10_000];
    write(&path, &version(0)).unwrap();
    let is_done = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            while !is_done.load(Ordering::Relaxed) {
                let content = fs::read(&path).expect("there is a file at all times");
                assert_eq!(content.len(), 10_000, "a part of a version");
                assert!(content.iter().all(|byte| *byte == content[0]), "parts of two versions");
            }
        });
        for number in 1..=200 {
            write(&path, &version(number)).unwrap();
        }
        is_done.store(true, Ordering::Relaxed);
    });
    assert_eq!(fs::read(&path).unwrap(), version(200));
}

#[cfg(unix)]
mod unix {
    use std::os::unix::fs::{FileTypeExt, symlink};
    use std::process::Command;

    use super::*;
    use crate::dataset_folder::skipped;

    #[test]
    fn links_stay_and_what_they_lead_to_is_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let (here, there) = (folder.path().join("here"), folder.path().join("there"));
        fs::create_dir(&here).unwrap();
        fs::create_dir(&there).unwrap();
        // Relative and absolute, of two steps, to a file and to nothing yet.
        symlink("../there/file", here.join("relative")).unwrap();
        symlink(there.join("file"), here.join("absolute")).unwrap();
        symlink("relative", here.join("again")).unwrap();
        symlink("../there/another", here.join("dangling")).unwrap();
        let content = |name: &str| fs::read_to_string(there.join(name)).unwrap();
        for (link, target) in [
            ("relative", "file"),
            ("absolute", "file"),
            ("again", "file"),
            ("dangling", "another"),
            ("dangling", "another"),
        ] {
            write(&here.join(link), link.as_bytes()).unwrap();
            assert!(here.join(link).is_symlink());
            assert_eq!(content(target), link);
        }
        assert_eq!(names(&here), ["absolute", "again", "dangling", "relative"]);
        assert_eq!(names(&there), ["another", "file"]);
    }

    #[test]
    fn a_file_that_is_replaced_passes_on_its_permissions() {
        use std::os::unix::fs::PermissionsExt;

        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        write(&path, b"first").unwrap();
        for mode in [0o640, 0o444, 0o755] {
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
            write(&path, b"again").unwrap();
            assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, mode);
        }
    }

    /// The variable that holds the folder in which the test below writes, when it runs in a process of its own.
    const FAILING_DISK: &str = "BVTREE_TEST_FAILING_DISK";

    /// If the content cannot be flushed to disk, it gets no name and the old file stays: in a process whose `fsync`
    /// fails.
    #[test]
    #[cfg(target_os = "linux")]
    fn nothing_gets_its_name_before_it_is_on_disk() {
        if let Some(folder) = std::env::var_os(FAILING_DISK) {
            let path = Path::new(&folder).join("file");
            let error = write(&path, b"new").expect_err("no content can be flushed");
            assert_eq!(error.raw_os_error(), Some(5), "{error}");
            return;
        }
        let (calls, folder) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let [source, library] = ["calls.c", "calls.so"].map(|name| calls.path().join(name));
        fs::write(&source, "#include <errno.h>\nint fsync(int file) { (void)file; errno = EIO; return -1; }\n")
            .unwrap();
        let compiled = Command::new("cc").args(["-shared", "-fPIC", "-o"]).arg(&library).arg(&source).status();
        if !compiled.is_ok_and(|status| status.success()) {
            skipped("cc", "there is no C compiler to replace `fsync` with");
            return;
        }
        fs::write(folder.path().join("file"), "old").unwrap();
        let name = "atomic_file::unix::nothing_gets_its_name_before_it_is_on_disk";
        let mut process = Command::new(std::env::current_exe().unwrap());
        process.args([name, "--exact"]).env("LD_PRELOAD", &library).env(FAILING_DISK, folder.path());
        let output = process.output().unwrap();
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success() && text.contains("1 passed"), "{text}");
        assert_eq!(
            (names(folder.path()), fs::read(folder.path().join("file")).unwrap()),
            (vec!["file".to_owned()], b"old".to_vec())
        );
    }

    #[test]
    fn links_in_a_circle_are_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let (a, b) = (folder.path().join("a"), folder.path().join("b"));
        symlink("b", &a).unwrap();
        symlink("a", &b).unwrap();
        assert!(AtomicFile::create(&a).is_err());
        assert_eq!(names(folder.path()), ["a", "b"]);
    }

    #[test]
    fn pipes_are_written_to() {
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("pipe");
        if !Command::new("mkfifo").arg(&pipe).status().is_ok_and(|status| status.success()) {
            skipped("pipes", "there is no mkfifo");
            return;
        }
        let reader = thread::spawn({
            let pipe = pipe.clone();
            move || {
                let mut read = Vec::new();
                fs::File::open(pipe).unwrap().read_to_end(&mut read).unwrap();
                read
            }
        });
        let content = vec![7; 300_000];
        write(&pipe, &content).unwrap();
        assert_eq!(reader.join().unwrap(), content);
        assert!(fs::metadata(&pipe).unwrap().file_type().is_fifo());
        assert_eq!(names(folder.path()), ["pipe"]);
    }

    /// A device of one's own takes rights, so that the system's are tried; in a folder of its own, a link to each.
    #[test]
    fn devices_stay_devices() {
        let folder = tempfile::tempdir().unwrap();
        for (device, takes_all) in [("/dev/null", true), ("/dev/full", false)] {
            if !fs::metadata(device).is_ok_and(|metadata| metadata.file_type().is_char_device()) {
                skipped("devices", format_args!("there is no {device}"));
                continue;
            }
            let link = folder.path().join("link");
            symlink(device, &link).unwrap();
            assert_eq!(write(&link, b"anything").is_ok(), takes_all, "{device}");
            assert!(link.is_symlink());
            assert!(fs::metadata(device).unwrap().file_type().is_char_device());
            fs::remove_file(link).unwrap();
        }
    }

    /// Somebody took the temporary file away: there is nothing to rename, and what was there before stays.
    #[test]
    fn the_old_file_stays_if_the_new_one_gets_no_name() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        fs::write(&path, "old").unwrap();
        let mut file = AtomicFile::create(&path).unwrap();
        file.file().write_all(b"new").unwrap();
        fs::remove_file(file.temporary_path().unwrap()).unwrap();
        assert!(file.commit().is_err());
        assert_eq!(fs::read(&path).unwrap(), b"old");
    }

    #[test]
    fn folders_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        assert!(AtomicFile::create(folder.path()).is_err());
        assert_eq!(names(folder.path()), [""; 0]);
    }
}
