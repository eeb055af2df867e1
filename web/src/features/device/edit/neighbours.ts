import type { Scene } from '@/lib/device/scenes';
import type { DeviceMap } from '@/lib/device/types';
import type { MapScene } from '@/lib/map/sceneLayer';

/**
 * The scenes as areas of their other devices, to put a pin among them. Of a crowded map, whose devices are not all told, a scene's
 * area would be a part of it: none is drawn.
 */
export function neighbours(map: DeviceMap | undefined, scenes: readonly Scene[], own: string): MapScene[] {
  if (!map || map.clusters.length > 0) return [];
  return scenes.flatMap(({ id, groupName }) => {
    const places = map.markers.filter(({ groupId, deviceName }) => groupId === id && deviceName !== own);
    return places.length === 0 ? [] : [{ id, name: groupName, places }];
  });
}
