import ExclamationCircleOutlined from '@ant-design/icons/ExclamationCircleOutlined';
import { type KeyboardEvent, useId, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { formatWeekday, weekdayNumbers, weekdaysInOrder } from '@/lib/format/weekday';
import { useLanguage } from '@/lib/i18n/i18n';
import css from './WeekdayField.module.css';

interface WeekdayFieldProps {
  /** 1 Monday to 7 Sunday, ascending. */
  value: readonly number[];
  onChange: (weekdays: readonly number[]) => void;
  error: string | undefined;
}

/**
 * The days of the week on which the period applies: one button a day, in the order of the
 * language's calendars.
 */
export function WeekdayField({ value, onChange, error }: WeekdayFieldProps) {
  const { t } = useTranslation();
  const id = useId();
  const language = useLanguage((state) => state.language);
  const days = weekdaysInOrder(language);
  const [first = 1] = days;
  /** The button in the tab order; the arrow keys lead to the others. */
  const [active, setActive] = useState<number>();
  const bar = useRef<HTMLDivElement>(null);

  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const at = days.indexOf(active ?? first);
    const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: days.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    bar.current
      ?.querySelectorAll('button')
      .item(Math.min(days.length - 1, Math.max(0, to)))
      .focus();
  };
  const toggle = (day: number) =>
    onChange(
      value.includes(day)
        ? value.filter((weekday) => weekday !== day)
        : weekdayNumbers.filter((weekday) => weekday === day || value.includes(weekday)),
    );

  return (
    <div className={css.field}>
      <span className={css.label} aria-hidden="true">
        {t('rule.form.days')}
      </span>
      <div
        ref={bar}
        role="toolbar"
        className={`${css.days} ${error ? css.wrong : ''}`}
        aria-label={t('rule.form.weekdays')}
        aria-describedby={error ? id : undefined}
        data-wrong={error ? true : undefined}
        onKeyDown={onKeyDown}
      >
        {days.map((day) => (
          <button
            key={day}
            type="button"
            className={css.day}
            aria-pressed={value.includes(day)}
            aria-label={formatWeekday(day, language, 'long')}
            title={formatWeekday(day, language, 'long')}
            tabIndex={day === (active ?? first) ? 0 : -1}
            onFocus={() => setActive(day)}
            onClick={() => toggle(day)}
          >
            {formatWeekday(day, language)}
          </button>
        ))}
      </div>
      {error ? (
        <p className={css.error} id={id}>
          <ExclamationCircleOutlined aria-hidden="true" /> {error}
        </p>
      ) : null}
    </div>
  );
}
