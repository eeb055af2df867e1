import { fireEvent, screen, waitFor } from '@testing-library/react';
import { beforeEach, expect, it, vi } from 'vitest';
import { openHistory, viewLabel } from '@/test/historyDialog';
import { fakeEngine, historyPaths, historyServer } from '@/test/historyServer';

const engine = vi.hoisted(() => ({ current: null as ReturnType<typeof fakeEngine> | null }));
vi.mock('@/ui/chart/engine', () => ({ init: () => engine.current?.module.init() }));

let server: ReturnType<typeof historyServer>;
let chart: ReturnType<typeof fakeEngine>;
beforeEach(() => {
  server = historyServer();
  chart = fakeEngine();
  engine.current = chart;
});

/** The lowest air temperature in view is shown. */
const lowest = (text: string) =>
  waitFor(() => expect(screen.getByRole('row', { name: /^Air temperature/ })).toHaveTextContent(text));
const rawSwitch = () => screen.queryByRole('switch', { name: 'Raw values' });

it('has no switch for raw values where nothing is corrected', async () => {
  await openHistory(chart);
  await screen.findByRole('row', { name: /^Air temperature/ });
  expect(rawSwitch()).toBeNull();
});

it('says beside a corrected reading what the sensor showed', async () => {
  server.offset = 50;
  await openHistory(chart);
  await lowest('40.0');
  const plot = screen.getByRole('slider', { name: 'Time in the chart' });
  fireEvent.keyDown(plot, { key: 'Home' });
  const spoken = await waitFor(() => {
    const text = plot.getAttribute('aria-valuetext') ?? '';
    expect(text).toMatch(/Air temperature [\d.]+\s°C, the sensor shows −?[\d.]+\s°C/);
    return text;
  });
  const [, value, raw] = /temperature ([\d.]+)\s°C, the sensor shows (−?[\d.]+)/.exec(spoken) ?? [];
  expect(Number(value) - Number(raw?.replace('−', '-'))).toBeCloseTo(50, 5);
  // Humidity is not corrected.
  expect(spoken.match(/the sensor shows/g)).toHaveLength(1);
  expect(screen.getByText(`sensor ${raw} °C`)).toBeInTheDocument();
});

it('asks for the numbers as they arrived, for chart and table, and back', async () => {
  server.offset = 50;
  const { person } = await openHistory(chart);
  await lowest('40.0');
  const button = await waitFor(() => rawSwitch() ?? expect.fail('there is no switch'));
  await person.click(button);
  await lowest('−10.0');
  expect(server.asked(historyPaths.columns).at(-1)?.get('values')).toBe('raw');
  await person.click(viewLabel('Table'));
  await waitFor(() => expect(server.asked(historyPaths.rows).at(-1)?.get('values')).toBe('raw'));
  await person.click(rawSwitch() ?? expect.fail('the switch is gone'));
  await waitFor(() => expect(server.asked(historyPaths.rows).at(-1)?.get('values')).toBeNull());
});
