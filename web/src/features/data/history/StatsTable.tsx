import { useTranslation } from 'react-i18next';
import { missingValue, useFormat } from '@/lib/format/format';
import { figuresOf } from './figures';
import type { Model } from './model';
import type { Span } from './range';
import css from './StatsTable.module.css';

interface StatsTableProps {
  model: Model;
  window: Span;
  /** The text that names the comparison. */
  otherTitle: string | null;
}

/**
 * If the three columns have more characters, the figures stand below their name: otherwise the name
 * would break within words.
 */
const maxInlineLength = 21;

/** Lowest, mean and highest of the window: the chart in figures. */
export function StatsTable({ model, window, otherTitle }: StatsTableProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const traces = model.panels
    .flatMap(({ traces }) => traces)
    .sort((a, b) => (a.attribute.id === b.attribute.id ? Number(a.compared) - Number(b.compared) : 0));
  if (traces.length === 0) return null;
  const rows = traces.map((trace) => ({ trace, figures: figuresOf(trace, window, format) }));
  // The width of each column's widest cell, in characters.
  const widest = (['low', 'mean', 'high'] as const).reduce(
    (all, which) =>
      all + Math.max(0, ...rows.map(({ figures }) => (figures.kind === 'three' ? figures[which].length : 0))),
    0,
  );
  const stacked = widest > maxInlineLength;
  return (
    <table className={`${css.table} ${stacked ? css.stacked : ''}`}>
      <thead>
        <tr>
          <th scope="col">{t('history.inView')}</th>
          <th scope="col">{t('history.low')}</th>
          <th scope="col">{t('history.mean')}</th>
          <th scope="col">{t('history.high')}</th>
        </tr>
      </thead>
      {rows.map(({ trace, figures }) => {
        const { attribute, compared } = trace;
        const unit = format.unit(attribute.unit, attribute.name);
        const name = compared && otherTitle ? otherTitle : attribute.name;
        const values =
          figures.kind === 'three' ? (
            <>
              <td>{figures.low}</td>
              <td>{figures.mean}</td>
              <td>{figures.high}</td>
            </>
          ) : (
            <td colSpan={3}>
              {figures.kind === 'none' ? missingValue : t(`history.figure.${figures.kind}`, { value: figures.text })}
            </td>
          );
        return (
          <tbody key={`${attribute.id} ${compared}`} className={compared ? css.other : undefined}>
            <tr>
              <th scope={stacked ? 'rowgroup' : 'row'} colSpan={stacked ? 4 : 1}>
                <span className={css.cell} title={compared ? name : undefined}>
                  {compared ? <span className="visually-hidden">{attribute.name}, </span> : null}
                  {name} {compared || unit === '' ? null : <span className={css.unit}>{unit}</span>}
                </span>
              </th>
              {stacked ? null : values}
            </tr>
            {stacked ? (
              <tr>
                <td />
                {values}
              </tr>
            ) : null}
          </tbody>
        );
      })}
    </table>
  );
}
