import { inflateRawSync } from 'node:zlib';

/**
 * The value of a cell: a number, a boolean, a text, a time as a spreadsheet shows it (2026-11-21
 * 14:41:30), or nothing.
 */
export type Cell = number | boolean | string | { shown: string } | null;

/**
 * The sheets of an .xlsx file in the order of its workbook, by name. Supports the bare minimum of
 * the format, as the standard describes it.
 */
export function readWorkbook(file: Buffer): Map<string, Cell[][]> {
  const parts = unzip(file);
  const part = (name: string) => {
    const text = parts.get(name);
    if (text === undefined) throw new Error(`the file has no ${name}`);
    return text;
  };
  const dates = dateStyles(part('xl/styles.xml'));
  // Some writers keep texts in a list of their own, to which cells refer by number.
  const shared = elements(parts.get('xl/sharedStrings.xml') ?? '', 'si').map(({ inner }) => textsOf(inner));
  const targets = new Map(
    elements(part('xl/_rels/workbook.xml.rels'), 'Relationship').map(({ of }) => [of('Id'), of('Target')]),
  );
  return new Map(
    elements(part('xl/workbook.xml'), 'sheet').map(({ of }) => {
      const target = targets.get(of('r:id')) ?? '';
      return [unescaped(of('name')), rowsOf(part(`xl/${target.replace(/^\/?(xl\/)?/, '')}`), dates, shared)];
    }),
  );
}

/** The files of a zip, by its central directory: for streamed files only that has the lengths. */
function unzip(file: Buffer): Map<string, string> {
  const end = file.lastIndexOf(Buffer.from('PK\x05\x06', 'latin1'));
  if (end < 0) throw new Error('not a zip');
  const files = new Map<string, string>();
  let at = file.readUInt32LE(end + 16);
  for (let left = file.readUInt16LE(end + 10); left > 0; left -= 1) {
    const [method, packed] = [file.readUInt16LE(at + 10), file.readUInt32LE(at + 20)];
    const [name, extra, comment] = [28, 30, 32].map((offset) => file.readUInt16LE(at + offset)) as [
      number,
      number,
      number,
    ];
    const local = file.readUInt32LE(at + 42);
    const start = local + 30 + file.readUInt16LE(local + 26) + file.readUInt16LE(local + 28);
    const raw = file.subarray(start, start + packed);
    files.set(
      file.toString('utf8', at + 46, at + 46 + name),
      (method === 8 ? inflateRawSync(raw) : raw).toString('utf8'),
    );
    at += 46 + name + extra + comment;
  }
  return files;
}

/**
 * The elements of a name with their attributes and their content. Elements of the same name must
 * not be nested.
 */
function elements(xml: string, name: string): { of: (attribute: string) => string; inner: string }[] {
  const found = xml.matchAll(new RegExp(`<${name}(\\s[^>]*?)?(?:/>|>(.*?)</${name}>)`, 'gs'));
  return [...found].map(([, head = '', inner = '']) => ({
    of: (attribute) => new RegExp(`\\s${attribute}="([^"]*)"`).exec(head)?.[1] ?? '',
    inner,
  }));
}

/** The cell styles that show dates: those whose format contains a year. */
function dateStyles(xml: string): Set<number> {
  const formats = new Map(elements(xml, 'numFmt').map(({ of }) => [of('numFmtId'), of('formatCode')]));
  const used = elements(elements(xml, 'cellXfs')[0]?.inner ?? '', 'xf').map(
    ({ of }) => formats.get(of('numFmtId')) ?? '',
  );
  return new Set(used.flatMap((format, index) => (/yy/i.test(format) ? [index] : [])));
}

function rowsOf(xml: string, dates: ReadonlySet<number>, shared: readonly string[]): Cell[][] {
  return elements(xml, 'row').map(({ inner }) => {
    const row: Cell[] = [];
    for (const { of, inner: content } of elements(inner, 'c')) {
      const place = of('r') === '' ? row.length : columnOf(of('r'));
      while (row.length < place) row.push(null);
      row.push(cellOf(of('t'), content, dates.has(Number(of('s') || 0)), shared));
    }
    return row;
  });
}

const textsOf = (inner: string) =>
  unescaped(
    elements(inner, 't')
      .map((text) => text.inner)
      .join(''),
  );

/** A is 0, AB is 27. */
function columnOf(name: string): number {
  return [...name.replace(/\d+$/, '')].reduce((sum, letter) => 26 * sum + letter.charCodeAt(0) - 64, 0) - 1;
}

function cellOf(type: string, inner: string, isDate: boolean, shared: readonly string[]): Cell {
  if (type === 'inlineStr') return textsOf(inner);
  const [value] = elements(inner, 'v');
  if (!value) return null;
  if (type === 's') return shared[Number(value.inner)] ?? null;
  if (type === 'b') return value.inner === '1';
  if (type === 'str') return unescaped(value.inner);
  const number = Number(value.inner);
  // Days since 30 December 1899, without a zone.
  return isDate ? { shown: momentOf(Math.round((number - 25_569) * 86_400_000)) } : number;
}

const momentOf = (wall: number) =>
  new Date(Math.round(wall / 1000) * 1000).toISOString().slice(0, 19).replace('T', ' ');

/** A time as a clock in a zone shows it. */
export const clockIn = (time: number, timeZone: string) => new Date(time).toLocaleString('sv-SE', { timeZone });

function unescaped(text: string): string {
  const named: Record<string, string> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };
  return text.replace(/&(?:#(\d+)|#x([0-9a-f]+)|(\w+));/gi, (_, decimal, hexadecimal, name) =>
    name ? (named[name] ?? '') : String.fromCodePoint(decimal ? Number(decimal) : Number.parseInt(hexadecimal, 16)),
  );
}
