import { analysisUser, applyAnalysisTenant, fiveSigns, slider, terraceAt } from './analysisTenant.ts';
import { day, framesOf, minute, sendBacklog } from './historyTenant.ts';
import { expect, test } from './test.ts';
import { openSignedIn } from './testUsers.ts';

// Measures how long a year of five attributes takes to be drawn, and compares its work with that of a
// week. No other worker's tests run at the same time.

test.beforeAll(applyAnalysisTenant);

/**
 * The page's own work for a year beside that for a week, at most: the server folds what it sends for a
 * year, and a line has at most a point a pixel.
 */
const mostWork = 2;

test('a year of five attributes: from the choice to the drawn chart', async ({ page }) => {
  const end = Math.floor(Date.now() / (10 * minute)) * 10 * minute;
  await sendBacklog('TR-0001', framesOf({ from: end - 366 * day, to: end, every: 10 * minute }, terraceAt));
  await openSignedIn(page, analysisUser, `/analysis?devices=TR-0001&signs=${fiveSigns.join(',')}&range=day`);
  await expect(slider(page)).toBeVisible();
  await expect(page.locator('section[aria-busy]')).toHaveCount(0);

  // The CPU time of the page's own thread says more than the clock on a busy machine.
  const devTools = await page.context().newCDPSession(page);
  await devTools.send('Performance.enable', { timeDomain: 'threadTicks' });
  const worked = async () => {
    const { metrics } = await devTools.send('Performance.getMetrics');
    return 1000 * (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN);
  };
  /** Chooses a range, and waits until its lines are drawn and painted. */
  const choose = async (range: string) => {
    const before = await worked();
    const took = await page.evaluate(
      (wanted) =>
        new Promise<{ drawn: number; fetched: number; frozen: number; calls: number }>((done) => {
          const tasks: number[] = [];
          const long = new PerformanceObserver((list) =>
            tasks.push(...list.getEntries().map(({ duration }) => duration)),
          );
          long.observe({ type: 'longtask' });
          performance.clearMarks('analysis-drawn');
          performance.clearResourceTimings();
          const select = document.querySelector<HTMLSelectElement>(`select:has(option[value=${wanted}])`);
          if (!select) throw new Error('there is no such range');
          const start = performance.now();
          new PerformanceObserver((list, self) => {
            if (!list.getEntries().some(({ name }) => name === 'analysis-drawn')) return;
            self.disconnect();
            requestAnimationFrame(() =>
              setTimeout(() => {
                const drawn = performance.now() - start;
                tasks.push(...long.takeRecords().map(({ duration }) => duration));
                const calls = performance
                  .getEntriesByType('resource')
                  .filter(({ name }) => name.includes('aggregated'));
                const fetched = Math.max(0, ...calls.map((call) => call.startTime + call.duration - start));
                done({ drawn, fetched, frozen: Math.max(0, ...tasks), calls: calls.length });
              }),
            );
          }).observe({ type: 'mark' });
          Object.getOwnPropertyDescriptor(HTMLSelectElement.prototype, 'value')?.set?.call(select, wanted);
          select.dispatchEvent(new Event('change', { bubbles: true }));
        }),
      range,
    );
    return { ...took, work: (await worked()) - before };
  };
  const first = await choose('year');
  await expect(page).toHaveURL(/range=year/);
  const week = await choose('week');
  const kept = await choose('year');
  const keptWeek = await choose('week');
  // Ranges end now again: the year is asked for once more.
  await page.getByRole('button', { name: 'Up to now' }).click();
  await expect(page.locator('section[aria-busy]')).toHaveCount(0);
  const again = await choose('year');
  const say = ({ drawn, fetched, frozen, work, calls }: typeof first) =>
    `${Math.round(drawn)} ms (answers after ${Math.round(fetched)} ms, longest task ${Math.round(frozen)} ms, ${Math.round(work)} ms of the page's own work, ${calls} calls)`;
  // biome-ignore lint/suspicious/noConsole: this figure is the purpose of the test
  console.log(
    `analysis of a year × 5 attributes, choice to drawn chart: ${say(first)}; again ${say(again)}; without a call ${say(kept)}; a week ${say(week)}, without a call ${say(keptWeek)}; goal 150 ms`,
  );
  const { from, to } = await slider(page).evaluate((place) => ({
    from: Number(place.getAttribute('aria-valuemin')),
    to: Number(place.getAttribute('aria-valuemax')),
  }));
  expect((to - from) / day).toBeGreaterThan(364);
  await expect(page.locator('[data-chart] svg [data-line]')).not.toHaveCount(0);
  expect([first, kept, again].map(({ calls }) => calls)).toEqual([1, 0, 1]);
  expect(again.work).toBeLessThan(mostWork * week.work);
  expect(kept.work).toBeLessThan(mostWork * keptWeek.work);
});
