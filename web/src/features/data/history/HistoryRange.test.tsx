import { act, fireEvent, screen, waitFor } from '@testing-library/react';
import type userEvent from '@testing-library/user-event';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { type Language, useLanguage } from '@/lib/i18n/i18n';
import { attribute, clearRange, columnRequestsOf, day, openHistory, span, view, viewLabel } from '@/test/historyDialog';
import { fakeEngine, historyPaths, historyServer } from '@/test/historyServer';

const engine = vi.hoisted(() => ({ current: null as ReturnType<typeof fakeEngine> | null }));
vi.mock('@/ui/chart/engine', () => ({ init: () => engine.current?.module.init() }));

let server: ReturnType<typeof historyServer>;
let chart: ReturnType<typeof fakeEngine>;
beforeEach(() => {
  server = historyServer();
  chart = fakeEngine();
  engine.current = chart;
});

const { maps, overviews } = columnRequestsOf(() => server);
const plot = () => screen.getByRole('slider', { name: 'Time in the chart' });

describe('the window', () => {
  it('is moved and zoomed by keys and then refined', async () => {
    const { person } = await openHistory(chart);
    const start = chart.window()?.min ?? 0;
    const width = () => (chart.window()?.max ?? 0) - (chart.window()?.min ?? 0);
    plot().focus();
    await person.keyboard('+');
    await waitFor(() => expect(width()).toBeCloseTo(0.1 * 7 * day, 0));
    await person.keyboard('{PageDown}');
    await waitFor(() => expect(chart.window()?.min).toBeGreaterThan(start + 0.1 * 7 * day));
    const { min = 0, max = 0 } = chart.window() ?? {};
    await waitFor(() => {
      const fine = maps().find((query) => query.get('points') === '3000' && Number(query.get('startTime')) > start);
      expect(Number(fine?.get('startTime'))).toBeLessThanOrEqual(min);
      expect(Number(fine?.get('endTime'))).toBeGreaterThanOrEqual(max);
    });
    await person.keyboard('0');
    await waitFor(() => expect(width()).toBe(7 * day));
    expect(screen.getByRole('slider', { name: 'End of the part in view' })).toHaveAttribute('aria-valuenow', '100');
  });

  it('has ends that keys move', async () => {
    const { person } = await openHistory(chart);
    screen.getByRole('slider', { name: 'End of the part in view' }).focus();
    await person.keyboard('{PageUp}');
    await waitFor(() => expect((chart.window()?.max ?? 0) - (chart.window()?.min ?? 0)).toBeCloseTo(0.3 * 7 * day, 0));
    screen.getByRole('slider', { name: 'Start of the part in view' }).focus();
    await person.keyboard('{ArrowRight}');
    await waitFor(() => expect((chart.window()?.max ?? 0) - (chart.window()?.min ?? 0)).toBeCloseTo(0.29 * 7 * day, 0));
  });

  it('shows the mean and the band of each hour if it is long, and readings again if it is short', async () => {
    const { person } = await openHistory(chart);
    const bands = () => chart.newest()?.series?.filter(({ stack }) => stack !== undefined);
    expect(bands()).toEqual([]);
    plot().focus();
    await person.keyboard('0');
    // Two lines for the band of each of the two quantities: wind directions and sums have none.
    await waitFor(() => expect(bands()).toHaveLength(4));
    const [asked] = server.asked(historyPaths.hours);
    expect(asked?.get('yeuSignList')).toBe('airTemperature,airHumidity');
    expect(asked?.get('resolution')).toBe('hour');
    expect(span(asked)).toBe(7 * day);
    expect(screen.getByText(/Each line is the mean of each hour/)).toBeInTheDocument();
    // The readings of the wind direction would be nearer to the crosshair than the hours.
    await person.click(attribute(/^Wind direction/));
    plot().focus();
    await person.keyboard('{End}{ArrowLeft}');
    expect(plot()).toHaveAttribute(
      'aria-valuetext',
      expect.stringMatching(/^\w+ \d+, .*–\d\d:00, Air temperature mean −?\d\.\d.°C, −10\.0 to 10\.0/),
    );
    // The figures are those of readings.
    expect(screen.getByRole('row', { name: /^Air temperature/ })).toHaveTextContent(/−10\.0.*10\.0/);
    await person.keyboard('++');
    await waitFor(() => expect(bands()).toEqual([]));
    expect(server.asked(historyPaths.hours)).toHaveLength(1);
  });

  it('zooms with the wheel around the pointer', async () => {
    await openHistory(chart);
    const { min = 0, max = 0 } = chart.window() ?? {};
    const wheel = new WheelEvent('wheel', { deltaY: -200, clientX: 0, cancelable: true, bubbles: true });
    act(() => {
      plot().dispatchEvent(wheel);
    });
    expect(wheel.defaultPrevented).toBe(true);
    await waitFor(() => expect(chart.window()?.max).toBeLessThan(max));
    // The pointer was at the beginning, which stays.
    expect(chart.window()?.min).toBeCloseTo(min, 0);
  });
});

