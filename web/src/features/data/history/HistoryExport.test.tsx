import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { HttpResponse } from 'msw';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { useFeedback } from '@/lib/feedback/feedback';
import { setTenantZone } from '@/lib/format/zone';
import { useLanguage } from '@/lib/i18n/i18n';
import { gate } from '@/test/gate';
import { fakeEngine, historyPaths, historyServer } from '@/test/historyServer';
import { renderWithProviders } from '@/test/renderWithProviders';
import { WithRouter } from '@/test/WithRouter';
import { HistoryDialog } from './HistoryDialog';

const engine = vi.hoisted(() => ({ current: null as ReturnType<typeof fakeEngine> | null }));
vi.mock('@/ui/chart/engine', () => ({ init: () => engine.current?.module.init() }));
const saved = vi.hoisted(() => vi.fn());
vi.mock('@/lib/http/download', async (original) => ({ ...(await original<object>()), saveFile: saved }));

const mast = { deviceName: 'WS-1', noteName: 'Orchard mast', productName: '', mainSign: 'airTemperature' };
const type = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';

let server: ReturnType<typeof historyServer>;
beforeEach(() => {
  server = historyServer();
  engine.current = fakeEngine();
  saved.mockReset();
});

afterEach(() => {
  setTenantZone(undefined);
  vi.unstubAllEnvs();
});

async function open() {
  const person = userEvent.setup();
  const drawn = renderWithProviders(
    <WithRouter>
      <HistoryDialog device={mast} open onClose={() => undefined} />
    </WithRouter>,
  );
  await screen.findByRole('checkbox', { name: /^Air temperature/ });
  return { person, ...drawn };
}

/** An export that has begun and continues until the test ends it. */
function slowFile() {
  const begun = gate();
  // The handler gets a copy of the request, whose signal works only while the original has not been
  // garbage-collected.
  const fetched = vi.spyOn(globalThis, 'fetch');
  let feed: ReadableStreamDefaultController<Uint8Array> | undefined;
  server.answers.set(historyPaths.file, () => {
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        feed = controller;
        controller.enqueue(new Uint8Array(1_250_000));
        begun.open();
      },
    });
    return new HttpResponse(body, { headers: { 'Content-Type': type } });
  });
  const signal = () => fetched.mock.calls.find(([url]) => String(url).includes(historyPaths.file))?.[1]?.signal;
  return { begun, stopped: () => signal()?.aborted, end: () => feed?.close() };
}

const exportButton = () => screen.getByRole('button', { name: 'Export spreadsheet' });
const toasts = () => useFeedback.getState().toasts.map(({ tone, title, text }) => ({ tone, title, text }));

