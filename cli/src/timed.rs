//! How much of a task's time goes into its output.

use std::io::{self, Seek, SeekFrom, Write};
use std::time::{Duration, Instant};

/// Measures the time that a writer takes.
pub struct Timed<W> {
    writer: W,
    pub spent: Duration,
}

impl<W> Timed<W> {
    pub fn new(writer: W) -> Self {
        Self { writer, spent: Duration::ZERO }
    }

    fn time<T>(&mut self, task: impl FnOnce(&mut W) -> T) -> T {
        let began = Instant::now();
        let outcome = task(&mut self.writer);
        self.spent += began.elapsed();
        outcome
    }
}

impl<W: Write> Write for Timed<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.time(|writer| writer.write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.time(W::flush)
    }
}

impl<W: Seek> Seek for Timed<W> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.time(|writer| writer.seek(to))
    }
}
