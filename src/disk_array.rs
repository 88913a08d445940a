//! Arrays in temporary files, for data larger than memory.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::marker::PhantomData;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use bytemuck::Pod;

/// Number of bytes that are read at a time.
const CHUNK: usize = 1 << 20;

/// An array in a temporary file. The file has no name where the system allows that. It is removed when the array is
/// dropped or the process ends.
#[derive(Debug)]
pub(crate) struct DiskArray<T> {
    /// Locked from the choice of a position to the end of the reading there: several threads may read.
    file: Mutex<File>,
    folder: PathBuf,
    len: usize,
    items: PhantomData<T>,
}

impl<T: Pod> DiskArray<T> {
    /// Creates an empty array in a temporary file in the folder.
    pub(crate) fn new_in(folder: &Path) -> io::Result<Self> {
        let file = tempfile::tempfile_in(folder).map_err(|error| in_folder(folder, "create", &error))?;
        Ok(Self { file: Mutex::new(file), folder: folder.to_owned(), len: 0, items: PhantomData })
    }

    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// The folder of the file.
    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Appends the items.
    pub(crate) fn extend(&mut self, items: &[T]) -> io::Result<()> {
        let file = self.file.get_mut().unwrap_or_else(PoisonError::into_inner);
        let written = seek::<T>(file, self.len).and_then(|()| file.write_all(bytemuck::cast_slice(items)));
        written.map_err(|error| in_folder(&self.folder, "write", &error))?;
        self.len += items.len();
        Ok(())
    }

    /// Appends the items of a range to a vector.
    pub(crate) fn read_into(&self, range: Range<usize>, items: &mut Vec<T>) -> io::Result<()> {
        let begin = items.len();
        items.resize(begin + range.len(), T::zeroed());
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        let read = seek::<T>(&mut file, range.start)
            .and_then(|()| file.read_exact(bytemuck::cast_slice_mut(&mut items[begin..])));
        read.map_err(|error| in_folder(&self.folder, "read", &error))
    }

    /// Calls `each` with consecutive pieces of the array and the index of each piece's first item.
    pub(crate) fn for_each_piece<E: From<io::Error>>(
        &self,
        mut each: impl FnMut(usize, &mut [T]) -> Result<(), E>,
    ) -> Result<(), E> {
        let (step, mut items) = (CHUNK / size_of::<T>(), Vec::new());
        for first in (0..self.len).step_by(step) {
            items.clear();
            self.read_into(first..(first + step).min(self.len), &mut items)?;
            each(first, &mut items)?;
        }
        Ok(())
    }
}

/// Moves to the item with the given index.
fn seek<T>(file: &mut File, index: usize) -> io::Result<()> {
    file.seek(SeekFrom::Start(index as u64 * size_of::<T>() as u64)).map(drop)
}

/// Adds to an error what failed and the folder of the temporary file.
fn in_folder(folder: &Path, what: &str, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("cannot {what} a temporary file in {}: {error}", folder.display()))
}
