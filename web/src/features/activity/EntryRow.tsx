import DownOutlined from '@ant-design/icons/DownOutlined';
import { memo, useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useClock } from '@/lib/format/clock';
import css from './EntryRow.module.css';
import { entrySentence, fieldLabel, personText, type textContext, valueText } from './entryText';
import type { Entry } from './queries';

interface EntryRowProps {
  entry: Entry;
  context: ReturnType<typeof textContext>;
}

/** One entry: when, who and what. It unfolds to show everything that is known of it. */
export const EntryRow = memo(function EntryRow({ entry, context }: EntryRowProps) {
  const [open, setOpen] = useState(false);
  const id = useId();
  const when = useClock((now) => context.format.moment(entry.time, now));
  const [before, thing, after] = entrySentence(entry, context);
  return (
    <>
      <button
        type="button"
        className={css.row}
        aria-expanded={open}
        aria-controls={open ? id : undefined}
        onClick={() => setOpen(!open)}
      >
        <time
          className={css.time}
          dateTime={new Date(entry.time).toISOString()}
          title={context.format.absolute(entry.time)}
        >
          {when}
        </time>
        <span className={css.who}>{personText(entry, context)}</span>
        <span className={css.what}>
          {before}
          <b>{thing}</b>
          {after}
        </span>
        <DownOutlined className={`${css.chevron} ${open ? css.up : ''}`} aria-hidden="true" />
      </button>
      {open ? <Details id={id} entry={entry} context={context} /> : null}
    </>
  );
});

function Details({ id, entry, context }: EntryRowProps & { id: string }) {
  const { t } = useTranslation();
  const { time, address, request, changes } = entry;
  // A creation has no values before it, a deletion none after it.
  const sides = (['before', 'after'] as const).filter((side) =>
    changes.some((change) => change.hidden || change[side] !== undefined),
  );
  return (
    <div id={id} className={css.details}>
      <dl className={css.facts}>
        <dt>{t('activity.time')}</dt>
        <dd>{context.format.absolute(time)}</dd>
        {address ? (
          <>
            <dt>{t('activity.address')}</dt>
            <dd>{address}</dd>
          </>
        ) : null}
        {request ? (
          <>
            <dt>{t('activity.request')}</dt>
            <dd>
              <code>{request}</code>
            </dd>
          </>
        ) : null}
      </dl>
      {changes.length > 0 ? (
        <table className={css.changes}>
          <thead>
            <tr>
              <th scope="col">{t('activity.column.field')}</th>
              {sides.map((side) => (
                <th key={side} scope="col">
                  {t(`activity.column.${side}`)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {changes.map((change) => (
              <tr key={change.field}>
                <th scope="row">{fieldLabel(change.field, context)}</th>
                {change.hidden ? (
                  <td colSpan={sides.length} className={css.hidden}>
                    {t('activity.hidden')}
                  </td>
                ) : (
                  sides.map((side) => (
                    <td key={side} data-label={sides.length > 1 ? t(`activity.column.${side}`) : undefined}>
                      {valueText(change.field, change[side], context)}
                    </td>
                  ))
                )}
              </tr>
            ))}
          </tbody>
        </table>
      ) : null}
    </div>
  );
}
