import type { components } from '@/api/schema.gen';

type Row = components['schemas']['Row'];
type Value = number | boolean | string;

/**
 * Readings by time, column by column: numbers in typed arrays, since a month of readings as objects
 * would take far more memory.
 */
export interface Rows {
  times: Float64Array;
  /** By identifier; undefined if the row does not have it. */
  at: (id: string, row: number) => Value | undefined;
}

interface Column {
  numbers: Float64Array;
  /** Values that are not numbers, by row. */
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

/** Readings of two sources side by side, by all times at which either has a reading. */
export interface ComparedRows extends Rows {
  other: Rows['at'];
}

/** Joins rows with those of another device or period, whose times are shifted. */
export function joinRows(own: Rows, other: Rows, shift: number): ComparedRows {
  const most = own.times.length + other.times.length;
  const times = new Float64Array(most);
  // The index in each source, -1 for none.
  const [ownRows, otherRows] = [new Int32Array(most).fill(-1), new Int32Array(most).fill(-1)];
  let [i, j, count] = [0, 0, 0];
  while (i < own.times.length || j < other.times.length) {
    const first = own.times[i] ?? Number.POSITIVE_INFINITY;
    const second = (other.times[j] ?? Number.POSITIVE_INFINITY) + shift;
    times[count] = Math.min(first, second);
    if (first <= second) ownRows[count] = i++;
    if (second <= first) otherRows[count] = j++;
    count += 1;
  }
  const found = (rows: Rows, at: Int32Array) => (id: string, row: number) => {
    const otherIndex = at[row] ?? -1;
    return otherIndex < 0 ? undefined : rows.at(id, otherIndex);
  };
  return { times: times.subarray(0, count), at: found(own, ownRows), other: found(other, otherRows) };
}
