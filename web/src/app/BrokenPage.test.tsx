import { act, screen } from '@testing-library/react';
import { beforeEach, expect, it, vi } from 'vitest';
import { useReachability } from '@/lib/offline/reachability';
import { renderWithProviders } from '@/test/renderWithProviders';
import { BrokenPage } from './BrokenPage';
import { reload } from './reload';

vi.mock('./reload', () => ({ reload: vi.fn() }));

beforeEach(() => vi.mocked(reload).mockClear());

const broken = () => renderWithProviders(<BrokenPage error={new Error('no part')} reset={() => undefined} />);

it('loads a page that failed offline as soon as there is a connection, as it promises', () => {
  useReachability.setState({ reach: 'offline' });
  broken();
  expect(screen.getByRole('heading', { name: 'This page is not kept on this device' })).toBeVisible();
  expect(screen.queryByText('no part')).toBeNull();
  act(() => useReachability.setState({ reach: 'slow' }));
  expect(reload).not.toHaveBeenCalled();
  act(() => useReachability.setState({ reach: 'online' }));
  expect(reload).toHaveBeenCalledTimes(1);
  // Until then the text does not change.
  expect(screen.getByRole('heading', { name: 'This page is not kept on this device' })).toBeVisible();
});

it('does not wait for a connection when answers are only slow', () => {
  useReachability.setState({ reach: 'slow' });
  broken();
  expect(screen.getByRole('heading', { name: 'This page cannot be shown' })).toBeVisible();
  act(() => useReachability.setState({ reach: 'online' }));
  expect(reload).not.toHaveBeenCalled();
});

it('leaves reloading to the user when the connection is not the cause, to prevent a loop', () => {
  broken();
  expect(screen.getByRole('heading', { name: 'This page cannot be shown' })).toBeVisible();
  expect(screen.getByText('no part')).toBeVisible();
  expect(reload).not.toHaveBeenCalled();
  act(() => screen.getByRole('button', { name: 'Load again' }).click());
  expect(reload).toHaveBeenCalledTimes(1);
});
