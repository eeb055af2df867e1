import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it, vi } from 'vitest';
import { Pager } from './Pager';

it('labels its arrows, and marks the current page', () => {
  render(<Pager total={30} pageNo={2} pageSize={10} onChange={vi.fn()} />);
  expect(screen.getByRole('button', { name: 'Previous page' })).toBeInTheDocument();
  expect(screen.getByRole('button', { name: 'Next page' })).toBeInTheDocument();
  expect(screen.getByText('2')).toHaveAttribute('aria-current', 'page');
  expect(screen.getByText('1')).not.toHaveAttribute('aria-current');
});

it('is muted while there is a single page, and keeps all that it offers', async () => {
  const change = vi.fn();
  const { rerender } = render(<Pager total={10} pageNo={1} pageSize={10} onChange={change} />);
  const pager = screen.getByRole('navigation');
  expect(pager).toHaveClass('single');
  expect(screen.getByText('1–10 of 10')).toBeVisible();
  expect(screen.getByText('1')).toHaveAttribute('aria-current', 'page');
  await userEvent.selectOptions(screen.getByRole('combobox', { name: 'Rows on a page' }), '100');
  expect(change).toHaveBeenCalledWith(1, 100);
  rerender(<Pager total={11} pageNo={1} pageSize={10} onChange={change} />);
  expect(pager).not.toHaveClass('single');
});
