import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { formatDateTime } from '@/lib/format/date';
import { missingValue, useFormat } from '@/lib/format/format';
import { PlainButton } from '@/ui/PlainButton';
import { fullName } from './chart/names';
import type { Column } from './data/column';
import type { Span } from './data/line';
import type { OnTimes, Phase } from './data/onTimes';
import css from './OnTimesList.module.css';

/** How many on-times are listed before somebody asks for all. */
const fewRows = 10;

/** When each switch was on, the newest first, and its longest times. It says what the strips show. */
export function OnTimesList({ columns }: { columns: readonly Column[] }) {
  const { t } = useTranslation();
  const switches = columns.filter(({ line }) => line.onTimes);
  if (switches.length === 0) return null;
  return (
    <section className={css.place}>
      <h2 className={css.title}>{t('analysis.onTimes.title')}</h2>
      {switches.map((column) => (
        <div key={column.key} className={css.one}>
          <h3 className={css.name}>{fullName(column, t)}</h3>
          {column.line.onTimes ? <Times of={column.line.onTimes} label={fullName(column, t)} /> : null}
        </div>
      ))}
    </section>
  );
}

function Times({ of: { phases, total, longestOn, longestOff, to }, label }: { of: OnTimes; label: string }) {
  const { t } = useTranslation();
  const format = useFormat();
  const [all, setAll] = useState(false);
  const longest = (span: Span) =>
    t('analysis.onTimes.longest', {
      duration: format.hours(span.to - span.from),
      from: formatDateTime(span.from, format.language),
      to: formatDateTime(span.to, format.language),
    });
  const facts = [
    { name: t('analysis.onTimes.total'), value: format.hours(total.on) },
    { name: t('analysis.onTimes.totalOff'), value: format.hours(total.off) },
    { name: t('analysis.onTimes.startsName'), value: format.number(total.starts) },
    { name: t('analysis.onTimes.longestOn'), value: longestOn && longest(longestOn) },
    { name: t('analysis.onTimes.longestOff'), value: longestOff && longest(longestOff) },
    { name: t('analysis.onTimes.notKnown'), value: total.unknown > 0 ? format.hours(total.unknown) : null },
  ].filter(({ value }) => value !== null);
  const rows = phases ? onRows(phases) : [];
  const shown = all ? rows : rows.slice(0, fewRows);
  const date = (time: number) => formatDateTime(time, format.language);
  const offText = ({ from, to: end }: Phase, last: boolean) => {
    const duration = format.hours(end - from);
    return last ? t('analysis.onTimes.stillOff', { duration }) : duration;
  };
  return (
    <>
      <dl className={css.facts}>
        {facts.map(({ name, value }) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      {phases === null ? <p className={css.note}>{t('analysis.onTimes.tooMany')}</p> : null}
      {rows.length > 0 ? (
        <table className={css.table} aria-label={label}>
          <thead>
            <tr>
              <th scope="col">{t('analysis.onTimes.started')}</th>
              <th scope="col">{t('analysis.onTimes.stopped')}</th>
              <th scope="col">{t('analysis.onTimes.onFor')}</th>
              <th scope="col">{t('analysis.onTimes.thenOff')}</th>
            </tr>
          </thead>
          <tbody>
            {shown.map(({ before, on, after, last }) => (
              <tr key={on.from}>
                <td>
                  {before ? (
                    before.state === 'off' ? (
                      date(on.from)
                    ) : (
                      t('analysis.onTimes.unknown')
                    )
                  ) : (
                    <span className={css.quiet}>{t('analysis.onTimes.before')}</span>
                  )}
                </td>
                <td>
                  {after ? (
                    after.state === 'off' ? (
                      date(on.to)
                    ) : (
                      t('analysis.onTimes.unknown')
                    )
                  ) : (
                    <span className={css.quiet}>{t('analysis.onTimes.still', { at: date(to) })}</span>
                  )}
                </td>
                <td>{format.hours(on.to - on.from)}</td>
                <td>{after?.state === 'off' ? offText(after, last) : missingValue}</td>
              </tr>
            ))}
          </tbody>
        </table>
      ) : null}
      {shown.length < rows.length ? (
        <PlainButton onClick={() => setAll(true)}>
          {t('analysis.onTimes.all', { n: format.number(rows.length) })}
        </PlainButton>
      ) : null}
    </>
  );
}

interface OnRow {
  on: Phase;
  /** What was before and after it; undefined at the ends of the range. */
  before: Phase | undefined;
  after: Phase | undefined;
  /** What was after it lasts to the end of the range. */
  last: boolean;
}

/** The on-times, the newest first. */
function onRows(phases: readonly Phase[]): OnRow[] {
  return phases
    .flatMap((on, index) =>
      on.state === 'on'
        ? [{ on, before: phases[index - 1], after: phases[index + 1], last: index + 2 === phases.length }]
        : [],
    )
    .reverse();
}
