import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type Language, languageCodes } from '@/lib/i18n/languages';

/** A text of the specification, variables as `{name}`. The server's test reads the same table. */
interface Row {
  key: string;
  /** Stands in a tag, which starts with a capital. */
  tag?: boolean;
  /** Where the console says it under other keys too, or instead. */
  web?: string[];
  /** The server's key, where the server says it. */
  server?: string;
}

/** With the text in each of its languages, by tag. */
type SpecifiedRow = Row & Partial<Record<Language, string>>;

type Texts = { [key: string]: string | Texts };

const rows: SpecifiedRow[] = JSON.parse(readFileSync('src/locales/specification.json', 'utf8'));

function read(code: string): Texts {
  return JSON.parse(readFileSync(`src/locales/${code}.json`, 'utf8'));
}

/** The text of a key such as `level.0`, undefined where there is none. */
function textOf(texts: Texts, key: string): string | undefined {
  const found = key
    .split('.')
    .reduce<string | Texts | undefined>((node, name) => (typeof node === 'object' ? node[name] : undefined), texts);
  return typeof found === 'string' ? found : undefined;
}

const keysOf = ({ key, web = [] }: Row) => [key, ...web];

/** A language that came later is not in the specification. */
const specified = languageCodes.filter((code) => rows.some((row) => code in row));

function wanted(row: SpecifiedRow, code: Language): string {
  const text = (row[code] ?? '').replace(/\{(\w+)\}/g, '{{$1}}');
  return row.tag ? text.charAt(0).toLocaleUpperCase(code.slice(0, 2)) + text.slice(1) : text;
}

describe.each(specified)('the specification’s texts in %s', (code) => {
  const texts = read(code);

  it.each(rows.map((row) => [row.key, row] as const))('%s', (_, row) => {
    const actual = keysOf(row).flatMap((key) => {
      const text = textOf(texts, key);
      return text === undefined ? [] : [[key, text]];
    });
    expect(actual).toEqual(actual.map(([key]) => [key, wanted(row, code)]));
    expect(actual).not.toEqual([]);
    for (const key of row.web ?? []) expect(textOf(texts, key), key).toBeDefined();
  });
});

describe('the table', () => {
  it('has each of the 84 texts once, in all its languages', () => {
    expect(new Set(rows.map(({ key }) => key)).size).toBe(rows.length);
    expect(rows).toHaveLength(84);
    expect(specified).toHaveLength(4);
    for (const row of rows) for (const code of specified) expect(row[code], row.key).toMatch(/^\S(.*\S)?$/);
  });
});
