//! A writer of zip files whose entries are stored without compression (PKWARE, "APPNOTE.TXT", version 6.3.10).

use std::io;

/// The bytes of a zip file under construction.
#[derive(Default)]
pub struct ZipWriter {
    entries: Vec<u8>,
    directory: Vec<u8>,
    count: u64,
}

/// The version of the format that readers need: 1.0, or 4.5 for zip64.
const VERSION: u16 = 10;
const VERSION_ZIP64: u16 = 45;
/// The flag for names in UTF-8.
const UTF8: u16 = 1 << 11;
/// 1980-01-01, the first date of the format: two runs write the same bytes.
const DATE: u16 = 1 << 5 | 1;

impl ZipWriter {
    /// Adds a file.
    ///
    /// # Errors
    ///
    /// If the file or the name is too large for the format.
    pub fn add(&mut self, name: &str, content: &[u8]) -> io::Result<()> {
        let (offset, size) = (u32::try_from(self.entries.len()), u32::try_from(content.len()));
        let (Ok(offset), Ok(size), Ok(name_length)) = (offset, size, u16::try_from(name.len())) else {
            return Err(io::Error::new(io::ErrorKind::FileTooLarge, "a zip file holds at most 4 GiB"));
        };
        // The fields that the local header and the directory share.
        let mut common = Vec::new();
        for half in [VERSION, UTF8, 0, 0, DATE] {
            common.extend(half.to_le_bytes());
        }
        for word in [crc32(content), size, size] {
            common.extend(word.to_le_bytes());
        }
        common.extend(name_length.to_le_bytes());
        common.extend([0; 2]);

        self.entries.extend(b"PK\x03\x04");
        self.entries.extend(&common);
        self.entries.extend(name.as_bytes());
        self.entries.extend(content);

        self.directory.extend(b"PK\x01\x02");
        self.directory.extend(VERSION.to_le_bytes());
        self.directory.extend(&common);
        // Empty comment, first disk, no attributes.
        self.directory.extend([0; 10]);
        self.directory.extend(offset.to_le_bytes());
        self.directory.extend(name.as_bytes());
        self.count += 1;
        Ok(())
    }

    /// The whole file.
    ///
    /// # Errors
    ///
    /// If it is too large for the format.
    pub fn finish(self) -> io::Result<Vec<u8>> {
        let (offset, size) = (self.entries.len() as u64, self.directory.len() as u64);
        let mut bytes = self.entries;
        bytes.extend(self.directory);
        let too_large = |_| io::Error::new(io::ErrorKind::FileTooLarge, "a zip file holds at most 4 GiB");
        let end = [u32::try_from(size).map_err(too_large)?, u32::try_from(offset).map_err(too_large)?];
        let count = u16::try_from(self.count).unwrap_or(u16::MAX);
        if count == u16::MAX {
            // This many entries need the zip64 records before the last record.
            let at = bytes.len() as u64;
            bytes.extend(b"PK\x06\x06");
            bytes.extend(44_u64.to_le_bytes());
            bytes.extend([VERSION_ZIP64, VERSION_ZIP64].map(u16::to_le_bytes).concat());
            bytes.extend([0; 8]);
            bytes.extend([self.count, self.count, size, offset].map(u64::to_le_bytes).concat());
            bytes.extend(b"PK\x06\x07\0\0\0\0");
            bytes.extend(at.to_le_bytes());
            bytes.extend(1_u32.to_le_bytes());
        }
        bytes.extend(b"PK\x05\x06\0\0\0\0");
        bytes.extend([count, count].map(u16::to_le_bytes).concat());
        bytes.extend(end.map(u32::to_le_bytes).concat());
        bytes.extend([0; 2]);
        Ok(bytes)
    }
}

/// The CRC-32 of zip files, bit by bit: the files are small.
fn crc32(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(u32::MAX, |crc, &byte| {
        (0..8).fold(crc ^ u32::from(byte), |crc, _| if crc & 1 == 1 { crc >> 1 ^ 0xedb8_8320 } else { crc >> 1 })
    })
}

#[cfg(test)]
mod tests {
    use std::io::{Cursor, Read};

    use zip::ZipArchive;

    use super::*;

    #[test]
    fn another_reader_finds_all_files() {
        // 70,000 files need zip64.
        for count in [0, 1, 3, 70_000] {
            let mut zip = ZipWriter::default();
            for number in 0..count {
                zip.add(&format!("folder/{number} ä"), format!("content {number}").as_bytes()).unwrap();
            }
            let mut archive = ZipArchive::new(Cursor::new(zip.finish().unwrap())).unwrap();
            assert_eq!(archive.len(), count);
            for number in [0, count / 2, count.saturating_sub(1)].into_iter().filter(|&number| number < count) {
                let mut file = archive.by_index(number).unwrap();
                assert_eq!(file.name().unwrap(), format!("folder/{number} ä"));
                let mut text = String::new();
                file.read_to_string(&mut text).unwrap();
                assert_eq!(text, format!("content {number}"));
            }
        }
        assert_eq!(crc32(b"123456789"), 0xcbf4_3926);
    }
}
