import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect } from 'vitest';
import type { AvailableKinds, Channel, ChannelInput, TestOutcome } from '@/lib/channel/queries';
import { openConsole } from './console';
import { channel } from './samples';
import { ok, onDelete, onGet, onPost, onPut, refused } from './server';
import { signedIn } from './session';
import { shellServer } from './shellServer';

const client = '/admin-api/client/pc/notice-channel';
export const paths = {
  page: `${client}/page`,
  get: `${client}/get`,
  ways: `${client}/get/ways`,
  create: `${client}/create`,
  update: `${client}/update`,
  remove: `${client}/delete`,
  test: `${client}/test`,
};

/** Answers a list of channels as the server does; searches for `text` in names. */
export function pageOf(channels: readonly Channel[], search: URLSearchParams) {
  const text = (search.get('noticeName') ?? '').toLowerCase();
  const mode = search.get('noticeMode');
  const found = channels.filter(
    ({ noticeName, noticeMode }) =>
      noticeName.toLowerCase().includes(text) && (mode === null || noticeMode.some((one) => one === mode)),
  );
  const [no, size] = [Number(search.get('pageNo')), Number(search.get('pageSize'))];
  return { list: found.slice((no - 1) * size, no * size), total: found.length };
}

/** A channel as the server creates it from a form's request. */
export const createdChannel = ({ email, phoneMessage, language, ...rest }: ChannelInput, id: number) =>
  channel({
    ...rest,
    id,
    email: { emails: email?.emails ?? [] },
    phoneMessage: phoneMessage ?? [],
    language: (language ?? undefined) as Channel['language'],
  } as Partial<Channel>);

/** A tenant with notification channels and a signed-in user. */
export function channelServer(channels: Channel[] = [channel()]) {
  signedIn();
  shellServer();
  const state = {
    channels,
    ways: { email: true, phoneMessage: true, language: 'tr-tr' } as AvailableKinds,
    outcomes: [] as TestOutcome[],
    /** Answers that replace the usual ones, by path. */
    answers: new Map<string, () => Response | Promise<Response>>(),
    asked: [] as { path: string; query: Record<string, string> }[],
    sent: [] as { path: string; body: unknown }[],
  };
  const own = async (path: string) => state.answers.get(path)?.();
  const query = (on: typeof onGet, path: string, data: (search: URLSearchParams) => unknown) =>
    on(path, async ({ request }) => {
      const { searchParams } = new URL(request.url);
      state.asked.push({ path, query: Object.fromEntries(searchParams) });
      return (await own(path)) ?? ok(data(searchParams) as never);
    });
  const change = (on: typeof onPost, path: string, data: (body: never) => unknown) =>
    on(path, async ({ request }) => {
      const body = await request.json();
      state.sent.push({ path, body });
      return (await own(path)) ?? ok(data(body as never) as never);
    });
  onGet('/admin-api/client/pc/live', () => new Response('', { status: 503 }));
  query(onGet, paths.page, (search) => pageOf(state.channels, search));
  onGet(paths.get, async ({ request }) => {
    const override = await own(paths.get);
    if (override) return override;
    const id = Number(new URL(request.url).searchParams.get('id'));
    const found = state.channels.find((one) => one.id === id);
    return found ? ok(found) : refused(404, 'This resource does not exist');
  });
  query(onGet, paths.ways, () => state.ways);
  change(onPost, paths.create, (body: ChannelInput) => {
    const id = 100 + state.channels.length;
    state.channels = [createdChannel(body, id), ...state.channels];
    return id;
  });
  change(onPut, paths.update, ({ id, ...body }: ChannelInput & { id: number }) => {
    state.channels = state.channels.map((one) =>
      one.id === id ? { ...createdChannel(body, id), ruleCount: one.ruleCount } : one,
    );
    return true;
  });
  query(onDelete, paths.remove, (search) => {
    state.channels = state.channels.filter(({ id }) => id !== Number(search.get('id')));
    return true;
  });
  query(onPost, paths.test, () => state.outcomes);
  return state;
}

export type ChannelServer = ReturnType<typeof channelServer>;

/** Opens the channel page and waits until everything is loaded. */
export async function openChannels(_: ChannelServer, address = '/notification', title = 'Notification channel') {
  const opened = await openConsole(address);
  await screen.findByRole('heading', { level: 1, name: title });
  await waitFor(() => expect(opened.client.isFetching()).toBe(0));
  return { ...opened, user: userEvent.setup() };
}

export const askedOf = (server: ChannelServer, path: string) =>
  server.asked.filter((call) => call.path === path).map(({ query }) => query);
export const sentTo = (server: ChannelServer, path: string) =>
  server.sent.filter((call) => call.path === path).map(({ body }) => body);
export const rowOf = (name: string) => within(screen.getByRole('row', { name: new RegExp(`^${name}`) }));
export const names = () =>
  screen.getAllByRole('row').flatMap((row) => within(row).queryByRole('rowheader')?.textContent ?? []);
