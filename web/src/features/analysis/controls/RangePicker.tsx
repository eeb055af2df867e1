import type { Dayjs } from 'dayjs';
import { useId, useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { now } from '@/lib/format/clock';
import { startOfDay } from '@/lib/format/date';
import { useLanguage } from '@/lib/i18n/i18n';
import { descriptors } from '@/lib/i18n/languages';
import { DatePicker, pickedTime, pickerDate } from '@/ui/form/DatePicker';
import type { Span } from '../data/line';
import css from './controls.module.css';

/** The two ends of the range, to choose any. */
export function RangePicker({ span, onSpan }: { span: Span; onSpan: (span: Span) => void }) {
  const { t } = useTranslation();
  const language = useLanguage((state) => state.language);
  const id = useId();
  const { from, to } = span;
  // The picker takes new date objects for a new value and forgets what was typed.
  // All there is begins nowhere until it has come.
  const value = useMemo<[Dayjs | null, Dayjs]>(() => [from > 0 ? pickerDate(from) : null, pickerDate(to)], [from, to]);
  const take = (dates: readonly (Dayjs | null)[] | null) => {
    const [start, end] = [dates?.[0], dates?.[1]];
    if (!start || !end) return;
    const chosen = { from: pickedTime(start), to: Math.min(pickedTime(end), Math.ceil(now())) };
    if (chosen.from < chosen.to) onSpan(chosen);
  };
  return (
    <div className={css.pickers}>
      <label className="visually-hidden" htmlFor={`${id}-from`}>
        {t('history.from')}
      </label>
      <label className="visually-hidden" htmlFor={`${id}-to`}>
        {t('history.to')}
      </label>
      <DatePicker.RangePicker
        id={{ start: `${id}-from`, end: `${id}-to` }}
        className={css.picker}
        value={value}
        onChange={take}
        showTime={{ format: 'HH:mm' }}
        format={`${descriptors[language].picker} HH:mm`}
        allowClear={false}
        disabledDate={(day) => startOfDay(pickedTime(day)) > now()}
      />
    </div>
  );
}