describe('the spreadsheet', () => {
  it('covers the range and the shown attributes and keeps its name', async () => {
    const { person } = await open();
    await person.click(screen.getByRole('checkbox', { name: /^Rainfall/ }));
    await person.click(exportButton());
    await waitFor(() => expect(saved).toHaveBeenCalledOnce());
    const [file, name] = saved.mock.calls[0] as [Blob, string];
    expect(name).toBe('device_data.xlsx');
    expect(await file.text()).toBe('spreadsheet');
    const [query] = server.asked(historyPaths.file);
    expect(query?.get('deviceName')).toBe('WS-1');
    expect(query?.get('yeuSignList')).toBe('airTemperature,airHumidity,windDirection');
    expect(Number(query?.get('endTime')) - Number(query?.get('startTime'))).toBe(7 * 86_400_000);
    expect(toasts()).toMatchObject([{ tone: 'success', title: 'device_data.xlsx saved' }]);
  });

  it('is asked for in the user’s language, by the tenant’s clock', async () => {
    setTenantZone('Europe/Istanbul');
    vi.stubEnv('TZ', 'America/New_York');
    await useLanguage.getState().setLanguage('ru-ru');
    let headers: Headers | undefined;
    server.answers.set(historyPaths.file, (request) => {
      headers = request.headers;
      return new HttpResponse('spreadsheet', { headers: { 'Content-Type': type } });
    });
    const { person } = await open();
    await person.click(screen.getByRole('button', { name: 'Экспорт таблицы' }));
    await waitFor(() => expect(saved).toHaveBeenCalledOnce());
    expect(headers?.get('Accept-Language')).toBe('ru-ru');
    expect(headers?.get('Time-Zone')).toBe('Europe/Istanbul');
  });

  it('has a file for the compared device too, with the attributes that both have, like chart and table', async () => {
    const { person } = await open();
    await person.click(screen.getByRole('combobox', { name: 'Compare' }));
    await person.click(await screen.findByTitle('The WS-2'));
    await waitFor(() => expect(exportButton()).toBeEnabled());
    await person.click(exportButton());
    await waitFor(() => expect(saved).toHaveBeenCalledTimes(2));
    const asked = server.asked(historyPaths.file);
    expect(asked.map((query) => query.get('deviceName'))).toEqual(['WS-1', 'WS-2']);
    expect(asked.map((query) => query.get('yeuSignList'))).toEqual([
      'airTemperature,airHumidity,rainfall,windDirection',
      'airTemperature',
    ]);
    expect(asked[1]?.get('startTime')).toBe(asked[0]?.get('startTime'));
    expect(saved.mock.calls.map(([, name]) => name)).toEqual(['device_data.xlsx', 'device_data_WS-2.xlsx']);

    await person.click(screen.getByText('Table', { selector: '.ant-segmented-item-label' }));
    expect(await screen.findByRole('columnheader', { name: 'Air temperature · The WS-2' })).toBeInTheDocument();
    expect(screen.queryByRole('columnheader', { name: /humidity · / })).toBeNull();
    expect(server.asked(historyPaths.rows).map((query) => query.get('deviceName'))).toEqual(['WS-1', 'WS-2']);
  });

  it('has a file for the compared previous period', async () => {
    const { person } = await open();
    await person.click(screen.getByRole('combobox', { name: 'Compare' }));
    await person.click(await screen.findByTitle('The period before'));
    await person.click(exportButton());
    await waitFor(() => expect(saved).toHaveBeenCalledTimes(2));
    const [now, before] = server.asked(historyPaths.file);
    expect(before?.get('deviceName')).toBe('WS-1');
    expect(before?.get('endTime')).toBe(now?.get('startTime'));
    expect(saved.mock.calls.map(([, name]) => name)).toEqual(['device_data.xlsx', 'device_data_before.xlsx']);
  });

  it('shows its progress', async () => {
    const slow = slowFile();
    const { person } = await open();
    await person.click(exportButton());
    expect(await screen.findByText(/^1\.3.MB$/)).toBeInTheDocument();
    slow.end();
    await waitFor(() => expect(saved).toHaveBeenCalledOnce());
    expect(exportButton()).toBeEnabled();
  });

  it('is aborted by the user, with its request and without a message', async () => {
    const slow = slowFile();
    const { person } = await open();
    await person.click(exportButton());
    await slow.begun.passed;
    const stop = await screen.findByRole('button', { name: 'Stop the export' });
    expect(slow.stopped()).toBe(false);
    await person.click(stop);
    expect(slow.stopped()).toBe(true);
    expect(exportButton()).toBeEnabled();
    expect(saved).not.toHaveBeenCalled();
    expect(toasts()).toEqual([]);
  });

  it('is aborted when the dialog closes', async () => {
    const slow = slowFile();
    const { person, unmount } = await open();
    await person.click(exportButton());
    await slow.begun.passed;
    await screen.findByRole('button', { name: 'Stop the export' });
    expect(slow.stopped()).toBe(false);
    unmount();
    expect(slow.stopped()).toBe(true);
    expect(saved).not.toHaveBeenCalled();
  });

  it('shows a failure once, in the server’s words', async () => {
    server.answers.set(historyPaths.file, () => HttpResponse.json({ code: 601, data: null, msg: 'Too many exports' }));
    const { person } = await open();
    await person.click(exportButton());
    await waitFor(() =>
      expect(toasts()).toEqual([{ tone: 'warning', title: 'Could not export', text: 'Too many exports' }]),
    );
    expect(exportButton()).toBeEnabled();
    expect(saved).not.toHaveBeenCalled();
  });
});
