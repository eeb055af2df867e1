import SortAscendingOutlined from '@ant-design/icons/SortAscendingOutlined';
import SortDescendingOutlined from '@ant-design/icons/SortDescendingOutlined';
import { useTranslation } from 'react-i18next';
import { IconButton } from '@/ui/IconButton';
import { Select } from '@/ui/Select';
import { type DeviceSearch, sortColumns } from '../search';
import { columns } from './columns';
import css from './Toolbar.module.css';

interface OrderProps {
  search: DeviceSearch;
  onChange: (part: Partial<DeviceSearch>) => void;
}

/** Chooses the order where there is no table whose headers do so. */
export function Order({ search: { sort, descending }, onChange }: OrderProps) {
  const { t } = useTranslation();
  return (
    <div className={css.order}>
      <Select
        className={css.select}
        aria-label={t('device.order')}
        value={sort ?? 'noteName'}
        onChange={(event) => {
          const column = sortColumns.find((name) => name === event.target.value);
          // Contact and state sort in descending order: newest contact first, online devices first.
          const descendingFirst = column === 'lastContact' || column === 'onlineState';
          onChange({ sort: column, descending: descendingFirst || undefined });
        }}
      >
        <option value="noteName">{t('device.col.note')}</option>
        {columns.map(({ name, head, long, sort: by }) =>
          by ? (
            <option key={name} value={by}>
              {t(long ?? head)}
            </option>
          ) : null,
        )}
      </Select>
      <IconButton
        className={css.turn}
        label={t('device.descending')}
        icon={descending ? <SortDescendingOutlined aria-hidden="true" /> : <SortAscendingOutlined aria-hidden="true" />}
        aria-pressed={descending === true}
        onClick={() => onChange({ sort: sort ?? 'noteName', descending: descending ? undefined : true })}
      />
    </div>
  );
}
