import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import userEvent, { PointerEventsCheckLevel } from '@testing-library/user-event';
import { ConfigProvider } from 'antd';
import { HttpResponse } from 'msw';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { type Language, useLanguage } from '@/lib/i18n';
import { fakeEngine, historyPaths, historyServer } from '@/test/history';
import { renderPart } from '@/test/part';
import { setWidth } from '@/test/screen';
import { HistoryDialog } from './HistoryDialog';

const engine = vi.hoisted(() => ({ current: null as ReturnType<typeof fakeEngine> | null }));
vi.mock('@/ui/chart/engine', () => ({ init: () => engine.current?.module.init() }));

const hour = 3_600_000;
const day = 24 * hour;
const mast = { deviceName: 'WS-1', noteName: 'Orchard mast', productName: 'Weather station' };

let server: ReturnType<typeof historyServer>;
let chart: ReturnType<typeof fakeEngine>;
beforeEach(() => {
  server = historyServer();
  chart = fakeEngine();
  engine.current = chart;
});

async function open(drawn = true) {
  const onClose = vi.fn();
  const person = userEvent.setup();
  const opened = renderPart(
    // Nothing moves in jsdom, so nothing tells that a movement has ended.
    <ConfigProvider theme={{ token: { motion: false } }}>
      <HistoryDialog device={mast} open onClose={onClose} />
    </ConfigProvider>,
  );
  if (drawn) await waitFor(() => expect(chart.newest()?.series?.length).toBeGreaterThan(0));
  return { onClose, person, ...opened };
}

const maps = () => server.asked(historyPaths.map);
const span = (query: URLSearchParams | undefined) => Number(query?.get('endTime')) - Number(query?.get('startTime'));
/** Those of the whole range, which are thinned. */
const overviews = () => maps().filter((query) => query.get('points') === '1500' && query.get('deviceName') === 'WS-1');
const attribute = (name: RegExp) => screen.getByRole('checkbox', { name });
const plot = () => screen.getByRole('slider', { name: 'Time in the chart' });
const view = (name: string) => screen.getByRole('radio', { name });
/** A person clicks the words; the radio button beneath them takes no pointer. */
const shown = (name: string) => view(name).closest('label') as HTMLElement;
/** The cross shows itself to a pointer above it, of which jsdom knows nothing. */
const clear = (element: Element) =>
  userEvent
    .setup({ pointerEventsCheck: PointerEventsCheckLevel.Never })
    .click(element.querySelector('.ant-picker-clear') as HTMLElement);
/** By its title: under test antd gives the titles of all dialogs the same id. */
const question = async () =>
  within((await screen.findByText("Are you sure it's off?")).closest('[role=dialog]') as HTMLElement);

