import { act, screen, waitFor } from '@testing-library/react';
import { expect, it } from 'vitest';
import { type AlarmServer, alarmServer, askedOf, card, cards, openAlarms, paths } from '@/test/alarmServer';
import { openConsole } from '@/test/console';
import { gate } from '@/test/gate';
import { channel, rule } from '@/test/samples';
import { refused } from '@/test/server';
import { refetchRules } from '../queries';

const elements = '/admin-api/client/pc/element/get-map/yeu-sign';
const properties = '/admin-api/client/pc/device/get/property';
const below = (tslAttribute: string) => ({ andor: 'and', tslAttribute, subconditions: '<', value: 2 }) as const;

/** Lets a call wait; its answer stays as it would have been. */
function hold(server: AlarmServer, path: string) {
  const { passed, open } = gate();
  server.answers.set(path, async () => {
    await passed;
    return undefined as never;
  });
  return open;
}

it.each([elements, paths.channels, paths.outlook, properties])('shows no rule before %s is answered', async (path) => {
  const server = alarmServer([
    rule({ passageway: [1] }),
    rule({ id: 2, alarmName: 'Door', conditions: [below('growerDoor')] }),
  ]);
  server.channels = [channel()];
  server.outlooks = [{ id: 1, fits: true, distance: 1.5, value: 3.5 }];
  server.properties = [
    { identifier: 'growerDoor', yeuName: 'Door gap', elementUnit: 'cm', dataType: 'number', accessMode: 'r' } as never,
  ];
  const open = hold(server, path);
  const { client } = await openConsole('/alarm');
  await waitFor(() => expect(server.asked.some((call) => call.path === path)).toBe(true));
  await waitFor(() => expect(client.isFetching()).toBe(1));
  expect(cards()).toEqual([]);
  expect(screen.queryByText(/airTemperature|growerDoor|1 channel/)).toBeNull();
  open();
  await waitFor(() => expect(cards()).toEqual(['Spring frost', 'Door']));
  expect(card('Spring frost').getByText('Night crew')).toBeVisible();
  expect(card('Spring frost').getByText(/^1.5 °C/)).toBeVisible();
  expect(card('Door').getByText('Door gap')).toBeVisible();
});

it('keeps the rules that are named while the name of a new one is looked up', async () => {
  const server = alarmServer([rule()]);
  const { client } = await openAlarms(server);
  server.rules = [rule(), rule({ id: 2, alarmName: 'Damp', conditions: [below('airHumidity')] })];
  const open = hold(server, elements);
  await act(() => refetchRules(client));
  await waitFor(() => expect(askedOf(server, elements)).toHaveLength(2));
  expect(cards()).toEqual(['Spring frost']);
  expect(screen.queryByText(/airHumidity/)).toBeNull();
  open();
  await waitFor(() => expect(cards()).toEqual(['Spring frost', 'Damp']));
});

it('does not hide the rules when their names cannot be fetched', async () => {
  const server = alarmServer([rule()]);
  server.answers.set(elements, () => refused(601, 'Too many calls at once'));
  await openConsole('/alarm');
  await waitFor(() => expect(cards()).toEqual(['Spring frost']));
});
