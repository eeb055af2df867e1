import { useQuery } from '@tanstack/react-query';
import { pageQuery } from '@/lib/device/queries';
import { useLanguage } from '@/lib/i18n/i18n';
import { metresBetween } from '@/lib/map/distance';
import type { Place } from '@/lib/map/place';

/**
 * In metres. A scene is a field or a greenhouse: a device further away from all of its devices is
 * in the wrong scene or at the wrong position.
 */
const farDistance = 2000;

/**
 * The distance in metres from a device to the nearest other device of a scene if it is implausibly
 * far. Null if it is not, or if it is unknown: the scene or the device has no position, or the
 * group is not a scene.
 */
export function useSceneDistance(groupId: number, deviceName: string, place: Place | undefined): number | null {
  const language = useLanguage((state) => state.language);
  const isEnabled = groupId !== 0 && place !== undefined;
  // The first hundred devices show well enough where the scene is; the markers of a clustered map
  // would not.
  const devices = useQuery({ ...pageQuery(language, { groupId }, 1), enabled: isEnabled });
  if (!isEnabled) return null;
  const away = (devices.data?.list ?? []).flatMap(({ deviceName: name, latitude, longitude }) =>
    name === deviceName || latitude === undefined || longitude === undefined
      ? []
      : [metresBetween(place, { latitude, longitude })],
  );
  const nearest = Math.min(...away);
  return away.length > 0 && nearest > farDistance ? nearest : null;
}