describe('the history', () => {
  it('opens with the last seven days and shows the first 20 percent', async () => {
    await open();
    expect(screen.getByRole('dialog', { name: /History of Orchard mast/ })).toBeInTheDocument();
    const [overview] = overviews();
    expect(span(overview)).toBe(7 * day);
    expect(overview?.get('yeuSignList')).toBe('airTemperature,airHumidity,windDirection');
    const { min = 0, max = 0 } = chart.window() ?? {};
    expect(min).toBe(Number(overview?.get('startTime')));
    expect(max - min).toBeCloseTo(0.2 * 7 * day, 0);
    expect(screen.getByText(/^The first 20.% of the range is shown\./)).toBeInTheDocument();
  });

  it('asks for as many points as pixels need, and for all of what is summed', async () => {
    await open();
    for (const query of maps()) {
      const points = query.get('points');
      if (query.get('yeuSignList') === 'rainfall') expect(points).toBeNull();
      else {
        expect(Number(points)).toBeGreaterThanOrEqual(1000);
        expect(Number(points)).toBeLessThanOrEqual(5000);
      }
    }
    expect(maps().some((query) => query.get('yeuSignList') === 'rainfall' && span(query) === 7 * day)).toBe(true);
  });

  it('draws one panel a unit, in typed arrays', async () => {
    await open();
    await waitFor(() =>
      expect(chart.newest()?.series?.map(({ type }) => type)).toEqual(['line', 'line', 'bar', 'scatter']),
    );
    expect(chart.newest()?.yAxis).toHaveLength(4);
    for (const { data } of chart.newest()?.series ?? []) expect(data).toBeInstanceOf(Float64Array);
  });

  it('gives lowest, mean and highest of what is in view, and the sum of rain', async () => {
    await open();
    const row = await screen.findByRole('row', { name: /^Air temperature/ });
    expect(
      within(row)
        .getAllByRole('cell')
        .map((cell) => cell.textContent),
    ).toEqual(['−10.0', expect.stringMatching(/^−?0\.\d$/), '10.0']);
    // One millimetre an hour, in 33.6 hours.
    expect(screen.getByRole('row', { name: /^Rainfall/ })).toHaveTextContent(/3[34]\.0 in all/);
  });

  it('draws on and off as steps, and texts as a table', async () => {
    const { person } = await open();
    await person.click(attribute(/^Pump/));
    await person.click(attribute(/^Note/));
    await waitFor(() => expect(chart.newest()?.series?.some(({ step }) => step === 'end')).toBe(true));
    // Half of each hour; the window ends within one, now in its first half, now in its second.
    await waitFor(() =>
      expect(screen.getByRole('row', { name: /^Pump/ })).toHaveTextContent(/on (49|50|51).% of the time/),
    );
    const changes = await screen.findByRole('table', { name: 'Note' });
    expect(within(changes).getAllByText(/^(morning|evening)$/).length).toBeGreaterThan(1);
  });

  it('measures gaps and breaks the line in them', async () => {
    const start = Date.now() - 7 * day;
    server.silent = [{ from: start + 10 * hour, to: start + 18 * hour }];
    await open();
    expect(await screen.findByText(/^No readings, 8.h/)).toBeInTheDocument();
    expect(screen.getByText(/1 gap in the readings/)).toBeInTheDocument();
    const [line] = chart.newest()?.series ?? [];
    expect([...(line?.data ?? [])].filter(Number.isNaN)).toHaveLength(1);
  });

  it('keeps an attribute’s colour and asks nothing again for what it has', async () => {
    const { person } = await open();
    await waitFor(() => expect(chart.newest()?.series).toHaveLength(4));
    const before = maps().length;
    await person.click(attribute(/^Relative humidity/));
    await waitFor(() => expect(chart.newest()?.series).toHaveLength(3));
    await person.click(attribute(/^Relative humidity/));
    await waitFor(() => expect(chart.newest()?.series).toHaveLength(4));
    expect(maps()).toHaveLength(before);
  });
});

describe('the window', () => {
  it('is moved and zoomed by keys, and refined where it rests', async () => {
    const { person } = await open();
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
    const { person } = await open();
    screen.getByRole('slider', { name: 'End of the part in view' }).focus();
    await person.keyboard('{PageUp}');
    await waitFor(() => expect((chart.window()?.max ?? 0) - (chart.window()?.min ?? 0)).toBeCloseTo(0.3 * 7 * day, 0));
    screen.getByRole('slider', { name: 'Start of the part in view' }).focus();
    await person.keyboard('{ArrowRight}');
    await waitFor(() => expect((chart.window()?.max ?? 0) - (chart.window()?.min ?? 0)).toBeCloseTo(0.29 * 7 * day, 0));
  });

  it('zooms with the wheel around the pointer', async () => {
    await open();
    const { min = 0, max = 0 } = chart.window() ?? {};
    const wheel = new WheelEvent('wheel', { deltaY: -200, clientX: 48, cancelable: true, bubbles: true });
    act(() => {
      plot().dispatchEvent(wheel);
    });
    expect(wheel.defaultPrevented).toBe(true);
    await waitFor(() => expect(chart.window()?.max).toBeLessThan(max));
    // The pointer stood at the beginning, which stays.
    expect(chart.window()?.min).toBeCloseTo(min, 0);
  });
});

