import DisconnectOutlined from '@ant-design/icons/DisconnectOutlined';
import { Link } from '@tanstack/react-router';
import { memo } from 'react';
import { useTranslation } from 'react-i18next';
import { isStale } from '@/lib/device/staleness';
import { type Device, nameOf } from '@/lib/device/types';
import { useClock, useNow } from '@/lib/format/clock';
import { useFormat } from '@/lib/format/format';
import { Age } from '@/ui/Age';
import { LevelTag } from '@/ui/alarm/tags';
import { CorrectedMark } from '@/ui/CorrectedMark';
import { Dot } from '@/ui/Dot';
import { ReadingText } from '@/ui/ReadingText';
import { Sparkline } from '@/ui/Sparkline';
import { CompareBox } from '../compare/CompareBox';
import type { QuantityColumn } from './columns';
import css from './DeviceTable.module.css';
import type { LineOf } from './useDayLines';

interface DeviceRowProps {
  /** Undefined while it is loading. */
  device: Device | undefined;
  columns: readonly QuantityColumn[];
  lineOf: LineOf;
  /** The row's number in the whole table, its header included. */
  rowIndex: number;
}

/** A device and its latest values, each with the line of its day. */
export const DeviceRow = memo(function DeviceRow({ device, columns, lineOf, rowIndex }: DeviceRowProps) {
  const { t } = useTranslation();
  if (!device) {
    return (
      <tr className={css.row} aria-rowindex={rowIndex}>
        <th scope="row" className={css.name}>
          <span className={css.wait}>{t('common.loading')}</span>
        </th>
        <td colSpan={columns.length} />
      </tr>
    );
  }
  const { deviceName, alarmLevel, onlineState } = device;
  const name = nameOf(device);
  return (
    <tr className={css.row} aria-rowindex={rowIndex}>
      <th scope="row" className={css.name}>
        <span className={css.device}>
          <CompareBox device={device} />
          <span className={css.words}>
            <Link
              from="/data"
              to="."
              search={(before) => ({ ...before, device: deviceName, history: 1 as const })}
              resetScroll={false}
              className={css.link}
              title={name}
              aria-label={t('data.card.historyOf', { name })}
            >
              {name}
            </Link>
            {onlineState === 1 && alarmLevel === undefined ? null : (
              <span className={css.state}>
                {onlineState === 1 ? <Dot state="online" label={t('home.state.online')} /> : null}
                {alarmLevel === undefined ? null : <LevelTag level={alarmLevel} title={t('home.state.alarm')} />}
                {onlineState === 0 ? (
                  <span className={css.off} title={t('home.state.offline')}>
                    <DisconnectOutlined aria-hidden="true" />
                    <span className={css.offWord}>{t('home.state.offline')}</span>
                  </span>
                ) : null}
              </span>
            )}
          </span>
        </span>
      </th>
      {columns.map((column) => (
        <Cell key={column.sign} device={device} column={column} lineOf={lineOf} />
      ))}
    </tr>
  );
});

interface CellProps {
  device: Device;
  column: QuantityColumn;
  lineOf: LineOf;
}

const dayMs = 24 * 3_600_000;

function Cell({ device, column, lineOf }: CellProps) {
  const { t } = useTranslation();
  const reading = device.lastData[0]?.[column.sign];
  const stale = useClock((now) => reading !== undefined && isStale(reading.time, device.offlineAfter, undefined, now));
  if (!reading) return <td />;
  const old = stale || device.onlineState === 0;
  const main = column.sign === device.mainSign;
  return (
    <td>
      <span className={css.cell}>
        <span className={css.reading}>
          <span className={`${css.value} ${old ? css.old : ''} ${main ? css.main : ''}`}>
            <ReadingText of={reading} beside={column.name} unit={css.unit} />
            <CorrectedMark of={reading} />
          </span>
          {stale ? <Age time={reading.time} stale staleLabel={t('home.readings.stale')} /> : null}
        </span>
        {column.line && typeof reading.value === 'number' ? (
          <Line
            points={lineOf(device.deviceName, column.sign)}
            newest={{ ...reading, value: reading.value }}
            quiet={old}
          />
        ) : null}
      </span>
    </td>
  );
}

interface LineProps {
  points: ReturnType<LineOf>;
  newest: { time: number; value: number; precision?: number | undefined };
  quiet: boolean;
}

function Line({ points, newest, quiet }: LineProps) {
  const { t } = useTranslation();
  const format = useFormat();
  // A quarter of an hour is less than a pixel of this line.
  const to = useNow(15 * 60_000) + 60_000;
  if (points.length === 0) return <span className={css.line} />;
  const line = [...points.filter(({ time }) => time < newest.time), newest];
  const values = line.map(({ value }) => value);
  const words = t('data.card.day', {
    low: format.number(Math.min(...values), newest.precision),
    high: format.number(Math.max(...values), newest.precision),
  });
  return (
    <span className={css.line} title={words}>
      <Sparkline points={line} from={to - dayMs} to={to} quiet={quiet} />
    </span>
  );
}
