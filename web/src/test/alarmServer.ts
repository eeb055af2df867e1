import { act, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect } from 'vitest';
import type { components } from '@/api/schema.gen';
import type { AlarmRule } from '@/lib/alarm/types';
import type { Channel, ChannelInput } from '@/lib/channel/queries';
import { createdChannel, pageOf } from './channelServer';
import { openConsole } from './console';
import { fakeStreams } from './fakeStreams';
import { rehearsal, rule } from './samples';
import { ok, onDelete, onGet, onPost, onPut } from './server';
import { signedIn } from './session';
import { shellServer } from './shellServer';
import { device } from './telemetryServer';
import { mastTimes, twoMasts } from './twoMasts';

type Schemas = components['schemas'];

const client = '/admin-api/client/pc';
export const paths = {
  page: `${client}/alarm-rules/page`,
  get: `${client}/alarm-rules/get`,
  create: `${client}/alarm-rules/create`,
  update: `${client}/alarm-rules/update`,
  publish: `${client}/alarm-rules/publish`,
  unpublish: `${client}/alarm-rules/unpublish`,
  delete: `${client}/alarm-rules/delete`,
  copy: `${client}/alarm-rules/copy`,
  mute: `${client}/alarm-rules/mute`,
  rehearse: `${client}/alarm-rules/rehearse`,
  outlook: `${client}/alarm-rules/get/outlook`,
  rehearsed: `${client}/alarm-rules/get/rehearsed`,
  attributes: `${client}/alarm-rules/get/attributes`,
  devices: `${client}/device/page`,
  channels: `${client}/notice-channel/page`,
  createChannel: `${client}/notice-channel/create`,
};

/** A tenant with two masts, alarm rules, a live stream and a signed-in user. */
export function alarmServer(rules: AlarmRule[] = [rule()]) {
  signedIn();
  shellServer();
  const base = twoMasts({
    otherDevices: Array.from({ length: 120 }, (_, i) =>
      device({ id: 100 + i, deviceName: `PR-${i}`, noteName: `Probe ${i}`, groupId: 0, ...mastTimes() }),
    ),
  });
  const state = {
    base,
    rules,
    channels: [] as Channel[],
    rehearsal: rehearsal(),
    outlooks: [] as Schemas['Outlook'][],
    /** How often each rule would have alarmed; undefined: it is on too many devices. */
    rehearsed: 0 as number | undefined,
    /** Devices of scenes and models that a rule names, and how many of them measure an attribute, by its sign. */
    others: { count: 0, lack: new Map<string, number>(), refused: new Set<string>() },
    /** The properties of the rules' device. */
    properties: [] as Schemas['DeviceProperty'][],
    /** Answers that replace the usual ones, by path. */
    answers: new Map<string, () => Response | Promise<Response>>(),
    asked: [] as { path: string; query: URLSearchParams }[],
    sent: [] as { path: string; body: unknown }[],
    live: fakeStreams(),
  };
  const query = (path: string, data: (query: URLSearchParams) => unknown) =>
    onGet(path, async ({ request }) => {
      const { searchParams } = new URL(request.url);
      state.asked.push({ path, query: searchParams });
      return (await state.answers.get(path)?.()) ?? ok(data(searchParams) as never);
    });
  const change = (on: typeof onPost, path: string, data: (body: never) => unknown) =>
    on(path, async ({ request }) => {
      const text = await request.text();
      const body = text === '' ? Object.fromEntries(new URL(request.url).searchParams) : JSON.parse(text);
      state.sent.push({ path, body });
      return (await state.answers.get(path)?.()) ?? ok(data(body as never) as never);
    });
  const put = (id: number, part: Partial<AlarmRule>) => {
    state.rules = state.rules.map((rule) => (rule.id === id ? { ...rule, ...part } : rule));
    return true;
  };

  query(paths.page, (search) => {
    const names = search.get('executionId')?.split(',');
    const text = (search.get('alarmName') ?? '').toLowerCase();
    const found = state.rules.filter(
      (rule) => rule.alarmName.toLowerCase().includes(text) && (names?.includes(rule.executionId) ?? true),
    );
    const [no, size] = [Number(search.get('pageNo')), Number(search.get('pageSize'))];
    const running = found.filter(({ deployState }) => deployState === 1).length;
    return { list: found.slice((no - 1) * size, no * size), total: found.length, running };
  });
  query(paths.get, (search) => state.rules.find(({ id }) => id === Number(search.get('id'))) ?? null);
  query(paths.outlook, (search) => {
    const ids = search.get('ids')?.split(',').map(Number);
    return state.outlooks.filter(({ id }) => ids?.includes(id));
  });
  query(paths.rehearsed, () => ({ startTime: 0, endTime: Date.now(), total: state.rehearsed }));
  query(paths.attributes, (search) => {
    const named = search.get('devices')?.split(',').filter(Boolean) ?? [];
    const all = named.length + (search.get('groups') || search.get('products') ? state.others.count : 0);
    const attributes = state.base.model.map((property) => ({
      property,
      deviceCount: all - (state.others.lack.get(property.identifier) ?? 0),
      refused: state.others.refused.has(property.identifier),
    }));
    return { deviceCount: all, named: named.length, attributes };
  });
  query(`${client}/group/page`, () => ({
    list: [{ id: 3, groupName: 'Ridge', groupStatus: 1, deviceCount: 2, onlineCount: 2, createTime: 0 }],
    total: 1,
  }));
  query(`${client}/product/get/simple-list`, () => [
    { id: 1, productName: 'Weather mast', deviceCount: 4 },
    { id: 2, productName: 'Field camera', deviceCount: 1 },
  ]);
  query(paths.publish, (search) => put(Number(search.get('alarmRulesId')), { deployState: 1 }));
  query(paths.unpublish, (search) =>
    put(Number(search.get('alarmRulesId')), { deployState: 2, deployTime: Date.now(), openNotice: undefined }),
  );
  query(`${client}/element/get-map/yeu-sign`, (search) => {
    const signs = search.get('yeuSigns')?.split(',') ?? [];
    const found = state.base.model.filter(({ identifier }) => signs.includes(identifier));
    return Object.fromEntries(
      found.map(({ identifier: yeuSign, yeuName, elementUnit: unit }) => [
        yeuSign,
        { yeuSign, yeuName, yeuUrl: '', unit },
      ]),
    );
  });
  query(`${client}/device/get/property`, () => state.properties);
  query(paths.channels, (search) => pageOf(state.channels, search));
  query(`${client}/notice-channel/get/ways`, () => ({ email: true, phoneMessage: true, language: 'tr-tr' }));
  change(onPost, paths.createChannel, (body: ChannelInput) => {
    const id = 1000 + state.channels.length;
    state.channels = [createdChannel(body, id), ...state.channels];
    return id;
  });
  change(onPost, paths.create, (body: Partial<AlarmRule>) => {
    const id = 900 + state.rules.length;
    state.rules = [rule({ ...body, id, deployState: 0 }), ...state.rules];
    return id;
  });
  change(onPut, paths.update, ({ id, ...body }: AlarmRule) => put(id, body));
  change(onPut, paths.mute, ({ id, until }: { id: number; until: number | null }) =>
    put(id, { muteUntil: until ?? undefined }),
  );
  change(onPost, paths.copy, ({ executionIds }: { executionIds: string[] }) => executionIds.map((_, i) => 500 + i));
  change(onPost, paths.rehearse, () => state.rehearsal);
  onPost(`${paths.rehearse}/devices`, async ({ request }) => {
    state.sent.push({ path: `${paths.rehearse}/devices`, body: await request.json() });
    return new Response(`${JSON.stringify({ devices: 0, total: 0 })}\n`, {
      headers: { 'content-type': 'application/x-ndjson' },
    });
  });
  change(onDelete, paths.delete, ({ id }: { id: string }) => {
    state.rules = state.rules.filter((rule) => rule.id !== Number(id));
    return true;
  });
  onGet(`${client}/live`, ({ request }) =>
    state.live.open('', request.headers.get('Last-Event-ID') ?? '', request.signal),
  );
  return state;
}

