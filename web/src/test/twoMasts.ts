import { mastModel } from './samples';
import { device, group, overview, telemetryServer } from './telemetryServer';

/** A mast's times: online for an hour, and it reported eight seconds ago. */
export const mastTimes = (now = Date.now()) => ({ onlineTime: now - 3_600_000, lastContact: now - 8000 });

/** The devices of a tenant with two masts in one scene. */
export function twoMasts(more: Parameters<typeof telemetryServer>[0] = {}) {
  const now = Date.now();
  const known = mastTimes(now);
  return telemetryServer({
    overview: overview({ time: now, deviceCount: 2 }),
    groups: [
      group({
        deviceList: [
          device({ id: 1, deviceName: 'WS-1', noteName: 'Orchard mast', ...known }),
          device({ id: 2, deviceName: 'WS-2', noteName: 'Lower mast', ...known }),
        ],
      }),
    ],
    model: mastModel,
    ...more,
  });
}
