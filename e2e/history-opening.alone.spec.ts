import { attribute, calls, figures, plotOf, recordRequests, rowsOf, spanOf, windowOf } from './history.ts';
import {
  applyHistoryTenant,
  day,
  end,
  framesOf,
  historyUser,
  minute,
  sendBacklog,
  weatherAt,
} from './historyTenant.ts';
import { expect, test } from './test.ts';
import { openSignedIn } from './testUsers.ts';

// Measures how long the largest history takes to open, and compares its work with that of a short
// one. No other worker's tests run at the same time.

test.beforeAll(applyHistoryTenant);

/** The readings of a month of minutes, within a week: the maximum of readings of five attributes. */
const manyReadings = 43_200;
/** So few that the server thins nothing out. */
const fewReadings = 500;
/**
 * The page's own work for many readings beside that for few, at most: it gets as many points as it has
 * pixels, however many readings there are.
 */
const mostWork = 2;

/** The times of so many readings within the last seven days. */
function timesOf(count: number): { from: number; to: number; every: number } {
  const every = (7 * day) / count;
  const from = end - 7 * day + minute;
  return { from, to: from + (count - 1) * every, every };
}

type Opening = { drawn: number; frozen: number; work: number };

test('43,200 readings of five attributes, four shown at first: from the click to the drawn, refined chart', async ({
  page,
}) => {
  const soil = (index: number) => 30 + (index % 500) / 100;
  await sendBacklog(
    'HS-0002',
    framesOf(timesOf(fewReadings), (ts, index) => ({ ...weatherAt(ts), soilMoisture30: soil(index) })),
  );
  await sendBacklog(
    'HS-0003',
    framesOf(timesOf(manyReadings), (ts, index) => ({
      ...weatherAt(ts),
      soilMoisture30: soil(index),
      solarRadiation: index % 900,
    })),
  );
  const ids = ['airTemperature', 'airHumidity', 'windSpeed', 'soilMoisture30', 'solarRadiation'];
  expect(
    (await rowsOf('HS-0003', end - 7 * day, end + minute, ids)).filter((row) => ids.every((id) => id in row)),
  ).toHaveLength(manyReadings);

  const asked = recordRequests(page, calls.columns);
  await openSignedIn(page, historyUser, '/data');
  await expect(page.getByRole('link', { name: 'History of Dense mast' })).toBeVisible();
  // The CPU time of the page's own thread says more than the clock on a busy machine.
  const devTools = await page.context().newCDPSession(page);
  await devTools.send('Performance.enable', { timeDomain: 'threadTicks' });
  const worked = async () => {
    const { metrics } = await devTools.send('Performance.getMetrics');
    return 1000 * (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN);
  };
  const opening = async (name: string) => {
    const before = await worked();
    const took = await page.evaluate(
      (wanted) =>
        new Promise<{ drawn: number; frozen: number }>((done) => {
          const tasks: number[] = [];
          const long = new PerformanceObserver((list) =>
            tasks.push(...list.getEntries().map(({ duration }) => duration)),
          );
          long.observe({ type: 'longtask' });
          const start = performance.now();
          const observer = new MutationObserver(() => {
            if (!document.querySelector('[data-drawn=true]')) return;
            observer.disconnect();
            const drawn = performance.now() - start;
            requestAnimationFrame(() =>
              setTimeout(() => {
                tasks.push(...long.takeRecords().map(({ duration }) => duration));
                done({ drawn, frozen: Math.max(0, ...tasks) });
              }),
            );
          });
          observer.observe(document.body, { subtree: true, childList: true, attributeFilter: ['data-drawn'] });
          document.querySelector<HTMLElement>(`a[aria-label="History of ${wanted}"]`)?.click();
        }),
      name,
    );
    return { ...took, work: (await worked()) - before };
  };
  const dialogOf = (name: string) => page.getByRole('dialog', { name: `History of ${name}` });
  const close = async (name: string) => {
    await dialogOf(name).getByRole('button', { name: 'Close', exact: true }).click();
    await page.getByRole('button', { name: 'Close the history' }).click();
    await expect(dialogOf(name)).toBeHidden();
  };
  const [dense, sparse] = ['Dense mast', 'Hill mast'];
  const first = await opening(dense);
  await close(dense);
  // In turn, so that both find the same machine; the least of each was disturbed least.
  const many: Opening[] = [];
  const few: Opening[] = [];
  for (let round = 0; round < 3; round += 1) {
    few.push(await opening(sparse));
    await close(sparse);
    many.push(await opening(dense));
    if (round < 2) await close(dense);
  }
  const least = (openings: readonly Opening[]) => Math.min(...openings.map(({ work }) => work));
  const say = ({ drawn, frozen, work }: Opening) =>
    `${Math.round(drawn)} ms (longest task ${Math.round(frozen)} ms, ${Math.round(work)} ms of the page's own work)`;
  // biome-ignore lint/suspicious/noConsole: this figure is the purpose of the test
  console.log(
    `history of ${manyReadings} × 5 readings, opening to drawn chart: ${say(first)}; later ${many.map(say).join(', ')}; of ${fewReadings} × 4 readings ${few.map(say).join(', ')}; goal 700 ms`,
  );
  expect(least(many)).toBeLessThan(mostWork * least(few));
  const dialog = dialogOf(dense);

  await attribute(dialog, 'Global radiation').click();
  await expect(figures(dialog, /^Global radiation/)).toBeVisible();
  await plotOf(dialog).focus();
  await page.keyboard.press('+');
  await page.keyboard.press('+');
  await page.keyboard.press('PageDown');
  await page.keyboard.press('PageDown');
  const { from, to } = await windowOf(dialog);
  const finer = (query: URLSearchParams) =>
    Number(query.get('startTime')) <= from && Number(query.get('endTime')) >= to && spanOf(query) < 2 * (to - from);
  await expect.poll(() => asked.some(finer)).toBe(true);
  for (const query of asked.filter((query) => spanOf(query) > day && query.get('deviceName') === 'HS-0003')) {
    expect(Number(query.get('points'))).toBeGreaterThanOrEqual(1000);
    expect(Number(query.get('points'))).toBeLessThanOrEqual(5000);
  }
});
