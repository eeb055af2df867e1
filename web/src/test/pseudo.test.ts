import { describe, expect, it } from 'vitest';
import en from '@/locales/en-us.json';
import { pseudoText, pseudoTexts, type Texts } from './pseudo';

const leaves = (texts: Texts): string[] =>
  Object.values(texts).flatMap((value) => (typeof value === 'string' ? [value] : leaves(value)));
const kept = (text: string) => text.match(/\{\{[^}]*\}\}|<\/?\w+>/g) ?? [];

describe('the pseudo language', () => {
  it('accents, brackets and lengthens a text', () => {
    expect(pseudoText('Data centre')).toBe('[Ðàţà çéñţŕé····]');
    expect(pseudoText('{{name}} is <b>on</b>')).toBe('[{{name}} îš <b>öñ</b>··]');
    expect(pseudoText('{{first}} – {{rest}}')).toBe('{{first}} – {{rest}}');
  });

  it('keeps the keys, placeholders and tags of every English text, and no plain letter', () => {
    const [before, after] = [leaves(en), leaves(pseudoTexts(en))];
    expect(after.map(kept)).toEqual(before.map(kept));
    const plain = after
      .map((text) => text.replace(/\{\{[^}]*\}\}|<\/?\w+>|\$t\([^)]*\)/g, ''))
      .filter((text) => /[A-Za-z]/.test(text));
    expect(plain).toEqual([]);
  });
});
