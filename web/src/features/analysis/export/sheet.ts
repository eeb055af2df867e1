import type { TFunction } from 'i18next';
import writeExcelFile, { type CellObject, type Row } from 'write-excel-file/browser';
import type { Format } from '@/lib/format/format';
import { wallDate } from '@/lib/format/zone';
import type { Axis, Column } from '../data/column';
import type { LineResolution } from '../data/line';
import { figuresOf } from '../table/figures';
import { sortedColumns } from '../table/sortedColumns';
import { finestResolution, timelineOf, valueAt } from '../table/timeline';
import type { Caption } from './caption';

/** What a sheet holds at most, its header included. */
const maxRows = 1_048_576;

/** The lines have more rows than a sheet holds. */
export class SheetTooLong extends Error {
  override name = 'SheetTooLong';
}

type Figure = 'reading' | 'low' | 'mean' | 'high' | 'sum' | 'onTime';

/** One column of the sheet: a figure of a line. */
interface SheetColumn {
  /** The index of the line. */
  line: number;
  column: Column;
  figure: Figure;
}

const figures: Record<ReturnType<typeof figuresOf>, readonly Figure[]> = {
  reading: ['reading'],
  three: ['low', 'mean', 'high'],
  ends: ['low', 'high'],
  sum: ['sum'],
  onTime: ['onTime'],
};

const dayMs = 86_400_000;
const bold = (value: string): CellObject => ({ value, type: String, fontWeight: 'bold' });
const dateFormats: Record<LineResolution, string> = {
  raw: 'yyyy-mm-dd hh:mm:ss',
  hour: 'yyyy-mm-dd hh:mm',
  day: 'yyyy-mm-dd',
};

/**
 * The lines as a workbook: their values by time, oldest first, by the tenant's clock; on a second
 * sheet what they are.
 */
export async function exportSheet(
  given: readonly Column[],
  axis: Axis,
  caption: Caption,
  t: TFunction,
  format: Format,
): Promise<Blob> {
  const columns = sortedColumns(given);
  const timeline = timelineOf(columns.map(({ line }) => line));
  const sheetColumns = columns.flatMap((column, line) =>
    figures[figuresOf(column)].map((figure): SheetColumn => ({ line, column, figure })),
  );
  const head = headOf(sheetColumns, axis, t, format);
  if (timeline.times.length + head.length > maxRows) throw new SheetTooLong();
  const timeFormat = dateFormats[finestResolution(columns)];
  const rows = Array.from(timeline.times, (time, row): Row => {
    const first: CellObject =
      axis === 'degreeDays'
        ? { value: time, type: Number, format: '0.0' }
        : { value: wallDate(time), type: Date, format: timeFormat };
    return [
      first,
      ...sheetColumns.map(({ line, column, figure }) => cell(column, figure, valueAt(timeline, columns, line, row), t)),
    ];
  });
  const facts = factsOf(columns, caption, t, format);
  return writeExcelFile([
    {
      sheet: t('analysis.export.values'),
      data: [...head, ...rows],
      columns: [{ width: 20 }, ...sheetColumns.map(() => ({ width: 16 }))],
      stickyRowsCount: head.length,
      stickyColumnsCount: 1,
    },
    {
      sheet: t('analysis.export.about'),
      data: facts,
      columns: [
        { width: 28 },
        { width: 20 },
        { width: 28 },
        { width: 24 },
        { width: 12 },
        { width: 20 },
        { width: 16 },
      ],
    },
  ]).toBlob();
}

/** Device, property, figure and unit, repeated in every column so that each can be filtered alone. */
function headOf(list: readonly SheetColumn[], axis: Axis, t: TFunction, format: Format): Row[] {
  const timeName = t(axis === 'degreeDays' ? 'analysis.table.degreeDays' : 'analysis.table.time');
  const rows = [
    list.map(({ column }) => column.device),
    list.map(({ column }) => nameOf(column, t)),
    list.map(({ figure }) => (figure === 'reading' ? '' : t(`analysis.export.figure.${figure}`))),
    list.map(({ column, figure }) => (figure === 'onTime' ? '' : format.unit(column.unit))),
  ];
  // Of readings there are no figures to name.
  const shown = rows.filter((row, index) => index < 2 || row.some(Boolean));
  return shown.map((row, index) => [bold(index === shown.length - 1 ? timeName : ''), ...row.map(bold)]);
}

function nameOf({ name, compared }: Column, t: TFunction): string {
  return compared ? `${name} (${t('analysis.table.yearBefore')})` : name;
}

function cell({ kind, precision, line }: Column, figure: Figure, index: number, t: TFunction): CellObject | null {
  if (index < 0) return null;
  const mean = line.mean[index] ?? 0;
  if (Number.isNaN(mean)) return null;
  // A spreadsheet's duration is in days.
  if (figure === 'onTime') return { value: (line.sum[index] ?? 0) / dayMs, type: Number, format: '[h]:mm' };
  if (figure === 'reading' && kind === 'step') {
    return { value: t(mean === 1 ? 'format.on' : 'format.off'), type: String };
  }
  const value = (figure === 'reading' ? line.mean : line[figure])[index] ?? 0;
  return { value, type: Number, format: numberFormat(precision) };
}

function numberFormat(precision: number | undefined): string | undefined {
  if (precision === undefined) return undefined;
  return precision > 0 ? `0.${'0'.repeat(precision)}` : '0';
}

function factsOf(columns: readonly Column[], { title, lines }: Caption, t: TFunction, format: Format): Row[] {
  const names = (['device', 'deviceName', 'property', 'identifier', 'unit', 'period', 'resolution'] as const).map(
    (name) => bold(t(`analysis.export.column.${name}`)),
  );
  return [
    [bold(title)],
    ...lines.map((line): Row => [line]),
    [],
    names,
    ...columns.map(
      (column): Row => [
        column.device,
        column.deviceName,
        column.name,
        column.sign,
        format.unit(column.unit),
        t(column.compared ? 'analysis.table.yearBefore' : 'analysis.export.thisPeriod'),
        t(`analysis.export.resolution.${column.line.resolution}`),
      ],
    ),
  ];
}
