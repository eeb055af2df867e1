import { useQuery } from '@tanstack/react-query';
import { Select } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useLanguage } from '@/lib/i18n/i18n';
import css from './CompareField.module.css';
import type { Comparison } from './compare';
import { devicesQuery } from './queries';
import { useDebouncedValue } from './useDebouncedValue';

interface CompareFieldProps {
  deviceName: string;
  value: Comparison;
  onChange: (value: Comparison) => void;
}

const deviceMark = 'device ';
/** The search starts once the typed name has not changed for this long. */
const searchMs = 250;

/** Chooses what the readings are compared with: nothing, the period before, or another device. */
export function CompareField({ deviceName, value, onChange }: CompareFieldProps) {
  const { t } = useTranslation();
  const language = useLanguage((state) => state.language);
  const [open, setOpen] = useState(false);
  const [text, setText] = useState('');
  const searched = useDebouncedValue(text.trim(), searchMs);
  const devices = useQuery({ ...devicesQuery(language, searched), enabled: open });
  const others = (devices.data ?? [])
    .filter((device) => device.deviceName !== deviceName && device.type !== 2)
    .map((device) => ({ value: deviceMark + device.deviceName, label: device.noteName || device.deviceName }));
  const chosen = value.with === 'device' ? { value: deviceMark + value.deviceName, label: value.title } : value.with;
  const known = typeof chosen !== 'string' && !others.some((other) => other.value === chosen.value) ? [chosen] : [];

  const choose = (picked: string) => {
    setText('');
    if (!picked.startsWith(deviceMark)) {
      onChange({ with: picked as 'nothing' | 'before' });
      return;
    }
    const title = others.find((other) => other.value === picked)?.label ?? picked.slice(deviceMark.length);
    onChange({ with: 'device', deviceName: picked.slice(deviceMark.length), title });
  };

  return (
    <Select
      className={css.field}
      aria-label={t('history.compare.label')}
      value={typeof chosen === 'string' ? chosen : chosen.value}
      onChange={(picked?: string) => choose(picked ?? 'nothing')}
      onOpenChange={setOpen}
      showSearch={{ filterOption: false, searchValue: text, onSearch: setText }}
      loading={open && devices.isFetching}
      popupMatchSelectWidth={260}
      listHeight={400}
      allowClear={chosen !== 'nothing'}
      placement="bottomRight"
      notFoundContent={t('history.noneFound')}
      options={[
        ...(text.trim() === ''
          ? [
              { value: 'nothing', label: t('history.compare.nothing') },
              { value: 'before', label: t('history.compare.before') },
            ]
          : []),
        ...(known.length + others.length > 0
          ? [{ label: t('history.compare.device'), title: 'device', options: [...known, ...others] }]
          : []),
      ]}
    />
  );
}
