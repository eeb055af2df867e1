import { useTranslation } from 'react-i18next';
import { formatDateTime } from '@/lib/format/date';
import { missingValue, useFormat } from '@/lib/format/format';
import type { Attribute } from './attributes';
import type { Span } from './range';
import css from './TextChanges.module.css';

interface TextChangesProps {
  attribute: Attribute;
  changes: readonly { time: number; text: string }[];
  window: Span;
}

/** Further changes are in the table of all readings and in the export. */
const maxChanges = 200;

/**
 * The values of a text attribute in the window, one per change; the value at the window's beginning
 * comes first.
 */
export function TextChanges({ attribute, changes, window }: TextChangesProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const before = changes.findLast(({ time }) => time < window.from);
  const within = changes.filter(({ time }) => time >= window.from && time <= window.to);
  const shown = [...(before ? [before] : []), ...within].slice(0, maxChanges);
  return (
    <table className={css.table}>
      <caption>{attribute.name}</caption>
      <thead className="visually-hidden">
        <tr>
          <th scope="col">{t('history.time')}</th>
          <th scope="col">{attribute.name}</th>
        </tr>
      </thead>
      <tbody>
        {shown.length === 0 ? (
          <tr>
            <td colSpan={2}>{t('common.empty')}</td>
          </tr>
        ) : (
          shown.map(({ time, text }) => (
            <tr key={time}>
              <th scope="row">{formatDateTime(time, format.language)}</th>
              <td>{text || missingValue}</td>
            </tr>
          ))
        )}
      </tbody>
    </table>
  );
}
