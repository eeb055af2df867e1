import { act, screen, waitFor } from '@testing-library/react';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { useLanguage } from '@/lib/i18n/i18n';
import { openConsole } from '@/test/console';
import { homeServer, openHome, statistic } from '@/test/homeServer';
import { setWidth } from '@/test/mediaQueries';
import { device, group, overview } from '@/test/telemetryServer';
import type { MapContent } from './map/useMapContent';

// Leaflet needs a browser's layout, which the browser tests have. Here the map only shows its
// props.
vi.mock('./map/DeviceMap', () => ({
  DeviceMap: ({ data, selected, onSelect }: MapContent) => (
    <ul aria-label="marks">
      {data?.markers.map(({ deviceName, onlineState }) => (
        <li key={deviceName}>
          <button type="button" aria-pressed={deviceName === selected} onClick={() => onSelect(deviceName)}>
            {`mark ${deviceName} ${onlineState}`}
          </button>
        </li>
      ))}
    </ul>
  ),
}));

let telemetry: ReturnType<typeof homeServer>;

beforeEach(() => {
  telemetry = homeServer();
});

describe('the home page', () => {
  it('summarizes the tenant’s devices in a sentence and four statistics', async () => {
    telemetry.server.overview = overview({ time: Date.now(), lastAlarmTime: new Date().setHours(5, 52, 0, 0) });
    await openHome(telemetry);
    expect(screen.getByText('231 of 248 devices report. 2 alarms need a look.')).toBeVisible();
    expect(statistic('Total devices')).toHaveTextContent('248in 5 scenes, 1 without a scene');
    expect(statistic('Online devices')).toHaveTextContent(/23193%updated (now|\d s ago)/);
    expect(statistic('Alarms today')).toHaveTextContent('62 pending, last at 05:52');
    expect(statistic('Offline devices')).toHaveTextContent('173 went offline today');
  });

  it('says that there are none', async () => {
    telemetry.server.overview = overview({
      unassignedCount: 0,
      sceneCount: 1,
      pendingAlarmCount: 0,
      todayAlarmCount: 0,
      offlineTodayCount: 0,
    });
    await openHome(telemetry);
    expect(screen.getByText('231 of 248 devices report. No alarm needs a look.')).toBeVisible();
    expect(statistic('Total devices')).toHaveTextContent('248in 1 scene');
    expect(statistic('Alarms today')).toHaveTextContent('0none pending');
    expect(statistic('Offline devices')).toHaveTextContent('17none went offline today');
  });

  it.each([
    ['zh-cn', '40台设备中37台在线。2条告警待处理。', '分布于2个场景，21台未分组', '2条待处理', '今日新增离线21台'],
    [
      'tr-tr',
      '40 cihazdan 37 tanesi veri gönderiyor. 2 alarm ilgi bekliyor.',
      '2 sahada, 21 cihaz sahasız',
      '2 açık',
      'bugün bağlantısı kopan: 21',
    ],
    [
      'ru-ru',
      'На связи 37 из 40 устройств. 2 тревоги требуют внимания.',
      'на 2 участках, 21 без участка',
      'активных: 2',
      'пропали сегодня: 21',
    ],
  ] as const)('uses the plural forms of %s', async (language, sentence, scenes, pending, midnight) => {
    telemetry.server.overview = overview({
      deviceCount: 40,
      onlineCount: 37,
      sceneCount: 2,
      unassignedCount: 21,
      offlineTodayCount: 21,
    });
    await openHome(telemetry);
    await act(() => useLanguage.getState().setLanguage(language));
    expect(await screen.findByText(sentence)).toBeVisible();
    for (const words of [scenes, pending, midnight]) expect(await screen.findByText(words)).toBeVisible();
  });

  it('selects the first device and keeps list, map, panels and address in step', async () => {
    const { user, router } = await openHome(telemetry);
    expect(screen.getByRole('treeitem', { name: /Orchard mast/ })).toHaveAttribute('aria-selected', 'true');
    expect(await screen.findByRole('button', { name: /mark WS-1/ })).toHaveAttribute('aria-pressed', 'true');
    expect(screen.getByRole('region', { name: 'Orchard mast' })).toBeVisible();

    await user.click(screen.getByRole('button', { name: /mark WS-2/ }));
    expect(await screen.findByRole('heading', { name: 'Lower mast' })).toBeVisible();
    expect(screen.getByRole('treeitem', { name: /Lower mast/ })).toHaveAttribute('aria-selected', 'true');
    expect(router.state.location.href).toBe('/dashboard-default?device=WS-2');

    await user.click(screen.getByRole('treeitem', { name: /Orchard mast/ }));
    expect(await screen.findByRole('heading', { name: 'Orchard mast' })).toBeVisible();
    // The map is drawn after the panels.
    await waitFor(() =>
      expect(screen.getByRole('button', { name: /mark WS-1/ })).toHaveAttribute('aria-pressed', 'true'),
    );
  });

  it('opens the device that the address names, even beyond the first hundred', async () => {
    telemetry.server.otherDevices = [device({ id: 300, deviceName: '300', noteName: 'Far mast', groupId: 1 })];
    const { groups } = telemetry.server;
    telemetry.server.groups = groups.map((group) => (group.id === 1 ? { ...group, deviceCount: 300 } : group));
    await openHome(telemetry, '/dashboard-default?device=300');
    expect(await screen.findByRole('heading', { name: 'Far mast' })).toBeVisible();
    expect(screen.getByRole('treeitem', { name: /Far mast/ })).toHaveAttribute('aria-selected', 'true');
  });

  it('says that the tenant has no such device', async () => {
    await openHome(telemetry, '/dashboard-default?device=NOPE');
    expect(await screen.findByText('Not in this farm')).toBeVisible();
  });

  it('names the next step without a device, and shows no empty panels', async () => {
    telemetry.server.groups = [group({ id: 0, groupName: '' })];
    telemetry.server.overview = overview({ deviceCount: 0, onlineCount: 0, offlineCount: 0 });
    telemetry.server.map = { markers: [], clusters: [], total: 0, unplaced: 0 };
    await openConsole('/dashboard-default');
    expect(await screen.findByText('Devices appear here as soon as your provider has added them.')).toBeVisible();
    expect(screen.queryByRole('region', { name: 'Readings' })).toBeNull();
    expect(statistic('Online devices')).not.toHaveTextContent('%');
  });

  it('scrolls the panels into view on a phone, where they stand below the list', async () => {
    setWidth(390);
    const scroll = vi.fn();
    Element.prototype.scrollIntoView = scroll;
    const { user } = await openHome(telemetry);
    expect(scroll).not.toHaveBeenCalled();
    await user.click(screen.getByRole('treeitem', { name: /Lower mast/ }));
    expect(scroll).toHaveBeenCalledTimes(1);
  });
});
