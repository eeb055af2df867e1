import { act, fireEvent, render, screen, within } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { showDialog, toast, useFeedback } from '@/lib/feedback/feedback';
import { ErrorDialog } from './ErrorDialog';
import { Toasts } from './Toasts';

describe('messages', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  const pass = (ms: number) => act(() => vi.advanceTimersByTime(ms));

  it('disappear after five seconds', () => {
    render(<Toasts />);
    act(() => toast.error('The request timed out', 'Try again'));
    expect(screen.getByText('Try again')).toBeVisible();
    pass(4_999);
    expect(screen.getByText('The request timed out')).toBeVisible();
    pass(1);
    expect(screen.queryByText('The request timed out')).toBeNull();
  });

  it('reach a screen reader with the urgency of their tone', () => {
    render(<Toasts />);
    act(() => {
      toast.error('failed');
      toast.warning('refused');
      toast.success('saved');
      toast.info('by the way');
    });
    const alert = within(screen.getByRole('alert'));
    const status = within(screen.getByRole('status'));
    expect([alert.getByText('failed'), alert.getByText('refused')]).toHaveLength(2);
    expect([status.getByText('saved'), status.getByText('by the way')]).toHaveLength(2);
  });

  it('stay while the pointer or the keyboard is on them', () => {
    render(<Toasts />);
    act(() => toast.success('saved'));
    const close = screen.getByRole('button', { name: 'Close' });
    fireEvent.mouseOver(screen.getByText('saved'));
    pass(20_000);
    expect(screen.getByText('saved')).toBeVisible();
    fireEvent.mouseOut(screen.getByText('saved'));
    act(() => close.focus());
    pass(20_000);
    expect(screen.getByText('saved')).toBeVisible();
    act(() => close.blur());
    pass(5_000);
    expect(screen.queryByText('saved')).toBeNull();
  });

  it('with an action stay until it is taken', () => {
    const goBack = vi.fn();
    render(<Toasts />);
    act(() => toast.info('renewed', 'at home', { label: 'Back', act: goBack }));
    pass(60_000);
    fireEvent.click(screen.getByRole('button', { name: 'Back' }));
    expect(goBack).toHaveBeenCalledOnce();
    expect(screen.queryByText('renewed')).toBeNull();
  });

  it('can be closed one by one', () => {
    render(<Toasts />);
    act(() => {
      toast.error('first');
      toast.error('second');
    });
    const [close] = screen.getAllByRole('button', { name: 'Close' });
    if (!close) throw new Error('no button');
    fireEvent.click(close);
    expect(screen.queryByText('first')).toBeNull();
    expect(screen.getByText('second')).toBeVisible();
  });

  it('are shown again, not twice, when the same happens again', () => {
    render(<Toasts />);
    act(() => toast.error('failed'));
    pass(3_000);
    act(() => toast.error('failed'));
    pass(3_000);
    expect(screen.getAllByText('failed')).toHaveLength(1);
    pass(2_000);
    expect(screen.queryByText('failed')).toBeNull();
  });
});

it('the error dialog shows the server’s sentence until it is closed', () => {
  render(<ErrorDialog />);
  expect(screen.queryByRole('dialog')).toBeNull();
  act(() => showDialog({ title: 'Error', text: 'Too many tries. Wait 15 minutes.' }));
  const dialog = screen.getByRole('dialog', { name: 'Error' });
  expect(dialog).toHaveAccessibleDescription('Too many tries. Wait 15 minutes.');
  act(() => (dialog as HTMLDialogElement).close());
  expect(screen.queryByRole('dialog')).toBeNull();
  expect(useFeedback.getState().dialog).toBeNull();
});
