import { act, render, screen } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { useLanguage } from '@/lib/i18n/i18n';
import { Age } from './Age';
import { Dot } from './Dot';

const start = new Date('2026-11-21T14:05:00').getTime();

beforeEach(() => {
  vi.useFakeTimers({ now: start, toFake: ['Date', 'setInterval', 'clearInterval'] });
});

afterEach(() => vi.useRealTimers());

describe('Age', () => {
  it('updates by itself', () => {
    render(<Age time={start - 8000} />);
    expect(screen.getByText('8 s')).toBeVisible();
    act(() => vi.advanceTimersByTime(3000));
    expect(screen.getByText('11 s')).toBeVisible();
  });

  it('is a time element with the full time and its zone on hover', () => {
    render(<Age time={start - 3_600_000} form="within" />);
    const age = screen.getByText('1 h ago');
    expect(age.tagName).toBe('TIME');
    expect(age).toHaveAttribute('datetime', new Date(start - 3_600_000).toISOString());
    expect(age.title).toMatch(/^Nov 21, 2026, 13:05 \(UTC/);
  });

  it('marks a stale time with an icon and a word, not by colour alone', () => {
    const { container } = render(<Age time={start - 47 * 60_000} stale staleLabel="older than usual" />);
    expect(container.querySelector('svg')).toBeInTheDocument();
    expect(screen.getByText('older than usual')).toBeInTheDocument();
  });

  it('follows the language', async () => {
    render(<Age time={start - 120_000} form="within" />);
    await act(() => useLanguage.getState().setLanguage('ru-ru'));
    expect(screen.getByText('2 мин назад')).toBeVisible();
  });
});

describe('Dot', () => {
  it('has a word for screen readers', () => {
    render(<Dot state="alarm" label="Pending alarm" />);
    expect(screen.getByText('Pending alarm')).toBeInTheDocument();
  });
});
