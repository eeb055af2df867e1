import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect } from 'vitest';
import type { components } from '@/api/schema.gen';
import type { Ack } from '@/lib/alarm/notices';
import { openConsole } from './console';
import { fakeStreams } from './fakeStreams';
import { type Detail, detailOf, mastModel, type Notice, notice } from './samples';
import { ok, onGet, onPut, refused } from './server';
import { signedIn } from './session';
import { shellServer } from './shellServer';
import { twoMasts } from './twoMasts';

type Schemas = components['schemas'];

const client = '/admin-api/client/pc';
export const paths = {
  page: `${client}/alarm-notice/page`,
  get: `${client}/alarm-notice/get`,
  advice: `${client}/alarm-notice/advice`,
  resolve: `${client}/alarm-notice/resolve`,
  acknowledge: `${client}/alarm-notice/acknowledge`,
  unacknowledge: `${client}/alarm-notice/unacknowledge`,
  properties: `${client}/device/get/property`,
  readings: `${client}/device/get/sign-data`,
  thinned: `${client}/device/get/format-map/time-interval-data`,
  presence: `${client}/device/get/presence`,
};

const minute = 60_000;

type Row = { collect_time: number; [sign: string]: unknown };

/** A row with some attributes only. */
function only({ collect_time, ...values }: Row, signs: readonly string[]): Row {
  return { collect_time, ...Object.fromEntries(Object.entries(values).filter(([sign]) => signs.includes(sign))) };
}

/** A tenant with two masts, notices, the readings around them, a live stream and a signed-in user. */
export function noticeServer(notices: Notice[] = [notice()]) {
  signedIn();
  shellServer();
  const now = Date.now();
  const base = twoMasts();
  const state = {
    base,
    notices,
    /** Details of notices that differ from the list. */
    details: new Map<number, Detail>(),
    properties: mastModel.map((property) =>
      property.identifier === 'airTemperature' ? { ...property, value: 1.2, time: now - 11_000 } : property,
    ) as Schemas['DeviceProperty'][],
    rows: Array.from({ length: 25 }, (_, i) => ({
      collect_time: now - (25 - i) * minute,
      airTemperature: Number((3 - i * 0.1).toFixed(1)),
    })) as Row[],
    presence: [] as Schemas['PresenceChange'][],
    advice: null as Schemas['AlarmAdvice'] | null,
    /** Answers that replace the usual ones, by path. */
    answers: new Map<string, () => Response | Promise<Response>>(),
    asked: [] as { path: string; query: URLSearchParams }[],
    sent: [] as unknown[],
    live: fakeStreams(),
  };
  const query = (path: string, data: (query: URLSearchParams) => Response | unknown) =>
    onGet(path, async ({ request }) => {
      const { searchParams } = new URL(request.url);
      state.asked.push({ path, query: searchParams });
      const own = await state.answers.get(path)?.();
      if (own) return own;
      const answer = data(searchParams);
      return answer instanceof Response ? answer : ok(answer as never);
    });
  query(paths.page, (search) => {
    const names = search.get('deviceNameStr')?.split(',');
    const text = (search.get('title') ?? '').toLowerCase();
    const [status, level] = [search.get('resolveStatus'), search.get('alarmLevel')];
    const found = state.notices.filter(
      (notice) =>
        notice.title.toLowerCase().includes(text) &&
        (names?.includes(notice.deviceName) ?? true) &&
        (status === null || notice.resolveStatus === Number(status)) &&
        (level === null || notice.alarmLevel === Number(level)),
    );
    const [no, size] = [Number(search.get('pageNo')), Number(search.get('pageSize'))];
    return { list: found.slice((no - 1) * size, no * size), total: found.length };
  });
  query(paths.get, (search) => {
    const id = Number(search.get('id'));
    const notice = state.notices.find((other) => other.id === id);
    return state.details.get(id) ?? (notice ? detailOf(notice) : refused(404, 'This resource does not exist'));
  });
  query(paths.advice, () => state.advice);
  query(paths.properties, () => state.properties);
  const isInRange = (search: URLSearchParams, time: number) =>
    time >= Number(search.get('startTime')) && time <= Number(search.get('endTime'));
  const signsOf = (search: URLSearchParams) => (search.get('yeuSignList') ?? '').split(',');
  query(paths.readings, (search) =>
    state.rows.filter((row) => isInRange(search, row.collect_time)).map((row) => only(row, signsOf(search))),
  );
  query(paths.thinned, (search) =>
    Object.fromEntries(
      signsOf(search).map((sign) => {
        const points = state.rows.flatMap(({ collect_time: time, [sign]: value }) =>
          value === undefined ? [] : { time, value },
        );
        return [sign, points.filter(({ time }) => isInRange(search, time))];
      }),
    ),
  );
  query(paths.presence, () => ({ list: state.presence, total: state.presence.length }));
  onPut(paths.resolve, async ({ request }) => {
    const body = (await request.json()) as { id: number; remark?: string };
    state.sent.push(body);
    const own = await state.answers.get(paths.resolve)?.();
    if (own) return own;
    state.notices = state.notices.map((notice) =>
      notice.id === body.id ? { ...notice, resolveStatus: 2, endTime: Date.now() } : notice,
    );
    const solved = state.notices.find(({ id }) => id === body.id);
    if (solved) {
      const about = { resolveReason: 'byHand' as const, resolveUser: 'Elif Kaya', remark: body.remark };
      state.details.set(body.id, detailOf(solved, { notice: about }));
    }
    return ok(true);
  });
  /** Sets the acknowledgement of a notice in the list and the detail; undefined: none. */
  const ackBy = (id: number, ack: Ack | undefined) => {
    state.notices = state.notices.map((notice) => (notice.id === id ? { ...notice, ack } : notice));
    const detail = state.details.get(id);
    if (detail) state.details.set(id, { ...detail, alarmNotice: { ...detail.alarmNotice, ack } });
  };
  onPut(paths.acknowledge, async ({ request }) => {
    const body = (await request.json()) as { id: number; note?: string; remindHours?: number };
    state.sent.push(body);
    const own = await state.answers.get(paths.acknowledge)?.();
    if (own) return own;
    const time = Date.now();
    const remindAt = time + (body.remindHours ?? 4) * 60 * minute;
    ackBy(body.id, { user: 'Elif Kaya', time, note: body.note ?? '', remindAt });
    return ok(true);
  });
  onPut(paths.unacknowledge, async ({ request }) => {
    const body = (await request.json()) as { id: number };
    state.sent.push(body);
    const own = await state.answers.get(paths.unacknowledge)?.();
    if (own) return own;
    ackBy(body.id, undefined);
    return ok(true);
  });
  onGet(`${client}/live`, ({ request }) =>
    state.live.open('', request.headers.get('Last-Event-ID') ?? '', request.signal),
  );
  return state;
}

