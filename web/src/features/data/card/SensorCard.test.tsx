import { beforeEach, expect, it } from 'vitest';
import type { Device } from '@/lib/device/types';
import { card, dataCentreServer, mast, openDataCentre } from '@/test/dataCentreServer';
import { group, weather } from '@/test/telemetryServer';

beforeEach(() => {
  window.history.replaceState(null, '', '/');
});

const now = Date.now();

/** A card whose main reading is light, with another reading of `value` in a row. */
async function openWith(light: number, value: number | string | boolean) {
  const { airTemperature, airHumidity } = weather(light, now - 8000);
  if (!airTemperature || !airHumidity) throw new Error('the sample device lacks a reading');
  const latest = {
    airTemperature: { ...airTemperature, unit: 'µmol/m²/s', precision: 2 },
    airHumidity: { ...airHumidity, value },
  };
  const device: Device = { ...mast, lastData: [latest] };
  await openDataCentre(dataCentreServer([group({ id: 0, groupName: '' }), group({ deviceList: [device] })]));
  return card('Orchard mast');
}

it('writes a long reading smaller, so that its unit fits', async () => {
  const own = await openWith(12_345.67, 91);
  expect(own.getByText('12,345.67')).toHaveClass('value', 'long');
});

it('writes a usual reading large', async () => {
  const own = await openWith(869, 91);
  expect(own.getByText('869.00')).not.toHaveClass('long');
});

it('cuts texts in a row, never numbers', async () => {
  const number = await openWith(869, 12_345_678);
  expect(number.getByText('12,345,678')).not.toHaveClass('text');
});

it('shows a cut text in full on hover', async () => {
  const words = await openWith(869, 'The vent of the third bay stands half open');
  expect(words.getByTitle('The vent of the third bay stands half open')).toHaveClass('text');
});

it('leads to the analysis of its device', async () => {
  const own = await openWith(869, 91);
  const link = own.getByRole('link', { name: 'Analysis of Orchard mast' });
  expect(link).toHaveAttribute('href', '/analysis?devices=WS-1');
});

it('leads from a switch to when it was on', async () => {
  const own = await openWith(869, true);
  expect(own.getByRole('link', { name: 'Relative humidity: when it was on' })).toHaveAttribute(
    'href',
    '/analysis?devices=WS-1&signs=airHumidity',
  );
});
