import type { Scene } from '@/lib/device/scenes';
import type { DeviceMap } from '@/lib/device/types';
import type { MapScene } from '@/lib/map/sceneLayer';

/**
 * The scenes as areas around their other devices, for orientation. A clustered map does not contain
 * all devices, so an area would cover only a part of its scene: then none is drawn.
 */
export function neighbours(map: DeviceMap | undefined, scenes: readonly Scene[], own: string): MapScene[] {
  if (!map || map.clusters.length > 0) return [];
  return scenes.flatMap(({ id, groupName }) => {
    const places = map.markers.filter(({ groupId, deviceName }) => groupId === id && deviceName !== own);
    return places.length === 0 ? [] : [{ id, name: groupName, places }];
  });
}
