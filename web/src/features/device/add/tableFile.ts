import { now } from '@/lib/format/clock';
import { csvCell, csvText } from '@/lib/text/csv';
import { dayKey } from '../detail/calendar';
import type { DeviceOffer } from '../queries';
import type { AddedRow } from './added';

/** Of a table's text, in characters; as in the contract. */
export const maxTableLength = 262_144;

export type TableError = 'device.table.required' | 'device.table.notText' | 'device.table.tooLong';

/** The text of a chosen file, or why it cannot be read. */
export async function readTable(file: File): Promise<{ text: string } | { error: TableError }> {
  // Twice as many bytes may still be few enough characters.
  if (file.size > 4 * maxTableLength) return { error: 'device.table.tooLong' };
  try {
    // A mark of the byte order at the start is left out by the decoder.
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(await file.arrayBuffer()) };
  } catch {
    return { error: 'device.table.notText' };
  }
}

export function checkTable(text: string): TableError | undefined {
  if (text.trim() === '') return 'device.table.required';
  return text.length > maxTableLength ? 'device.table.tooLong' : undefined;
}

/** The names of the columns, alike in every language. */
export const neededColumns = ['noteName', 'product'] as const;
export const otherColumns = ['serial', 'scene', 'longitude', 'latitude'] as const;

/** A table to fill in, with a line for each product that may be added. */
export function templateFile(products: DeviceOffer['products']): Blob {
  return csvFile([[...neededColumns, ...otherColumns], ...products.map(({ name }) => ['', name, '', '', '', ''])]);
}

/** The new devices with their secrets. */
export function secretsFile(rows: readonly AddedRow[]): Blob {
  return csvFile([
    ['noteName', 'deviceName', 'secret'],
    ...rows.map(({ noteName, deviceName, secret }) => [noteName, deviceName, secret]),
  ]);
}

export const secretsName = () => `devices-${dayKey(now())}.csv`;

function csvFile(lines: readonly (readonly string[])[]): Blob {
  return new Blob([csvText(lines.map((cells) => cells.map(csvCell)))], { type: 'text/csv;charset=utf-8' });
}
