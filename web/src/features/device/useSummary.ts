import { useTranslation } from 'react-i18next';
import type { Overview } from '@/lib/device/types';
import { useFormat } from '@/lib/format/format';

/** The sentence beside the title: how many devices there are, and in how many scenes. */
export function useSummary(overview: Overview | undefined): string | undefined {
  const { t } = useTranslation();
  const format = useFormat();
  if (!overview) return undefined;
  const { deviceCount, sceneCount, unassignedCount } = overview;
  if (deviceCount === 0) return t('home.empty.title');
  const devices = t('scene.devices', { count: deviceCount, n: format.number(deviceCount) });
  const scenes = t('home.stat.scenes', { count: sceneCount, n: format.number(sceneCount) });
  // Without scenes, the sentence "in no scene" already implies that all devices are in the default
  // group.
  const both = sceneCount > 0 && unassignedCount > 0;
  return t(both ? 'device.summaryDefault' : 'device.summary', { devices, scenes });
}
