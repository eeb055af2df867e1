import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import type userEvent from '@testing-library/user-event';
import { HttpResponse } from 'msw';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { attribute, columnRequestsOf, day, hour, openHistory, span, viewLabel } from '@/test/historyDialog';
import { fakeEngine, historyPaths, historyServer } from '@/test/historyServer';
import { setWidth } from '@/test/mediaQueries';
import { ok, onGet } from '@/test/server';
import { device } from '@/test/telemetryServer';

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
/** Found by its title: in tests antd gives the titles of all dialogs the same id. */
const question = async () =>
  within((await screen.findByText("Are you sure it's off?")).closest('[role=dialog]') as HTMLElement);

describe('the history', () => {
  it('opens with the last seven days and shows 20 percent of them', async () => {
    await openHistory(chart);
    expect(screen.getByRole('dialog', { name: /History of Orchard mast/ })).toBeInTheDocument();
    const [overview] = overviews();
    expect(span(overview)).toBe(7 * day);
    expect(overview?.get('yeuSignList')).toBe('airTemperature,airHumidity,windDirection');
    const { min = 0, max = 0 } = chart.window() ?? {};
    expect(min).toBe(Number(overview?.get('startTime')));
    expect(max - min).toBeCloseTo(0.2 * 7 * day, 0);
    expect(screen.getByText(/^The first 20% of the range is shown\./)).toBeInTheDocument();
  });

  it('requests as many points as there are pixels, and all readings of sums', async () => {
    await openHistory(chart);
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
    await openHistory(chart);
    await waitFor(() =>
      expect(chart.newest()?.series?.map(({ type }) => type)).toEqual(['line', 'line', 'bar', 'scatter']),
    );
    expect(chart.newest()?.yAxis).toHaveLength(4);
    for (const { data } of chart.newest()?.series ?? []) expect(data).toBeInstanceOf(Float64Array);
  });

  it('shows lowest, mean and highest of the window, and the sum of rain', async () => {
    await openHistory(chart);
    const row = await screen.findByRole('row', { name: /^Air temperature/ });
    expect(
      within(row)
        .getAllByRole('cell')
        .map((cell) => cell.textContent),
    ).toEqual(['−10.0', expect.stringMatching(/^−?0\.\d$/), '10.0']);
    // One millimetre an hour, for 33.6 hours.
    expect(screen.getByRole('row', { name: /^Rainfall/ })).toHaveTextContent(/3[34]\.0 in all/);
  });

  it('draws on and off as steps and texts as a table', async () => {
    const { person } = await openHistory(chart);
    await person.click(attribute(/^Pump/));
    await person.click(attribute(/^Note/));
    await waitFor(() => expect(chart.newest()?.series?.some(({ step }) => step === 'end')).toBe(true));
    // Half of each hour is on; the window ends within an hour, in its first or second half.
    await waitFor(() =>
      expect(screen.getByRole('row', { name: /^Pump/ })).toHaveTextContent(/on (49|50|51)% of the time/),
    );
    const changes = await screen.findByRole('table', { name: 'Note' });
    expect(within(changes).getAllByText(/^(morning|evening)$/).length).toBeGreaterThan(1);
  });

  it('measures gaps and breaks the line at them', async () => {
    const start = Date.now() - 7 * day;
    server.silent = [{ from: start + 10 * hour, to: start + 18 * hour }];
    await openHistory(chart);
    expect(await screen.findByText(/^No readings, 8.h/)).toBeInTheDocument();
    expect(screen.queryByText('Nothing was read in the part that is shown.')).toBeNull();
    expect(screen.getByText(/1 gap in the readings/)).toBeInTheDocument();
    const [line] = chart.newest()?.series ?? [];
    expect([...(line?.data ?? [])].filter(Number.isNaN)).toHaveLength(1);
  });

  it('keeps an attribute’s colour and does not refetch its readings', async () => {
    const { person } = await openHistory(chart);
    await waitFor(() => expect(chart.newest()?.series).toHaveLength(4));
    const before = maps().length;
    await person.click(attribute(/^Relative humidity/));
    await waitFor(() => expect(chart.newest()?.series).toHaveLength(3));
    await person.click(attribute(/^Relative humidity/));
    await waitFor(() => expect(chart.newest()?.series).toHaveLength(4));
    expect(maps()).toHaveLength(before);
  });
});

