import CaretDownOutlined from '@ant-design/icons/CaretDownOutlined';
import CaretUpOutlined from '@ant-design/icons/CaretUpOutlined';
import { useTranslation } from 'react-i18next';
import type { SortColumn } from '../search';
import type { Column } from './columns';
import css from './DeviceTable.module.css';

interface HeadProps {
  columns: readonly Column[];
  sort: SortColumn | undefined;
  descending: boolean;
  onSort: (column: SortColumn) => void;
}

/** The names of the columns. Those by which the server can sort are buttons. */
export function Head({ columns, sort, descending, onSort }: HeadProps) {
  const { t } = useTranslation();
  const sortable = (name: SortColumn, words: string, className?: string) => {
    const sorted = sort === name;
    const Caret = descending ? CaretDownOutlined : CaretUpOutlined;
    return (
      <th
        key={name}
        scope="col"
        className={className}
        aria-sort={sorted ? (descending ? 'descending' : 'ascending') : undefined}
      >
        <button type="button" className={css.sort} title={words} onClick={() => onSort(name)}>
          <span className={css.word}>{words}</span>
          <Caret className={`${css.caret} ${sorted ? css.sorted : ''}`} aria-hidden="true" />
        </button>
      </th>
    );
  };
  return (
    <thead>
      <tr>
        {sortable('noteName', t('device.col.note'), css.note)}
        {columns.map(({ name, head, sort }) =>
          sort ? (
            sortable(sort, t(head), css[name])
          ) : (
            <th key={name} scope="col" className={css[name]}>
              {t(head)}
            </th>
          ),
        )}
        <th scope="col" className={css.action}>
          <span className={css.brief}>{t('device.col.action')}</span>
        </th>
      </tr>
    </thead>
  );
}
