import { act, render } from '@testing-library/react';
import { expect, it } from 'vitest';
import { type Language, useLanguage } from '@/lib/i18n/i18n';
import { ReadingText } from './ReadingText';

const moisture = { value: 91.5, unit: '%', precision: 1 };

it.each<[Language, string]>([
  ['en-us', '91.5<span class="small">%</span>'],
  ['zh-cn', '91.5<span class="small">%</span>'],
  ['tr-tr', '<span class="small">%</span>91,5'],
  ['ru-ru', '91,5<span class="small">&nbsp;%</span>'],
])('has its unit in the position of %s', async (language, html) => {
  await act(() => useLanguage.getState().setLanguage(language));
  const { container } = render(<ReadingText of={moisture} unit="small" />);
  expect(container.innerHTML).toBe(html);
});

it('is a dash without a reading, and only the value without a unit', () => {
  const { container, rerender } = render(<ReadingText of={undefined} unit="small" />);
  expect(container.innerHTML).toBe('–');
  rerender(<ReadingText of={{ value: 7.2, unit: '', precision: 1 }} unit="small" />);
  expect(container.innerHTML).toBe('7.2');
});
