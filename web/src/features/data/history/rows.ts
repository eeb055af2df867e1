import type { components } from '@/api/schema.gen';

type Row = components['schemas']['Row'];
type Value = number | boolean | string;

/** Readings by time, column by column: numbers in typed arrays, of which a month is megabytes and not objects. */
export interface Rows {
  times: Float64Array;
  /** By identifier; what a row does not hold is undefined. */
  at: (id: string, row: number) => Value | undefined;
}

interface Column {
  numbers: Float64Array;
  /** What is no number, by row. */
  others: Map<number, boolean | string>;
}

export function rowsOf(list: readonly Row[], ids: readonly string[]): Rows {
  const times = Float64Array.from(list, (row) => row.collect_time);
  const columns = new Map<string, Column>(
    ids.map((id) => [id, { numbers: new Float64Array(list.length).fill(Number.NaN), others: new Map() }]),
  );
  list.forEach((row, index) => {
    for (const [id, column] of columns) {
      const value = row[id];
      if (typeof value === 'number') column.numbers[index] = value;
      else if (value !== undefined) column.others.set(index, value);
    }
  });
  return {
    times,
    at: (id, row) => {
      const column = columns.get(id);
      const number = column?.numbers[row];
      return number === undefined || Number.isNaN(number) ? column?.others.get(row) : number;
    },
  };
}
