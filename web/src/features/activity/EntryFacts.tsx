import { useTranslation } from 'react-i18next';
import css from './EntryFacts.module.css';
import { fieldLabel, type textContext, valueText } from './entryText';
import type { Entry } from './queries';

interface EntryFactsProps {
  entry: Entry;
  context: ReturnType<typeof textContext>;
}

/** Everything that is known of an entry: its time, where it came from, and what changed. */
export function EntryFacts({ entry: { time, address, request, changes }, context }: EntryFactsProps) {
  const { t } = useTranslation();
  // A creation has no values before it, a deletion none after it.
  const sides = (['before', 'after'] as const).filter((side) =>
    changes.some((change) => change.hidden || change[side] !== undefined),
  );
  return (
    <div className={css.facts}>
      <dl className={css.terms}>
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