export type AlarmServer = ReturnType<typeof alarmServer>;

/** Opens the alarm page and waits until everything is loaded. */
export async function openAlarms(server: AlarmServer, address = '/alarm', title: string | RegExp = 'Alarm center') {
  const opened = await openConsole(address);
  await screen.findByRole('heading', { level: 1, name: title });
  await waitFor(() => expect(server.live.streams.length).toBeGreaterThan(0));
  await waitFor(() => expect(opened.client.isFetching()).toBe(0));
  return { ...opened, user: userEvent.setup() };
}

export const askedOf = (server: AlarmServer, path: string) =>
  server.asked.filter((call) => call.path === path).map(({ query }) => query);
export const sentTo = (server: AlarmServer, path: string) =>
  server.sent.filter((call) => call.path === path).map(({ body }) => body);
export const card = (name: string) => within(screen.getByRole('article', { name }));
export const cards = () =>
  screen.queryAllByRole('article').map((card) => within(card).getByRole('heading').textContent);

/** Sends an event on the live stream. */
export function streamEvent(server: AlarmServer, name: string, data: object) {
  act(() => server.live.newest()?.write(`event: ${name}\ndata: ${JSON.stringify(data)}\n\n`));
}

export const hour = 3_600_000;
export const three = () => [
  rule(),
  rule({
    id: 2,
    alarmName: 'Pump house gone',
    executionId: 'WS-2',
    noteName: 'Lower mast',
    triggerType: 1,
    conditions: [],
    alarmLevel: 1,
    deployState: 2,
    startTime: '06:00',
    endTime: '20:00',
  }),
  rule({ id: 3, alarmName: 'Never run', alarmLevel: 0, deployState: 0, deployTime: undefined, deployUser: undefined }),
];
