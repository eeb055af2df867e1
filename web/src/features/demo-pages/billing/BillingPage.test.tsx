import { act, render, screen, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { useLanguage } from '@/lib/i18n/i18n';
import { setWidth } from '@/test/mediaQueries';
import { BillingPage } from './BillingPage';
import { current, invoicesAround, plans, used } from './sample';

const nbsp = '\u00a0';

describe('the sample invoices', () => {
  const invoices = invoicesAround(new Date('2026-01-31T23:30:00').getTime());

  it('are dated the first of each month, the next one first', () => {
    expect(invoices.map(({ number }) => number).slice(0, 3)).toEqual(['2026-02-0417', '2026-01-0417', '2025-12-0417']);
    for (const { date } of invoices) expect(new Date(date).getDate()).toBe(1);
  });

  it('are paid except the next one', () => {
    expect(invoices.filter(({ paid }) => !paid)).toEqual([invoices[0]]);
    expect(invoices[0]?.amount).toBeCloseTo(58.4);
  });
});

it('has a current plan that covers what is used', () => {
  const plan = plans.find(({ name }) => name === current);
  for (const what of ['devices', 'sms', 'history'] as const) expect(used[what]).toBeLessThan(plan?.[what] ?? 0);
});

describe('the page', () => {
  it('shows the plan, the next invoice and all invoices', () => {
    render(<BillingPage />);
    expect(screen.getByRole('note')).toHaveTextContent('Demo page: sample data');
    expect(within(screen.getByRole('region', { name: 'Plan' })).getByText('248 of 300')).toBeVisible();
    expect(within(screen.getByRole('region', { name: 'Next invoice' })).getByText('€58.40')).toBeVisible();
    const table = screen.getByRole('table');
    expect(within(table).getAllByText('Paid')).toHaveLength(6);
    expect(within(table).getAllByText('Open')).toHaveLength(1);
    expect(screen.getByText('Current plan').closest('li')).toHaveTextContent('Field');
  });

  it('lists invoices as cards on a phone', () => {
    setWidth(390);
    render(<BillingPage />);
    expect(screen.queryByRole('table')).toBeNull();
    const list = within(screen.getByRole('region', { name: 'Invoices' })).getAllByRole('listitem');
    expect(list).toHaveLength(7);
    expect(list[0]).toHaveTextContent(/€58\.40.*Open/);
  });

  it('formats money and texts in the user’s language', async () => {
    await act(() => useLanguage.getState().setLanguage('ru-ru'));
    render(<BillingPage />);
    expect(screen.getByRole('note')).toHaveTextContent('Демостраница: примеры данных');
    expect(
      within(screen.getByRole('region', { name: 'Следующий счёт' })).getByText(`58,40${nbsp}€`, { normalizer: String }),
    ).toBeVisible();
  });
});
