import type { TFunction } from 'i18next';
import type { components } from '@/api/schema.gen';
import type { TslProperty } from '@/lib/device/types';
import { missingValue } from '@/lib/format/format';
import { sampleValues } from '../detail/commandLines';
import { refusalSentence } from '../detail/refusal';
import type { DeviceHint } from '../queries';

/** The device that a hint is about. */
export interface HintContext {
  deviceName: string;
  /** The model's display name; empty until it is fetched. */
  model: string;
}

type Reason = components['schemas']['Refusal']['reason'];

/** The words of the server's reasons; the live stream has one text for users of all languages. */
const reasons: Record<Reason, `device.refusal.${Reason}`> = {
  unreadable: 'device.refusal.unreadable',
  unknown: 'device.refusal.unknown',
  wrongType: 'device.refusal.wrongType',
  outOfRange: 'device.refusal.outOfRange',
  tooLong: 'device.refusal.tooLong',
  tooOld: 'device.refusal.tooOld',
  future: 'device.refusal.future',
  badTime: 'device.refusal.badTime',
  notYours: 'device.refusal.notYours',
  notGateway: 'device.refusal.notGateway',
  unknownTopic: 'device.refusal.unknownTopic',
  disabled: 'device.refusal.disabled',
  derived: 'device.refusal.derived',
  tooLarge: 'device.refusal.tooLarge',
  unused: 'device.refusal.unused',
  networkClock: 'device.refusal.networkClock',
};

function reasonText(reason: string, t: TFunction): string {
  const key = reasons[reason as Reason];
  // A newer server may have further reasons: their word is better than nothing.
  return key === undefined ? reason : t(key);
}

/** What went wrong and what to do about it, as sentences. */
export function hintText(
  { kind, address = missingValue, identifier = '', reason = 'unknown', didYouMean }: DeviceHint,
  { deviceName, model, properties }: HintContext & { properties: readonly TslProperty[] },
  t: TFunction,
): string {
  switch (kind) {
    case 'wrongSecret':
      return t('device.first.wrongSecret', { address, device: deviceName });
    case 'unreadable':
      return t('device.first.unreadable', { example: JSON.stringify(sampleValues(properties, [])) });
    case 'refused':
      return didYouMean
        ? t('device.first.meant', { identifier, model, meant: didYouMean })
        : refusalSentence(identifier, reasonText(reason, t), t);
  }
}
