import PlusOutlined from '@ant-design/icons/PlusOutlined';
import { useQuery } from '@tanstack/react-query';
import { Button } from 'antd';
import { useTranslation } from 'react-i18next';
import { allScenesQuery } from '@/lib/device/scenes';
import { Empty } from '@/ui/Empty';
import { type DeviceSearch, isFiltered } from '../search';

interface NoRowsProps {
  search: DeviceSearch;
  onClear: () => void;
  /** Leads from a scene to all devices. */
  onAll: () => void;
  /** Adds a device; absent where the user may not. */
  onAdd?: () => void;
}

/** Says why the table is empty and what to do about it. */
export function NoRows({ search, onClear, onAll, onAdd }: NoRowsProps) {
  const { t } = useTranslation();
  const { scene } = search;
  const scenes = useQuery({ ...allScenesQuery(), enabled: scene !== undefined });
  if (scene !== undefined && scene !== 0 && scenes.data?.every(({ id }) => id !== scene)) {
    return (
      <Empty
        title={t('device.empty.sceneGone')}
        text={t('device.empty.sceneGoneText')}
        action={<Button onClick={onAll}>{t('device.filter.clear')}</Button>}
      />
    );
  }
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
  if (scene !== undefined) {
    const forbidden = scenes.data?.some(({ id, groupStatus }) => id === scene && groupStatus === 2);
    const text = t(forbidden ? 'device.empty.sceneForbidden' : 'device.empty.sceneText');
    return <Empty title={t('device.empty.sceneTitle')} text={text} />;
  }
  if (!onAdd) return <Empty title={t('home.empty.title')} text={t('home.empty.text')} />;
  return (
    <Empty
      title={t('home.empty.title')}
      text={t('device.add.first')}
      action={
        <Button icon={<PlusOutlined aria-hidden="true" />} onClick={onAdd}>
          {t('device.add.title')}
        </Button>
      }
    />
  );
}
