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
  tooFast: 'device.refusal.tooFast',
  networkClock: 'device.refusal.networkClock',
};

/** What was wrong before the server looked at the secret. */
const faults: Record<
  string,
  `device.first.protocol.${'mqtt31' | 'malformed' | 'clientId' | 'noUserName' | 'noSecret' | 'authMethod'}`
> = {
  mqtt31: 'device.first.protocol.mqtt31',
  malformed: 'device.first.protocol.malformed',
  clientId: 'device.first.protocol.clientId',
  noUserName: 'device.first.protocol.noUserName',
  noSecret: 'device.first.protocol.noSecret',
  authMethod: 'device.first.protocol.authMethod',
};

/** The paths of devices’ reports, as the server’s documents have them, and what each is for. */
const paths =
  '/api/v1/SECRET/telemetry (JSON), /api/v1/SECRET/ecowitt (Ecowitt), /weatherstation/updateweatherstation.php? (Weather Underground)';

function reasonText(reason: string, t: TFunction): string {
  const key = reasons[reason as Reason];
  // A newer server may have further reasons: their word is better than nothing.
  return key === undefined ? reason : t(key);
}

/** What went wrong and what to do about it, as sentences. */
export function hintText(
  { kind, address = missingValue, identifier = '', reason = 'unknown', didYouMean, path }: DeviceHint,
  { deviceName, model, properties }: HintContext & { properties: readonly TslProperty[] },
  t: TFunction,
): string {
  switch (kind) {
    case 'wrongSecret':
      return t('device.first.wrongSecret', { address, device: deviceName });
    case 'wrongProtocol': {
      const key = faults[reason];
      return key === undefined ? reason : t(key, { address, device: deviceName });
    }
    case 'wrongPath':
      return path ? t('device.first.pathTaken', { address, path }) : t('device.first.pathWrong', { address, paths });
    case 'unreadable':
      return t('device.first.unreadable', { example: JSON.stringify(sampleValues(properties, [])) });
    case 'refused':
      return didYouMean
        ? t('device.first.meant', { identifier, model, meant: didYouMean })
        : refusalSentence(identifier, reasonText(reason, t), t);
  }
}
