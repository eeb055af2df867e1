import { analysisUser, applyAnalysisTenant, fiveSigns, slider, terraceAt } from './analysisTenant.ts';
import { day, framesOf, minute, sendBacklog } from './historyTenant.ts';
import { expect, test } from './test.ts';
import { openSignedIn } from './testUsers.ts';

// Measures how long a year of five attributes takes to be drawn. No other worker's tests run at the
// same time.

test.beforeAll(applyAnalysisTenant);

test('a year of five attributes: from the choice to the drawn chart', async ({ page }) => {
  const end = Math.floor(Date.now() / (10 * minute)) * 10 * minute;
  await sendBacklog('TR-0001', framesOf({ from: end - 366 * day, to: end, every: 10 * minute }, terraceAt));
  await openSignedIn(page, analysisUser, `/analysis?devices=TR-0001&signs=${fiveSigns.join(',')}&range=day`);
  await expect(slider(page)).toBeVisible();
  await expect(page.locator('section[aria-busy]')).toHaveCount(0);

  /** Chooses a range, and waits until its lines are drawn and painted. */
  const choose = (range: string) =>
    page.evaluate(
      (wanted) =>
        new Promise<{ drawn: number; fetched: number; frozen: number }>((done) => {
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
                done({ drawn, fetched, frozen: Math.max(0, ...tasks) });
              }),
            );
          }).observe({ type: 'mark' });
          Object.getOwnPropertyDescriptor(HTMLSelectElement.prototype, 'value')?.set?.call(select, wanted);
          select.dispatchEvent(new Event('change', { bubbles: true }));
        }),
      range,
    );
  const first = await choose('year');
  await expect(page).toHaveURL(/range=year/);
  await choose('week');
  const kept = await choose('year');
  await choose('week');
  // Ranges end now again: the year is asked for once more.
  await page.getByRole('button', { name: 'Up to now' }).click();
  await expect(page.locator('section[aria-busy]')).toHaveCount(0);
  const again = await choose('year');
  const say = ({ drawn, fetched, frozen }: typeof first) =>
    `${Math.round(drawn)} ms (answers after ${Math.round(fetched)} ms, longest task ${Math.round(frozen)} ms)`;
  // biome-ignore lint/suspicious/noConsole: this figure is the purpose of the test
  console.log(
    `analysis of a year × 5 attributes, choice to drawn chart: ${say(first)}; again ${say(again)}; without a call ${say(kept)}; limit 150 ms`,
  );
  const { from, to } = await slider(page).evaluate((place) => ({
    from: Number(place.getAttribute('aria-valuemin')),
    to: Number(place.getAttribute('aria-valuemax')),
  }));
  expect((to - from) / day).toBeGreaterThan(364);
  await expect(page.locator('[data-chart] svg [data-line]')).not.toHaveCount(0);
  for (const { drawn } of [first, again, kept]) expect(drawn).toBeLessThan(3000);
});
