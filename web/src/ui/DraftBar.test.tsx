import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it, vi } from 'vitest';
import { useLanguage } from '@/lib/i18n/i18n';
import { DraftBar } from './DraftBar';

it('offers to restore or to discard, and announces it to a screen reader', async () => {
  const [onRestore, onDiscard] = [vi.fn(), vi.fn()];
  render(<DraftBar onRestore={onRestore} onDiscard={onDiscard} />);
  expect(screen.getByRole('status')).toHaveTextContent('Continue where you left off?');
  await userEvent.click(screen.getByRole('button', { name: 'Restore' }));
  expect([onRestore.mock.calls.length, onDiscard.mock.calls.length]).toEqual([1, 0]);
  await userEvent.click(screen.getByRole('button', { name: 'Discard' }));
  expect([onRestore.mock.calls.length, onDiscard.mock.calls.length]).toEqual([1, 1]);
});

it('has texts in each language', async () => {
  await useLanguage.getState().setLanguage('ru-ru');
  render(<DraftBar onRestore={vi.fn()} onDiscard={vi.fn()} />);
  expect(screen.getByRole('button', { name: 'Восстановить' })).toBeVisible();
});
