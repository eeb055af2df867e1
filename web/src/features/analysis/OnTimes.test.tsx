import { screen, waitFor, within } from '@testing-library/react';
import { expect, it } from 'vitest';
import { now } from '@/lib/format/clock';
import { formatFullMonth } from '@/lib/format/date';
import { onSum, onTimesAnswer } from '@/test/analysisColumns';
import { analysisServer, askedOf, openAnalysis, paths, pictureTexts, slider } from '@/test/analysisServer';
import { pastMonths } from './controls/months';

const hour = 3_600_000;

/** Off from the beginning; on in its 10th to 14th hour and for the last hour of what is known. */
const twice = (startTime: number, endTime: number) =>
  onTimesAnswer({
    startTime,
    endTime,
    total: onSum({ on: 5 * hour, off: 15 * hour, unknown: 2 * hour, starts: 2, stops: 1 }),
    longestOn: { from: startTime + 10 * hour, to: startTime + 14 * hour },
    longestOff: { from: startTime, to: startTime + 10 * hour },
    phases: [
      { from: startTime, state: 'off' },
      { from: startTime + 10 * hour, state: 'on' },
      { from: startTime + 14 * hour, state: 'off' },
      { from: startTime + 19 * hour, state: 'on' },
      { from: startTime + 20 * hour, state: 'unknown' },
    ],
  });

const cells = () =>
  within(screen.getByRole('table', { name: 'Orchard mast · Heating' }))
    .getAllByRole('row')
    .slice(1)
    .map((row) =>
      within(row)
        .getAllByRole('cell')
        .map(({ textContent }) => textContent?.replaceAll('\u00a0', ' ')),
    );

it('says of a month when a switch was on, and for how long in all', async () => {
  const server = analysisServer();
  server.onTimes = twice;
  const { user } = await openAnalysis('?devices=WS-1&signs=heating&hide=rain');
  const [last] = pastMonths(now());
  const month = formatFullMonth(last?.from ?? 0, 'en-us');
  await user.selectOptions(screen.getByLabelText('Range'), month);
  await waitFor(() =>
    expect(askedOf(server, paths.onTimes).at(-1)).toEqual({
      deviceName: 'WS-1',
      yeuSign: 'heating',
      startTime: String(last?.from),
      endTime: String(last?.to),
    }),
  );
  expect(screen.getByLabelText('Range')).toHaveDisplayValue(month);
  expect(await screen.findByText('Heating: on for 5 h in all, 2 starts, longest 4 h.')).toBeVisible();
  expect(cells().map((row) => row.slice(1))).toEqual([
    ['not known', '1 h', '–'],
    [expect.stringMatching(/ 14:00$/), '4 h', '5 h'],
  ]);
  expect(screen.getByText('Time off').nextElementSibling).toHaveTextContent('15 h');
  expect(pictureTexts()).toContain('On');
  expect(document.querySelector('[data-on="phases"]')).toBeInTheDocument();
  // Hatched is only what nobody knows.
  expect(document.querySelectorAll('[data-gap]')).toHaveLength(1);
});

it('says at the crosshair whether it was on, for how long and since when', async () => {
  const server = analysisServer();
  server.onTimes = twice;
  const { user } = await openAnalysis('?devices=WS-1&signs=heating&range=day&hide=rain');
  const place = await slider();
  place.focus();
  await user.keyboard('{Home}{ArrowRight}');
  expect(place).toHaveAttribute('aria-valuetext', expect.stringMatching(/Orchard mast · Heating On$/));
  expect(document.querySelector('[data-values]')).toHaveTextContent(/On4 h, since /);
  await user.keyboard('{End}');
  expect(place).toHaveAttribute('aria-valuetext', expect.stringMatching(/Heating –$/));
});

it('lists days, and no on-times, of a switch that was switched too often', async () => {
  const server = analysisServer();
  server.onTimes = (startTime, endTime) =>
    onTimesAnswer({
      startTime,
      endTime,
      total: onSum({ on: 31 * hour + 20 * 60_000, off: hour, starts: 4000 }),
      longestOn: { from: startTime, to: startTime + hour },
      days: [{ time: startTime, sum: onSum({ on: 12 * hour, off: 12 * hour }) }],
    });
  await openAnalysis('?devices=WS-1&signs=heating&hide=rain');
  expect(await screen.findByText('Heating: on for 31 h 20 min in all, 4,000 starts, longest 1 h.')).toBeVisible();
  expect(screen.getByText(/Switched too often for a list/)).toBeVisible();
  expect(screen.queryByRole('table', { name: 'Orchard mast · Heating' })).toBeNull();
  expect(document.querySelector('[data-on="days"]')).toBeInTheDocument();
  expect(pictureTexts()).toContain('Heating, hours on a day');
});

it.each([
  [0, 'Heating: never on.'],
  [10 * hour, 'Heating: not on in the 14 h that are known.'],
])('says that a switch was not on, and for how long that is known: %d ms are not', async (unknown, says) => {
  const server = analysisServer();
  server.onTimes = (startTime, endTime) =>
    onTimesAnswer({
      startTime,
      endTime,
      total: onSum({ off: 14 * hour, unknown }),
      longestOff: { from: endTime - 14 * hour, to: endTime },
      phases: [
        { from: startTime, state: 'unknown' },
        { from: endTime - 14 * hour, state: 'off' },
      ],
    });
  await openAnalysis('?devices=WS-1&signs=heating&range=day&hide=rain');
  expect(await screen.findByText(says)).toBeVisible();
});
