import { expect, it } from 'vitest';
import { isVisibleName } from './visibleName';

it.each(['North', ' x ', '北田', 'Участок №1', '👩\u200d🌾', '☀\ufe0f', 'می\u200cخواهم', 'e\u0301', '\u3164a'])(
  '%s shows something',
  (name) => {
    expect(isVisibleName(name)).toBe(true);
  },
);

it.each([
  '',
  ' \t',
  '\u200b',
  '\ufeff',
  '\u2060',
  '\u00ad',
  '\u3164',
  '\u115f\uffa0',
  '\u2800',
  '\u200d',
  '\u034f',
  '\u0307',
  '\u202e',
  '\u180e',
])('%j has no visible character', (name) => {
  expect(isVisibleName(name)).toBe(false);
});
