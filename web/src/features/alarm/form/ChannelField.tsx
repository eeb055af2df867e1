import { Select } from 'antd';
import { useTranslation } from 'react-i18next';
import { Field } from '@/ui/form/Field';
import css from './fields.module.css';

interface ChannelFieldProps {
  /** Ids of notification channels. */
  value: readonly number[];
  onChange: (channels: number[]) => void;
  error: string | undefined;
}

/** Through which channels people are told. A rule's own stay until they are let go of; there are no others to offer yet. */
export function ChannelField({ value, onChange, error }: ChannelFieldProps) {
  const { t } = useTranslation();
  const none = value.length === 0;
  return (
    <Field label={t('rule.form.tell')} error={error} hint={none ? t('rule.form.noChannelsHint') : undefined}>
      {({ status, ...labels }) => (
        <Select
          {...labels}
          status={status}
          mode="multiple"
          className={css.device}
          value={[...value]}
          placeholder={t('rule.form.noChannels')}
          onChange={onChange}
          options={value.map((id) => ({ value: id, label: t('rule.form.channel', { id }) }))}
          notFoundContent={t('rule.form.noChannels')}
        />
      )}
    </Field>
  );
}
