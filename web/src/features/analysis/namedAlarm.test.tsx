import { screen, waitFor } from '@testing-library/react';
import { expect, it } from 'vitest';
import { analysisServer, day, drawnLines, openAnalysis, slider } from '@/test/analysisServer';
import { detailOf, notice, rule } from '@/test/samples';
import { ok, onGet, refused } from '@/test/server';

const path = '/admin-api/client/pc/alarm-notice/get';
const frost = notice({ id: 41, startTime: Date.now() - 4 * day, endTime: Date.now() - 2 * day, resolveStatus: 1 });

it('opens the history of an alarm that the address names, with its limit', async () => {
  analysisServer();
  onGet(path, () => ok(detailOf(frost)));
  const { search, router } = await openAnalysis('?alarm=41');
  const before = router.history.length;
  await slider();
  expect(search()).toEqual({ devices: 'WS-1', signs: 'airTemperature', range: 'month', alarm: 41 });
  expect(drawnLines()).toEqual(['WS-1 airTemperature']);
  // No rule runs any more: the limit is the alarm's.
  expect(screen.getByText(new RegExp(`< 2\\.0\\s°C ${frost.title}$`))).toBeInTheDocument();
  expect(router.history.length).toBe(before);
});

it('names a rule that still runs only once', async () => {
  const server = analysisServer();
  server.rules = [rule({ alarmName: frost.title })];
  onGet(path, () => ok(detailOf(frost)));
  await openAnalysis('?devices=WS-1&signs=airTemperature&alarm=41');
  await slider();
  await waitFor(() =>
    expect(screen.getAllByText(new RegExp(frost.title)).map((one) => one.textContent)).toHaveLength(1),
  );
  expect(screen.getByText(new RegExp(frost.title)).textContent?.match(new RegExp(frost.title, 'g'))).toHaveLength(1);
});

it('begins as without it where the alarm is gone, and says when it cannot be fetched', async () => {
  analysisServer();
  onGet(path, () => refused(404, 'This resource does not exist'));
  const { unmount } = await openAnalysis('?alarm=41');
  expect(await screen.findByText('Choose devices to compare')).toBeInTheDocument();
  unmount();
  onGet(path, () => refused(601, 'Too many calls at once'));
  await openAnalysis('?alarm=42');
  expect(await screen.findByText('The readings could not be fetched')).toBeInTheDocument();
});
