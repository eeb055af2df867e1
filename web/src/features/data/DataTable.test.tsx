import { screen, waitFor, within } from '@testing-library/react';
import { beforeEach, describe, expect, it } from 'vitest';
import { usePreferences } from '@/lib/storage/preferences';
import { dataCentreServer, devicePath, mast, offlineMast, openDataCentre } from '@/test/dataCentreServer';
import { ok, onGet } from '@/test/server';
import { group, weather } from '@/test/telemetryServer';

beforeEach(() => {
  window.history.replaceState(null, '', '/');
});

const lines: URLSearchParams[] = [];

async function openTable(address = '/data?view=table') {
  lines.length = 0;
  const cold = { ...offlineMast, lastData: [weather(-7.5, Date.now() - 3 * 3_600_000)] };
  const centre = dataCentreServer([group({ id: 0, groupName: '' }), group({ deviceList: [mast, cold] })]);
  onGet(`${devicePath}/get/day-lines`, ({ request }) => {
    lines.push(new URL(request.url).searchParams);
    const hours = Array.from({ length: 25 }, (_, i) => (i < 20 ? i / 10 : null));
    return ok({ from: Date.now() - 24 * 3_600_000, lines: { 'WS-1': { airTemperature: hours } } });
  });
  const opened = await openDataCentre(centre, address);
  await screen.findByRole('table');
  return { ...opened, centre };
}

const cells = (name: string) =>
  within(screen.getByRole('row', { name: new RegExp(name) }))
    .getAllByRole('cell')
    .map((cell) => cell.textContent.replace(/\s/g, ' '));

describe('the table', () => {
  it('has a row for each device by scene and a column for each quantity', async () => {
    await openTable();
    expect(screen.getAllByRole('columnheader').map((head) => head.textContent)).toEqual([
      'Device',
      'Air temperature °C',
      'Relative humidity %',
    ]);
    expect(screen.getByRole('button', { name: 'North orchard' })).toBeVisible();
    expect(cells('Orchard mast')).toEqual(['3.4 °C', '91%']);
    // Old values say how old they are.
    expect(cells('Lower mast')[0]).toMatch(/^−7\.5 °C3 h older than usual$/);
    expect(screen.getByText('Offline', { selector: 'table *' })).toBeVisible();
  });

  it('asks for the lines of the rows in view in one call', async () => {
    await openTable();
    await waitFor(() => expect(lines.length).toBeGreaterThan(0));
    // The stream's fresh start may have asked once more, for the same.
    expect([...new Set(lines.map(String))]).toEqual(['deviceNames=WS-1%2CWS-2&yeuSigns=airTemperature%2CairHumidity']);
    expect(await screen.findByTitle(/^Last 24 h: 0\.0 to 3\.4$/)).toBeVisible();
  });

  it('orders its rows by a quantity, and the address keeps it', async () => {
    const { user, router, centre } = await openTable();
    const head = screen.getByRole('columnheader', { name: /Air temperature/ });
    expect(head).toHaveAttribute('aria-sort', 'none');
    await user.click(within(head).getByRole('button'));
    expect(head).toHaveAttribute('aria-sort', 'ascending');
    expect(router.state.location.search).toEqual({ view: 'table', sort: 'airTemperature' });
    await waitFor(() => expect(centre.asked('/page').at(-1)?.get('sortSign')).toBe('airTemperature'));
    await user.click(within(head).getByRole('button'));
    expect(router.state.location.search).toMatchObject({ sort: 'airTemperature', down: 1 });
    await waitFor(() => expect(centre.asked('/page').at(-1)?.get('descending')).toBe('true'));
    await user.click(screen.getByRole('checkbox', { name: 'By scene' }));
    await waitFor(() => expect(screen.queryByRole('button', { name: 'North orchard' })).toBeNull());
    expect(centre.asked('/page').at(-1)?.get('groupId')).toBeNull();
    await user.click(within(head).getByRole('button'));
    expect(head).toHaveAttribute('aria-sort', 'none');
  });

  it('is what the user chose last', async () => {
    const { user } = await openTable('/data?view=table');
    await user.click(screen.getByRole('radio', { name: 'Cards' }));
    expect(await screen.findByRole('article', { name: 'Orchard mast' })).toBeVisible();
    expect(usePreferences.getState().dataView).toBe('cards');
    await user.click(screen.getByRole('radio', { name: 'Table' }));
    await screen.findByRole('table');
    expect(usePreferences.getState().dataView).toBe('table');
  });
});

describe('a comparison', () => {
  it('of ticked devices leads to the analysis with their main property', async () => {
    const { user } = await openTable();
    await user.click(screen.getByRole('checkbox', { name: 'Compare Orchard mast' }));
    const bar = within(screen.getByRole('region', { name: 'Comparison' }));
    expect(bar.getByText('Tick another device to compare')).toBeVisible();
    expect(bar.queryByRole('link')).toBeNull();
    await user.click(screen.getByRole('checkbox', { name: 'Compare Lower mast' }));
    expect(bar.getByRole('link', { name: 'Compare 2 devices' })).toHaveAttribute(
      'href',
      '/analysis?devices=WS-1%2CWS-2&signs=airTemperature',
    );
    await user.click(bar.getByRole('button', { name: 'Clear' }));
    expect(screen.queryByRole('region', { name: 'Comparison' })).toBeNull();
  });
});

describe('a scene', () => {
  it('has the figures of its devices that are online, and folds', async () => {
    const other = { ...mast, id: 9, deviceName: 'WS-9', noteName: 'Hill mast', lastData: [weather(10, Date.now())] };
    const centre = dataCentreServer([group({ deviceList: [mast, offlineMast, other] })]);
    const { user } = await openDataCentre(centre);
    const figures = within(screen.getByRole('list', { name: 'Latest values' }));
    expect(
      figures.getByText(/^Air temperature: low 3\.4\s°C, mean 6\.7\s°C, high 10\.0\s°C, 2 online$/),
    ).toBeInTheDocument();
    expect(figures.getAllByRole('listitem')).toHaveLength(1);
    await user.click(screen.getByRole('button', { name: 'North orchard' }));
    expect(screen.queryByRole('article')).toBeNull();
    expect(screen.getByRole('button', { name: 'North orchard' })).toHaveAttribute('aria-expanded', 'false');
  });

  it('has a figure for each model, named where two have the quantity, and none of housekeeping', async () => {
    const of = (id: number, productId: number, productName: string, degrees: number, change = {}) => ({
      ...mast,
      id,
      deviceName: `D-${id}`,
      noteName: `Device ${id}`,
      productId,
      productName,
      lastData: [weather(degrees, Date.now())],
      ...change,
    });
    const inside = [18, 20, 22].map((degrees, i) => of(20 + i, 2, 'Greenhouse climate', degrees));
    const camera = of(30, 3, 'Field camera', 40, { mainHousekeeping: true });
    await openDataCentre(dataCentreServer([group({ deviceList: [of(1, 1, 'Weather mast', 5.4), ...inside, camera] })]));
    const figures = within(screen.getByRole('list', { name: 'Latest values' })).getAllByRole('listitem');
    expect(figures.map(({ title }) => title.replaceAll('\u00a0', ' '))).toEqual([
      'Air temperature · Greenhouse climate: low 18.0 °C, mean 20.0 °C, high 22.0 °C, 3 online',
      'Air temperature · Weather mast: 5.4 °C',
    ]);
  });
});
