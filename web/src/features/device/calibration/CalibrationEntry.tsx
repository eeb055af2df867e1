import { Button } from 'antd';
import type { TFunction } from 'i18next';
import { useTranslation } from 'react-i18next';
import { formatDateTime } from '@/lib/format/date';
import { type Format, useFormat } from '@/lib/format/format';
import css from './Calibrations.module.css';
import type { Calibration } from './queries';

interface CalibrationEntryProps {
  entry: Calibration;
  /** Asks whether to undo it; undefined for those who may not. */
  onUndo: (() => void) | undefined;
}

/** A calibration: what it corrects, since when, by whom, and whether it was undone. */
export function CalibrationEntry({ entry, onUndo }: CalibrationEntryProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const { name, fromTime, note, by, swap, undoneBy, undoTime } = entry;
  const undone = undoneBy !== undefined;
  const time = (at: number) => formatDateTime(at, format.language);
  return (
    <li className={`${css.entry} ${undone ? css.undone : ''}`}>
      <div className={css.words}>
        <p>
          <span className={css.name}>{name}</span> <span className={css.what}>{whatText(entry, format, t)}</span>
        </p>
        <p className={css.side}>
          {t('calibration.since', { time: time(fromTime) })}
          {by === '' ? null : ` · ${by}`}
        </p>
        {note === '' ? null : <p className={css.noted}>{note}</p>}
        {undone && undoTime !== undefined ? (
          <p className={css.side}>{t('calibration.undone', { by: undoneBy, time: time(undoTime) })}</p>
        ) : null}
      </div>
      {onUndo && !undone && !swap ? (
        <Button size="small" aria-label={t('calibration.undo.of', { name, time: time(fromTime) })} onClick={onUndo}>
          {t('calibration.undo.verb')}
        </Button>
      ) : null}
    </li>
  );
}

/** What a calibration does: +0.5 °C; 4.1 → 4, 7.2 → 7; not corrected. */
export function whatText(entry: Calibration, format: Format, t: TFunction): string {
  const { kind, offset = 0, raw1 = 0, true1 = 0, raw2 = 0, true2 = 0, unit, swap } = entry;
  if (swap) return t('calibration.swap');
  if (kind === 'none') return t('calibration.none');
  if (kind === 'offset') return `${offset > 0 ? '+' : ''}${format.reading({ value: offset, unit })}`;
  const point = (raw: number, right: number) => `${format.number(raw)} → ${format.number(right)}`;
  return format.list([point(raw1, true1), point(raw2, true2)]);
}
