import { act, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useState } from 'react';
import { beforeEach, describe, expect, it } from 'vitest';
import { noTargets } from '@/lib/alarm/targets';
import type { RehearsedAll, RehearsedDevice } from '@/lib/alarm/types';
import { alarmServer, paths } from '@/test/alarmServer';
import { fakeStreams } from '@/test/fakeStreams';
import { setWidth } from '@/test/mediaQueries';
import { renderWithProviders } from '@/test/renderWithProviders';
import { channel, mastModel, rule } from '@/test/samples';
import { ok, onGet, onPost, refused } from '@/test/server';
import { checkRule } from '../form/rules';
import type { RuleFormState } from '../form/useRuleForm';
import { type RuleValues, valuesOf } from '../form/values';
import { Rehearsal } from './Rehearsal';
import { RehearsedDevices } from './RehearsedDevices';

const path = `${paths.rehearse}/devices`;
const properties = new Map(mastModel.map((property) => [property.identifier, property] as const));
let streams: ReturnType<typeof fakeStreams>;
let asked: unknown[];
/** The form's values, and a function that changes them. */
let formState: { values: RuleValues; change: (part: Partial<RuleValues>) => void };

beforeEach(() => {
  const server = alarmServer();
  server.channels = [channel({ id: 1 })];
  onGet('/admin-api/client/pc/notice-channel/get/ways', () =>
    ok({ email: true, phoneMessage: true, language: 'en-us' }),
  );
  streams = fakeStreams();
  asked = [];
  onPost(path, async ({ request }) => {
    asked.push(await request.clone().json());
    return streams.open('', '', request.signal);
  });
});

function Form({ first }: { first: RuleValues }) {
  const [values, setValues] = useState<RuleValues>(first);
  const change = (part: Partial<RuleValues>) => setValues((now) => ({ ...now, ...part }));
  formState = { values, change };
  const form = { values, properties, findings: checkRule(values, properties), change } as unknown as RuleFormState;
  return (
    <>
      <Rehearsal form={form} />
      <RehearsedDevices form={form} />
    </>
  );
}

async function open(change: Partial<RuleValues> = {}) {
  const values = {
    ...valuesOf(rule({ passageway: [1] }), 'en-us'),
    targets: { ...noTargets, devices: ['A', 'B', 'C'] },
    ...change,
  };
  const drawn = renderWithProviders(<Form first={values} />);
  await waitFor(() => expect(streams.streams.length).toBe(1));
  return { ...drawn, user: userEvent.setup() };
}

const line = (deviceName: string, total: number, more: Partial<RehearsedDevice> = {}): RehearsedDevice => ({
  deviceName,
  noteName: '',
  of: 3,
  samples: 43_200,
  total,
  told: 0,
  nights: 0,
  longest: total * 60_000,
  fits: true,
  ...(total > 0 ? { lastTime: Date.now() - 3_600_000 } : {}),
  ...more,
});
const writeLines = (...said: (RehearsedDevice | RehearsedAll)[]) =>
  act(() => streams.newest()?.write(said.map((line) => `${JSON.stringify(line)}\n`).join('')));
const endLines = () => act(() => streams.newest()?.end());
const rehearsal = () => within(screen.getByRole('region', { name: 'Rehearsal, last 30 days' }));
const devices = () => within(screen.getByRole('region', { name: 'On each device' }));
const names = () =>
  devices()
    .getAllByRole('row')
    .slice(1)
    .map((row) => within(row).getByRole('rowheader').textContent);
const statusText = () => screen.getByRole('status').textContent;

