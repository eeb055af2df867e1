/**
 * The rules of the server's package `cell`: characters that begin a formula, the wide and small ones of
 * East Asian programs included; and those at which some program begins a new cell, even within quotes.
 */
const formulaSigns = '=+-@＝＋－＠﹦﹢﹣﹫';
const cellSeparators = ';|؛；\t\n\v\f\r\u0085\u2028\u2029';
/** What a spreadsheet may ignore before the first character of a cell. */
const ignored = /["\s\u0085\p{Cc}\p{Cf}]/u;

/** An apostrophe before each sign that may begin a formula, so that a spreadsheet shows the text. */
function withoutFormulas(text: string): string {
  let escaped = '';
  let atCellStart = true;
  let rest = text;
  for (const character of text) {
    if (cellSeparators.includes(character)) atCellStart = true;
    else if (atCellStart && !ignored.test(character)) {
      atCellStart = false;
      // One more than there are, so that a reader that removes one has the original text.
      const sign = /^'*(.)/u.exec(rest)?.[1];
      if (sign !== undefined && formulaSigns.includes(sign)) escaped += "'";
    }
    escaped += character;
    rest = rest.slice(character.length);
  }
  return escaped;
}

/** A text as a cell of a comma-separated table (RFC 4180) that no spreadsheet reads as a formula. */
export function csvCell(text: string): string {
  const escaped = withoutFormulas(text);
  const plain = escaped === text && text.trim() === text && ![...`",${cellSeparators}`].some((c) => text.includes(c));
  return plain ? text : `"${escaped.replaceAll('"', '""')}"`;
}

/** A table of such cells. The mark at its start tells spreadsheets that it is in UTF-8. */
export function csvText(lines: readonly (readonly string[])[]): string {
  return `\uFEFF${lines.map((cells) => `${cells.join(',')}\r\n`).join('')}`;
}
