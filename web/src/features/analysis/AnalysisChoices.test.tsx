import { screen, waitFor, within } from '@testing-library/react';
import { expect, it } from 'vitest';
import type { TslProperty } from '@/lib/device/types';
import { useLanguage } from '@/lib/i18n/i18n';
import {
  analysisModel,
  analysisServer,
  askedOf,
  day,
  drawnLines,
  openAnalysis,
  paths,
  pictureTexts,
  slider,
} from '@/test/analysisServer';
import { setWidth } from '@/test/mediaQueries';
import { notice, rule } from '@/test/samples';
import { refused } from '@/test/server';

const layer = (name: string) => screen.getByRole('button', { name });

it('switches a layer off and on by the address', async () => {
  analysisServer();
  const { user, search } = await openAnalysis('?devices=WS-1&signs=airTemperature');
  await slider();
  await waitFor(() => expect(pictureTexts().join()).toContain('Rainfall at Orchard mast'));
  await user.click(layer('Rain'));
  await waitFor(() => expect(search()).toMatchObject({ hide: 'rain' }));
  expect(layer('Rain')).toHaveAttribute('aria-pressed', 'false');
  await waitFor(() => expect(pictureTexts().join()).not.toContain('Rainfall'));
  await user.click(layer('Rain'));
  await waitFor(() => expect(search()).toEqual({ devices: 'WS-1', signs: 'airTemperature' }));
  await waitFor(() => expect(pictureTexts().join()).toContain('Rainfall at Orchard mast'));
});

it('says why nights cannot be shown', async () => {
  analysisServer();
  await openAnalysis('?devices=WS-1&range=year');
  await slider();
  expect(layer('Nights')).toHaveAttribute('aria-disabled', 'true');
  expect(layer('Nights')).toHaveAttribute('title', expect.stringContaining('up to 45 days'));
});

it('draws the year before over this one', async () => {
  const server = analysisServer();
  await openAnalysis('?devices=WS-1&compare=date&hide=rain');
  await slider();
  expect(drawnLines()).toEqual(['WS-1 airTemperature before', 'WS-1 airTemperature']);
  expect(pictureTexts()).toContain('Year before');
  const [before, own] = askedOf(server, paths.lines);
  expect((Number(own?.endTime) - Number(before?.endTime)) / day).toBe(365);
  expect(screen.queryByText(/There are no readings of the year before/)).toBeNull();
});

it('says that there is no year before', async () => {
  const server = analysisServer();
  server.age = 60 * day;
  await openAnalysis('?devices=WS-1&compare=date');
  await slider();
  expect(drawnLines()).toEqual(['WS-1 airTemperature']);
  expect(screen.getByText(/There are no readings of the year before\./)).toBeInTheDocument();
});

it('draws the two years by degree days, of the base in the address', async () => {
  const server = analysisServer();
  await openAnalysis('?devices=WS-1&signs=airHumidity&compare=degreeDays&base=12&since=11-02');
  const place = await slider();
  expect(drawnLines()).toEqual(['WS-1 airHumidity before', 'WS-1 airHumidity']);
  // Thirty days at 20 °C, eight above the base.
  expect(screen.getByText(/^Degree days of Orchard mast since .*, above 12.°C: 24\d.* this year/)).toBeInTheDocument();
  expect(place.getAttribute('aria-valuetext')).toMatch(/^0\s°C·d – 24\d\s°C·d$/);
  expect(askedOf(server, paths.lines).filter(({ resolution }) => resolution === 'day')).toHaveLength(2);
  expect(screen.getByLabelText('Base, °C')).toHaveValue(12);
  expect(screen.queryByLabelText('Range')).toBeNull();
});

it('says which season lacks too many days for degree days', async () => {
  const server = analysisServer();
  const yearAgo = Date.now() - 200 * day;
  server.silent = (_, time) => time < yearAgo && Math.floor(time / day) % 2 === 0;
  await openAnalysis('?devices=WS-1&compare=degreeDays&since=11-02');
  await slider();
  expect(drawnLines()).toEqual(['WS-1 airTemperature']);
  expect(screen.getByText(/no sum the year before/)).toHaveTextContent(
    'For a sum, at most one day in twenty and three days in a row may lack temperatures.',
  );
});

