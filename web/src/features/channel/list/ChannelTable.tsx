import { type MouseEvent, memo } from 'react';
import { useTranslation } from 'react-i18next';
import { kindsOf } from '@/lib/channel/kinds';
import type { Channel } from '@/lib/channel/queries';
import { formatDateTime } from '@/lib/format/date';
import { useFormat } from '@/lib/format/format';
import { useMay } from '@/lib/session/useMay';
import { ChannelKindChips } from '@/ui/channel/channelKinds';
import { Loading, Skeleton } from '@/ui/Skeleton';
import { useChannelText } from '../channelText';
import { TestPanel } from '../test/TestPanel';
import type { ChannelTest, ChannelTests } from '../test/useTests';
import css from './ChannelTable.module.css';
import { addressOf, onPlainClick } from './links';
import { RowActions } from './RowActions';

interface ChannelTableProps {
  /** Undefined until they are fetched. */
  channels: readonly Channel[] | undefined;
  selected: number | undefined;
  /** A form stands beside the table, which leaves room only for the names. */
  brief: boolean;
  tests: ChannelTests;
  onOpen: (id: number) => void;
  onDelete: (channel: Channel) => void;
}

const skeletons = ['a', 'b', 'c', 'd', 'e'];

export function ChannelTable({ channels, selected, brief, tests, onOpen, onDelete }: ChannelTableProps) {
  const { t } = useTranslation();
  /**
   * A click anywhere in the row opens it like a click on its name, unless the user selects text or
   * clicks a button.
   */
  const onRow = (event: MouseEvent<HTMLElement>) => {
    const target = event.target as HTMLElement;
    const row = target.closest<HTMLElement>('[data-row]')?.dataset.row;
    if (row === undefined || target.closest('a, button') || window.getSelection()?.isCollapsed === false) return;
    onOpen(Number(row));
  };
  return (
    <table className={`${css.table} ${brief ? css.brief : ''}`} aria-label={t('channel.list')}>
      <colgroup>
        <col />
        <col className={css.wMode} />
        <col className={`${css.wRecipients} ${css.recipients}`} />
        <col className={`${css.wRules} ${css.rules}`} />
        <col className={`${css.wCreated} ${css.created}`} />
        <col className={`${css.wAction} ${css.action}`} />
      </colgroup>
      <thead>
        <tr>
          <th scope="col">{t('channel.name')}</th>
          <th scope="col">{t('channel.mode')}</th>
          <th scope="col" className={css.recipients}>
            {t('channel.col.recipients')}
          </th>
          <th scope="col" className={css.rules}>
            {t('channel.col.rules')}
          </th>
          <th scope="col" className={css.created}>
            {t('channel.col.created')}
          </th>
          <th scope="col" className={css.action}>
            {t('device.col.action')}
          </th>
        </tr>
      </thead>
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: the keyboard has the link in the row */}
      <tbody onClick={onRow}>
        {channels
          ? channels.map((channel) => (
              <Row
                key={channel.id}
                channel={channel}
                selected={channel.id === selected}
                test={brief ? undefined : tests.tests.get(channel.id)}
                onTest={tests.send}
                onCloseTest={tests.close}
                onOpen={onOpen}
                onDelete={onDelete}
              />
            ))
          : skeletons.map((name, i) => (
              <tr key={name}>
                <td colSpan={6}>
                  {i === 0 ? (
                    <Loading>
                      <Skeleton height={18} />
                    </Loading>
                  ) : (
                    <Skeleton height={18} />
                  )}
                </td>
              </tr>
            ))}
      </tbody>
    </table>
  );
}

interface RowProps {
  channel: Channel;
  selected: boolean;
  test: ChannelTest | undefined;
  onTest: (channel: Channel) => void;
  onCloseTest: (id: number) => void;
  onOpen: (id: number) => void;
  onDelete: (channel: Channel) => void;
}

/**
 * One channel, with its test's outcome below it. Memoized, so that it renders only when its props
 * change: there may be 400 rows.
 */
const Row = memo(function Row({ channel, selected, test, ...on }: RowProps) {
  const format = useFormat();
  const words = useChannelText();
  const mayChange = useMay('operator');
  const { id, noticeName, createTime, ruleCount } = channel;
  return (
    <>
      <tr className={`${selected ? css.selected : ''} ${test ? css.tested : ''}`} data-row={mayChange ? id : undefined}>
        <th scope="row" className={css.name}>
          {mayChange ? (
            <a
              className={css.open}
              href={addressOf(id)}
              title={noticeName}
              aria-current={selected ? 'true' : undefined}
              onClick={onPlainClick(() => on.onOpen(id))}
            >
              {noticeName}
            </a>
          ) : (
            <span title={noticeName}>{noticeName}</span>
          )}
        </th>
        <td>
          <ChannelKindChips of={kindsOf(channel)} />
        </td>
        <td className={css.recipients}>{words.recipients(channel)}</td>
        <td className={`${css.rules} ${ruleCount === 0 ? css.quiet : ''}`} title={words.usedBy(channel)}>
          {words.rules(channel)}
        </td>
        <td className={css.created}>
          <time dateTime={new Date(createTime).toISOString()} title={format.absolute(createTime)}>
            {formatDateTime(createTime, format.language)}
          </time>
        </td>
        <td className={css.action}>
          {mayChange ? (
            <RowActions channel={channel} test={test} onTest={on.onTest} onOpen={on.onOpen} onDelete={on.onDelete} />
          ) : null}
        </td>
      </tr>
      {test ? (
        <tr className={css.outcome}>
          {/* Spans only the columns that are always visible: a cell over a hidden column would
              bring it back, empty, and squeeze the names. */}
          <td colSpan={2}>
            <div className={css.wide}>
              <TestPanel name={noticeName} test={test} onClose={() => on.onCloseTest(id)} />
            </div>
          </td>
        </tr>
      ) : null}
    </>
  );
});
