import type { TFunction } from 'i18next';
import { expect, it } from 'vitest';
import { findPages } from './searchPages';

const names: Record<string, string> = { 'nav.message': 'Iletiler', 'nav.data': 'İzleme', 'nav.channel': 'Işıklar' };
const t = ((key: string) => names[key] ?? key) as TFunction;

it.each([
  ['ışık', 'Işıklar'],
  ['IŞIK', 'Işıklar'],
  ['izle', 'İzleme'],
  [' İLETİ ', 'Iletiler'],
])('finds by %s the page %s, in a console of any language', (typed, title) => {
  expect(findPages(t, typed, true).map((page) => page.title)).toEqual([title]);
});