it('says that degree days need a temperature, and shows the range by date', async () => {
  const server = analysisServer();
  server.models['WS-1'] = server.models['WS-1']?.filter(({ identifier }) => identifier === 'airHumidity') ?? [];
  await openAnalysis('?devices=WS-1&compare=degreeDays');
  await slider();
  expect(screen.getByText(/None of these devices measures the temperature of the air/)).toBeInTheDocument();
  expect(screen.getByLabelText('Range')).toBeInTheDocument();
});

it('keeps a base that cannot be taken, says why, and draws on', async () => {
  analysisServer();
  const { user, search } = await openAnalysis('?devices=WS-1&compare=degreeDays&since=11-02');
  await slider();
  const base = screen.getByLabelText('Base, °C');
  await user.clear(base);
  await user.type(base, '99{Enter}');
  expect(base).toHaveAccessibleDescription('Base, °C: from −20 to 40');
  expect(base).toBeInvalid();
  expect(search()).not.toHaveProperty('base');
  await user.clear(base);
  await user.type(base, '8{Enter}');
  await waitFor(() => expect(search()).toMatchObject({ base: 8 }));
  expect(base).toBeValid();
});

it('does not take soil marks in the wrong order', async () => {
  const server = analysisServer();
  const soil = (depth: number) => ({ ...analysisModel[0], identifier: `soilMoisture${depth}` }) as TslProperty;
  server.models['WS-1'] = [soil(10), soil(30)];
  const { user, search } = await openAnalysis(
    '?devices=WS-1&signs=soilMoisture10,soilMoisture30&range=week&full=40&refill=20',
  );
  await slider();
  const irrigate = screen.getByLabelText('Irrigate at, %');
  await user.clear(irrigate);
  await user.type(irrigate, '45');
  await user.tab();
  expect(irrigate).toHaveAccessibleDescription('It must be below the full mark');
  const full = screen.getByLabelText('Full at, %');
  await user.clear(full);
  await user.type(full, '15{Enter}');
  expect(full).toHaveAccessibleDescription('It must be above the irrigation mark');
  expect(search()).toMatchObject({ full: 40, refill: 20 });
});

it('finds attributes by Turkish names in any case, in a console of any language', async () => {
  const server = analysisServer();
  const light = { ...analysisModel[0], identifier: 'light', yeuName: 'Işık İzleme', elementUnit: 'lx' } as TslProperty;
  server.models['WS-1'] = [...analysisModel, light];
  const { user } = await openAnalysis('?devices=WS-1');
  await user.type(await screen.findByLabelText('Attributes'), 'ışık iz');
  const offered = () => document.querySelectorAll('.ant-select-item-option-content');
  await waitFor(() => expect([...offered()].map((each) => each.textContent)).toEqual(['Işık İzleme, lx']));
});

it('shows the values as a table', async () => {
  analysisServer();
  const { user, search } = await openAnalysis('?devices=WS-1,WS-2&range=week');
  await slider();
  await user.click(within(screen.getByRole('radiogroup', { name: 'View' })).getByText('Table'));
  await waitFor(() => expect(search()).toMatchObject({ view: 'table' }));
  const table = await screen.findByRole('table');
  expect(within(table).getByText('Orchard mast')).toBeInTheDocument();
  expect(within(table).getByText('Lower mast')).toBeInTheDocument();
  expect(table).toHaveAttribute('aria-rowcount');
  expect(screen.queryByRole('slider', { name: 'Place in the chart' })).toBeNull();
});