describe('comparison', () => {
  const choose = async (person: ReturnType<typeof userEvent.setup>, name: string) => {
    await person.click(screen.getByRole('combobox', { name: 'Compare' }));
    await person.click(await screen.findByTitle(name));
  };

  it('offers what the server finds by a typed name, in a console of any language', async () => {
    const { person } = await openHistory(chart);
    const asked: (string | null)[] = [];
    onGet(historyPaths.page, ({ request }) => {
      const text = new URL(request.url).searchParams.get('deviceName');
      asked.push(text);
      return ok({ list: text ? [device({ deviceName: 'WS-7', noteName: 'Işık direği' })] : [], total: 1 });
    });
    await person.type(screen.getByRole('combobox', { name: 'Compare' }), 'IŞIK');
    expect(await screen.findByTitle('Işık direği')).toBeInTheDocument();
    expect(asked.at(-1)).toBe('IŞIK');
    const offered = document.querySelectorAll('.ant-select-item-option-content');
    expect([...offered].map((each) => each.textContent)).toEqual(['Işık direği']);
  });

  it('lays the previous period over this one', async () => {
    const { person } = await openHistory(chart);
    const start = Number(overviews()[0]?.get('startTime'));
    await choose(person, 'The period before');
    await waitFor(() => expect(overviews().map((query) => Number(query.get('endTime')))).toContain(start));
    await waitFor(() => expect(chart.newest()?.series).toHaveLength(8));
    const faint = chart.newest()?.series?.find(({ lineStyle }) => lineStyle && lineStyle.opacity < 1);
    expect(faint?.data[0]).toBeGreaterThanOrEqual(start);
    expect(await screen.findAllByRole('row', { name: /Air temperature.*The period before/ })).toHaveLength(1);
  });

  it('queries another device only for attributes that both have', async () => {
    const { person } = await openHistory(chart);
    await choose(person, 'The WS-2');
    await waitFor(() => expect(chart.newest()?.series).toHaveLength(5));
    const foreign = maps().filter((query) => query.get('deviceName') === 'WS-2');
    expect(new Set(foreign.map((query) => query.get('yeuSignList')))).toEqual(new Set(['airTemperature']));
  });

  it('is replaced by another, and ends', async () => {
    const { person } = await openHistory(chart);
    await choose(person, 'The period before');
    await screen.findByRole('row', { name: /Air temperature.*The period before/ });
    await choose(person, 'The WS-2');
    expect(await screen.findByRole('row', { name: /Air temperature.*The WS-2/ })).toBeInTheDocument();
    expect(screen.queryByRole('row', { name: /The period before/ })).toBeNull();
    await choose(person, 'No comparison');
    await waitFor(() => expect(chart.newest()?.series).toHaveLength(4));
    await waitFor(() => expect(screen.queryByRole('row', { name: /The (WS-2|period before)/ })).toBeNull());
  });

  it('says that the other device has none of the attributes', async () => {
    const { person } = await openHistory(chart);
    await choose(person, 'The SP-1');
    expect(await screen.findByText('The SP-1 measures none of these attributes')).toBeInTheDocument();
  });
});

