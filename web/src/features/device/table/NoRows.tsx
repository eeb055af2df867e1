import { Button } from 'antd';
import { useTranslation } from 'react-i18next';
import { Empty } from '@/ui/Empty';
import { type DeviceSearch, isFiltered } from '../search';

interface NoRowsProps {
  search: DeviceSearch;
  onClear: () => void;
}

/** Why the table is empty, and what to do about it. */
export function NoRows({ search, onClear }: NoRowsProps) {
  const { t } = useTranslation();
  if (isFiltered(search)) {
    return (
      <Empty
        kind="search"
        title={t('device.empty.title')}
        text={t('device.empty.text')}
        action={<Button onClick={onClear}>{t('device.filter.clear')}</Button>}
      />
    );
  }
  if (search.scene !== undefined) {
    return <Empty title={t('device.empty.sceneTitle')} text={t('device.empty.sceneText')} />;
  }
  return <Empty title={t('home.empty.title')} text={t('home.empty.text')} />;
}