export type NoticeServer = ReturnType<typeof noticeServer>;

/** Opens the notices page and waits until everything is loaded. */
export async function openNotices(server: NoticeServer, address = '/inform', title = 'Alarm inform') {
  const opened = await openConsole(address);
  await screen.findByRole('heading', { level: 1, name: title });
  // The stream's fresh start refetches the list once more.
  await waitFor(() => expect(askedOf(server, paths.page).length).toBeGreaterThan(1));
  await waitFor(() => expect(opened.client.isFetching()).toBe(0));
  return { ...opened, user: userEvent.setup() };
}

export const askedOf = (server: NoticeServer, path: string) =>
  server.asked.filter((call) => call.path === path).map(({ query }) => Object.fromEntries(query));
export const list = () => within(screen.getByRole('list', { name: 'Alarm notices' }));
export const titles = () =>
  list()
    .getAllByRole('link')
    .map((element) => element.querySelector('b')?.textContent);
export const noticeRegion = () => within(screen.getByRole('region', { name: 'Notice' }));
export const noticeRegionTitle = () => noticeRegion().getByRole('heading', { level: 2 }).textContent;
/** A part of the open notice, by its heading. */
export const noticePart = (name: string) =>
  within(noticeRegion().getByRole('heading', { level: 3, name }).parentElement as HTMLElement);

/** Opens a given notice. */
export async function openNotice(
  one = notice(),
  change: Parameters<typeof detailOf>[1] = {},
  before?: (server: NoticeServer) => void,
) {
  const server = noticeServer([one]);
  server.details.set(one.id, detailOf(one, change));
  before?.(server);
  return { server, one, ...(await openNotices(server)) };
}
