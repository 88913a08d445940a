// Files that a page saves, and CSV that spreadsheets read.

function download(name, type, content) {
  const address = URL.createObjectURL(new Blob([content], { type }));
  element("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

// Text that a spreadsheet would evaluate gets an apostrophe in front, as in `--format spreadsheet`.
function csvField(value) {
  const text = String(value ?? "");
  const safe = typeof value !== "number" && /^'*[=+\-@\t\r\n＝＋－＠]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

const csvText = (lines) => lines.map((values) => `${values.map(csvField).join(",")}\n`).join("");
