import { render, screen } from '@testing-library/react';
import { expect, it, vi } from 'vitest';
import { Pager } from './Pager';

it('labels its arrows, and marks the current page', () => {
  render(<Pager total={30} pageNo={2} pageSize={10} onChange={vi.fn()} />);
  expect(screen.getByRole('button', { name: 'Previous page' })).toBeInTheDocument();
  expect(screen.getByRole('button', { name: 'Next page' })).toBeInTheDocument();
  expect(screen.getByText('2')).toHaveAttribute('aria-current', 'page');
  expect(screen.getByText('1')).not.toHaveAttribute('aria-current');
});
