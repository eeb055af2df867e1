import { useQuery } from '@tanstack/react-query';
import { pageQuery } from '@/lib/device/queries';
import { useLanguage } from '@/lib/i18n/i18n';
import { metresBetween } from '@/lib/map/distance';
import type { Place } from '@/lib/map/place';

/** A scene is a field or a greenhouse: what stands further from all of its devices was put into the wrong one, or at the wrong place. */
const farDistance = 2000;

/**
 * How far a device would stand from the nearest other device of a scene, in metres, when that is far; null when it is not, or not
 * known: the scene or the device has no position, or it is no scene.
 */
export function useSceneDistance(groupId: number, deviceName: string, place: Place | undefined): number | null {
  const language = useLanguage((state) => state.language);
  const isEnabled = groupId !== 0 && place !== undefined;
  // The first hundred of a scene say where it is; on a crowded map the markers would not.
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
