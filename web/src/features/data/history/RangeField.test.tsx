import { fireEvent, render, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it, vi } from 'vitest';
import { setWidth } from '@/test/mediaQueries';
import { RangeField } from './RangeField';
import type { Span } from './range';

const at = (month: number, day: number, hour = 10) => new Date(2026, month - 1, day, hour).getTime();

it('keeps the end that was chosen first, even if the field renders before the other is chosen', async () => {
  const person = userEvent.setup();
  const onChange = vi.fn();
  // As while readings come in: an equal range in a new object.
  const field = () => {
    const span: Span = { from: at(11, 15), to: at(11, 22) };
    return <RangeField span={span} shortcut="week" onChange={onChange} />;
  };
  const { rerender } = render(field());
  const [from, to] = [screen.getByLabelText('Start'), screen.getByLabelText('End')];
  const type = async (input: HTMLElement, text: string) => {
    await person.click(input);
    fireEvent.change(input, { target: { value: text } });
    rerender(field());
    await person.keyboard('{Enter}');
    rerender(field());
  };
  await type(from, '11/18/2026 10:00');
  expect(from).toHaveValue('11/18/2026 10:00');
  await type(to, '11/20/2026 10:00');
  await waitFor(() => expect(onChange).toHaveBeenCalledWith({ from: at(11, 18), to: at(11, 20) }, null));
});

it('accepts a range from the calendar by keyboard and recognizes its shortcut', async () => {
  const person = userEvent.setup();
  const onChange = vi.fn();
  const { rerender } = render(<RangeField span={null} shortcut={null} onChange={onChange} />);
  const field = screen.getByRole('combobox', { name: 'By calendar' });
  expect(field).toHaveDisplayValue('By calendar');
  screen.getByRole('radio', { name: 'Custom' }).focus();
  await person.tab();
  expect(field).toHaveFocus();
  await person.selectOptions(field, 'Yesterday');
  const [span, shortcut] = onChange.mock.lastCall ?? [];
  expect(shortcut).toBe('yesterday');
  expect(new Date(span.from).getHours()).toBe(0);
  expect(span.to - span.from).toBeGreaterThan(22 * 3_600_000);
  rerender(<RangeField span={span} shortcut={shortcut} onChange={onChange} />);
  expect(field).toHaveDisplayValue('Yesterday');
});

it('on a phone, has all shortcuts in one row, and the times once the user wants others', async () => {
  setWidth(390);
  const person = userEvent.setup();
  const onChange = vi.fn();
  const span: Span = { from: at(11, 15), to: at(11, 22) };
  const { rerender } = render(<RangeField span={span} shortcut="week" onChange={onChange} />);
  const row = screen.getByRole('radiogroup', { name: 'Range' });
  expect(within(row).getAllByRole('radio')).toHaveLength(9);
  expect(within(row).getByRole('radio', { name: '7 days' })).toBeChecked();
  expect(screen.queryByRole('combobox', { name: 'By calendar' })).toBeNull();
  expect(screen.queryByLabelText('Start')).toBeNull();
  await person.click(within(row).getByText('Yesterday'));
  expect(onChange.mock.lastCall?.[1]).toBe('yesterday');
  await person.click(within(row).getByText('Custom'));
  expect(screen.getByLabelText('Start')).toHaveValue('11/15/2026 10:00');
  expect(within(row).getByRole('radio', { name: 'Custom' })).toBeChecked();
  await person.click(within(row).getByText('24 h'));
  rerender(<RangeField span={span} shortcut="day" onChange={onChange} />);
  expect(screen.queryByLabelText('Start')).toBeNull();
  rerender(<RangeField span={null} shortcut={null} onChange={onChange} />);
  expect(screen.getByLabelText('Start')).toBeVisible();
});
