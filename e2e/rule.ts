import { fetchApiData, type TestUser } from './testUsers.ts';

const path = '/admin-api/client/pc/alarm-rules';

/**
 * Creates a running rule by API: serious, it alarms at the first reading below 2 °C; `change`
 * overrides its fields.
 */
export async function runRule(
  person: TestUser,
  executionId: string,
  alarmName: string,
  change: object = {},
): Promise<void> {
  const id = await fetchApiData(person, 'POST', `${path}/create`, {
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
  await fetchApiData(person, 'GET', `${path}/publish?alarmRulesId=${id}`);
}
