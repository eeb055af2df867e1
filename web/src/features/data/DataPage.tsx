import DeploymentUnitOutlined from '@ant-design/icons/DeploymentUnitOutlined';
import DownOutlined from '@ant-design/icons/DownOutlined';
import { useCallback, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useDeviceLive } from '@/lib/device/live/useDeviceLive';
import { useFormat } from '@/lib/format/format';
import { useDebouncedText } from '@/lib/hooks/useDebouncedText';
import { noSideColumnQuery, useMediaQuery } from '@/lib/hooks/useMediaQuery';
import { usePreferences } from '@/lib/storage/preferences';
import { TreeColumn } from '@/ui/deviceTree/TreeColumn';
import { Empty } from '@/ui/Empty';
import { lazyComponent } from '@/ui/lazyComponent';
import { PageError } from '@/ui/PageError';
import { PageTitle } from '@/ui/PageTitle';
import { PlainButton } from '@/ui/PlainButton';
import { emptyChoice, isEverything } from './choice';
import { CompareBar } from './compare/CompareBar';
import { type Compared, ComparedDevices, toggled } from './compare/compared';
import css from './DataPage.module.css';
import { CardGrid } from './grid/CardGrid';
import { useGridContent } from './grid/useGridContent';
import { HistoryHost } from './HistoryHost';
import { Picker } from './picker/Picker';
import { canBeFlat } from './table/tableSections';
import { useChoice } from './useChoice';
import { useDataView } from './useDataView';
import { ViewSwitch } from './ViewSwitch';

const DeviceTable = lazyComponent(() => import('./table/DeviceTable'), 'DeviceTable');
const PickerDrawer = lazyComponent(() => import('./picker/PickerDrawer'), 'PickerDrawer');

/**
 * Cards with the latest readings and the cameras' pictures, of all devices or of those that are
 * ticked.
 */
export function DataPage() {
  const { t } = useTranslation();
  const format = useFormat();
  useDeviceLive();
  const { choice, state, choose, filter } = useChoice();
  const { view, order, flat, setView, setOrder, setFlat } = useDataView();
  const [typed, setTyped] = useState('');
  const text = useDebouncedText(typed.trim());
  const { groups, shown, rows, onReach, named, pickedReady, failed } = useGridContent(choice, state, text);
  const { folded, fold } = useFolded();
  const { compared, setCompared, comparison } = useComparison();
  const drawn = useMediaQuery(noSideColumnQuery);
  const fixedNavbar = usePreferences((preferences) => preferences.fixedNavbar);
  const [opened, setOpened] = useState<boolean>();

  const all = groups.data?.reduce((sum, { deviceCount }) => sum + deviceCount, 0);
  const count = shown && shown.videos.length + shown.sensors;
  const everything = isEverything(choice);
  const whole = everything && state === undefined && text === '';
  const devices = (n: number) => t('data.devices', { count: n, n: format.number(n) });
  const summary =
    all === undefined || count === undefined
      ? undefined
      : whole
        ? devices(all)
        : t('data.shown', { count: all, shown: format.number(count), all: format.number(all) });

  const picker = {
    groups: groups.data,
    failed: groups.isError,
    choice,
    named,
    state,
    typed,
    onType: setTyped,
    onChoose: choose,
    onFilter: filter,
  };
  const showAll = () => {
    choose(emptyChoice);
    filter(undefined);
    setTyped('');
  };

  const problems = [groups, ...failed];
  const nothing = all === 0 || (count === 0 && pickedReady);
  let content = (
    <CardGrid
      label={t('data.cards')}
      content={shown}
      failed={problems}
      updated={groups.dataUpdatedAt}
      folded={folded}
      onFold={fold}
      onReach={onReach}
    />
  );
  if (view === 'table') {
    content = (
      <DeviceTable
        content={rows}
        failed={problems}
        order={order}
        onOrder={setOrder}
        flat={flat}
        everything={everything}
        folded={folded}
        onFold={fold}
      />
    );
  }
  if (all === 0) {
    content = (
      <div className={css.empty}>
        <Empty title={t('home.empty.title')} text={t('home.empty.text')} />
      </div>
    );
  } else if (nothing) {
    content = (
      <div className={css.empty}>
        <Empty
          kind="search"
          title={text === '' ? t('data.nothing.title') : t('home.search.noneTitle', { text })}
          text={text === '' ? t('data.nothing.text') : t('home.search.noneText')}
          action={<PlainButton onClick={showAll}>{t('data.nothing.action')}</PlainButton>}
        />
      </div>
    );
  }

  return (
    <ComparedDevices value={comparison}>
      <PageTitle title={t('nav.data')} summary={summary} />
      {nothing ? <PageError queries={problems} /> : null}
      {drawn && all !== 0 ? (
        <button type="button" className={css.open} aria-haspopup="dialog" onClick={() => setOpened(true)}>
          <DeploymentUnitOutlined aria-hidden="true" />
          <span className={css.openWords}>{count === undefined ? t('common.loading') : devices(count)}</span>
          <DownOutlined aria-hidden="true" />
        </button>
      ) : null}
      <div className={css.columns}>
        <section className={css.cards}>
          <h2 className="visually-hidden">{t('data.cards')}</h2>
          {all === 0 ? null : (
            <ViewSwitch
              view={view}
              onView={setView}
              grouped={rows && canBeFlat(rows, everything) ? !flat : undefined}
              onGroup={(grouped) => setFlat(!grouped)}
            />
          )}
          {content}
          <CompareBar devices={compared} onClear={() => setCompared([])} />
        </section>
        {drawn || all === 0 ? null : (
          <TreeColumn count={all} below={fixedNavbar}>
            <Picker {...picker} />
          </TreeColumn>
        )}
      </div>
      {drawn && opened !== undefined ? (
        <PickerDrawer
          {...picker}
          open={opened}
          onClose={() => setOpened(false)}
          summary={t('data.picker.show', { devices: devices(count ?? 0) })}
        />
      ) : null}
      <HistoryHost />
    </ComparedDevices>
  );
}

/** The groups whose cards or rows are folded away. */
function useFolded() {
  const [folded, setFolded] = useState<ReadonlySet<number>>(new Set());
  const fold = useCallback(
    (id: number) =>
      setFolded((before) => new Set(before.has(id) ? [...before].filter((other) => other !== id) : [...before, id])),
    [],
  );
  return { folded, fold };
}

/** The devices that are chosen for a comparison. */
function useComparison() {
  const [compared, setCompared] = useState<readonly Compared[]>([]);
  const comparison = useMemo(
    () => ({
      devices: compared,
      toggle: (device: Compared) => setCompared((before) => toggled(before, device)),
    }),
    [compared],
  );
  return { compared, setCompared, comparison };
}
