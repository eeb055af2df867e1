import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, it } from 'vitest';
import { setTenantZone } from '@/lib/format/zone';
import { analysisColumn, lineOfValues, onSum, switchOf } from '@/test/analysisColumns';
import { renderWithProviders } from '@/test/renderWithProviders';
import { AnalysisTable } from './AnalysisTable';

const hourMs = 3_600_000;
const start = Date.UTC(2026, 2, 1);
const hours = (count: number) => Array.from({ length: count }, (_, index) => start + index * hourMs);

afterEach(() => setTenantZone(undefined));

/** The texts of the table's rows, header included. */
const rowTexts = () =>
  screen
    .getAllByRole('row')
    .map((row) => [...row.children].map((cell) => cell.textContent?.replace(/\s+/g, ' ').trim()));

it('shows all columns by time, newest first, with what the means range over', () => {
  setTenantZone('Europe/Istanbul');
  const own = analysisColumn(lineOfValues('hour', hours(2), [4, 5.25]));
  const before = analysisColumn(lineOfValues('hour', hours(1), [2]), { key: 'before', compared: true });
  const rain = analysisColumn(lineOfValues('hour', hours(2).slice(1), [0.1]), {
    key: 'rain',
    deviceName: 'WS-2',
    device: 'South mast',
    sign: 'rainfall',
    name: 'Rainfall',
    unit: 'mm',
    kind: 'sum',
    color: 1,
  });
  // The page gives the year before first.
  renderWithProviders(<AnalysisTable columns={[before, own, rain]} axis="time" />);
  expect(rowTexts()).toEqual([
    ['Time', 'Orchard mast', 'South mast'],
    ['Air temperature °C', 'Air temperature °Cyear before', 'Rainfall mm'],
    ['Mar 1, 2026, 04:00', '5.3 4.3 to 6.3', '–', '6.0'],
    ['Mar 1, 2026, 03:00', '4.0 3.0 to 5.0', '2.0 1.0 to 3.0', '–'],
  ]);
  expect(screen.getByRole('columnheader', { name: 'Orchard mast' })).toHaveAttribute('colspan', '2');
});

it('shows days by their date and readings by the second', () => {
  setTenantZone('UTC');
  const { unmount } = renderWithProviders(
    <AnalysisTable columns={[analysisColumn(lineOfValues('day', [start], [1]))]} axis="time" />,
  );
  expect(screen.getByRole('rowheader')).toHaveTextContent(/^Mar 1, 2026$/);
  unmount();
  renderWithProviders(
    <AnalysisTable columns={[analysisColumn(lineOfValues('raw', [start + 61_000], [1]))]} axis="time" />,
  );
  expect(rowTexts().at(-1)).toEqual(['Mar 1, 2026, 00:01:01', '1.0']);
});

it('shows degree days with one decimal', () => {
  renderWithProviders(
    <AnalysisTable columns={[analysisColumn(lineOfValues('day', [0, 12.34], [1, 2]))]} axis="degreeDays" />,
  );
  expect(screen.getByRole('columnheader', { name: 'Degree days' })).toBeVisible();
  expect(screen.getAllByRole('rowheader').map(({ textContent }) => textContent)).toEqual(['12.3', '0.0']);
});

it('shows lowest and highest of directions, which have no mean', () => {
  const wind = { key: 'w', sign: 'windDirection', name: 'Wind', unit: '°', precision: 0, kind: 'direction' } as const;
  renderWithProviders(
    <AnalysisTable columns={[analysisColumn(lineOfValues('hour', [start], [180]), wind)]} axis="time" />,
  );
  expect(rowTexts().at(-1)?.slice(1)).toEqual(['179 to 181']);
});

it('says of each time whether a switch was on, and of days for how long', () => {
  const heating = { key: 'h', sign: 'heating', name: 'Heating', unit: '', precision: undefined, kind: 'step' } as const;
  const minutes = (count: number) => start + count * 60_000;
  const phases = [
    { from: start, state: 'off' },
    { from: minutes(10), state: 'on' },
    { from: minutes(40), state: 'unknown' },
  ] as const;
  const { unmount } = renderWithProviders(
    <AnalysisTable
      columns={[
        analysisColumn(lineOfValues('raw', [minutes(5), minutes(20), minutes(50)], [1, 2, 3])),
        analysisColumn(switchOf({ startTime: start, endTime: minutes(60), phases: [...phases] }), heating),
      ]}
      axis="time"
    />,
  );
  expect(
    rowTexts()
      .slice(2)
      .map((row) => row.at(-1)),
  ).toEqual(['–', '–', 'On', 'On', 'Off', 'Off']);
  unmount();
  const day = { time: start, sum: onSum({ on: 2.5 * 3_600_000, off: 3_600_000 }) };
  const columns = [analysisColumn(switchOf({ days: [day] }), heating)];
  renderWithProviders(<AnalysisTable columns={columns} axis="time" />);
  expect(screen.getByRole('columnheader', { name: 'Heating time on' })).toBeVisible();
  expect(rowTexts().at(-1)?.at(-1)).toBe('2 h 30 min');
});

it('rounds means of unknown precision to five digits', () => {
  const line = lineOfValues('raw', [1, 2, 3, 4], [0, 0.1 + 0.2, -12.3456789, 1234567]);
  renderWithProviders(<AnalysisTable columns={[analysisColumn(line, { precision: undefined })]} axis="time" />);
  const values = rowTexts().slice(2);
  expect(values.map((row) => row.at(-1))).toEqual(['1,234,600', '−12.346', '0.3', '0']);
});

it('has pages, and numbers its rows for screen readers', async () => {
  const person = userEvent.setup();
  renderWithProviders(
    <AnalysisTable columns={[analysisColumn(lineOfValues('hour', hours(10_000), hours(10_000)))]} axis="time" />,
  );
  expect(screen.getByRole('table')).toHaveAttribute('aria-rowcount', '10002');
  expect(screen.getAllByRole('rowheader')).toHaveLength(100);
  const newest = screen.getAllByRole('rowheader')[0]?.textContent;
  await person.click(screen.getByRole('button', { name: /next/i }));
  expect(screen.getAllByRole('rowheader')).toHaveLength(100);
  expect(screen.getAllByRole('rowheader')[0]?.textContent).not.toBe(newest);
  expect(screen.getAllByRole('row')[2]).toHaveAttribute('aria-rowindex', '103');
  expect(screen.getByRole('region', { name: 'Values by time' })).toHaveAttribute('tabindex', '0');
  expect(within(screen.getByRole('navigation')).getByText(/101.*200.*10,000/)).toBeVisible();
});

it('says when there is nothing', () => {
  renderWithProviders(<AnalysisTable columns={[]} axis="time" />);
  expect(screen.getByText('No values')).toBeVisible();
  expect(screen.queryByRole('table')).toBeNull();
});
