import type { Page } from '@playwright/test';
import antd from '../web/node_modules/antd/lib/locale/en_US.js';
import english from '../web/src/locales/en-us.json' with { type: 'json' };
import russian from '../web/src/locales/ru-ru.json' with { type: 'json' };
import turkish from '../web/src/locales/tr-tr.json' with { type: 'json' };
import chinese from '../web/src/locales/zh-cn.json' with { type: 'json' };
import { pseudoTexts, type Texts } from '../web/src/test/pseudo.ts';

const pseudo = pseudoTexts(english);
const textsIn = { pseudo, 'en-us': english, 'zh-cn': chinese, 'tr-tr': turkish, 'ru-ru': russian };

/** The console's languages, and one for tests: longer than English and without plain letters. */
export type LayoutLanguage = keyof typeof textsIn;

/** Gives a text of the console by its key, as a page in the language shows it. */
export type Say = (key: string, values?: Record<string, string | number>) => string;

export function sayIn(language: LayoutLanguage): Say {
  return (key, values = {}) => {
    const text = key
      .split('.')
      .reduce<Texts | string | undefined>(
        (node, name) => (typeof node === 'object' ? node[name] : undefined),
        textsIn[language],
      );
    if (typeof text !== 'string') throw new Error(`there is no text ${key} in ${language}`);
    return text.replaceAll(/\{\{(\w+)\}\}/g, (_, name: string) => String(values[name]));
  };
}

/** The pseudo language takes English's place. */
export async function serveTexts(page: Page, language: LayoutLanguage): Promise<void> {
  const files = /\/assets\/en-us-[\w-]{8}\.js$/;
  await page.unroute(files);
  if (language !== 'pseudo') return;
  const body = `export default ${JSON.stringify(pseudo)};`;
  await page.route(files, (route) => route.fulfill({ contentType: 'text/javascript', body }));
}

const plainSpaces = (text: string) => text.replaceAll(/\s/g, ' ');

function textsBelow(node: unknown): string[] {
  if (typeof node === 'string') return [node];
  return typeof node === 'object' && node ? Object.values(node).flatMap(textsBelow) : [];
}

/** Words that are not the console's texts: the names of months and languages, antd's own texts. */
function knownWords(): string[] {
  const names = (count: number, say: (i: number, length: 'short' | 'long') => string) =>
    Array.from({ length: count }, (_, i) => [say(i, 'short'), say(i, 'long')]).flat();
  const word = (options: Intl.DateTimeFormatOptions, date: number) =>
    new Intl.DateTimeFormat('en-US', { ...options, timeZone: 'UTC' }).format(date);
  const months = names(12, (i, month) => word({ month }, Date.UTC(2026, i, 3)));
  const days = names(7, (i, weekday) => word({ weekday }, Date.UTC(2026, 0, i)));
  const own = ['Tilth', 'English', 'UTC', 'MQTT', 'HTTP', 'SECRET', 'orchard', 'Esc', 'Enter', 'km', 'gone'];
  own.push('name@farm.example', 'a-rather-long-address', 'layout.example');
  own.push('noteName', 'product', 'serial', 'scene', 'longitude', 'latitude'); // columns of a table
  // A name that does not fit is shown in two parts.
  own.push('Soil moisture', 'Soil temperature', 'vol.', 'cm');
  return [...months, ...days, ...own, ...textsBelow(antd)];
}

const known = knownWords();

/** Of the words that a page shows, those that are neither data nor the console's translated texts. */
export function untranslated(shown: readonly string[], data: ReadonlySet<string>): string[] {
  const allowed = [...data, ...known]
    .map(plainSpaces)
    .filter((text) => /[A-Za-z]{2,}/.test(text))
    .sort((a, b) => b.length - a.length);
  return shown.filter((text) => {
    let left = plainSpaces(text);
    for (const text of allowed) if (left.includes(text)) left = left.replaceAll(text, ' ');
    // The legend of a chart shortens what follows a device's name.
    const begun = /· ([A-Za-z][^·…]{3,})…$/.exec(left)?.[1];
    if (begun && allowed.some((text) => text.startsWith(begun))) left = left.slice(0, left.lastIndexOf(begun));
    return /[A-Za-z]{2,}/.test(left);
  });
}
