import { Fragment } from 'react';
import { useTranslation } from 'react-i18next';
import { readingsText, windowText } from '@/lib/alarm/sentence';
import { maxHits, type Trigger, windows } from '@/lib/alarm/types';
import { useFormat } from '@/lib/format/format';
import { Select } from '@/ui/Select';
import css from './HoldRow.module.css';

interface HoldRowProps {
  trigger: Trigger | null;
  hitCounts: number;
  durations: number;
  onChange: (part: { hitCounts?: number; durations?: number }) => void;
}

const [hitsMark, windowMark] = ['\u0002', '\u0003'];

/**
 * How often within how long. The sentence of each language determines where the two lists stand.
 */
export function HoldRow({ trigger, hitCounts, durations, onChange }: HoldRowProps) {
  const { t } = useTranslation();
  const { language } = useFormat();
  const words =
    trigger === 1
      ? t('rule.form.holdOffline', { window: windowMark })
      : t('rule.form.hold', { readings: hitsMark, window: windowMark });
  const pieces = words.split(new RegExp(`([${hitsMark}${windowMark}])`));
  return (
    <div className={css.row}>
      {pieces.map((piece) => {
        if (piece === hitsMark) {
          return (
            <Select
              key={piece}
              className={css.list}
              aria-label={t('rule.form.hits')}
              value={hitCounts}
              onChange={({ target }) => onChange({ hitCounts: Number(target.value) })}
            >
              {Array.from({ length: maxHits }, (_, i) => i + 1).map((n) => (
                <option key={n} value={n}>
                  {readingsText(n, 'full', language)}
                </option>
              ))}
            </Select>
          );
        }
        if (piece === windowMark) {
          return (
            <Select
              key={piece}
              className={css.list}
              aria-label={t('rule.form.window')}
              value={durations}
              onChange={({ target }) => onChange({ durations: Number(target.value) })}
            >
              {windows.map((window) => (
                <option key={window} value={window}>
                  {windowText(window, 'full', language)}
                </option>
              ))}
            </Select>
          );
        }
        return <Fragment key={piece}>{piece.trim() === '' ? null : <span>{piece.trim()}</span>}</Fragment>;
      })}
    </div>
  );
}
