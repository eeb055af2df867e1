import { fetchApiData, type TestUser } from './testUsers.ts';

const path = '/admin-api/client/pc/alarm-rules';

/**
 * Creates a rule by API and gives its id: serious, it alarms at the first reading below 2 °C; `change`
 * overrides its fields.
 */
export function createRule(
  person: TestUser,
  executionId: string,
  alarmName: string,
  change: object = {},
): Promise<number> {
  return fetchApiData(person, 'POST', `${path}/create`, {
    alarmName,
    executionId,
    dataSource: 1,
    triggerType: 0,
    conditions: [{ andor: 'and', tslAttribute: 'airTemperature', subconditions: '<', value: 2 }],
    hitCounts: 1,
    durations: 300_000,
    alarmLevel: 2,
    passageway: [],
    complexTime: 0,
    timePeriods: [],
    manualRelease: 1,
    alarmDesc: 'Light the heaters.',
    ...change,
  });
}

/** Creates a rule as `createRule` does, and runs it. */
export async function runRule(...given: Parameters<typeof createRule>): Promise<void> {
  const id = await createRule(...given);
  await fetchApiData(given[0], 'GET', `${path}/publish?alarmRulesId=${id}`);
}
