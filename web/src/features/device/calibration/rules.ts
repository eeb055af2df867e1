import type { TFunction } from 'i18next';
import { parseNumber } from '@/lib/format/typedNumber';
import { errorText, formErrorText } from '@/lib/http/errorText';
import { fieldRefusal } from '@/lib/http/fieldRefusal';
import { isNoAnswer } from '@/lib/http/http';
import type { Errors } from '@/ui/form/useForm';
import { type CalibrationLine, leastGain, lineThrough, mostGain, offsetLine } from './formula';
import type { CalibrationCreate } from './queries';

export const kinds = ['offset', 'twoPoint', 'none'] as const;
export type CalibrationKind = (typeof kinds)[number];

/** The form's values, numbers as they are typed. */
export interface CalibrationValues {
  sign: string;
  /** Null while the field is empty. */
  fromTime: number | null;
  kind: CalibrationKind;
  offset: string;
  raw1: string;
  true1: string;
  raw2: string;
  true2: string;
  note: string;
}

export type NumberName = 'offset' | 'raw1' | 'true1' | 'raw2' | 'true2';
export const pointNames = ['raw1', 'true1', 'raw2', 'true2'] as const;

/** In characters, as people count them. */
export const maxNoteLength = 500;

export type CalibrationError =
  | 'calibration.form.propertyRequired'
  | 'calibration.form.sinceRequired'
  | 'history.rangeFuture'
  | 'calibration.form.number'
  | 'calibration.form.same'
  | 'calibration.form.gainLimits'
  | 'device.form.tooLong';

const numbersOf = (kind: CalibrationKind): readonly NumberName[] =>
  kind === 'offset' ? ['offset'] : kind === 'twoPoint' ? pointNames : [];

/** What the typed numbers say; undefined while one is missing, or if the sensor showed the same twice. */
export function lineOf(values: CalibrationValues): CalibrationLine | undefined {
  if (values.kind === 'none') return undefined;
  const [a, b, c, d] = numbersOf(values.kind).map((name) => parseNumber(values[name]));
  if (a === undefined) return undefined;
  if (values.kind === 'offset') return offsetLine(a);
  return b === undefined || c === undefined || d === undefined ? undefined : lineThrough(a, b, c, d);
}

/** Why the server would refuse two points. */
export function pointsError(values: CalibrationValues): 'calibration.form.same' | 'calibration.form.gainLimits' | null {
  if (values.kind !== 'twoPoint') return null;
  const [raw1, raw2] = [parseNumber(values.raw1), parseNumber(values.raw2)];
  if (raw1 !== undefined && raw1 === raw2) return 'calibration.form.same';
  const line = lineOf(values);
  return line && !(line.gain >= leastGain && line.gain <= mostGain) ? 'calibration.form.gainLimits' : null;
}

/** In the order of the fields. `now`: the server's time. */
export function checkCalibration(values: CalibrationValues, now: number): Errors<CalibrationValues, CalibrationError> {
  const { sign, fromTime, kind, note } = values;
  const errors: Errors<CalibrationValues, CalibrationError> = {};
  if (sign === '') errors.sign = 'calibration.form.propertyRequired';
  if (fromTime === null) errors.fromTime = 'calibration.form.sinceRequired';
  else if (fromTime > now) errors.fromTime = 'history.rangeFuture';
  for (const name of numbersOf(kind)) {
    if (parseNumber(values[name]) === undefined) errors[name] = 'calibration.form.number';
  }
  const points = pointsError(values);
  if (points && !errors.raw2) errors.raw2 = points;
  if ([...note.trim()].length > maxNoteLength) errors.note = 'device.form.tooLong';
  return errors;
}

/** The values as they are sent; they have passed the check. */
export function calibrationBody(deviceName: string, values: CalibrationValues): CalibrationCreate {
  const { sign, fromTime, kind, note } = values;
  const numbers = Object.fromEntries(numbersOf(kind).map((name) => [name, parseNumber(values[name])]));
  return { deviceName, yeuSign: sign, fromTime: fromTime ?? 0, kind, ...numbers, note: note.trim() || undefined };
}

/** Why the server did not take a calibration, and the field that it names, if any. */
export function calibrationRefusal(error: unknown, t: TFunction) {
  const text = isNoAnswer(error) ? t('common.perhapsSaved', { error: errorText(error) }) : formErrorText(error);
  return fieldRefusal<'sign' | 'fromTime' | NumberName | 'note'>(text, {
    sign: t('calibration.form.property'),
    fromTime: t('calibration.form.since'),
    offset: t('calibration.form.offset'),
    raw1: t('calibration.form.raw1'),
    true1: t('calibration.form.true1'),
    raw2: t('calibration.form.raw2'),
    true2: t('calibration.form.true2'),
    note: t('calibration.form.note'),
  });
}
