import { act, render, screen, within } from '@testing-library/react';
import { expect, it } from 'vitest';
import { useLanguage } from '@/lib/i18n/i18n';
import { setWidth } from '@/test/mediaQueries';
import { RtlPage } from './RtlPage';
import { rows, temperatures } from './sample';

const arabic = () => {
  const part = document.querySelector<HTMLElement>('[lang="ar"]');
  if (!part) throw new Error('nothing is marked as Arabic');
  return part;
};

it('is entirely in Arabic, from right to left', () => {
  render(<RtlPage />);
  expect(arabic()).toHaveAttribute('dir', 'rtl');
  expect(within(arabic()).getByText('مزرعة وادي الزيتون')).toBeVisible();
  expect(within(arabic()).getByText('٢٤٨')).toBeVisible();
  // There are no Latin letters or digits.
  expect(arabic().textContent).not.toMatch(/[A-Za-z0-9]/);
});

it('sets antd to right-to-left too', () => {
  render(<RtlPage />);
  expect(within(arabic()).getByRole('table').closest('.ant-table-rtl')).not.toBeNull();
});

it('leaves the title in the user’s language, and only the demo in Arabic', async () => {
  await act(() => useLanguage.getState().setLanguage('tr-tr'));
  render(<RtlPage />);
  expect(screen.getByRole('heading', { level: 1, name: 'Sağdan sola' })).toBeVisible();
  const note = screen.getByRole('note');
  expect(note).toHaveTextContent('Demo sayfası: örnek veriler');
  expect(arabic()).not.toContainElement(note);
});

it('lists the readings as cards on a phone', () => {
  setWidth(390);
  render(<RtlPage />);
  expect(screen.queryByRole('table')).toBeNull();
  const readings = within(screen.getByRole('region', { name: 'أحدث القراءات' }));
  expect(readings.getAllByRole('listitem')).toHaveLength(rows.length);
});

it('draws a day between its lowest and highest lines', () => {
  expect(temperatures).toHaveLength(97);
  for (const { value } of temperatures) {
    expect(value).toBeGreaterThan(4);
    expect(value).toBeLessThan(24);
  }
});