describe('the crosshair', () => {
  it('moves by keys and announces the values', async () => {
    const { person } = await openHistory(chart);
    plot().focus();
    await person.keyboard('{ArrowRight}');
    await waitFor(() =>
      expect(plot()).toHaveAttribute(
        'aria-valuetext',
        expect.stringMatching(/Air temperature −?\d+\.\d.°C, Relative humidity/),
      ),
    );
    const first = Number(plot().getAttribute('aria-valuenow'));
    await person.keyboard('{ArrowRight}');
    await waitFor(() => expect(Number(plot().getAttribute('aria-valuenow'))).toBe(first + 60_000));
  });
});

describe('the range', () => {
  const inputs = () => [screen.getByLabelText('Start'), screen.getByLabelText('End')] as const;
  /** Types a date as a user does and leaves the field with Enter. */
  async function type(person: ReturnType<typeof userEvent.setup>, input: HTMLElement, text: string) {
    await person.click(input);
    fireEvent.change(input, { target: { value: text } });
    await person.keyboard('{Enter}');
  }
  const written = (time: number) => {
    const date = new Date(time);
    const pad = (value: number) => String(value).padStart(2, '0');
    return `${pad(date.getMonth() + 1)}/${pad(date.getDate())}/${date.getFullYear()} ${pad(date.getHours())}:${pad(date.getMinutes())}`;
  };

  it('is set by a shortcut', async () => {
    const { person } = await openHistory(chart);
    await person.click(viewLabel('30 days'));
    await waitFor(() => expect(overviews().map(span)).toContain(30 * day));
    const length = () => (chart.window()?.max ?? 0) - (chart.window()?.min ?? 0);
    await waitFor(() => expect(length()).toBeCloseTo(0.2 * 30 * day, 0));
    await person.click(viewLabel('24 h'));
    await waitFor(() => expect(overviews().map(span)).toContain(day));
    await waitFor(() => expect(length()).toBeCloseTo(0.2 * day, 0));
  });

  it('is set by the calendar: yesterday, from midnight to midnight', async () => {
    const { person } = await openHistory(chart);
    await person.selectOptions(screen.getByRole('combobox', { name: 'By calendar' }), 'Yesterday');
    const midnight = new Date().setHours(0, 0, 0, 0);
    const before = new Date(midnight);
    before.setDate(before.getDate() - 1);
    await waitFor(() =>
      expect(overviews().map((query) => [Number(query.get('startTime')), Number(query.get('endTime'))])).toContainEqual(
        [before.getTime(), midnight - 1],
      ),
    );
    const [from, to] = inputs();
    expect(from).toHaveDisplayValue(/ 00:00$/);
    expect(to).toHaveDisplayValue(/ 23:59$/);
  });

  it('offers no day in the future in the calendar that Custom opens', async () => {
    const { person } = await openHistory(chart);
    await person.click(viewLabel('Custom'));
    const cellOf = (time: number) => {
      const date = new Date(time);
      const [year, month, dayOfMonth] = [date.getFullYear(), date.getMonth() + 1, date.getDate()];
      return document.querySelector(
        `td[title="${year}-${String(month).padStart(2, '0')}-${String(dayOfMonth).padStart(2, '0')}"]`,
      );
    };
    await waitFor(() => expect(cellOf(Date.now())).not.toBeNull());
    expect(cellOf(Date.now())).not.toHaveClass('ant-picker-cell-disabled');
    expect(cellOf(Date.now() + day)).toHaveClass('ant-picker-cell-disabled');
  });

  it('requires both ends', async () => {
    const { person, baseElement } = await openHistory(chart);
    const before = maps().length;
    await clearRange(baseElement);
    expect(await screen.findByText('The start time and end time cannot be empty')).toBeInTheDocument();
    expect(screen.getByRole('button', { name: 'Export spreadsheet' })).toBeDisabled();
    expect(maps()).toHaveLength(before);
    await person.click(viewLabel('24 h'));
    expect(screen.queryByText('The start time and end time cannot be empty')).toBeNull();
    expect(screen.getByRole('button', { name: 'Export spreadsheet' })).toBeEnabled();
  });

  it('may be typed into empty fields', async () => {
    const { person, baseElement } = await openHistory(chart);
    await clearRange(baseElement);
    expect(await screen.findByRole('alert')).toHaveTextContent('The start time and end time cannot be empty');
    const [from, to] = inputs();
    await type(person, from, written(Date.now() - 3 * day));
    await type(person, to, written(Date.now() - 2 * day));
    await waitFor(() => expect(screen.queryByRole('alert')).toBeNull());
    expect(screen.getByRole('button', { name: 'Export spreadsheet' })).toBeEnabled();
  });

  it('clears ranges of more than 30 days', async () => {
    const { person } = await openHistory(chart);
    const now = Date.now();
    const [from, to] = inputs();
    await type(person, from, written(now - 40 * day));
    await type(person, to, written(now - day));
    expect(await screen.findByText('Time frame is too long')).toBeInTheDocument();
    expect(from).toHaveValue('');
    expect(to).toHaveValue('');
    expect(screen.getByRole('button', { name: 'Export spreadsheet' })).toBeDisabled();
    expect(overviews().every((query) => span(query) <= 30 * day)).toBe(true);
    await person.click(viewLabel('24 h'));
    expect(screen.queryByText('Time frame is too long')).toBeNull();
  });

  it('may be typed', async () => {
    const { person } = await openHistory(chart);
    const end = Math.floor((Date.now() - 2 * day) / 60_000) * 60_000;
    const [from, to] = inputs();
    await type(person, from, written(end - 3 * day));
    await type(person, to, written(end));
    await waitFor(() =>
      expect(overviews().map((query) => [Number(query.get('endTime')), span(query)])).toContainEqual([end, 3 * day]),
    );
    expect(view('Custom')).toBeChecked();
  });

  it('refuses a future time and keeps what was typed', async () => {
    const { person } = await openHistory(chart);
    const [from, to] = inputs();
    const [start, typed] = [(from as HTMLInputElement).value, written(Date.now() + 3 * day)];
    await person.click(to);
    fireEvent.change(to, { target: { value: typed } });
    await person.keyboard('{Enter}');
    const cells = document.querySelectorAll('.ant-picker-cell-in-view:not(.ant-picker-cell-disabled)');
    const today = new Date();
    for (const cell of cells)
      expect(new Date(`${cell.getAttribute('title')}T00:00:00`).getTime()).toBeLessThanOrEqual(today.getTime());
    await person.click(screen.getByRole('combobox', { name: 'Compare' }));
    const words = 'This time has not come yet; choose one up to now';
    expect(screen.getByRole('alert')).toHaveTextContent(words);
    expect(document.querySelector('.ant-picker-footer')).toHaveTextContent(words);
    expect([(from as HTMLInputElement).value, (to as HTMLInputElement).value]).toEqual([start, typed]);
    expect(screen.getByRole('button', { name: 'Export spreadsheet' })).toBeDisabled();
    for (const query of maps()) expect(Number(query.get('endTime'))).toBeLessThanOrEqual(Date.now());

    await type(person, to, written(Date.now() - day));
    await type(person, from, written(Date.now() - 2 * day));
    await waitFor(() => expect(screen.queryByRole('alert')).toBeNull());
    await waitFor(() => expect(overviews().map(span)).toContain(day));
  });

  it('does not report the next choice as too long', async () => {
    const { person } = await openHistory(chart);
    const [from, to] = inputs();
    await type(person, from, written(Date.now() - 40 * day));
    await type(person, to, written(Date.now() - day));
    expect(await screen.findByText('Time frame is too long')).toBeInTheDocument();
    await person.click(from);
    fireEvent.change(from, { target: { value: written(Date.now() - 3 * day) } });
    expect(screen.queryByText('Time frame is too long')).toBeNull();
  });

  it('requires an attribute', async () => {
    const { person } = await openHistory(chart);
    for (const name of [/^Air temperature/, /^Relative humidity/, /^Rainfall/, /^Wind direction/])
      await person.click(attribute(name));
    expect(screen.getAllByText('property cannot be empty').length).toBeGreaterThan(0);
    expect(screen.getByRole('button', { name: 'Export spreadsheet' })).toBeDisabled();
    for (const query of maps()) expect(query.get('yeuSignList')).not.toBe('');
  });
});

