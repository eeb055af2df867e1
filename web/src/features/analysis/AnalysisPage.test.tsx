import { act, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it } from 'vitest';
import { analysisServer, askedOf, chips, day, drawnLines, openAnalysis, paths, slider } from '@/test/analysisServer';
import { openConsole } from '@/test/console';
import { gate } from '@/test/gate';
import { ok, refused } from '@/test/server';

/** The note on the page of that title; the same failure has a message in addition. */
async function failure(title: string): Promise<HTMLElement> {
  const note = (await screen.findByText(title)).closest<HTMLElement>('[role=alert]');
  if (!note) throw new Error('the failure is not announced');
  return note;
}

it('draws the lines that the address names, by device and attribute', async () => {
  const server = analysisServer();
  const { search } = await openAnalysis('?devices=WS-2,WS-1&signs=airTemperature,airHumidity');
  await slider();
  expect(chips()).toEqual(['Lower mast', 'Orchard mast']);
  expect(drawnLines().toSorted()).toEqual([
    'WS-1 airHumidity',
    'WS-1 airTemperature',
    'WS-2 airHumidity',
    'WS-2 airTemperature',
  ]);
  const asked = askedOf(server, paths.lines).filter(({ yeuSignList }) => yeuSignList?.includes('airTemperature'));
  expect(asked.map(({ deviceName, yeuSignList, resolution }) => ({ deviceName, yeuSignList, resolution }))).toEqual([
    { deviceName: 'WS-2', yeuSignList: 'airTemperature,airHumidity,rainfall', resolution: 'auto' },
    { deviceName: 'WS-1', yeuSignList: 'airTemperature,airHumidity', resolution: 'auto' },
  ]);
  for (const { startTime, endTime } of asked) expect(Number(endTime) - Number(startTime)).toBe(30 * day);
  expect(search()).toEqual({ devices: 'WS-2,WS-1', signs: 'airTemperature,airHumidity' });
});

it('chooses the attribute that lists show if the address has none', async () => {
  analysisServer();
  await openAnalysis('?devices=WS-1');
  await slider();
  expect(drawnLines()).toEqual(['WS-1 airTemperature']);
});

it('chooses the first quantity of a device that lists show nothing of', async () => {
  const server = analysisServer();
  server.models['WS-1'] = server.models['WS-1']?.filter(({ identifier }) => identifier !== 'airTemperature') ?? [];
  await openAnalysis('?devices=WS-1');
  await slider();
  expect(drawnLines()).toEqual(['WS-1 airHumidity']);
});

it('says which device is gone, and draws the others', async () => {
  analysisServer();
  await openAnalysis('?devices=WS-9,WS-1');
  expect(
    await screen.findByText('Not found: WS-9. The device is gone, or belongs to another farm.'),
  ).toBeInTheDocument();
  await slider();
  expect(drawnLines()).toEqual(['WS-1 airTemperature']);
});

it('begins with an invitation, and saves no empty view', async () => {
  const server = analysisServer();
  const { user } = await openAnalysis('');
  expect(screen.getByText('Choose devices to compare')).toBeInTheDocument();
  expect(screen.queryByLabelText('Range')).toBeNull();
  expect(askedOf(server, paths.lines)).toEqual([]);
  await user.click(screen.getByRole('button', { name: 'Views' }));
  expect(screen.getByRole('button', { name: 'Save this view…' })).toBeDisabled();
});

it('says that no attribute is chosen, that there is none, and that there are no readings', async () => {
  const server = analysisServer();
  const first = await openAnalysis('?devices=WS-1&signs=unknown');
  expect(await screen.findByText('Choose an attribute')).toBeInTheDocument();
  first.unmount();
  server.silent = () => true;
  const second = await openAnalysis('?devices=WS-1');
  expect(await screen.findByText('No readings in this range')).toBeInTheDocument();
  second.unmount();
  server.models['WS-1'] = [];
  await openAnalysis('?devices=WS-1');
  expect(await screen.findByText('These devices measure nothing that can be drawn')).toBeInTheDocument();
});

it('shows that it waits, and why there is nothing, and tries again', async () => {
  const server = analysisServer();
  const { passed, open } = gate();
  server.answers.set(paths.lines, async () => {
    await passed;
    return refused(601, 'Too many calls at once');
  });
  const { client } = await openConsole('/analysis?devices=WS-1');
  await waitFor(() => expect(askedOf(server, paths.lines).length).toBeGreaterThan(0));
  expect(screen.getByText('Loading the readings')).toBeInTheDocument();
  expect(screen.queryByText('No readings in this range')).toBeNull();
  open();
  const alert = await failure('The readings could not be fetched');
  expect(alert).toHaveTextContent('Too many calls at once');
  expect(drawnLines()).toEqual([]);
  server.answers.clear();
  await userEvent.click(within(alert).getByRole('button', { name: 'Retry' }));
  await slider();
  await waitFor(() => expect(client.isFetching()).toBe(0));
  expect(screen.queryByText('The readings could not be fetched')).toBeNull();
});

