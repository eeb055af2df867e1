import DeploymentUnitOutlined from '@ant-design/icons/DeploymentUnitOutlined';
import DownOutlined from '@ant-design/icons/DownOutlined';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useDeviceLive } from '@/lib/device/live/useDeviceLive';
import { useFormat } from '@/lib/format/format';
import { noSideColumnQuery, useMediaQuery } from '@/lib/hooks/useMediaQuery';
import { usePreferences } from '@/lib/storage/preferences';
import { TreeColumn } from '@/ui/deviceTree/TreeColumn';
import { Empty } from '@/ui/Empty';
import { lazyComponent } from '@/ui/lazyComponent';
import { PageError } from '@/ui/PageError';
import { PageTitle } from '@/ui/PageTitle';
import { PlainButton } from '@/ui/PlainButton';
import { emptyChoice, isEverything } from './choice';
import css from './DataPage.module.css';
import { CardGrid } from './grid/CardGrid';
import { useGridContent } from './grid/useGridContent';
import { HistoryHost } from './HistoryHost';
import { Picker } from './picker/Picker';
import { useChoice } from './useChoice';

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
  const { groups, shown, onReach, named, pickedReady, failed } = useGridContent(choice, state);
  const drawn = useMediaQuery(noSideColumnQuery);
  const fixedNavbar = usePreferences((preferences) => preferences.fixedNavbar);
  const [opened, setOpened] = useState<boolean>();

  const all = groups.data?.reduce((sum, { deviceCount }) => sum + deviceCount, 0);
  const count = shown && shown.videos.length + shown.sensors;
  const whole = isEverything(choice) && state === undefined;
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
    onChoose: choose,
    onFilter: filter,
  };
  const showAll = () => {
    choose(emptyChoice);
    filter(undefined);
  };

  const problems = [groups, ...failed];
  const nothing = all === 0 || (count === 0 && pickedReady);
  let content = (
    <CardGrid
      label={t('data.cards')}
      content={shown}
      failed={problems}
      updated={groups.dataUpdatedAt}
      onReach={onReach}
    />
  );
  if (all === 0) content = <Empty title={t('home.empty.title')} text={t('home.empty.text')} />;
  else if (nothing) {
    content = (
      <Empty
        kind="search"
        title={t('data.nothing.title')}
        text={t('data.nothing.text')}
        action={<PlainButton onClick={showAll}>{t('data.nothing.action')}</PlainButton>}
      />
    );
  }

  return (
    <>
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
          {content}
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
    </>
  );
}
