import { expect, it } from 'vitest';
import { isBoundNumber, isInternational, maskNumber, normalizeNumber } from './phoneNumber';

it.each([
  ['+905551112233', true],
  ['905551112233', true],
  ['13800138000', true],
  ['12', true],
  ['+12', true],
  ['123456789012345', true],
  ['1234567890123456', false],
  ['+1234567890123456', false],
  ['1', false],
  ['+', false],
  ['', false],
  ['05551112233', false],
  ['+05551112233', false],
  ['++905551112233', false],
  ['90555111223a', false],
])('accepts %s as an international number: %s', (number, right) => {
  expect(isInternational(number)).toBe(right);
});

it.each([
  ['+90 532 114 41 07', '+905321144107'],
  ['+1 (555) 010-9999', '+15550109999'],
  ['８６１３８００１３８０００', '8613800138000'],
  ['＋86 138-0013-8000', '+8613800138000'],
  ['5.55‑111', '555111'],
])('normalises %s', (typed, meant) => {
  expect(normalizeNumber(typed)).toBe(meant);
});

it.each([
  ['13800138000', true],
  ['19912345678', true],
  ['12800138000', false],
  ['1380013800', false],
  ['138001380000', false],
  ['05321144107', false],
  ['+905321144107', true],
  ['+8613800138000', true],
])('checks a bound number without a plus as a Chinese one: %s, %s', (number, right) => {
  expect(isBoundNumber(number)).toBe(right);
});

it.each([
  ['+905321144107', '+90532 ··· 4107'],
  ['13800138000', '138 ··· 8000'],
  ['+12', '+12'],
  ['', ''],
])('masks %s as %s', (number, masked) => {
  expect(maskNumber(number)).toBe(masked);
});
