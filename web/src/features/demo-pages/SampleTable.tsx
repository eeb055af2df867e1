import { Table } from 'antd';
import type { ReactNode } from 'react';
import { phoneQuery, useMediaQuery } from '@/lib/hooks/useMediaQuery';
import css from './SampleTable.module.css';

export interface SampleColumn<Row> {
  key: string;
  title: string;
  cell: (row: Row) => ReactNode;
  /** The row's figure: at the end of its column, and on a phone opposite the row's name. */
  figure?: boolean;
}

interface SampleTableProps<Row> {
  /** The first column names the row. */
  columns: readonly SampleColumn<Row>[];
  rows: readonly Row[];
  rowKey: (row: Row) => string;
}

/** A table; on a phone a list of cards. */
export function SampleTable<Row extends object>({ columns, rows, rowKey }: SampleTableProps<Row>) {
  const isPhone = useMediaQuery(phoneQuery);
  if (isPhone) return <Cards columns={columns} rows={rows} rowKey={rowKey} />;
  return (
    <Table<Row>
      className={css.table}
      dataSource={rows}
      rowKey={rowKey}
      pagination={false}
      columns={columns.map(({ key, title, cell, figure }) => ({
        key,
        title,
        align: figure ? 'end' : 'start',
        render: (_: unknown, row: Row) => cell(row),
      }))}
    />
  );
}

function Cards<Row>({ columns: [name, ...rest], rows, rowKey }: SampleTableProps<Row>) {
  const figure = rest.find((column) => column.figure);
  const others = rest.filter((column) => column !== figure);
  return (
    <ul>
      {rows.map((row) => (
        <li key={rowKey(row)} className={css.card}>
          <div className={css.line}>
            <span className={css.name}>{name?.cell(row)}</span>
            <span className={css.figure}>{figure?.cell(row)}</span>
          </div>
          <div className={css.line}>
            {others.map(({ key, cell }) => (
              <span key={key} className={css.other}>
                {cell(row)}
              </span>
            ))}
          </div>
        </li>
      ))}
    </ul>
  );
}
