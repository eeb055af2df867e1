import { useTranslation } from 'react-i18next';
import { missing, useFormat } from '@/lib/format/format';
import { figuresOf } from './figures';
import type { Model } from './model';
import type { Span } from './range';
import css from './StatsTable.module.css';

interface StatsTableProps {
  model: Model;
  window: Span;
  /** What is compared with, in words. */
  otherTitle: string | null;
}

/** Lowest, mean and highest of what is in view: the chart in figures. */
export function StatsTable({ model, window, otherTitle }: StatsTableProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const traces = model.panels
    .flatMap(({ traces }) => traces)
    .sort((a, b) => (a.attribute.id === b.attribute.id ? Number(a.compared) - Number(b.compared) : 0));
  if (traces.length === 0) return null;
  return (
    <table className={css.table}>
      <thead>
        <tr>
          <th scope="col">{t('history.inView')}</th>
          <th scope="col">{t('history.low')}</th>
          <th scope="col">{t('history.mean')}</th>
          <th scope="col">{t('history.high')}</th>
        </tr>
      </thead>
      <tbody>
        {traces.map((trace) => {
          const { attribute, compared } = trace;
          const figures = figuresOf(trace, window, format);
          const unit = format.unit(attribute.unit);
          const name = compared && otherTitle ? otherTitle : attribute.name;
          return (
            <tr key={`${attribute.id} ${compared}`} className={compared ? css.other : undefined}>
              <th scope="row">
                <span className={css.cell} title={compared ? name : undefined}>
                  {compared ? <span className="visually-hidden">{attribute.name}, </span> : null}
                  {name}
                  {compared || unit === '' ? null : <span className={css.unit}> {unit}</span>}
                </span>
              </th>
              {figures.kind === 'three' ? (
                <>
                  <td>{figures.low}</td>
                  <td>{figures.mean}</td>
                  <td>{figures.high}</td>
                </>
              ) : (
                <td colSpan={3}>
                  {figures.kind === 'none' ? missing : t(`history.figure.${figures.kind}`, { value: figures.text })}
                </td>
              )}
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}
