import CaretDownOutlined from '@ant-design/icons/CaretDownOutlined';
import CaretUpOutlined from '@ant-design/icons/CaretUpOutlined';
import { useTranslation } from 'react-i18next';
import type { SortColumn } from '../search';
import css from './DeviceTable.module.css';

interface HeadProps {
  sort: SortColumn | undefined;
  descending: boolean;
  onSort: (column: SortColumn) => void;
}

/** The names of the columns. Those by which the server can sort are buttons. */
export function Head({ sort, descending, onSort }: HeadProps) {
  const { t } = useTranslation();
  const column = (name: SortColumn, words: string, className?: string) => {
    const sorted = sort === name;
    const Caret = descending ? CaretDownOutlined : CaretUpOutlined;
    return (
      <th scope="col" className={className} aria-sort={sorted ? (descending ? 'descending' : 'ascending') : undefined}>
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
        {column('noteName', t('device.col.note'), css.note)}
        {column('deviceName', t('home.device.name'), css.code)}
        {column('productName', t('home.device.model'), css.model)}
        {column('groupName', t('home.device.scene'), css.scene)}
        <th scope="col" className={css.position}>
          {t('home.device.position')}
        </th>
        {column('onlineState', t('home.device.state'))}
        {column('lastContact', t('device.col.contact'), css.contact)}
        {column('battery', t('device.col.battery'), css.battery)}
        {column('signal', t('device.col.signal'), css.signal)}
        <th scope="col" className={css.latest}>
          {t('device.col.latest')}
        </th>
        <th scope="col" className={css.action}>
          <span className={css.brief}>{t('device.col.action')}</span>
        </th>
      </tr>
    </thead>
  );
}
