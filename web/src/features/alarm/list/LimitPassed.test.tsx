import { describe, expect, it } from 'vitest';
import type { AlarmRule } from '@/lib/alarm/types';
import { alarmServer, card, openAlarms } from '@/test/alarmServer';
import { rule } from '@/test/samples';
import { tenantZone } from '@/test/shellServer';

describe('a rule whose limit is passed without an open notice', () => {
  const beyond = (id: number, change: Partial<AlarmRule> = {}) =>
    rule({
      id,
      alarmName: `Rule ${id}`,
      conditions: [{ andor: 'and', tslAttribute: 'airTemperature', subconditions: '>', value: 1 }],
      hitCounts: 3,
      durations: 600_000,
      startTime: undefined,
      endTime: undefined,
      ...change,
    });
  const passed = (id: number, more: object) => ({
    id,
    fits: true,
    usualInterval: 60_000,
    lastSample: Date.now() - 60_000,
    value: 1.2,
    distance: 0,
    holds: true,
    ...more,
  });

  it('says what is missing: hits within the window, or that the rule waits', async () => {
    const server = alarmServer([beyond(1), beyond(2), beyond(3)]);
    server.outlooks = [
      passed(1, { hits: 1, waits: false }),
      passed(2, { hits: 0, waits: false }),
      passed(3, { hits: 3, waits: true }),
    ];
    await openAlarms(server);
    const line = await card('Rule 1').findByText(/^The limit is passed/);
    expect(line.textContent?.replaceAll('\u00a0', ' ')).toBe(
      'The limit is passed: 1 of 3 readings within 10 min so far, no alarm yet',
    );
    expect(card('Rule 2').getByText(/no reading has come since the rule was started/)).toBeVisible();
    expect(card('Rule 3').getByText(/The last alarm was cleared by hand/)).toBeVisible();
  });

  it('says that nobody is notified at this hour', async () => {
    // Chosen around the current hour in the tenant's time zone.
    const clock = new Intl.DateTimeFormat('en-GB', { timeZone: tenantZone, hour: '2-digit', hourCycle: 'h23' });
    const hour = Number(clock.format(Date.now()));
    const away = [2 * ((hour + 12) % 24)];
    const always = Array.from({ length: 48 }, (_, i) => i).filter((slot) => slot !== away[0]);
    const server = alarmServer([
      beyond(1, { complexTime: 1, timePeriods: away }),
      beyond(2, { complexTime: 1, timePeriods: always }),
    ]);
    server.outlooks = [passed(1, { hits: 1, waits: false }), passed(2, { hits: 1, waits: false })];
    await openAlarms(server);
    expect(await card('Rule 1').findByText(/Outside \d\d:\d\d–\d\d:\d\d nobody is told\.$/)).toBeVisible();
    expect(card('Rule 2').queryByText(/nobody is told/)).toBeNull();
  });

  it('says that nobody is notified on this day', async () => {
    // Chosen around the current day in the tenant's time zone.
    const name = new Intl.DateTimeFormat('en-GB', { timeZone: tenantZone, weekday: 'short' }).format(Date.now());
    const today = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'].indexOf(name) + 1;
    const server = alarmServer([beyond(1, { weekdays: [((today + 2) % 7) + 1] }), beyond(2, { weekdays: [today] })]);
    server.outlooks = [passed(1, { hits: 1, waits: false }), passed(2, { hits: 1, waits: false })];
    await openAlarms(server);
    expect(await card('Rule 1').findByText(/Outside [A-Z][a-z]{2} nobody is told\.$/)).toBeVisible();
    expect(card('Rule 2').queryByText(/nobody is told/)).toBeNull();
  });
});
