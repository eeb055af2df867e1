import { useQuery } from '@tanstack/react-query';
import { Select } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { deviceQuery, pageSize } from '@/lib/device/queries';
import { type Device, nameOf } from '@/lib/device/types';
import { errorText } from '@/lib/errorText';
import { useFormat } from '@/lib/format/format';
import { useLanguage } from '@/lib/i18n';
import { useSettled } from '@/lib/useSettled';
import { Field } from '@/ui/form/Field';
import { offeredDevicesQuery } from '../queries';
import css from './fields.module.css';

interface DeviceFieldProps {
  /** The device's name; empty until one is chosen. */
  value: string;
  onChange: (deviceName: string) => void;
  error: string | undefined;
  /** What is told below it. */
  hint?: string | undefined;
}

const titleOf = (device: Device) =>
  device.noteName === '' ? device.deviceName : `${nameOf(device)} · ${device.deviceName}`;

/** Which device the rule watches: the first hundred to choose from, all others by searching on the server. */
export function DeviceField({ value, onChange, error, hint }: DeviceFieldProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const language = useLanguage((state) => state.language);
  const [text, setText] = useState('');
  const devices = useQuery(offeredDevicesQuery(language, useSettled(text.trim())));
  const own = useQuery({ ...deviceQuery(language, value), enabled: value !== '' });

  const offered = devices.data?.list ?? [];
  const options = offered.map((device) => ({ value: device.deviceName, label: titleOf(device) }));
  const known = offered.find(({ deviceName }) => deviceName === value) ?? own.data;
  if (value !== '' && !options.some((option) => option.value === value)) {
    options.unshift({ value, label: known ? titleOf(known) : value });
  }
  const gone = own.data === null && value !== '' ? t('rule.form.deviceGone', { name: value }) : undefined;
  const total = devices.data?.total ?? 0;
  return (
    <Field label={t('rule.form.device')} required error={error ?? gone} hint={hint}>
      {({ status, ...labels }) => (
        <Select
          {...labels}
          status={status}
          className={css.device}
          value={value || undefined}
          placeholder={t('rule.form.devicePlaceholder')}
          onChange={onChange}
          showSearch={{ filterOption: false, searchValue: text, onSearch: setText }}
          onOpenChange={() => setText('')}
          loading={devices.isFetching}
          options={options}
          notFoundContent={
            devices.isError ? (
              <span>{errorText(devices.error)}</span>
            ) : devices.isFetching ? (
              t('common.loading')
            ) : (
              t('home.search.noneTitle', { text: text.trim() })
            )
          }
          popupRender={(list) => (
            <>
              {list}
              {total > pageSize ? (
                <p className={css.more}>
                  {t('rule.form.moreDevices', { n: format.number(pageSize), all: format.number(total) })}
                </p>
              ) : null}
            </>
          )}
        />
      )}
    </Field>
  );
}
