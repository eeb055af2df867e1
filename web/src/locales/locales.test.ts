import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { descriptors, languageCodes } from '@/lib/i18n/languages';

type Texts = { [key: string]: string | Texts };

const plural = /_(zero|one|two|few|many|other)$/;
function flatten(texts: Texts, prefix = ''): [string, string][] {
  return Object.entries(texts).flatMap(([key, value]) =>
    typeof value === 'string' ? [[prefix + key, value] as [string, string]] : flatten(value, `${prefix}${key}.`),
  );
}

function read(code: string) {
  const source = readFileSync(`src/locales/${code}.json`, 'utf8');
  return { source, texts: new Map(flatten(JSON.parse(source))) };
}

const bare = (key: string) => key.replace(plural, '');
const bareKeys = (texts: Map<string, string>) => [...new Set([...texts.keys()].map(bare))].sort();
const placeholders = (text: string) => [...text.matchAll(/\{\{\s*([\w.]+)[^}]*\}\}/g)].map((match) => match[1]).sort();

const english = read('en-us').texts;

describe.each(languageCodes)('%s', (code) => {
  const forms = new Intl.PluralRules(descriptors[code].intl).resolvedOptions().pluralCategories;
  const { source, texts } = read(code);

  it('has the same keys as English', () => {
    expect(bareKeys(texts)).toEqual(bareKeys(english));
  });

  it('has the placeholders that English has', () => {
    for (const [key, text] of texts) {
      const same = english.get(key) ?? english.get(`${bare(key)}_other`) ?? '';
      expect(placeholders(text), key).toEqual(placeholders(same));
    }
  });

  it('has every plural form that its grammar asks for, and no other', () => {
    const counted = new Set([...texts.keys()].filter((key) => plural.test(key)).map(bare));
    for (const key of counted) {
      // A sentence of its own for none may stand beside what the grammar asks for; then in every language.
      const none = english.has(`${key}_zero`) ? ['zero'] : [];
      const has = [...texts.keys()].filter((other) => plural.test(other) && bare(other) === key);
      const wanted = [...forms, ...none].map((form) => `${key}_${form}`);
      expect(has.sort(), key).toEqual(wanted.sort());
    }
  });

  it('leaves no text empty or with blanks around it', () => {
    for (const [key, text] of texts) expect(text, key).toMatch(/^\S(.*\S)?$/s);
  });

  it('gives no key twice', () => {
    // JSON.parse keeps the last of two in silence; a tree written out again would then be shorter.
    const keys = (source.match(/^\s*"[^"]+":/gm) ?? []).length;
    const count = (node: Texts): number =>
      Object.values(node).reduce<number>((sum, value) => sum + 1 + (typeof value === 'string' ? 0 : count(value)), 0);
    expect(keys).toBe(count(JSON.parse(source)));
  });
});

describe('the tone', () => {
  const all = languageCodes.map((code) => ({ code, texts: [...read(code).texts] }));
  const of = (code: string) => all.find((entry) => entry.code === code)?.texts ?? [];

  it('does not shout', () => {
    for (const { texts } of all) for (const [key, text] of texts) expect(text, key).not.toMatch(/[!！]/);
  });

  it('begs nowhere and says no 您', () => {
    for (const [key, text] of of('tr-tr')) expect(text, key).not.toMatch(/lütfen|şifre/i);
    for (const [key, text] of of('ru-ru')) expect(text, key).not.toMatch(/пожалуйста/i);
    for (const [key, text] of of('zh-cn')) expect(text, key).not.toMatch(/[您你]|登陆/);
  });

  it('is written in the language’s own letters', () => {
    for (const [key, text] of of('ru-ru')) {
      const words = text.replace(/\{\{[^}]*\}\}|Tilth|API|UTC|Home Assistant|homeassistant|[A-Za-z]{1,4}\b/g, '');
      expect(words, key).not.toMatch(/[A-Za-z]{5,}/);
    }
    for (const [key, text] of of('zh-cn')) expect(text, key).not.toMatch(/[\u4e00-\u9fff][,;!?]|\s[，。；：]/);
  });
});
