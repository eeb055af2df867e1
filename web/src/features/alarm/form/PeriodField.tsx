import ExclamationCircleOutlined from '@ant-design/icons/ExclamationCircleOutlined';
import { useQuery } from '@tanstack/react-query';
import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import { clockSteps, minutesOf, slotsText } from '@/lib/alarm/period';
import { useFormat } from '@/lib/format/format';
import { userQuery } from '@/lib/queries';
import { Select } from '@/ui/Select';
import css from './PeriodField.module.css';
import { Segments } from './Segments';
import { SlotGrid } from './SlotGrid';
import { overnightSlots } from './slots';
import type { RuleValues } from './values';

type Period = Pick<RuleValues, 'complexTime' | 'startTime' | 'endTime' | 'slots'>;

interface PeriodFieldProps {
  value: Period;
  onChange: (part: Partial<Period>) => void;
  error: string | undefined;
}

/** When people are told: from one time to another, or in chosen half hours. In the farm's zone. */
export function PeriodField({ value, onChange, error }: PeriodFieldProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const id = useId();
  const user = useQuery(userQuery());
  const zone = user.data?.timeZone ?? '';
  const { complexTime, startTime, endTime, slots } = value;
  const [start, end] = [minutesOf(startTime) ?? 0, minutesOf(endTime) ?? 0];
  const night = overnightSlots(start, end);
  const told = `${id}-told`;

  const words =
    complexTime === 0
      ? t('rule.form.simpleText', { range: `${startTime}–${endTime}`, zone })
      : slots.length === 0
        ? t('rule.form.slotsNone', { zone })
        : t('rule.form.slotsText', {
            count: slots.length,
            n: format.number(slots.length),
            ranges: slotsText(slots),
            zone,
          });
  const line = (
    <p className={error ? css.error : css.told} id={told}>
      {error ? <ExclamationCircleOutlined aria-hidden="true" /> : null} {error ?? words}
    </p>
  );
  return (
    <fieldset className={css.field}>
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
                aria-describedby={told}
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
      ) : (
        <>
          {/* Above the hours, of which the first takes the keyboard: on a phone what is below them is off the screen. */}
          {error ? line : null}
          <SlotGrid
            slots={slots}
            onChange={(next) => onChange({ slots: next })}
            describedBy={`${told} ${id}-hint`}
            invalid={error !== undefined}
          />
        </>
      )}
      {complexTime === 1 && error ? null : line}
      {complexTime === 1 ? (
        <p className="visually-hidden" id={`${id}-hint`}>
          {t('rule.form.slotsHint')}
        </p>
      ) : null}
      {complexTime === 0 && start > end ? (
        <button type="button" className={css.night} onClick={() => onChange({ complexTime: 1, slots: night })}>
          {t('rule.form.overnight', { range: slotsText(night) })}
        </button>
      ) : null}
    </fieldset>
  );
}
