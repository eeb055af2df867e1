import { ConfigProvider, Segmented } from 'antd';
import type { Dayjs } from 'dayjs';
import { useId, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { now } from '@/lib/format/clock';
import { phoneQuery, useMediaQuery } from '@/lib/hooks/useMediaQuery';
import { useLanguage } from '@/lib/i18n/i18n';
import { descriptors } from '@/lib/i18n/languages';
import { DatePicker, pickedTime, pickerDate } from '@/ui/form/DatePicker';
import { phoneCells } from '@/ui/form/phoneCells';
import timePopup from '@/ui/form/timePopup.module.css';
import { Select } from '@/ui/Select';
import { ZoneNote } from '@/ui/ZoneNote';
import css from './RangeField.module.css';
import {
  calendarShortcuts,
  futureTimes,
  isFuture,
  isFutureDay,
  type Shortcut,
  type Span,
  shortcuts,
  spanOf,
  validateRange,
} from './range';

interface RangeFieldProps {
  /** The chosen range; null while it is invalid. */
  span: Span | null;
  /** The shortcut that chose the range. */
  shortcut: Shortcut | null;
  onChange: (span: Span | null, shortcut: Shortcut | null) => void;
}

/**
 * The range: a shortcut or two times. For an invalid range, the field says why; a range that is too
 * long is cleared. On a phone all shortcuts are in one row that scrolls sideways, and the times
 * appear when none of them is chosen.
 */
export function RangeField({ span, shortcut, onChange }: RangeFieldProps) {
  const { t } = useTranslation();
  const language = useLanguage((state) => state.language);
  const isPhone = useMediaQuery(phoneQuery);
  const id = useId();
  const [open, setOpen] = useState(false);
  // On a phone: the user asked for the times.
  const [custom, setCustom] = useState(false);
  // The field's content while it is not a valid range.
  const [ends, setEnds] = useState<[number | null, number | null]>([null, null]);
  // The last choice was cleared because it was too long, and nothing has been chosen since.
  const [cleared, setCleared] = useState(false);

  const [from, to] = span ? [span.from, span.to] : ends;
  // Memoized: the picker takes new date objects for a new value and forgets the end that the user
  // has chosen so far, and incoming readings render this field all the time.
  const value = useMemo<[Dayjs | null, Dayjs | null]>(() => [dateOf(from), dateOf(to)], [from, to]);

  const validated = span ? { span } : validateRange(from, to, now());
  const error = 'span' in validated ? null : cleared ? 'history.rangeTooLong' : validated.error;

  const takeShortcut = (chosen: Shortcut) => {
    setCleared(false);
    setCustom(false);
    onChange(spanOf(chosen, Math.floor(now()), descriptors[language].weekStart), chosen);
  };

  const take = (dates: Dates) => {
    const chosen = endsOf(dates);
    const verdict = validateRange(...chosen, now());
    if ('span' in verdict) {
      setCleared(false);
      const known = calendarShortcuts.find((name) => {
        const of = spanOf(name, verdict.span.to, descriptors[language].weekStart);
        return of.from === verdict.span.from && of.to === verdict.span.to;
      });
      onChange(verdict.span, known ?? null);
      return;
    }
    setCleared(verdict.clear);
    setEnds(verdict.clear ? [null, null] : chosen);
    onChange(null, null);
  };

  // A future time can only be typed. The picker never reports it as chosen and would restore the
  // previous value: here it stays, with the reason why it is invalid.
  const notice = (dates: Dates) => {
    const typed = endsOf(dates);
    // The picker also reports its own clearing, and reports a range once more that was just refused
    // as too long.
    const verdict = validateRange(...typed, now());
    if (typed.some((time) => time !== null) && ('span' in verdict || !verdict.clear)) setCleared(false);
    if (!typed.some((time) => time !== null && isFuture(time, now()))) return;
    setEnds(typed);
    onChange(null, null);
  };

  const choose = (value: string) => {
    if (value !== 'custom') return takeShortcut(value as Shortcut);
    setCustom(true);
    setOpen(true);
  };

  const offered = [...shortcuts, 'custom', ...(isPhone ? calendarShortcuts : [])] as const;
  const quick = isPhone && custom ? undefined : offered.find((name) => name === shortcut);
  return (
    <div className={css.field}>
      <div className={css.shortcuts}>
        <Segmented
          aria-label={t('history.range')}
          value={quick ?? 'custom'}
          onChange={choose}
          options={offered.map((name) => ({ value: name as string, label: t(`history.shortcut.${name}`) }))}
        />
      </div>
      {/* The picker's own list of presets is not reachable by keyboard. */}
      {isPhone ? null : (
        <Select
          aria-label={t('history.byCalendar')}
          value={calendarShortcuts.find((name) => name === shortcut) ?? ''}
          onChange={(event) => takeShortcut(event.target.value as Shortcut)}
        >
          <option value="" disabled hidden>
            {t('history.byCalendar')}
          </option>
          {calendarShortcuts.map((name) => (
            <option key={name} value={name}>
              {t(`history.shortcut.${name}`)}
            </option>
          ))}
        </Select>
      )}
      <div className={css.pickers}>
        {quick !== undefined && isPhone ? null : (
          <>
            <label className="visually-hidden" htmlFor={`${id}-from`}>
              {t('history.from')}
            </label>
            <label className="visually-hidden" htmlFor={`${id}-to`}>
              {t('history.to')}
            </label>
            <ConfigProvider theme={isPhone ? phoneCells : {}}>
              <DatePicker.RangePicker
                id={{ start: `${id}-from`, end: `${id}-to` }}
                className={css.picker}
                classNames={{ popup: { root: timePopup.popup } }}
                open={open}
                onOpenChange={setOpen}
                value={value}
                onChange={take}
                onCalendarChange={notice}
                showTime={{ format: 'HH:mm' }}
                format={`${descriptors[language].picker} HH:mm`}
                placeholder={[t('history.from'), t('history.to')]}
                allowEmpty={[true, true]}
                // The clear button lies over the calendar icon and appears on hover: on a touch screen,
                // users would clear the range by mistake.
                allowClear={!isPhone}
                status={error ? 'error' : undefined}
                aria-invalid={error !== null}
                aria-describedby={error ? `${id}-error` : undefined}
                // The calendar covers the text below the field.
                renderExtraFooter={error ? () => <p className={css.said}>{t(error)}</p> : undefined}
                disabledDate={(day) => isFutureDay(pickedTime(day), now())}
                disabledTime={(day) => {
                  const future = futureTimes(day ? pickedTime(day) : now(), now());
                  return { disabledHours: () => future.hours, disabledMinutes: future.minutes };
                }}
              />
            </ConfigProvider>
          </>
        )}
        <div className={css.zone}>
          <ZoneNote />
        </div>
        {error ? (
          <p id={`${id}-error`} className={css.error} role="alert">
            {t(error)}
          </p>
        ) : null}
      </div>
    </div>
  );
}

type Dates = readonly (Dayjs | null)[] | null;

const endOf = (date: Dayjs | null | undefined) => (date ? pickedTime(date) : null);
const endsOf = (dates: Dates): [number | null, number | null] => [endOf(dates?.[0]), endOf(dates?.[1])];

const dateOf = (time: number | null) => (time === null ? null : pickerDate(time));
