import type { TFunction } from 'i18next';
import { errorText, formErrorText } from '@/lib/http/errorText';
import { fieldRefusal } from '@/lib/http/fieldRefusal';
import { ApiError, isNoAnswer } from '@/lib/http/http';
import type { Errors } from '@/ui/form/useForm';
import { bodyOf, checkEdit, type EditError, maxNoteLength, type NameAndPlace, noteLength } from '../edit/rules';

/** The values of the form of a device to add, as they are typed. */
export interface AddValues extends NameAndPlace {
  /** Undefined until it is chosen; 0 where the label says what it is. */
  productId: number | undefined;
  serial: string;
  /** Undefined until it is chosen. */
  groupId: number | undefined;
  short: boolean;
}

export const emptyAdd: AddValues = {
  productId: undefined,
  noteName: '',
  serial: '',
  groupId: undefined,
  latitude: '',
  longitude: '',
  short: false,
};

export type AddError = EditError | 'device.add.modelRequired';

/** In the order of the fields. */
export function checkAdd(values: AddValues): Errors<AddValues, AddError> {
  const { noteName, ...place } = checkEdit(values);
  return {
    ...(values.productId === undefined ? { productId: 'device.add.modelRequired' } : {}),
    ...(noteName ? { noteName } : {}),
    ...(noteLength(values.serial) > maxNoteLength ? { serial: 'device.form.tooLong' } : {}),
    ...place,
  };
}

/** What is sent of a device, beside its product or code. */
export function addBody({ productId: _, serial, groupId = 0, ...others }: AddValues) {
  return { ...bodyOf(others), serial: serial.trim() || undefined, groupId };
}

export type AddField = 'productId' | 'noteName' | 'serial' | 'groupId' | 'latitude' | 'longitude';

/** Why a device was not added: the field that it concerns, if any, and the device that has the name or serial. */
export function addRefusal(error: unknown, t: TFunction) {
  const text = isNoAnswer(error) ? t('device.add.lost', { error: errorText(error) }) : formErrorText(error);
  const refusal = fieldRefusal<AddField>(text, {
    productId: t('home.device.model'),
    noteName: t('device.col.note'),
    serial: t('device.detail.serial'),
    groupId: t('home.device.scene'),
    latitude: t('device.form.latitude'),
    longitude: t('device.form.longitude'),
  });
  return refusal && { ...refusal, takenBy: takenBy(error) };
}

export type AddRefusal = ReturnType<typeof addRefusal>;

/** The device that has the name or serial already, if that is why the server refused. */
export function takenBy(error: unknown): string | undefined {
  const data = error instanceof ApiError && error.kind === 'business' ? error.data : null;
  const name = (data as { deviceName?: unknown } | null)?.deviceName;
  return typeof name === 'string' ? name : undefined;
}