it('reads values and changes the range with the keyboard', async () => {
  const server = analysisServer();
  const { user, search } = await openAnalysis('?devices=WS-1&range=week');
  const place = await slider();
  place.focus();
  await user.keyboard('{ArrowRight}');
  const first = place.getAttribute('aria-valuetext');
  expect(first).toMatch(/Orchard mast · Air temperature 20\.0\s°C/);
  await user.keyboard('{ArrowRight}');
  expect(place.getAttribute('aria-valuetext')).not.toBe(first);
  await user.keyboard('{ArrowLeft}');
  expect(place).toHaveAttribute('aria-valuetext', first);
  const ends = () => {
    const { from, to } = search() as { from: number; to: number };
    return Math.round((to - from) / day);
  };
  await user.keyboard('-');
  await waitFor(() => expect(ends()).toBe(14));
  await waitFor(() => expect(Number(askedOf(server, paths.lines).at(-1)?.startTime)).toBe(search().from));
  await user.keyboard('{+}');
  await waitFor(() => expect(ends()).toBe(7));
  const { from } = search() as { from: number };
  await user.keyboard('{PageUp}');
  await waitFor(() => expect(search().from).toBe(from - 7 * day));
  await user.keyboard('{Escape}');
  expect(place.getAttribute('aria-valuetext')).not.toContain('20.0');
});

it('draws the limits of rules, and draws and lists alarms', async () => {
  const server = analysisServer();
  server.rules = [
    rule({
      alarmName: 'Heat',
      conditions: [{ andor: 'and', tslAttribute: 'airTemperature', subconditions: '>', value: 24 }],
    }),
  ];
  const from = Date.now() - 3 * day;
  server.notices = [
    notice({ id: 7, title: 'Heat at noon', startTime: from, endTime: from + day / 2 }),
    notice({ id: 8, title: 'Long ago', startTime: from - 60 * day, endTime: from - 59 * day }),
    notice({ id: 9, title: 'Heat again', startTime: from + day }),
  ];
  await openAnalysis('?devices=WS-1');
  await slider();
  await waitFor(() => expect(pictureTexts()).toContainEqual(expect.stringMatching(/^> 24\.0\s°C Heat$/)));
  expect(document.querySelectorAll('[data-chart] svg title')).toHaveLength(2);
  const links = screen.getAllByRole('link', { name: /^Heat/ });
  expect(links.map((link) => link.getAttribute('href'))).toEqual(['/inform?id=7', '/inform?id=9']);
  expect(screen.queryByText('Long ago')).toBeNull();
  expect(askedOf(server, paths.rules)).toContainEqual(
    expect.objectContaining({ executionId: 'WS-1', running: 'true' }),
  );
});

it('does not claim that there was no alarm when they could not be fetched', async () => {
  const server = analysisServer();
  server.answers.set(paths.notices, () => refused(601, 'Too many calls at once'));
  const { user } = await openAnalysis('?devices=WS-1');
  await slider();
  const note = (await screen.findByText('The alarms could not be fetched')).closest<HTMLElement>('[role=alert]');
  expect(screen.queryByText('No alarm in this range.')).toBeNull();
  server.answers.clear();
  if (note) await user.click(within(note).getByRole('button', { name: 'Retry' }));
  expect(await screen.findByText('No alarm in this range.')).toBeInTheDocument();
});

it('has a legend on a phone, and hides what is rarely chosen', async () => {
  analysisServer();
  setWidth(390);
  await openAnalysis('?devices=WS-1,WS-2');
  await slider();
  const legend = within(screen.getByRole('list', { name: 'Lines' }));
  expect(legend.getAllByRole('listitem').map((item) => item.textContent)).toEqual([
    'Orchard mast · Air temperature',
    'Lower mast · Air temperature',
  ]);
  expect(screen.getByText('More choices')).toBeInTheDocument();
});

it('speaks the user’s language', async () => {
  await useLanguage.getState().setLanguage('tr-tr');
  analysisServer();
  await openAnalysis('?devices=WS-1&compare=date');
  const place = await screen.findByRole('slider', { name: 'Grafikteki yer' });
  expect(screen.getByRole('heading', { level: 1 })).toHaveTextContent('Analiz');
  expect(screen.getByText(/^Günlük: ortalama, en düşük ve en yüksekle\./)).toBeInTheDocument();
  expect(pictureTexts()).toContain('Önceki yıl');
  expect(place.getAttribute('aria-valuetext')).toMatch(/ – /);
});
