import FilterOutlined from '@ant-design/icons/FilterOutlined';
import { Button } from 'antd';
import { useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { phoneQuery, useMediaQuery } from '@/lib/hooks/useMediaQuery';
import { useTypedSearch } from '@/lib/hooks/useTypedSearch';
import { pickerDay } from '@/ui/form/DatePicker';
import { DayPicker } from '@/ui/form/DayPicker';
import { IconButton } from '@/ui/IconButton';
import { SearchField } from '@/ui/SearchField';
import { Select } from '@/ui/Select';
import { personText, type textContext } from './entryText';
import css from './FilterBar.module.css';
import type { Person } from './queries';
import { type ActivitySearch, kinds } from './search';

interface FilterBarProps {
  search: ActivitySearch;
  people: readonly Person[];
  context: ReturnType<typeof textContext>;
  onChange: (part: Partial<ActivitySearch>) => void;
  /** The user searches for the same text again, to see whether anything has changed. */
  onAgain: () => void;
}

/**
 * Filters the log by the thing's name, the actor, the kind of thing and the days: what is typed or
 * chosen takes effect by itself, Query asks again. On a phone, all filters but the name open below it.
 */
export function FilterBar({ search, people, context, onChange, onAgain }: FilterBarProps) {
  const { t } = useTranslation();
  const isPhone = useMediaQuery(phoneQuery);
  const { q = '', who, kind, from, to } = search;
  const narrowed = [who, kind, from, to].filter((filter) => filter !== undefined).length;
  const [open, setOpen] = useState(narrowed > 0);
  const { typed, type, searchNow } = useTypedSearch(q, (text) => onChange({ q: text || undefined }));
  // The address may name an actor who has no entries yet, or no entries any more.
  const choice =
    who === undefined || people.some((person) => person.who === who) ? people : [...people, unknownPerson(who)];
  const filters = (
    <>
      <Select
        className={css.select}
        aria-label={t('activity.who')}
        value={who ?? ''}
        onChange={({ target }) => onChange({ who: target.value || undefined })}
      >
        <option value="">{t('activity.everybody')}</option>
        {choice.map((person) => (
          <option key={person.who} value={person.who}>
            {personText(person, context)}
          </option>
        ))}
      </Select>
      <Select
        className={css.select}
        aria-label={t('activity.kind')}
        value={kind ?? ''}
        onChange={({ target }) => onChange({ kind: kinds.find((kindOfChange) => kindOfChange === target.value) })}
      >
        <option value="">{t('activity.everything')}</option>
        {kinds.map((kindOfChange) => (
          <option key={kindOfChange} value={kindOfChange}>
            {t(`activity.kinds.${kindOfChange}`)}
          </option>
        ))}
      </Select>
      <Day label={t('activity.from')} day={from} most={to} onChange={(day) => onChange({ from: day })} />
      <Day label={t('activity.to')} day={to} least={from} onChange={(day) => onChange({ to: day })} />
    </>
  );
  return (
    <search className={css.bar}>
      <form
        className={css.name}
        onSubmit={(event) => {
          event.preventDefault();
          if (typed.trim() === q) onAgain();
          else searchNow();
        }}
      >
        <SearchField
          value={typed}
          onChange={type}
          label={t('activity.search')}
          placeholder={t('activity.placeholder')}
        />
        <Button htmlType="submit" className={css.query}>
          {t('inform.query')}
        </Button>
      </form>
      {isPhone ? (
        <IconButton
          label={t('activity.filters')}
          icon={<FilterOutlined aria-hidden="true" />}
          count={narrowed}
          aria-expanded={open}
          onClick={() => setOpen(!open)}
        />
      ) : null}
      {!isPhone || open ? <div className={css.filters}>{filters}</div> : null}
    </search>
  );
}

function unknownPerson(who: string): Person {
  const by = who.split(':')[0];
  return { who, by: by === 'credential' || by === 'provider' || by === 'server' ? by : 'user', name: who };
}

interface DayProps {
  label: string;
  day: string | undefined;
  least?: string;
  most?: string;
  onChange: (day: string | undefined) => void;
}

function Day({ label, day = '', least, most, onChange }: DayProps) {
  const id = useId();
  return (
    <span className={css.day}>
      <label htmlFor={id}>{label}</label>
      <DayPicker
        id={id}
        className={css.picker}
        day={day}
        minDate={least ? pickerDay(least) : undefined}
        maxDate={most ? pickerDay(most) : undefined}
        onChange={(chosen) => onChange(chosen || undefined)}
      />
    </span>
  );
}