describe('the crosshair', () => {
  it('walks by keys and says the values', async () => {
    const { person } = await open();
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

describe('the rules', () => {
  const inputs = () => [screen.getByLabelText('Start'), screen.getByLabelText('End')] as const;
  /** As a person types a date and leaves it with Enter. */
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

  it('takes a shortcut', async () => {
    const { person } = await open();
    await person.click(shown('30 days'));
    await waitFor(() => expect(overviews().map(span)).toContain(30 * day));
    await person.click(shown('24 h'));
    await waitFor(() => expect(overviews().map(span)).toContain(day));
    await waitFor(() => expect((chart.window()?.max ?? 0) - (chart.window()?.min ?? 0)).toBeCloseTo(0.2 * day, 0));
  });

  it('wants both ends', async () => {
    const { person, baseElement } = await open();
    const before = maps().length;
    await clear(baseElement);
    expect(await screen.findByText('The start time and end time cannot be empty')).toBeInTheDocument();
    expect(screen.getByRole('button', { name: 'Export spreadsheet' })).toBeDisabled();
    expect(maps()).toHaveLength(before);
    await person.click(shown('24 h'));
    expect(screen.queryByText('The start time and end time cannot be empty')).toBeNull();
    expect(screen.getByRole('button', { name: 'Export spreadsheet' })).toBeEnabled();
  });

  it('refuses more than 30 days and clears them', async () => {
    const { person } = await open();
    const now = Date.now();
    const [from, to] = inputs();
    await type(person, from, written(now - 40 * day));
    await type(person, to, written(now - day));
    expect(await screen.findByText('Time frame is too long')).toBeInTheDocument();
    expect(from).toHaveValue('');
    expect(to).toHaveValue('');
    expect(overviews().every((query) => span(query) <= 30 * day)).toBe(true);
  });

  it('takes a range of one’s own', async () => {
    const { person } = await open();
    const end = Math.floor((Date.now() - 2 * day) / 60_000) * 60_000;
    const [from, to] = inputs();
    await type(person, from, written(end - 3 * day));
    await type(person, to, written(end));
    await waitFor(() =>
      expect(overviews().map((query) => [Number(query.get('endTime')), span(query)])).toContainEqual([end, 3 * day]),
    );
    expect(view('Custom')).toBeChecked();
  });

  it('knows no time to come', async () => {
    const { person } = await open();
    const [, to] = inputs();
    await person.click(to);
    fireEvent.change(to, { target: { value: written(Date.now() + 3 * day) } });
    await person.keyboard('{Enter}');
    await person.keyboard('{Escape}');
    const cells = document.querySelectorAll('.ant-picker-cell-in-view:not(.ant-picker-cell-disabled)');
    const today = new Date();
    for (const cell of cells)
      expect(new Date(`${cell.getAttribute('title')}T00:00:00`).getTime()).toBeLessThanOrEqual(today.getTime());
    for (const query of maps()) expect(Number(query.get('endTime'))).toBeLessThanOrEqual(Date.now());
  });

  it('wants an attribute', async () => {
    const { person } = await open();
    for (const name of [/^Air temperature/, /^Relative humidity/, /^Rainfall/, /^Wind direction/])
      await person.click(attribute(name));
    expect(screen.getAllByText('property cannot be empty').length).toBeGreaterThan(0);
    expect(screen.getByRole('button', { name: 'Export spreadsheet' })).toBeDisabled();
    for (const query of maps()) expect(query.get('yeuSignList')).not.toBe('');
  });
});

const words: Record<Language, [string, string, string]> = {
  'en-us': ['The start time and end time cannot be empty', 'property cannot be empty', "Are you sure it's off?"],
  'zh-cn': ['开始时间和结束时间不能为空', '属性不能为空', '确定要关闭吗？'],
  'tr-tr': ['Başlangıç ve bitiş zamanını seçin', 'En az bir parametre seçin', 'Geçmiş penceresi kapatılsın mı?'],
  'ru-ru': ['Укажите начало и конец периода', 'Выберите хотя бы один параметр', 'Закрыть историю?'],
};

it.each(Object.entries(words))('speaks %s', async (language, [range, required, close]) => {
  await act(() => useLanguage.getState().setLanguage(language as Language));
  const { person, baseElement } = await open();
  await clear(baseElement);
  expect(await screen.findByText(range)).toBeInTheDocument();
  for (const box of screen.getAllByRole('checkbox', { checked: true })) await person.click(box);
  expect(screen.getAllByText(required).length).toBeGreaterThan(0);
  await person.click(baseElement.querySelector('.ant-modal-close') as HTMLElement);
  expect(await screen.findByText(close)).toBeInTheDocument();
});

describe('comparison', () => {
  const choose = async (person: ReturnType<typeof userEvent.setup>, name: string) => {
    await person.click(screen.getByRole('combobox', { name: 'Compare' }));
    await person.click(await screen.findByTitle(name));
  };

  it('lays the period before over this one', async () => {
    const { person } = await open();
    const start = Number(overviews()[0]?.get('startTime'));
    await choose(person, 'The period before');
    await waitFor(() => expect(overviews().map((query) => Number(query.get('endTime')))).toContain(start));
    await waitFor(() => expect(chart.newest()?.series).toHaveLength(8));
    const faint = chart.newest()?.series?.find(({ lineStyle }) => lineStyle && lineStyle.opacity < 1);
    expect(faint?.data[0]).toBeGreaterThanOrEqual(start);
    expect(await screen.findAllByRole('row', { name: /Air temperature.*The period before/ })).toHaveLength(1);
  });

  it('asks another device only for what both measure', async () => {
    const { person } = await open();
    await choose(person, 'The WS-2');
    await waitFor(() => expect(chart.newest()?.series).toHaveLength(5));
    const foreign = maps().filter((query) => query.get('deviceName') === 'WS-2');
    expect(new Set(foreign.map((query) => query.get('yeuSignList')))).toEqual(new Set(['airTemperature']));
  });

  it('says when the other device measures nothing of it', async () => {
    const { person } = await open();
    await choose(person, 'The SP-1');
    expect(await screen.findByText('The SP-1 measures none of these attributes')).toBeInTheDocument();
  });
});

describe('the table', () => {
  it('has every reading and draws those in view', async () => {
    const { person } = await open();
    await person.click(shown('Table'));
    const table = await screen.findByRole('table');
    expect(Number(table.getAttribute('aria-rowcount'))).toBeGreaterThan(10_000);
    expect(within(table).getAllByRole('row').length).toBeLessThan(60);
    expect(within(table).getByRole('columnheader', { name: 'Rainfall' })).toBeInTheDocument();
    const frame = screen.getByRole('region', { name: 'Table' });
    act(() => {
      frame.scrollTop = 36 * 5000;
      fireEvent.scroll(frame);
    });
    await waitFor(() => expect(table.querySelector('[aria-rowindex="5002"]')).not.toBeNull());
    expect(server.asked(historyPaths.rows)).toHaveLength(1);
  });

  it('that fails says so and can be asked again', async () => {
    server.answers.set(historyPaths.rows, () => HttpResponse.json({ code: 500, data: null, msg: 'The disk is gone' }));
    const { person } = await open();
    await person.click(shown('Table'));
    expect(await screen.findByText('The disk is gone')).toBeInTheDocument();
    server.answers.clear();
    await person.click(screen.getByRole('button', { name: 'Retry' }));
    expect(await screen.findByRole('table')).toBeInTheDocument();
  });
});

describe('what goes wrong', () => {
  it('is said with a way to ask again', async () => {
    server.answers.set(historyPaths.map, () => HttpResponse.json({ code: 500, data: null, msg: 'No luck' }));
    const { person } = await open(false);
    expect(await screen.findByText('The history could not be fetched')).toBeInTheDocument();
    expect(screen.getByText('No luck')).toBeInTheDocument();
    server.answers.clear();
    await person.click(screen.getByRole('button', { name: 'Retry' }));
    await waitFor(() => expect(chart.newest()?.series?.length).toBeGreaterThan(0));
    expect(screen.queryByText('No luck')).toBeNull();
  });

  it('leaves what was there, with its own time axis', async () => {
    const { person } = await open();
    const before = chart.window();
    server.answers.set(historyPaths.map, () => HttpResponse.json({ code: 500, data: null, msg: 'No luck' }));
    await person.click(shown('30 days'));
    expect(await screen.findByText(/what is shown is from before/)).toBeInTheDocument();
    expect(chart.window()).toEqual(before);
    expect(screen.getByRole('row', { name: /^Air temperature/ })).toHaveTextContent('10.0');
  });

  it('is nothing when nothing was read', async () => {
    server.silent = [{ from: 0, to: Date.now() + day }];
    await open(false);
    expect(await screen.findByText('no data')).toBeInTheDocument();
    expect(screen.getByText('Nothing was read in this range. Choose another one.')).toBeInTheDocument();
  });

  it('is the model, which can be asked for again', async () => {
    server.answers.set(historyPaths.tsl, () => HttpResponse.json({ code: 500, data: null, msg: 'No model' }));
    const { person } = await open(false);
    expect(await screen.findByText('The attributes could not be fetched')).toBeInTheDocument();
    server.answers.clear();
    await person.click(screen.getByRole('button', { name: 'Retry' }));
    expect(await screen.findByRole('checkbox', { name: /^Air temperature/ })).toBeChecked();
  });
});

describe('closing', () => {
  it('is asked, and can be thought better of', async () => {
    const { person, onClose } = await open();
    await person.keyboard('{Escape}');
    await person.click((await question()).getByRole('button', { name: 'Cancel' }));
    expect(onClose).not.toHaveBeenCalled();
    await waitFor(() => expect(screen.queryByText("Are you sure it's off?")).toBeNull());
    await person.click(screen.getByRole('button', { name: 'Close' }));
    await person.click((await question()).getByRole('button', { name: 'Close the history' }));
    expect(onClose).toHaveBeenCalledOnce();
  });
});

it('on a phone shows chips, and a sheet to choose from', async () => {
  setWidth(390);
  const { person } = await open();
  await person.click(screen.getByRole('button', { name: 'Choose attributes, 4 of 6 chosen' }));
  await person.click(await screen.findByRole('checkbox', { name: /^Pump/ }));
  expect(await screen.findByRole('button', { name: 'Choose attributes, 5 of 6 chosen' })).toBeInTheDocument();
});
