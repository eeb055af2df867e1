import ExclamationCircleOutlined from '@ant-design/icons/ExclamationCircleOutlined';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useId, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { clockSteps, isEveryDay, minutesOf, slotsPerDay, slotsText, withWeekdays } from '@/lib/alarm/period';
import { useFormat } from '@/lib/format/format';
import { userQuery } from '@/lib/http/queries';
import { Select } from '@/ui/Select';
import { OvernightSuggestion } from './OvernightSuggestion';
import css from './PeriodField.module.css';
import { PeriodPresets } from './PeriodPresets';
import type { PeriodValues } from './presets';
import { Segments } from './Segments';
import { SlotGrid } from './SlotGrid';
import { WeekdayField } from './WeekdayField';

interface PeriodFieldProps {
  value: PeriodValues;
  onChange: (part: Partial<PeriodValues>) => void;
  error: string | undefined;
  weekdaysError: string | undefined;
}

/**
 * When people are notified: from one time to another, or in chosen half hours; on which days. All
 * in the tenant's time zone.
 */
export function PeriodField({ value, onChange, error, weekdaysError }: PeriodFieldProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const id = useId();
  const user = useQuery(userQuery());
  const zone = user.data?.timeZone ?? '';
  const { complexTime, startTime, endTime, slots, weekdays } = value;
  const [start, end] = [minutesOf(startTime) ?? 0, minutesOf(endTime) ?? 0];
  const hintId = `${id}-told`;
  const field = useRef<HTMLFieldSetElement>(null);
  /**
   * How often a suggestion was taken. Its button then disappears, so the effect moves the focus.
   */
  const [taken, setTaken] = useState(0);
  useEffect(() => {
    if (taken > 0) field.current?.querySelector<HTMLElement>('[role="listbox"] [tabindex="0"], select')?.focus();
  }, [taken]);

  const range = (hours: string) => format.capital(withWeekdays(weekdays, hours, format));
  const words =
    complexTime === 0
      ? t('rule.form.simpleText', { range: range(`${startTime}–${endTime}`), zone })
      : slots.length === 0
        ? t('rule.form.slotsNone', { zone })
        : t('rule.form.slotsText', {
            count: slots.length,
            n: format.number(slots.length),
            ranges: range(slotsText(slots)),
            zone,
          });
  // Otherwise users may think that Friday's night lasts until Saturday's morning.
  const overMidnight = complexTime === 1 && slots.includes(0) && slots.includes(slotsPerDay - 1);
  const newDay = overMidnight && slots.length < slotsPerDay && !isEveryDay(weekdays);
  const line = (
    <p className={error ? css.error : css.told} id={hintId} aria-live="polite">
      {error ? (
        <>
          <ExclamationCircleOutlined aria-hidden="true" /> {error}
        </>
      ) : (
        words
      )}
      {newDay && !error ? <span className={css.newDay}>{t('rule.form.newDay')}</span> : null}
    </p>
  );
  return (
    <fieldset className={css.field} ref={field}>
      <legend className="visually-hidden">{t('rule.form.period')}</legend>
      <div className={css.head}>
        <span className={css.label} aria-hidden="true">
          {t('rule.form.period')}
        </span>
        <Segments
          bare
          small
          label={t('rule.form.period')}
          value={complexTime}
          options={([0, 1] as const).map((each) => ({ value: each, label: t(`rule.form.periods.${each}`) }))}
          onChange={(next) => onChange({ complexTime: next })}
        />
      </div>
      <PeriodPresets onChange={onChange} />
      {complexTime === 0 ? (
        <div className={css.times}>
          {(['startTime', 'endTime'] as const).map((name) => (
            <div key={name} className={css.time}>
              <label className={css.timeLabel} htmlFor={`${id}-${name}`}>
                {t(name === 'startTime' ? 'rule.form.start' : 'rule.form.end')}
              </label>
              <Select
                id={`${id}-${name}`}
                className={css.clock}
                value={value[name]}
                aria-invalid={error ? true : undefined}
                aria-describedby={hintId}
                onChange={({ target }) => onChange({ [name]: target.value })}
              >
                {clockSteps.map((clock) => (
                  <option key={clock} value={clock}>
                    {clock}
                  </option>
                ))}
              </Select>
            </div>
          ))}
        </div>
      ) : null}
      {/* With half hours, the error stands above them, since the first of them takes the focus:
          on a phone, a line below them would be off the screen. */}
      {error ? line : null}
      {complexTime === 1 ? (
        <>
          <SlotGrid
            slots={slots}
            onChange={(next) => onChange({ slots: next })}
            describedBy={`${hintId} ${id}-hint`}
            invalid={error !== undefined}
          />
          <p className="visually-hidden" id={`${id}-hint`}>
            {t('rule.form.slotsHint')}
          </p>
        </>
      ) : null}
      <OvernightSuggestion
        start={complexTime === 0 ? start : 0}
        end={end}
        onTake={(part) => {
          onChange(part);
          setTaken((times) => times + 1);
        }}
      />
      <WeekdayField value={weekdays} onChange={(next) => onChange({ weekdays: next })} error={weekdaysError} />
      {error ? null : line}
    </fieldset>
  );
}
