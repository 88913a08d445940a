//! Files that appear whole or not at all.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Seek};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

/// A file being written that appears complete and on disk under its name when it is committed, or not at all; and then
/// whatever was there before stays. What [`BvTree::save`](crate::BvTree::save) writes with.
///
/// It is written under a temporary name in its folder, `.bvtree-*.tmp`, and locked meanwhile; dropped before it is
/// committed, it is removed. (One that is not locked was left behind by a process that was killed.) If the name is a
/// symbolic link, the file that the link leads to is replaced, and the link stays. What is no file but can be written
/// to - a device, a pipe - is not replaced: when the file is committed, its content goes there.
///
/// ```
/// use std::io::Write;
///
/// use bvtree::AtomicFile;
///
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("notes.txt");
/// let mut file = AtomicFile::create(&path)?;
/// file.file().write_all(b"all of it")?;
/// assert!(!path.exists());
/// file.commit()?;
/// assert_eq!(std::fs::read(&path)?, b"all of it");
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct AtomicFile {
    destination: Destination,
}

#[derive(Debug)]
enum Destination {
    /// A file that gets this path.
    Path { temporary: NamedTempFile, path: PathBuf },
    /// What is written to in the end, and a file without a name for the time until then.
    Device { content: File, device: File },
}

impl AtomicFile {
    /// Begins to write the file. Waits for a reader if it is a pipe that nobody reads.
    ///
    /// # Errors
    /// If it is a folder or a device that can't be written to, or a temporary file can't be made in its folder.
    pub fn create(path: impl AsRef<Path>) -> io::Result<Self> {
        let path = path.as_ref();
        let destination = match fs::metadata(path) {
            Ok(metadata) if metadata.is_dir() => return Err(ErrorKind::IsADirectory.into()),
            Ok(metadata) if !metadata.is_file() => Destination::Device {
                device: OpenOptions::new().write(true).open(path)?,
                content: tempfile::tempfile()?,
            },
            _ => {
                let path = behind_links(path)?;
                let folder = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
                let temporary = temporary_in(folder)?;
                // Tells others that it is being written; where that can't be said, nobody asks.
                let _ = temporary.as_file().try_lock();
                Destination::Path { temporary, path }
            }
        };
        Ok(Self { destination })
    }

    /// Where to write the content; it can be read and sought in too.
    pub fn file(&mut self) -> &mut File {
        match &mut self.destination {
            Destination::Path { temporary, .. } => temporary.as_file_mut(),
            Destination::Device { content, .. } => content,
        }
    }

    /// The temporary name, for those who may have to remove it themselves because the process ends; if there is one.
    pub fn temporary_path(&self) -> Option<&Path> {
        match &self.destination {
            Destination::Path { temporary, .. } => Some(temporary.path()),
            Destination::Device { .. } => None,
        }
    }

    /// Waits until the content is on disk, and gives the file its name.
    ///
    /// # Errors
    /// If it can't be brought to disk or renamed, or the device does not take all of it.
    pub fn commit(self) -> io::Result<()> {
        match self.destination {
            Destination::Path { temporary, path } => {
                temporary.as_file().sync_all()?;
                temporary.persist(path).map_err(|error| error.error)?;
            }
            Destination::Device { mut content, mut device } => {
                content.rewind()?;
                io::copy(&mut content, &mut device)?;
            }
        }
        Ok(())
    }
}

fn temporary_in(folder: &Path) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".bvtree-").suffix(".tmp");
    #[cfg(unix)]
    {
        // As for any new file: the process's mask applies. Temporary files are private otherwise.
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    builder.tempfile_in(folder)
}

/// Where symbolic links lead to, be it that there is nothing yet.
fn behind_links(path: &Path) -> io::Result<PathBuf> {
    /// As many as Linux follows.
    const MAX_LINKS: usize = 40;
    let mut path = path.to_owned();
    for _ in 0..MAX_LINKS {
        match fs::read_link(&path) {
            // A relative link starts from its folder; an absolute one replaces the path.
            Ok(target) => path = path.parent().unwrap_or(Path::new("")).join(target),
            // It is no link, or there is nothing.
            Err(_) => return Ok(path),
        }
    }
    Err(io::Error::other("too many levels of symbolic links"))
}
