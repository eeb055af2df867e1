import SearchOutlined from '@ant-design/icons/SearchOutlined';
import { memo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Device, Group } from '@/lib/device/types';
import { AsOfTime } from '@/ui/AsOfTime';
import { DeviceTree } from '@/ui/deviceTree/DeviceTree';
import { SearchResultTree } from '@/ui/deviceTree/SearchResultTree';
import { TreeSkeleton } from '@/ui/deviceTree/TreeSkeleton';
import { useDeviceSearchRows } from '@/ui/deviceTree/useDeviceSearchRows';
import { useGroupRows } from '@/ui/deviceTree/useGroupRows';
import { Empty } from '@/ui/Empty';
import { IconButton } from '@/ui/IconButton';
import { NotFetched } from '@/ui/NotFetched';
import { SearchField } from '@/ui/SearchField';
import css from './DeviceList.module.css';

interface DeviceListProps {
  /** Undefined until they are fetched. */
  groups: Group[] | undefined;
  /** The groups could not be fetched; the page says why. */
  failed: boolean;
  /** When the groups were current, by this machine's clock. */
  asOf?: number;
  selected: string | undefined;
  /** The selected device, if it is known. */
  device: Device | undefined;
  onSelect: (deviceName: string) => void;
}

/** All devices in their groups, and a search through all of them. */
export const DeviceList = memo(function DeviceList({
  groups,
  failed,
  asOf,
  selected,
  device,
  onSelect,
}: DeviceListProps) {
  const { t } = useTranslation();
  const [searching, setSearching] = useState(false);
  const [typed, setTyped] = useState('');
  const search = useDeviceSearchRows(searching ? typed : '');

  const stopSearching = () => {
    setSearching(false);
    setTyped('');
  };

  return (
    <section className={css.card} aria-label={t('home.list.title')}>
      <header className={css.head}>
        {searching ? (
          <search className={css.searching}>
            <SearchField
              value={typed}
              onChange={setTyped}
              label={t('home.list.search')}
              placeholder={t('home.search.placeholder')}
              onClose={stopSearching}
            />
          </search>
        ) : (
          <>
            <h2 className={css.title}>{t('home.list.title')}</h2>
            <AsOfTime time={asOf} />
            <IconButton
              className={css.search}
              label={t('home.list.search')}
              icon={<SearchOutlined />}
              onClick={() => setSearching(true)}
            />
          </>
        )}
      </header>
      {search.text === '' ? (
        <Groups groups={groups} failed={failed} selected={selected} device={device} onSelect={onSelect} />
      ) : (
        <SearchResultTree
          search={search}
          selected={selected}
          onSelect={onSelect}
          level={2}
          clear={{ words: t('home.search.clear'), onClear: stopSearching }}
        />
      )}
    </section>
  );
});

const noGroups: Group[] = [];

function Groups({ groups = noGroups, failed, selected, device, onSelect }: Omit<DeviceListProps, 'asOf'>) {
  const { t } = useTranslation();
  const tree = useGroupRows(groups, device, selected);
  if (groups === noGroups) return failed ? <NotFetched title={t('home.list.failed')} /> : <TreeSkeleton />;
  if (!groups.some(({ deviceCount }) => deviceCount > 0)) {
    return <Empty title={t('home.empty.title')} text={t('home.empty.text')} />;
  }
  return <DeviceTree {...tree} label={t('home.list.title')} selected={selected} onSelect={onSelect} />;
}
