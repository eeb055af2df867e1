import FilterOutlined from '@ant-design/icons/FilterOutlined';
import PlusOutlined from '@ant-design/icons/PlusOutlined';
import { useQuery } from '@tanstack/react-query';
import { Button } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type ChannelKind, channelKinds, isOffered } from '@/lib/channel/kinds';
import { availableKindsQuery } from '@/lib/channel/queries';
import { phoneQuery, useMediaQuery } from '@/lib/hooks/useMediaQuery';
import { useTypedSearch } from '@/lib/hooks/useTypedSearch';
import { useMay } from '@/lib/session/useMay';
import { IconButton } from '@/ui/IconButton';
import { SearchField } from '@/ui/SearchField';
import { Select } from '@/ui/Select';
import type { ChannelSearch } from '../search';
import css from './QueryBar.module.css';

interface QueryBarProps {
  search: ChannelSearch;
  /** Also called with an unchanged search, so that the user can refresh the list. */
  onQuery: (part: Pick<ChannelSearch, 'q' | 'mode'>) => void;
  onNew: () => void;
}

/**
 * The search and the button for a new channel: what is typed or chosen takes effect by itself, Query
 * asks again. On a phone, the filter by kind opens below the name.
 */
export function QueryBar({ search: { q = '', mode }, onQuery, onNew }: QueryBarProps) {
  const { t } = useTranslation();
  const isPhone = useMediaQuery(phoneQuery);
  const mayAdd = useMay('operator');
  const ways = useQuery(availableKindsQuery()).data;
  const shownKinds = channelKinds.filter((kind) => kind === mode || isOffered(kind, ways));
  const [open, setOpen] = useState(false);
  const { typed, type, searchNow } = useTypedSearch(q, (text) => onQuery({ q: text || undefined, mode }));

  const modeField = (
    <Select
      className={css.mode}
      aria-label={t('channel.mode')}
      value={mode ?? ''}
      onChange={({ target }) =>
        onQuery({ q: typed.trim() || undefined, mode: (target.value as ChannelKind) || undefined })
      }
    >
      <option value="">{t('channel.anyMode')}</option>
      {shownKinds.map((one) => (
        <option key={one} value={one}>
          {t(`channel.modes.${one}`)}
        </option>
      ))}
    </Select>
  );
  const query = (
    <Button htmlType="submit" className={css.query}>
      {t('inform.query')}
    </Button>
  );
  return (
    <search>
      <form
        className={css.bar}
        onSubmit={(event) => {
          event.preventDefault();
          searchNow();
        }}
      >
        <div className={css.name}>
          <SearchField value={typed} onChange={type} label={t('channel.search')} placeholder={t('channel.name')} />
        </div>
        {isPhone ? (
          <IconButton
            label={t('device.filter.title')}
            icon={<FilterOutlined aria-hidden="true" />}
            count={mode ? 1 : 0}
            aria-expanded={open}
            onClick={() => setOpen(!open)}
          />
        ) : (
          <>
            {modeField}
            {query}
          </>
        )}
        {mayAdd ? (
          <Button type="primary" icon={<PlusOutlined aria-hidden="true" />} className={css.new} onClick={onNew}>
            {t('channel.new')}
          </Button>
        ) : null}
        {isPhone && open ? (
          <div className={css.more}>
            {modeField}
            {query}
          </div>
        ) : null}
      </form>
    </search>
  );
}
