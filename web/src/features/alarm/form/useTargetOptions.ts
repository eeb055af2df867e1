import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { maxTargets, type Targets } from '@/lib/alarm/targets';
import { namedQuery } from '@/lib/device/queries';
import { allScenesQuery, productsQuery } from '@/lib/device/scenes';
import type { Device } from '@/lib/device/types';
import { useFormat } from '@/lib/format/format';
import { useDebouncedText } from '@/lib/hooks/useDebouncedText';
import { useLanguage } from '@/lib/i18n/i18n';
import { foldForSearch } from '@/lib/text/foldForSearch';
import { offeredDevicesQuery } from '../queries';
import { allFoundValue, deviceTitle, targetValue } from './targetOptions';

export interface TargetOption {
  value: string;
  name: string;
  /** The text for screen readers: a name alone does not say of which kind it is. */
  label: string;
  /** Shown beside the name of a target that is not a device. */
  kind?: string;
}

function optionOf(device: Device): TargetOption {
  const name = deviceTitle(device);
  return { value: targetValue.device(device.deviceName), name, label: name };
}

const noDevices: readonly Device[] = [];

/** The options of the targets' list for a search text, and the names of the chosen targets. */
export function useTargetOptions({ devices: chosen, groups, products }: Targets, text: string) {
  const { t } = useTranslation();
  const format = useFormat();
  const language = useLanguage((state) => state.language);
  const settled = useDebouncedText(text);
  const devices = useQuery(offeredDevicesQuery(language, settled));
  const known = useQuery({ ...namedQuery(language, chosen), enabled: chosen.length > 0 }).data?.list;
  const scenesQuery = useQuery(allScenesQuery());
  const modelsQuery = useQuery(productsQuery());
  const [scenes, models] = [scenesQuery.data ?? [], modelsQuery.data ?? []];
  // Scenes that come after the devices would push them away under the finger.
  const waiting = devices.isPending || scenesQuery.isPending || modelsQuery.isPending;

  const scene = (id: number, name: string): TargetOption => ({
    value: targetValue.scene(id),
    name,
    label: t('rule.form.targets.sceneOf', { name }),
    kind: t('rule.form.targets.scene'),
  });
  const ofScenes = [...scenes.map(({ id, groupName }) => scene(id, groupName)), scene(0, t('home.defaultGroup'))];
  const ofModels = models.map(({ id, productName: name }) => ({
    value: targetValue.model(id),
    name,
    label: t('rule.form.targets.modelOf', { name }),
    kind: t('rule.form.targets.model'),
  }));
  const list = devices.data?.list ?? noDevices;
  const ofDevices = list.map(optionOf);
  const names = new Map<string, string>();
  for (const { value, name } of [...ofScenes, ...ofModels, ...ofDevices, ...(known ?? noDevices).map(optionOf)]) {
    names.set(value, name);
  }

  const total = devices.data?.total ?? 0;
  const found = list.map(({ deviceName }) => deviceName);
  const others = found.filter((name) => !chosen.includes(name)).length;
  const room = maxTargets - chosen.length - groups.length - products.length;
  // "All found" is offered only after a search whose results are all listed and leave more than one
  // device to choose.
  const every =
    settled !== '' &&
    settled === text &&
    !devices.isPlaceholderData &&
    total === list.length &&
    others > 1 &&
    others <= room;

  const wanted = foldForSearch(text);
  const matches = ({ name }: TargetOption) => foldForSearch(name).includes(wanted);
  const everyName = t('rule.form.targets.all', { count: total, n: format.number(total), text });
  const all = every ? [{ value: allFoundValue, name: everyName, label: everyName }] : [];
  return {
    // Without a search text, a scene is more useful than the first of many devices.
    options: waiting
      ? []
      : text === ''
        ? [...ofScenes, ...ofDevices, ...ofModels]
        : [...all, ...ofDevices, ...[...ofScenes, ...ofModels].filter(matches)],
    names,
    found,
    total,
    devices,
    waiting,
    /** A chosen device that no longer exists. */
    missingName: known && chosen.find((name) => !known.some(({ deviceName }) => deviceName === name)),
  };
}
