import { act, screen } from '@testing-library/react';
import { beforeEach, expect, it, vi } from 'vitest';
import { useReachability } from '@/lib/offline/reachability';
import { renderWithProviders } from '@/test/renderWithProviders';
import { BrokenPage } from './BrokenPage';
import { reload } from './reload';

vi.mock('./reload', () => ({ reload: vi.fn() }));

beforeEach(() => vi.mocked(reload).mockClear());

const broken = () => renderWithProviders(<BrokenPage error={new Error('no part')} reset={() => undefined} />);

it('loads a page that did not come offline once there is a connection, as it says', () => {
  useReachability.setState({ reach: 'offline' });
  broken();
  expect(screen.getByRole('heading', { name: 'This page is not kept on this device' })).toBeVisible();
  expect(screen.queryByText('no part')).toBeNull();
  act(() => useReachability.setState({ reach: 'slow' }));
  expect(reload).not.toHaveBeenCalled();
  act(() => useReachability.setState({ reach: 'online' }));
  expect(reload).toHaveBeenCalledTimes(1);
  // Until then it does not say otherwise.
  expect(screen.getByRole('heading', { name: 'This page is not kept on this device' })).toBeVisible();
});

it('does not wait for a connection where answers are only slow', () => {
  useReachability.setState({ reach: 'slow' });
  broken();
  expect(screen.getByRole('heading', { name: 'This page cannot be shown' })).toBeVisible();
  act(() => useReachability.setState({ reach: 'online' }));
  expect(reload).not.toHaveBeenCalled();
});

it('leaves it to the person where the connection is not why, lest it load for ever', () => {
  broken();
  expect(screen.getByRole('heading', { name: 'This page cannot be shown' })).toBeVisible();
  expect(screen.getByText('no part')).toBeVisible();
  expect(reload).not.toHaveBeenCalled();
  act(() => screen.getByRole('button', { name: 'Load again' }).click());
  expect(reload).toHaveBeenCalledTimes(1);
});
