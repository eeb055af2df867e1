import { useTranslation } from 'react-i18next';
import { SegmentedControl } from '@/ui/form/SegmentedControl';
import type { OnlineFilter } from '../useChoice';
import css from './StateFilter.module.css';

interface StateFilterProps {
  value: OnlineFilter;
  onChange: (value: OnlineFilter) => void;
}

/** Filters devices: all, online or offline. */
export function StateFilter({ value, onChange }: StateFilterProps) {
  const { t } = useTranslation();
  return (
    <SegmentedControl
      className={css.filter}
      label={t('data.picker.state')}
      value={value}
      options={[
        { value: undefined, words: t('data.picker.any') },
        { value: 'online', words: t('home.state.online') },
        { value: 'offline', words: t('home.state.offline') },
      ]}
      onChange={onChange}
    />
  );
}
