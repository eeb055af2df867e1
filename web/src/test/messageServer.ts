import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect } from 'vitest';
import type { Message } from '@/lib/message/queries';
import { openConsole } from './console';
import { fakeStreams } from './fakeStreams';
import { message } from './samples';
import { ok, onGet, onPut } from './server';
import { signedIn } from './session';
import { shellServer } from './shellServer';

const path = '/admin-api/client/pc/notify-message';
export const paths = {
  page: `${path}/my-page`,
  unread: `${path}/get-unread-count`,
  read: `${path}/update-read`,
  readAll: `${path}/update-all-read`,
};

/** A signed-in user with messages, newest first. */
export function messageServer(messages: Message[] = [message(2), message(1)]) {
  signedIn();
  const frame = shellServer();
  const state = {
    frame,
    messages,
    /** Answers that replace the usual ones, by path. */
    answers: new Map<string, () => Response | Promise<Response>>(),
    asked: [] as { path: string; query: Record<string, string>; language: string | null }[],
    live: fakeStreams(),
  };
  const note = async (path: string, request: Request) => {
    const query = Object.fromEntries(new URL(request.url).searchParams);
    state.asked.push({ path, query, language: request.headers.get('Accept-Language') });
    return { query, own: await state.answers.get(path)?.() };
  };
  onGet(paths.page, async ({ request }) => {
    const { query, own } = await note(paths.page, request);
    const [no, size] = [Number(query.pageNo), Number(query.pageSize)];
    const list = state.messages.slice((no - 1) * size, no * size);
    return own ?? ok({ list, total: state.messages.length } as never);
  });
  onGet(paths.unread, async ({ request }) => {
    const { own } = await note(paths.unread, request);
    return own ?? ok(state.messages.filter(({ readStatus }) => !readStatus).length);
  });
  const read = (ids?: readonly number[]) => {
    state.messages = state.messages.map((message) =>
      ids?.includes(message.id) === false ? message : { ...message, readStatus: true },
    );
    return ok(true);
  };
  onPut(paths.read, async ({ request }) => {
    const { query, own } = await note(paths.read, request);
    return own ?? read((query.ids ?? '').split(',').map(Number));
  });
  onPut(paths.readAll, async ({ request }) => {
    const { own } = await note(paths.readAll, request);
    return own ?? read();
  });
  onGet('/admin-api/client/pc/live', ({ request }) =>
    state.live.open('', request.headers.get('Last-Event-ID') ?? '', request.signal),
  );
  return state;
}

export type MessageServer = ReturnType<typeof messageServer>;

export const askedOf = (server: MessageServer, path: string) =>
  server.asked.filter((request) => request.path === path).map(({ query }) => query);

/** Adds a message: the stream reports it, and the server has it. */
export function deliverMessage(server: MessageServer, one: Message): void {
  server.messages = [one, ...server.messages];
  const { id, noticeId, createTime, event, alarmLevel } = one;
  server.live
    .newest()
    ?.write(`event: message\ndata: ${JSON.stringify({ id, noticeId, createTime, event, alarmLevel })}\n\n`);
}

/** Opens the message page and waits until everything is loaded. */
export async function openMessages(server: MessageServer, address = '/message', title = 'Message') {
  const opened = await openConsole(address);
  await screen.findByRole('heading', { level: 1, name: title });
  // The stream's fresh start refetches everything once more.
  await waitFor(() => expect(askedOf(server, paths.unread).length).toBeGreaterThan(1));
  await waitFor(() => expect(opened.client.isFetching()).toBe(0));
  return { ...opened, user: userEvent.setup() };
}

export const list = (name = 'All messages') => within(screen.getByRole('main')).getByRole('list', { name });
const titleElements = () => [...list().querySelectorAll<HTMLElement>('[data-title]')];
/** The visible titles from top to bottom, including those of groups. */
export const titles = () => titleElements().map(({ textContent }) => textContent ?? '');
export const titleOf = (title: string) => {
  const found = titleElements().find(({ textContent }) => textContent === title);
  if (!found) throw new Error(`there is no message “${title}”`);
  return found;
};
export const row = (title: string) => titleOf(title).closest('li')?.firstElementChild as HTMLElement;