it('keeps what is drawn when newer readings fail', async () => {
  const server = analysisServer();
  const { user } = await openAnalysis('?devices=WS-1');
  await slider();
  server.answers.set(paths.lines, () => refused(601, 'Too many calls at once'));
  await user.selectOptions(screen.getByLabelText('Range'), '7 days');
  await failure('Newer readings could not be fetched; those shown are older');
  expect(drawnLines()).toEqual(['WS-1 airTemperature']);
});

it('adds and removes devices by the address', async () => {
  analysisServer();
  const { user, search, router } = await openAnalysis('?devices=WS-1');
  await user.click(screen.getByRole('button', { name: 'Add devices' }));
  const dialog = await screen.findByRole('dialog', { name: 'Choose devices' });
  await user.click(await within(dialog).findByRole('treeitem', { name: /Lower mast/ }));
  await waitFor(() => expect(search()).toEqual({ devices: 'WS-1,WS-2' }));
  await user.click(within(dialog).getByRole('button', { name: 'Done' }));
  await waitFor(() => expect(drawnLines()).toEqual(['WS-1 airTemperature', 'WS-2 airTemperature']));
  await user.click(screen.getByRole('button', { name: 'Remove Orchard mast' }));
  await waitFor(() => expect(search()).toEqual({ devices: 'WS-2' }));
  await waitFor(() => expect(drawnLines()).toEqual(['WS-2 airTemperature']));
  router.history.back();
  await waitFor(() => expect(chips()).toEqual(['Orchard mast', 'Lower mast']));
});

it('opens a saved view', async () => {
  const server = analysisServer();
  server.views.views = [{ id: 1, name: 'Humidity', query: 'devices=WS-2&signs=airHumidity&range=week' }];
  const { user, search } = await openAnalysis('?devices=WS-1');
  await user.click(screen.getByRole('button', { name: 'Views' }));
  await user.click(await screen.findByRole('button', { name: 'Humidity' }));
  await waitFor(() => expect(search()).toEqual({ devices: 'WS-2', signs: 'airHumidity', range: 'week' }));
  await waitFor(() => expect(drawnLines()).toEqual(['WS-2 airHumidity']));
});

it('draws nothing of other devices while a device that is gone is looked up', async () => {
  const server = analysisServer();
  const { router } = await openAnalysis('?devices=WS-1');
  await slider();
  const { passed, open } = gate();
  server.answers.set(paths.devices, async () => {
    await passed;
    return ok({ list: [], total: 0 });
  });
  await act(() => router.navigate({ to: '/analysis', search: { devices: 'WS-7' } }));
  expect(screen.queryByText('No readings in this range')).toBeNull();
  open();
  await screen.findByText(/Not found: WS-7/);
  expect(drawnLines()).toEqual([]);
  expect(screen.queryByText('No readings in this range')).toBeNull();
});

it('asks once for a range that is chosen, and not again on the way back', async () => {
  const server = analysisServer();
  const { user, router, search } = await openAnalysis('?devices=WS-1&hide=rain');
  const place = await slider();
  const end = Number(place.getAttribute('aria-valuemax'));
  expect(askedOf(server, paths.lines)).toHaveLength(1);
  await user.selectOptions(screen.getByLabelText('Range'), '7 days');
  await waitFor(() => expect(askedOf(server, paths.lines)).toHaveLength(2));
  await waitFor(() => expect(Number(place.getAttribute('aria-valuemin'))).toBe(end - 7 * day));
  router.history.back();
  await waitFor(() => expect(search()).toEqual({ devices: 'WS-1', hide: 'rain' }));
  await waitFor(() => expect(Number(place.getAttribute('aria-valuemin'))).toBe(end - 30 * day));
  expect(askedOf(server, paths.lines)).toHaveLength(2);
  await user.click(screen.getByRole('button', { name: 'Up to now' }));
  await waitFor(() => expect(askedOf(server, paths.lines)).toHaveLength(3));
  expect(Number(askedOf(server, paths.lines).at(-1)?.endTime)).toBeGreaterThan(end);
});

it.each([
  ['devices that do not exist', '?devices=WS-9', /^Not found: WS-9/],
  ['no attribute', '?devices=WS-1&signs=nothing', /^Choose an attribute/],
  ['no attribute, of all there is', '?devices=WS-1&signs=nothing&range=all', /^Choose an attribute/],
  ['a switch over longer than its strips', '?devices=WS-1&signs=heating&range=all&hide=rain', /switches of up to 400/],
])('shows no range of %s', async (_, address, says) => {
  analysisServer();
  await openAnalysis(address);
  expect(await screen.findByText(says)).toBeInTheDocument();
  expect(screen.queryByText(/1970/)).toBeNull();
  for (const box of screen.queryAllByRole('textbox')) expect(box).not.toHaveDisplayValue(/1970/);
});
