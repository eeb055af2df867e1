import type { Device } from '@/lib/device/types';
import { isVisibleName } from '@/lib/text/visibleName';
import type { Errors } from '@/ui/form/useForm';
import { degreesText, parseDegrees } from './coordinates';

/** In characters, as people count them. */
export const maxNoteLength = 64;

/** The form's values, as they are typed. */
export interface EditValues {
  noteName: string;
  latitude: string;
  longitude: string;
}

/** What the form of a new device has, too. */
export type NameAndPlace = Pick<EditValues, 'noteName' | 'latitude' | 'longitude'>;

export function valuesOf({ noteName, latitude, longitude }: Device): EditValues {
  return { noteName, latitude: degreesText(latitude), longitude: degreesText(longitude) };
}

/** The values as they are sent. */
export function bodyOf<Values extends NameAndPlace>({ noteName, latitude, longitude, ...others }: Values) {
  return {
    ...others,
    noteName: noteName.trim(),
    latitude: parseDegrees(latitude) ?? null,
    longitude: parseDegrees(longitude) ?? null,
  };
}

export type EditError =
  | 'device.noteRequired'
  | 'device.form.tooLong'
  | 'device.form.latitudeRange'
  | 'device.form.longitudeRange'
  | 'device.form.both';

export function noteLength(noteName: string): number {
  return [...noteName.trim()].length;
}

export function checkEdit({ noteName, latitude, longitude }: NameAndPlace): Errors<NameAndPlace, EditError> {
  const errors: Errors<NameAndPlace, EditError> = {};
  if (!isVisibleName(noteName)) errors.noteName = 'device.noteRequired';
  else if (noteLength(noteName) > maxNoteLength) errors.noteName = 'device.form.tooLong';

  const [north, east] = [parseDegrees(latitude), parseDegrees(longitude)];
  if (north === undefined || (north !== null && Math.abs(north) > 90)) errors.latitude = 'device.form.latitudeRange';
  else if (north === null && east !== null) errors.latitude = 'device.form.both';
  if (east === undefined || (east !== null && Math.abs(east) > 180)) errors.longitude = 'device.form.longitudeRange';
  else if (east === null && north !== null) errors.longitude = 'device.form.both';
  return errors;
}
