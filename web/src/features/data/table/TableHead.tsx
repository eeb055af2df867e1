import CaretDownOutlined from '@ant-design/icons/CaretDownOutlined';
import CaretUpOutlined from '@ant-design/icons/CaretUpOutlined';
import { type FocusEvent, memo } from 'react';
import { useTranslation } from 'react-i18next';
import { useFormat } from '@/lib/format/format';
import type { QuantityColumn } from './columns';
import css from './DeviceTable.module.css';
import type { Order } from './tableSections';

interface TableHeadProps {
  columns: readonly QuantityColumn[];
  order: Order | undefined;
  onOrder: (order: Order | undefined) => void;
}

/** For a key that leads to a column under the names, browsers do not scroll. */
const showWhole = ({ currentTarget }: FocusEvent<HTMLElement>) =>
  currentTarget.scrollIntoView?.({ block: 'nearest', inline: 'nearest' });

/** The names of the columns; each orders the rows: lowest first, highest first, then by name again. */
export const TableHead = memo(function TableHead({ columns, order, onOrder }: TableHeadProps) {
  const { t } = useTranslation();
  const format = useFormat();
  return (
    <thead>
      <tr aria-rowindex={1}>
        <th scope="col" className={`${css.name} ${css.corner}`} aria-sort={order ? 'none' : 'ascending'}>
          <button type="button" className={css.sort} onClick={() => onOrder(undefined)}>
            {t('data.table.device')}
          </button>
        </th>
        {columns.map(({ sign, name, unit }) => {
          const unitText = unit ? format.unit(unit, name) : '';
          const own = order?.sign === sign ? order : undefined;
          const next = own ? (own.descending ? undefined : { sign, descending: true }) : { sign, descending: false };
          return (
            <th key={sign} scope="col" aria-sort={own ? (own.descending ? 'descending' : 'ascending') : 'none'}>
              <button
                type="button"
                className={css.sort}
                title={t('data.table.sort', { name })}
                onFocus={showWhole}
                onClick={() => onOrder(next)}
              >
                <span className={css.title}>
                  {name}
                  {unitText === '' ? null : <span className={css.unit}> {unitText}</span>}
                </span>
                <span className={css.arrow} aria-hidden="true">
                  {own ? own.descending ? <CaretDownOutlined /> : <CaretUpOutlined /> : null}
                </span>
              </button>
            </th>
          );
        })}
      </tr>
    </thead>
  );
});
