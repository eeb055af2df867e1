import { screen, waitFor } from '@testing-library/react';
import userEvent, { PointerEventsCheckLevel } from '@testing-library/user-event';
import { ConfigProvider } from 'antd';
import { expect, vi } from 'vitest';
import { HistoryDialog } from '@/features/data/history/HistoryDialog';
import { type fakeEngine, historyPaths, type historyServer } from './historyServer';
import { renderWithProviders } from './renderWithProviders';
import { WithRouter } from './WithRouter';

export const hour = 3_600_000;
export const day = 24 * hour;
const mast = {
  deviceName: 'WS-1',
  noteName: 'Orchard mast',
  productName: 'Weather station',
  mainSign: 'airTemperature',
};

/** Opens the history; with a chart, waits until something is drawn on it. */
export async function openHistory(chart?: ReturnType<typeof fakeEngine>) {
  const onClose = vi.fn();
  const person = userEvent.setup();
  const opened = renderWithProviders(
    // jsdom plays no animations, so it never reports their end.
    <ConfigProvider theme={{ token: { motion: false } }}>
      <WithRouter>
        <HistoryDialog device={mast} open onClose={onClose} />
      </WithRouter>
    </ConfigProvider>,
  );
  if (chart) await waitFor(() => expect(chart.newest()?.series?.length).toBeGreaterThan(0));
  return { onClose, person, ...opened };
}

/** The chart's requests to a server. */
export function columnRequestsOf(server: () => ReturnType<typeof historyServer>) {
  const maps = () => server().asked(historyPaths.columns);
  /** The requests for the whole range, which the server thins out. */
  const overviews = () =>
    maps().filter((query) => query.get('points') === '1500' && query.get('deviceName') === 'WS-1');
  return { maps, overviews };
}

export const span = (query: URLSearchParams | undefined) =>
  Number(query?.get('endTime')) - Number(query?.get('startTime'));
export const attribute = (name: RegExp) => screen.getByRole('checkbox', { name });
export const view = (name: string) => screen.getByRole('radio', { name });
/** A user clicks the label; the radio button beneath it takes no pointer. */
export const viewLabel = (name: string) => view(name).closest('label') as HTMLElement;
/** The clear button appears on hover, which jsdom does not support. */
export const clearRange = (element: Element) =>
  userEvent
    .setup({ pointerEventsCheck: PointerEventsCheckLevel.Never })
    .click(element.querySelector('.ant-picker-clear') as HTMLElement);