describe('the rehearsal of several devices', () => {
  it('grows line by line, the worst first, and ends with the totals', async () => {
    await open();
    expect(rehearsal().getByText('Trying the rule on the readings of 30 days')).toBeInTheDocument();
    expect(asked).toMatchObject([{ triggerType: 0, hitCounts: 3, targets: { devices: ['A', 'B', 'C'] } }]);
    writeLines(line('A', 2, { noteName: 'Orchard mast', told: 1, nights: 2 }));
    expect(await rehearsal().findByText('This rule would have alarmed 2 times')).toBeInTheDocument();
    expect(rehearsal().getByRole('progressbar')).toHaveAttribute('aria-valuetext', '1 of 3');
    expect(rehearsal().getByText('1 of 3')).toBeInTheDocument();
    writeLines(line('C', 0), line('B', 19));
    expect(await rehearsal().findByText('Trying changes of the rule')).toBeInTheDocument();
    await waitFor(() => expect(names()).toEqual(['B', 'Orchard mast', 'C']));
    expect(statusText()).toBe('');
    const advice = {
      kind: 'recovery',
      condition: 0,
      tslAttribute: 'airTemperature',
      recovery: 2.5,
      notices: 4,
      keepsLonger: 60_000,
      kept: 0,
      dropped: 12,
    } as const;
    writeLines({ devices: 3, total: 21, advice: [{ ...advice, without: 21 }] });
    endLines();
    await waitFor(() => expect(statusText()).toBe('This rule would have alarmed 21 times On 2 of 3 devices.'));
    const sums = 'On 2 of 3 devices. 1 of 21 inside the notification period. 2 at night.';
    expect(rehearsal().getByText(sums)).toBeVisible();
    expect(rehearsal().queryByRole('progressbar')).toBeNull();
    const heads = devices().getAllByRole('columnheader');
    expect(heads.map((head) => head.textContent)).toEqual(['Device', 'Alarms', 'Told', 'At night', 'Longest', 'Last']);
    const cells = within(devices().getAllByRole('row')[2] as HTMLElement).getAllByRole('cell');
    expect(cells.map((cell) => cell.textContent?.replaceAll('\u00a0', ' '))).toEqual([
      '2',
      '1',
      '2',
      '2 min',
      expect.stringMatching(/^[A-Z][a-z]+ \d+, \d\d:\d\d$/),
    ]);

    expect(rehearsal().getByText('Drops 12 that lasted 1 min or less.')).toBeInTheDocument();
    await userEvent.click(rehearsal().getByText('Use this'));
    expect(formState.values.conditions[0]?.recovery).toBe('2.5');
    await waitFor(() => expect(asked).toHaveLength(2));
    expect(asked[1]).toMatchObject({ conditions: [{ recovery: 2.5 }] });
  });

  it('moves nothing under the pointer or while the focus is inside', async () => {
    const { user } = await open();
    writeLines(line('B', 5), line('A', 3));
    await waitFor(() => expect(names()).toEqual(['B', 'A']));
    await user.hover(devices().getByText('A'));
    writeLines(line('C', 90));
    await waitFor(() => expect(names()).toEqual(['B', 'A', 'C']));
    await user.unhover(devices().getByText('A'));
    await waitFor(() => expect(names()).toEqual(['C', 'B', 'A']));
  });

  it('says that it was cut off, keeps the lines so far, and can be restarted', async () => {
    const { user } = await open();
    writeLines(line('A', 3));
    await waitFor(() => expect(names()).toEqual(['A']));
    endLines(); // Without the last line.
    const note = await rehearsal().findByRole('alert');
    expect(note).toHaveTextContent('The rehearsal was cut off');
    expect(note).toHaveTextContent('1 of 3 devices are known so far.');
    expect(names()).toEqual(['A']);
    expect(statusText()).toBe('');
    await user.click(within(note).getByText('Retry'));
    await waitFor(() => expect(streams.streams.length).toBe(2));
    writeLines(line('A', 0), line('B', 0), line('C', 0), { devices: 3, total: 0 });
    endLines();
    await waitFor(() => expect(screen.queryByRole('alert')).toBeNull());
    expect(await screen.findByRole('heading', { name: 'This rule would never have alarmed' })).toBeInTheDocument();
    expect(devices().queryByRole('table')).toBeNull();
  });

  it('shows why it was refused', async () => {
    streams.answers.push(refused(500, 'The disk is full'));
    renderWithProviders(<Form first={{ ...valuesOf(rule(), 'en-us'), targets: { ...noTargets, groups: [7] } }} />);
    const note = await screen.findByRole('alert');
    expect(note).toHaveTextContent('The rehearsal could not be made');
    expect(note).toHaveTextContent('The disk is full');
    expect(screen.queryByRole('region', { name: 'On each device' })).toBeNull();
  });

  it('is aborted when the form closes and when its values change', async () => {
    const { unmount } = await open();
    writeLines(line('A', 3));
    await waitFor(() => expect(names()).toEqual(['A']));
    act(() => formState.change({ hitCounts: 4 }));
    await waitFor(() => expect(streams.streams.length).toBe(2));
    expect(streams.streams[0]?.signal.aborted).toBe(true);
    // The previous lines stay until there are new ones.
    expect(names()).toEqual(['A']);
    writeLines(line('B', 1));
    await waitFor(() => expect(names()).toEqual(['B']));
    unmount();
    await waitFor(() => expect(streams.streams[1]?.signal.aborted).toBe(true));
  });

  it('says why a device has no figures', async () => {
    await open({ channels: [] });
    writeLines(line('A', 0, { samples: 0 }), line('B', 0, { fits: false }), line('C', 1), { devices: 3, total: 1 });
    endLines();
    await waitFor(() => expect(names()).toEqual(['C', 'Ano readings', 'Bsends too seldom for this window']));
    // A rule without a channel notifies nobody.
    expect(devices().queryByText('Told')).toBeNull();
    await waitFor(() => expect(statusText()).toBe('This rule would have alarmed 1 time On 1 of 3 devices.'));
  });

  it('says that there are no readings', async () => {
    await open();
    writeLines(...['A', 'B', 'C'].map((name) => line(name, 0, { samples: 0 })), { devices: 3, total: 0 });
    endLines();
    const words = 'None of the devices has readings of these attributes in the last 30 days';
    expect(await rehearsal().findByText(words, { selector: 'p' })).toBeInTheDocument();
  });

  it('shows the worst of many devices, and more on demand', async () => {
    const { user } = await open();
    writeLines(...Array.from({ length: 70 }, (_, i) => line(`PR-${i}`, i, { of: 70 })), { devices: 70, total: 2415 });
    endLines();
    await waitFor(() => expect(names()).toHaveLength(10));
    expect(names()[0]).toBe('PR-69');
    await user.click(devices().getByText('60 more devices'));
    expect(names()).toHaveLength(60);
    await user.click(devices().getByText('10 more devices'));
    expect(names()).toHaveLength(70);
    expect(devices().queryByText(/more device/)).toBeNull();
  });

  it('shows cards on a phone, with a link that leads to them', async () => {
    setWidth(390);
    const { user } = await open();
    writeLines(line('A', 2, { noteName: 'Orchard mast', told: 1, nights: 2 }), line('B', 0), line('C', 1), {
      devices: 3,
      total: 3,
    });
    endLines();
    await waitFor(() => expect(devices().getAllByRole('listitem')).toHaveLength(3));
    const [first, , last] = devices().getAllByRole('listitem') as HTMLElement[];
    expect(first?.textContent?.replaceAll('\u00a0', ' ')).toMatch(
      /^Orchard mast2 alarmsTold1At night2Longest2 minLast[A-Z][a-z]+ \d+, \d\d:\d\d$/,
    );
    expect(last?.textContent).toBe('Bno alarms');
    await user.click(rehearsal().getByText('See each device'));
    expect(devices().getByRole('heading', { name: 'On each device' })).toHaveFocus();
  });
});

it('rehearses a rule of a single device in the usual way', async () => {
  renderWithProviders(<Form first={{ ...valuesOf(rule(), 'en-us'), targets: { ...noTargets, devices: ['WS-1'] } }} />);
  expect(await screen.findByText('This rule would have alarmed 2 times')).toBeInTheDocument();
  expect(asked).toEqual([]);
  expect(screen.queryByRole('region', { name: 'On each device' })).toBeNull();
});
