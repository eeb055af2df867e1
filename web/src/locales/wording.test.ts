import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { type Language, languageCodes } from '@/lib/i18n/languages';

/**
 * Slips that came up in the texts, each with a pattern that finds it in a whole text. The server's
 * texts are held to the same rules; their placeholders are written here as the console's are.
 */
const slips: [string, RegExp, Language[]][] = [
  [
    'a blank between Chinese and a number',
    /(?<![\w:.-])\d[\d.,]* \p{sc=Han}|\p{sc=Han} [-−]?\d[\d.,]*(?![\w:.-])/u,
    ['zh-cn'],
  ],
  ['no blank between Chinese and a Latin word', /\p{sc=Han}[A-Za-z]{2}|[A-Za-z]{2}\p{sc=Han}/u, ['zh-cn']],
  ['another word for 告警, 产品, 接收人 or 账号', /报警|设备型号|接收方(?!服务器)|账户/, ['zh-cn']],
  ['a suffix on a placeholder', /\}\}['’]?\p{L}/u, ['tr-tr', 'ru-ru']],
  ['a Turkish suffix after a time (başlangıç: {{time}})', /zamanından beri|zamanına kadar|vaktine/, ['tr-tr']],
  ['günlük alone, which is daily or a diary (sunucu günlüğü)', /yalnızca günlük(?!ü)/i, ['tr-tr']],
  ['dışarıda for left out, which is outdoors (kapsam dışı)', /(?<!\p{L})dışarıda(?!\p{L})/iu, ['tr-tr']],
  [
    'another word for parametre, çiftlik, mesaj or filtre',
    /özelli[kğ]|kiracı|kuruluş|(?<!\p{L})ileti(ler\p{L}*)?(?!\p{L})|süzge/iu,
    ['tr-tr'],
  ],
  [
    'another word for поставщик, модель, параметр or экспорт',
    /провайдер|поставщик\p{L}* услуг|продукт|издели|свойств|выгрузк/iu,
    ['ru-ru'],
  ],
  ['an equality that has to agree with its subject (=, ≠)', /\}\} (не )?равн[оаы]?(?!\p{L})/u, ['ru-ru']],
  ['quotation marks of another language', /["„“”]/, ['ru-ru']],
  [
    'English that nobody says',
    /\bstands? (here|there|in)\b|not there any more|\banew\b|\bmend\b|\bguessed early\b/i,
    ['en-us'],
  ],
];

/** Placeholders that hold Latin words, which have a blank beside them in Chinese. */
const latin = new Set(
  'address arrows email enter example formula host identifier kind meant parameter signOn thing unit way word zone'.split(
    ' ',
  ),
);
const latinOfKey =
  /^(signin\.with|profile\.signOn|activity\.|device\.first|derived\.(inputMissing|parameterOrder)|invalid\.mailHost)/;

type Texts = { [key: string]: string | Texts };

const flatten = (texts: Texts, prefix = ''): [string, string][] =>
  Object.entries(texts).flatMap(([key, text]) =>
    typeof text === 'string' ? [[prefix + key, text] as [string, string]] : flatten(text, `${prefix}${key}.`),
  );

const read = (folder: string, code: Language) => flatten(JSON.parse(readFileSync(`${folder}/${code}.json`, 'utf8')));
const consoleTexts = (code: Language) => read('src/locales', code);
const serverTexts = (code: Language) =>
  read('../internal/platform/text/locales', code).map(
    ([key, text]) => [key.replace(/^refusal/, 'device.refusal'), text.replace(/\{\w+\}/g, '{$&}')] as const,
  );
const textsOf = (code: Language) => [...consoleTexts(code), ...serverTexts(code)];

it.each(slips)('has no text with %s', (_, slip, languages) => {
  const found = languages.flatMap((code) => textsOf(code).filter(([, text]) => slip.test(text)));
  expect(found).toEqual([]);
});

it('has no Chinese text with a blank beside a number, a time or a name', () => {
  const beside = /\p{sc=Han} \{\{(\w+)\}\}|\{\{(\w+)\}\} \p{sc=Han}/gu;
  const found = textsOf('zh-cn').filter(
    ([key, text]) =>
      !latinOfKey.test(key) &&
      [...text.matchAll(beside)].some(([, before, after]) => !latin.has(before ?? after ?? '')),
  );
  expect(found).toEqual([]);
});

it('says one thing in one way, where console and server both say it', () => {
  const of = (code: Language) => ({ console: new Map(consoleTexts(code)), server: new Map(serverTexts(code)) });
  const english = of('en-us');
  const shared = [...english.server].filter(([key, text]) => english.console.get(key) === text);
  expect(shared.length).toBeGreaterThan(30);
  for (const code of languageCodes) {
    const { console, server } = of(code);
    for (const [key] of shared) expect(server.get(key), `${code} ${key}`).toBe(console.get(key));
  }
});
