import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { noticeKeys } from '@/lib/alarm/notices';
import { replaces } from '@/lib/device/live/changes';
import type { Series } from '@/lib/device/types';
import { type LivePresence, type LiveReading, useLive } from '@/lib/live/useLive';
import { type Question, withPresence, withReading } from '../chart/readings';
import type { AlarmDetail, DeviceProperty } from '../queries';

/** Keeps the current value, the chart and the device's state up to date with the live stream. */
export function useNoticeLive(detail: AlarmDetail | undefined): void {
  const client = useQueryClient();
  const name = detail?.alarmDeviceInfoRespDTO.deviceName;
  useLive((events) => {
    if (name === undefined) return;
    for (const event of events) {
      if (event.name === 'reading' && event.data.deviceName === name) applyReading(client, event.data);
      if (event.name === 'presence' && event.data.deviceName === name) applyPresence(client, event.data);
    }
  });
}

function applyReading(client: QueryClient, reading: LiveReading): void {
  const { deviceName, time, arrival, values } = reading;
  const key = [...noticeKeys.kind('properties'), deviceName];
  client.setQueriesData<DeviceProperty[]>({ queryKey: key }, (list) =>
    list?.map((property) => {
      const value = values[property.identifier];
      const { time: known = 0, arrival: came } = property;
      if (value === undefined || !replaces({ time, arrival }, { time: known, arrival: came })) return property;
      return { ...property, value, time, arrival };
    }),
  );
  eachChart(client, deviceName, (series, question) => withReading(series, question, reading));
}

function applyPresence(client: QueryClient, presence: LivePresence): void {
  const { deviceName, onlineState } = presence;
  client.setQueriesData<AlarmDetail | null>({ queryKey: noticeKeys.kind('notice') }, (detail) => {
    if (detail?.alarmDeviceInfoRespDTO.deviceName !== deviceName) return detail;
    return { ...detail, alarmDeviceInfoRespDTO: { ...detail.alarmDeviceInfoRespDTO, onlineState } };
  });
  eachChart(client, deviceName, (series, { signs }) => (signs.length === 0 ? withPresence(series, presence) : series));
}

function eachChart(
  client: QueryClient,
  deviceName: string,
  change: (series: Series, question: Question) => Series,
): void {
  for (const [key, series] of client.getQueriesData<Series>({ queryKey: noticeKeys.kind('chart') })) {
    const question = key.at(-1) as Question;
    if (!series || question.deviceName !== deviceName) continue;
    const next = change(series, question);
    if (next !== series) client.setQueryData(key, next);
  }
}
