import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect } from 'vitest';
import type { Entry } from '@/features/activity/queries';
import { openConsole } from './console';
import { elif, provider } from './samples';
import { ok, onGet } from './server';
import { signedIn } from './session';
import { shellServer } from './shellServer';

export const activityPath = '/admin-api/client/pc/audit/page';

/** A tenant with activity entries and a signed-in user. */
export function activityServer(entries: Entry[]) {
  signedIn();
  shellServer();
  const state = {
    entries,
    people: [elif, provider],
    /** Replaces the list's answer. */
    answer: undefined as (() => Response | Promise<Response>) | undefined,
    asked: [] as Record<string, string>[],
  };
  onGet('/admin-api/client/pc/live', () => new Response('', { status: 503 }));
  onGet('/admin-api/client/pc/element/get-map/yeu-sign', () =>
    ok({ airTemperature: { yeuSign: 'airTemperature', yeuName: 'Air temperature', yeuUrl: '', unit: '°C' } }),
  );
  onGet(activityPath, async ({ request }) => {
    const query = Object.fromEntries(new URL(request.url).searchParams);
    state.asked.push(query);
    if (state.answer) return state.answer();
    const found = state.entries.filter(
      (entry) => (!query.who || entry.who === query.who) && (!query.kind || entry.kind === query.kind),
    );
    const [no, size] = [Number(query.pageNo), Number(query.pageSize)];
    return ok({ list: found.slice((no - 1) * size, no * size), total: found.length, people: state.people });
  });
  return state;
}

export async function openActivity(address = '/profile/activity', title = 'Activity') {
  const opened = await openConsole(address);
  await screen.findByRole('heading', { level: 1, name: title });
  await waitFor(() => expect(opened.client.isFetching()).toBe(0));
  return { ...opened, user: userEvent.setup() };
}

/** The entries of the list, in order. */
export const rows = () => [...document.querySelectorAll<HTMLElement>('[data-entry]')];