const words: Record<string, [string, string, string]> = {
  'en-us': ['The start time and end time cannot be empty', 'property cannot be empty', "Are you sure it's off?"],
  'zh-cn': ['开始时间和结束时间不能为空', '属性不能为空', '确定要关闭吗？'],
  'tr-tr': ['Başlangıç ve bitiş zamanını seçin', 'En az bir parametre seçin', 'Geçmiş penceresi kapatılsın mı?'],
  'ru-ru': ['Укажите начало и конец периода', 'Выберите хотя бы один параметр', 'Закрыть историю?'],
};

const future: Record<string, string> = {
  'en-us': 'This time has not come yet; choose one up to now',
  'zh-cn': '该时间还未到来，请选择当前或更早的时间',
  'tr-tr': 'Bu zaman henüz gelmedi; şu ana kadar bir zaman seçin',
  'ru-ru': 'Это время ещё не наступило; выберите время не позже текущего',
};

it.each(Object.entries(future))('refuses a future time in %s', async (language, words) => {
  await act(() => useLanguage.getState().setLanguage(language as Language));
  const { person, baseElement } = await openHistory(chart);
  const to = baseElement.querySelector('input[id$="-to"]') as HTMLInputElement;
  await person.click(to);
  const typed = to.value.replace('2026', '2027');
  fireEvent.change(to, { target: { value: typed } });
  expect(await screen.findByRole('alert')).toHaveTextContent(words);
  expect(to.value).toBe(typed);
});

it.each(Object.entries(words))('speaks %s', async (language, [range, required, close]) => {
  await act(() => useLanguage.getState().setLanguage(language as Language));
  const { person, baseElement } = await openHistory(chart);
  await clearRange(baseElement);
  expect(await screen.findByText(range)).toBeInTheDocument();
  for (const box of screen.getAllByRole('checkbox', { checked: true })) await person.click(box);
  expect(screen.getAllByText(required).length).toBeGreaterThan(0);
  await person.click(baseElement.querySelector('.ant-modal-close') as HTMLElement);
  expect(await screen.findByText(close)).toBeInTheDocument();
});
