import { screen } from '@testing-library/react';
import { beforeEach, expect, it, vi } from 'vitest';
import { attribute, day, openHistory } from '@/test/historyDialog';
import { fakeEngine, historyServer } from '@/test/historyServer';
import { setWidth } from '@/test/mediaQueries';

const engine = vi.hoisted(() => ({ current: null as ReturnType<typeof fakeEngine> | null }));
vi.mock('@/ui/chart/engine', () => ({ init: () => engine.current?.module.init() }));

let chart: ReturnType<typeof fakeEngine>;
beforeEach(() => {
  historyServer();
  chart = fakeEngine();
  engine.current = chart;
});

/** The search parameters to which the link leads. */
function linked(): URLSearchParams {
  const address = new URL(screen.getByRole<HTMLAnchorElement>('link', { name: 'Open in analysis' }).href);
  expect(address.pathname).toBe('/analysis');
  return address.searchParams;
}

it('leads to the analysis of the device, the chosen attributes and the range', async () => {
  const { person } = await openHistory(chart);
  expect(linked().get('devices')).toBe('WS-1');
  expect(linked().get('signs')).toBe('airTemperature,airHumidity,rainfall,windDirection');
  expect(Number(linked().get('to')) - Number(linked().get('from'))).toBe(7 * day);
  await person.click(attribute(/^Rainfall/));
  expect(linked().get('signs')).toBe('airTemperature,airHumidity,windDirection');
});

it('leaves out texts, which the analysis does not draw', async () => {
  const { person } = await openHistory(chart);
  await person.click(attribute(/^Note/));
  expect(linked().get('signs')).toBe('airTemperature,airHumidity,rainfall,windDirection');
});

it('stands beside the export on a phone, too', async () => {
  setWidth(390);
  await openHistory(chart);
  expect(linked().get('devices')).toBe('WS-1');
});
