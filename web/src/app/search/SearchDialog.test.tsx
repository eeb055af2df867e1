import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { HttpResponse } from 'msw';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { components } from '@/api/schema.gen';
import { foldForSearch } from '@/lib/text/foldForSearch';
import { openConsole } from '@/test/console';
import { ok, onGet } from '@/test/server';
import { signedIn } from '@/test/session';
import { shellServer } from '@/test/shellServer';

vi.mock('@/features/alarm/AlarmPage', () => import('@/test/PlainPage'));
vi.mock('@/features/device/DevicePage', async () => ({ DevicePage: (await import('@/test/PlainPage')).AlarmPage }));
vi.mock('@/features/analysis/AnalysisPage', async () => ({
  AnalysisPage: (await import('@/test/PlainPage')).AlarmPage,
}));
vi.mock('@/lib/live/useLive', () => ({
  useLive: () => undefined,
  useLiveStatus: () => ({ state: 'live', lastEventAt: null, storageStoppedAt: null }),
}));

const path = '/admin-api/client/pc/search';
const began = new Date(2026, 10, 26, 4, 10).getTime();
const devices = [
  { deviceName: 'SP-1', noteName: 'Orchard probe', groupName: 'North orchard', onlineState: 0 as const },
  { deviceName: 'WS-1', noteName: 'Orchard mast', groupName: '', onlineState: 1 as const },
];
const notice = {
  id: 41,
  ruleId: 4,
  title: 'Orchard frost',
  resolveStatus: 0 as const,
  alarmLevel: 2 as const,
  deviceName: 'WS-1',
  noteName: 'Orchard mast',
  startTime: began,
  createTime: began,
};
const everything: components['schemas']['SearchResult'] = {
  devices: { list: devices, total: 12 },
  scenes: { list: [{ id: 3, groupName: 'North orchard' }], total: 1 },
  rules: { list: [{ id: 4, alarmName: 'Orchard frost', alarmLevel: 2, deployState: 1 }], total: 1 },
  notices: { list: [notice], total: 1 },
};
const nothing: components['schemas']['SearchResult'] = {
  devices: { list: [], total: 0 },
  scenes: { list: [], total: 0 },
  rules: { list: [], total: 0 },
  notices: { list: [], total: 0 },
};

let asked: string[];
beforeEach(() => {
  asked = [];
  shellServer();
  signedIn();
  onGet(path, ({ request }) => {
    const text = new URL(request.url).searchParams.get('text') ?? '';
    asked.push(text);
    return ok(foldForSearch('Orchard').includes(foldForSearch(text)) ? everything : nothing);
  });
});

const button = () => screen.getByRole('button', { name: 'Search (Ctrl K)', hidden: true });

async function open() {
  const { router } = await openConsole('/alarm');
  const person = userEvent.setup();
  await person.keyboard('{Control>}k{/Control}');
  const dialog = within(await screen.findByRole('dialog', { name: 'Search' }));
  const field = await dialog.findByRole('combobox', { name: 'Search' });
  await waitFor(() => expect(field).toHaveFocus());
  const current = () => dialog.queryByRole('option', { selected: true })?.textContent;
  return { router, person, dialog, field, current };
}

