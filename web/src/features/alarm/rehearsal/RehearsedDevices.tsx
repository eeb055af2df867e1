import { useDeferredValue, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { RehearsedDevice } from '@/lib/alarm/types';
import { useDeliveryReach } from '@/lib/channel/deliveryReach';
import { useFormat } from '@/lib/format/format';
import { phoneQuery, useMediaQuery } from '@/lib/hooks/useMediaQuery';
import { Empty } from '@/ui/Empty';
import { ZoneNote } from '@/ui/ZoneNote';
import type { RuleFormState } from '../form/useRuleForm';
import css from './RehearsedDevices.module.css';
import { rowTitle } from './rowOrder';
import { useFleetRehearsal } from './useFleetRehearsal';
import { useWorstFirst } from './useWorstFirst';

/** The id of the list's heading, for the link that leads there. */
export const devicesId = 'rehearsed-devices';
/** How many lines are shown at first, and how many more each click adds. */
const [atFirst, further] = [10, 50];

/**
 * What a rule of several devices would have done on each: one line a device, the worst first. Lines
 * appear as they arrive.
 */
export function RehearsedDevices({ form }: { form: RuleFormState }) {
  const { many, enough, rows } = useFleetRehearsal(form);
  return many && enough && rows.length > 0 ? <Devices form={form} /> : null;
}

function Devices({ form }: { form: RuleFormState }) {
  const { t } = useTranslation();
  const format = useFormat();
  const isPhone = useMediaQuery(phoneQuery);
  const { rehearsal, rows, total, finished } = useFleetRehearsal(form);
  const { ordered, hold } = useWorstFirst(useDeferredValue(rows));
  const [most, setMost] = useState(atFirst);
  const { values } = form;
  const reach = useDeliveryReach(values.channels);
  // Nobody is notified if the rule names no channel or none of its channels reaches anybody.
  const notifies = values.channels.length > 0 && (reach ?? 'out') === 'out';
  const hidden = ordered.length - most;
  const parts = { rows: ordered.slice(0, most), notifies, ofReadings: values.trigger === 0 };
  return (
    <section
      className={`${css.place} ${rehearsal.isPlaceholderData ? css.old : ''}`}
      aria-labelledby={devicesId}
      aria-busy={rehearsal.waiting}
    >
      <h3 id={devicesId} className={css.head} tabIndex={-1}>
        {t('rule.rehearsal.all.title')}
      </h3>
      {finished && total === 0 ? (
        <Empty kind="good" level={3} title={t('rule.rehearsal.would', { count: 0, n: format.number(0) })} />
      ) : (
        <>
          <ZoneNote />
          <div {...hold}>{isPhone ? <Cards {...parts} /> : <Table {...parts} />}</div>
          {hidden > 0 ? (
            <button type="button" className={css.more} onClick={() => setMost(most + further)}>
              {t('rule.rehearsal.all.more', { count: hidden, n: format.number(hidden) })}
            </button>
          ) : null}
        </>
      )}
    </section>
  );
}

interface PartsProps {
  rows: readonly RehearsedDevice[];
  /** People would be notified: the lines say how often. */
  notifies: boolean;
  /** The rule is on readings; a device may have none. */
  ofReadings: boolean;
}

function Table({ rows, ...rest }: PartsProps) {
  const { t } = useTranslation();
  return (
    <table className={css.table} aria-labelledby={devicesId}>
      <thead>
        <tr>
          <th scope="col">{t('rule.rehearsal.all.device')}</th>
          <th scope="col">{t('rule.rehearsal.all.alarms')}</th>
          {rest.notifies ? <th scope="col">{t('rule.rehearsal.all.told')}</th> : null}
          <th scope="col">{t('rule.rehearsal.all.nights')}</th>
          <th scope="col">{t('rule.rehearsal.all.longest')}</th>
          <th scope="col">{t('rule.rehearsal.all.last')}</th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <Row key={row.deviceName} row={row} {...rest} />
        ))}
      </tbody>
    </table>
  );
}

interface OneProps extends Omit<PartsProps, 'rows'> {
  row: RehearsedDevice;
}

function useCells({ row, notifies, ofReadings }: OneProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const { total, told, nights, longest, lastTime, samples, fits } = row;
  const some = total > 0;
  return {
    total: format.number(total),
    told: notifies ? (some ? format.number(told) : '–') : undefined,
    nights: some ? format.number(nights) : '–',
    longest: some ? format.duration(longest) : '–',
    // Always with its day.
    last: lastTime === undefined ? '–' : format.moment(lastTime, lastTime + 86_400_000 * 2),
    // The reason why a line has no figures.
    note: !ofReadings
      ? undefined
      : samples === 0
        ? t('rule.rehearsal.all.none')
        : fits === false
          ? t('rule.rehearsal.all.seldom')
          : undefined,
  };
}

function Row(props: OneProps) {
  const { row } = props;
  const cells = useCells(props);
  return (
    <tr className={row.total === 0 ? css.quiet : undefined}>
      <th scope="row">
        <span className={css.name} title={row.deviceName}>
          {rowTitle(row)}
        </span>
        {cells.note ? <span className={css.note}>{cells.note}</span> : null}
      </th>
      <td className={css.strong}>{cells.total}</td>
      {cells.told === undefined ? null : <td>{cells.told}</td>}
      <td>{cells.nights}</td>
      <td>{cells.longest}</td>
      <td>{cells.last}</td>
    </tr>
  );
}

/** On a phone: the devices one below the other. */
function Cards({ rows, ...rest }: PartsProps) {
  return (
    <ul className={css.cards} aria-labelledby={devicesId}>
      {rows.map((row) => (
        <Card key={row.deviceName} row={row} {...rest} />
      ))}
    </ul>
  );
}

function Card(props: OneProps) {
  const { t } = useTranslation();
  const { row } = props;
  const cells = useCells(props);
  const facts = [
    [t('rule.rehearsal.all.told'), cells.told],
    [t('rule.rehearsal.all.nights'), cells.nights],
    [t('rule.rehearsal.all.longest'), cells.longest],
    [t('rule.rehearsal.all.last'), cells.last],
  ] as const;
  return (
    <li className={`${css.card} ${row.total === 0 ? css.quiet : ''}`}>
      <p className={css.first}>
        <span className={css.name}>{rowTitle(row)}</span>
        <span className={css.strong}>{t('rule.rehearsal.all.count', { count: row.total, n: cells.total })}</span>
      </p>
      {cells.note ? <p className={css.note}>{cells.note}</p> : null}
      {row.total > 0 ? (
        <dl className={css.facts}>
          {facts.map(([name, value]) =>
            value === undefined ? null : (
              <div key={name} className={css.fact}>
                <dt>{name}</dt>
                <dd>{value}</dd>
              </div>
            ),
          )}
        </dl>
      ) : null}
    </li>
  );
}
