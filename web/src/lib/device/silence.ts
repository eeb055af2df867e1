import { queryOptions } from '@tanstack/react-query';
import type { TFunction } from 'i18next';
import type { components } from '@/api/schema.gen';
import type { Format } from '@/lib/format/format';
import { api } from '@/lib/http/api';
import { bannerQueryOptions } from './queries';
import type { Device } from './types';

/** Why a device is silent, with the evidence. */
export type SilenceCause = components['schemas']['SilenceCause'];

/** Refused sign-ins may come while the cause is shown, and the live stream does not report them. */
const refetchMs = 30_000;

/**
 * Why a device is silent; null while it is online. The last contact is part of the key: each silence
 * has its own cause.
 */
export const silenceQuery = ({ deviceName, lastContact }: Pick<Device, 'deviceName' | 'lastContact'>) =>
  queryOptions({
    ...bannerQueryOptions,
    queryKey: ['device-silence', deviceName, lastContact ?? null],
    queryFn: ({ signal }) => api.get('/admin-api/client/pc/device/get/silence', { query: { deviceName }, signal }),
    refetchInterval: (query) =>
      query.state.status === 'error' ? bannerQueryOptions.refetchInterval(query) : refetchMs,
  });

/** The cause as one sentence, with its evidence. */
export function causeSentence(cause: SilenceCause, now: number, format: Format, t: TFunction): string {
  const moment = (time = cause.since) => format.moment(time, now);
  switch (cause.kind) {
    case 'batteryLow':
      return batterySentence(cause, moment, format, t);
    case 'secretRefused': {
      const { attempts: count = 1, lastAttempt, secretChanged } = cause;
      const said = { count, n: format.number(count), moment: moment(lastAttempt) };
      if (secretChanged === undefined) return t('silence.wrongSecret', said);
      return t('silence.formerSecret', { ...said, changed: moment(secretChanged) });
    }
    case 'gatewaySilent':
      return t('silence.gateway', {
        gateway: cause.gatewayNoteName || cause.gateway,
        moment: moment(cause.gatewaySince),
      });
    case 'clockAhead':
      return cause.ahead === undefined
        ? t('silence.clockUnknown', { moment: moment(cause.refusedAt) })
        : t('silence.clock', { span: format.duration(cause.ahead), moment: moment(cause.refusedAt) });
    case 'neverConnected':
      return t('silence.never', { moment: moment() });
    case 'disabled':
      return t('silence.disabled');
    default:
      return cause.interval === undefined
        ? t('silence.unknownOnce', { moment: moment() })
        : t('silence.unknown', { moment: moment(), span: format.interval(cause.interval) });
  }
}

function batterySentence(
  { value = 0, unit = '', precision, time = 0, limit = 0, nights = 0, nightsLow = 0 }: SilenceCause,
  moment: (time: number) => string,
  format: Format,
  t: TFunction,
): string {
  const said = {
    value: format.reading({ value, unit, precision }),
    limit: format.reading({ value: limit, unit }),
    moment: moment(time),
  };
  // One night among one says nothing of nights.
  if (nights < 2 || nightsLow === 0) return t('silence.battery', said);
  return t('silence.batteryNights', { ...said, low: format.number(nightsLow), n: format.number(nights) });
}

const whatToDo = {
  batteryLow: 'silence.batteryDo',
  secretRefused: 'silence.secretDo',
  gatewaySilent: 'silence.gatewayDo',
  clockAhead: 'silence.clockDo',
  neverConnected: 'silence.neverDo',
  disabled: 'silence.disabledDo',
  unknown: 'silence.unknownDo',
} as const satisfies Record<SilenceCause['kind'], string>;

/** What to do about the cause, as one sentence. */
export function adviceSentence({ kind }: SilenceCause, t: TFunction): string {
  return t(whatToDo[kind]);
}
