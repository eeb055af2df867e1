import ColumnHeightOutlined from '@ant-design/icons/ColumnHeightOutlined';
import FilterOutlined from '@ant-design/icons/FilterOutlined';
import PlusOutlined from '@ant-design/icons/PlusOutlined';
import { useQuery } from '@tanstack/react-query';
import { Button } from 'antd';
import { useCallback, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { productsQuery } from '@/lib/device/scenes';
import { phoneQuery, useMediaQuery } from '@/lib/hooks/useMediaQuery';
import { SegmentedControl } from '@/ui/form/SegmentedControl';
import { IconButton } from '@/ui/IconButton';
import { SearchBox } from '@/ui/SearchBox';
import { Select } from '@/ui/Select';
import type { DeviceSearch } from '../search';
import { setCompact, useDensity } from './density';
import { Order } from './Order';
import css from './Toolbar.module.css';

interface ToolbarProps {
  search: DeviceSearch;
  onChange: (part: Partial<DeviceSearch>) => void;
  /** Adds a device; absent where the user may not. */
  onAdd?: () => void;
}

/** The search and the filters. On a phone the filters open below the search. */
export function Toolbar({ search, onChange, onAdd }: ToolbarProps) {
  const { t } = useTranslation();
  const isPhone = useMediaQuery(phoneQuery);
  const { compact } = useDensity();
  const [open, setOpen] = useState(false);
  const active = [search.state, search.product, isPhone ? search.sort : undefined].filter(Boolean).length;
  const onSearch = useCallback((q: string) => onChange({ q: q || undefined }), [onChange]);
  return (
    <div className={css.bar}>
      <div className={css.line}>
        <SearchBox
          text={search.q ?? ''}
          onSearch={onSearch}
          label={t('home.list.search')}
          placeholder={t('device.search')}
        />
        {isPhone ? (
          <IconButton
            label={t('device.filter.title')}
            icon={<FilterOutlined aria-hidden="true" />}
            count={active}
            aria-expanded={open}
            onClick={() => setOpen(!open)}
          />
        ) : (
          <>
            <Filters search={search} onChange={onChange} />
            <IconButton
              className={`${css.density} ${compact ? css.pressed : ''}`}
              label={t('device.compact')}
              icon={<ColumnHeightOutlined aria-hidden="true" />}
              aria-pressed={compact}
              onClick={() => setCompact(!compact)}
            />
          </>
        )}
        {onAdd ? (
          <Button type="primary" icon={<PlusOutlined aria-hidden="true" />} className={css.add} onClick={onAdd}>
            {t('device.add.button')}
          </Button>
        ) : null}
      </div>
      {isPhone && open ? (
        <div className={css.more}>
          <Filters search={search} onChange={onChange} />
          <Order search={search} onChange={onChange} />
        </div>
      ) : null}
    </div>
  );
}

function Filters({ search: { state, product }, onChange }: Omit<ToolbarProps, 'onAdd'>) {
  const { t } = useTranslation();
  // Those that the tenant has; a link may name another.
  const products = useQuery(productsQuery()).data?.filter(({ id, deviceCount }) => deviceCount > 0 || id === product);
  return (
    <>
      <SegmentedControl
        label={t('home.device.state')}
        value={state}
        options={[
          { value: undefined, words: t('device.filter.all') },
          { value: 'online', words: t('home.state.online') },
          { value: 'offline', words: t('home.state.offline') },
        ]}
        onChange={(value) => onChange({ state: value })}
      />
      <Select
        className={css.select}
        aria-label={t('home.device.model')}
        value={product ?? ''}
        onChange={(event) => onChange({ product: Number(event.target.value) || undefined })}
      >
        <option value="">{t('device.filter.allModels')}</option>
        {products?.map(({ id, productName }) => (
          <option key={id} value={id}>
            {productName}
          </option>
        ))}
      </Select>
    </>
  );
}
