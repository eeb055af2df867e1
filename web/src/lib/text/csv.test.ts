import { describe, expect, it } from 'vitest';
import { csvCell, csvText } from './csv';

describe('a cell', () => {
  it.each([
    ['Lower field', 'Lower field'],
    ['', ''],
    ['a,b', '"a,b"'],
    ['a "b"', '"a ""b"""'],
    [' a', '" a"'],
    ['a\nb', '"a\nb"'],
    ['=1+2', `"'=1+2"`],
    ['+90 555', `"'+90 555"`],
    ['-5', `"'-5"`],
    ['@SUM(A1)', `"'@SUM(A1)"`],
    ['＝1', `"'＝1"`],
    ['\u200b=1', `"\u200b'=1"`],
    // A program that removes one apostrophe has the original text.
    ["'=1", `"''=1"`],
    // In much of Europe a semicolon begins a cell.
    ['a;=1', `"a;'=1"`],
    ['1-2=3', '1-2=3'],
  ])('of %s is %s', (text, cell) => {
    expect(csvCell(text)).toBe(cell);
  });
});

it('begins with the mark of UTF-8, and its lines end as the standard says', () => {
  expect(csvText([['a', 'b'], ['c']])).toBe('\uFEFFa,b\r\nc\r\n');
});
