import type { DatePickerProps, GetRef } from 'antd';
import type { Dayjs } from 'dayjs';
import { type Ref, useMemo } from 'react';
import { useLanguage } from '@/lib/i18n/i18n';
import { descriptors } from '@/lib/i18n/languages';
import { DatePicker, pickerDay } from './DatePicker';
import dayPopup from './dayPopup.module.css';

interface DayPickerProps extends Omit<DatePickerProps<Dayjs, false>, 'value' | 'onChange'> {
  ref?: Ref<GetRef<typeof DatePicker>>;
  /** 2026-11-21; empty: none. */
  day: string;
  onChange: (day: string) => void;
}

/** Picks a day of the calendar, whatever the zone. */
export function DayPicker({ day, onChange, ...props }: DayPickerProps) {
  const language = useLanguage((state) => state.language);
  // The picker takes a new date object for a new value and then drops what the user is typing.
  const value = useMemo(() => (day ? pickerDay(day) : null), [day]);
  return (
    <DatePicker
      {...props}
      classNames={{ popup: { root: dayPopup.popup } }}
      value={value}
      format={descriptors[language].picker}
      placeholder=""
      // Enter takes the day that was typed; it does not send the form yet.
      onKeyDown={(event) => {
        if (event.key === 'Enter') event.preventDefault();
      }}
      onChange={(chosen) => onChange(chosen?.format('YYYY-MM-DD') ?? '')}
    />
  );
}
