//! Files that appear complete or not at all.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Seek};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

/// A file that is written atomically: on commit it appears complete and on disk under its name; until then, or if
/// writing fails, the previous file stays. [`BvTree::save`](crate::BvTree::save) uses it.
///
/// The content goes to a locked temporary file in the same folder, `.bvtree-*.tmp`, which is removed if the
/// `AtomicFile` is dropped before the commit. A temporary file that is not locked was left behind by a killed process.
/// If the name is a symbolic link, the target of the link is replaced and the link stays. Devices and pipes are not
/// replaced; the commit writes the content to them.
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
    /// A temporary file that will get this path.
    Path { temporary: NamedTempFile, path: PathBuf },
    /// A device or pipe, and an unnamed temporary file with the content.
    Device { content: File, device: File },
}

impl AtomicFile {
    /// Starts writing a file. If the path is a pipe, this blocks until the pipe has a reader.
    ///
    /// # Errors
    /// Fails if the path is a folder or a device that is not writable, if it leads through too many symbolic links, or
    /// if no temporary file can be created.
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
                let temporary = temporary_in(folder_of(&path))?;
                // The lock shows that the file is being written; systems without locks do not check it.
                let _ = temporary.as_file().try_lock();
                Destination::Path { temporary, path }
            }
        };
        Ok(Self { destination })
    }

    /// The file to write the content to; it is readable and seekable.
    pub fn file(&mut self) -> &mut File {
        match &mut self.destination {
            Destination::Path { temporary, .. } => temporary.as_file_mut(),
            Destination::Device { content, .. } => content,
        }
    }

    /// The path of the temporary file, to remove it if the process must end; `None` for devices and pipes.
    pub fn temporary_path(&self) -> Option<&Path> {
        match &self.destination {
            Destination::Path { temporary, .. } => Some(temporary.path()),
            Destination::Device { .. } => None,
        }
    }

    /// Flushes the content to disk and gives the file its name. On Unix the folder is flushed too, if the system allows
    /// it, so that the name outlasts a crash of the system; and a file that is replaced passes on its permissions.
    ///
    /// # Errors
    /// Fails if flushing, renaming or writing to the device fails.
    pub fn commit(self) -> io::Result<()> {
        match self.destination {
            Destination::Path { temporary, path } => {
                #[cfg(unix)]
                if let Ok(replaced) = fs::metadata(&path) {
                    temporary.as_file().set_permissions(replaced.permissions())?;
                }
                temporary.as_file().sync_all()?;
                temporary.persist(&path).map_err(|error| error.error)?;
                // The file is complete already: some file systems do not flush folders.
                #[cfg(unix)]
                let _ = File::open(folder_of(&path)).and_then(|folder| folder.sync_all());
            }
            Destination::Device { mut content, mut device } => {
                content.rewind()?;
                io::copy(&mut content, &mut device)?;
            }
        }
        Ok(())
    }
}

/// The folder in which a path is.
fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

fn temporary_in(folder: &Path) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".bvtree-").suffix(".tmp");
    #[cfg(unix)]
    {
        // The permissions of any new file, to which the process's umask applies; temporary files are private by
        // default.
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    builder.tempfile_in(folder)
}

/// Follows symbolic links; the target need not exist.
fn behind_links(path: &Path) -> io::Result<PathBuf> {
    /// The maximum number of links followed, as on Linux.
    const MAX_LINKS: usize = 40;
    let mut path = path.to_owned();
    for _ in 0..MAX_LINKS {
        match fs::read_link(&path) {
            // A relative link starts from its folder; an absolute one replaces the path.
            Ok(target) => path = path.parent().unwrap_or(Path::new("")).join(target),
            // Not a link, or nothing exists there.
            Err(_) => return Ok(path),
        }
    }
    Err(io::Error::other("too many levels of symbolic links"))
}
