import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { mostTargets, type Targets } from '@/lib/alarm/targets';
import { namedQuery } from '@/lib/device/queries';
import { allScenesQuery, productsQuery } from '@/lib/device/scenes';
import type { Device } from '@/lib/device/types';
import { useFormat } from '@/lib/format/format';
import { useLanguage } from '@/lib/i18n';
import { useSettled } from '@/lib/useSettled';
import { offeredDevicesQuery } from '../queries';
import { everyFound, targetValue, titleOfDevice } from './targetOptions';

interface Option {
  value: string;
  label: string;
}

const noDevices: readonly Device[] = [];

/** What the list of targets offers while a text is looked for, and what the chosen ones are called. */
export function useTargetOptions({ devices: chosen, groups, products }: Targets, text: string) {
  const { t } = useTranslation();
  const format = useFormat();
  const language = useLanguage((state) => state.language);
  const settled = useSettled(text);
  const devices = useQuery(offeredDevicesQuery(language, settled));
  const known = useQuery({ ...namedQuery(language, chosen), enabled: chosen.length > 0 }).data?.list;
  const scenes = useQuery(allScenesQuery()).data ?? [];
  const models = useQuery(productsQuery()).data ?? [];

  const ofScenes: Option[] = [
    ...scenes.map(({ id, groupName }) => ({ value: targetValue.scene(id), label: groupName })),
    { value: targetValue.scene(0), label: t('home.defaultGroup') },
  ];
  const ofModels: Option[] = models.map(({ id, productName }) => ({
    value: targetValue.model(id),
    label: productName,
  }));
  const list = devices.data?.list ?? noDevices;
  const ofDevices: Option[] = list.map((device) => ({
    value: targetValue.device(device.deviceName),
    label: titleOfDevice(device),
  }));
  const labels = new Map(
    [...ofScenes, ...ofModels, ...ofDevices].map(({ value, label }) => [value, label] as [string, string]),
  );
  for (const device of known ?? noDevices) labels.set(targetValue.device(device.deviceName), titleOfDevice(device));

  const total = devices.data?.total ?? 0;
  const found = list.map(({ deviceName }) => deviceName);
  const others = found.filter((name) => !chosen.includes(name)).length;
  const room = mostTargets - chosen.length - groups.length - products.length;
  // Only of what was looked for, all of which stands here, and of which something is left to choose.
  const every =
    settled !== '' &&
    settled === text &&
    !devices.isPlaceholderData &&
    total === list.length &&
    others > 1 &&
    others <= room;

  const matches = ({ label }: Option) => label.toLocaleLowerCase(language).includes(text.toLocaleLowerCase(language));
  const sections = [
    {
      label: t('rule.form.targets.devices'),
      options: every
        ? [
            { value: everyFound, label: t('rule.form.targets.all', { count: total, n: format.number(total), text }) },
            ...ofDevices,
          ]
        : ofDevices,
    },
    { label: t('rule.form.targets.scenes'), options: ofScenes.filter(matches) },
    { label: t('rule.form.targets.models'), options: ofModels.filter(matches) },
  ];
  return {
    // Where nothing is looked for, a scene or a model says more than the first of many devices.
    options: (text === '' ? [...sections.slice(1), ...sections.slice(0, 1)] : sections).filter(
      ({ options }) => options.length > 0,
    ),
    labels,
    found,
    total,
    devices,
    /** One that is chosen and is not there any more. */
    gone: known && chosen.find((name) => !known.some(({ deviceName }) => deviceName === name)),
  };
}