describe('the table', () => {
  it('has every reading and renders those in view', async () => {
    const { person } = await openHistory(chart);
    await person.click(viewLabel('Table'));
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

  it('shows an error and can be retried', async () => {
    server.answers.set(historyPaths.rows, () => HttpResponse.json({ code: 500, data: null, msg: 'The disk is gone' }));
    const { person } = await openHistory(chart);
    await person.click(viewLabel('Table'));
    expect(await screen.findByText('The disk is gone')).toBeInTheDocument();
    server.answers.clear();
    await person.click(screen.getByRole('button', { name: 'Retry' }));
    expect(await screen.findByRole('table')).toBeInTheDocument();
  });
});

describe('a failure', () => {
  it('is shown with a button to retry', async () => {
    server.answers.set(historyPaths.columns, () => HttpResponse.json({ code: 500, data: null, msg: 'No luck' }));
    const { person } = await openHistory();
    expect(await screen.findByText('The history could not be fetched')).toBeInTheDocument();
    expect(screen.getByText('No luck')).toBeInTheDocument();
    server.answers.clear();
    await person.click(screen.getByRole('button', { name: 'Retry' }));
    await waitFor(() => expect(chart.newest()?.series?.length).toBeGreaterThan(0));
    expect(screen.queryByText('No luck')).toBeNull();
  });

  it('leaves the previous readings with their own time axis', async () => {
    const { person } = await openHistory(chart);
    const before = chart.window();
    server.answers.set(historyPaths.columns, () => HttpResponse.json({ code: 500, data: null, msg: 'No luck' }));
    await person.click(viewLabel('30 days'));
    expect(await screen.findByText(/the data shown is older/)).toBeInTheDocument();
    expect(chart.window()).toEqual(before);
    expect(screen.getByRole('row', { name: /^Air temperature/ })).toHaveTextContent('10.0');
    server.answers.clear();
    await person.click(screen.getByRole('button', { name: 'Retry' }));
    await waitFor(() => expect((chart.window()?.max ?? 0) - (chart.window()?.min ?? 0)).toBeCloseTo(0.2 * 30 * day, 0));
    expect(screen.queryByText(/the data shown is older/)).toBeNull();
  });

  it('is not shown if there are no readings', async () => {
    server.silent = [{ from: 0, to: Date.now() + day }];
    await openHistory();
    expect(await screen.findByText('no data')).toBeInTheDocument();
    expect(screen.getByText('Nothing was read in this range. Choose another one.')).toBeInTheDocument();
  });

  it('is not shown if only the first window has no readings: a note leads to the first reading', async () => {
    const start = Date.now() - 7 * day;
    const heard = start + 4 * day;
    server.silent = [{ from: start - day, to: heard }];
    const { person } = await openHistory(chart);
    const emptyNote = await screen.findByText('Nothing was read in the part that is shown.');
    expect((chart.window()?.max ?? 0) - (chart.window()?.min ?? 0)).toBeCloseTo(0.2 * 7 * day, 0);
    await person.click(screen.getByRole('button', { name: 'Go to the first reading' }));
    await waitFor(() => expect(emptyNote).not.toBeInTheDocument());
    const { min = 0, max = 0 } = chart.window() ?? {};
    expect(max - min).toBeCloseTo(0.2 * 7 * day, 0);
    expect(heard).toBeGreaterThan(min);
    expect(heard).toBeLessThan(min + 0.05 * (max - min));
    expect(screen.getByRole('slider', { name: 'Time in the chart' })).toHaveFocus();
    expect(await screen.findByRole('row', { name: /^Air temperature/ })).toHaveTextContent('10.0');
  });

  it('is shown if the model cannot be fetched, which can be retried', async () => {
    server.answers.set(historyPaths.tsl, () => HttpResponse.json({ code: 500, data: null, msg: 'No model' }));
    const { person } = await openHistory();
    expect(await screen.findByText('The attributes could not be fetched')).toBeInTheDocument();
    server.answers.clear();
    await person.click(screen.getByRole('button', { name: 'Retry' }));
    expect(await screen.findByRole('checkbox', { name: /^Air temperature/ })).toBeChecked();
  });
});

describe('closing', () => {
  it('asks for confirmation and can be cancelled', async () => {
    const { person, onClose } = await openHistory(chart);
    await person.keyboard('{Escape}');
    await person.click((await question()).getByRole('button', { name: 'Cancel' }));
    expect(onClose).not.toHaveBeenCalled();
    await waitFor(() => expect(screen.queryByText("Are you sure it's off?")).toBeNull());
    await person.click(screen.getByRole('button', { name: 'Close' }));
    await person.click((await question()).getByRole('button', { name: 'Close the history' }));
    expect(onClose).toHaveBeenCalledOnce();
  });
});

it('shows chips on a phone, and a sheet to choose from', async () => {
  setWidth(390);
  const { person } = await openHistory(chart);
  await person.click(screen.getByRole('button', { name: 'Choose attributes, 4 of 6 chosen' }));
  await person.click(await screen.findByRole('checkbox', { name: /^Pump/ }));
  expect(await screen.findByRole('button', { name: 'Choose attributes, 5 of 6 chosen' })).toBeInTheDocument();
});