describe('the search', () => {
  it('opens by keys and by its button, and lists the pages before anything is typed', async () => {
    const { person, dialog, current } = await open();
    const pages = within(dialog.getByRole('group', { name: 'Pages' })).getAllByRole('option');
    expect(pages.map(({ textContent }) => textContent).slice(0, 2)).toEqual(['Home page', 'Data center']);
    expect(pages).toHaveLength(14);
    expect(current()).toBe('Home page');
    await person.keyboard('{Escape}');
    await waitFor(() => expect(button()).toHaveAttribute('aria-expanded', 'false'));
    await person.click(button());
    expect(await screen.findByRole('combobox', { name: 'Search' })).toBeVisible();
    expect(asked).toEqual([]);
  });

  it('finds devices, scenes, rules and alarms, and tells those of one name apart', async () => {
    const { person, dialog, field } = await open();
    await person.type(field, 'ORCH');
    await dialog.findByRole('group', { name: 'Devices' });
    const lines = (group: string) =>
      within(dialog.getByRole('group', { name: group }))
        .getAllByRole('option')
        .map(({ textContent }) => textContent)
        .filter(Boolean);
    expect(lines('Devices')).toEqual([
      'Orchard probeSP-1 · North orchard · Offline',
      'Orchard mastWS-1 · Online',
      'Show all 12',
    ]);
    expect(lines('Scenes')).toEqual(['North orchard']);
    expect(lines('Alarm rules')).toEqual(['Orchard frostSerious · Running']);
    expect(lines('Alarms')[0]).toMatch(/^Orchard frostOrchard mast · .*04:10 · Pending$/);
    expect(dialog.queryByRole('group', { name: 'Pages' })).toBeNull();
    await waitFor(() => expect(dialog.getByRole('status')).toHaveTextContent('Found: 6'));
    // The server is asked when the typing pauses.
    expect(asked.at(-1)).toBe('ORCH');
  });

  it.each([
    [0, '/device', { device: 'SP-1' }],
    [2, '/device', { q: 'orch' }],
    [3, '/data', { scenes: '3' }],
    [4, '/alarm', { rule: 4 }],
    [5, '/inform', { id: 41 }],
  ])('leads by the arrow keys and Enter to line %i', async (line, to, search) => {
    const { person, dialog, field, router } = await open();
    await person.type(field, 'orch');
    await dialog.findByRole('group', { name: 'Devices' });
    await person.keyboard(`${'{ArrowDown}'.repeat(line)}{Enter}`);
    await waitFor(() => expect(router.state.location.pathname).toBe(to));
    await waitFor(() => expect(router.state.location.search).toMatchObject(search));
    expect(button()).toHaveAttribute('aria-expanded', 'false');
  });

  it.each([
    [0, { devices: 'SP-1' }],
    [5, { alarm: 41 }],
  ])('leads by the right arrow to the history of line %i', async (line, search) => {
    const { person, dialog, field, router } = await open();
    await person.type(field, 'orch');
    await dialog.findByRole('group', { name: 'Devices' });
    await person.keyboard(`${'{ArrowDown}'.repeat(line)}{ArrowRight}`);
    expect(dialog.getByRole('option', { selected: true })).toHaveAccessibleName(/^History of Orchard (probe|frost)$/);
    await person.keyboard('{ArrowLeft}');
    expect(dialog.getByRole('option', { selected: true })).not.toHaveAccessibleName(/^History/);
    await person.keyboard('{ArrowRight}{Enter}');
    await waitFor(() => expect(router.state.location.pathname).toBe('/analysis'));
    expect(router.state.location.search).toMatchObject(search);
  });

  it('goes around at both ends', async () => {
    const { person, current } = await open();
    await person.keyboard('{ArrowUp}');
    expect(current()).toBe('Activity');
    await person.keyboard('{ArrowDown}{ArrowDown}');
    expect(current()).toBe('Data center');
  });

  it('finds a part of the profile by its name', async () => {
    const { person, field, router, current } = await open();
    await person.type(field, 'webh');
    await waitFor(() => expect(current()).toMatch(/Webhooks$/));
    await person.keyboard('{Enter}');
    await waitFor(() => expect(router.state.location.search).toMatchObject({ tab: 'webhook' }));
  });

  it('says when nothing has the name', async () => {
    const { person, dialog, field } = await open();
    await person.type(field, 'zebra');
    expect(await dialog.findByText('Nothing is called “zebra”')).toBeVisible();
  });

  it('says when the server does not answer, and still finds pages', async () => {
    onGet(path, () => HttpResponse.error());
    const { person, dialog, field } = await open();
    await person.type(field, 'alarm');
    expect(await dialog.findByText('Cannot connect to the server')).toBeVisible();
    expect(within(dialog.getByRole('group', { name: 'Pages' })).getAllByRole('option')).toHaveLength(2);
    onGet(path, () => ok(everything));
    await person.click(dialog.getByRole('button', { name: 'Retry' }));
    expect(await dialog.findByRole('group', { name: 'Devices' })).toBeVisible();
  });
});
