//! What files that appear whole do to links, pipes and devices.

use std::fs;
use std::io::{Read, Write};
use std::path::Path;

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

#[cfg(unix)]
mod unix {
    use std::os::unix::fs::{FileTypeExt, symlink};
    use std::process::Command;
    use std::thread;

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

    #[test]
    fn folders_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        assert!(AtomicFile::create(folder.path()).is_err());
        assert_eq!(names(folder.path()), [""; 0]);
    }
}
