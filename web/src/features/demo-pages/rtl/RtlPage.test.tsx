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

it('is Arabic from right to left, all of it', () => {
  render(<RtlPage />);
  expect(arabic()).toHaveAttribute('dir', 'rtl');
  expect(within(arabic()).getByText('مزرعة وادي الزيتون')).toBeVisible();
  expect(within(arabic()).getByText('٢٤٨')).toBeVisible();
  // No Latin letter or digit has slipped in.
  expect(arabic().textContent).not.toMatch(/[A-Za-z0-9]/);
});

it('has antd run from right to left too', () => {
  render(<RtlPage />);
  expect(within(arabic()).getByRole('table').closest('.ant-table-rtl')).not.toBeNull();
});

it('leaves title and mark to the person’s own language, and the Arabic alone', async () => {
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
